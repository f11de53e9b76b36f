"""Texts of models in the list of messages: what is drawn, and that nothing runs or is loaded."""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from formula_answers import ANSWERS
from message_page import chat, serve_messages, turn
from paths import DATA

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page
Draw = Callable[..., Page]

EXAMPLES = [
    text
    for name in ("commonmark", "gfm")
    for text in json.loads((DATA / "markdown" / f"{name}.json").read_text())
]
# Addresses are put in where @ stands.
HOSTILE = [
    "![a](@)",
    "- ```\n![a](@)\n",
    "- x\n  ```\n  y\n```\n![a](@)\n```",
    "~~~\n```\n~~~\n![a](@)",
    "```\n~~~\n```\n![a](@)\n~~~",
    "<img src='@'>",
    "<div>\n<img src='@'>\n</div>",
    "a <img src=@ onerror=alert(1)> b",
    "| a |\n| - |\n| ![a](@) |\n",
    "| `a |\n| - |\n| ![a](@)` |\n",
    "![a][b]\n\n[b]: @",
    "![b]\n\n[b]: <@>\n",
    "[![a](@)](@)",
    "a `\n\n![a](@)\n\n`",
    "``` `\n![a](@)\n```",
    "\r\n```\r\n\r\n![a](@)\r\n",
    "```\r![a](@)\r```\r![a](@)",
    "> ```\n![a](@)",
    "> ~~~\n\n![a](@)\n~~~",
    "    ```\n![a](@)\n    ```",
    "1. ```\n   x\n2. ![a](@)",
    "`` ` `` ![a](@) `",
    "\\`![a](@)\\`",
    "\\\\`![a](@)\\\\`",
    "$$\n![a](@)\n$$",
    "$$ x\n\n![a](@) $$",
    "x $$![a](@)$$",
    "$![a](@)$",
    "\\![a](@)",
    "\\\\![a](@)",
    "&#33;[a](@)",
    "!&#91;a](@)",
    "&lt;img src='@'>",
    "!\\[a](@) !\n[a](@)",
    "*![a](@)* **![a](@)** ~~![a](@)~~ # ![a](@)",
    "# ![a](@)\n\n![a](@)\n===\n",
    "[^1]\n\n[^1]: ![a](@)",
    ":material/home: :red[![a](@)] :small[![a](@)] :red-background[<img src=@>]",
    "<svg><image href='@'></svg><style>body{background:url(@)}</style><link rel=stylesheet href=@>",
    "<iframe src=@></iframe><script src=@></script><video src=@></video>",
    "<!-- ![a](@) --> ![a](@) <![CDATA[![a](@)]]>",
    "![a](<@>) ![a]( @ 'title' ) ![![b](@)](@)",
    "$$\\includegraphics{@} \\href{@}{x} \\url{@}$$",
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


# A text, its formulas as KaTeX gets them, and what else is to be read.
MARKED = [
    ("so $$x$$ it is", ["x"], "so  it is"),
    ("$$\na\n= b\n$$", ["a = b"], ""),
    ("$$x$$, then $$y$$", ["x", "y"], ", then "),
    ("$$x$$ and\n$$\ny\n$$", ["x", "y"], " and"),
    ("so:\n$$\nx\n$$\nor", ["x"], "so:or"),
    (r"so \(a_1 * b_1\) and \(c\)", ["a_1 * b_1", "c"], "so  and "),
    ("\\(a\nb\\)", ["a b"], ""),
    (r"**\(x\)** *\(y_1\)*", ["x", "y_1"], " "),
    (r"# The \(n\)-th", ["n"], "The -th"),
    (r"so \[x\] and \[y\]", ["x", "y"], "so  and "),
    ("so:\n\\[\nx_1\n\\]\nor", ["x_1"], "so:or"),
    (
        r"\[\begin{pmatrix} 1 \\[2pt] 2 \end{pmatrix}\]",
        [r"\begin{pmatrix} 1 \\[2pt] 2 \end{pmatrix}"],
        "",
    ),
    ("- a\n  \\[\n  x\n  \\]\n- $$y$$ z", ["x", "y"], "a z"),
    ("1. \\(x\\)\n2. $$y$$", ["x", "y"], ""),
    ("> \\[\n> x\n> \\]\n> y", ["x"], "y"),
    ("| a | b |\n|-|-|\n| $$\\|x\\|$$ | \\(y\\) |", ["|x|", "y"], "ab"),
    (
        r"\(\text{if \(x\)} y\) $$\text{if $z$} w$$",
        [r"\text{if \(x\)} y", r"\text{if $z$} w"],
        " ",
    ),
    (r"it costs \(\$5\)", [r"\$5"], "it costs "),
    (r"\(a<b\) and \(<b>\)", ["a<b", "<b>"], " and "),
    # What is none.
    ("`\\(x\\)`, `$$`\n\n```\n\\[x\\]\n$$y$$\n```", [], "\\(x\\), $$\\[x\\]\n$$y$$"),
    ("$$ in code is `$$` and \\( is `\\)`", [], "$$ in code is $$ and ( is \\)"),
    (r"$$$ and $$$, \$$5 and \$$6", [], "$$$ and $$$, $$5 and $$6"),
    (r"\\(x\\) \[a](b) \[a\](c)", [], r"\(x\) [a](b) [a](c)"),
    (r"- \[ \] to do", [], "[ ] to do"),
    # An answer that still comes.
    (r"so \(x^2 + \(y\)", ["y"], "so (x^2 + "),
    ("$$\nx", [], "$$\nx"),
    ("so $$x", [], "so $$x"),
    ("\\[\nx\n\ny\n\\]", [], "[\nxy\n]"),
]
NO_FORMULAS = [
    "$5 and $6",
    "from 5$ to 6$",
    "$HOME and $PATH",
    "$HOME/$USER:$PATH",
    "$a = $b + $c",
    "($a,$b)",
    "US$5$",
    "$5 (US$)",
    "$20k in 2020, then in total $",
    "$ x$",
    "$x $",
    r"\$x\$",
    r"$x\$",
    "$the lazy dog$",
    "$" * 7,
    "$x" + "y" * 600 + "$",
    r"\begin{align} x",
    r"\begin{document}x\end{document}",
    r"\begin{align}x\end{aligned}",
]
BEGINNINGS = ["$a", "$a{", "{$a ", "\\begin{align}", "\\begin{align}\n", "\\[", "\\("]
READ = """text => {
  const copy = text.cloneNode(true);
  const formulas = [...copy.querySelectorAll('annotation')].map((each) => each.textContent);
  for (const each of copy.querySelectorAll('.katex, .tc-code-head')) each.remove();
  return [formulas.map((each) => each.replace(/\\s+/g, ' ')), copy.textContent];
}"""


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
    # As HTML of the page, the same texts would load something.
    page.route("https://stranger.example/**", lambda route: route.abort())
    with page.expect_request("https://stranger.example/**"):
        page.evaluate("text => { document.body.insertAdjacentHTML('beforeend', text) }", "\n".join(texts))


def check_harmless(page: Page, texts: list[str]) -> None:
    """Draw many texts. Nothing may be loaded but fonts, and nothing may run."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for first in range(0, len(texts), 50):
        turns = [turn(f"{first}-{n}", text) for n, text in enumerate(texts[first : first + 50])]
        page.evaluate("data => { show(data) }", chat(*turns, name=str(first)))
        expect(page.locator(".tc-text")).to_have_count(len(turns))
        assert page.locator(f".tc-text :is({DANGEROUS})").count() == 0
        assert page.evaluate(NOT_OURS) == []
    page.wait_for_load_state("networkidle")
    assert [url for url in requests if "/dist/fonts/" not in url] == []


def test_examples_of_the_specifications_load_nothing_and_run_nothing(draw: Draw) -> None:
    check_harmless(draw(), EXAMPLES)


def test_random_texts_load_nothing_and_run_nothing(draw: Draw) -> None:
    choose = random.Random(1)
    letters = "!()[]<>`~\\\n \t#*_-|$:&;a1.\r/+="
    texts = ["".join(choose.choices(letters, k=choose.randrange(1, 60))) for _ in range(1000)]
    check_harmless(draw(), texts)


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


def test_marks_of_formulas(draw: Draw) -> None:
    shown = draw(*(text for text, _, _ in MARKED)).locator(".tc-text")
    expect(shown).to_have_count(len(MARKED))
    found = [each.evaluate(READ) for each in shown.all()]
    assert found == [[formulas, rest] for _, formulas, rest in MARKED]


def test_what_is_no_formula_stays_text(draw: Draw) -> None:
    shown = draw(*NO_FORMULAS).locator(".tc-text")
    expect(shown).to_have_count(len(NO_FORMULAS))
    assert shown.locator(".katex").count() == 0
    for text, each in zip(NO_FORMULAS, shown.all(), strict=True):
        if "\\" not in text:
            assert each.text_content() == text


def test_many_beginnings_without_ends_take_little_time(draw: Draw) -> None:
    """By the square of the length, this would take longer than a test may."""
    shown = draw(*(part * (15_000 // len(part)) for part in BEGINNINGS)).locator(".tc-text")
    expect(shown).to_have_count(len(BEGINNINGS))
    for each in shown.all():
        expect(each).to_contain_text(re.compile("[a$([]"))
    assert shown.locator(".katex").count() == 0


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
