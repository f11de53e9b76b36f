"""Conversations as files: round trips, what others write, and files that mean harm."""

import json
from dataclasses import replace

import pytest

from model_core.errors import InvalidRequest
from triton_server.conversations.exchange import (
    MAX_FILE_BYTES,
    from_markdown,
    rated_to_jsonl,
    read_file,
    to_json,
    to_jsonl,
    to_markdown,
)
from triton_server.conversations.tree import Attachment, Conversation, Turn

USAGE = {
    "prompt_tokens": 3,
    "completion_tokens": 2,
    "cached_tokens": 0,
    "truncated_messages": 0,
    "reasoning_tokens": 0,
}
ODD = [
    "",
    "\n\nblank lines around\n\n",
    "## Question 2\n\nas if it were ours",
    "\\## Answer 1",
    "## System prompt",
    "```\n## Answer 3\n```",
    "# title",
    "NUL \0, 你好 😀 \u2028 \u0085 \x0b end",
    "## Question 0\n## Question x\n## Answers 1",
]


def conversation(*turns: Turn, **fields: object) -> Conversation:
    head = turns[-1].id if turns else None
    return Conversation(
        **{"id": "x", "title": "A title", "system": None, "parameters": {}, "head": head, "version": 3}
        | {"turns": list(turns), "created": 5.5}
        | fields
    )


TREE = conversation(
    Turn(1, None, "One?", "ONE", "thoughts", rating=1, finish_reason="stop", usage=USAGE, created=1.5),
    Turn(2, 1, "Two?", "TWO", attachments=[Attachment("a.md", "text", 3)], rating=-1, receipt={"version": 1}),
    Turn(3, 1, "Two, edited?", "", tool_calls=[{"name": "f", "arguments": "{}"}], parameters={"seed": 1}),
    system="Be brief.",
    parameters={"temperature": 0.5},
    head=2,
)


def test_json_has_all_branches() -> None:
    (read,) = read_file("A.JSON", to_json(TREE).encode())
    assert read == replace(TREE, id="", version=0, updated=read.updated)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_markdown_keeps_any_text(text: str) -> None:
    made = conversation(Turn(1, None, text, text, text), Turn(2, 1, text, text), system=text)
    read = from_markdown(to_markdown(made))
    assert (read.title, read.system) == ("A title", text)
    assert [(turn.question, turn.answer, turn.parent) for turn in read.turns] == [
        (text, text, None),
        (text, text, 1),
    ]
    assert read.turns[0].reasoning == text


def test_markdown_shows_the_path() -> None:
    assert to_markdown(TREE) == (
        "# A title\n\n## System prompt\n\nBe brief.\n\n## Question 1\n\nOne?\n\n## Reasoning 1\n\n"
        "thoughts\n\n## Answer 1\n\nONE\n\n## Attachments 2\n\n"
        "- a.md\n\n## Question 2\n\nTwo?\n\n## Answer 2\n\nTWO\n"
    )


def test_markdown_that_a_person_has_edited_is_read() -> None:
    read = from_markdown("## Question 1\r\nOne?\r\n## Answer 7\r\n\r\nONE")
    assert [(turn.question, turn.answer) for turn in read.turns] == [("One?", "ONE")]
    assert read.title == "One?"


def test_jsonl_is_openais() -> None:
    lines = to_jsonl([TREE, conversation()]).splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "One?"},
                {"role": "assistant", "content": "ONE"},
                {"role": "user", "content": '<file name="a.md">\ntext\n</file>\n\nTwo?'},
                {"role": "assistant", "content": "TWO"},
            ]
        }
    ]
    (read,) = read_file("x.jsonl", to_jsonl([TREE]).encode())
    assert (read.system, [turn.answer for turn in read.path()]) == ("Be brief.", ["ONE", "TWO"])


def test_rated_answers_are_exported_with_what_came_before() -> None:
    rated = [json.loads(line) for line in rated_to_jsonl([TREE]).splitlines()]
    assert [(line["rating"], line["messages"][-1]["content"]) for line in rated] == [(1, "ONE"), (-1, "TWO")]
    (good,) = [json.loads(line) for line in rated_to_jsonl([TREE], 1).splitlines()]
    assert list(good) == ["messages"] and good["messages"][-1]["content"] == "ONE"
    read = read_file("rated.jsonl", rated_to_jsonl([TREE]).encode())
    assert [each.turns[-1].rating for each in read] == [1, -1]


def test_messages_of_others_are_read() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "assistant", "content": "How can I help?", "refusal": None},
        {"role": "user", "content": [{"type": "text", "text": "Add"}, {"type": "text", "text": "one."}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        {"role": "assistant", "content": "It is 2.", "weight": 1},
    ]
    (read,) = read_file("x.jsonl", json.dumps({"messages": messages, "tools": []}).encode())
    assert read.system == "Be brief."
    assert [(turn.question, turn.answer) for turn in read.turns] == [
        ("", "How can I help?"),
        ("Add\none.", "It is 2."),
    ]
    assert read.turns[1].tool_calls == [{"id": "c1", "name": "add", "arguments": '{"a": 1}', "result": "2"}]


def file(**changes: object) -> str:
    return json.dumps({**json.loads(to_json(TREE)), **changes})


def turn(**changes: object) -> list[dict[str, object]]:
    return [{"id": 1, "parent": None, "question": "q", **changes}]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.txt", "", "must end in .md, .json or .jsonl"),
        ("json", "", "is not JSON"),
        ("x.json", "", "is not JSON"),
        ("x.json", "[]", "format is not"),
        ("x.json", '{"format": "tritonchat conversation"}', "is missing"),
        ("x.json", '{"format": NaN}', "NaN is not a JSON number"),
        ("x.json", "[" * 200_000, "nested too deeply|not JSON"),
        ("x.json", file(version=2), "version must be 1, not 2"),
        ("x.json", file(turns={}), "turns must be a list"),
        ("x.json", file(turns=turn(id="1")), r"turns\[0\].id must be a whole number"),
        ("x.json", file(turns=turn(id=0)), r"turns\[0\].id must be"),
        ("x.json", file(turns=turn(parent=1)), "the parent of turn 1"),
        ("x.json", file(turns=turn(parent=7)), "the parent of turn 1"),
        ("x.json", file(turns=turn() + turn()), "two turns have the id 1"),
        ("x.json", file(turns=turn(), head=2), "no turn 2, which should be the head"),
        ("x.json", file(turns=turn(question=5)), r"turns\[0\].question must be a string"),
        ("x.json", file(turns=turn(answer="\ud800")), "a string of valid Unicode"),
        ("x.json", file(turns=turn(rating=5)), "rating must be"),
        ("x.json", file(turns=turn(created=-1)), "created must be"),
        ("x.json", file(turns=turn(created=1e300)), "created must be"),
        ("x.json", file(turns=turn(usage={"prompt_tokens": 1})), "usage has not the numbers"),
        ("x.json", file(turns=turn(finish_reason="x" * 1000)), "finish_reason must be"),
        ("x.json", file(turns=turn(attachments=[{"name": "a\0", "text": ""}])), "attachments"),
        ("x.json", file(parameters={"temperature": 9}), "temperature must be between 0 and 2"),
        ("x.json", file(turns=turn() * 10_001), "turns must be a list of 10000 or fewer"),
        ("x.json", file(extra=1), "unknown parameter 'extra'"),
        ("x.md", "", "no line `## Question 1`"),
        ("x.md", "## Answer 1\n\nONE", "an answer before the first question"),
        ("x.jsonl", "\n\n", "the file is empty"),
        ("x.jsonl", "{}", "line 1: messages is missing"),
        ("x.jsonl", '\n{"messages": []}', "line 2: messages must be a list of 1 or more"),
        ("x.jsonl", '{"messages": "hello"}', "line 1: messages must be a list"),
        ("x.jsonl", '{"messages": [{"role": "pope", "content": ""}]}', r"messages\[0\].role must be"),
        ("x.jsonl", '{"messages": [{"role": "system", "content": "x"}]}', "no message of a user"),
        ("x.jsonl", '{"messages": [{"role": "user", "content": {"a": 1}}]}', r"messages\[0\].content"),
        ("x.jsonl", "null", "line 1 is not an object"),
        ("x.jsonl", "{}\n" * 1001, "has 1001 conversations"),
        ("x.jsonl", '{"a":' * 200_000, "nested too deeply|not JSON"),
    ],
)
def test_harmful_files_are_refused_in_a_sentence(name: str, text: str, complaint: str) -> None:
    with pytest.raises(InvalidRequest, match=complaint) as refused:
        read_file(name, text.encode())
    message = str(refused.value)
    assert len(message) < 300 and "\n" not in message and message.endswith(".")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="not UTF-8: byte 1"):
        read_file("x.md", b"a\xff")
    with pytest.raises(InvalidRequest, match="at most"):
        read_file("x.md", b" " * (MAX_FILE_BYTES + 1))
