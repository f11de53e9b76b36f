"""The commands {"tokenize": ...} and {"detokenize": ...} for a model in this process."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from model_core import LLM
from model_core.errors import InvalidRequest
from model_core.messages import ChatFields, FailFastList, Message
from model_core.tokenizer import AnyTokenizer
from model_core.validation import StrictModel, Text

from ..vocabulary import ModelFields

# A text may have this many bytes, or more if the model's context is so long.
MAX_TEXT_BYTES, _MAX_BYTES_PER_POSITION = 2**20, 4
MAX_IDS = 2**18  # to make text of


class TokenizeText(ModelFields, StrictModel):
    """A text to make tokens of."""

    tokenize: Text
    add_special_tokens: bool = True
    pieces: bool = False


class TokenizeChat(ChatFields, ModelFields, StrictModel):
    """A conversation to make tokens of."""

    tokenize: Annotated[FailFastList[Message], Field(min_length=1)]
    pieces: bool = False


class Detokenize(ModelFields, StrictModel):
    """Tokens to make text of."""

    detokenize: Annotated[FailFastList[Annotated[int, Field(ge=0)]], Field(max_length=MAX_IDS)]


def parse_command(command: Mapping[str, Any]) -> TokenizeText | TokenizeChat | Detokenize:
    """The command, checked. Raises InvalidRequest."""
    if "detokenize" in command:
        return Detokenize(**command)
    return TokenizeText(**command) if isinstance(command["tokenize"], str) else TokenizeChat(**command)


def tokenize(command: Mapping[str, Any], llm: LLM) -> dict[str, Any]:
    """The result of a command. Raises InvalidRequest."""
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    parsed = parse_command(command)
    if isinstance(parsed, Detokenize):
        _check_ids(parsed.detokenize, llm.model.config.vocab_size)
        return {"text": llm.tokenizer.decode(parsed.detokenize, keep_special=True)}
    result: dict[str, Any] = {"max_context": llm.engine.limits.max_context}
    if isinstance(parsed, TokenizeText):
        check_size(parsed.tokenize, llm.engine.limits.max_context)
        ids = llm.tokenizer.encode(parsed.tokenize, parsed.add_special_tokens)
    else:
        prompt = llm.encode_chat(parsed.tokenize, parsed)
        ids, result["text"] = prompt.token_ids, prompt.text
    result["token_ids"] = ids
    if parsed.pieces:
        result["pieces"] = [describe_token(token_id, llm.tokenizer) for token_id in ids]
    return result


def check_size(text: str, max_context: int) -> None:
    """Raises InvalidRequest for a text of more bytes than are made tokens of at a time."""
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
