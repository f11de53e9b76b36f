"""What chat templates get: tools, calls and their results, reasoning, variables; each in its conventions."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from model_core.chat.chat_tokenizer import ChatTokenizer
from model_core.chat.render_program import make_environment
from model_core.chat.template import ChatTemplate
from model_core.errors import InvalidRequest
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.hub import embedded_model
from model_core.requests.messages import ChatFields, parse_messages

Load = Callable[..., ChatTokenizer]
WEATHER = {
    "name": "get_weather",
    "description": "The weather of a place.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
QUESTION = {"role": "user", "content": "And in Paris?"}
MESSAGES = parse_messages([QUESTION])
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Paris"}'}],
}
RESULT = {"role": "tool", "content": "rain", "tool_call_id": "call_1"}
CALLS = [QUESTION, CALL, RESULT]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """The embedded model's tokenizer with another template, or with several by name."""
    loaded = []

    def load_template(source: Any, **config: Any) -> ChatTokenizer:
        folder = tmp_path / str(len(loaded))
        shutil.copytree(embedded_model(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": source, **config}))
        loaded.append(open_folder_tokenizer(folder))
        return loaded[-1]

    yield load_template
    for tokenizer in loaded:
        tokenizer.close()


def rendered(tokenizer: ChatTokenizer, messages: list[dict[str, Any]], **options: Any) -> str:
    template, fields = tokenizer.chat_template, ChatFields(**options)
    assert template is not None
    return template.render(template.prepare(parse_messages(messages), fields), fields)


def test_tools_calls_and_results_have_the_shape_that_templates_expect(load: Load) -> None:
    tokenizer = load("{{ tools | tojson }}\n{{ messages | tojson }}")
    tools, messages = map(json.loads, rendered(tokenizer, CALLS, tools=[WEATHER]).split("\n"))
    assert tools == [{"type": "function", "function": WEATHER}]
    assert messages == [
        QUESTION,
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "type": "function",
                    "id": "call_1",
                    "function": {"name": "get_weather", "arguments": {"city": "Paris"}},
                }
            ],
        },
        {"role": "tool", "content": "rain", "tool_call_id": "call_1", "name": "get_weather"},
    ]
    assert rendered(tokenizer, [QUESTION]).startswith("null\n")


CALL_LOOP = "{% for m in messages %}{% for c in m.tool_calls or [] %}CALL{% endfor %}{% endfor %}"
CONVENTIONS = {
    "arguments as an object": "{{ c.function.name }}({{ c.function.arguments | tojson }})",
    "arguments as text": "{{ c.function.name + '(' + c.function.arguments + ')' }}",
    "arguments as text, joined": "{{ c.function.name ~ '(' ~ c.function.arguments }})",
    "null content": "{% if not (m.content is none) %}{% continue %}{% endif %}"
    "{{ c.function.name }}({{ c.function.arguments | tojson }})",
    "short ids": "{% if c.id | length != 9 %}{{ raise_exception('ids have nine characters') }}{% endif %}"
    "{{ c.function.name }}({{ c.function.arguments | tojson }})",
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions_of_calls_are_found(load: Load, name: str) -> None:
    tokenizer = load(CALL_LOOP.replace("CALL", CONVENTIONS[name]))
    assert rendered(tokenizer, CALLS) == 'get_weather({"city": "Paris"})'


def test_call_and_result_keep_the_same_id(load: Load) -> None:
    call = (
        "{% if c.id | length != 9 %}{{ raise_exception('no') }}{% endif %}{{ c.id }}{{ c.function | tojson }}"
    )
    tokenizer = load(CALL_LOOP.replace("CALL", call) + "{{ messages[-1].tool_call_id }}")
    text = rendered(tokenizer, CALLS)
    assert text[:9] == text[-9:] and text[:9].isalnum()


def test_ids_stand_for_names_where_a_template_writes_no_names(load: Load) -> None:
    """As Kimi K2's: the model would not know what it has called."""
    call = "[{{ c.id }}{% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}"
    call += "{{ c.function.arguments | tojson }}{% endif %}]"
    tokenizer = load(CALL_LOOP.replace("CALL", call) + "{{ messages[-1].tool_call_id }}")
    time = {"id": "other", "name": "get_time", "arguments": "{}"}
    calls = {**CALL, "tool_calls": [*CALL["tool_calls"], time]}
    result = {**RESULT, "tool_call_id": "other"}
    assert rendered(tokenizer, [QUESTION, calls, RESULT, result]) == (
        '[functions.get_weather:0{"city": "Paris"}][functions.get_time:1{}]functions.get_time:1'
    )


def test_arguments_that_are_no_json_stay_as_they_are(load: Load) -> None:
    tokenizer = load(CALL_LOOP.replace("CALL", "{{ c.function.name }}{{ c.function.arguments | tojson }}"))
    calls = [{"id": "1", "name": "f", "arguments": text} for text in ("", '{"a": 1', "[" * 100_000)]
    for call, expected in zip(calls, ("{}", '"{\\"a\\": 1"', '"' + "[" * 100_000 + '"'), strict=True):
        assert rendered(tokenizer, [{"role": "assistant", "tool_calls": [call]}]) == "f" + expected


ITEMS = "{% for k, v in c.function.arguments | items %}{{ k }}={{ v }};{% endfor %}"


CUT = {
    '{"city": "Par': "city=Par;",
    '{"city": "Paris", "days": [1, 2': "city=Paris;days=[1, 2];",
    '{"city": "Paris", "days": ': "city=Paris;",
    '{"city": "Paris"': "city=Paris;",
    **dict.fromkeys(("", " ", "null", "{", "[1]", "3", '"Paris"', "city: Paris", "[" * 100_000), ""),
}


def test_template_that_takes_members_gets_what_there_is_of_a_cut_call(load: Load) -> None:
    tokenizer = load(CALL_LOOP.replace("CALL", "{{ c.function.name }}(" + ITEMS + ")"))
    for arguments, expected in CUT.items():
        call = {**CALL, "tool_calls": [{"id": "call_1", "name": "get_weather", "arguments": arguments}]}
        assert rendered(tokenizer, [QUESTION, call, RESULT]) == f"get_weather({expected})"


def test_a_call_without_arguments_has_an_empty_object(load: Load) -> None:
    for name in ("arguments as an object", "arguments as text"):
        tokenizer = load(CALL_LOOP.replace("CALL", CONVENTIONS[name]))
        for arguments in ({"arguments": None}, {"arguments": "null"}, {"arguments": ""}, {}):
            call = {**CALL, "tool_calls": [{"id": "call_1", "name": "get_weather", **arguments}]}
            assert rendered(tokenizer, [QUESTION, call, RESULT]) == "get_weather({})"


# Templates that take turns only in a certain order: what they check, before the messages are shown.
SHOWN = (
    "{% for m in messages %}{{ m.role[0] }}:{{ m.content or '' }}"
    "{% for c in m.tool_calls or [] %}{{ c.function.name }}!{% endfor %} {% endfor %}"
)
REFUSED = "{{ raise_exception('no') }}"
PREVIOUS = "messages[loop.index0].role"
ORDERS = {
    name: f"{{% for m in messages[1:] %}}{{% if {condition} %}}{REFUSED}{{% endif %}}{{% endfor %}}"
    for name, condition in {
        "alternating": f"m.role == {PREVIOUS} and m.role != 'tool'",
        "one system message": "m.role == 'system'",
        "no empty answers": "m.role == 'assistant' and not m.content and not m.tool_calls",
        "single calls": "m.tool_calls and m.tool_calls | length != 1",
        "ended turns": f"m.role == 'user' and {PREVIOUS} == 'tool'",
    }.items()
}
SYSTEM, HELLO = {"role": "system", "content": "S"}, {"role": "assistant", "content": "Hi"}
EMPTY = {"role": "assistant", "content": ""}
TWO_CALLS = {
    **CALL,
    "content": "Look.",
    "tool_calls": [{"id": f"call_{i}", "name": f"f{i}", "arguments": "{}"} for i in (1, 2)],
}
SECOND = {**RESULT, "content": "snow", "tool_call_id": "call_2"}


@pytest.mark.parametrize(
    ("name", "messages", "expected"),
    [
        ("alternating", [QUESTION, QUESTION], "u:And in Paris?\n\nAnd in Paris? "),
        ("alternating", [QUESTION, HELLO, TWO_CALLS, RESULT], "u:And in Paris? a:Hi\n\nLook.f1!f2! t:rain "),
        ("one system message", [SYSTEM, SYSTEM, QUESTION], "s:S\n\nS u:And in Paris? "),
        ("no empty answers", [QUESTION, EMPTY, QUESTION], "u:And in Paris? u:And in Paris? "),
        (
            "single calls",
            [QUESTION, TWO_CALLS, SECOND, RESULT, QUESTION],
            "u:And in Paris? a:Look.f1! t:rain a:f2! t:snow u:And in Paris? ",
        ),
        (
            "single calls",
            [QUESTION, TWO_CALLS, QUESTION],
            "u:And in Paris? a:Look.f1! a:f2! u:And in Paris? ",
        ),
        (
            "ended turns",
            [QUESTION, CALL, RESULT, QUESTION],
            "u:And in Paris? a:get_weather! t:rain a: u:And in Paris? ",
        ),
    ],
)
def test_template_that_refuses_an_order_of_messages_gets_another(
    load: Load, name: str, messages: list[dict[str, Any]], expected: str
) -> None:
    assert rendered(load(ORDERS[name] + SHOWN), messages) == expected


def test_messages_stay_as_they_are_where_a_template_takes_them(load: Load) -> None:
    messages = [SYSTEM, SYSTEM, QUESTION, QUESTION, EMPTY, TWO_CALLS, RESULT, SECOND, QUESTION]
    expected = "s:S s:S u:And in Paris? u:And in Paris? a: a:Look.f1!f2! t:rain t:snow u:And in Paris? "
    assert rendered(load(SHOWN), messages) == expected


def test_an_order_that_cannot_be_mended_is_refused(load: Load) -> None:
    tokenizer = load(ORDERS["one system message"] + SHOWN)
    with pytest.raises(InvalidRequest, match="refuses these messages: no"):
        rendered(tokenizer, [SYSTEM, QUESTION, HELLO, SYSTEM, QUESTION])


def test_template_that_takes_text_or_reasoning_beside_a_call(load: Load) -> None:
    """As that of gpt-oss does."""
    refuse = "{% if m.content and m.thinking %}{{ raise_exception('both') }}{% endif %}"
    tokenizer = load(
        CALL_LOOP.replace(
            "CALL", refuse + "{{ m.thinking }}: {{ c.function.arguments }}{{ c.function.name }}"
        )
    )
    thoughtful = {**CALL, "content": "One moment.", "reasoning": "Look it up."}
    assert rendered(tokenizer, [QUESTION, thoughtful]).startswith("Look it up.\n\nOne moment.: ")


def test_reasoning_of_the_history_is_left_to_the_template(load: Load) -> None:
    """As Qwen3's template, this one shows the reasoning only after the last question."""
    source = (
        "{% for m in messages %}{% set later = messages[loop.index:] | map(attribute='role') | list %}"
        "{% if m.reasoning_content and 'user' not in later %}<{{ m.reasoning_content }}>{% endif %}"
        "{{ m.content }}.{% endfor %}"
    )
    answer = {"role": "assistant", "content": "yes", "reasoning": "why"}
    assert rendered(load(source), [QUESTION, answer, QUESTION, answer]) == (
        "And in Paris?.yes.And in Paris?.<why>yes."
    )
    assert "why" not in rendered(load("{% for m in messages %}{{ m }}{% endfor %}"), [QUESTION, answer])


def test_developer_is_another_name_of_system(load: Load) -> None:
    roles = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        QUESTION,
        {"role": "developer", "content": "Now be quick."},
    ]
    expected = "system: Be brief.\n\nBe kind.\nuser: And in Paris?\nsystem: Now be quick.\n"
    assert rendered(load(roles), messages) == expected
    assert rendered(load(roles), messages[1:3]) == "system: Be kind.\nuser: And in Paris?\n"
    knowing = rendered(load(roles + "{{ 'developer' if not messages }}"), messages)
    assert knowing.startswith("system: Be brief.\ndeveloper: Be kind.\n")


def test_parts_of_a_content_are_joined_by_line_ends(load: Load) -> None:
    parts = [{"type": "text", "text": "And in"}, {"type": "text", "text": "Paris?"}]
    tokenizer = load("{% for m in messages %}{{ m.content }}{% endfor %}")
    assert rendered(tokenizer, [{"role": "user", "content": parts}]) == "And in\nParis?"


def test_template_that_takes_only_parts_gets_them(load: Load) -> None:
    tokenizer = load("{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}.{% endfor %}")
    assert rendered(tokenizer, [QUESTION, {"role": "assistant", "content": ""}]) == "And in Paris?.."
    started = [QUESTION, {"role": "assistant", "content": "It"}]
    assert rendered(tokenizer, started, continue_final_message=True) == "And in Paris?.It"


def test_template_for_tools_is_used_with_tools(load: Load, tmp_path: Path) -> None:
    named = {"default": "plain {{ messages[0].content }}", "tool_use": "tools {{ tools[0].function.name }}"}
    tokenizer = load([{"name": name, "template": source} for name, source in named.items()])
    assert rendered(tokenizer, [QUESTION]) == "plain And in Paris?"
    assert rendered(tokenizer, [QUESTION], tools=[WEATHER]) == "tools get_weather"
    assert (
        isinstance(tokenizer.chat_template, ChatTemplate)
        and tokenizer.chat_template.source == named["tool_use"]
    )
    folder = tmp_path / "0"
    (folder / "chat_template.jinja").write_text("from a file")
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "tool_use.jinja").write_text("tools from a file")
    separate = open_folder_tokenizer(folder)
    assert rendered(separate, [QUESTION]) == "from a file"
    assert rendered(separate, [QUESTION], tools=[WEATHER]) == "tools from a file"
    separate.close()


def test_what_filters_return_is_json(load: Load) -> None:
    values = ("messages | map(attribute='role')", "{'a': messages | select('none')}", "{'b': 1}.items()")
    tokenizer = load("".join(f"{{{{ {value} | tojson }}}}" for value in values))
    assert rendered(tokenizer, [QUESTION]) == '["user"]{"a": []}[["b", 1]]'
    with pytest.raises(InvalidRequest, match="Undefined is not JSON"):
        rendered(load("{{ messages[0].nothing | tojson }}"), [QUESTION])


def test_variables_reach_the_template(load: Load) -> None:
    source = "{{ enable_thinking }} {{ thinking }} {{ reasoning_effort }} {{ style }} {{ bos_token }}"
    tokenizer = load(source, bos_token="<|im_start|>")

    def render(kwargs: dict[str, Any], **options: Any) -> str:
        return rendered(tokenizer, [QUESTION], chat_template_kwargs=kwargs, **options)

    high = {"enable_thinking": True, "reasoning_effort": "high"}
    assert render({"style": ["a", 1]}, **high) == "True True high ['a', 1] <|im_start|>"
    assert render({}, reasoning_effort="none") == "False False   <|im_start|>"
    own = {"thinking": True, "reasoning_effort": "max"}
    assert render(own, enable_thinking=False, reasoning_effort="low") == "False True max  <|im_start|>"
    strength = load("{{ reasoning_strength or 'high' }}")  # of Muse Glimmer
    assert rendered(strength, [QUESTION], reasoning_effort="low") == "low"
    assert rendered(strength, [QUESTION]) == "high"


@pytest.mark.parametrize(
    "variables",
    [
        *({name: "x"} for name in ("messages", "tools", "bos_token", "eos_token", "add_generation_prompt")),
        *({name: None} for name in ("raise_exception", "documents", "a-b", "", "namespace")),
        {"a": {"b": 1}},
        {"a": [[1]]},
        {"a": "x" * 2**15},
        {f"a{i}": i for i in range(33)},
    ],
    ids=lambda variables: str(variables)[:30],
)
def test_wrong_variable_is_refused(variables: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match="chat_template_kwargs") as raised:
        fields = ChatFields(chat_template_kwargs=variables)
        open_folder_tokenizer(embedded_model()).encode_chat(MESSAGES, fields)
    assert str(raised.value.param).startswith("chat_template_kwargs")


def test_end_of_the_prompt_shows_whether_the_model_reasons(load: Load) -> None:
    tokenizer = load("{{ messages[0].content * 99 }}<|im_end|>{% if enable_thinking %}<think>\n{% endif %}")
    on, off = (tokenizer.encode_chat(MESSAGES, ChatFields(enable_thinking=flag)) for flag in (True, False))
    assert on.end.endswith("Paris?<|im_end|><think>\n") and off.end.endswith("Paris?<|im_end|>")
    assert len(on.end) == len(off.end) == 256


@pytest.mark.parametrize(
    ("ending", "default"),
    [
        ("{% if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}", True),
        ("{{ '<think>' if thinking else '</think>' }}", False),
        ("<think>", None),
        ("{% if m.thinking is defined %}{{ m.thinking }}{% endif %}", None),
    ],
    ids=["on", "off", "always", "never"],
)
def test_default_of_the_switch_for_reasoning(load: Load, ending: str, default: bool | None) -> None:
    template = load("{% for m in messages %}{{ m.content }}{% endfor %}" + ending).chat_template
    assert template is not None and template.enable_thinking is default


def test_prompt_without_the_start_of_an_answer(load: Load) -> None:
    tokenizer = load("{{ messages[0].content }}{% if add_generation_prompt %} A:{% endif %}")
    assert rendered(tokenizer, [QUESTION]) == "And in Paris? A:"
    assert rendered(tokenizer, [QUESTION], add_generation_prompt=False) == "And in Paris?"


def test_call_cannot_be_continued(load: Load) -> None:
    tokenizer = load("{% for m in messages %}{{ m.content }}{% endfor %}")
    with pytest.raises(InvalidRequest, match="a text to continue"):
        rendered(tokenizer, [QUESTION, CALL], continue_final_message=True)


@pytest.mark.parametrize("source", ["{{ [1, 2, 3] | random }}", "{{ lipsum() }}"])
def test_templates_cannot_draw_at_random(source: str) -> None:
    """The same request would have other bytes each time."""
    with pytest.raises(Exception, match=r"random|lipsum"):
        make_environment().from_string(source).render()
