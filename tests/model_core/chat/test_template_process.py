"""A chat template is an untrusted program: its time and memory are limited."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from support import wait_until

from model_core import LLM
from model_core.chat.chat_tokenizer import ChatTokenizer
from model_core.chat.render_program import make_environment
from model_core.chat.template import ChatTemplate
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.hub import embedded_model
from model_core.requests.messages import DEFAULT_FIELDS, Message

HELLO = [Message(role="user", content="Hello")]
# It fails only where somebody asks for it.
ON_DEMAND = "{{% if messages[-1].content == 'attack' %}}{}{{% else %}}fine{{% endif %}}"
ATTACK = [Message(role="user", content="attack")]
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
DOUBLE = (
    "{% set all = namespace(text='a') %}{% for i in range(40) %}"
    "{% set all.text = all.text ~ all.text %}{% endfor %}{{ all.text }}"
)

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str], ChatTokenizer]]:
    """The embedded model's tokenizer with another template."""
    loaded = []

    def load_template(source: str) -> ChatTokenizer:
        folder = tmp_path / f"poisoned-{len(loaded)}"
        shutil.copytree(embedded_model(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
        (folder / "chat_template.jinja").write_text(source)
        loaded.append(open_folder_tokenizer(folder, max_context=1000))
        return loaded[-1]

    yield load_template
    for tokenizer in loaded:
        tokenizer.close()


def template_processes() -> set[int]:
    """The ids of the processes that render templates for this process."""
    processes = psutil.Process().children()
    return {p.pid for p in processes if any("render_program" in part for part in p.cmdline())}


RUNTIME_ATTACKS = {
    "loop": (LOOP, "takes longer than"),
    "double": (DOUBLE, "256 MiB of memory|takes longer than"),  # a slow machine needs its time for the memory
    "multiply": ("{% set n = messages | length * 10**10 %}{{ 'a' * n }}", "256 MiB of memory"),
    "power": ("{% set n = messages | length * 9 %}{{ n**(n**n) }}", "takes longer than"),
    "tojson indent": ("{{ messages | tojson(indent=10**9) }}", "256 MiB of memory"),
    "center": ("{{ messages[0].content.center(10**10) }}", "256 MiB of memory"),
    "recursion": ("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "recursion"),
    "long message": ("{{ raise_exception('no ' * 10000 ) }}", "refuses these messages: no no"),
    "no message": ("{{ raise_exception('') }}", "refuses these messages"),
}


@pytest.mark.parametrize("name", RUNTIME_ATTACKS)
def test_attack_while_rendering_exceeds_a_limit(load: Callable[[str], ChatTokenizer], name: str) -> None:
    source, expected = RUNTIME_ATTACKS[name]
    tokenizer = load(ON_DEMAND.format(source))
    hello = tokenizer.encode_chat(HELLO)
    with pytest.raises(InvalidRequest, match=expected) as raised:
        tokenizer.encode_chat(ATTACK)
    assert len(str(raised.value)) < 1000 and "\n" not in str(raised.value)
    assert tokenizer.encode_chat(HELLO) == hello


def test_rendered_text_is_limited_by_the_context(load: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = load("{% for i in range(99999) %}{{ messages[0].content * 1000 }}{% endfor %}")
    with pytest.raises(PromptTooLong, match="maximum context length is 1000 tokens"):
        tokenizer.encode_chat(HELLO)


LOADING_ATTACKS = {
    "loop": LOOP,
    "product": "{{ 'a' * 10**10 }}",
    "filter": "{{ 'a' | center(10**10) }}",
    "folded power": "{{ 9**(9**9) }}",
    "large constant": "{{ 'a' * 10**8 }}",
    "deep nesting": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "deep blocks": "{% if true %}" * 5000 + "{% endif %}" * 5000,
    "many signs": "{{ " + "-" * 100_000 + "1 }}",
}


@pytest.mark.parametrize("name", LOADING_ATTACKS)
def test_attack_while_loading_exceeds_a_limit(load: Callable[[str], ChatTokenizer], name: str) -> None:
    before, memory = template_processes(), psutil.Process().memory_info().rss
    tokenizer = load(LOADING_ATTACKS[name])
    with pytest.raises(InvalidRequest, match=r"chat template of .*poisoned-0"):
        tokenizer.encode_chat([Message(role="user", content="a")])
    assert template_processes() == before
    assert psutil.Process().memory_info().rss - memory < 100 * 2**20


def test_other_requests_are_served_beside_an_attack(load: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = load(ON_DEMAND.format(LOOP))
    hello, results = tokenizer.encode_chat(HELLO), []

    def ask(messages: list[Message]) -> None:
        try:
            results.append(tokenizer.encode_chat(messages))
        except InvalidRequest as error:
            results.append(str(error))

    threads = [threading.Thread(target=ask, args=(m,)) for m in [ATTACK, HELLO, HELLO, HELLO]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.count(hello) == 3 and len(results) == 4


def test_rendered_texts_are_those_of_jinja() -> None:
    tokenizer = open_folder_tokenizer(embedded_model())
    source = json.loads((embedded_model() / "tokenizer_config.json").read_text())["chat_template"]
    template = make_environment().from_string(source)
    for count in range(1, 5):
        for text in ("Hello", "é 🦊\n\n", "HELLO THERE", "", "{{ 1 }}", '"\\u1234'):
            messages = [{"role": role, "content": text} for role in ("user", "assistant") * count]
            expected = template.render(messages=messages, add_generation_prompt=True)
            assert isinstance(tokenizer.chat_template, ChatTemplate)
            assert tokenizer.chat_template.render({"messages": messages}, DEFAULT_FIELDS) == expected
    tokenizer.close()


def test_long_conversation_is_within_the_time_limit() -> None:
    tokenizer = open_folder_tokenizer(embedded_model(), max_context=2**20)
    messages = [{"role": "user", "content": "word " * 200_000}, {"role": "assistant", "content": "Yes"}] * 2
    assert isinstance(tokenizer.chat_template, ChatTemplate)
    assert len(tokenizer.chat_template.render({"messages": messages}, DEFAULT_FIELDS)) > 2_000_000
    tokenizer.close()


def test_reply_to_an_interrupted_request_is_dropped(load: Callable[[str], ChatTokenizer]) -> None:
    """Ctrl-C in the middle of a request."""
    slow = "{% for a in range(20000) %}{% endfor %}slow"
    tokenizer = load(ON_DEMAND.format(slow))
    hello = tokenizer.encode_chat(HELLO)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in (0.0005, 0.001, 0.002, 0.004):
            signal.setitimer(signal.ITIMER_REAL, delay)
            with contextlib.suppress(KeyboardInterrupt):
                tokenizer.encode_chat(ATTACK)
                time.sleep(1)
            assert tokenizer.encode_chat(HELLO) == hello
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_killed_process_is_started_again() -> None:
    before = template_processes()
    tokenizer = open_folder_tokenizer(embedded_model())
    hello = tokenizer.encode_chat(HELLO)
    for sent in (signal.SIGKILL, signal.SIGTERM):
        (child,) = template_processes() - before
        os.kill(child, sent)
        wait_until(lambda child=child: psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
        assert tokenizer.encode_chat(HELLO) == hello
    tokenizer.close()
    assert template_processes() == before


def test_closing_a_model_ends_its_template_process() -> None:
    before = template_processes()
    with LLM() as llm:
        assert len(template_processes() - before) == 1
        llm.encode_chat(HELLO)
    assert template_processes() == before


@pytest.mark.parametrize("attack", [False, True])
def test_template_process_ends_with_its_parent(tmp_path: Path, attack: bool) -> None:
    folder = tmp_path / "model"
    shutil.copytree(embedded_model(), folder)
    (folder / "chat_template.jinja").write_text(ON_DEMAND.format(LOOP))
    code = (
        "import sys, psutil, pathlib\n"
        "from model_core.files.tokenizers.folder import open_folder_tokenizer\n"
        "tokenizer = open_folder_tokenizer(pathlib.Path(sys.argv[1]))\n"
        "print(psutil.Process().children()[0].pid, flush=True)\n"
        "from model_core.requests.messages import Message\n"
        f"tokenizer.encode_chat({ATTACK if attack else HELLO})\n"
        "input()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.2 if attack else 0)  # into the loop, most likely
    parent.kill()
    parent.communicate()
    wait_until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie")


def test_nothing_in_the_working_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jinja2.py").write_text("raise SystemExit('a stranger')")
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    tokenizer = open_folder_tokenizer(embedded_model())
    tokenizer.encode_chat(HELLO)
    tokenizer.close()
