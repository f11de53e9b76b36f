"""Tools of MCP servers on the page, in a real browser, with a model that calls `get_weather`."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from browsing import FIGURES, answers, ask, button, line, open_settings, running_page
from in_process import Endpoints
from paths import TESTS

from triton_server.settings.server import McpSettings

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

SERVER = TESTS / "helpers" / "servers" / "raw_mcp_server.py"
QUESTION = "How is the weather?"
GONE = re.compile("MCP server gone", re.IGNORECASE)  # how it has failed depends on the moment
CLICKS = 5
Start = Callable[..., Page]


@pytest.fixture
def start(reciter: Endpoints, tmp_path: Path, visit: Callable[..., Page]) -> Iterator[Start]:
    """Opens a page whose server `town` has a tool get_weather that does what another one does."""
    pages = []

    def open_page(what: str, **fields: object) -> Page:
        entry = {"command": sys.executable, "args": [str(SERVER), str(tmp_path), what], **fields}
        file = tmp_path / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {"town": entry}}))
        tools = McpSettings(mcp_config=file, mcp_max_rounds=2)
        running = running_page(reciter.grpc_url, tmp_path, tools=tools)
        pages.append(running)
        page = visit(running.__enter__())
        switch_on(page, "town")
        expect(page.get_by_text("get_weather", exact=True)).to_be_visible()
        return page

    yield open_page
    for running in pages:
        running.__exit__(None, None, None)


def switch_on(page: Page, name: str) -> None:
    open_settings(page)
    page.get_by_text("Tools of servers").click()
    switch, label = page.get_by_role("switch", name=name), page.get_by_text(name, exact=True)
    for _ in range(CLICKS):  # one is lost while the page is drawn
        label.click()
        with suppress(AssertionError):
            expect(switch).to_be_checked(timeout=3_000)
            break


def test_call_is_asked_for_once_and_always(start: Start) -> None:
    page = start("get_weather")
    ask(page, QUESTION)
    expect(page.get_by_text("The model wants to call get_weather of town")).to_be_visible()
    expect(page.locator("#tritonchat-said")).to_have_text("The model wants to call get_weather.")
    expect(page.get_by_role("button", name="Send the result")).to_have_count(0)  # nobody types it in
    expect(answers(page)).to_have_count(1)
    button(page, "Allow once").click()
    expect(answers(page)).to_have_count(2)
    expect(answers(page).first).to_contain_text("Result")
    expect(answers(page).last).to_contain_text(FIGURES)
    ask(page, QUESTION)
    expect(answers(page)).to_have_count(3)  # the buttons of the first call stay until the page is drawn
    button(page, "Always allow").click()
    expect(answers(page)).to_have_count(4)
    expect(answers(page).last).to_contain_text(FIGURES)
    ask(page, QUESTION)
    expect(answers(page)).to_have_count(6)  # without a click
    expect(answers(page).last).to_contain_text(FIGURES)
    page.reload()
    open_settings(page)
    page.get_by_text("Tools of servers").click()
    expect(page.get_by_text("get_weather · runs by itself")).to_be_visible()  # it is kept
    button(page, "New chat").click()
    expect(line(page)).to_be_visible()
    expect(page.get_by_text("get_weather ·")).to_have_count(0)  # for this conversation alone


def test_refused_tool_is_not_offered_again(start: Start) -> None:
    page = start("get_weather")
    ask(page, QUESTION)
    button(page, "Never allow").click()
    expect(answers(page).first).to_contain_text("the person does not allow this tool")
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(page.get_by_text("get_weather · never runs")).to_be_visible()
    button(page, "Ask again for each").click()
    expect(page.get_by_text("get_weather · asks")).to_be_visible()


def test_loop_of_calls_ends(start: Start) -> None:
    page = start("again", approval="never")
    ask(page, QUESTION)
    expect(answers(page)).to_have_count(3)  # two rounds, and then an answer without tools
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(button(page, "Allow once")).to_have_count(0)
    expect(page.get_by_text("The model has called tools 2 times without a question of yours")).to_be_visible()


def test_call_that_hangs_is_stopped(start: Start) -> None:
    page = start("hang")
    ask(page, QUESTION)
    button(page, "Allow once").click()
    expect(page.get_by_text("get_weather runs")).to_be_visible()
    expect(button(page, "Allow once")).to_have_count(0)
    expect(line(page)).to_be_focused()  # the button that had the focus is gone
    page.keyboard.press("Escape")
    expect(answers(page)).to_have_count(2)
    expect(answers(page).first).to_contain_text("the person has stopped this tool")
    expect(answers(page).last).to_contain_text(FIGURES)
    expect(button(page, "Stop the tool")).to_have_count(0)
    expect(button(page, "Allow once")).to_have_count(0)  # it does not run again


def test_call_after_a_reload_waits_for_a_person(start: Start) -> None:
    page = start("get_weather")
    ask(page, QUESTION)
    expect(button(page, "Allow once")).to_be_visible()
    page.reload()
    button(page, "Allow once").click()
    expect(answers(page)).to_have_count(2)
    expect(answers(page).last).to_contain_text(FIGURES)


def test_server_that_does_not_run_says_why(
    reciter: Endpoints, tmp_path: Path, visit: Callable[..., Page]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"gone": {"command": "/nothing"}}}))
    with running_page(reciter.grpc_url, tmp_path, tools=McpSettings(mcp_config=file)) as address:
        page = visit(address)
        switch_on(page, "gone")
        expect(page.get_by_test_id("stSidebar").get_by_text(GONE)).to_be_visible()
        ask(page, QUESTION)
        expect(answers(page)).to_contain_text(GONE)
