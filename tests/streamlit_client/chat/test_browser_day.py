"""What a day on the chat page needs, in a real browser: long pastes, hidden tabs, temporary chats."""

import re
from collections.abc import Callable

import pytest
from browsing import FIGURES, answers, ask, button, line, questions
from in_process import Endpoints
from reciter import GREETING

from streamlit_client.shared.pastes import MAX_PASTE
from triton_server.client import ChatClient

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

CLIPBOARD = ["clipboard-read", "clipboard-write"]
IS_READY = "window.tritonchatPastes?.limit < Infinity"  # before, a paste stays a text

# Playwright lets each tab believe that it is seen.
SEE = """isHidden => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def address(reciter: Endpoints, page_of: Callable[[Endpoints], str]) -> str:
    """The page in front of a model that calls tools."""
    return page_of(reciter)


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    line(page).press("Control+v")


def test_long_paste_becomes_a_file(visit: Callable[..., Page], address: str) -> None:
    page = visit(address, permissions=CLIPBOARD)
    page.wait_for_function(IS_READY)
    paste(page, "s" * MAX_PASTE)
    expect(line(page)).to_have_value("s" * MAX_PASTE)
    line(page).fill("What is in it? ")
    long = "word\n" * (MAX_PASTE // 5 + 1)
    paste(page, long)
    expect(page.get_by_test_id("stChatInput").get_by_text("Pasted text 1.txt")).to_be_visible()
    expect(line(page)).to_have_value("What is in it? ")
    expect(page.locator("#tritonchat-said")).to_have_text("The text is long, so it was attached as a file.")
    page.get_by_role("button", name="Send message").click()  # which waits until the file was sent
    expect(questions(page)).to_contain_text("What is in it?")
    questions(page).get_by_text("Pasted text 1.txt").click()
    expect(questions(page).get_by_test_id("stCode")).to_have_text(long)
    expect(answers(page)).to_contain_text(FIGURES)


def test_title_of_a_hidden_tab_says_that_an_answer_is_ready(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    expect(page.locator("#tritonchat-said")).to_have_text(GREETING)
    expect(page).to_have_title("tritonchat")  # the tab is seen
    page.evaluate(SEE, True)
    expect(page).to_have_title("tritonchat")
    ask(page, "Hello again")
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(page).to_have_title("Answer ready · tritonchat")
    page.evaluate(SEE, False)
    expect(page).to_have_title("tritonchat")


def test_temporary_chat_is_not_kept(visit: Callable[..., Page], address: str, reciter: Endpoints) -> None:
    page = visit(address)
    button(page, "Temporary chat").click()
    banner = page.get_by_text("Temporary chat. It is not kept")
    expect(banner).to_be_visible()
    ask(page, "A secret")
    expect(answers(page)).to_contain_text(FIGURES)
    button(page, "Answer again").click()
    expect(page.get_by_text("2 of 2")).to_be_visible()
    button(answers(page), "Earlier branch").click()
    expect(page.get_by_text("1 of 2")).to_be_visible()
    ask(page, "Another secret")
    expect(answers(page)).to_have_count(2)
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(banner).to_be_visible()
    assert "=" not in page.url
    with ChatClient(reciter.grpc_url) as client:
        assert not client.conversations().list(search="secret")
    page.reload()
    expect(page.get_by_text("Ask something below")).to_be_visible()
    expect(banner).to_have_count(0)
    expect(questions(page)).to_have_count(0)
    line(page).fill("A secret")
    button(page, "Temporary chat").click()
    line(page).press("Enter")  # at once, in the same line
    expect(answers(page)).to_contain_text(FIGURES)
    expect(banner).to_be_visible()
    assert "=" not in page.url
    button(page, "New chat").click()
    expect(banner).to_have_count(0)
    expect(questions(page)).to_have_count(0)
    ask(page, "Kept")
    expect(page).to_have_url(re.compile("chat="))
