"""Answers that come in pieces: the page shows the same as for the whole, and draws what is finished once."""

import json
import random
from collections.abc import Callable, Iterator

import pytest
from formula_answers import ANSWERS
from message_page import chat, piece, serve_messages, turn

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

LONG = {
    "code": "Before\n```python\n"
    + "\n".join(f"value_{n} = '{n}'  # step" for n in range(300))
    + "\n```\nAfter it.",
    "code in a fence of tildes": "~~~~\n" + "x" * 50 + "\n```\n" + "a line\n\n" * 300 + "~~~~\n\n# End",
    "tight list": "\n".join(f"{n}. Item *{n}*\n   - inner `{n}`" for n in range(3, 120)) + "\n\nThe end.",
    "loose list": "\n\n".join(f"- Item **{n}**\n\n  more of it" for n in range(80)) + "\n\n1. other\n2. list",
    "list and code": "\n".join(f"* item {n}" for n in range(150)) + "\n```\ncode\n```\nend",
    "table": "| n | m |\n|:-|-:|\n"
    + "\n".join(f"| {n} | `{n}` \\| $x_{n}$ |" for n in range(150))
    + "\n\nEnd.",
    "paragraph": "A sentence of a paragraph. " * 200,
    "quote": "\n".join(f"> line {n}" for n in range(150)) + "\n\nEnd.",
    "links that come later": "See [a] and [b].\n\n" * 30
    + "[a]: https://a.example\n\n[b]: https://b.example\n\nEnd.",
    "lines that end in other ways": "a\r\n\r\n- b\r\n- c\r\n\r\n```\r\nd\r\n```\r\ne",
}
MIXED = "\n\n".join(answer.answer for answer in ANSWERS)
TEXTS = {"formulas": MIXED, **LONG}

# Draws all prefixes of a text that end at the given places, and then the whole.
GROW = """({ text, places }) => {
  const list = document.querySelector('.tc-list');
  const given = (end, isRunning) => ({ ...window.given, text: text.slice(0, end), is_running: isRunning });
  for (const end of places) show({ chat: 'grown', turns: [given(end, true)] });
  show({ chat: 'grown', turns: [given(text.length, false)] });
  const grown = document.querySelector('.tc-text').cloneNode(true);
  show({ chat: 'whole', turns: [given(text.length, false)] });
  const whole = document.querySelector('.tc-text').cloneNode(true);
  for (const each of [grown, whole]) each.normalize();
  return { grown: grown.innerHTML, whole: whole.innerHTML };
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_messages() as address:
        yield address


@pytest.fixture
def page(address: str, visit: Callable[..., Page]) -> Page:
    page = visit(address, has_line=False)
    page.wait_for_function("window.isReady")
    page.evaluate("given => { window.given = given }", turn(1, ""))
    page.evaluate("data => { show(data) }", chat())
    return page


@pytest.mark.parametrize("name", TEXTS)
def test_pieces_give_what_the_whole_gives(page: Page, name: str) -> None:
    text = TEXTS[name]
    for seed in range(3):
        choose = random.Random(seed)
        places = sorted(choose.sample(range(1, len(text)), min(60, len(text) // 2)))
        found = page.evaluate(GROW, {"text": text, "places": places})
        assert found["grown"] == found["whole"], places


def test_finished_blocks_are_drawn_once(page: Page) -> None:
    text = f"First.\n\n{LONG['tight list']}\n\n{LONG['table']}\n\n{LONG['code']}\n\nThe last."
    # An element that is drawn again has no mark of its own any more.
    marked = page.evaluate(
        """({ text }) => {
          const given = (end) => ({ ...window.given, text: text.slice(0, end), is_running: true });
          const lost = [];
          for (let end = 50; end < text.length; end += 50) {
            show({ chat: 'once', turns: [given(end)] });
            const all = [...document.querySelectorAll('.tc-text :is(p, li, tr, .tc-part)')];
            lost.push(all.slice(0, -12).filter((element) => end > 2000 && !element.mark).length);
            for (const element of all) element.mark = true;
          }
          return { lost, count: document.querySelectorAll('.tc-text :is(p, li, tr, .tc-part)').length };
        }""",
        {"text": text},
    )
    assert marked["count"] > 500
    # New ones are among the last; what stands before them keeps its mark.
    assert sum(count > 12 for count in marked["lost"]) == 0, marked["lost"]


def test_the_feed_reaches_a_running_answer(page: Page) -> None:
    page.evaluate("data => { show(data) }", chat(turn(1, "One."), turn(2, "", is_running=True)))
    text = page.locator(".tc-text").last
    page.evaluate("data => feed(data)", piece(3, "of another turn"))
    page.evaluate("data => feed(data)", piece(2, "The **answer"))
    expect(text).to_have_text("The **answer")
    expect(page.locator(".tc-notes").last.get_by_text("answering …")).to_be_visible()
    page.evaluate("data => feed(data)", piece(2, "comes** later", start=100))  # a piece before it was lost
    page.evaluate("data => feed(data)", piece(2, "answer** comes", start=6))
    expect(text.locator("strong")).to_have_text("answer")
    expect(text).to_have_text("The answer comes")
    # What the page knew when it was drawn is less than what the browser has.
    page.evaluate("data => { show(data) }", chat(turn(1, "One."), turn(2, "The **a", is_running=True)))
    expect(text).to_have_text("The answer comes")
    page.evaluate("data => { show(data) }", chat(turn(1, "One."), turn(2, "The **answer** came.")))
    expect(text).to_have_text("The answer came.")


def test_two_lists_are_fed_at_once(page: Page) -> None:
    running = turn("pending", "", None, is_running=True)
    for name, place in (("left", "root"), ("right", "other")):
        page.evaluate("([data, place]) => { show(data, place) }", [chat(running, name=name), place])
    left, right = (page.locator(f"#{place} .tc-text") for place in ("root", "other"))
    page.evaluate(
        "all => feed(...all)",
        [piece("pending", "The **left", name="left"), piece("pending", "R", name="right")],
    )
    expect(left).to_have_text("The **left")
    expect(right).to_have_text("R")
    page.evaluate(
        "all => feed(...all)",
        [piece("pending", "** side", 10, name="left"), piece("pending", "ight", 1, name="right")],
    )
    expect(left).to_have_text("The left side")
    expect(right).to_have_text("Right")
    # One has ended, and the page is drawn again.
    page.evaluate("data => { show(data) }", chat(turn("pending", "The **left** side.", None), name="left"))
    page.evaluate("all => feed(...all)", [piece("pending", "Right so", 0, name="right")])
    expect(right).to_have_text("Right so")
    expect(left).to_have_text("The left side.")
    # The next conversation in the same place knows nothing of it.
    page.evaluate("([data, place]) => { show(data, place) }", [chat(running, name="next"), "other"])
    expect(right).to_have_text("")


def test_parts_of_two_lists_are_kept_apart(page: Page) -> None:
    """A long list comes in parts, which may come before it or after it."""
    part = {"kind": "turns", "number": 0, "digest": "d"}
    for place, text in (("root", "One."), ("other", "Two.")):
        given = [
            {**part, "list": place, "turns": json.dumps([turn(1, text, None)])},
            {"chat": place, "digests": ["d"]},
        ]
        for data in given if place == "root" else reversed(given):
            page.evaluate("([data, place]) => { show(data, place) }", [data, place])
    expect(page.locator("#root .tc-text")).to_have_text("One.")
    expect(page.locator("#other .tc-text")).to_have_text("Two.")


def test_question_alone_has_no_answer(page: Page) -> None:
    page.evaluate("data => { show(data) }", chat(turn(1, "", "Why?", shows_answer=False)))
    expect(page.get_by_test_id("stChatMessage")).to_have_text("Why?")


def test_reasoning_is_open_until_the_answer_begins(page: Page) -> None:
    running = turn(1, "", is_running=True, reasoning="I *think*", reasoning_label="Thinking")
    page.evaluate("data => { show(data) }", chat(running))
    expect(page.locator("details em")).to_be_visible()
    thought = {"reasoning": "I *think* so", "reasoning_label": "Thought for 2 s"}
    page.evaluate("data => feed(data)", piece(1, "So", **thought))
    expect(page.locator("details em")).to_be_hidden()
    page.locator("summary").click()
    expect(page.locator("details")).to_contain_text("I think so")
    page.evaluate("data => feed(data)", piece(1, "So it is", **thought))
    expect(page.locator(".tc-text").last).to_have_text("So it is")
    expect(page.locator("details em")).to_be_visible()


def test_a_question_that_is_stored_keeps_its_element(page: Page) -> None:
    page.evaluate("data => { show(data) }", chat(turn(1, "One."), turn("pending", "", is_running=True)))
    page.evaluate("document.querySelectorAll('.tc-turn')[1].mark = true")
    page.evaluate("data => { show(data) }", chat(turn(1, "One."), turn(17, "Two.")))
    assert page.evaluate("document.querySelectorAll('.tc-turn')[1].mark")
    expect(page.locator(".tc-text")).to_have_text(["One.", "Two."])
