"""Any events become pieces, these bytes, and bytes the same events, as contract/tensors.py describes them."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model_core import errors
from model_core.answers.writer import join_events
from model_core.errors import QueueFull, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    PromptLogprobs,
    RankedChoices,
    Reasoning,
    Text,
    Timings,
    TokenIds,
    ToolCallDelta,
    Usage,
)
from triton_server.contract.codec import (
    Piece,
    ServerUnavailable,
    decode_piece,
    describe_error,
    encode_answer,
    encode_stream,
    make_error,
    raise_if_error,
    read_details,
    write_details,
)
from triton_server.contract.conversation_errors import STORE_ERRORS

EVENTS: list[Event] = [
    Reasoning("A sum."),
    Text("Sure."),
    ToolCallDelta(0, "call_1", "add", '{"a": 1'),
    ToolCallDelta(0, arguments="}"),
    ToolCallDelta(1, "call_2", "now", "{}"),
    Text("\nDone."),
    Reasoning("\nGood."),
]

ANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
COUNTS = st.integers(0, 2**31)
SECONDS = st.floats(0, 1e6)
WORDS = st.text('a "\\\n\0é\u2028😀', min_size=1, max_size=6)
ENTRIES = st.lists(
    st.fixed_dictionaries({"token": WORDS, "token_id": COUNTS, "logprob": st.none() | st.floats(-99, 0)}),
    max_size=3,
)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, st.lists(WORDS, max_size=2).map(tuple))
TIMINGS = st.builds(Timings, st.none() | SECONDS, st.none() | SECONDS, SECONDS)
REASONS = st.sampled_from(["stop", "length", "tool_calls", "cancelled"])
DONES = st.builds(
    Done, REASONS, USAGES, TIMINGS, COUNTS, st.none() | WORDS, st.just("aaaa"), st.none() | WORDS
)
ERRORS = [
    kind
    for kind in (*vars(errors).values(), *STORE_ERRORS, ServerUnavailable)
    if isinstance(kind, type) and issubclass(kind, TritonchatError) and kind is not errors.NotFinite
]


@st.composite
def failures(draw: st.DrawFn) -> Failed:
    """The end of a request that was refused, or of an answer that had begun."""
    error = draw(st.sampled_from(ERRORS))(draw(WORDS), draw(st.none() | WORDS))
    error.retry_after_s = draw(st.none() | st.integers(1, 99))
    return describe_error(error, draw(st.none() | DONES))


LOGPROBS, IDS = st.builds(Logprobs, ENTRIES), st.builds(TokenIds, st.lists(COUNTS, max_size=3))
PARTS = st.lists(
    st.builds(Text, WORDS)
    | st.builds(Reasoning, WORDS)
    | st.builds(ToolCallDelta, st.just(0), WORDS, WORDS, WORDS)
    | st.builds(ToolCallDelta, st.just(0), arguments=WORDS),
    min_size=1,
    max_size=4,
)
# What is told of tokens, and their text. An empty text stands for one that has not come.
BATCHES = st.tuples(LOGPROBS, IDS, PARTS | st.just([Text("")])) | st.tuples(IDS, PARTS) | st.tuples(PARTS)
PROMPT = st.tuples(
    st.lists(st.just(Accepted("aaaa")), max_size=1),
    st.lists(LOGPROBS, max_size=1),
    st.lists(st.builds(PromptLogprobs, ENTRIES), max_size=1),
    st.lists(st.builds(RankedChoices, ENTRIES), max_size=1),
    st.lists(st.builds(TokenIds, st.just([1]), st.just([2, 3])), max_size=1),
    PARTS,
)


@st.composite
def answers(draw: st.DrawFn) -> list[Event]:
    """The events of an answer."""
    events: list[Event] = [event for events in draw(PROMPT) for event in events]
    for *told, parts in draw(st.lists(BATCHES, max_size=3)):
        events += [*told, *parts]
    calls = itertools.accumulate(
        isinstance(event, ToolCallDelta) and event.id is not None for event in events
    )
    numbered = [
        replace(event, index=int(index)) if isinstance(event, ToolCallDelta) else event
        for event, index in zip(events, calls, strict=True)
    ]
    return [*numbered, draw(DONES | failures())]


def send(pieces: Sequence[Piece]) -> list[Event]:
    """The events of pieces that have travelled as bytes."""
    sent = [(text.encode(), write_details(details).encode()) for text, details in pieces]
    received = [(text.decode(), read_details(details.decode())) for text, details in sent]
    return [event for piece in received for event in decode_piece(*piece)]


def sum_of(events: Sequence[Event]) -> AnswerParts:
    return AnswerParts().add(*events)


@ANY
@given(answers())
def test_any_stream_keeps_its_events(events: list[Event]) -> None:
    sent, expected = join_events(send(encode_stream(events))), join_events(events)
    # An empty text beside a call says nothing, and is not sent.
    assert [e for e in sent if e != Text("")] == [e for e in expected if e != Text("")]


@ANY
@given(answers())
def test_any_answer_is_one_piece_with_all_of_it(events: list[Event]) -> None:
    parts = sum_of(events)
    assert parts.text == "".join(event.text for event in events if isinstance(event, Text))
    assert parts.reasoning == "".join(event.text for event in events if isinstance(event, Reasoning))
    for told, name, listed in ((parts.logprobs, "entries", Logprobs), (parts.token_ids, "ids", TokenIds)):
        assert (told or []) == [item for e in events if isinstance(e, listed) for item in getattr(e, name)]
    assert sum_of(send([encode_answer(sum_of(events))])) == parts
    assert sum_of(send(encode_stream(events))) == parts


def test_pieces_keep_the_order_of_events() -> None:
    pieces = encode_stream(EVENTS)
    assert [text for text, _ in pieces] == ["Sure.", "\nDone.", ""]
    assert join_events(send(pieces)) == join_events(EVENTS)
    assert encode_stream([]) == []


def test_a_whole_answer_is_one_piece() -> None:
    assert encode_answer(sum_of(EVENTS)) == (
        "Sure.\nDone.",
        {
            "reasoning": "A sum.\nGood.",
            "tool_calls": [
                {"index": 0, "id": "call_1", "name": "add", "arguments": '{"a": 1}'},
                {"index": 1, "id": "call_2", "name": "now", "arguments": "{}"},
            ],
        },
    )


def test_text_alone_has_no_details() -> None:
    assert encode_stream([Text("Hello")]) == [("Hello", {})]
    assert write_details({}) == ""


def test_end_has_the_fields_of_the_contract() -> None:
    done = Done("stop", Usage(3, 2), Timings(0.0, None, 1.5), 7, None, "aaaa", "embedded")
    end = {
        "finish_reason": "stop",
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "cached_tokens": 0,
            "truncated_messages": 0,
            "reasoning_tokens": 0,
        },
        "timings": {"queue": 0.0, "first_token": None, "total": 1.5},
        "seed": 7,
        "stop_string": None,
        "model": "embedded",
        "fingerprint": "aaaa",
    }
    assert encode_stream([done]) == [("", end)]
    error = {"type": "queue_full", "message": "full.", "param": None}
    failed = describe_error(QueueFull("full."), replace(done, finish_reason="cancelled"))
    assert encode_stream([failed]) == [("", {**end, "finish_reason": "cancelled", "error": error})]
    assert encode_stream([replace(failed, done=None)]) == [("", {"error": error})]


def test_fields_that_are_not_known_harm_nobody() -> None:
    assert decode_piece("a", {"colour": "blue", "reasoning": "b"}) == [Reasoning("b"), Text("a")]
    assert decode_piece("", {"colour": "blue"}) == []


def test_an_error_keeps_its_class() -> None:
    with pytest.raises(QueueFull, match="full") as caught:
        raise_if_error({"error": {"type": "queue_full", "message": "full.", "retry_after_s": 3}}, "so far")
    assert (caught.value.partial, caught.value.retry_after_s) == ("so far", 3)
    raise_if_error({"finish_reason": "stop"})
    for kind in ("internal", "unheard_of"):
        assert type(make_error(Failed(kind, "of."))) is TritonchatError
    assert "secret" not in describe_error(ValueError("secret")).message
