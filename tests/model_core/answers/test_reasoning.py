"""Reasoning: told apart from the answer, and ended when its budget is used up."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_core.answers.parser import AnswerParser, AnswerStyle, recognize_style
from model_core.answers.reasoning import (
    GEMMA,
    HARMONY,
    MISTRAL,
    THINK,
    ReasoningBudget,
    ReasoningForm,
    recognize_reasoning,
)
from model_core.answers.tools import PLAIN, recognize
from model_core.answers.tools.gemma import GEMMA4
from model_core.answers.tools.hermes import HERMES
from model_core.answers.tools.mistral import MISTRAL as MISTRAL_TOOLS
from model_core.answers.tools.tags.glm import GLM
from model_core.answers.tools.tags.qwen_coder import QWEN_CODER
from model_core.answers.writer import join_events
from model_core.requests.events import Event, Reasoning, Text, ToolCallDelta
from model_core.requests.messages import Tool

TIME = Tool(name="get_time")
QWEN, QWEN_NEXT, GLM_STYLE = (
    AnswerStyle(HERMES, THINK),
    AnswerStyle(QWEN_CODER, THINK),
    AnswerStyle(GLM, THINK),
)
GEMMA_STYLE, MAGISTRAL = AnswerStyle(GEMMA4, GEMMA), AnswerStyle(MISTRAL_TOOLS, MISTRAL)
SOLAR_OPEN = recognize_style(
    "{{ tools }}<|begin|>assistant<|think|><|content|><|tool_call:begin|><|tool_call:args|>"
)
MUSE_GLIMMER = recognize_style(
    "{{ tools }}<|start|>assistant to=self<|message|><atem:function_calls><|eom|><|eot|>"
)
GPT_OSS = recognize_style("{{ tools }}<|start|>assistant<|channel|>final<|message|>")


def read(
    style: AnswerStyle, pieces: Sequence[str], prompt_end: str = "", tools: Sequence[Tool] = (TIME,)
) -> list[Event]:
    """The events of an answer that arrives in pieces."""
    parser = AnswerParser(style, tools, prompt_end, "key")
    return join_events([*(event for piece in pieces for event in parser.push(piece)), *parser.finish()])


NOW = ToolCallDelta(0, None, "get_time", "{}")
EXAMPLES: list[tuple[AnswerStyle, str, str, list[Event]]] = [
    (QWEN, "", "<think>\nIt is\n\n2.\n</think>\n\nTwo.\n", [Reasoning("It is\n\n2."), Text("Two.\n")]),
    (QWEN, "assistant\n<think>\n", "It is 2.\n</think>\n\nTwo.", [Reasoning("It is 2."), Text("Two.")]),
    (QWEN, "<think>\n\n</think>\n\n", "Two.", [Text("Two.")]),
    (QWEN, "", "\n<think>", []),
    (QWEN, "", "<think></think>\n\nTwo.", [Text("Two.")]),
    (QWEN, "", "<think>It is cut", [Reasoning("It is cut")]),
    (QWEN, "", "  Two. <think> is a tag.\n", [Text("  Two. <think> is a tag.\n")]),
    (QWEN, "", "<thin", [Text("<thin")]),
    (QWEN, "<think>\n", "<think>\nIt is 2.\n</think>\n\nTwo.", [Reasoning("It is 2."), Text("Two.")]),
    (QWEN, "", "</think>\n\nTwo.", [Text("Two.")]),
    (AnswerStyle(PLAIN, MISTRAL), "", "[THINK]Hm.[/THINK]Two.", [Reasoning("Hm."), Text("Two.")]),
    (
        AnswerStyle(PLAIN, GEMMA),
        "",
        "<|channel>thought\nHm.\n<channel|>Two.",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (AnswerStyle(PLAIN, GEMMA), "<|channel>thought\n<channel|>", "Two.", [Text("Two.")]),
    (GEMMA_STYLE, "", "<|channel>thought<channel|>Two.", [Text("Two.")]),
    (GEMMA_STYLE, "", "<|channel><|channel>thought\nHm.<channel|>Two.", [Reasoning("Hm."), Text("Two.")]),
    (GEMMA_STYLE, "", "<|channel>Two.", [Text("Two.")]),
    (GEMMA_STYLE, "", "Two.<channel|>", [Text("Two.")]),
    (GEMMA_STYLE, "", "<|channel>thought\nHm.<channel|>Two.<|channel>", [Reasoning("Hm."), Text("Two.")]),
    (
        GEMMA_STYLE,
        "",
        "<|channel>thought\nHm.\n<channel|>Two.<|channel>thought\n<channel|><channel|>",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (
        GEMMA_STYLE,
        "",
        "Two.<|channel>thought\nOr 3?<channel|>\nThree.",
        [Text("Two."), Reasoning("Or 3?"), Text("\nThree.")],
    ),
    (
        AnswerStyle(PLAIN, recognize_reasoning("{{ '<seed:think>' ~ text ~ '</seed:think>' }}")),
        "",
        "<seed:think>Hm.</seed:think>Two.",
        [Reasoning("Hm."), Text("Two.")],
    ),
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
    (
        SOLAR_OPEN,
        "<|begin|>assistant",
        "<|think|>Hm.<|end|><|begin|>assistant<|content|>Two.<|flush|>",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (
        recognize_style("{{ tools }}<|open|>think<|close|>argument"),
        "<|open|>think<|sep|>",
        "Hm.<|close|>think<|sep|><|open|>response<|sep|>Two.<|close|>response<|sep|><|close|>message<|sep|>",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (
        MUSE_GLIMMER,
        "<|start|>assistant",
        ' to=self<|message|>Write to=user or <atem:invoke name="get_time">?<|eom|><|start|>assistant '
        "to=self<|message|>So 2.<|eom|><|start|>assistant to=user<|message|>Two.<|eot|>",
        [Reasoning('Write to=user or <atem:invoke name="get_time">?\nSo 2.'), Text("Two.")],
    ),
    (
        MUSE_GLIMMER,
        "<|start|>assistant",
        " to=self<|message|>Hm. to=user<|message|>Two.",  # without the end of the message
        [Reasoning("Hm."), Text("Two.")],
    ),
    (
        MUSE_GLIMMER,
        "<|start|>assistant to=self<|message|>",
        "Hm.<|start|>assistant to=user<|message|>Two.",
        [Reasoning("Hm."), Text("Two.")],
    ),
    (MUSE_GLIMMER, "<|start|>assistant to=user<|message|>One, ", "two.", [Text("two.")]),
    (SOLAR_OPEN, "<|think|><|end|><|begin|>assistant", "<|content|>Two.", [Text("Two.")]),
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


QWEN_CALL = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
NEXT_CALL = "<tool_call>\n<function=get_time>\n</function>\n</tool_call>"
GLM_CALL = "<tool_call>get_time\n</tool_call>"
CALL_OF = {QWEN: QWEN_CALL, QWEN_NEXT: NEXT_CALL, GLM_STYLE: GLM_CALL}
CALLS = [
    *((style, "<think>\n", call, [NOW]) for style, call in CALL_OF.items()),
    *((style, "<think>\n", f"Hm.\n{call}", [Reasoning("Hm."), NOW]) for style, call in CALL_OF.items()),
    *((style, "<think>\n", f"{call}\nLate.", [NOW, Text("Late.")]) for style, call in CALL_OF.items()),
    (QWEN, "<think>\n", f"Hm.\n{QWEN_CALL}\n</think>\n\nDone.", [Reasoning("Hm."), NOW, Text("Done.")]),
    (QWEN, "<think>\n", f"{QWEN_CALL}\n{QWEN_CALL}", [NOW, NOW]),
    (QWEN, "", f"<think>Hm.\n{QWEN_CALL}", [Reasoning("Hm."), NOW]),
    (
        GLM_STYLE,
        "<think>",
        f"I write <tool_call> now.\n{GLM_CALL}",
        [Reasoning("I write <tool_call> now."), NOW],
    ),
    (MAGISTRAL, "", "[THINK]Hm.[TOOL_CALLS]get_time[ARGS]{}", [Reasoning("Hm."), NOW]),
    (
        MUSE_GLIMMER,
        "<|start|>assistant",
        ' to=self<|message|>Hm. to=get_time<|message|><atem:function_calls>\n<atem:invoke name="get_time">\n'
        "</atem:invoke>\n</atem:function_calls><|eot|>",
        [Reasoning("Hm."), NOW],
    ),
    (
        GEMMA_STYLE,
        "",
        "<|channel>thought\nHm.<|tool_call>call:get_time{}<tool_call|>",
        [Reasoning("Hm."), NOW],
    ),
]


def without_ids(events: Sequence[Event]) -> list[Event]:
    """The events with calls that differ in name and arguments only."""
    return [
        ToolCallDelta(0, None, event.name, event.arguments) if isinstance(event, ToolCallDelta) else event
        for event in events
    ]


@pytest.mark.parametrize(("style", "prompt_end", "text", "expected"), CALLS)
def test_a_call_ends_reasoning_that_is_open(
    style: AnswerStyle, prompt_end: str, text: str, expected: list[Event]
) -> None:
    assert without_ids(read(style, [text], prompt_end)) == expected
    assert without_ids(read(style, list(text), prompt_end)) == expected


@pytest.mark.parametrize(
    "thought",
    [
        QWEN_CALL.replace("get_time", "other"),
        QWEN_CALL.replace("{}", "{...}"),
        QWEN_CALL.replace("{}", "[]"),
        f"I could write {QWEN_CALL} here.",
        "Calls are written between <tool_call> and </tool_call>.",
        '<tool_call>\n{"name": "get_time", "arguments": {',
        '<tool_call>\n{"name": "get_time", "arguments": {"a": "',
    ],
)
def test_a_call_that_is_only_thought_about_stays_reasoning(thought: str) -> None:
    assert read(QWEN, [f"{thought}\n</think>\n\nTwo."], "<think>\n") == [Reasoning(thought), Text("Two.")]
    assert read(QWEN, [thought], "<think>\n") == [Reasoning(thought)]
    assert read(QWEN, list(f"{thought}</think>Two."), "<think>") == [Reasoning(thought), Text("Two.")]


def test_a_call_in_reasoning_is_reasoning_without_tools_or_under_a_grammar() -> None:
    assert read(QWEN, [QWEN_CALL], "<think>\n", tools=()) == [Reasoning(QWEN_CALL)]
    parser = AnswerParser(QWEN, [TIME], "<think>\n", has_grammar=True)
    assert parser.push(f"{QWEN_CALL}</think>{QWEN_CALL}")[0] == Reasoning(QWEN_CALL)
    assert parser.has_calls


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["<tool_call>", '<tool_call>{"name": "get_time", "arguments": {', "<tool_call>{"]
)
@pytest.mark.parametrize("style", CALL_OF)
def test_long_reasoning_with_marks_is_read_in_linear_time(style: AnswerStyle, piece: str) -> None:
    text = piece * (100_000 // len(piece))
    pieces = [text[start : start + 20_000] for start in range(0, len(text), 20_000)]
    assert read(style, pieces, "<think>") == [Reasoning(text)]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_split_gives_the_same_events(data: st.DataObject) -> None:
    examples = EXAMPLES + CALLS
    style, prompt_end, *_ = data.draw(st.sampled_from(examples))
    marks = [style.reasoning.start, style.reasoning.end, " ", "\n", "word", "<", "<tool_call>", "<|channel>"]
    text = "".join(data.draw(st.lists(st.sampled_from([*marks, *(e[2] for e in examples)]), max_size=6)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(style, pieces, prompt_end) == read(style, [text], prompt_end)


def test_reasoning_arrives_while_it_is_written() -> None:
    parser = AnswerParser(QWEN)
    assert parser.push("<think>\nOne ") == [Reasoning("One")]
    assert parser.push("two </th") == [Reasoning(" two")]
    assert parser.push("ink>\n\nThree") == [Text("Three")]


def make_form(start: str, end: str) -> ReasoningForm:
    return ReasoningForm(start, end, ending=end, special_tokens=(start, end))


APRIEL = make_form("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]")


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{{ '<|im_start|>assistant\\n<think>\\n' }}", THINK),
        ("{{ content.split('</think>')[-1] }}", THINK),
        ("[THINK]{{ content }}[/THINK]", MISTRAL),
        ("{{ '<|channel>thought\\n<channel|>' }}", GEMMA),
        ("<|channel|>analysis<|message|>", HARMONY),
        ("<mm:think>{{ text }}</mm:think>", make_form("<mm:think>", "</mm:think>")),
        (
            "{{ '<|START_THINKING|>' ~ text ~ '<|END_THINKING|>' }}",
            make_form("<|START_THINKING|>", "<|END_THINKING|>"),
        ),
        (
            "{% set start = 'Here are my reasoning steps:\\n' %} after the marker [BEGIN FINAL RESPONSE]",
            APRIEL,
        ),
        ("{{ '<|im_start|>assistant\\n' }}", None),
    ],
)
def test_the_template_tells_the_form(template: str, form: ReasoningForm | None) -> None:
    assert recognize_reasoning(template) == form
    assert recognize(template).name in ("plain", "harmony")


def test_reasoning_of_a_prompt_that_opens_it_in_words_ends_at_the_mark() -> None:
    style = AnswerStyle(PLAIN, APRIEL)
    parser = AnswerParser(style, prompt_end="<|begin_assistant|>\nHere are my reasoning steps:\n")
    events = [*parser.push("Two and two.\n[BEGIN FINAL"), *parser.push(" RESPONSE]\nFour."), *parser.finish()]
    assert join_events(events) == [Reasoning("Two and two."), Text("Four.")]


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


def test_a_budget_counts_reasoning_that_starts_twice() -> None:
    pieces = ["<|channel>", "<|channel>", "thought", "\n", "a", "b"]
    assert answer_with_budget(GEMMA, 2, pieces) == [*pieces[:5], "END"]


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
