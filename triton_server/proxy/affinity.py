"""Which requests belong together: of a session, or of a conversation whose prefix a server has cached."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_MAX_LENGTH = 1024  # of the beginning of a raw prompt, in characters or tokens
# What follows these in a path is the id of a session, which a conversation is, too.
_SESSION_PATHS = ("sessions", "conversations", "generate", "revert", "removeSession")
_NEW_SESSION_PATHS = ("sessions", "createSession")


def read_fields(path: str, body: bytes) -> dict[str, Any]:
    """The JSON object in a body; empty if there is none, which the server will refuse.

    Of POST /createSession, another body is the id of the session.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    return {"id": body.decode(errors="replace")} if path == "/createSession" and body else {}


def find_key(path: str, fields: Mapping[str, Any]) -> str | None:
    """A text that requests with the same beginning share; None if there is no beginning.

    For a conversation it is that of the model with the messages up to the first one of the user, however
    long what the system says before it; for a raw prompt that of its first characters, for a session its
    id, for a saved prompt its name. `fields`: of the body.
    """
    first, *more = path.strip("/").split("/")
    if first in _NEW_SESSION_PATHS and not more:
        return f"session {fields['id']}" if fields.get("id") else None
    if first in _SESSION_PATHS:
        return f"session {more[0]}" if more else None
    if (first, *more[:1]) == ("v1", "prompts"):
        name = more[1] if more[1:] else fields.get("name")
        return f"prompt {name}" if name else None
    beginning = _find_beginning(fields)
    if beginning is None:
        return None
    text = json.dumps([fields.get("model"), fields.get("system"), fields.get("tools"), beginning])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _find_beginning(fields: Mapping[str, Any]) -> Any:
    messages = fields.get("messages", fields.get("input"))
    if not isinstance(messages, list):
        prompt = fields.get("prompt", messages)
        return prompt[:_MAX_LENGTH] if isinstance(prompt, str | list) else None
    first = next(
        (n for n, one in enumerate(messages) if isinstance(one, dict) and one.get("role") == "user"), 0
    )
    return messages[: first + 1]
