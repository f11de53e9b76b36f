"""The saved prompts of a model of the server."""

import hashlib
import json
import logging
import re
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from model_core import LLM
from model_core.errors import InvalidRequest, NotAllowed, TritonchatError
from model_core.prompts.prefix_disk import PrefixDisk
from model_core.prompts.saved import SavedPrompts, check_name

from ...contract.json_tensors import encode
from .local_engine import LoadedOnDemand, require_llm
from .polled_jobs import PolledJobs
from .request_parser import parse_request

LOGGER = logging.getLogger(__name__)


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

    def open(self, slot: LoadedOnDemand, llm: LLM) -> None:
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
        """Delete what the caches of prefixes and images have of a cache salt.

        `llm`: the model, if it is loaded.
        """
        if llm is not None and llm.engine.encoder is not None:
            llm.engine.encoder.forget(salt)
        if llm is not None and llm.vision is not None:
            llm.vision.forget(salt)
        if self._disk is not None:
            self._disk.forget(None if llm is None else llm.prompts, salt)

    def list(self) -> list[dict[str, Any]]:
        """The entries of all prompts, the most recently used first."""
        return self._saved.list()

    def show(self, name: str) -> dict[str, Any]:
        """The entry of a prompt, with its `messages` and `parameters`. Raises PromptNotFound."""
        prompt = self._saved.show(name)
        return {**prompt, **json.loads(prompt.pop("source"))}

    def delete(self, slot: LoadedOnDemand, name: str) -> None:
        """Delete a prompt. Raises TritonchatError."""
        self._check_saving()
        llm = slot.llm
        self._saved.delete(None if llm is None else llm.prompts, name)

    def save(
        self, slot: LoadedOnDemand, name: str, messages: Any, parameters: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Begin to save a prompt, and wait for a moment: its entry; None: ask again how it went.

        Raises TritonchatError.
        """
        self._check_saving()
        check_name(name)
        source = json.dumps({"messages": messages, "parameters": parameters})
        return self._jobs.poll((name, source), lambda: self._save(slot, name, source))[1]

    def _check_saving(self) -> None:
        if not self._allows_saving:
            raise NotAllowed(
                "prompts are saved and deleted only by a server that was started with --allow-saving-prompts."
            )

    def _save(self, slot: LoadedOnDemand, name: str, source: str) -> dict[str, Any]:
        fields = json.loads(source)
        model = slot.acquire()
        try:
            llm = require_llm(model.result())
            request = parse_request(
                encode(fields["messages"]), fields["parameters"], llm.engine.limits.max_context
            )
            if request.suffix is not None:
                raise InvalidRequest("a prompt is saved for what follows it; leave suffix out.", "suffix")
            messages: Any = request.messages
            if request.is_chat:  # it ends where the next message begins
                fields = request.model_copy(update={"add_generation_prompt": False})
                prompt = llm.encode_chat(messages, fields)
                if prompt.images:
                    raise InvalidRequest(
                        "prompts with images are not saved; leave the images out.", "messages"
                    )
                tokens = prompt.token_ids
            else:
                tokens = llm.encode(messages)
            return self._saved.save(llm.prompts, name, tokens, source)
        finally:
            slot.release()

    def _save_again(self, slot: LoadedOnDemand, name: str, source: str) -> None:
        try:
            self._save(slot, name, source)
        except (TritonchatError, ValueError, TypeError, KeyError) as error:
            LOGGER.warning("The saved prompt %s cannot be computed again: %s", name, error)


def _folder_name(model: str) -> str:
    """A name for the folder of a model, another one for each."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", model)
    return name if name == model else f"{name}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
