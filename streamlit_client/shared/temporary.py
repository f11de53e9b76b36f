"""Temporary conversations: a session of the page has them in its memory, and no store.

They are reached by the same calls as those of the server, so that nothing else has to tell them apart.
"""

import copy
import secrets
import threading
import time
from typing import Any

from triton_server.client.conversations import Conversations
from triton_server.conversations.tree import Conversation, conversation_from_json, make_title

_ID_BYTES = 16  # it is also the salt of what the server caches


class TemporaryStore:
    """The temporary conversations of a session. Its methods may be called from several threads."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def __contains__(self, conversation_id: object) -> bool:
        return conversation_id in self._kept

    def create(self, title: str, system: str | None, parameters: dict[str, Any]) -> dict[str, Any]:
        """Create a conversation; return its fields, those of `tree.Conversation`."""
        made_id, now = secrets.token_hex(_ID_BYTES), time.time()
        made: dict[str, Any] = {"title": title, "system": system, "parameters": parameters}
        made |= {"id": made_id, "head": None, "version": 1, "turns": [], "created": now, "updated": now}
        self._kept[made_id] = made
        return copy.deepcopy(made)

    def run(self, command: str, conversation_id: str, fields: dict[str, Any]) -> Any:
        """What the store of the server answers to a command about one conversation."""
        with self._lock:
            kept = self._kept[conversation_id]
            turns = kept["turns"]
            if command == "change":
                kept.update(fields)
            elif command == "change_turn":
                turns[fields.pop("turn") - 1].update(fields)
            elif command == "add_turn":
                turns.append({"id": len(turns) + 1, "created": time.time(), **fields})
                kept["head"] = len(turns)
                kept["title"] = kept["title"] or make_title(fields["question"])
                return len(turns)
            return copy.deepcopy(kept)


class PageConversations(Conversations):
    """A visitor's conversations: those of the server, and the temporary ones of the session."""

    def __init__(self, kept: Conversations, temporary: TemporaryStore) -> None:
        super().__init__(kept._ask, kept.owner)
        self._temporary = temporary

    def create_temporary(self, title: str, system: str | None, parameters: dict[str, Any]) -> Conversation:
        """Create a conversation that ends with the session."""
        return conversation_from_json(self._temporary.create(title, system, parameters))

    def _run(self, command: str, **fields: Any) -> Any:
        if fields.get("id") in self._temporary:
            return self._temporary.run(command, fields.pop("id"), fields)
        return super()._run(command, **fields)
