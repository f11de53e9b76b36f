"""The list of messages by hand: long conversations, scrolling, keys, copies, frames, and both themes."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from message_page import chat, piece, requested, serve_messages, turn

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect, Page = playwright.expect, playwright.Page
Show = Callable[..., Page]

TEXT = "Some **words** of an answer.\n\n" * 4 + "```python\nx = 1\n```"
ALL = turn(
    2,
    f"# Title\n\n- [x] done\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n$$x^2$$\n\n[link](https://a.b)\n\n{TEXT}\n\n"
    "```c\n// a comment\nint f(char *s) { return 1; }\n```",
    reasoning="Hm.",
    reasoning_label="Thought for 1 s",
    error="It failed.",
    sources=[
        {"number": 1, "label": "a.pdf · p. 2", "title": "a.pdf p. 2", "text": "Passage", "is_cited": True}
    ],
    calls=[{"name": "get", "arguments": '{"a": 1}', "result": "42"}],
    branches={"place": 1, "count": 2},
)
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
TO_END = (
    "(e => e.scrollHeight - e.clientHeight - e.scrollTop)(document.querySelector('[data-testid=stMain]'))"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_messages() as address:
        yield address


@pytest.fixture
def show(address: str, visit: Callable[..., Page]) -> Show:
    """A function that shows turns in a new tab."""

    def start(*turns: dict[str, Any], **options: Any) -> Page:
        page = visit(address, has_line=False, **options)
        page.wait_for_function("window.isReady")
        draw(page, *turns)
        return page

    return start


def draw(page: Page, *turns: dict[str, Any], **fields: Any) -> None:
    page.evaluate("data => { show(data) }", {**chat(*turns), **fields})


def many(count: int) -> list[dict[str, Any]]:
    return [turn(n, f"Answer {n}. {TEXT}", f"Question {n}") for n in range(count)]


def test_of_a_long_conversation_only_what_is_near_is_in_the_page(show: Show) -> None:
    page = show(*many(300))
    expect(page.get_by_text("Answer 299.")).to_be_in_viewport()
    assert page.get_by_test_id("stChatMessage").count() < 60
    page.evaluate(f"{SCROLLED} = 0")
    expect(page.get_by_text("Answer 0.")).to_be_in_viewport()
    expect(page.get_by_text("Answer 299.")).to_have_count(0)
    page.get_by_role("button", name="To the latest").click()
    expect(page.get_by_text("Answer 299.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="To the latest")).to_be_hidden()


def test_scrolling_up_jumps_nowhere(show: Show) -> None:
    page = show(*many(300))
    expect(page.get_by_text("Answer 299.")).to_be_in_viewport()
    # While it is scrolled by 40 pixels each frame, what was seen moves by 40 pixels.
    jumps = page.evaluate(
        """async () => {
          const main = document.querySelector('[data-testid=stMain]');
          const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          const jumps = [];
          for (let count = 0; count < 100; count++) {
            const seen = document.elementFromPoint(600, 300).closest('.tc-turn');
            const before = seen.getBoundingClientRect().top;
            main.scrollTop -= 40;
            await frame();
            await frame();
            if (seen.isConnected) jumps.push(Math.abs(seen.getBoundingClientRect().top - before - 40));
          }
          return jumps;
        }"""
    )
    assert len(jumps) > 80
    assert max(jumps) < 2


def test_the_end_is_followed_until_a_person_scrolls_up(show: Show) -> None:
    page = show(*many(20), turn(20, "", is_running=True))
    long = "A sentence of an answer.\n\n" * 100
    for end in range(0, len(long), 500):
        page.evaluate("data => feed(data)", piece(20, long[:end]))
    expect(page.locator(".tc-text").last).to_contain_text("A sentence")
    page.wait_for_function(f"{TO_END} < 5")
    page.mouse.move(600, 300)
    page.mouse.wheel(0, -400)
    page.wait_for_function(f"{TO_END} > 300")
    place = page.evaluate(SCROLLED)
    page.evaluate("data => feed(data)", piece(20, long * 2))
    page.wait_for_function(f"{TO_END} > 2000")
    assert abs(page.evaluate(SCROLLED) - place) < 2
    # A new question comes into view, wherever the person is.
    draw(page, *many(20), turn(20, long * 2), turn("pending", "", "The new question", is_running=True))
    expect(page.get_by_text("The new question")).to_be_in_viewport()


def test_menu_by_keyboard(show: Show) -> None:
    page = show(turn(1, "One."), turn(2, "Two."))
    more = page.get_by_role("button", name="More", exact=True).last
    more.focus()
    page.keyboard.press("Enter")
    items = page.get_by_role("menuitem")
    expect(items).to_have_text(
        [
            "Edit the question",
            "Look at the tokens",
            "Answer again",
            "Answer again with other-model",
            "Go back to before this question",
            "Reproducible: copy receipt",
        ]
    )
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(items.last).to_be_focused()
    page.keyboard.press("g")
    expect(items.nth(4)).to_be_focused()
    page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    expect(more).to_be_focused()
    page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(more).to_be_focused()
    assert page.evaluate("actions") == [
        {"chat": "1", "key": "2", "name": "again_with", "value": "other-model"}
    ]


def test_a_question_is_edited_in_its_place(show: Show) -> None:
    page = show(turn(1, "One."), turn(2, "Two.", "How so?"))
    page.keyboard.press("Alt+ArrowUp")
    field = page.get_by_role("textbox", name="Question")
    expect(field).to_be_focused()
    expect(field).to_have_value("How so?")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    draw(page, turn(1, "One."), turn(2, "Two.", "How so?"), edit={"key": "1", "number": 1})
    field.fill("Another\nquestion")
    # A run of the page meanwhile takes nothing away.
    draw(page, turn(1, "One."), turn(2, "Two.", "How so?"), edit={"key": "1", "number": 1})
    field.press("Enter")
    expect(field).to_have_count(0)
    assert page.evaluate("actions") == [
        {"chat": "1", "key": "1", "name": "edit", "value": "Another\nquestion"}
    ]


def test_branches_and_thumbs(show: Show) -> None:
    page = show(turn(1, "One.", branches={"place": 2, "count": 2}, thumb="up"))
    expect(page.get_by_role("button", name="Later branch")).to_be_disabled()
    page.get_by_role("button", name="Earlier branch").click()
    good, bad = (page.get_by_role("button", name=name) for name in ("Good answer", "Bad answer"))
    expect(good).to_have_attribute("aria-pressed", "true")
    good.click()
    bad.click()
    assert [(each["name"], each["value"]) for each in page.evaluate("actions")] == [
        ("branch", -1),
        ("thumb", ""),
        ("thumb", "down"),
    ]


def test_a_rating_is_shown_at_once_and_taken_back_if_it_was_not_kept(show: Show) -> None:
    given = turn(1, "One.", thumb="up")
    page = show(given)
    good, bad = (page.get_by_role("button", name=name) for name in ("Good answer", "Bad answer"))
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")
    page.evaluate("data => { show(data) }", chat(turn(1, "One.", thumb="down")))
    expect(bad).to_be_focused()  # nothing had to be drawn again
    good.click()
    page.evaluate("data => { show(data) }", chat(turn(1, "One.", thumb="down")))
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")


def test_copies(show: Show) -> None:
    page = show(
        turn(1, "Asked. **One**\n\n```py\na\n\nb\n```", copy_from=7),
        permissions=["clipboard-read", "clipboard-write"],
    )
    read = "navigator.clipboard.readText()"
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied", exact=True)).to_be_visible()
    assert page.evaluate(read) == "**One**\n\n```py\na\n\nb\n```"
    page.get_by_role("button", name="Copy to clipboard").click()
    expect(page.get_by_role("button", name="Copied", exact=True).first).to_be_visible()
    page.wait_for_function(f"async () => await {read} === 'a\\n\\nb'")


def test_a_long_question_is_folded(show: Show) -> None:
    page = show(turn(1, "One.", "word " * 2000 + "END"), turn(2, "Two.", "Look:\n```py\nx = 1\n```\n**so**"))
    expect(page.get_by_text("END")).to_have_count(0)
    page.get_by_role("button", name="Show all 10,003 characters").click()
    expect(page.get_by_text("END")).to_have_count(1)
    page.get_by_role("button", name="Show less").click()
    expect(page.get_by_text("END")).to_have_count(0)
    second = page.get_by_label("Chat message from user").last
    expect(second.get_by_test_id("stCode")).to_have_text("x = 1")
    expect(second).to_contain_text("**so**")


def test_sources_open(show: Show) -> None:
    page = show(ALL)
    page.get_by_role("button", name="1 a.pdf · p. 2 · cited").click()
    expect(page.get_by_role("dialog", name="a.pdf p. 2")).to_contain_text("Passage")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="1 a.pdf · p. 2 · cited")).to_be_focused()


def test_a_page_of_a_model_reaches_nothing(show: Show) -> None:
    attempts = """<p id=ran></p><script>
      const tried = { cookie: () => document.cookie, parent: () => parent.parent.document.title };
      const found = Object.entries(tried).map(([name, attempt]) => {
        try { attempt(); return name + ' reached'; } catch { return name + ' refused'; }
      });
      document.querySelector('#ran').textContent = found.join(', ');
      fetch('ADDRESS/fetched').catch(() => {});
      new Image().src = 'ADDRESS/picture';
      location.href = 'ADDRESS/elsewhere';
    </script>"""
    page = show()
    requested.clear()
    html = attempts.replace("ADDRESS", page.url.rstrip("/"))
    draw(page, turn(1, f"```html\n{html}\n```\n"))
    page.get_by_role("button", name="Show the page").click()
    inner = page.frame_locator(".tc-frame").frame_locator("iframe")
    page.wait_for_function("document.querySelector('.tc-frame')")
    page.wait_for_timeout(1000)  # for what it may try
    assert requested == []
    html = html.replace("location.href", "window.unused")
    draw(page, turn(1, f"```html\n{html}\n```\n"))
    page.get_by_role("button", name="Show the page").click()
    expect(inner.locator("#ran")).to_have_text("cookie refused, parent refused")


# A diagram of each kind that models write. The last word of each stands in the drawing.
DIAGRAMS = {
    "flowchart": "graph TD; Fox-->Lighthouse",
    "layout ELK": "---\nconfig:\n  layout: elk\n---\nflowchart TD; Fox-->Lighthouse",
    "layout swimlane": "---\nconfig:\n  layout: swimlane\n---\nflowchart TD; Fox-->Lighthouse",
    "formula": 'graph LR; A["$$x^2$$"]-->Lighthouse',
    "sequence": "sequenceDiagram\n  Fox->>Owl: Lighthouse",
    "class": "classDiagram\n  Fox <|-- Lighthouse",
    "state": "stateDiagram-v2\n  [*] --> Lighthouse",
    "entities": "erDiagram\n  FOX ||--o{ OWL : Lighthouse",
    "gantt": "gantt\n  section Work\n  Lighthouse :a1, 2026-01-01, 30d",
    "pie": 'pie\n  "Fox" : 40\n  "Lighthouse" : 60',
    "mindmap": "mindmap\n  root((Fox))\n    Lighthouse",
    "timeline": "timeline\n  2026 : Lighthouse",
    "git": 'gitGraph\n  commit id: "Lighthouse"',
    "journey": "journey\n  title Day\n  section Go\n    Lighthouse: 5: Me",
    "quadrant": "quadrantChart\n  x-axis Low --> High\n  Lighthouse: [0.3, 0.6]",
    "xy": 'xychart-beta\n  title "Lighthouse"\n  x-axis [a, b]\n  bar [1, 2]',
    "sankey": "sankey-beta\n\nFox,Lighthouse,10",
    "block": 'block-beta\n  a["Fox"] b["Lighthouse"]',
    "kanban": "kanban\n  Todo\n    [Lighthouse]",
    "architecture": "architecture-beta\n  service db(database)[Lighthouse]",
    "packet": 'packet-beta\n0-15: "Lighthouse"',
    "requirement": "requirementDiagram\n  requirement Lighthouse {\n  id: 1\n  risk: high\n  }",
    "C4": 'C4Context\n  Person(a, "Lighthouse")',
    "radar": 'radar-beta\n  axis a["Fox"], b["Owl"], c["Lighthouse"]\n  curve one{1, 2, 3}',
}


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_is_drawn_in_a_frame(show: Show, name: str) -> None:
    """Also one that asks for a layout that build.mjs leaves out."""
    page = show(turn(1, f"```mermaid\n{DIAGRAMS[name]}\n```"))
    page.get_by_role("button", name="Draw the diagram").click()
    # The frame tells its height when it has drawn. Playwright's locators wait long for its three megabytes.
    expect(page.locator(".tc-frame")).to_have_attribute("style", re.compile("height"))
    assert "Lighthouse" in page.frames[-1].evaluate("document.querySelector('svg').textContent")
    if name == "formula":
        assert page.locator(".tc-frame").evaluate("frame => frame.clientHeight") < 150  # that of one line
        assert page.frames[-1].evaluate("document.querySelectorAll('svg msup').length") > 0
    assert "allow-same-origin" not in (page.locator(".tc-frame").get_attribute("sandbox") or "")


@pytest.mark.parametrize("kind", ["swimlane-beta", "usecase-beta", "nothing"])
def test_diagram_that_cannot_be_drawn_is_explained(show: Show, kind: str) -> None:
    page = show(turn(1, f"```mermaid\n{kind}\n  Fox\n```"))
    page.get_by_role("button", name="Draw the diagram").click()
    expect(page.locator(".tc-frame")).to_have_attribute("style", re.compile("height"))
    said = page.frames[-1].evaluate("document.body.innerText")
    assert said.startswith("This diagram cannot be drawn: ") and kind in said


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_fault(show: Show, theme: str) -> None:
    page = show(turn(1, "One."), ALL, color_scheme=theme)
    expect(page.locator(".tc-text")).to_have_count(3)
    page.locator("summary").click()
    for step in (lambda: None, page.get_by_role("button", name="More", exact=True).last.click):
        step()
        found = axe.Axe().run(page, {}, {"resultTypes": ["violations"]}).response["violations"]
        serious = [
            (fault["id"], node["html"])
            for fault in found
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]
        assert serious == [], json.dumps(serious, indent=1)


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_nothing_is_wider_than_the_page(show: Show, width: int) -> None:
    wide = "| " + " | ".join(f"column {n}" for n in range(30)) + " |\n" + "|-" * 30 + "|\n"
    formula = " + ".join(f"x_{{{n}}}" for n in range(80))
    text = f"{wide}\n\n$$ {formula} $$\n\n```\n{'x' * 500}\n```\n\n{'word' * 200}"
    page = show(ALL, turn(3, text, "w" * 500), size={"width": width, "height": 800})
    expect(page.locator(".katex")).to_have_count(2)
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
