"""Prompts with variables in a real browser: kept, completed in the message line, changed and removed."""

from collections.abc import Callable

import pytest
from browsing import button, line
from in_process import Endpoints

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

TEXT = "Translate into {{language}}:\n{{text}}\nAnswer in {{ language }}. "
FILLED = "Translate into Latin:\nthe $1 & sea\nAnswer in Latin. "


@pytest.fixture
def address(reciter: Endpoints, page_of: Callable[[Endpoints], str]) -> str:
    """The page in front of a model that calls tools."""
    return page_of(reciter)


def open_prompts(page: Page) -> None:
    page.get_by_role("link", name="Library").click()
    page.get_by_role("tab", name="Prompts").click()


def keep(page: Page, name: str, text: str) -> None:
    page.get_by_label("Name of a new prompt").fill(name)
    page.get_by_label("Text", exact=True).fill(text)
    button(page, "Keep the prompt").click()


def test_prompt_is_completed_and_its_variables_are_asked_for(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    open_prompts(page)
    keep(page, "  ", TEXT)
    expect(page.get_by_text("A prompt needs a name of letters or digits, and a text.")).to_be_visible()
    keep(page, "My translation", TEXT)
    entry = page.get_by_text("/My-translation", exact=True)
    expect(entry).to_be_visible()
    expect(page.get_by_label("Name of a new prompt")).to_have_value("")
    keep(page, "my-translation", "other")
    expect(page.get_by_text("there is a prompt /my-translation already.")).to_be_visible()

    page.get_by_role("link", name="Chat").click()
    line(page).press_sequentially("/tra")
    option = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(option).to_contain_text("/My-translation")
    page.keyboard.press("Enter")
    form = page.get_by_role("dialog", name="Fill in the prompt")
    expect(form.get_by_role("textbox")).to_have_count(2)
    expect(form.get_by_label("language")).to_be_focused()
    page.keyboard.type("Latin")
    page.keyboard.press("Tab")
    page.keyboard.type("the $1 & sea")
    page.keyboard.press("Enter")
    expect(line(page)).to_have_value(FILLED)
    expect(line(page)).to_be_focused()
    expect(form).to_have_count(0)
    line(page).fill("")
    line(page).press_sequentially("/my")
    option.click()
    page.keyboard.press("Escape")
    expect(line(page)).to_have_value("/my")  # nothing is put in
    line(page).press_sequentially(" is not /my")  # only at the beginning
    expect(option).to_have_count(0)

    open_prompts(page)
    entry.click()
    page.get_by_label("Text of My-translation").fill("Short.")
    button(page, "Save").click()
    expect(page.get_by_text("/My-translation is saved.")).to_be_visible()
    button(page, "Use it").click()
    expect(line(page)).to_have_value("Short.")
    open_prompts(page)
    entry.click()
    button(page, "Delete /My-translation").click()
    expect(entry).to_have_count(0)
