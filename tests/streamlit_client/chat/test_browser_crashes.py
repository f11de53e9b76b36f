"""The page or its server is killed in mid-answer, and what has come is there afterwards."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import answers, ask_at_length, button, questions, running_page
from conftest import Server, running_server
from support import free_port, wait_until

from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.launch.page_process import launch_page

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


# Of letters alone: Markdown draws the numbers of lists, and underscores are emphasis.
WORD = re.compile(r"[^\W\d_]+")


def shown_words(page: Page) -> list[str]:
    """The words of the last answer."""
    return WORD.findall(answers(page).last.get_by_test_id("stMarkdown").first.inner_text())


def kept_words(conversations: Conversations, page: Page) -> list[str]:
    """The words of the last answer of the page's conversation, as the store has it."""
    expect(page).to_have_url(re.compile(r"\?chat=\w+"))
    shown = page.url.rpartition("?chat=")[2]
    return WORD.findall(conversations.get(shown).turns[-1].answer)


def test_answer_is_kept_when_the_server_is_back(
    visit: Callable[..., Page], endless_model: Path, tmp_path: Path
):
    port = free_port()
    flags = ("--grpc-port", str(port), "--model", str(endless_model))
    data = {"XDG_DATA_HOME": str(tmp_path / "data")}
    with running_page(f"127.0.0.1:{port}", tmp_path) as address:
        with running_server(*flags, **data) as server:
            page = visit(address)
            ask_at_length(page, "Tell me a story")
            server.process.kill()
            expect(answers(page)).to_contain_text("The server does not answer.")
            words = shown_words(page)
            expect(page.get_by_text("unavailable")).to_be_visible()
        assert words
        with running_server(*flags, **data), ChatClient(f"127.0.0.1:{port}") as client:
            conversations = client.conversations()
            # The page has looked again by itself, and goes on with the answer where it has ended.
            expect(page.get_by_text("unavailable")).to_have_count(0)
            expect(answers(page)).not_to_contain_text("The server does not answer.")
            wait_until(lambda: len(kept_words(conversations, page)) > len(words))
            page.reload()
            expect(answers(page)).to_contain_text(words[0])
            # The last word may have been half of one.
            assert kept_words(conversations, page)[: len(words) - 1] == words[:-1]


def test_half_an_answer_outlasts_the_process_of_the_page(
    visit: Callable[..., Page], endless: Server, tmp_path: Path
):
    port = free_port()
    process = launch_page("127.0.0.1", port, endless.grpc_url, tmp_path / "page.log")
    with ChatClient(endless.grpc_url) as client:
        conversations = client.conversations()
        try:
            process.wait_until_up()
            page = visit(f"http://127.0.0.1:{port}")
            ask_at_length(page, "Tell me a story")
            wait_until(lambda: kept_words(conversations, page))
        finally:
            process.kill()  # by SIGKILL
        words = kept_words(conversations, page)
        away = page.get_by_role("dialog")
        expect(away).to_contain_text("This tab goes on by itself when it is back.")
        expect(away.get_by_text("Streamlit").first).to_be_hidden()
        with running_page(endless.grpc_url, tmp_path, port):
            page.reload()
            expect(questions(page)).to_contain_text("Tell me a story")
            expect(button(page, "Continue")).to_be_visible()
            assert shown_words(page) == words
