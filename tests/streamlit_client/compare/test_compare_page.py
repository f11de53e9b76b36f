"""The page that compares, in Chromium: two answers come next to each other, and a blind vote is counted."""

import re
from collections.abc import Callable

import pytest
from browsing import FIGURES, PHONE, ask, button, line
from in_process import Endpoints
from reciter import GREETING, STORY
from support import wait_until

from triton_server.client import ChatClient

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


def sides(page: Page) -> playwright.Locator:
    """The columns of the last round."""
    return page.get_by_test_id("stColumn")


def are_stacked(page: Page) -> bool:
    """Whether the right side begins below the left one."""
    read = (
        "columns => columns.map(column => column.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    )
    (_, left_end), (right_start, _) = sides(page).evaluate_all(read)
    return right_start >= left_end


def test_two_answers_come_next_to_each_other(
    visit: Callable[..., Page], several: Endpoints, page_of: Callable[[Endpoints], str]
):
    with ChatClient(several.grpc_url) as client:
        before = [vote["winner"] for vote in client.conversations().list_votes()]
    page = visit(f"{page_of(several)}/compare")
    page.get_by_role("spinbutton", name="Max tokens").fill("100000")
    page.get_by_role("spinbutton", name="Max tokens").press("Enter")
    ask(page, "Tell me a story")  # the reciter's has no end
    expect(sides(page)).to_have_count(2)
    left, right = sides(page).nth(0), sides(page).nth(1)
    expect(left).to_contain_text("Left · embedded")
    expect(left).to_contain_text(FIGURES)
    expect(right).to_contain_text(STORY)
    expect(right).to_contain_text("answering …")
    tops = "columns => new Set(columns.map(column => column.getBoundingClientRect().y)).size"
    assert sides(page).evaluate_all(tops) == 1
    expect(button(page, "Left is better")).to_have_count(0)
    button(page, "Stop").click()
    expect(right).to_contain_text("stopped by you")
    button(page, "Left is better").click()
    expect(page.get_by_text("You voted: left is better.")).to_be_visible()
    expect(button(page, "Tie")).to_have_count(0)

    button(page, "New comparison").click()
    page.get_by_text("Hide which side is which").click()
    ask(page, "Hello")
    expect(button(page, "Tie")).to_be_visible()
    reciters = sides(page).filter(has_text=GREETING)
    expect(reciters).to_have_count(1)
    expect(page.get_by_text(re.compile("embedded|speaker"))).to_have_count(0)
    place = "Left" if "Left" in reciters.inner_text() else "Right"
    button(page, f"{place} is better").click()
    expect(reciters).to_contain_text(f"{place} · speaker")
    ask(page, "Hello again")
    expect(sides(page)).to_have_count(4)
    expect(button(page, "Tie")).to_be_visible()

    page.get_by_role("link", name="Votes").click()
    cells = page.get_by_role("row").filter(has_text="speaker").get_by_role("cell")
    votes = re.compile(rf"^{len(before) + 2}$")
    expect(cells).to_have_text(
        [re.compile("^speaker"), votes, *[re.compile("^[0-9]+$")] * 3, re.compile(r"\(")]
    )
    expect(page.get_by_test_id("stVegaLiteChart")).to_be_visible()
    with page.expect_download() as download:
        button(page, "Votes as JSONL").click()
    assert download.value.path().read_text().count('"winner"') == len(before) + 2


def test_sides_stand_below_each_other_on_a_phone(
    visit: Callable[..., Page], several: Endpoints, page_of: Callable[[Endpoints], str]
):
    page = visit(f"{page_of(several)}/compare", PHONE)
    ask(page, "Hello")
    expect(button(page, "Tie")).to_be_in_viewport()
    wait_until(lambda: are_stacked(page))  # the figures of the answers come last
    expect(line(page)).to_be_in_viewport()

    # The right side stays where it is, whatever length the left one has.
    tops = "columns => columns.map(column => column.getBoundingClientRect().top)"
    first, second = sides(page).evaluate_all(tops)
    box = page.locator("[class*=st-key-answer-]").first
    box.evaluate("box => box.insertAdjacentHTML('beforeend', '<p>A line</p>'.repeat(100))")
    assert box.evaluate("box => box.scrollHeight > 2 * box.clientHeight")
    left, right = sides(page).evaluate_all(tops)
    assert right - left == pytest.approx(second - first, abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parting_is_shown_on_a_phone(
    scheme: str, visit: Callable[..., Page], several: Endpoints, page_of: Callable[[Endpoints], str]
):
    page = visit(f"{page_of(several)}/compare", PHONE, color_scheme=scheme)
    ask(page, "Hello")
    button(page, "Where they part").click()
    shown = page.get_by_role("group", name="Where the answers part")
    expect(shown.locator("mark")).to_have_count(2)
    expect(shown.get_by_role("region", name="Right")).to_contain_text(GREETING[3:])
    expect(shown.locator(".words").first).to_contain_text(re.compile(r"^Probability: left [\d.]+%"))
    boxes = shown.get_by_role("region").evaluate_all(
        "regions => regions.map(region => region.getBoundingClientRect()).map(box => [box.right, box.top])"
    )
    assert all(right <= PHONE["width"] for right, _ in boxes) and boxes[0][1] < boxes[1][1]
    colours = shown.locator("p").first.evaluate("p => getComputedStyle(p).color.match(/\\d+/g).map(Number)")
    assert (max(colours[:3]) < 100) == (scheme == "light")
