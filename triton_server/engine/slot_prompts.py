"""The saved prompts of a model of the server, and the commands for them (contract.py)."""

import hashlib
import json
import logging
import re
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model_core import LLM
from model_core.errors import InvalidRequest, NotAllowed, TritonchatError
from model_core.prefix_disk import PrefixDisk
from model_core.saved_prompts import SavedPrompts, check_name

from ..json_tensors import encode
from .local_engine import require_llm
from .polled_jobs import PolledJobs
from .request_parser import parse_request

if TYPE_CHECKING:
    from .model_slot import ModelSlot

LOGGER = logging.getLogger(__name__)
PROMPT_COMMANDS = {"save_prompt", "prompts", "prompt", "delete_prompt"}


@dataclass(frozen=True)
class PromptFlags:
    """Where prompts are kept, and how.

    Attributes:
        folder: of all models.
        max_bytes: of the saved prompts of each model.
        allows_saving: whether clients may save and delete prompts.
        max_cache_bytes: of the prefix cache of each model on disk; None: there is none.
        cache_expiry_s: prefixes that were not used for so long are deleted; 0: never.
    """

    folder: str
    max_bytes: int
    allows_saving: bool
    max_cache_bytes: int | None = None
    cache_expiry_s: float = 0


class SlotPrompts:
    """The saved prompts of one model, and its prefix cache on disk.

    The methods may be called from any thread.
    """

    def __init__(self, flags: PromptFlags, name: str) -> None:
        """`name`: of the model."""
        folder, name = Path(flags.folder), _folder_name(name)
        self._saved, self._disk = SavedPrompts(folder / "saved" / name, flags.max_bytes), None
        cache = folder / "cache" / name
        if flags.max_cache_bytes is None:
            shutil.rmtree(cache, ignore_errors=True)  # nobody would delete what an earlier server has left
        else:
            self._disk = PrefixDisk(cache, flags.max_cache_bytes, flags.cache_expiry_s)
        self._allows_saving = flags.allows_saving
        self._jobs = PolledJobs("prompts")

    def open(self, slot: "ModelSlot", llm: LLM) -> None:
        """Use the saved prompts with a model that has just been loaded.

        Those that another model has computed, or the same one with other flags, are computed again.
        """

        def save_again(name: str, source: str) -> None:
            self._jobs.start(partial(self._save_again, slot, name, source))

        self._saved.open(llm.prompts, save_again)
        if self._disk is not None:
            self._disk.open(llm.prompts)

    def close(self, llm: LLM) -> None:
        """Write the prefix cache of a model to the disk, whose engine has ended."""
        if self._disk is not None:
            self._disk.close(llm.prompts)

    def forget(self, llm: LLM | None, salt: str) -> None:
        """Delete what the prefix cache has of a cache salt. `llm`: the model, if it is loaded."""
        if self._disk is not None:
            self._disk.forget(None if llm is None else llm.prompts, salt)

    def run(self, slot: "ModelSlot", command: dict[str, Any]) -> dict[str, Any]:
        """The result of a command. Raises TritonchatError."""
        if command.get("model") in slot.adapters.folders:
            raise InvalidRequest("prompts are saved for a model without an adapter; name the model.", "model")
        names = command.keys() - {"model"}
        if names == {"prompts"} and command["prompts"] is True:
            return {"prompts": self._saved.list()}
        if names == {"prompt"}:
            return {"prompt": self._show(_check_text(command, "prompt"))}
        if not self._allows_saving:
            raise NotAllowed(
                "prompts are saved and deleted only by a server that was started with --allow-saving-prompts."
            )
        if names == {"delete_prompt"}:
            llm = slot.llm
            self._saved.delete(None if llm is None else llm.prompts, _check_text(command, "delete_prompt"))
            return {"deleted": True}
        if names - {"parameters"} == {"save_prompt", "messages"}:
            name, fields = _check_text(command, "save_prompt"), command.get("parameters", {})
            check_name(name)
            if not isinstance(fields, dict):
                raise InvalidRequest("parameters must be a JSON object.", "parameters")
            source = json.dumps({"messages": command["messages"], "parameters": fields})
            is_done, prompt = self._jobs.poll((name, source), lambda: self._save(slot, name, source))
            return {"state": "ready", "prompt": prompt} if is_done else {"state": "saving"}
        raise InvalidRequest("the command for a saved prompt has wrong fields; see contract.py.")

    def _show(self, name: str) -> dict[str, Any]:
        prompt = self._saved.show(name)
        return {**prompt, **json.loads(prompt.pop("source"))}

    def _save(self, slot: "ModelSlot", name: str, source: str) -> dict[str, Any]:
        fields = json.loads(source)
        model = slot.acquire()
        try:
            llm = require_llm(model.result())
            request = parse_request(
                encode(fields["messages"]), fields["parameters"], llm.engine.limits.max_context
            )
            if request.is_chat:  # it ends where the next message begins
                fields = request.model_copy(update={"add_generation_prompt": False})
                tokens = llm.encode_chat(request.messages, fields).token_ids
            else:
                tokens = llm.encode(request.messages)
            return self._saved.save(llm.prompts, name, tokens, source)
        finally:
            slot.release()

    def _save_again(self, slot: "ModelSlot", name: str, source: str) -> None:
        try:
            self._save(slot, name, source)
        except (TritonchatError, ValueError, TypeError, KeyError) as error:
            LOGGER.warning("The saved prompt %s cannot be computed again: %s", name, error)


def _folder_name(model: str) -> str:
    """A name for the folder of a model, another one for each."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", model)
    return name if name == model else f"{name}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def _check_text(command: dict[str, Any], name: str) -> str:
    if not isinstance(command[name], str):
        raise InvalidRequest(f"{name} must be a string.", name)
    return command[name]
