"""What clients took from other services: files, and parts of conversations that are not known here."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

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
