"""Streams with ids that are cut after each event, and go on with an answer that comes in other pieces."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    Reasoning,
    Text,
    Timings,
    TokenIds,
    ToolCallDelta,
    Usage,
)
from triton_server.api.anthropic.render import render_events as render_anthropic
from triton_server.api.openai import chat_answers, completions
from triton_server.api.openai.render import render_events as render_openai
from triton_server.api.resumption.event_id import Counts, Origin, Place, read_id
from triton_server.api.resumption.resumed import Resumed

ORIGIN = Origin("0123456789abcdef", "fp_" + "a" * 32, 7, 1_700_000_000_000_000)
DONE = Done("tool_calls", Usage(5, 9, 4), Timings(0.1, 0.2, 0.3), 7)
Render = Callable[[Any, Resumed], AsyncGenerator[bytes, None]]


def entry(text: str) -> dict[str, Any]:
    return {"token": text, "token_id": ord(text[0]), "logprob": -0.5, "top_logprobs": []}


# An answer as its smallest parts: texts of tokens, and parts of calls. The token that ends it has no text.
PLAIN: list[Event] = [Text(text) for text in ("Su", "re", ". ", "Wä", "it", "\n\n", "🙂", "!", "")]
CALLS: list[Event] = [
    *map(Reasoning, ("A ", "sum", ", ")),
    *map(Text, ("We ", "add", ".")),
    ToolCallDelta(0, "c1", "add"),
    *(ToolCallDelta(0, arguments=part) for part in ('{"a"', ": 1", "}")),
    ToolCallDelta(1, "c2", "now", "{}"),
    *map(Reasoning, ("Do", "ne")),
    *map(Text, ("Good", "bye")),
]


def pieces_of(parts: list[Event], chance: random.Random, has_tokens: bool) -> Iterator[Event]:
    """The answer in pieces as they come, with log probabilities and ids of its texts if it `has_tokens`."""
    place, is_first = 0, True
    while place < len(parts):
        count = chance.randint(1, 4)
        told, place = parts[place : place + count], place + count
        if chance.random() < 0.3:
            yield Accepted()
        if has_tokens:
            tokens = [str(getattr(part, "text", part)) or "</s>" for part in told]
            yield Logprobs([entry(token) for token in tokens])
            yield TokenIds([ord(token[0]) for token in tokens], [1, 2, 3] if is_first else None)
            is_first = False
        if chance.random() < 0.2:
            yield Text("")  # their text is not known yet
        yield from join([part for part in told if part != Text("")])
    yield DONE


def join(parts: list[Event]) -> Iterator[Event]:
    last: Any = None
    for part in parts:
        match last, part:
            case (Text(), Text(text)) | (Reasoning(), Reasoning(text)):
                last = replace(last, text=last.text + text)
            case ToolCallDelta(), ToolCallDelta(name=None):
                last = replace(last, arguments=last.arguments + part.arguments)
            case _:
                if last is not None:
                    yield last
                last = part
    if last is not None:
        yield last


def chats(events: Any, resumed: Resumed) -> AsyncGenerator[bytes, None]:
    return render_openai(events, 1, 1, chat_answers.FORMAT, "tiny", "fp", True, resumed.origin)


def texts(events: Any, resumed: Resumed) -> AsyncGenerator[bytes, None]:
    return render_openai(events, 1, 1, completions.FORMAT, "tiny", "fp", True, resumed.origin)


def messages(events: Any, resumed: Resumed) -> AsyncGenerator[bytes, None]:
    return render_anthropic(events, "tiny", f"msg_{resumed.origin.answer_name}", "id_1")


def stream(render: Render, events: Iterator[Event], after: str | None = None) -> list[tuple[str, Any]]:
    """The ids of events, "" for those without, and their data."""

    async def number() -> AsyncGenerator[tuple[int, Event], None]:
        for event in events:
            yield 0, event

    async def read() -> bytes:
        resumed = Resumed(ORIGIN, None) if after is None else Resumed(*read_id(after))
        parts = resumed.stamp(render(resumed.cut(number()), resumed))
        return b"".join([part async for part in parts])

    found = []
    for piece in asyncio.run(read()).decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in piece.split("\n"))
        data = fields.get("data", "")
        found.append((fields.get("id", ""), json.loads(data) if data.startswith("{") else data))
    return found


def add_up(told: list[tuple[str, Any]]) -> Any:
    """All that a client knows after a stream: texts and lists are joined, others come once."""
    grown: dict[Any, Any] = {}
    once: list[Any] = []
    for _, data in told:
        if not isinstance(data, dict):
            once += [data] if data else []
        elif "choices" in data:
            _add_chunk(data, grown, once)
        elif data["type"] == "content_block_delta":
            kind, text = data["delta"].values()
            grown[data["index"], kind] = grown.get((data["index"], kind), "") + text
        elif data["type"] != "ping":
            once.append(data)
    return grown, once


def _add_chunk(chunk: dict[str, Any], grown: dict[Any, Any], once: list[Any]) -> None:
    for name in ("id", "created", "model", "object"):
        assert grown.setdefault(name, chunk[name]) == chunk[name]
    once += [chunk["usage"]] if chunk["usage"] else []
    for name in chunk.keys() & {"prompt_token_ids"}:
        once.append(chunk[name])
    for choice in chunk["choices"]:
        delta = dict(choice.get("delta", {"text": choice.get("text", "")}))
        once += [choice[name] for name in ("finish_reason", "prompt_token_ids") if choice.get(name)]
        grown["ids"] = grown.get("ids", []) + choice.get("token_ids", [])
        for name, values in (choice["logprobs"] or {}).items():
            grown["logprobs", name] = grown.get(("logprobs", name), []) + (values or [])
        for call in delta.pop("tool_calls", ()):
            function = call["function"]
            once += [(call["index"], call["id"], function["name"])] if "id" in call else []
            key = "call", call["index"]
            grown[key] = grown.get(key, "") + function["arguments"]
        for name, text in delta.items():
            if name == "role":
                once.append(text)
            elif text is not None:
                grown[name] = grown.get(name, "") + text


@pytest.mark.parametrize(
    ("render", "parts", "has_tokens"),
    [
        (chats, CALLS, False),
        (chats, PLAIN, True),
        (chats, CALLS, True),
        (texts, PLAIN, True),
        (messages, CALLS, False),
    ],
)
def test_stream_goes_on_after_each_event(render: Render, parts: list[Event], has_tokens: bool) -> None:
    chance = random.Random(1)
    for _ in range(6):
        whole = stream(render, pieces_of(parts, chance, has_tokens))
        expected = add_up(whole)
        given = [number for number, (event_id, _) in enumerate(whole) if event_id]
        assert len({whole[number][0] for number in given}) == len(given)
        for number in given:
            rest = stream(render, pieces_of(parts, chance, has_tokens), whole[number][0])
            assert add_up(whole[: number + 1] + rest) == expected
            if has := [event_id for event_id, _ in rest if event_id]:  # it breaks once more
                last = chance.choice(has)
                seen = rest[: 1 + [event_id for event_id, _ in rest].index(last)]
                again = stream(render, pieces_of(parts, chance, has_tokens), last)
                assert add_up(whole[: number + 1] + seen + again) == expected


def test_ids_of_the_same_places_do_not_depend_on_pieces() -> None:
    first, second = (
        {event_id for event_id, _ in stream(messages, pieces_of(CALLS, random.Random(seed), False))}
        for seed in (1, 2)
    )
    assert len(first & second) > 5


def test_other_answer_is_noticed() -> None:
    (event_id, _) = stream(chats, iter([Text("One"), Text(" two"), DONE]))[1]
    for other in ([Text("Two two"), DONE], [Text("On"), DONE], [Reasoning("One"), DONE]):
        (told,) = stream(chats, iter(other), event_id)
        assert told[1]["error"]["code"] == "unknown_event_id"
    assert next(data for _, data in stream(messages, iter([Text("Two two")]), event_id))["type"] == "error"


def test_answer_that_ends_before_the_place_is_noticed() -> None:
    whole = stream(chats, iter([Text("One"), DONE]))
    end = next(event_id for event_id, data in whole if data["choices"][0]["finish_reason"])
    assert [data for _, data in stream(chats, iter([Text("One"), DONE]), end)][-1] == "[DONE]"
    for longer in ([Text("One"), Text(" two"), DONE], [Text("One two"), DONE]):
        assert stream(chats, iter(longer), end)[-1][1]["error"]["code"] == "unknown_event_id"


def test_failure_has_no_id_and_comes_before_the_place() -> None:
    failed = Failed("timeout", "it took too long.")
    whole = stream(chats, iter([Text("One"), failed]))
    assert [bool(event_id) for event_id, _ in whole] == [True, True, False]
    (rest,) = stream(chats, iter([Text("O"), failed]), whole[1][0])
    assert rest[1]["error"]["code"] == "timeout"


def test_model_of_a_server_behind_this_one_may_have_changed() -> None:
    parts = [Text("I "), Text("love "), DONE]
    whole = stream(chats, iter(parts))
    other = [Accepted("fp_" + "b" * 32), *parts]
    assert [event_id for event_id, _ in stream(chats, iter(other)) if event_id] == []
    (rest,) = stream(chats, iter(other), whole[1][0])
    assert rest[1]["error"]["code"] == "unknown_event_id" and "another model" in rest[1]["error"]["message"]
    same = [Accepted(ORIGIN.model), *parts]
    assert add_up([*whole[:2], *stream(chats, iter(same), whole[1][0])]) == add_up(whole)


def test_invented_places_are_refused() -> None:
    right = Place.of(Counts(), 1, (0, 0, 0))
    assert len(stream(chats, iter([Text("One"), DONE]), f"{ORIGIN}.{right}")) == 4
    for counts, following in (
        (Counts(), 2),
        (Counts(text=999_999_999), 0),
        (Counts(text=2, calls=3), 1),
        (Counts(token_ids=4), 0),
        (Counts(logprobs=1), 0),
        (Counts(ended=1), 0),
    ):
        place = Place(counts, following, right.check)
        told = stream(chats, iter([Text("One"), DONE]), f"{ORIGIN}.{place}")
        assert [data["error"]["code"] for _, data in told] == ["unknown_event_id"]


def test_id_is_read_as_it_was_written_and_in_no_other_form() -> None:
    for seed in (0, 7, -(2**63), 2**63 - 1):
        origin = replace(ORIGIN, seed=seed)
        place = Place.of(Counts(12, 3, 2, 40, 5, 6, 1), 2, (1, 2, 3))
        assert read_id(f"{origin}.{place}") == (origin, place)
    start = f"1.{ORIGIN.request}.{ORIGIN.model}"
    for text in (
        "",
        "7",
        "x" * 100_000,
        f"{start}.{2**63}.5.t1.00000000",
        f"{start}.7.5.t01.00000000",
        f"{start}.7.5.r1t1.00000000",
        f"{start}.7.5.t1t1.00000000",
        f"{start}.7.5.z1.00000000",
        f"{start}.7.5.t{10**9}.00000000",
        f"{start}.7.5.f33.00000000",
        f"{start}.\N{FULLWIDTH DIGIT SEVEN}.5.t1.00000000",
        f"{start}.7.5.t1.00000000\n",
        f"{start}.7.5.t1.0000000g",
        f"2{start[1:]}.7.5.t1.00000000",
    ):
        with pytest.raises(ValueError, match=r"form|id"):
            read_id(text)
