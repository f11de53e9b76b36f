"""What requests have beside plain texts: files, and parts of conversations that are not known here."""

import asyncio
import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import Request

from model_core.errors import InvalidRequest

from .errors import unsupported

# Fields that say nothing to a model, at any depth.
_SILENT = {
    *("type", "id", "call_id", "tool_use_id", "status", "created_by", "caller", "signature", "citations"),
    *("cache_control", "encrypted_content", "encrypted_index", "encrypted_stdout"),
}
_NO_TEXT = ("data:image/", "data:audio/", "data:video/", "data:application/pdf")
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def read_text_file(data: Any) -> str | None:
    """The text of a file that is sent as base64 or as a data URL; None if it is no text in UTF-8."""
    if not isinstance(data, str):
        return None
    head, comma, rest = data.partition(",")
    is_url = data.startswith("data:") and bool(comma) and head.endswith(";base64")
    if is_url and head.startswith(_NO_TEXT):
        return None
    try:
        text = base64.b64decode(rest if is_url else data, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return None if text.startswith("%PDF-") else text


async def read_stored_file(request: Request, file_id: str, param: str, limit: int, flag: str) -> bytes:
    """The bytes of a file of the request's owner.

    Raises FileNotFound, InvalidRequest if it has more bytes than the `limit` of a `flag` or is on another
    machine, or StoreError. `param` is the field that names it.
    """
    files = request.app.state.files
    stored = await asyncio.to_thread(files.get, request.state.owner, file_id, param)
    if stored.bytes > limit:
        raise InvalidRequest(f"{param} has {stored.bytes} bytes, but {limit} are the limit ({flag}).", param)
    try:
        data: bytes = await asyncio.to_thread(files.path(stored.id).read_bytes)
    except FileNotFoundError:
        raise InvalidRequest(
            f"{param} is not on this machine: it was uploaded to another service with the same database.",
            param,
        ) from None
    return data


async def read_stored_texts(request: Request, named: Iterable[tuple[str, str]]) -> list[str]:
    """The texts of files, of each the field that names it and its id. Together they may be as long as a body.

    Raises as `read_stored_file`, and ApiError for a file that is no text.
    """
    texts, limit = [], request.app.state.settings.body_limit.plain_bytes
    for param, file_id in named:
        data = await read_stored_file(request, file_id, param, limit, "--max-body, of all together")
        limit -= len(data)
        text = read_text_file(base64.b64encode(data).decode())
        if text is None:
            raise unsupported(
                param,
                f"{param} is no text in UTF-8; a vector store reads PDF, docx and xlsx.",
            )
        texts.append(text)
    return texts


def describe_part(kind: str, fields: Mapping[str, Any]) -> str:
    """A part of a kind that this service does not know, as text; "" if it says nothing."""
    said = _without_silent(fields)
    return f"{kind}: {json.dumps(said, ensure_ascii=False)}" if said not in _EMPTY else ""


def _without_silent(value: Any) -> Any:
    """A value without what is encrypted, pictures, and fields that say nothing."""
    if isinstance(value, list):
        return [said for each in value if (said := _without_silent(each)) not in _EMPTY]
    if not isinstance(value, Mapping):
        return value
    if value.get("type") == "base64" or "image_url" in value:
        return None
    members = {name: _without_silent(each) for name, each in value.items() if name not in _SILENT}
    return {name: each for name, each in members.items() if each not in _EMPTY}
