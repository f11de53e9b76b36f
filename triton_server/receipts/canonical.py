"""JSON in its canonical form (RFC 8785, by the package rfc8785), hashes of it, and strict reading."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import rfc8785

from model_core.errors import InvalidRequest
from model_core.requests.messages import MESSAGES

from ..contract.request_fields import Request

# On what no token of an answer depends: who asks, how it is delivered, and how long it may take. Model and
# seed have parts of their own.
NO_PART = {
    *("model", "seed", "request_id", "client", "acknowledge", "feed", "count_only"),
    *("cache_salt", "receipt", "answer_cache", "joins", "timeout_s", "traceparent"),
}


def to_canonical(value: Any) -> bytes:
    """JSON in its only canonical form. Raises InvalidRequest for what JSON cannot hold exactly."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise InvalidRequest(
            "this has no canonical JSON (RFC 8785), which has no place for whole numbers beyond 2^53, halves "
            "of surrogate pairs and very deep lists."
        ) from error


def join_members(members: Mapping[str, bytes]) -> bytes:
    """The canonical JSON of an object, of that of its members. Their names have letters of ASCII only."""
    return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), members[name]) for name in sorted(members))


def to_canonical_again(value: Any) -> bytes:
    """The canonical JSON, which is kept, of a value that comes again and again. Raises as `to_canonical`."""
    return _encode_text(json.dumps(value))


@lru_cache(64)
def _encode_text(text: str) -> bytes:
    return to_canonical(json.loads(text))


def hash_text(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_json(value: Any) -> str:
    """The SHA-256 of a value as canonical JSON. Raises as `to_canonical`."""
    return hashlib.sha256(to_canonical(value)).hexdigest()


def hash_tokens(token_ids: Sequence[int]) -> str:
    """The SHA-256 of token ids: of their list as JSON without spaces."""
    return hashlib.sha256(f"[{','.join(map(str, token_ids))}]".encode()).hexdigest()


def content_of(request: Request) -> dict[str, Any]:
    """All of a request that its answer depends on, but for the model and the seed, as JSON.

    What has its default or is empty without a meaning is left out, so that two requests for the same have the
    same content. JSON schemas, and variables of templates, are text: grammars and templates follow the order
    of their members and the kinds of their numbers (1.0 is not 1), which canonical JSON does not keep.
    """
    parameters = request.model_dump(
        mode="json", exclude={"messages", *NO_PART}, exclude_defaults=True, exclude_none=True
    )
    given = {name: value for name, value in parameters.items() if value not in ([], {}) or _has_default(name)}
    if request.form is not None and request.form.json_schema is not None:
        given["form"]["json_schema"] = _to_text(request.form.json_schema)
    for written, tool in zip(given.get("tools", ()), request.tools or (), strict=True):
        if tool.parameters is not None:
            written["parameters"] = _to_text(tool.parameters)
    if request.chat_template_kwargs:
        given["chat_template_kwargs"] = _to_text(request.chat_template_kwargs)
    messages: Any = request.messages
    if request.is_chat:
        messages = MESSAGES.dump_python(messages, mode="json", exclude_defaults=True)
    return {"messages": messages, **given}


def _has_default(name: str) -> bool:
    """Whether a field has a default that is not empty, so that an empty value has a meaning."""
    return bool(Request.model_fields[name].get_default(call_default_factory=True))


def open_content(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the request that `content_of` has written. Raises ValueError if it has not."""
    fields = dict(content)
    if "form" in fields:
        fields["form"] = _open_text(fields["form"], "json_schema")
    if "tools" in fields:
        if not isinstance(fields["tools"], list):
            raise ValueError("tools should be a list")
        fields["tools"] = [_open_text(tool, "parameters") for tool in fields["tools"]]
    return _open_text(fields, "chat_template_kwargs")


def _open_text(holder: Any, name: str) -> dict[str, Any]:
    """The object with the JSON in the text of a member, if it has that."""
    if not isinstance(holder, Mapping):
        raise ValueError(f"what has {name} should be an object")
    if name not in holder:
        return dict(holder)
    text = holder[name]
    value = parse_strictly(text) if isinstance(text, str) else None
    if not isinstance(text, str) or _to_text(value) != text:
        raise ValueError(f"{name} should be JSON as text, without spaces")
    return {**holder, name: value}


def _to_text(value: Any) -> str:
    """JSON with its order and its kinds of numbers."""
    return json.dumps(value, separators=(",", ":"))


def parse_strictly(text: str | bytes) -> Any:
    """Parse JSON whose objects have no name twice. Raises ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_make_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a name twice")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
