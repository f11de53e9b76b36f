"""Texts of models in the list of messages: what is drawn, and that nothing runs or is loaded."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from formula_answers import ANSWERS
from message_page import chat, serve_messages, turn
from paths import DATA
from test_markdown import HOSTILE

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page
Draw = Callable[..., Page]

EXAMPLES = [
    text
    for name in ("commonmark", "gfm")
    for text in json.loads((DATA / "markdown" / f"{name}.json").read_text())
]
DOT = (  # a picture of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# What a browser may run, or load by itself.
DANGEROUS = (
    "script, iframe, object, embed, link, style, form, base, meta, video, audio, image, [onerror], [onload]"
)
NOT_OURS = """() => [...document.querySelectorAll('.tc-text *')].flatMap(element => [...element.attributes]
  .filter(({ name, value }) => name.startsWith('on') || name === 'href' && !/^(https?|mailto):/i.test(value)
    || name === 'src' && !value.startsWith('data:image/') || name === 'style' && /url|fixed/.test(value))
  .map(({ name, value }) => `${name}=${value}`))"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_messages() as address:
        yield address


@pytest.fixture
def draw(address: str, visit: Callable[..., Page]) -> Draw:
    """A function that shows answers, each in a turn of its own."""

    def show(*texts: str, **fields: Any) -> Page:
        page = visit(address, has_line=False)
        page.wait_for_function("window.isReady")
        page.evaluate(
            "data => { show(data) }", chat(*(turn(n, text, **fields) for n, text in enumerate(texts)))
        )
        return page

    return show


def test_hostile_texts_load_nothing_and_run_nothing(draw: Draw) -> None:
    page = draw()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    texts = [text.replace("@", "https://stranger.example/stolen") for text in HOSTILE]
    attacks = [
        "[a](javascript:alert(1)) <javascript:alert(1)> [b](data:text/html,x) [c](vbscript:x)",
        "$\\href{javascript:alert(1)}{x}$ $\\htmlStyle{position: fixed}{x}$ $\\includegraphics{https://a.b}$",
        "```html\n</code></pre><script>document.title = 'ran'</script>\n```",
        '```"onmouseover="alert(1)\nx\n```',
        "![a](data:image/svg+xml,<svg onload=alert(1)>) ![b](/logout) ![c](//stranger.example/x)",
    ]
    page.evaluate("data => { show(data) }", chat(*(turn(n, text) for n, text in enumerate(texts + attacks))))
    expect(page.locator(".tc-text")).to_have_count(len(texts) + len(attacks))
    page.wait_for_load_state("networkidle")
    assert [url for url in requests if "/dist/fonts/" not in url] == []
    assert page.locator(f".tc-text :is({DANGEROUS})").count() == 0
    assert page.evaluate(NOT_OURS) == []
    assert page.title() == "Messages"


def test_examples_of_the_specifications_load_nothing_and_run_nothing(draw: Draw) -> None:
    page = draw()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for first in range(0, len(EXAMPLES), 50):
        turns = [turn(f"{first}-{n}", text) for n, text in enumerate(EXAMPLES[first : first + 50])]
        page.evaluate("data => { show(data) }", chat(*turns, name=str(first)))
        expect(page.locator(".tc-text")).to_have_count(len(turns))
        assert page.locator(f".tc-text :is({DANGEROUS})").count() == 0
        assert page.evaluate(NOT_OURS) == []
    page.wait_for_load_state("networkidle")
    assert [url for url in requests if "/dist/fonts/" not in url] == []


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_formulas_of_answers(draw: Draw, number: int) -> None:
    answer = ANSWERS[number]
    text = draw(answer.answer).locator(".tc-text")
    expect(text.locator(".katex")).to_have_count(len(answer.formulas))
    sources = [re.sub(r"\s", "", each) for each in text.locator("annotation").all_text_contents()]
    for formula in answer.formulas:
        # KaTeX gets the environments that fill lines as they are.
        wanted = re.sub(r"\s", "", formula.replace("aligned", "align").replace("gathered", "gather"))
        assert wanted in [source.replace("*", "").replace("aligned", "align") for source in sources] or (
            wanted.replace("*", "") in [source.replace("*", "") for source in sources]
        )
    assert text.locator(".katex-error").count() == 0
    for shown in answer.texts:
        expect(text).to_contain_text(shown)


def test_blocks_of_markdown(draw: Draw) -> None:
    page = draw(
        "# One\n\nA *b* **c** ~~d~~ `e`\nnew line\n\n- [ ] open\n- [x] done\n\n3. three\n\n> quote\n\n"
        "| a | b |\n|:-|-:|\n| 1 | 2 |\n\n```python\nreturn 1\n```\n\n<b>tag</b> &amp; ![pic](https://a.b/c.png)"
    )
    text = page.locator(".tc-text")
    assert text.locator("h1, em, strong, s, p > code, blockquote, table, br").count() == 8
    expect(text.get_by_role("checkbox", name="Not done")).not_to_be_checked()
    expect(text.get_by_role("checkbox", name="Done", exact=True)).to_be_checked()
    expect(text.locator("ol")).to_have_attribute("start", "3")
    expect(text.locator("td").last).to_have_css("text-align", "right")
    expect(text.locator(".hljs-keyword")).to_have_text("return")
    expect(text).to_contain_text("<b>tag</b> &")
    expect(text.get_by_role("link", name="pic")).to_have_attribute("href", "https://a.b/c.png")


def test_links_open_in_a_tab_that_knows_nothing_of_the_page(draw: Draw) -> None:
    page = draw("[a](https://a.b) www.c.de d@e.fg README.md main.py:80/x <https://h.i>")
    links = page.locator(".tc-text a")
    expect(links).to_have_text(["a", "www.c.de", "d@e.fg", "https://h.i"])
    for link in links.all():
        assert link.get_attribute("target") == "_blank"
        assert "noopener" in (link.get_attribute("rel") or "")


def test_pictures_within_a_text_are_shown(draw: Draw) -> None:
    picture = draw(f"![a dot](data:image/png;base64,{DOT})").get_by_role("img", name="a dot")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1


def test_blocks_have_the_direction_of_their_text(draw: Draw) -> None:
    paragraphs = draw("שלום עולם\n\nHello").locator(".tc-text p")
    expect(paragraphs.nth(0)).to_have_css("direction", "rtl")
    expect(paragraphs.nth(1)).to_have_css("direction", "ltr")


def test_blocks_that_hold_others_have_the_direction_of_the_text_in_them(draw: Draw) -> None:
    table = "| חמש | b |\n|-|-|\n| 1 | 2 |"
    page = draw(f"1. **אחת** one\n2. Two\n   - שלוש\n\n> ארבע\n\n{table}", "- One\n- שתיים")
    hebrew, english = page.locator(".tc-text").all()
    for holder in ("ol", "ol > li:first-child", "ul", "blockquote", "table"):
        expect(hebrew.locator(holder)).to_have_css("direction", "rtl")
    expect(hebrew.locator("ol > li").last).to_have_css("direction", "ltr")
    first, second = (hebrew.locator("th").nth(number).bounding_box() for number in range(2))
    assert first and second and first["x"] > second["x"]
    expect(english.locator("ul")).to_have_css("direction", "ltr")
    expect(english.locator("li").last).to_have_css("direction", "rtl")


def test_code_is_coloured_as_a_whole_however_long(draw: Draw) -> None:
    lines = "\n".join(f"value_{n} = 'text'  # {n}" for n in range(400))
    long_string = "x = '''\n" + "it's text\n\n" * 400 + "'''\nreturn 1"
    page = draw(f"```python\n{lines}\n```", f"```python\n{long_string}\n```")
    first, second = page.locator(".tc-text code").all()
    assert first.text_content() == lines
    assert first.locator(".hljs-comment").count() == 400
    assert second.text_content() == long_string
    assert second.locator(".hljs-string").count() == 1
    expect(second.locator(".hljs-keyword")).to_have_text("return")
