"""Reasoning: told apart from the answer, and ended when its budget is used up."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_core.answer_parser import AnswerParser, AnswerStyle, recognize_style
from model_core.event_writer import join_events
from model_core.events import Event, Reasoning, Text, ToolCallDelta
from model_core.messages import Tool
from model_core.reasoning import (
    GEMMA,
    HARMONY,
    MISTRAL,
    THINK,
    ReasoningBudget,
    ReasoningForm,
    recognize_reasoning,
)
from model_core.tools import PLAIN, recognize
from model_core.tools.hermes import HERMES

TIME = Tool(name="get_time")
QWEN = AnswerStyle(HERMES, THINK)
GPT_OSS = recognize_style("{{ tools }}<|start|>assistant<|channel|>final<|message|>")


def read(
    style: AnswerStyle, pieces: Sequence[str], prompt_end: str = "", tools: Sequence[Tool] = (TIME,)
) -> list[Event]:
    """The events of an answer that arrives in pieces."""
    parser = AnswerParser(style, tools, prompt_end, "key")
    return join_events([*(event for piece in pieces for event in parser.push(piece)), *parser.finish()])


EXAMPLES: list[tuple[AnswerStyle, str, str, list[Event]]] = [
    (QWEN, "", "<think>\nIt is\n\n2.\n</think>\n\nTwo.\n", [Reasoning("It is\n\n2."), Text("Two.\n")]),
    (QWEN, "assistant\n<think>\n", "It is 2.\n</think>\n\nTwo.", [Reasoning("It is 2."), Text("Two.")]),
    (QWEN, "<think>\n\n</think>\n\n", "Two.", [Text("Two.")]),
    (QWEN, "", "\n<think>", []),
    (QWEN, "", "<think></think>\n\nTwo.", [Text("Two.")]),
    (QWEN, "", "<think>It is cut", [Reasoning("It is cut")]),
    (QWEN, "", "  Two. <think> is a tag.\n", [Text("  Two. <think> is a tag.\n")]),
    (QWEN, "", "<thin", [Text("<thin")]),
    (AnswerStyle(PLAIN, MISTRAL), "", "[THINK]Hm.[/THINK]Two.", [Reasoning("Hm."), Text("Two.")]),
    (
        AnswerStyle(PLAIN, GEMMA),
        "",
        "<|channel>thought\nHm.\n<channel|>Two.",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (AnswerStyle(PLAIN, GEMMA), "<|channel>thought\n<channel|>", "Two.", [Text("Two.")]),
    (
        GPT_OSS,
        "<|start|>assistant",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>analysis<|message|>So 2."
        "<|end|><|start|>assistant<|channel|>final<|message|>Two.",
        [Reasoning("Hm.\nSo 2."), Text("Two.")],
    ),
    (
        GPT_OSS,
        "<|start|>assistant<|channel|>analysis<|message|>",
        "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Two.",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (GPT_OSS, "<|start|>assistant<|channel|>final<|message|>One, ", "two.", [Text("two.")]),
]


@pytest.mark.parametrize(("style", "prompt_end", "text", "expected"), EXAMPLES)
def test_reasoning_is_told_apart_from_text(
    style: AnswerStyle, prompt_end: str, text: str, expected: list[Event]
) -> None:
    assert read(style, [text], prompt_end) == expected
    assert read(style, [text], prompt_end, tools=()) == expected


def test_calls_follow_reasoning() -> None:
    text = '<think>Time?</think>\n\n<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
    reasoning, call = read(QWEN, [text])
    assert reasoning == Reasoning("Time?")
    assert isinstance(call, ToolCallDelta) and (call.name, call.arguments) == ("get_time", "{}")


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_split_gives_the_same_events(data: st.DataObject) -> None:
    style, prompt_end, *_ = data.draw(st.sampled_from(EXAMPLES))
    marks = [style.reasoning.start, style.reasoning.end, " ", "\n", "word", "<", "<tool_call>"]
    text = "".join(data.draw(st.lists(st.sampled_from([*marks, *(e[2] for e in EXAMPLES)]), max_size=6)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(style, pieces, prompt_end) == read(style, [text], prompt_end)


def test_reasoning_arrives_while_it_is_written() -> None:
    parser = AnswerParser(QWEN)
    assert parser.push("<think>\nOne ") == [Reasoning("One")]
    assert parser.push("two </th") == [Reasoning(" two")]
    assert parser.push("ink>\n\nThree") == [Text("Three")]


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{{ '<|im_start|>assistant\\n<think>\\n' }}", THINK),
        ("{{ content.split('</think>')[-1] }}", THINK),
        ("[THINK]{{ content }}[/THINK]", MISTRAL),
        ("{{ '<|channel>thought\\n<channel|>' }}", GEMMA),
        ("<|channel|>analysis<|message|>", HARMONY),
        ("{{ '<|im_start|>assistant\\n' }}", None),
    ],
)
def test_the_template_tells_the_form(template: str, form: ReasoningForm | None) -> None:
    assert recognize_reasoning(template) == form
    assert recognize(template).name in ("plain", "harmony")


def answer_with_budget(
    form: ReasoningForm, max_tokens: int, pieces: Sequence[str], is_open: bool = False
) -> list[str]:
    """The tokens of an answer in which a budget ends the reasoning; tokens are texts here."""
    budget = ReasoningBudget(form, max_tokens, is_open, dict(enumerate(pieces)).__getitem__, [[-1]])
    tokens = [*("END" for _ in budget.start())]
    for token, piece in enumerate(pieces):
        tokens.append(piece)
        if budget.push(token):
            return [*tokens, "END"]
    return tokens


def test_a_budget_ends_reasoning() -> None:
    pieces = ["\n", "<thi", "nk>", "\n", "a", "b", "</th", "ink>", "c", "d"]
    assert answer_with_budget(THINK, 3, pieces) == [*pieces[:6], "END"]
    assert answer_with_budget(THINK, 0, pieces) == [*pieces[:3], "END"]
    assert answer_with_budget(THINK, 5, pieces) == pieces
    assert answer_with_budget(THINK, 2, ["a", "b", "c"], is_open=True) == ["a", "b", "END"]
    assert answer_with_budget(THINK, 0, ["a"], is_open=True) == ["END", "a"]


def test_a_budget_leaves_text_alone() -> None:
    assert answer_with_budget(THINK, 0, ["a", "<think>", "b"]) == ["a", "<think>", "b"]
    assert answer_with_budget(THINK, 1, ["</think>", "b", "c"], is_open=True) == ["</think>", "b", "c"]


def test_a_budget_does_not_cut_characters() -> None:
    pieces = ["a", "\ufffd", "\ufffd", "b"]
    assert answer_with_budget(THINK, 2, pieces, is_open=True) == [*pieces, "END"]
    endless = ["\ufffd"] * 10
    assert answer_with_budget(THINK, 1, endless, is_open=True) == [*endless[:4], "END"]


def test_the_ending_of_harmony_starts_the_answer() -> None:
    text = "<|channel|>analysis<|message|>Hm" + HARMONY.ending + GPT_OSS.tools.text_start + "Two."
    assert read(GPT_OSS, [text], "<|start|>assistant") == [Reasoning("Hm"), Text("Two.")]
    pieces = ["<|channel|>", "analysis", "<|message|>", "a", "b", "<|end|>"]
    assert answer_with_budget(HARMONY, 2, pieces) == [*pieces[:5], "END"]
    again = [*pieces, "<|start|>", "assistant", *pieces]
    assert answer_with_budget(HARMONY, 4, again) == [*again[:12], "END"]


def test_reasoning_that_begins_again_is_ended_again() -> None:
    pieces = [HARMONY.start, "a", "b"]
    budget = ReasoningBudget(HARMONY, 2, False, dict(enumerate(pieces)).__getitem__, [[7], [8, 9]])
    assert [budget.push(token) for token in (0, 1, 2)] == [(), (), (7,)]
    assert [budget.push(0), budget.push(0)] == [(8, 9), (8, 9)]
