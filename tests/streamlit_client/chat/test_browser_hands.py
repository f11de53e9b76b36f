"""What hands do on the chat page, in a real browser: one-tap copies, the keyboard, a phone's side bar."""

import re
from collections.abc import Callable

import pytest
from browsing import FIGURES, PHONE, answers, ask, button, line, questions
from conftest import Server

from triton_server.client import ChatClient

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

TEXT = "Some **code**, a < b:\n\n```python\nprint('one  two')\n```\n\nand $x_1$."
CLIPBOARD = "navigator.clipboard.readText()"


# The page gets what the server sends `lateBy` milliseconds later, and in the same order.
LATE = """window.lateBy = 0;
let latest = 0;
window.WebSocket = class extends WebSocket {
    set onmessage(read) {
        super.onmessage = event => {
            latest = Math.max(latest, performance.now() + window.lateBy);
            setTimeout(() => read(event), latest - performance.now());
        };
    }
};"""


@pytest.fixture
def address(server: Server, page_of: Callable[[Server], str]) -> str:
    """The page in front of the embedded model."""
    return page_of(server)


@pytest.fixture
def made(client: ChatClient) -> str:
    """The id of a conversation whose answer has code, of everybody on this machine."""
    conversations = client.conversations()
    made = conversations.create("Code")
    turn = conversations.add_turn(made.id, None, "Show some code", {})
    conversations.change_turn(made.id, turn, answer=TEXT, finish_reason="stop")
    return made.id


def test_one_tap_copies_an_answer_or_its_code(visit: Callable[..., Page], address: str, made: str):
    page = visit(f"{address}/?chat={made}", permissions=["clipboard-read", "clipboard-write"])
    copy = answers(page).get_by_role("button", name="Copy", exact=True)
    copy.click()
    expect(page.locator("#tritonchat-said")).to_have_text("Copied.")
    assert page.evaluate(CLIPBOARD) == TEXT
    code = answers(page).get_by_role("button", name="Copy to clipboard")
    expect(code).to_have_css("opacity", "1")  # without a mouse above it
    code.click()
    expect(answers(page).get_by_test_id("stCode").get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate(CLIPBOARD) == "print('one  two')"
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_keyboard_goes_through_conversations(visit: Callable[..., Page], address: str, made: str):
    page = visit(address)
    expect(line(page)).to_be_focused()
    page.keyboard.type("Hello")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text(FIGURES)
    expect(page.locator("#tritonchat-said")).not_to_be_empty()
    page.keyboard.press("Control+Shift+O")
    expect(questions(page)).to_have_count(0)
    expect(line(page)).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("some code")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.locator("strong").first).to_have_text("some")  # a result: it is in the list before, too
    button(sidebar, "Code").first.focus()
    page.keyboard.press("Enter")
    expect(questions(page)).to_contain_text("Show some code")
    expect(line(page)).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(questions(page).get_by_role("textbox")).to_be_focused()
    questions(page).get_by_role("button", name="Cancel").press("Enter")
    expect(line(page)).to_be_focused()
    page.keyboard.type("what?")  # is text here
    expect(line(page)).to_have_value("what?")
    answers(page).get_by_role("button", name="Copy", exact=True).focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("edit the last question")


def test_focus_follows_what_the_page_replaces(visit: Callable[..., Page], address: str, made: str):
    page = visit(f"{address}/?chat={made}")
    button(page, "Answer again").press("Enter")
    expect(answers(page)).to_contain_text("2 of 2")
    expect(line(page)).to_be_focused()  # the button was gone while the answer came
    earlier = answers(page).get_by_role("button", name="Earlier branch")
    later = answers(page).get_by_role("button", name="Later branch")
    earlier.press("Enter")
    expect(answers(page)).to_contain_text("1 of 2")
    expect(later).to_be_focused()  # there is no earlier one
    later.press("Enter")
    expect(answers(page)).to_contain_text("2 of 2")
    expect(earlier).to_be_focused()


def test_menus_have_names_without_those_of_icons(visit: Callable[..., Page], address: str, made: str):
    page = visit(f"{address}/?chat={made}")
    expect(answers(page).get_by_role("button", name="More", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Menu of Code", exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name="Keyboard shortcuts", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="more_")).to_have_count(0)


def test_side_bar_of_a_phone_closes_when_something_was_chosen(
    visit: Callable[..., Page], address: str, made: str
):
    page = visit(address, PHONE)
    bar = page.get_by_test_id("stSidebar")
    for choose in (
        lambda: bar.get_by_role("button", name="Code", exact=True).first.click(),
        lambda: button(bar, "New chat").click(),
        lambda: bar.get_by_role("link", name="Votes").click(),
    ):
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(bar).to_have_attribute("data-collapsed", "false")
        choose()
        expect(bar).to_have_attribute("data-collapsed", "true")
    expect(page).to_have_url(f"{address}/votes")
    page.goto(f"{address}/?chat={made}")
    page.get_by_test_id("stExpandSidebarButton").click()
    bar.get_by_role("tab", name="Settings").click()  # which is no choice
    expect(bar.get_by_role("spinbutton", name="Max tokens")).to_be_visible()
    expect(bar).to_have_attribute("data-collapsed", "false")


def test_draft_stays_in_its_conversation(visit: Callable[..., Page], address: str, made: str):
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    line(page).fill("for this chat alone")
    button(page.get_by_test_id("stSidebar"), "Code").first.click()
    expect(questions(page)).to_contain_text("Show some code")
    expect(line(page)).to_have_value("")
    line(page).press_sequentially("for that one")
    page.wait_for_timeout(300)  # the browser keeps a draft after Streamlit has seen the event
    button(page, "New chat").click()
    expect(line(page)).to_have_value("")
    button(page.get_by_test_id("stSidebar"), "Code").first.click()
    expect(line(page)).to_have_value("for that one")
    button(page.get_by_test_id("stSidebar"), "Hello").first.click()
    expect(line(page)).to_have_value("for this chat alone")


def open_late(visit: Callable[..., Page], address: str) -> Page:
    """The page with a conversation of one turn, drawn, with a `lateBy` that the test may set."""
    page = visit(address)
    page.add_init_script(LATE)
    page.reload()
    expect(answers(page)).to_have_count(1)
    expect(line(page)).to_be_focused()
    expect(button(page, "New chat")).to_be_visible()
    return page


def test_question_written_at_once_is_of_the_next_conversation(
    visit: Callable[..., Page], address: str, made: str, client: ChatClient
):
    page = open_late(visit, f"{address}/?chat={made}")
    page.keyboard.type("A draft")
    page.evaluate("window.lateBy = 800")
    page.keyboard.press("Control+Shift+O")
    page.keyboard.type(", and this", delay=10)
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text(FIGURES)
    expect(questions(page)).to_have_text(re.compile(r"\s*, and this\s*"))
    page.evaluate("window.lateBy = 800")
    page.locator(f".st-key-open-{made} button").click()
    page.keyboard.type(" goes on", delay=10)
    expect(line(page)).to_have_value("A draft goes on")
    page.keyboard.press("Enter")
    expect(answers(page)).to_have_count(2)
    assert [turn.question for turn in client.conversations().get(made).turns] == [
        "Show some code",
        "A draft goes on",
    ]


def test_question_waits_for_a_conversation_that_comes_late(
    visit: Callable[..., Page], address: str, made: str, client: ChatClient
):
    page = open_late(visit, f"{address}/?chat={made}")
    page.evaluate("window.lateBy = 12000")
    page.keyboard.press("Control+Shift+O")
    page.keyboard.type("A new question", delay=10)
    page.keyboard.press("Enter")
    page.wait_for_timeout(11_000)
    page.evaluate("window.lateBy = 0")
    expect(questions(page)).to_have_text(re.compile(r"\s*A new question\s*"))
    expect(answers(page)).to_contain_text(FIGURES)
    assert len(client.conversations().get(made).turns) == 1


def test_browser_goes_back_to_the_conversation_before(
    visit: Callable[..., Page], address: str, made: str, client: ChatClient
):
    other = client.conversations().create("Other")
    client.conversations().add_turn(other.id, None, "Another question", {})
    page = visit(f"{address}/?chat={made}")
    expect(questions(page)).to_contain_text("Show some code")
    button(page.get_by_test_id("stSidebar"), "Other").first.click()
    expect(questions(page)).to_contain_text("Another question")
    page.go_back()
    expect(questions(page)).to_contain_text("Show some code")
    page.go_forward()
    expect(questions(page)).to_contain_text("Another question")


def test_click_right_after_another_does_not_undo_it(visit: Callable[..., Page], address: str, made: str):
    page = visit(f"{address}/?chat={made}")
    for delay in range(0, 60, 5):  # milliseconds, in which the run of the first click begins
        button(page.get_by_test_id("stSidebar"), "Code").first.click()
        expect(answers(page)).to_have_count(1)
        page.evaluate(
            """delay => ["new-chat", "shortcuts"].forEach((key, place) =>
                setTimeout(() => document.querySelector(`.st-key-${key} button`).click(), place * delay))""",
            delay,
        )
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(questions(page)).to_have_count(0)
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_nine_conversations_stand_on_a_screen(visit: Callable[..., Page], address: str, client: ChatClient):
    for number in range(9):
        client.conversations().create(f"Chat {number}")
    page = visit(address)
    ninth = page.get_by_test_id("stSidebar").locator("[class*='st-key-open-']").nth(8)
    expect(ninth).to_be_in_viewport(ratio=1)
