"""What a person does in the list of messages, as it comes from the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LIST = "messages"  # the key of the list in the session


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_nothing(value: Any) -> bool:
    return value is None


# What can be done, and the values that it may have.
_VALUES: dict[str, Callable[[Any], bool]] = {
    "edit": _is_text,  # the new question
    "again": _is_nothing,
    "again_with": _is_text,  # the name of a model
    "back": _is_nothing,
    "branch": lambda value: type(value) is int and value in (-1, 1),  # a step
    "thumb": lambda value: _is_text(value) and value in ("up", "down", ""),
    "tokens": _is_nothing,
    "receipt": _is_nothing,
}


@dataclass(frozen=True)
class Action:
    """What a person has chosen for a turn.

    Attributes:
        chat: the list that was shown, see `show_list`.
        turn: the id of the turn.
        name: what is to be done, one of `_VALUES`.
        value: how, as `_VALUES` says.
    """

    chat: str
    turn: int
    name: str
    value: str | int | None = None


def read_action(session: Mapping[Any, Any]) -> Action | None:
    """What a person has chosen since the last run; None if that is nothing that the list sends."""
    shown = session.get(LIST)
    sent = shown.get("action") if isinstance(shown, Mapping) else None
    if not isinstance(sent, Mapping):
        return None
    chat, key, name, value = (sent.get(field) for field in ("chat", "key", "name", "value"))
    if not (isinstance(chat, str) and isinstance(key, str) and isinstance(name, str) and name in _VALUES):
        return None
    if not (key.isascii() and key.isdecimal()):  # a question that the store does not have has another key
        return None
    return Action(chat, int(key), name, value) if _VALUES[name](value) else None
