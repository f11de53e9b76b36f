"""Rearranges messages for chat templates that refuse some orders.

The messages are shaped already, see chat/conventions.py.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

Shaped = dict[str, Any]


def join_neighbours(messages: Iterable[Shaped], roles: Sequence[str]) -> list[Shaped]:
    """Messages of one of the roles that follow each other become one, with an empty line between texts."""
    joined: list[Shaped] = []
    for message in messages:
        if joined and message["role"] in roles and joined[-1]["role"] == message["role"]:
            joined[-1] = _join(joined[-1], message)
        else:
            joined.append(message)
    return joined


def join_head(messages: list[Shaped], roles: Sequence[str]) -> list[Shaped]:
    """The messages of the roles at the start become one message of the role system."""
    head = list(itertools.takewhile(lambda message: message["role"] in roles, messages))
    text = "\n\n".join(filter(None, (message["content"] for message in head)))
    return [{**head[0], "role": "system", "content": text}, *messages[len(head) :]] if head else messages


def split_calls(messages: Sequence[Shaped]) -> list[Shaped]:
    """Messages with several calls become one message a call, with the results of the call after it."""
    split: list[Shaped] = []
    rest = list(messages)
    while rest:
        message = rest.pop(0)
        calls = message.get("tool_calls", ())
        if len(calls) < 2:
            split.append(message)
            continue
        results = list(itertools.takewhile(lambda result: result["role"] == "tool", rest))
        del rest[: len(results)]
        for call in calls:
            split.append({**message, "tool_calls": [call]})
            split += [result for result in results if result.get("tool_call_id") == call["id"]]
            message = {"role": message["role"], "content": message["content"] and ""}
        ids = [call["id"] for call in calls]
        split += [result for result in results if result.get("tool_call_id") not in ids]
    return split


def end_turns(messages: Iterable[Shaped]) -> list[Shaped]:
    """The messages, with an empty answer where the user goes on after calls or their results."""
    ended: list[Shaped] = []
    for message in messages:
        previous = ended[-1] if ended else message
        if message["role"] == "user" and (previous["role"] == "tool" or previous.get("tool_calls")):
            ended.append({"role": "assistant", "content": ""})
        ended.append(message)
    return ended


def leave_out_empty_answers(messages: Iterable[Shaped]) -> list[Shaped]:
    """The messages without those of the assistant that have neither text nor calls."""
    return [
        message
        for message in messages
        if message["role"] != "assistant" or message["content"] or message.get("tool_calls")
    ]


def _join(first: Shaped, second: Shaped) -> Shaped:
    joined = {**first, **second}
    for name in joined.keys() - {"role", "name"}:
        values = [message[name] for message in (first, second) if message.get(name)]
        if len(values) == 2:
            joined[name] = values[0] + values[1] if name == "tool_calls" else "\n\n".join(values)
        else:
            joined[name] = values[0] if values else second.get(name)
    return joined
