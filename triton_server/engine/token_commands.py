"""The commands {"tokenize": ...} and {"detokenize": ...} of `chat_control`, as contract.py describes them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

from pydantic import Field

from model_core import LLM
from model_core.errors import InvalidRequest
from model_core.messages import ChatFields, FailFastList, Message
from model_core.tokenizer import AnyTokenizer
from model_core.validation import StrictModel, Text

from ..vocabulary import ModelFields
from .model_pool import ModelPool
from .request_parser import check_model_name

# A text may have this many bytes, or more if the model's context is so long.
MAX_TEXT_BYTES, _MAX_BYTES_PER_POSITION = 2**20, 4
MAX_IDS = 2**18  # to make text of
_THREADS = 2  # so that large texts leave processor time for the engine


class _TokenizeText(ModelFields, StrictModel):
    tokenize: Text
    add_special_tokens: bool = True
    pieces: bool = False


class _TokenizeChat(ChatFields, ModelFields, StrictModel):
    tokenize: Annotated[FailFastList[Message], Field(min_length=1)]
    pieces: bool = False


class _Detokenize(ModelFields, StrictModel):
    detokenize: Annotated[FailFastList[Annotated[int, Field(ge=0)]], Field(max_length=MAX_IDS)]


class TokenCommands:
    """Runs the commands in threads, and loads the model where it is not loaded."""

    def __init__(self, pool: ModelPool) -> None:
        self._pool = pool
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="tokens")

    @staticmethod
    def has(command: Any) -> bool:
        """Whether this is one of the commands."""
        return isinstance(command, dict) and not command.keys().isdisjoint({"tokenize", "detokenize"})

    async def run(self, command: Mapping[str, Any]) -> str:
        """The result of a command, as JSON. Raises TritonchatError."""
        slot = self._pool.resolve_model(check_model_name(command.get("model")), self._pool.slots[0])
        model = slot.acquire()
        try:
            llm = await asyncio.shield(asyncio.wrap_future(model))
            return await asyncio.get_running_loop().run_in_executor(self._threads, _run, command, llm)
        finally:
            slot.release()


def _run(command: Mapping[str, Any], llm: LLM) -> str:
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    if "detokenize" in command:
        ids = _Detokenize(**command).detokenize
        _check_ids(ids, llm.model.config.vocab_size)
        return json.dumps({"text": llm.tokenizer.decode(ids, keep_special=True)})
    result: dict[str, Any] = {"max_context": llm.engine.limits.max_context}
    if isinstance(command["tokenize"], str):
        text = _TokenizeText(**command)
        _check_size(text.tokenize, llm.engine.limits.max_context)
        ids, pieces = llm.tokenizer.encode(text.tokenize, text.add_special_tokens), text.pieces
    else:
        chat = _TokenizeChat(**command)
        prompt = llm.encode_chat(chat.tokenize, chat)
        ids, pieces, result["text"] = prompt.token_ids, chat.pieces, prompt.text
    result["token_ids"] = ids
    if pieces:
        result["pieces"] = [describe_token(token_id, llm.tokenizer) for token_id in ids]
    return json.dumps(result)


def _check_size(text: str, max_context: int) -> None:
    limit, size = max(MAX_TEXT_BYTES, max_context * _MAX_BYTES_PER_POSITION), len(text.encode())
    if size > limit:
        raise InvalidRequest(
            f"the text has {size} bytes; at most {limit} are made tokens of at a time.", "tokenize"
        )


def _check_ids(ids: Sequence[int], vocab_size: int) -> None:
    unknown = next((token_id for token_id in ids if token_id >= vocab_size), None)
    if unknown is not None:
        raise InvalidRequest(
            f"there is no token {unknown}; the model's vocabulary ends at {vocab_size - 1}.", "detokenize"
        )


def describe_token(token_id: int, tokenizer: AnyTokenizer) -> dict[str, Any]:
    """The name and the text of a token, and its bytes if it is a part of a character."""
    text = tokenizer.token_text(token_id)
    piece: dict[str, Any] = {"name": tokenizer.token_name(token_id), "text": text}
    if "\ufffd" in text:
        piece["bytes"] = list(tokenizer.token_bytes(token_id))
    return piece
