"""Whether a hash is that of a beginning of an answer, in time that grows with its length alone."""

import hashlib
from collections.abc import Sequence

from model_core.requests.messages import ToolCall

from .canonical import to_canonical


def begins_with(text: str, wanted: str) -> bool:
    """Whether a text, or one of its beginnings, has this SHA-256."""
    return _is_found(hashlib.sha256(), text, b"", wanted)


def calls_begin_with(calls: Sequence[ToolCall], wanted: str) -> bool:
    """Whether `receipt.hash_calls` gives this for calls of which the last may be missing or cut off."""
    total = hashlib.sha256(b"[")
    for call in calls:
        # In canonical JSON the arguments come first.
        end = b'","id":%b,"name":%b}' % (to_canonical(call.id), to_canonical(call.name))
        total.update(b'{"arguments":"')
        if _is_found(total.copy(), to_canonical(call.arguments)[1:-1].decode(), end + b"]", wanted):
            return True
        total.update(to_canonical(call.arguments)[1:-1] + end + b",")
    return False


def _is_found(total: "hashlib._Hash", text: str, end: bytes, wanted: str) -> bool:
    """Whether some beginning of a text, after what `total` has and before `end`, has this hash."""
    for character in ("", *text):
        total.update(character.encode("utf-8", "surrogatepass"))
        found = total.copy()
        found.update(end)
        if found.hexdigest() == wanted:
            return True
    return False
