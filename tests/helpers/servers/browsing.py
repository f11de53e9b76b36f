"""Helpers for tests of the page in a real browser, and the fixtures `browser`, `visit` and `page_of`."""

import contextlib
import functools
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import free_port, wait_until

from triton_server.client import ChatClient
from triton_server.launch.page_process import launch_page
from triton_server.settings.server import McpSettings

if TYPE_CHECKING:  # slow to import, and most tests need no browser
    from conftest import Server
    from in_process import Endpoints
    from playwright.sync_api import Browser, Locator, Page

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
# Only the last `--disable-features` counts, so this has what Playwright turns off and matters here, too.
FEATURES_OFF = [
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    # Each visitor would get a process for suggestions in the browser's own line of addresses, and one in
    # reserve.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(FEATURES_OFF)}",
]
# What is in an expander moves while it opens, and a click meets what was not meant.
OPEN_AT_ONCE = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (...values) {
    const animation = animate.apply(this, values);
    if (this.tagName === "DETAILS") animation.finish();
    return animation;
};
"""
FIGURES = re.compile(r"tokens in, \d+ out · seed \d+ · ")


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    paths = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    executable = next(filter(None, paths), None)
    if executable is None:
        pytest.skip("Chromium is not installed")
    playwright.expect.set_options(timeout=60_000)
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)


@pytest.fixture
def visit(browser: "Browser") -> "Iterator[Callable[..., Page]]":
    """Open an address in a tab of its own, as another visitor, and wait for the input line."""
    from playwright.sync_api import expect

    with contextlib.ExitStack() as tabs:

        def open_tab(
            address: str, size: dict[str, int] = DESKTOP, has_line: bool = True, **options: Any
        ) -> "Page":
            context = browser.new_context(viewport=size, **options)
            tabs.callback(context.close)
            context.set_default_timeout(60_000)
            context.add_init_script(OPEN_AT_ONCE)
            page = context.new_page()
            page.goto(address)
            if has_line:
                expect(line(page)).to_be_visible(timeout=150_000)  # a busy machine takes long
            return page

        yield open_tab


@contextlib.contextmanager
def running_page(
    server: str,
    folder: Path,
    port: int | None = None,
    login: Path | None = None,
    tools: McpSettings | None = None,
) -> Iterator[str]:
    """Start the page for a server, on a free port if none is given. Yields its address."""
    port = port or free_port()
    page = launch_page("127.0.0.1", port, server, folder / "page.log", login, tools)
    try:
        page.wait_until_up()
        yield f"http://127.0.0.1:{port}"
    finally:
        page.stop()


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Callable[[Endpoints], str]]":
    """The address of the page for a server. It is started once, for all tests of this process."""
    with contextlib.ExitStack() as pages:

        @functools.cache
        def start(server: "Endpoints") -> str:
            return pages.enter_context(running_page(server.grpc_url, tmp_path_factory.mktemp("page")))

        yield start


def line(page: "Page") -> "Locator":
    """The message line. While another conversation is drawn, that of the one before follows for a moment."""
    return page.get_by_test_id("stChatInput").get_by_role("textbox").first


def button(page: "Page", name: str) -> "Locator":
    return page.get_by_role("button", name=name, exact=False)


def questions(page: "Page") -> "Locator":
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_label("Chat message from user"))


def answers(page: "Page") -> "Locator":
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_label("Chat message from assistant"))


def found_in_answers(page: "Page", pattern: str, count: int) -> list[str]:
    """What the group of a pattern matches in `count` answers. Streamlit draws them anew now and then."""
    found: list[str] = []

    def is_complete() -> bool:
        matches = (re.search(pattern, text) for text in answers(page).all_inner_texts())
        found[:] = [match[1] for match in matches if match]
        return len(found) == count

    wait_until(is_complete)
    return found


def ask(page: "Page", question: str) -> None:
    line(page).fill(question)
    line(page).press("Enter")


def open_settings(page: "Page") -> None:
    page.get_by_role("tab", name="Settings").click()


def set_max_tokens(page: "Page", value: int) -> None:
    open_settings(page)
    max_tokens = page.get_by_role("spinbutton", name="Max tokens")
    max_tokens.fill(str(value))
    max_tokens.press("Enter")


def ask_at_length(page: "Page", question: str) -> None:
    """Ask the endless model, and wait for its first word."""
    from playwright.sync_api import expect

    set_max_tokens(page, 49_000)
    ask(page, question)
    expect(answers(page).last).to_contain_text(re.compile(r"\w[\s\S]*answering …"))


def wait_for_idle(server: "Server") -> None:
    """Wait until the server computes nothing."""
    with ChatClient(server.grpc_url) as client:
        wait_until(lambda: client.stats()["running"] == 0)
