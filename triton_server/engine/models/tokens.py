"""Tokens of texts and conversations, and texts of tokens, for a model in this process."""

from collections.abc import Sequence
from typing import Any

from model_core import LLM
from model_core.chat.template import ChatTemplate
from model_core.errors import InvalidRequest
from model_core.text.infill import find_format
from model_core.text.tokenizer import AnyTokenizer

from ...contract.commands import Detokenize, TokenizeChat, TokenizeText

# A text may have this many bytes, or more if the model's context is so long.
MAX_TEXT_BYTES, _MAX_BYTES_PER_POSITION = 2**20, 4
TokenCommand = TokenizeText | TokenizeChat | Detokenize


def tokenize(command: TokenCommand, llm: LLM) -> dict[str, Any]:
    """The result of a command. Raises InvalidRequest."""
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    if isinstance(command, Detokenize):
        _check_ids(command.detokenize, llm.model.config.vocab_size)
        return {"text": llm.tokenizer.decode(command.detokenize, keep_special=True)}
    result: dict[str, Any] = {"max_context": llm.engine.limits.max_context}
    if isinstance(command, TokenizeText):
        check_size(command.tokenize, llm.engine.limits.max_context)
        encode = llm.tokenizer.encode if command.parse_special else llm.tokenizer.encode_literally
        ids = encode(command.tokenize, command.add_special_tokens)
    else:
        prompt = llm.encode_chat(command.tokenize, command)
        ids, result["text"] = prompt.token_ids, prompt.text
    result["token_ids"] = ids
    if command.pieces:
        result["pieces"] = [describe_token(token_id, llm.tokenizer) for token_id in ids]
    return result


def describe_tokenizer(llm: LLM) -> dict[str, Any]:
    """The result of the command `tokenizer`. Raises InvalidRequest."""
    if llm.chat_tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    tokenizer, template = llm.chat_tokenizer.tokenizer, llm.chat_tokenizer.chat_template
    return {
        "tokenizer_class": type(tokenizer).__name__,
        "max_context": llm.engine.limits.max_context,
        "special_tokens": dict(tokenizer.special_tokens),
        "chat_template": template.sources["default"] if isinstance(template, ChatTemplate) else None,
        "infill": find_format(tokenizer) is not None,
    }


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
