"""Chat templates that requests bring: programs of strangers, beside the template of the model."""

import threading
from collections.abc import Iterator

import pytest

from model_core import LLM, SamplingParams
from model_core.chat.request_templates import RequestTemplates
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.requests.messages import MAX_TEMPLATE_LENGTH, ChatFields, parse_messages

HELLO = [{"role": "user", "content": "Hello"}]
SHOUT = "{% for m in messages %}{{ m.role }}: {{ m.content | upper }}\n{% endfor %}"
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
ATTACKS = {
    "loop": (LOOP, "chat_template takes longer than"),
    "output": (
        "{% for i in range(99999) %}{{ 'aaaa' * 99999 }}{% endfor %}",
        "maximum context|memory|longer",
    ),
    "memory": ("{{ 'a' * (messages | length * 10**10) }}", "chat_template needs more than 256 MiB of memory"),
    "constant": ("{{ 'a' * 10**10 }}", "chat_template (is damaged|needs more|takes longer)"),
    "recursion": ("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "fails on .*recursion"),
    "nesting": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "chat_template (is damaged|ends the process)"),
    "syntax": ("{% for %}", "chat_template is damaged"),
    "refusal": ("{{ raise_exception('no') }}", "^chat_template refuses these messages: no"),
    "class": ("{{ ''.__class__.__mro__ }}", "fails on these messages"),
    "attr": ("{{ (''|attr('__class__')).__mro__ }}", "fails on these messages"),
    "globals": ("{{ raise_exception.__globals__['sys'] }}", "fails on these messages"),
    "cycler": ("{{ cycler.__init__.__globals__.os.getcwd() }}", "fails on these messages"),
    "format": ("{{ '{0.__class__.__mro__}'.format(messages) }}", "fails on these messages"),
    "format attr": ("{{ ('{0.__class__.__mro__}'|attr('format'))(messages) }}", "fails on these messages"),
    "format map": ("{{ '{x.__class__.__mro__}'.format_map({'x': 1}) }}", "fails on these messages"),
    "map attribute": ("{{ (messages|map(attribute='__class__')|list)[0].mro() }}", "fails on these messages"),
    "import": ("{% include '/etc/passwd' %}", "fails on these messages|is damaged"),
    "change": ("{{ messages.append(1) }}", "fails on these messages"),
    "nothing": ("{{ '' }}", "the prompt is empty"),
}
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def open_llm() -> Iterator[LLM]:
    with LLM(allow_request_templates=True) as loaded:
        yield loaded


def answer(llm: LLM, **fields: object) -> str:
    return llm.chat(HELLO, SamplingParams(max_tokens=5, temperature=0), **fields).text


def test_prompt_is_what_the_template_of_the_request_makes(open_llm: LLM) -> None:
    own = open_llm.encode_chat(HELLO)
    prompt = open_llm.encode_chat(HELLO, ChatFields(chat_template=SHOUT))
    assert (
        prompt.text == "user: HELLO\n"
        and prompt.token_ids == open_llm.encode(prompt.text)[-len(prompt.token_ids) :]
    )
    assert open_llm.encode_chat(HELLO) == own
    variables = {
        "chat_template": "{{ word }} {{ eos_token }}{{ eos_token }}",
        "chat_template_kwargs": {"word": "yes"},
    }
    text = open_llm.encode_chat(HELLO, ChatFields(**variables)).text
    assert text.startswith("yes <") and len(text) > len("yes <")


def test_names_of_control_tokens_in_messages_stay_text(open_llm: LLM) -> None:
    ends = [{"role": "user", "content": "<|im_end|>"}]
    ids = open_llm.encode_chat(ends, ChatFields(chat_template="{{ messages[0].content }}")).token_ids
    assert not open_llm.tokenizer.control_token_ids & set(ids)


def test_templates_are_refused_unless_they_are_allowed(llm: LLM) -> None:
    with pytest.raises(InvalidRequest, match="--allow-request-templates") as raised:
        answer(llm, chat_template=SHOUT)
    assert raised.value.param == "chat_template"


@pytest.mark.parametrize("template", ["", "a" * (MAX_TEMPLATE_LENGTH + 1), "\ud800", 5])
def test_wrong_values_are_refused(open_llm: LLM, template: object) -> None:
    with pytest.raises(InvalidRequest, match="chat_template") as raised:
        answer(open_llm, chat_template=template)
    assert raised.value.param == "chat_template"


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_refused_and_harm_nobody(open_llm: LLM, name: str) -> None:
    source, expected = ATTACKS[name]
    before = answer(open_llm)
    with pytest.raises(InvalidRequest, match=expected) as raised:
        answer(open_llm, chat_template=source)
    if not isinstance(raised.value, PromptTooLong) and name != "nothing":
        assert raised.value.param == "chat_template"
    text = str(raised.value)
    assert len(text) < 1000 and "\n" not in text and ".." not in text
    assert answer(open_llm) == before


def test_the_models_own_template_does_not_wait_for_those_of_requests(open_llm: LLM) -> None:
    """Both have processes of their own: while one loops, the other renders."""
    slow = "{% if messages[-1].content == 'Hello' %}" + LOOP + "{% endif %}a"
    failures, own = [], open_llm.encode_chat(HELLO)

    def attack() -> None:
        try:
            open_llm.encode_chat(HELLO, ChatFields(chat_template=slow))
        except InvalidRequest as error:
            failures.append(error)

    thread = threading.Thread(target=attack)
    thread.start()
    rendered = 0
    while thread.is_alive():
        assert open_llm.encode_chat(HELLO) == own
        rendered += 1
    thread.join()
    assert len(failures) == 1 and rendered > 2


def test_few_templates_keep_their_processes() -> None:
    templates, fields = RequestTemplates({}, 1000), ChatFields()
    messages = parse_messages(HELLO)
    kept = [templates.find(f"{number}") for number in range(6)]
    assert templates.find("5") is kept[5] and templates.find("0") is not kept[0]
    first = kept[0]
    assert first.render(first.prepare(messages, fields), fields) == "0"  # as by a thread that still has it
    templates.close()
