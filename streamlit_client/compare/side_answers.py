"""The answer of a side as its list gets it. While the names of the sides are hidden, it tells none."""

from typing import Any

from streamlit_client.messages.list_data import Surroundings, describe_turn
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_progress

NAMES_LATER = "The names are shown after your vote."


def describe_side(turn: Turn, has_names: bool) -> dict[str, Any]:
    """An answer as `describe_turn` has it, without its question, which stands above both sides."""
    shown = {**describe_turn(turn, Surroundings()), "question": None}
    if not has_names and shown["error"] is None:
        shown["notes"] = [describe_nameless(turn) if shown["is_running"] else NAMES_LATER]
    return shown


def describe_nameless(turn: Turn) -> str:
    """What a running answer is doing, without the name of a model that is being loaded."""
    return describe_progress(turn) if turn.progress is None else "loading …"
