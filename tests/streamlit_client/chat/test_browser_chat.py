"""Conversations that are kept, and ways of asking, in a real browser."""

import contextlib
import re
from collections.abc import Callable

import pytest
from browsing import (
    FIGURES,
    answers,
    ask,
    button,
    line,
    open_settings,
    questions,
    set_max_tokens,
)
from conftest import Server
from in_process import Endpoints
from pdf_files import write_pdf
from reciter import REPORT, STORY

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
Page = playwright.Page


def menu(page: Page, opener: playwright.Locator, option: str) -> None:
    """Choose an option of a menu."""
    opener.click()
    page.get_by_role("menuitem", name=option).or_(page.get_by_role("option", name=option)).click()


def choose_model(page: Page, name: str) -> None:
    """Choose who answers. A list that is opened while the page is drawn closes again, even under a click."""
    option = page.get_by_role("option", name=name)
    for _ in range(5):
        page.get_by_role("combobox", name="Model").click()
        with contextlib.suppress(playwright.TimeoutError):
            option.click(timeout=5_000)
            return
    option.click()


def test_conversations_are_kept(
    visit: Callable[..., Page], server: Server, page_of: Callable[[Endpoints], str]
):
    page = visit(page_of(server))
    for number, question in enumerate(["Where do penguins live?", "What do they eat?"], 1):
        ask(page, question)
        expect(answers(page)).to_have_count(number)
        expect(answers(page).last).to_contain_text(FIGURES)
    page.reload()
    expect(questions(page)).to_have_text([re.compile("penguins"), re.compile("eat")])
    expect(button(page, "Edit")).to_be_visible()
    page.keyboard.press("Alt+ArrowUp")
    field = questions(page).last.get_by_role("textbox")
    expect(field).to_have_value("What do they eat?")
    field.fill("Do they fly?")
    questions(page).last.get_by_role("button", name="Send").click()
    expect(answers(page).last).to_contain_text("2 of 2")
    expect(answers(page).last).to_contain_text(FIGURES)
    button(answers(page).last, "Earlier branch").click()
    expect(questions(page).last).to_contain_text("What do they eat?")

    bar = page.get_by_test_id("stSidebar")
    menu(page, bar.get_by_role("button", name="Menu of").first, "Rename")
    title = bar.get_by_role("textbox", name="New title")
    title.fill("Birds of the *south*")
    title.press("Enter")
    expect(bar.get_by_role("button", name="Birds of the *south*", exact=True)).to_be_visible()
    other = visit(page.url)  # another person's device
    expect(questions(other)).to_have_count(2)
    expect(answers(other).last).to_contain_text("1 of 2")
    menu(other, other.get_by_test_id("stSidebar").get_by_role("button", name="Menu of").first, "Delete")
    expect(questions(other)).to_have_count(0)
    button(other, "Undo").click()
    expect(questions(other)).to_have_count(2)


def test_ways_of_asking(visit: Callable[..., Page], several: Endpoints, page_of: Callable[[Endpoints], str]):
    page = visit(page_of(several))
    file = {"name": "key.pdf", "mimeType": "application/pdf", "buffer": write_pdf(["The key is golden."])}
    page.get_by_test_id("stChatInput").locator("input[type=file]").set_input_files([file])
    expect(page.get_by_test_id("stChatInput")).to_contain_text("key.pdf")
    line(page).fill("What colour is the key?")
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()  # when the file is at the server
    line(page).press("Enter")
    expect(questions(page)).to_contain_text(re.compile(r"key\.pdf · \d+ tokens"))
    expect(answers(page)).to_contain_text(FIGURES)
    expect(page.get_by_test_id("stBottom")).to_contain_text("of 1,024 tokens of context")

    page.keyboard.press("Control+Shift+O")
    expect(questions(page)).to_have_count(0)
    open_settings(page)
    choose_model(page, "speaker")
    set_max_tokens(page, 49_000)
    ask(page, "Tell me a story")  # which does not end
    expect(answers(page)).to_contain_text(STORY)
    expect(button(page, "Stop")).to_be_visible()
    line(page).press("Escape")
    expect(answers(page)).to_contain_text("stopped by you")
    expect(answers(page).get_by_test_id("stExpander")).to_contain_text("Reasoning")

    open_settings(page)
    page.get_by_text("Tools", exact=True).click()
    definitions = page.get_by_role("textbox", name="Definitions as a JSON list")
    for _ in range(5):  # a click is lost while the page is drawn anew, after the end of an answer
        button(page, "Insert an example").click()
        with contextlib.suppress(AssertionError):
            expect(definitions).to_have_value(re.compile("get_weather"), timeout=10_000)
            break
    expect(definitions).to_have_value(re.compile("get_weather"))
    ask(page, "How is the weather?")
    expect(answers(page).last).to_contain_text("get_weather")
    expect(answers(page).last).to_contain_text('"city": "Paris"')
    page.get_by_role("textbox", name="Result").fill("rain")
    button(page, "Send the result").click()
    expect(answers(page).last).to_contain_text(REPORT)
    expect(questions(page)).to_have_count(2)
