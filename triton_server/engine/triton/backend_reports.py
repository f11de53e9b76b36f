"""Receives what `backend_model.py` reports from Triton: cancelled requests, and which processes run."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import MethodType
from typing import Any

from pytriton.models.model import Model
from pytriton.triton import Triton

from model_core.errors import TritonchatError

LOGGER = logging.getLogger(__name__)

# backend_model.py repeats these: where it runs, it cannot import this module.
SOCKET_NAME = "reports.sock"
CANCELLED, RUNS = "cancelled", "runs"
_POLL_S = 0.05
BACKEND_MODEL = Path(__file__).with_name("backend_model.py")


def install_backend_model(triton: Triton) -> None:
    """Make all models bound so far run `backend_model.py` around PyTriton's model in Triton's Python backend.

    Raises TritonchatError for a version of PyTriton whose internals differ.
    """
    try:
        models = list(triton._model_manager.models)
        for model in models:
            model.get_proxy_model_files = MethodType(_proxy_model_files, model)
            model.get_proxy_model_files()
            model.get_model_config = MethodType(_model_config, model)
            model.get_model_config()
    except (AttributeError, KeyError) as error:
        raise TritonchatError(
            "this version of nvidia-pytriton is not supported; install one that satisfies pyproject.toml "
            f"({type(error).__name__}: {error})."
        ) from error


def _proxy_model_files(model: Model) -> dict[str, bytes]:
    """PyTriton's files for Triton's model store, with `backend_model.py` around PyTriton's model."""
    files = Model.get_proxy_model_files(model)
    folder = f"file:{model.model_version}"
    files[f"{folder}/pytriton_model.py"] = files.pop(f"{folder}/model.py")
    files[f"{folder}/model.py"] = BACKEND_MODEL.read_bytes()
    return files


def _model_config(model: Model) -> dict[str, Any]:
    """PyTriton's configuration of a model. Inputs with rows get an axis of size 1 after the rows.

    Triton's Python backend drops requests whose first input has an axis of size 0 in front, and never answers
    them. Triton omits the axis of rows if there are none, so [0, 0] would come as [0]. With the new axis it
    comes as [1, 0]. `backend_model.py` removes that axis from all other requests.
    """
    config = Model.get_model_config(model)
    if config["max_batch_size"]:
        for tensor in config["input"]:
            tensor["reshape"] = {"shape": [1, *tensor["dims"]]}
    return config


class BackendReports:
    """Calls back, in a thread, with the call id of each request whose client has disconnected.

    A request is reported again and again until it is answered. Each model's process reports itself too, at
    least once a second.
    """

    def __init__(self, workspace: Path, on_cancelled: Callable[[str], Any]) -> None:
        """`workspace` is the folder of Triton's sockets. `on_cancelled` must return at once."""
        self._on_cancelled = on_cancelled
        self._report_times: dict[str, float] = {}  # when each model's process last reported that it runs
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(workspace / SOCKET_NAME))
        self._thread = threading.Thread(target=self._listen, name="backend-reports", daemon=True)
        self._thread.start()

    def wait_for(self, model: str, timeout_s: float) -> bool:
        """Wait until a model's process reports that it runs. False if it does not within the timeout."""
        start = time.monotonic()
        while self._report_times.get(model, 0.0) < start:
            if time.monotonic() - start > timeout_s:
                return False
            time.sleep(_POLL_S)
        return True

    def close(self) -> None:
        """Stop listening."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while report := self._socket.recv(256):
            word, _, name = report.decode().partition(" ")
            if word == RUNS:
                self._report_times[name] = time.monotonic()
                continue
            try:
                self._on_cancelled(name)
            except Exception:
                LOGGER.exception("A request could not be cancelled")
