"""Looking inside in a real browser: tokens and their alternatives, the engine, an explained prompt."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import FIGURES, answers, ask, button, running_page
from conftest import Server

from triton_server.client import ChatClient

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page
PLOTS = "svg.marks"  # as Vega draws them


def test_answer_engine_and_prompt_from_inside(
    visit: Callable[..., Page], server: Server, client: ChatClient, tmp_path: Path
):
    """A person branches an answer by the keyboard, watches the engine, and looks at a head of attention."""
    with running_page(server.grpc_url, tmp_path) as address:
        page = visit(address)
        ask(page, "Tell me <b>a</b> story")
        expect(answers(page)).to_contain_text(FIGURES)
        branch_by_keyboard(page)
        explain_token(page)
        page.goto(f"{address}/engine")
        watch_engine(page, client)
        page.goto(f"{address}/explain")
        explain(page)


def branch_by_keyboard(page: Page) -> None:
    """Take an alternative to a token of the answer, without the mouse from the tokens on."""
    button(answers(page), "More").click()
    page.get_by_text("Look at the tokens").click()
    tokens = page.get_by_role("group", name="Tokens of the answer").get_by_role("button")
    expect(tokens.first).to_have_attribute("tabindex", "0")
    tokens.first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(tokens.nth(2)).to_be_focused()
    expect(tokens.nth(2)).to_have_attribute("aria-label", re.compile(r"%.*; else .*; after \d"))
    page.keyboard.press("Enter")
    expect(tokens.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Token 3, ")).to_be_visible()
    alternative = page.get_by_role("button", name=re.compile(r" · (below )?[\d.]+%$")).first
    alternative.focus()
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("2 of 2")
    expect(answers(page)).to_contain_text(FIGURES)


def explain_token(page: Page) -> None:
    """From a token of an answer to the step that wrote it."""
    button(answers(page), "More").click()
    page.get_by_text("Look at the tokens").click()
    page.get_by_role("group", name="Tokens of the answer").get_by_role("button").nth(2).click()
    page.get_by_role("button", name="How did this token come about?").click()
    expect(page.get_by_role("heading", name="How the next token comes about")).to_be_visible()
    expect(page.get_by_text("The step of a chat")).to_be_visible()
    expect(page.get_by_text("1. The prompt")).to_be_visible()


def watch_engine(page: Page, client: ChatClient) -> None:
    """The page shows by itself what others let the engine compute."""
    expect(page.locator(PLOTS)).to_have_count(6)
    words = page.get_by_text("the best second of the last two minutes had")
    before = words.inner_text()
    client.chat("Once upon a time", max_tokens=900, ignore_eos=True)
    expect(words).not_to_have_text(before)


def explain(page: Page) -> None:
    """Another head gives another map, and temperature 0 leaves one token."""
    expect(page.get_by_text("Layer 0, head 0", exact=True)).to_be_visible()
    page.get_by_role("slider", name="Head").press("ArrowRight")
    expect(page.get_by_text("Layer 0, head 1", exact=True)).to_be_visible()
    page.get_by_role("slider", name="Temperature").press("Home")
    expect(page.get_by_text("the model would write one token")).to_be_visible()
    expect(page.locator(PLOTS)).to_have_count(3)
    expect(page.get_by_test_id("stException")).to_have_count(0)
