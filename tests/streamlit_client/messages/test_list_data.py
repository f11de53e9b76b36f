"""Turns of each kind as the list of messages gets them, the parts in which it gets them, and the feed."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model_core.errors import QueueFull
from model_core.requests.messages import ToolCall
from streamlit_client.messages.list_data import (
    MAX_SHOWN,
    Surroundings,
    count_units,
    describe_question,
    describe_turn,
)
from streamlit_client.messages.list_view import Feed, split_turns
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import EMPTY_ANSWER
from triton_server.client.chat_client import Answer
from triton_server.conversations.tree import Attachment

DETAILS: dict[str, Any] = {
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    "timings": {"first_token": 0.5, "total": 1.0},
    "seed": 7,
}
AROUND = Surroundings(["one", "two"], [4, 5], 0)


def ended(**fields: Any) -> Turn:
    """A turn of the store whose answer has ended."""
    turn = Turn("Who?", {"model": "one"}, "I.", id=5, is_started=True, **fields)
    turn.answer = Answer(turn.text, DETAILS)
    turn.finished.set()
    return turn


def test_answer_has_its_figures_and_what_can_be_done():
    shown = describe_turn(ended(), AROUND)
    assert shown["key"] == "5" and shown["question"] == {"text": "Who?", "files": []}
    assert (shown["text"], shown["is_running"], shown["error"]) == ("I.", False, None)
    assert shown["notes"] == [
        "one · 2 tokens/s · first token after 500 ms · 3 tokens in, 2 out · seed 7 · complete"
    ]
    assert shown["actions"] == ["edit", "tokens", "again", "again_with", "back"]
    assert (shown["others"], shown["branches"], shown["thumb"]) == (["two"], {"place": 2, "count": 2}, "")
    assert json.loads(json.dumps(shown)) == shown
    rated = replace(AROUND, rating=-1)
    assert describe_turn(ended(receipt={}), rated)["actions"][-1] == "receipt"
    assert describe_turn(ended(), rated)["thumb"] == "down"


def test_running_answer_says_what_it_does():
    turn = Turn("Who?", {"model": "*one*"}, id=5, is_started=True)
    shown = describe_turn(turn, Surroundings(["*one*"], [5], 0))
    assert (shown["is_running"], shown["notes"]) == (True, ["waiting for the first word …"])
    assert (shown["branches"], shown["thumb"], "tokens" in shown["actions"]) == (None, None, False)
    turn.reasoning = "Hm."
    shown = describe_turn(turn, Surroundings())
    assert (shown["reasoning_label"], shown["notes"]) == ("Thinking …", ["thinking …"])
    turn.progress = 0.25
    assert describe_turn(turn, Surroundings())["notes"] == ["loading *one*, 25% …"]  # plain text


def test_question_that_failed_can_only_be_tried_again():
    turn = Turn("Who?")
    turn.fail(QueueFull("full; see `--max-queue`."))
    shown = describe_turn(turn, AROUND)
    assert (shown["key"], shown["actions"], shown["branches"]) == ("pending", [], None)
    explanation, details = shown["error"].split("\n\n")
    assert explanation == "The server is busy with other requests." and details == "Full; see `--max-queue`."
    assert shown["notes"] == []


def test_question_alone_has_the_fields_of_a_turn():
    shown = describe_question("Why *so*?")
    assert shown.keys() == describe_turn(ended(), AROUND).keys()
    assert (shown["question"], shown["shows_answer"]) == ({"text": "Why *so*?", "files": []}, False)
    assert (shown["is_running"], shown["notes"], shown["actions"]) == (False, [], [])


def test_answer_without_text_says_so():
    turn = ended()
    turn.text = ""
    shown = describe_turn(turn, Surroundings(["one"], [5], 1))
    assert shown["notes"][0] == EMPTY_ANSWER and not shown["notes"][1].startswith("one · ")
    assert shown["thumb"] is None and "tokens" not in shown["actions"]


def test_text_that_is_continued_stands_before_its_answer():
    turn = ended(is_continuation=True)
    turn.question = "Once 🦊 "
    shown = describe_turn(turn, AROUND)
    assert shown["text"] == "Once 🦊 I." and shown["copy_from"] == len("Once xx ")
    assert describe_turn(ended(), AROUND)["copy_from"] == 0


def test_calls_and_results_of_tools():
    calls = [ToolCall(id="a", name="look", arguments='{"x":1}'), ToolCall(id="b", name="see", arguments="{")]
    turn = ended(tool_calls=calls, results={"a": "found"})
    turn.question = ""
    shown = describe_turn(turn, AROUND)
    assert shown["question"] is None and "edit" not in shown["actions"]
    assert shown["calls"] == [
        {"name": "look", "arguments": '{\n  "x": 1\n}', "result": "found"},
        {"name": "see", "arguments": "{", "result": None},
    ]


def test_files_and_passages():
    picture = "data:image/png;base64,AAAA"
    files = [
        Attachment("a.txt", "x" * (MAX_SHOWN + 1), tokens=1234),
        Attachment("b.png", "", image=picture),
        Attachment("c.md", "Bees hum.", place="line 1"),
        Attachment("d" * 50, "Cows moo.", place=""),
    ]
    turn = ended(attachments=files)
    turn.text = "Bees do [1] [9]."
    shown = describe_turn(turn, AROUND)
    first, second = shown["question"]["files"]
    assert first["detail"] == "1,234 tokens · the first 20,000 of 20,001 characters"
    assert len(first["text"]) == MAX_SHOWN
    assert (second["image"], second["text"], second["detail"]) == (picture, None, "")
    cited, other = shown["sources"]
    assert cited == {
        "number": 1,
        "label": "c.md · line 1",
        "title": "c.md line 1",
        "text": "Bees hum.",
        "is_cited": True,
    }
    assert other["label"] == "d" * 39 + "…" and not other["is_cited"]


@pytest.mark.parametrize(
    "sizes",
    [
        [],
        [0],
        [70_000],
        [1000] * 200,
        [30_000] * 9,
        [5, 500_000, 5, 5, 70_000, 65_000, 1, 66_000, 100_000, 3],
    ],
)
def test_parts_are_small_and_grow_at_their_end_only(sizes: list[int]):
    turns = [{"key": str(number), "text": "x" * size} for number, size in enumerate(sizes)]
    parts = split_turns(turns)
    assert [turn for part in parts for turn in json.loads(part)] == turns
    assert all(len(part) < 2 * 65_600 or len(json.loads(part)) == 1 for part in parts)
    assert split_turns(turns[:-1])[:-1] == parts[: max(0, len(split_turns(turns[:-1])) - 1)]


def read(pieces: list[dict[str, Any]]) -> str:
    """What a browser knows after some pieces, in UTF-16."""
    known = b""
    for piece in pieces:
        place = 2 * piece["start"]
        if place <= len(known):
            known = known[:place] + piece["text"].encode("utf-16-le", "surrogatepass")
    return known.decode("utf-16-le", "surrogatepass")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(max_size=8), max_size=60), st.lists(st.booleans(), min_size=200, max_size=200))
def test_feed_is_complete_after_lost_pieces(texts: list[str], is_lost: list[bool]):
    """A browser that has lost pieces of less than a second misses nothing, and any other one after 5 s."""
    turn = Turn("Who?", {}, id=5, is_started=True)
    feed, kept, lost_in_turn = Feed("0", turn), [], 0
    for step, text in enumerate(texts):
        turn.text += text
        piece = feed.describe(100 + 0.05 * step)
        lost_in_turn = lost_in_turn + 1 if is_lost[step] and lost_in_turn < 15 and step else 0
        if not lost_in_turn:
            kept.append(piece)
    if texts:
        kept.append(feed.describe(100 + 0.05 * len(texts)))
        assert read(kept) == turn.text
    late = [feed.describe(106 + 0.05 * len(texts))]
    assert read(late) == turn.text and late[0]["start"] == 0


def test_feed_sends_what_is_new_alone():
    turn = Turn("Who?", {}, id=5, is_started=True, reasoning="r" * 5000)
    feed = Feed("0", turn)
    sizes = []
    for step in range(100):
        turn.text += "🦊" * 100
        piece = feed.describe(100 + 0.05 * step)
        sizes.append(len(piece["text"]) + len(piece["reasoning"]))
        assert piece["start"] == count_units(turn.text) - count_units(piece["text"])
    assert sizes[0] == 5100 and max(sizes[25:]) <= 2200
    assert piece["note"] == "answering …" and piece["reasoning_label"].startswith("Reasoning")


@pytest.mark.parametrize("text", ["", "abc", "ä🦊\n", "\ud83e"])
def test_places_count_as_in_a_browser(text: str):
    assert count_units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2
