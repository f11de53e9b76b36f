"""The page in a real browser, in front of real servers: what a person does, and what they see."""

import contextlib
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import CHECKPOINTS, Server, running_server
from support import free_port

from model_core.llm import embedded_model
from triton_server.client import ChatClient
from triton_server.page import launch_page

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
Page = playwright.Page

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FIGURES = re.compile(r"tokens in, \d+ out · seed \d+ · ")


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    executable = next(filter(None, found), None)
    if executable is None:
        pytest.skip("Chromium is not installed")
    expect.set_options(timeout=60_000)
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)


@contextlib.contextmanager
def running_page(server: str, folder: Path) -> Iterator[str]:
    """Start the page for a server; its address."""
    port = free_port()
    page = launch_page("127.0.0.1", port, server, folder / "page.log")
    try:
        page.wait_until_up()
        yield f"http://127.0.0.1:{port}"
    finally:
        page.stop()


@pytest.fixture(scope="module")
def address(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page in front of the embedded model."""
    with running_page(server.grpc_url, tmp_path_factory.mktemp("page")) as running:
        yield running


@pytest.fixture
def visit(browser: playwright.Browser) -> Iterator[Callable[..., Page]]:
    """Open an address in a tab of its own."""
    with contextlib.ExitStack() as tabs:

        def open_tab(address: str, size: dict[str, int] = DESKTOP) -> Page:
            context = browser.new_context(viewport=size)
            tabs.callback(context.close)
            context.set_default_timeout(60_000)
            page = context.new_page()
            page.goto(address)
            expect(line(page)).to_be_visible()
            return page

        yield open_tab


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[Server]:
    """A server whose model has no end token, and a context that takes minutes to fill.

    So an answer cannot be over before a test has done with it what it wants.
    """
    folder = tmp_path / "endless"
    shutil.copytree(embedded_model(), folder)
    for name, changes in {
        "config.json": {"eos_token_id": None, "max_position_embeddings": 50_000},
        "generation_config.json": {"eos_token_id": None},
        "tokenizer_config.json": {"eos_token": None},
    }.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with running_server("--model", str(folder)) as server:
        yield server


def line(page: Page) -> playwright.Locator:
    return page.get_by_test_id("stChatInput").get_by_role("textbox")


def button(page: Page, name: str) -> playwright.Locator:
    return page.get_by_role("button", name=name, exact=False)


def questions(page: Page) -> playwright.Locator:
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_label("Chat message from user"))


def answers(page: Page) -> playwright.Locator:
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_label("Chat message from assistant"))


def ask(page: Page, question: str) -> None:
    line(page).fill(question)
    line(page).press("Enter")


def ask_at_length(page: Page, question: str) -> None:
    """Ask the endless model, and wait for its first word."""
    most = page.get_by_role("spinbutton", name="Max tokens")
    most.fill("49000")
    most.press("Enter")
    ask(page, question)
    expect(answers(page).last).to_contain_text(re.compile(r"\w[\s\S]*answering …"))


def wait_for_idle(server: Server) -> None:
    """Until the server computes nothing any more."""
    end = time.monotonic() + 60
    with ChatClient(server.grpc_url) as client:
        while client.stats()["running"]:
            assert time.monotonic() < end, "the server still works on an answer that nobody reads"
            time.sleep(0.1)


def test_a_question_is_answered_with_figures_beneath(visit: Callable[..., Page], address: str):
    page = visit(address)
    expect(page.get_by_text("tokens of context")).to_contain_text("embedded · llama · ")
    button(page, "Hello, who are you?").click()
    expect(answers(page)).to_contain_text(FIGURES)
    expect(questions(page)).to_contain_text("Hello, who are you?")
    expect(button(page, "Stop")).to_have_count(0)


def test_a_conversation_goes_on_is_tried_again_and_forgotten(visit: Callable[..., Page], address: str):
    page = visit(address)
    for number, question in enumerate(["My name is Ada.", "What is my *name*?"], 1):
        ask(page, question)
        expect(answers(page)).to_have_count(number)
        expect(answers(page).last).to_contain_text(FIGURES)
    expect(questions(page)).to_have_count(2)
    expect(questions(page).last).to_contain_text("What is my *name*?")  # as it was typed
    # The second request had the first turn in its prompt.
    tokens_in = [int(re.search(r"(\d+) tokens in", text)[1]) for text in answers(page).all_inner_texts()]
    assert tokens_in[1] > 1.5 * tokens_in[0]

    seed = re.search(r"seed \d+", answers(page).last.inner_text())[0]
    button(page, "Try again").click()
    expect(answers(page).last).not_to_contain_text(seed)
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(answers(page)).to_have_count(2)

    button(page, "New chat").click()
    expect(button(page, "What rhymes with cat?")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_the_same_seed_gives_the_same_answer(visit: Callable[..., Page], address: str):
    page = visit(address)
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


def test_stop_keeps_the_half_answer(visit: Callable[..., Page], endless: Server, tmp_path: Path):
    with running_page(endless.grpc_url, tmp_path) as address:
        page = visit(address)
        ask_at_length(page, "Hello, who are you?")
        begun = answers(page).get_by_test_id("stMarkdown").first.inner_text().split()[0]
        # A setting changed meanwhile is for the next answer.
        page.get_by_role("slider", name="Temperature").press("ArrowRight")
        expect(page.get_by_text("0.35")).to_be_visible()
        expect(answers(page)).to_contain_text("answering …")
        button(page, "Stop").click()
        expect(answers(page)).to_contain_text("stopped by you")
        expect(answers(page)).to_contain_text(begun)
        wait_for_idle(endless)
        # A visitor who leaves stops the answer too.
        ask_at_length(page, "And who am I?")
        expect(answers(page).first).to_contain_text("stopped by you")
        expect(page.get_by_test_id("stChatMessage")).to_have_count(4)
        page.close()
        wait_for_idle(endless)


def test_a_server_that_dies_leaves_the_half_answer(
    visit: Callable[..., Page], endless: Server, tmp_path: Path
):
    with running_page(endless.grpc_url, tmp_path) as address:
        page = visit(address)
        ask_at_length(page, "Hello, who are you?")
        begun = answers(page).get_by_test_id("stMarkdown").first.inner_text().split()[0]
        os.killpg(endless.process.pid, signal.SIGKILL)
        expect(answers(page)).to_contain_text("The server does not answer.")
        expect(answers(page)).to_contain_text(begun)
        expect(button(page, "Try again")).to_be_visible()


def test_a_server_that_is_away_is_said_and_tried_again(visit: Callable[..., Page], tmp_path: Path):
    port = free_port()
    with running_page(f"127.0.0.1:{port}", tmp_path) as address:
        page = visit(address)
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
        line(page).fill("Hello, who are you?")
        button(page, "Retry").click()
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
        line(page).press("Enter")  # what was typed is still there
        expect(questions(page)).to_contain_text("Hello, who are you?")
        expect(answers(page)).to_contain_text("The server does not answer.")
        with running_server("--grpc-port", str(port)):
            button(page, "Try again").click()
            expect(answers(page)).to_contain_text(FIGURES)
            expect(questions(page)).to_have_count(1)


def test_a_prompt_that_is_too_long_offers_a_new_chat(visit: Callable[..., Page], address: str):
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    ask(page, "cat " * 2000)
    expect(answers(page).last).to_contain_text("too long for the model")
    expect(button(page, "Try again")).to_have_count(0)
    button(page, "Ask in a new chat").click()
    expect(questions(page)).to_have_count(1)
    expect(answers(page)).to_contain_text("too long for the model")
    button(page, "New chat").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_a_phone_shows_it_all_without_scrolling_sideways(visit: Callable[..., Page], address: str):
    page = visit(address, PHONE)
    scrolling = "[...document.querySelectorAll('html, [data-testid=stMain]')]"
    too_wide = f"{scrolling}.some(e => e.scrollWidth > e.clientWidth)"
    assert not page.evaluate(too_wide)
    ask(page, "word" * 60)
    expect(answers(page)).to_contain_text(FIGURES)
    assert not page.evaluate(too_wide)
    for name in ("Try again", "New chat"):
        expect(button(page, name)).to_be_in_viewport()


def test_a_model_without_chat_template_continues_texts(
    visit: Callable[..., Page], story: Path, tmp_path: Path
):
    with (
        running_server("--model", str(story)) as server,
        running_page(server.grpc_url, tmp_path) as address,
    ):
        page = visit(address)
        expect(page.get_by_text("This model continues texts")).to_be_visible()
        button(page, "Once upon a time").click()
        expect(answers(page)).to_contain_text(re.compile(r"Once upon a time\W[\s\S]*tokens in"))


def test_a_model_without_tokenizer_says_so(visit: Callable[..., Page], tmp_path: Path):
    model = str(CHECKPOINTS / "llama-tied-gqa")
    with running_server("--model", model) as server, running_page(server.grpc_url, tmp_path) as address:
        page = visit(address)
        expect(page.get_by_text("no tokenizer")).to_be_visible()
        expect(line(page)).to_be_disabled()
