"""The adapters of a model of the server."""

from collections.abc import Mapping
from typing import Literal

from model_core.errors import InvalidRequest, ModelError

from .local_engine import LoadedOnDemand, require_llm
from .polled_jobs import PolledJobs


class SlotAdapters:
    """The adapters of one model, which has them whenever it is loaded. `folders`: theirs, by name."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = dict(folders)
        self._jobs = PolledJobs("adapters")

    def load(self, slot: LoadedOnDemand, name: str, folder: str) -> Literal["loading", "ready"]:
        """Begin to load an adapter, and wait for a moment. To ask again tells how it went.

        Raises InvalidRequest if the name is taken or the folder is wrong, and what ModelSlot.acquire raises.
        """
        is_done, _ = self._jobs.poll((name, folder), lambda: self._load(slot, name, folder))
        return "ready" if is_done else "loading"

    def _load(self, slot: LoadedOnDemand, name: str, folder: str) -> None:
        if name in self.folders:
            raise InvalidRequest(f"an adapter with the name {name!r} is loaded already.")
        model = slot.acquire()
        try:
            require_llm(model.result()).load_adapter(name, folder)
            self.folders[name] = folder
        except ModelError as error:  # of a folder that a client has named
            raise InvalidRequest(str(error), "folder") from error
        finally:
            slot.release()

    def drop(self, slot: LoadedOnDemand, name: str) -> None:
        """Let no new request use an adapter; those that have begun go on."""
        del self.folders[name]
        if slot.llm is not None:
            slot.llm.drop_adapter(name)
