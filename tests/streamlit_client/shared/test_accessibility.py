"""All pages in Chromium: axe-core finds no serious fault in either theme."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import FIGURES, answers, ask, button, running_page
from in_process import Endpoints

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect, Page = playwright.expect, playwright.Page

# Streamlit shows elements that are about to be drawn again in a pale colour, for a moment.
CHECKED = {"exclude": [["[data-stale='true']"]]}
ALL_RULES = {"resultTypes": ["violations"]}
# The dark page differs from the light one in its colours alone.
RULES_OF_COLOURS = {**ALL_RULES, "runOnly": ["color-contrast", "link-in-text-block"]}
BACKGROUND = "element => getComputedStyle(element).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"


def find_faults(page: Page, rules: dict) -> list[tuple[str, str]]:
    """The serious faults: the rule and the element, of a page that is drawn."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_function("!document.getAnimations().some(each => each instanceof CSSTransition)")
    return [
        (fault["id"], node["html"])
        for fault in axe.Axe().run(page, CHECKED, rules).response["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def check(page: Page) -> None:
    """Check what a page shows, first in the light theme, then in the dark one."""
    app = page.get_by_test_id("stApp")
    assert min(app.evaluate(BACKGROUND)) > 200
    assert find_faults(page, ALL_RULES) == []
    page.emulate_media(color_scheme="dark")
    expect(app).not_to_have_css("background-color", "rgb(255, 255, 255)")
    assert max(app.evaluate(BACKGROUND)) < 60
    assert find_faults(page, RULES_OF_COLOURS) == []
    page.emulate_media(color_scheme="light")


def test_axe_finds_no_serious_fault(visit: Callable[..., Page], several: Endpoints, tmp_path: Path):
    with running_page(several.grpc_url, tmp_path) as address:
        page = visit(address, color_scheme="light")
        ask(page, "Hello")
        expect(answers(page)).to_contain_text(FIGURES)
        button(answers(page), "More").click()
        page.get_by_text("Look at the tokens").click()
        page.get_by_role("group", name="Tokens of the answer").get_by_role("button").nth(1).click()
        expect(page.get_by_text("Token 2, ")).to_be_visible()
        check(page)
        button(answers(page), "More").click()
        page.get_by_text("Reproducible: copy receipt").click()
        button(page, "Compute again").click()
        expect(page.get_by_text("computed again.")).to_be_visible()
        check(page)

        page.goto(f"{address}/compare")
        expect(page.get_by_text("Hide which side is which")).to_be_visible()
        check(page)
        ask(page, "Hello")
        button(page, "Left is better").click()
        expect(page.get_by_text("You voted")).to_be_visible()
        button(page, "Where they part").click()
        expect(page.get_by_role("group", name="Where the answers part").locator("mark")).to_have_count(2)
        check(page)

        page.goto(f"{address}/votes")
        expect(page.get_by_text("Votes as JSONL")).to_be_visible()
        expect(page.locator("svg.marks")).to_be_visible()
        check(page)

        page.goto(f"{address}/engine")
        expect(page.get_by_text("The prefix cache", exact=True)).to_be_visible()
        expect(page.locator("svg.marks")).to_have_count(6)
        check(page)

        page.goto(f"{address}/explain")
        expect(page.get_by_text("With these settings the model would write")).to_be_visible()
        expect(page.locator("svg.marks")).to_have_count(3)
        check(page)

        page.goto(f"{address}/data")
        expect(page.locator("svg.marks")).to_be_visible()
        expect(page.get_by_text("Import such a file")).to_be_visible()
        check(page)


def test_theme_is_chosen_and_kept(visit: Callable[..., Page], several: Endpoints, tmp_path: Path) -> None:
    with running_page(several.grpc_url, tmp_path) as address:
        page = visit(address, color_scheme="light")
        app = page.get_by_test_id("stApp")
        button(page, "Main menu").click()
        page.get_by_role("menuitemradio", name="Dark").click()
        expect(app).not_to_have_css("background-color", "rgb(255, 255, 255)")
        page.reload()
        expect(button(page, "New chat")).to_be_visible()
        assert max(app.evaluate(BACKGROUND)) < 60
