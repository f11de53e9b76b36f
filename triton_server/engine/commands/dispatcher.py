"""Finds and checks the commands of `chat_control` (contract/commands.py), and runs them."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np

from model_core.errors import InvalidRequest, NotAllowed, TritonchatError
from model_core.inspect.step_profile import profile_step

from ...contract import commands
from ...contract.codec import describe_error, encode_failure
from ...contract.image_bytes import MAX_IMAGES_BYTES, count_image_bytes
from ...contract.json_tensors import decode
from ...receipts.keys import to_jwks
from ...receipts.signer import ReceiptSigner
from ..models.answer_cache import AnswerCache
from ..models.local_engine import require_llm
from ..models.model_offers import ModelOffers
from ..models.model_pool import ModelPool
from ..models.model_slot import ModelSlot
from ..models.slot_prompts import SlotPrompts
from ..models.tokens import TokenCommand, describe_tokenizer
from .conversation_commands import ConversationCommands
from .inspection import describe_live, explain
from .model_jobs import ModelJobs

LOGGER = logging.getLogger(__name__)

_MAX_BYTES = 2**25  # beside images
_LARGE_BYTES = 2**16  # of commands that are checked in threads, while others are answered
_THREADS = 2  # so that large texts leave processor time for the engine
# An inspection takes up to a second, and computes between the steps of requests.
MAX_INSPECTIONS = 16

# Gets a command. Returns what it answers, or its whole result as JSON that a thread makes.
Handler = Callable[[Any], Any | Awaitable[str]]


class Dispatcher:
    """Runs commands, in one event loop."""

    def __init__(
        self,
        pool: ModelPool,
        conversations: ConversationCommands,
        cancel: Callable[[str], bool],
        count_embeddings: Callable[[], int],
        health: Callable[[], str],
        idle_s: Callable[[], float | None],
        receipts: ReceiptSigner | None = None,
        answers: AnswerCache | None = None,
    ) -> None:
        """`cancel` ends a request by its id; False if there is none. The others: see Inference."""
        self._answers = answers
        self._offers = ModelOffers(pool, pool.allows_getting)
        self._pool, self._count_embeddings, self._started = pool, count_embeddings, time.monotonic()
        self._idle_s = idle_s
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="commands")
        self._tokens, self._inspections = ModelJobs(_THREADS), ModelJobs(1, MAX_INSPECTIONS)
        self._templates = ModelJobs(1)  # of requests, which may loop until their time is over
        self._images = ModelJobs(1)  # which may take seconds to read
        find = self._find
        self._handlers: dict[str, Handler] = {
            "cancel": lambda command: cancel(command.cancel),
            "stats": self._describe,
            "load": self._load,
            "recommend": lambda _: self._offers.describe(),
            "get_model": lambda command: self._offers.get(command.get_model),
            "load_adapter": lambda c: pool.load_adapter(find(c.model), c.load_adapter, c.folder),
            "drop_adapter": lambda command: pool.drop_adapter(command.drop_adapter),
            "tokenize": self._tokenize,
            "detokenize": self._tokenize,
            "tokenizer": self._show_tokenizer,
            "receipt_key": lambda _: _show_key(receipts),
            "origin": lambda command: find(command.model).made_of(self._find_adapter(command.model)),
            "save_prompt": self._save_prompt,
            "prompts": lambda command: self._prompts(command).list(),
            "prompt": lambda command: self._prompts(command).show(command.prompt),
            "delete_prompt": lambda c: self._prompts(c).delete(find(c.model), c.delete_prompt),
            "forget": lambda command: self._forget(command.forget),
            "live": lambda command: describe_live(find(command.model), command.tree),
            "profile": self._profile,
            "explain": self._explain,
            "conversations": conversations.run,
            "metrics": lambda _: pool.render_metrics(),
            "health": lambda _: health(),
        }
        assert self._handlers.keys() == commands.COMMANDS.keys()

    async def run(self, row: np.ndarray) -> str:
        """The result of the command in a tensor, as JSON."""
        try:
            _check_size(row)
            value = decode(row, "command")
            if row.size < _LARGE_BYTES:
                name, command = commands.parse_command(value)
            else:
                loop = asyncio.get_running_loop()
                name, command = await loop.run_in_executor(self._threads, commands.parse_command, value)
            answer = self._handlers[name](command)
            if isinstance(answer, Awaitable):
                return await answer
            return json.dumps(commands.COMMANDS[name].make_result(answer))
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("A command failed")
            return json.dumps(encode_failure(describe_error(error)))

    def _forget(self, salt: str) -> None:
        self._pool.forget(salt)
        if self._answers is not None:
            self._answers.forget(salt)

    def _find(self, name: str | None) -> ModelSlot:
        return self._pool.resolve_model(name, self._pool.slots[0])

    def _find_adapter(self, name: str | None) -> str | None:
        """The adapter that is meant by a name; None if it is a model's."""
        return name if name in self._find(name).adapters.folders else None

    def _describe(self, command: commands.Stats) -> dict[str, Any]:
        """The state of the server, with the numbers of one model."""
        slot = self._find(command.model)
        return {
            "model": slot.description,
            "models": self._pool.describe(),
            "uptime_s": time.monotonic() - self._started,
            "embeddings": self._count_embeddings(),
            "idle_s": self._idle_s(),
            **slot.stats(),
        }

    def _load(self, command: commands.Load) -> dict[str, Any]:
        slot = self._find(command.load)
        slot.load_in_background()
        return next(entry for entry in self._pool.describe() if entry["name"] == slot.name)

    def _tokenize(self, command: TokenCommand) -> Awaitable[str]:
        jobs = self._tokens
        if isinstance(command, commands.TokenizeChat):
            if command.chat_template is not None:
                jobs = self._templates
            elif any(message.images for message in command.tokenize):
                jobs = self._images
        return jobs.run(self._find(command.model), lambda engine: engine.tokenize(command))

    def _show_tokenizer(self, command: commands.ShowTokenizer) -> Awaitable[str]:
        slot = self._find(command.model)
        return self._tokens.run(slot, lambda engine: describe_tokenizer(require_llm(engine)))

    def _save_prompt(self, command: commands.SavePrompt) -> dict[str, Any]:
        slot, source = self._find(command.model), (command.messages, command.parameters)
        prompt = self._prompts(command).save(slot, command.save_prompt, *source)
        return {"state": "saving"} if prompt is None else {"state": "ready", "prompt": prompt}

    def _prompts(self, command: commands.ModelFields) -> SlotPrompts:
        """The saved prompts of the model that a command names."""
        slot = self._find(command.model)
        if slot.prompts is None:
            raise NotAllowed("this server keeps no prompts.")
        if command.model in slot.adapters.folders:
            raise InvalidRequest("prompts are saved for a model without an adapter; name the model.", "model")
        return slot.prompts

    def _profile(self, command: commands.Profile) -> Awaitable[str]:
        return self._inspections.run(
            self._find(command.model),
            lambda engine: asdict(profile_step(require_llm(engine), command.profile)),
        )

    def _explain(self, command: commands.ExplainText | commands.ExplainChat) -> Awaitable[str]:
        slot, adapter = self._find(command.model), self._find_adapter(command.model)
        return self._inspections.run(slot, lambda engine: explain(require_llm(engine), command, adapter))


def _check_size(row: np.ndarray) -> None:
    """Raises InvalidRequest for a command that is too large to be read."""
    if row.size <= _MAX_BYTES:
        return
    images = count_image_bytes(row.tobytes())
    if row.size - images > _MAX_BYTES:
        raise InvalidRequest(
            f"command has {row.size - images} bytes; at most {_MAX_BYTES} are allowed.", "command"
        )
    if images > MAX_IMAGES_BYTES:
        raise InvalidRequest(
            f"command has images of {images} bytes; at most {MAX_IMAGES_BYTES} are allowed.", "command"
        )


def _show_key(receipts: ReceiptSigner | None) -> dict[str, Any]:
    if receipts is None:
        raise NotAllowed("there are no receipts here.")
    return to_jwks(receipts.key.public)
