"""The published models that fit this machine, and their way onto it while the server runs."""

import json
import os
import sys
import threading
from dataclasses import asdict
from typing import Any

from model_core.errors import InvalidRequest, NotAllowed
from model_core.machine.resources import available_memory, total_memory
from model_core.recommend.catalogue import CatalogueModel
from model_core.recommend.choice import find_room, recommend
from model_core.recommend.measured import read_machine
from model_core.recommend.speed import TYPICAL, Machine

from ...system.child_process import launch_piped
from ...system.program import called
from .added_models import AddedModel
from .model_pool import ModelPool


class ModelOffers:
    """Three models at most. Its methods may be called from any thread.

    They are chosen by what was last measured of this machine, or of a typical one if nothing was; then no
    speeds are said. The choice stays as it is, whatever memory is free later, until the machine is measured.
    """

    def __init__(self, pool: ModelPool, allows_getting: bool = False) -> None:
        """allows_getting: whether clients may let this machine download and load one (--allow-pull)."""
        self._pool, self._allows_getting = pool, allows_getting
        self._lock = threading.Lock()  # guards the fields below
        self._measured: Machine | None = None
        self._models: list[dict[str, Any]] | None = None
        self._downloads: dict[str, dict[str, Any]] = {}

    def describe(self) -> dict[str, Any]:
        """The result of the command `recommend`."""
        with self._lock:
            models = [{**model, "download": self._find_download(model["name"])} for model in self._choose()]
        return {"models": models, "allows_getting": self._allows_getting}

    def get(self, name: str) -> dict[str, Any]:
        """Begin to download and load one of them; the result of the command `get_model`.

        Raises NotAllowed, and InvalidRequest for another one.
        """
        if not self._allows_getting:
            raise NotAllowed(
                "this server downloads no models; start it with --allow-pull, or run "
                f"`{called()} up --model NAME` on its machine."
            )
        with self._lock:
            model = next((model for model in self._choose() if model["name"] == name), None)
            if model is None:
                raise InvalidRequest(
                    f"{name[:100]!r} is none of the models that fit this machine.", "get_model"
                )
            download = self._find_download(name)
            if download is None or download["state"] == "failed":
                running = (one for one in self._downloads.values() if one["state"] == "downloading")
                if next(running, None) is not None:
                    raise NotAllowed("another model is being downloaded; wait until it is here.")
                download = self._downloads[name] = {"state": "downloading"}
                thread = threading.Thread(target=self._download, args=[name, model["weights"]], daemon=True)
                thread.start()
            return dict(download)

    def _find_download(self, name: str) -> dict[str, Any] | None:
        """The state of a download. What an earlier process of the engine has got is here."""
        download = self._downloads.get(name)
        return {"state": "done"} if download is None and self._pool.has_model(name) else download

    def _choose(self) -> list[dict[str, Any]]:
        measured = read_machine()
        if self._models is None or (measured != self._measured and not self._downloads):
            room = find_room(total_memory(), available_memory())
            self._measured = measured
            self._models = [
                _describe(one.model, None if measured is None else asdict(one.speed))
                for one in recommend(measured or TYPICAL, room)
            ]
        return self._models

    def _download(self, name: str, weights: str | None) -> None:
        """Download a model in a process of its own, and let the pool load it."""
        # The settings of the engine are not those of the command, and may hold keys.
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TRITONCHAT_")}
        flags = [] if weights is None else ["--weights", weights]
        command = [sys.executable, "-m", "triton_server", "pull", "--json", name, *flags]
        child = None
        try:
            child = launch_piped(command, environment)
            output, errors = child.process.stdout, child.process.stderr
            assert output is not None and errors is not None
            while line := output.readline():
                self._downloads[name] = {"state": "downloading", **json.loads(line)}
            if child.process.wait():
                words = errors.read().decode(errors="replace").strip().splitlines()
                reason = words[-1].removeprefix("tritonchat: ") if words else "the download has failed."
                self._downloads[name] = {"state": "failed", "error": reason}
                return
            self._pool.load_more(AddedModel(name, weights))
            self._downloads[name] = {"state": "done"}
        except Exception as error:
            self._downloads[name] = {"state": "failed", "error": f"the download has failed: {error}"}
            raise
        finally:
            if child is not None:
                child.kill()


def _describe(model: CatalogueModel, speed: dict[str, float] | None) -> dict[str, Any]:
    fields = asdict(model)
    kept = ("name", "licence", "weights", "download_bytes", "memory_bytes")
    return {key: fields[key] for key in kept} | {
        "arguments": model.arguments,
        "command": f"{called()} up --model {model.arguments}",
        "form": model.form,
        "speed": speed,
    }
