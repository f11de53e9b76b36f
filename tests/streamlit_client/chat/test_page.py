"""The page in a real browser, with real servers: what a person does and sees."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from browsing import (
    FIGURES,
    PHONE,
    answers,
    ask,
    ask_at_length,
    button,
    found_in_answers,
    line,
    open_settings,
    questions,
    running_page,
    set_max_tokens,
    wait_for_idle,
)
from conftest import Server, running_server
from in_process import Endpoints, served
from paths import CHECKPOINTS
from reciter import DOUBT, GREETING, STORY, STORY_REASONING
from slow_loading import Loader
from support import free_port, pool_of

from model_core import LLM
from model_core.errors import InvalidRequest
from model_core.hub import embedded_model
from triton_server.client import ChatClient
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.models.model_slot import ModelSlot

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
Page = playwright.Page


@pytest.fixture
def address(server: Server, page_of: Callable[[Server], str]) -> str:
    """The page in front of the embedded model."""
    return page_of(server)


def reasoning(page: Page) -> playwright.Locator:
    return answers(page).get_by_test_id("stExpander")


def test_answer_has_figures_beneath(visit: Callable[..., Page], address: str):
    page = visit(address)
    expect(page.get_by_text("tokens of context")).to_contain_text("embedded · ")
    button(page, "Hello, who are you?").click()
    expect(answers(page)).to_contain_text(FIGURES)
    expect(questions(page)).to_contain_text("Hello, who are you?")
    expect(button(page, "Stop")).to_have_count(0)


# Notes each address that an icon of the tab gets: no event tells of the request for it.
NOTE_ICONS = """
window.icons = [];
const href = Object.getOwnPropertyDescriptor(HTMLLinkElement.prototype, "href");
const set = function (url) { window.icons.push(url); href.set.call(this, url); };
Object.defineProperty(HTMLLinkElement.prototype, "href", { ...href, set });
"""


def test_pages_ask_nothing_of_other_hosts(visit: Callable[..., Page], address: str):
    page = visit(address)
    page.add_init_script(NOTE_ICONS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    icons: list[str] = []
    for name in ("", "compare", "votes", "engine", "explain"):
        page.goto(f"{address}/{name}")
        expect(page).to_have_title(f"tritonchat: {name}" if name else "tritonchat")
        expect(page.get_by_role("link", name="Votes")).to_be_visible()
        icons += page.evaluate("icons")
    assert asked and icons
    own = (address, "data:", "blob:", "./")
    assert [url for url in asked + icons if not url.startswith(own)] == []


def test_second_question_try_again_and_new_chat(visit: Callable[..., Page], address: str):
    page = visit(address)
    for number, question in enumerate(["My name is Ada.", "What is my *name*?"], 1):
        ask(page, question)
        expect(answers(page)).to_have_count(number)
        expect(answers(page).last).to_contain_text(FIGURES)
    expect(questions(page)).to_have_count(2)
    expect(questions(page).last).to_contain_text("What is my *name*?")  # as it was typed
    # The second request had the first turn in its prompt.
    first, second = map(int, found_in_answers(page, r"(\d+) tokens in", 2))
    assert second > 1.5 * first

    seed = found_in_answers(page, r"(seed \d+)", 2)[-1]
    button(page, "Answer again").click()
    expect(answers(page).last).not_to_contain_text(seed)
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(answers(page)).to_have_count(2)

    button(page, "New chat").click()
    expect(button(page, "What rhymes with cat?")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_same_seed_gives_same_answer(visit: Callable[..., Page], address: str):
    page = visit(address)
    open_settings(page)
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.fill("7")
    seed.press("Enter")
    texts = []
    for _ in range(2):
        button(page, "Tell me a story about a fox, a lighthouse and a golden key.").click()
        expect(answers(page)).to_contain_text("seed 7 · ")
        texts.append(answers(page).get_by_test_id("stMarkdown").first.inner_text())
        button(page, "New chat").click()
    assert texts[0] == texts[1] != ""


def test_stop_keeps_the_partial_answer(
    visit: Callable[..., Page], endless: Server, page_of: Callable[[Server], str]
):
    page = visit(page_of(endless))
    ask_at_length(page, "Hello, am I in the list?")
    page.get_by_role("tab", name="Chats").click()
    expect(button(page.get_by_test_id("stSidebar"), "Hello, am I in the list?").first).to_be_visible()
    open_settings(page)
    with endless.paused():
        expect(button(page, "What rhymes with cat?")).to_have_count(0)  # the welcome has gone
        first_word = answers(page).get_by_test_id("stMarkdown").first.inner_text().split()[0]
        # A setting changed meanwhile is for the next answer. The field says what the model recommends.
        temperature = page.get_by_role("spinbutton", name="Temperature")
        expect(temperature).to_have_attribute("placeholder", "model's default: 0.65")
        temperature.fill("0.7")
        temperature.press("Enter")
        expect(temperature).to_have_value("0.70")
        expect(answers(page)).to_contain_text("answering …")
        button(page, "Stop").click()
        expect(answers(page)).to_contain_text("stopped by you")
        expect(answers(page)).to_contain_text(first_word)
    wait_for_idle(endless)
    # A visitor who leaves does not stop the answer, and finds it again.
    ask_at_length(page, "And who am I?")
    expect(answers(page).first).to_contain_text("stopped by you")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(4)
    conversation = page.url
    page.close()
    page = visit(conversation)
    expect(questions(page).last).to_contain_text("And who am I?")
    expect(answers(page).last).to_contain_text("answering …")
    button(page, "Stop").click()
    expect(answers(page).last).to_contain_text("stopped by you")
    wait_for_idle(endless)


def test_server_that_comes_and_dies(visit: Callable[..., Page], endless_model: Path, tmp_path: Path):
    """Without a server, a question waits, also over a reload; when it dies, the answer goes on later."""
    port = free_port()
    database = f"sqlite:///{tmp_path / 'conversations.db'}"
    arguments = ("--grpc-port", str(port), "--model", str(endless_model), "--database", database)
    with running_page(f"127.0.0.1:{port}", tmp_path) as address:
        page = visit(address)
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
        line(page).fill("Hello, who are you?")
        button(page, "Retry").click()
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
        line(page).press("Enter")  # what was typed is still there
        expect(questions(page)).to_contain_text("Hello, who are you?")
        expect(answers(page)).to_contain_text("The server does not answer.")
        page.reload()
        expect(questions(page)).to_contain_text("Hello, who are you?")
        set_max_tokens(page, 20)
        with running_server(*arguments) as server:
            expect(answers(page)).to_contain_text(FIGURES)  # it was sent by itself
            expect(questions(page)).to_have_count(1)
            expect(page.get_by_role("alert")).to_have_count(0)
            ask_at_length(page, "And who am I?")
            first_word = answers(page).last.get_by_test_id("stMarkdown").first.inner_text().split()[0]
            server.process.kill()
            expect(answers(page).last).to_contain_text("The server does not answer.")
            expect(answers(page).last).to_contain_text(first_word)
            expect(button(page, "Try again")).to_be_visible()
        with running_server(*arguments):
            expect(answers(page).last).to_contain_text("answering …")
            expect(answers(page).last).to_contain_text(first_word)
            expect(page.get_by_role("alert")).to_have_count(0)
            expect(questions(page)).to_have_count(2)
            button(page, "Stop").click()


def test_message_waits_for_the_end_of_an_answer(
    visit: Callable[..., Page], endless: Server, page_of: Callable[[Server], str]
):
    page = visit(page_of(endless))
    ask_at_length(page, "Hello, who are you?")
    for question in ("Which one is removed?", "And who am I?"):
        ask(page, question)
        expect(button(page, f"Waits: {question}")).to_be_visible()
    expect(answers(page)).to_contain_text("answering …")
    expect(questions(page)).to_have_count(1)
    button(page, "Waits: Which one is removed?").click()
    expect(button(page, "Waits: Which one is removed?")).to_have_count(0)
    expect(answers(page)).to_contain_text("answering …")
    page.reload()
    expect(button(page, "Waits: And who am I?")).to_be_visible()
    button(page, "Stop").click()
    expect(questions(page)).to_have_count(2)
    expect(questions(page).last).to_contain_text("And who am I?")
    expect(answers(page).last).to_contain_text("answering …")
    expect(button(page, "Waits:")).to_have_count(0)
    button(page, "Stop").click()
    expect(answers(page).last).to_contain_text("stopped by you")
    wait_for_idle(endless)


def test_conversation_is_there_after_the_page_has_restarted(
    visit: Callable[..., Page], server: Server, tmp_path: Path
):
    with running_page(server.grpc_url, tmp_path) as address:
        page = visit(address)
        ask(page, "Hello")
        expect(answers(page)).to_contain_text(FIGURES)
        expect(page).to_have_url(re.compile(r"\?chat=\w+"))
    # The page's process has ended. The browser connects to its successor by itself.
    with running_page(server.grpc_url, tmp_path, httpx.URL(address).port):
        ask(page, "Hello again")
        expect(questions(page)).to_have_count(2)
        expect(answers(page).last).to_contain_text(FIGURES)
        page.reload()
        expect(questions(page)).to_have_count(2)
        button(page, "New chat").click()
        expect(page).to_have_url(f"{address}/")
        page.reload()
        expect(button(page, "What rhymes with cat?")).to_be_visible()


def test_reasoning_is_open_until_the_answer_begins(
    visit: Callable[..., Page], reciter: Endpoints, page_of: Callable[[Server], str]
):
    page = visit(page_of(reciter))
    set_max_tokens(page, 49_000)
    ask(page, "Are you sure?")  # which it doubts until it is stopped
    expect(reasoning(page)).to_contain_text("Thinking")
    expect(reasoning(page)).to_contain_text(DOUBT)
    expect(answers(page)).to_contain_text("thinking …")
    button(page, "Stop").click()
    expect(answers(page)).to_contain_text("stopped by you")
    expect(reasoning(page)).to_contain_text(DOUBT)  # it is all there is of the answer

    ask(page, "Tell me a story")  # which does not end
    expect(answers(page).last).to_contain_text(STORY)
    expect(reasoning(page).last).to_contain_text("Reasoning")
    expect(reasoning(page).last.get_by_text(STORY_REASONING)).to_be_hidden()
    expect(answers(page).last).to_contain_text("answering …")
    button(page, "Stop").click()
    expect(answers(page).last).to_contain_text("stopped by you")

    ask(page, "Hello")
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(answers(page).last).to_contain_text(GREETING)
    reasoning(page).last.get_by_text("Reasoning").click()
    expect(reasoning(page).last.locator("em")).to_have_text("greets")  # it is Markdown, as the answer is
    expect(reasoning(page)).to_have_count(3)

    open_settings(page)
    page.get_by_text("Think before answering").click()
    ask(page, "Hello")
    expect(answers(page).last).to_contain_text("Hello from the reciter.")
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(reasoning(page)).to_have_count(3)


def test_model_that_cannot_reason_has_no_switch(visit: Callable[..., Page], address: str):
    page = visit(address)
    open_settings(page)
    expect(page.get_by_text("Top p")).to_be_visible()
    expect(page.get_by_text("Think before answering")).to_have_count(0)


def test_too_long_prompt_cannot_be_tried_again(visit: Callable[..., Page], address: str):
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    ask(page, "cat " * 2000)
    expect(answers(page).last).to_contain_text("too long for the model")
    expect(button(page, "Try again")).to_have_count(0)
    expect(button(page.get_by_test_id("stBottom"), "Edit")).to_be_visible()
    expect(page.get_by_test_id("stBottom").get_by_text("tokens of context")).to_have_count(0)  # not counted
    button(page, "New chat").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_long_conversation_goes_on_without_its_first_messages(visit: Callable[..., Page], address: str):
    page = visit(address)
    set_max_tokens(page, 5)
    for number in range(1, 4):
        ask(page, "cat " * 400)
        expect(answers(page)).to_have_count(number)
        expect(answers(page).last).to_contain_text(FIGURES)
    expect(answers(page).first).not_to_contain_text("left out")
    expect(answers(page).last).to_contain_text("messages were left out")


def test_phone_needs_no_horizontal_scrolling(visit: Callable[..., Page], address: str):
    page = visit(address, PHONE)
    scrolling = "[...document.querySelectorAll('html, [data-testid=stMain]')]"
    too_wide = f"{scrolling}.some(e => e.scrollWidth > e.clientWidth)"
    assert not page.evaluate(too_wide)
    ask(page, "word" * 60)
    expect(answers(page)).to_contain_text(FIGURES)
    assert not page.evaluate(too_wide)
    for name in ("Answer again", "Edit"):
        expect(button(page, name)).to_be_in_viewport()


def test_model_without_chat_template_continues_texts(visit: Callable[..., Page], tmp_path: Path):
    folder = tmp_path / "story"
    shutil.copytree(embedded_model(), folder)
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    del settings["chat_template"]
    path.write_text(json.dumps(settings))
    arguments = ("--model", str(folder), "--max-context", "64")
    with running_server(*arguments) as server, running_page(server.grpc_url, tmp_path) as address:
        with ChatClient(server.grpc_url) as client:
            assert client.stats()["model"]["chat_template"] is False
            answer = client.chat("Once upon a time", ignore_eos=True)
            assert answer.finish_reason == "length"
            assert answer.usage["prompt_tokens"] + answer.usage["completion_tokens"] == 64
            with pytest.raises(InvalidRequest, match="no chat template"):
                client.chat([{"role": "user", "content": "Hello"}])
        page = visit(address)
        expect(page.get_by_text("64 tokens of context")).to_be_visible()
        expect(page.get_by_text("This model continues texts")).to_be_visible()
        expect(page.get_by_text("Continue a text", exact=True)).to_be_visible()
        ask(page, "Once upon a time")
        expect(answers(page)).to_contain_text(re.compile(r"Once upon a time\W[\s\S]*tokens in"))


def test_model_without_tokenizer_cannot_be_written_to(visit: Callable[..., Page], tmp_path: Path):
    with (
        LLM(CHECKPOINTS / "llama-tied-gqa") as llm,
        served(pool_of(llm)) as server,
        running_page(server, tmp_path) as address,
    ):
        with ChatClient(server) as client:
            answer = client.chat([5, 6, 7], max_tokens=4, ignore_eos=True)
            assert answer.text == ""
            assert len(answer.details["token_ids"]) == 4
            with pytest.raises(InvalidRequest, match="no tokenizer"):
                client.chat("Hello")
            with pytest.raises(InvalidRequest, match="vocabulary"):
                client.chat([5, 10**9])
        page = visit(address)
        expect(page.get_by_text("no tokenizer")).to_be_visible()
        expect(line(page)).to_be_disabled()


def test_model_is_loaded_by_the_first_message(visit: Callable[..., Page], tmp_path: Path):
    loader = Loader(None)
    pool = ModelPool([ModelSlot("late", loader, keep_alive_s=0)])
    with served(pool) as server, running_page(server, tmp_path) as address:
        page = visit(address)
        expect(page.get_by_text("unloaded · late")).to_be_visible()
        ask(page, "Hello")
        expect(answers(page).get_by_text("loading late, 25% …")).to_be_visible()
        loader.may_go_on.set()
        expect(answers(page).get_by_text(FIGURES)).to_be_visible()
        assert loader.count == 1
