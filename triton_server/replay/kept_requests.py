"""Requests of the conversations that a server keeps, as lines of a batch.

A server gives the conversations of the owner of an API key to that key alone, so nobody compares with what
another one has written.
"""

from collections.abc import Iterator
from typing import Any

from model_core.errors import TritonchatError
from model_core.requests.messages import ChatFields
from model_core.requests.sampling import SamplingFields

from ..api.batches.lines import MAX_LINES, BatchLine
from ..contract.request_fields import Request
from ..conversations.tree import Conversation, Turn, join_question
from ..terminal.service import ServiceClient, ServiceError
from .answers import prepare_body
from .request_lines import Found, set_models, to_line

PATH = "/conversations"  # of a server, with which REQUESTS ends
NOT_ENDED = "answers were cut off, or have not ended"
NOT_COMPARABLE = "requests have what cannot be compared"

_ENDED = ("stop", "length", "tool_calls")
_FIELDS = {*SamplingFields.model_fields, *ChatFields.model_fields}
_OTHERS = {"model", "seed", "is_continuation"}  # of the parameters of a turn, with a meaning of their own
_SHOWN = {"return_token_ids", "logprobs", "prompt_logprobs"}  # what an answer shows


def read_kept(service: ServiceClient, since: float = 0.0) -> Found:
    """The requests of the conversations that the key may read, those since then, in seconds since 1970.

    Each turn of each branch was a request, with all that came before it. It is made again of what is kept:
    with the system prompt that the conversation has now. Raises TritonchatError.
    """
    lines: list[BatchLine] = []
    names: list[str | None] = []
    left_out = {NOT_ENDED: 0, NOT_COMPARABLE: 0}
    for conversation in _read_conversations(service, since):
        for turn in conversation.turns:
            if turn.created < since:
                continue
            if turn.finish_reason not in _ENDED:
                left_out[NOT_ENDED] += 1
                continue
            try:
                line = _to_line(conversation, turn)
                prepare_body(line, "")
            except (ValueError, TypeError, KeyError, TritonchatError):  # files of people may have anything
                left_out[NOT_COMPARABLE] += 1
                continue
            if len(lines) == MAX_LINES:
                raise TritonchatError(
                    f"{service.url} keeps more than {MAX_LINES} requests; choose some by their age (--since)."
                )
            lines.append(line)
            names.append(turn.parameters.get("model"))
    first = service.list_models()[0]["id"]
    if any(name not in (None, first) for name in names):
        set_models(lines, names)
    return Found(lines, left_out)


def _read_conversations(service: ServiceClient, since: float) -> Iterator[Conversation]:
    for summary in service.iterate_conversations(since):
        try:
            yield service.get_conversation(summary.id)
        except ServiceError as error:
            if error.status != 404:  # it was deleted meanwhile
                raise


def _to_line(conversation: Conversation, turn: Turn) -> BatchLine:
    """The request of a turn. Raises ValueError, TypeError, KeyError or InvalidRequest."""
    given = {name: value for name, value in turn.parameters.items() if name not in _SHOWN | _OTHERS}
    if unknown := given.keys() - _FIELDS:
        raise ValueError(f"the turn has the unknown parameter {min(unknown)}")
    if (turn.usage or {}).get("truncated_messages"):  # it was asked for, and is no choice of the person
        given["truncation"] = "auto"
    messages: Any = join_question(turn.question, turn.attachments)
    if not turn.parameters.get("is_continuation"):
        messages = _list_messages(conversation, turn)
    fields = {"messages": messages, **given}
    seed = turn.parameters.get("seed")
    seed = 0 if seed is None else seed
    Request(**{**fields, "seed": seed})
    return to_line(f"{conversation.id}/{turn.id}", fields, seed)


def _list_messages(conversation: Conversation, turn: Turn) -> list[dict[str, Any]]:
    """The messages before the answer of a turn, as the page sends them."""
    system = (conversation.system or "").strip()
    messages: list[dict[str, Any]] = [{"role": "system", "content": conversation.system}] if system else []
    *earlier, last = conversation.path(turn.id)
    for each in earlier:
        results = [call for call in each.tool_calls if "result" in call]
        if each.answer or results:
            messages += [*_question(each), _answer(each, results)]
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": call["result"]} for call in results
            ]
    return messages + _question(last)


def _question(turn: Turn) -> list[dict[str, Any]]:
    """The message of a question; none if the turn goes on after the results of tools."""
    return [{"role": "user", "content": turn.prompt}] if turn.prompt else []


def _answer(turn: Turn, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """The message of an answer, with the calls that have results."""
    message: dict[str, Any] = {"role": "assistant"}
    if turn.answer or not calls:
        message["content"] = turn.answer
    if turn.reasoning:
        message["reasoning"] = turn.reasoning
    if calls:
        message["tool_calls"] = [{name: call[name] for name in ("id", "name", "arguments")} for call in calls]
    return message
