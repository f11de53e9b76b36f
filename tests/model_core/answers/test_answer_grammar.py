"""The grammar of a whole answer: reasoning, calls, text of a given form."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from model_core.answers.grammar import write_answer_grammar
from model_core.answers.parser import AnswerStyle, recognize_style
from model_core.answers.reasoning import GEMMA, HARMONY, THINK
from model_core.answers.tools import PLAIN
from model_core.answers.tools.gemma import GEMMA4
from model_core.answers.tools.harmony import HARMONY as HARMONY_TOOLS
from model_core.answers.tools.hermes import HERMES
from model_core.answers.tools.tags.glm import GLM
from model_core.errors import InvalidRequest
from model_core.grammar.trial import GrammarCheck
from model_core.hub import embedded_model
from model_core.requests.messages import Tool, ToolChoice, ToolName

WEATHER = Tool(
    name="get_weather",
    parameters={"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}}, "required": ["city"]},
)
STRICT = WEATHER.model_copy(update={"strict": True})
TIME = Tool(name="get_time")
QWEN, PLAIN_STYLE, GPT_OSS = (
    AnswerStyle(HERMES, THINK),
    AnswerStyle(PLAIN, None),
    AnswerStyle(HARMONY_TOOLS, HARMONY),
)
MUSE_GLIMMER = recognize_style(
    "{{ tools }}<|start|>assistant to=self<|message|><atem:function_calls><|eom|><|eot|>"
)
STYLES = (QWEN, PLAIN_STYLE, GPT_OSS, MUSE_GLIMMER)
JSON_FORM = LLMatcher.grammar_from_json_schema(
    {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False},
    defaults={"whitespace_pattern": r" |\n[ \t]{0,32}"},
)
REGEX_FORM = LLMatcher.grammar_from_regex("[a-z]+")
LARK_FORM = json.dumps({"grammars": [{"lark_grammar": 'start: r1 r1\nr1: "x"'}]})
FORMS = [(JSON_FORM, '{"name": "get"}'), (REGEX_FORM, "abc"), (LARK_FORM, "xx")]
CHECK = GrammarCheck({0: b"\xffend"}, [0])
CALL = {
    QWEN: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    PLAIN_STYLE: '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    GPT_OSS: '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}',
    MUSE_GLIMMER: ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
    '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
}
REASONING = {
    QWEN: "<think>\nHm {a}.\n</think>\n\n",
    GPT_OSS: "<|channel|>analysis<|message|>Hm {a}.<|end|><|start|>assistant",
    MUSE_GLIMMER: " to=self<|message|>Hm {a}.<|eom|><|start|>assistant",
}


@pytest.fixture(scope="module")
def tokenizer() -> LLTokenizer:
    return LLTokenizer(str(embedded_model() / "tokenizer.json"))


@pytest.fixture(scope="module", autouse=True)
def check() -> Iterator[None]:
    """The process that `write` uses ends with the tests."""
    yield
    CHECK.close()


def write(
    style: AnswerStyle,
    tools: list[Tool] | None = None,
    choice: ToolChoice = "auto",
    parallel: bool = True,
    form: str | None = None,
    prompt_end: str = "",
) -> str | None:
    grammar = write_answer_grammar(
        style, tools or [], choice, parallel, form, prompt_end, {}, CHECK.find_fault
    )
    return grammar.text


def accepts(tokenizer: LLTokenizer, grammar: str | None, text: str) -> bool:
    """Whether a grammar accepts a text as a whole."""
    assert grammar is not None
    matcher = LLMatcher(tokenizer, grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


@pytest.mark.parametrize("style", STYLES)
def test_an_answer_without_constraints_has_no_grammar(style: AnswerStyle) -> None:
    assert write(style) is None
    assert write(style, [WEATHER]) is None
    assert write(style, [STRICT], "none", False) is None


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("form", "text"), FORMS)
@pytest.mark.parametrize("tools", [[], [WEATHER]])
def test_text_has_its_form_after_reasoning(
    style: AnswerStyle, form: str, text: str, tools: list[Tool], tokenizer: LLTokenizer
) -> None:
    grammar, text = write(style, tools, form=form), style.tools.text_start + text
    for reasoning in {"", REASONING.get(style, "")}:
        assert accepts(tokenizer, grammar, reasoning + text)
        assert not accepts(tokenizer, grammar, reasoning + text + "!")
        assert accepts(tokenizer, grammar, reasoning + CALL[style]) == bool(tools)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("choice", ["required", ToolName(name="get_weather")])
def test_a_required_call_may_follow_reasoning(
    style: AnswerStyle, choice: ToolChoice, tokenizer: LLTokenizer
) -> None:
    grammar = write(style, [WEATHER, TIME], choice, form=REGEX_FORM)
    for reasoning in {"", REASONING.get(style, "")}:
        assert accepts(tokenizer, grammar, reasoning + CALL[style])
        assert not accepts(tokenizer, grammar, reasoning + CALL[style].replace("Paris", "Berlin"))
        assert not accepts(tokenizer, grammar, reasoning + style.tools.text_start + "abc")
    time = CALL[style].replace("get_weather", "get_time").replace('"city": "Paris"', "")
    time = time.replace('<atem:parameter name="city">Paris</atem:parameter>\n', "")
    assert accepts(tokenizer, grammar, time) == (choice == "required")


@pytest.mark.parametrize(
    ("style", "prompt_end"),
    [
        (QWEN, "<think>\n\n</think>\n\n"),
        (QWEN, "assistant\n</think>"),
        (AnswerStyle(PLAIN, GEMMA), "<|channel>thought\n<channel|>"),
    ],
)
def test_reasoning_that_the_prompt_has_closed_does_not_begin_again(
    style: AnswerStyle, prompt_end: str, tokenizer: LLTokenizer
) -> None:
    assert style.reasoning is not None
    reasoning = f"{style.reasoning.start}\nHm.\n{style.reasoning.end}"
    call = CALL[QWEN if style is QWEN else PLAIN_STYLE]
    form = write(style, form=REGEX_FORM, prompt_end=prompt_end)
    required = write(style, [WEATHER], "required", prompt_end=prompt_end)
    for grammar, text in ((form, "abc"), (required, call)):
        assert accepts(tokenizer, grammar, text)
        assert not accepts(tokenizer, grammar, reasoning + text)


def test_a_prompt_may_have_opened_the_reasoning(tokenizer: LLTokenizer) -> None:
    grammar = write(QWEN, form=REGEX_FORM, prompt_end="<|im_start|>assistant\n<think>\n")
    assert accepts(tokenizer, grammar, "Hm.\n</think>\n\nabc")
    assert not accepts(tokenizer, grammar, "abc")


@pytest.mark.parametrize("style", STYLES)
def test_strict_and_single_calls_have_a_grammar_beside_text(
    style: AnswerStyle, tokenizer: LLTokenizer
) -> None:
    text = style.tools.text_start + "Hello."
    for grammar in (write(style, [STRICT]), write(style, [WEATHER], parallel=False)):
        assert accepts(tokenizer, grammar, text)
        assert accepts(tokenizer, grammar, CALL[style])
        assert not accepts(tokenizer, grammar, CALL[style].replace("Paris", "Berlin"))
    if style.tools.is_parallel:
        calls = CALL[style] + style.tools.separator + CALL[style]
        assert accepts(tokenizer, write(style, [STRICT]), calls)
        assert not accepts(tokenizer, write(style, [STRICT], parallel=False), calls)


def test_schemas_keep_their_references(tokenizer: LLTokenizer) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"day": {"$ref": "#/$defs/day"}, "then": {"$ref": "#"}},
        "required": ["day"],
        "$defs": {"day": {"type": "integer"}},
    }
    grammar = write(PLAIN_STYLE, [Tool(name="f", parameters=schema)], "required")
    call = '{"name": "f", "arguments": {"day": 1, "then": {"day": 2}}}'
    assert accepts(tokenizer, grammar, call)
    assert not accepts(tokenizer, grammar, call.replace("2", '"2"'))


def test_a_prompt_may_have_begun_the_text() -> None:
    prompt_end = "<|start|>assistant<|channel|>final<|message|>Well, "
    assert write(GPT_OSS, form=REGEX_FORM, prompt_end=prompt_end) == REGEX_FORM


def test_a_named_tool_must_be_there() -> None:
    with pytest.raises(InvalidRequest, match="'other'"):
        write(QWEN, [WEATHER], ToolName(name="other"))


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "object", "properties": []}, "properties must be an object"),
        ({"properties": {"a": {"type": "strng"}}}, "strng"),
        ({"properties": {"a": {"$ref": "#/nothing"}}}, "nothing"),
        ({"type": "string"}, "no schema of an object"),
    ],
)
@pytest.mark.parametrize("style", [*STYLES, AnswerStyle(GLM, None), AnswerStyle(GEMMA4, None)])
def test_wrong_schemas_are_refused(style: AnswerStyle, schema: dict[str, Any], message: str) -> None:
    tools = [TIME, Tool(name="f", parameters=schema)]
    with pytest.raises(InvalidRequest, match=message) as error:
        write(style, tools, "required")
    assert error.value.param == "tools[1].parameters" and "'f'" in str(error.value)
    assert write(style, tools) is None  # the model may write what it likes


@pytest.mark.parametrize("style", [QWEN, AnswerStyle(GEMMA4, None)])
def test_long_chains_of_references_harm_nobody(style: AnswerStyle) -> None:
    """Each reference needs a piece of llguidance's stack. In this process, many would exhaust it."""

    def make_tool(length: int) -> Tool:
        parts = [
            {"anyOf": [{"$ref": f"#/$defs/d{number + 1}"}, {"type": "null"}]} for number in range(length)
        ]
        chain = {f"d{number}": part for number, part in enumerate(parts)}
        definitions = {**chain, f"d{length}": {"type": "integer"}}
        return Tool(name="f", parameters={"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})

    assert write(style, [make_tool(100)], "required")
    with pytest.raises(InvalidRequest, match="too complex") as error:
        write(style, [make_tool(20_000)], "required")
    assert error.value.param == "tools[0].parameters"


def test_keywords_that_cannot_be_enforced_are_ignored_unless_strict() -> None:
    schema = {"properties": {"a": {"type": "array", "uniqueItems": True}}}
    tool = Tool(name="f", parameters=schema)
    assert write(QWEN, [tool], "required")
    with pytest.raises(InvalidRequest, match="uniqueItems"):
        write(QWEN, [tool.model_copy(update={"strict": True})])
