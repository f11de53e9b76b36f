"""The adapters of a model of the server."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from typing import TYPE_CHECKING, Literal

from model_core.errors import InvalidRequest, ModelError

if TYPE_CHECKING:
    from .model_slot import ModelSlot

_WAIT_S = 0.5  # of a command for an adapter that is being loaded


class SlotAdapters:
    """The adapters of one model, which has them whenever it is loaded. `folders`: theirs, by name."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = dict(folders)
        self._lock = threading.Lock()
        self._loads: dict[tuple[str, str], Future[None]] = {}  # by name and folder
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="adapters")

    def load(self, slot: "ModelSlot", name: str, folder: str) -> Literal["loading", "ready"]:
        """Begin to load an adapter, and wait for a moment. To ask again tells how it went.

        Raises InvalidRequest if the name is taken or the folder is wrong, and what ModelSlot.acquire raises.
        """
        key = name, folder
        with self._lock:
            if key not in self._loads:
                if name in self.folders:
                    raise InvalidRequest(f"an adapter with the name {name!r} is loaded already.")
                self._loads[key] = self._threads.submit(self._load, slot, name, folder)
            future = self._loads[key]
        try:
            future.result(_WAIT_S)
        except TimeoutError:
            if not future.done():
                return "loading"
            raise
        finally:
            if future.done():
                with self._lock:
                    self._loads.pop(key, None)
        return "ready"

    def _load(self, slot: "ModelSlot", name: str, folder: str) -> None:
        model = slot.acquire()
        try:
            model.result().load_adapter(name, folder)
            self.folders[name] = folder
        except ModelError as error:  # of a folder that a client has named
            raise InvalidRequest(str(error), "folder") from error
        finally:
            slot.release()

    def drop(self, slot: "ModelSlot", name: str) -> None:
        """Let no new request use an adapter; those that have begun go on."""
        del self.folders[name]
        if slot.llm is not None:
            slot.llm.drop_adapter(name)
