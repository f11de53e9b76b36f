"""Which requests belong together: those of one conversation, whose prefix a server has in its cache."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_MAX_LENGTH = 1024  # of the beginning of a raw prompt, in characters or tokens
_SESSION_PATHS = ("sessions", "conversations")


def find_key(path: str, fields: Mapping[str, Any]) -> str | None:
    """A text that requests with the same beginning share; None if there is no beginning.

    For a conversation it is that of the model with the messages up to the first one of the user, however
    long what the system says before it; for a raw prompt that of its first characters, for a session its
    id. `fields`: of the body.
    """
    parts = path.strip("/").split("/")
    for name in _SESSION_PATHS:
        if name in parts[:-1]:
            return f"{name} {parts[parts.index(name) + 1]}"
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
