"""The answers that run in this process, for all its visitors, and how they are kept in the store.

An answer runs in a thread of this process, not of a session: so it goes on when its visitor reloads the page
or leaves, and every tab that shows its conversation shows it as it comes. It is kept every two seconds and at
its end. If the server is away then, this process holds the text and tries again until the server is back.
"""

import logging
import time
from functools import partial
from typing import Any

from model_core.errors import ShuttingDown, TritonchatError
from model_core.requests.messages import ToolCall
from triton_server.client.chat_client import Answer
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import StoreConflict, StoreError
from triton_server.contract.wire import ServerUnavailable
from triton_server.conversations import tree

from ..shared.conversation import Turn

LOGGER = logging.getLogger(__name__)

_RETRY_S, _MAX_RETRY_S = 0.5, 30.0  # the first and the longest pause between two attempts
_GIVE_UP_AFTER_S = 24 * 3600.0
_PASSING = (ServerUnavailable, ShuttingDown, StoreError, StoreConflict)

# By the ids of the conversation and of the turn: answers that run, or whose end is not kept yet.
_RUNNING: dict[tuple[str, int], Turn] = {}


def find_running(conversation: str) -> dict[int, Turn]:
    """The running answers of a conversation, by the ids of their turns."""
    return {turn: running for (owner, turn), running in list(_RUNNING.items()) if owner == conversation}


def attach_keeper(turn: Turn, conversations: Conversations, conversation: str) -> None:
    """Let the answer of a turn, which the store has, be kept in it. Call it before the answer starts."""
    assert turn.id is not None
    turn.keep = partial(_keep, conversations, conversation)
    _RUNNING[conversation, turn.id] = turn


def restore(stored: tree.Turn) -> Turn:
    """A turn of the store as one that has ended."""
    # What was imported from a file may have values of any type in these objects.
    calls = [{name: str(value) for name, value in call.items()} for call in stored.tool_calls]
    calls = [{"id": str(place), "name": "?", "arguments": ""} | call for place, call in enumerate(calls)]
    turn = Turn(
        stored.question,
        parameters=stored.parameters,
        text=stored.answer,
        reasoning=stored.reasoning,
        tool_calls=[
            ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"]) for call in calls
        ],
        results={call["id"]: call["result"] for call in calls if "result" in call},
        attachments=stored.attachments,
        id=stored.id,
        parent=stored.parent,
        receipt=stored.receipt,
        is_started=True,
        is_continuation=bool(stored.parameters.get("is_continuation")),
        reasoning_s=_estimate_reasoning(_numbers(stored.usage), _numbers(stored.timings)),
    )
    turn.finished.set()
    if stored.finish_reason is not None or stored.usage is not None:
        details = {
            "finish_reason": stored.finish_reason or "cancelled",
            "usage": _numbers(stored.usage),
            "timings": _numbers(stored.timings),
            "seed": stored.parameters.get("seed"),
        }
        turn.answer = Answer(stored.answer, details)
    turn.is_stopped = stored.finish_reason == "cancelled"
    return turn


def _estimate_reasoning(usage: dict[str, Any], timings: dict[str, Any]) -> float | None:
    """Seconds that the reasoning of an answer took, by its share of the tokens; None without reasoning."""
    share = usage.get("reasoning_tokens", 0) / max(usage.get("completion_tokens", 0), 1)
    return timings["total"] * share if share and "total" in timings else None


def _numbers(fields: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (fields or {}).items() if type(value) in (int, float)}


def describe_calls(turn: Turn) -> list[dict[str, Any]]:
    """The tool calls of a turn as the store keeps them, with their results."""
    return [
        {**call.model_dump(), **({"result": turn.results[call.id]} if call.id in turn.results else {})}
        for call in turn.tool_calls
    ]


def _keep(conversations: Conversations, conversation: str, turn: Turn, is_final: bool) -> None:
    """Keep what a turn has. The last time, try until the server is there; before, once is enough."""
    assert turn.id is not None
    begin, pause = time.monotonic(), _RETRY_S
    try:
        while _RUNNING.get((conversation, turn.id)) is turn:  # another request may continue the answer
            try:
                conversations.change_turn(conversation, turn.id, **_describe(turn, is_final))
                return
            except _PASSING:
                if not is_final or time.monotonic() - begin > _GIVE_UP_AFTER_S:
                    return
            except TritonchatError as error:  # it was deleted, or the store is full
                LOGGER.warning("An answer is not kept: %s", error)
                return
            time.sleep(pause)
            pause = min(2 * pause, _MAX_RETRY_S)
    finally:
        if is_final and _RUNNING.get((conversation, turn.id)) is turn:
            del _RUNNING[conversation, turn.id]


def _describe(turn: Turn, is_final: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "answer": turn.text,
        "reasoning": turn.reasoning,
        "tool_calls": describe_calls(turn),
    }
    if is_final and turn.is_stopped:
        fields["finish_reason"] = "cancelled"
    if is_final and turn.answer is not None:
        answer = turn.answer
        fields |= {
            "finish_reason": answer.finish_reason,
            "usage": answer.usage,
            "timings": answer.timings,
        }
    if is_final and turn.receipt is not None:  # an older server knows no such field
        fields["receipt"] = turn.receipt
    return fields
