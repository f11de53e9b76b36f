"""A receipt: what it says, how it is signed, and how it is checked.

A receipt is a JSON object. Its signature is of its canonical form (RFC 8785) without `signature` and without
the two attachments, `request.content` and `answer.token_ids`, whose hashes it has. So an attachment may be
taken away, and the rest still holds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.results import Completion

from .canonical import (
    hash_json,
    hash_text,
    hash_tokens,
    join_members,
    parse_strictly,
    to_canonical,
    to_canonical_again,
)
from .keys import SigningKey, verify_signature

VERSION = 1
_HASH = Field(pattern="^[0-9a-f]{64}$")


def _check_seed(seed: str) -> str:
    if not -(2**63) <= int(seed) < 2**63:
        raise ValueError("should have 64 bits")
    return seed


class ReceiptError(TritonchatError):
    """Something that is no receipt, or one that was changed."""

    type = "invalid_receipt"
    status = 400


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ModelPart(_Part):
    """What has computed the answer. `made_of`: see `LLM.made_of`, of which `fingerprint` is the digest."""

    name: str
    fingerprint: str
    made_of: dict[str, Any]


class RequestPart(_Part):
    """The request. `content` is attached if it was asked for."""

    sha256: str = _HASH
    content: dict[str, Any] | None = None


class PromptPart(_Part):
    """The tokens that a chat template, or a tokenizer, has made of the request."""

    tokens: int
    token_ids_sha256: str = _HASH


class AnswerPart(_Part):
    """The answer. `token_ids` are attached if they were asked for.

    The hashes of texts are of what clients get: of the text, of the reasoning, and of calls of tools as a
    list of {"id", "name", "arguments"}.
    """

    finish_reason: Literal["stop", "length", "tool_calls", "cancelled"]
    tokens: int
    token_ids_sha256: str = _HASH
    text_sha256: str = _HASH
    reasoning_sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    tool_calls_sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    token_ids: list[int] | None = None


class LogPart(_Part):
    """The place in the server's log: the number of the receipt, and the hash of the one before it."""

    number: int = Field(ge=1)
    previous: str | None = Field(None, pattern="^[0-9a-f]{64}$")


class Receipt(_Part):
    """A receipt. `time` is the end of the answer. `seed` is text: numbers of RFC 8785 end at 2^53."""

    version: Literal[1]
    time: str
    model: ModelPart
    request: RequestPart
    seed: Annotated[str, Field(pattern="^(0|-?[1-9][0-9]{0,18})$"), AfterValidator(_check_seed)]
    prompt: PromptPart
    answer: AnswerPart
    log: LogPart | None = None
    key: str
    signature: str


@dataclass(frozen=True)
class Facts:
    """What a receipt is made from.

    Attributes:
        model, fingerprint, made_of: of the model that has answered.
        content: of the request, see canonical.content_of. content_hash: its hash.
        prompt: the token ids of the prompt.
        completion, parts: the answer as the engine has made it, and as clients get it.
    """

    model: str
    fingerprint: str
    made_of: Mapping[str, Any]
    content: Mapping[str, Any]
    content_hash: str
    prompt: Sequence[int]
    completion: Completion
    parts: AnswerParts


def make_receipt(facts: Facts, key: SigningKey, log: Mapping[str, Any] | None) -> dict[str, Any]:
    """A signed receipt with all attachments; `log`: its place there."""
    completion, parts = facts.completion, facts.parts
    answer: dict[str, Any] = {
        "finish_reason": completion.finish_reason,
        "tokens": len(completion.token_ids),
        "token_ids_sha256": hash_tokens(completion.token_ids),
        "text_sha256": hash_text(parts.text),
    }
    if parts.reasoning:
        answer["reasoning_sha256"] = hash_text(parts.reasoning)
    if parts.calls:
        answer["tool_calls_sha256"] = hash_calls(parts)
    receipt: dict[str, Any] = {
        "version": VERSION,
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "model": {"name": facts.model, "fingerprint": facts.fingerprint, "made_of": facts.made_of},
        "request": {"sha256": facts.content_hash},
        "seed": str(completion.seed),
        "prompt": {"tokens": len(facts.prompt), "token_ids_sha256": hash_tokens(facts.prompt)},
        "answer": answer,
        "key": key.public,
    }
    if log is not None:
        receipt["log"] = log
    receipt["signature"] = key.sign(encode_receipt(receipt))
    receipt["request"] = {**receipt["request"], "content": facts.content}
    receipt["answer"] = {**answer, "token_ids": completion.token_ids}
    return receipt


def encode_receipt(receipt: Mapping[str, Any]) -> bytes:
    """A receipt in canonical form. Raises as `to_canonical`.

    What a model is made of is the largest part, and the same in all receipts of a server.
    """
    encoded = {name: to_canonical(value) for name, value in receipt.items() if name != "model"}
    return join_members(encoded | {"model": to_canonical_again(receipt["model"])})


def hash_calls(parts: AnswerParts) -> str:
    """The hash of the calls of tools in an answer."""
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in parts.tool_calls]
    return hash_json(calls)


def strip(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """The receipt without attachments."""
    request = {name: value for name, value in receipt["request"].items() if name != "content"}
    answer = {name: value for name, value in receipt["answer"].items() if name != "token_ids"}
    return {**receipt, "request": request, "answer": answer}


def chain_hash(receipt: Mapping[str, Any]) -> str:
    """The hash of a receipt that the next one in the log has. Attachments are no part of it."""
    return hashlib.sha256(encode_receipt(strip(receipt))).hexdigest()


def read_receipt(text: str | bytes) -> dict[str, Any]:
    """Parse a receipt, and check its form, its signature and its attachments. Raises ReceiptError."""
    try:
        value = parse_strictly(text)
    except ValueError as error:
        raise ReceiptError(f"this is no receipt: {error}.") from error
    return check_receipt(value)


def check_written(raw: bytes) -> None:
    """Check that a receipt of this process can be read back from its canonical JSON. Raises ReceiptError.

    What it was signed with, and its hashes, are right; to check them again costs more than to make them.
    """
    try:
        value = parse_strictly(raw)
        _check_form(value)
        if encode_receipt(value) != raw:
            raise ReceiptError("its JSON has another canonical form when it is read.")
    except (ValueError, InvalidRequest) as error:
        raise ReceiptError(f"it cannot be read back: {error}") from error


def _check_form(value: Any) -> Receipt:
    """Raises ReceiptError unless a value has the members of a receipt."""
    try:
        return Receipt.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise ReceiptError(f"this is no receipt: {place}: {first['msg']}.") from error


def check_receipt(value: Any) -> dict[str, Any]:
    """Check the form of a receipt, its signature and its attachments. Raises ReceiptError.

    Whether its key is one to be trusted is another question.
    """
    # OpenAI's clients and others add nulls where a field is missing.
    value = _drop_nulls(value) if isinstance(value, dict) else value
    parsed = _check_form(value)
    content, tokens = parsed.request.content, parsed.answer.token_ids
    try:
        signed = strip(value)
        signature = signed.pop("signature")
        if not verify_signature(parsed.key, encode_receipt(signed), signature):
            raise ReceiptError("the receipt was changed: its signature is of another one.")
        if content is not None and hash_json(content) != parsed.request.sha256:
            raise ReceiptError("the receipt was changed: its request has another hash.")
    except TritonchatError as error:
        if isinstance(error, ReceiptError):
            raise
        raise ReceiptError(f"this is no receipt: {error}") from error
    if tokens is not None and (
        hash_tokens(tokens) != parsed.answer.token_ids_sha256 or len(tokens) != parsed.answer.tokens
    ):
        raise ReceiptError("the receipt was changed: its token ids have another hash.")
    return value


def _drop_nulls(receipt: dict[str, Any]) -> dict[str, Any]:
    """The receipt without members that are null; what it is made of, and contents, stay as they are."""
    found = {name: value for name, value in receipt.items() if value is not None}
    for name in ("request", "answer", "log"):
        if isinstance(found.get(name), dict):
            found[name] = {key: value for key, value in found[name].items() if value is not None}
    return found
