"""Conversations through the engine: what their options do, and what a completion says of the answer."""

# ruff: noqa: RUF001 - the names of DeepSeek's tokens have wide bars

import json
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema
import pytest

from model_core import LLM, Completion, SamplingParams
from model_core.answers.parser import recognize_style
from model_core.answers.tools.deepseek import DEEPSEEK_V31
from model_core.answers.tools.gemma import GEMMA4
from model_core.answers.tools.harmony import HARMONY
from model_core.answers.tools.pythonic import LFM2
from model_core.answers.writer import join_events
from model_core.chat.model import ChatOptions
from model_core.errors import InvalidRequest
from model_core.hub import embedded_model
from model_core.requests.events import Reasoning, Text, ToolCallDelta
from model_core.requests.form import Form

GREEDY = SamplingParams(temperature=0)
HELLO = [{"role": "user", "content": "Hello!"}]
WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 12},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "unit": {"enum": ["C", "F"]},
        },
        "required": ["city", "days"],
    },
}
TIME = {"name": "get_time"}
TOOLS = [WEATHER, TIME]


def check_calls(completion: Completion) -> None:
    """The answer is calls of tools, with arguments that obey their schemas, and nothing else."""
    assert (completion.finish_reason, completion.text) == ("tool_calls", "")
    assert completion.tool_calls
    for call in completion.tool_calls:
        arguments = json.loads(call.arguments)
        jsonschema.validate(
            arguments, WEATHER["parameters"] if call.name == "get_weather" else {"maxProperties": 0}
        )
    assert len({call.id for call in completion.tool_calls}) == len(completion.tool_calls)


# Bytes that no text has. Their tokens get other names.
UNUSED_BYTES = "ÀÁõö÷øùúûüýþÿ"


@pytest.fixture(scope="module")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Makes copies of the embedded model, with a change of the chat template, and with special tokens."""
    models = []

    def make(old: str, new: str, special_tokens: Sequence[str] = ()) -> LLM:
        folder = tmp_path_factory.mktemp("model") / "changed"
        shutil.copytree(embedded_model(), folder)
        config = json.loads((folder / "tokenizer_config.json").read_text())
        assert old in config["chat_template"]
        config["chat_template"] = config["chat_template"].replace(old, new)
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        for name, byte in zip(special_tokens, UNUSED_BYTES, strict=False):
            token_id = tokenizer["model"]["vocab"].pop(byte)
            tokenizer["model"]["vocab"][name] = token_id
            tokenizer["added_tokens"].append(
                {**tokenizer["added_tokens"][0], "id": token_id, "content": name}
            )
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
        models.append(LLM(folder))
        return models[-1]

    yield make
    for model in models:
        model.close()


@pytest.fixture(scope="module")
def thinker(make_model: Any) -> LLM:
    """A model whose template opens the reasoning in the prompt."""
    return make_model("'<|im_start|>assistant\\n' }}", "'<|im_start|>assistant\\n<think>\\n' }}")


def test_tools_are_in_the_prompt_unless_no_call_is_allowed(llm: LLM) -> None:
    plain = llm.chat(HELLO, GREEDY)
    auto, none = (llm.chat(HELLO, GREEDY, tools=[WEATHER], tool_choice=choice) for choice in ("auto", "none"))
    assert none.usage.prompt_tokens == plain.usage.prompt_tokens < auto.usage.prompt_tokens
    assert (none.text, none.token_ids) == (plain.text, plain.token_ids)
    assert auto.text and auto.finish_reason == "stop" and auto.tool_calls == []


def test_a_conversation_may_have_calls_and_results(llm: LLM) -> None:
    call = {"id": "call_1", "name": "get_weather", "arguments": '{"city": "Paris"}'}
    messages = [
        *HELLO,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."},
    ]
    assert llm.chat(messages, GREEDY, tools=[WEATHER]).text


def test_events_make_up_the_answer(llm: LLM) -> None:
    events = list(llm.stream_chat_events(HELLO, GREEDY))
    assert all(isinstance(event, Text) for event in events)
    text = llm.chat(HELLO, GREEDY).text
    assert "".join(event.text for event in events) == text == "".join(llm.stream_chat(HELLO, GREEDY))


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tool_choice": "sometimes", "tools": [WEATHER]}, "tool_choice"),
        ({"tools": [{"name": ""}]}, "tools[0].name"),
        ({"tools": [WEATHER, TIME, WEATHER]}, "tools"),
        ({"toolz": []}, "toolz"),
    ],
)
def test_wrong_options_are_refused(llm: LLM, options: dict, param: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        llm.chat(HELLO, **options)
    assert error.value.param == param


@pytest.mark.parametrize("choice", ["required", {"name": "get_weather"}, {"name": "get_time"}])
def test_a_required_call_obeys_its_schema(llm: LLM, choice: Any) -> None:
    for seed in range(3):
        params = SamplingParams(temperature=1.5, seed=seed, max_tokens=300)
        completion = llm.chat(HELLO, params, tools=TOOLS, tool_choice=choice)
        check_calls(completion)
        if isinstance(choice, dict):
            assert [call.name for call in completion.tool_calls] == [choice["name"]]
        assert llm.chat(HELLO, params, tools=TOOLS, tool_choice=choice).tool_calls == completion.tool_calls


def test_calls_are_streamed_while_they_are_made(llm: LLM) -> None:
    options = {"tools": TOOLS, "tool_choice": {"name": "get_weather"}}
    params = SamplingParams(seed=1, temperature=1)
    events = list(llm.stream_chat_events(HELLO, params, **options))
    first, *others = events
    (call,) = llm.chat(HELLO, params, **options).tool_calls
    assert isinstance(first, ToolCallDelta) and (first.id, first.name) == (call.id, call.name)
    assert len(others) > 3 and all(event.id is None for event in others)
    assert join_events(events) == [ToolCallDelta(0, call.id, call.name, call.arguments)]


def test_one_call_only_where_several_are_not_allowed(llm: LLM) -> None:
    for seed in range(5):
        params = SamplingParams(temperature=2, seed=seed, max_tokens=300)
        completion = llm.chat(HELLO, params, tools=TOOLS, tool_choice="required", parallel_tool_calls=False)
        check_calls(completion)
        assert len(completion.tool_calls) == 1


def test_a_call_takes_the_place_of_text_of_a_form(llm: LLM) -> None:
    form = Form(
        json_schema={
            "type": "object",
            "properties": {"name": {"enum": ["Ann"]}},
            "required": ["name"],
            "additionalProperties": False,
        }
    )
    params = SamplingParams(temperature=0, form=form)
    assert json.loads(llm.chat(HELLO, params, tools=TOOLS, tool_choice="none").text) == {"name": "Ann"}
    check_calls(llm.chat(HELLO, params, tools=TOOLS, tool_choice="required"))
    either = llm.chat(HELLO, params, tools=TOOLS)
    assert either.tool_calls or json.loads(either.text) == {"name": "Ann"}


# What the template of a model mentions, and which special tokens its vocabulary has.
FORMATS: dict[str, tuple[str, Sequence[str]]] = {
    "hermes": ("<tool_call>", ()),
    "qwen_coder": ("<function=<parameter=", ()),
    "glm": ("<arg_key>", ()),
    "llama3": ("<|python_tag|>", ["<|python_tag|>"]),
    "mistral": ("[TOOL_CALLS][ARGS]", ["[TOOL_CALLS]", "[ARGS]"]),
    "mistral_list": ("[TOOL_CALLS]", ["[TOOL_CALLS]"]),
    "deepseek_v31": ("<｜tool▁call▁begin｜>", DEEPSEEK_V31.special_tokens),
    "gemma4": ("<|tool_call>", GEMMA4.special_tokens),
    "lfm2": ("<|tool_call_start|>", LFM2.special_tokens),
    "pythonic": ("[func_name1(", ()),
    "harmony": ("<|channel|><|message|>", HARMONY.special_tokens),
}


@pytest.mark.parametrize("name", FORMATS)
def test_calls_are_valid_in_the_way_a_model_writes_them(make_model: Any, name: str) -> None:
    marks, special_tokens = FORMATS[name]
    model = make_model("{%- for", f"{{#- tools {marks} #}}{{%- for", special_tokens)
    tool_format = recognize_style(model.chat_tokenizer.chat_template.source).tools
    assert tool_format.name == name
    options = {"tools": TOOLS, "tool_choice": {"name": "get_weather"}, "reasoning_budget": 5}
    for seed in range(2):
        params = SamplingParams(temperature=1.5, seed=seed, max_tokens=300)
        completion = model.chat(HELLO, params, **options)
        check_calls(completion)
        assert [call.name for call in completion.tool_calls] == ["get_weather"]
        tokens = {model.tokenizer.token_text(token) for token in completion.token_ids}
        assert (tool_format.mark in tokens) == (tool_format.mark in special_tokens)


def test_harmony_has_reasoning_calls_and_text(make_model: Any) -> None:
    start = "<|start|>assistant<|channel|>analysis<|message|>"
    model = make_model("<|im_start|>assistant\\n", start, HARMONY.special_tokens)
    params, budget = SamplingParams(temperature=0, max_tokens=100), {"reasoning_budget": 5}
    completion = model.chat(HELLO, params, **budget)
    assert completion.reasoning and completion.text and "<|" not in completion.text + completion.reasoning
    form = params.model_copy(update={"form": Form(choice=["yes", "no"])})
    assert model.chat(HELLO, form, **budget).text in ("yes", "no")


def test_reasoning_that_the_prompt_opens_is_no_text(thinker: LLM) -> None:
    completion = thinker.chat(HELLO, SamplingParams(temperature=0, max_tokens=5))
    assert completion.reasoning and (completion.text, completion.finish_reason) == ("", "length")
    events = list(thinker.stream_chat_events(HELLO, SamplingParams(temperature=0, max_tokens=5)))
    assert join_events(events) == [Reasoning(completion.reasoning)]


@pytest.mark.parametrize("budget", [0, 1, 6])
def test_a_budget_ends_the_reasoning(thinker: LLM, budget: int) -> None:
    params = SamplingParams(temperature=0, max_tokens=60)
    completion = thinker.chat(HELLO, params, reasoning_budget=budget)
    assert bool(completion.reasoning) == bool(budget)
    assert completion.usage.reasoning_tokens == budget
    assert completion.text and completion.text == completion.text.lstrip() and "think>" not in completion.text
    assert thinker.chat(HELLO, params, reasoning_budget=budget).token_ids == completion.token_ids


@pytest.mark.parametrize("options", [{}, {"reasoning_budget": 4}])
def test_forms_and_calls_follow_reasoning(thinker: LLM, options: dict[str, int]) -> None:
    params = SamplingParams(temperature=0, max_tokens=100, form=Form(choice=["yes", "no"]))
    completion = thinker.chat(HELLO, params, **options)
    assert completion.reasoning and completion.text in ("yes", "no")
    assert completion.usage.reasoning_tokens == (4 if options else 50)  # of endless reasoning
    completion = thinker.chat(HELLO, params, tools=TOOLS, tool_choice="required", **options)
    assert completion.reasoning
    check_calls(completion)


@pytest.mark.parametrize("choice", ["auto", "required"])
def test_a_call_in_open_reasoning_counts_unless_a_grammar_forbids_it(make_model: Any, choice: str) -> None:
    marks = "{%- if false %}{{ tools }}<tool_call></tool_call>{% endif %}"
    end = "'<|im_start|>assistant\\n' }}"
    model = make_model(end, f"'<|im_start|>assistant\\n<think>\\n' }}}}{marks}")
    fields = ChatOptions(tools=[TIME], tool_choice=choice)
    prepared = model.prepare_chat(HELLO, fields, GREEDY.with_defaults(model.defaults))
    call = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
    events = [*prepared.parser.push(call), *prepared.parser.finish()]
    assert any(isinstance(event, ToolCallDelta) for event in events) == (choice == "auto")
