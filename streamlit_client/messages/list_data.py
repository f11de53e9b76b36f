"""A turn as the list of messages draws it: plain data, without Markdown of Streamlit's."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import (
    EMPTY_ANSWER,
    REPEATED_ANSWER,
    describe_progress,
    describe_reasoning,
    describe_truncation,
    explain_error,
    format_statistics,
)
from triton_server.conversations.tree import Attachment

PENDING = "pending"  # the key of a question that the store does not have
MAX_SHOWN = 20_000  # characters of a file
_MAX_OTHERS = 5  # models in the menu of a turn
_MAX_LABEL = 40  # characters of a file's name
_MARK = re.compile(r"\[(\d{1,3})\]")
_THUMBS = {1: "up", -1: "down"}  # of ratings


@dataclass(frozen=True)
class Surroundings:
    """What a list has to know beside a turn itself.

    Attributes:
        models: the names of the models that could answer.
        siblings: the ids of the turns in its place, itself included, the oldest first.
        rating: 1, 0 or -1; None: the store does not have the turn, so it cannot be rated.
        is_repeated: whether an earlier turn in its place has the same question and answer.
        names_model: whether its model is named where it is the only one, too.
    """

    models: Sequence[str] = ()
    siblings: Sequence[int] = ()
    rating: int | None = None
    is_repeated: bool = False
    names_model: bool = False


def describe_turn(turn: Turn, around: Surroundings) -> dict[str, Any]:
    """A turn as JSON can have it. Places in texts count UTF-16 units, as browsers do."""
    is_running = not turn.finished.is_set()
    is_continued = turn.is_continuation and bool(turn.text)
    return {
        "key": key_of(turn),
        "question": _describe_question(turn),
        "reasoning": turn.reasoning,
        "reasoning_label": describe_reasoning(turn) if turn.reasoning else "",
        "text": turn.shown_text,
        "shows_answer": True,
        "copy_from": count_units(turn.question) if is_continued else 0,
        "is_running": is_running,
        "notes": [describe_progress(turn)] if is_running else _describe_end(turn, around),
        "error": None if turn.error is None else "\n\n".join(explain_error(turn.error)),
        "sources": _describe_sources(turn),
        "calls": [
            {
                "name": call.name,
                "arguments": _format_json(call.arguments),
                "result": turn.results.get(call.id),
            }
            for call in turn.tool_calls
        ],
        "branches": _describe_branches(turn, around.siblings),
        "thumb": _describe_thumb(turn, around.rating),
        "actions": _list_actions(turn),
        "others": _other_models(turn, around.models),
    }


def describe_question(question: str) -> dict[str, Any]:
    """A question as a turn without an answer, for a list of its own above several answers."""
    alone = {"shows_answer": False, "is_running": False, "notes": []}
    return {**describe_turn(Turn(question), Surroundings()), **alone}


def key_of(turn: Turn) -> str:
    """What names a turn in its list."""
    return PENDING if turn.id is None else str(turn.id)


def passages_of(turn: Turn) -> list[Attachment]:
    """The passages that were found for a question, in the order of their numbers."""
    return [file for file in turn.attachments if file.place is not None]


def count_units(text: str) -> int:
    """The length of a text in a browser, in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def _describe_question(turn: Turn) -> dict[str, Any] | None:
    """A question with its files; None for a turn that goes on after results of tools."""
    if not (turn.question or turn.attachments):
        return None
    files = [_describe_file(file) for file in turn.attachments if file.place is None]
    return {"text": turn.question, "files": files}


def _describe_file(file: Attachment) -> dict[str, Any]:
    details = [] if file.tokens is None else [f"{file.tokens:,} tokens"]
    if len(file.text) > MAX_SHOWN:
        details.append(f"the first {MAX_SHOWN:,} of {len(file.text):,} characters")
    return {
        "name": file.name,
        "detail": " · ".join(details),
        "image": file.image,
        "text": None if file.image is not None else file.text[:MAX_SHOWN],
    }


def _describe_end(turn: Turn, around: Surroundings) -> list[str]:
    """What stands under an answer that has ended: what is missing, its model, its figures."""
    if turn.error is not None:
        return []
    is_empty = turn.answer is not None and not turn.has_answer
    model = str(turn.parameters.get("model", "")) if around.names_model or len(around.models) > 1 else ""
    figures = " · ".join(filter(None, (model, format_statistics(turn))))
    same = REPEATED_ANSWER if around.is_repeated and turn.parameters.get("temperature") == 0 else ""
    notes = EMPTY_ANSWER if is_empty else "", same, describe_truncation(turn), figures
    return [note for note in notes if note]


def _describe_sources(turn: Turn) -> list[dict[str, Any]]:
    """The passages of an answer by their numbers, and which of them it cites."""
    cited = {int(number) for number in _MARK.findall(turn.text)}
    sources = []
    for number, passage in enumerate(passages_of(turn), 1):
        name = passage.name if len(passage.name) <= _MAX_LABEL else f"{passage.name[: _MAX_LABEL - 1]}…"
        where = f"{name} · {passage.place}" if passage.place else name
        sources.append(
            {
                "number": number,
                "label": where,
                "title": f"{passage.name} {passage.place or ''}".strip(),
                "text": passage.text,
                "is_cited": number in cited,
            }
        )
    return sources


def _describe_branches(turn: Turn, siblings: Sequence[int]) -> dict[str, int] | None:
    if turn.id is None or len(siblings) < 2:
        return None
    return {"place": siblings.index(turn.id) + 1, "count": len(siblings)}


def _describe_thumb(turn: Turn, rating: int | None) -> str | None:
    return None if rating is None or not turn.has_answer else _THUMBS.get(rating, "")


def _list_actions(turn: Turn) -> list[str]:
    """What the menu of a turn has; nothing for one that the store does not have."""
    if turn.id is None:
        return []
    has_ended = turn.finished.is_set()
    can = {
        "edit": bool(turn.question),
        "tokens": bool(turn.text) and has_ended,
        "again": True,
        "again_with": bool(turn.question),
        "back": True,
        "receipt": turn.receipt is not None and has_ended,
    }
    return [name for name, is_possible in can.items() if is_possible]


def _other_models(turn: Turn, models: Sequence[str]) -> list[str]:
    """The names of the models that could answer instead; not all of a server that has very many."""
    return [name for name in models if name != turn.parameters.get("model")][:_MAX_OTHERS]


def _format_json(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text  # as the model has written it
