"""A model's text as safe Markdown: it loads nothing, and it shows what the model wrote."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from formula_answers import ANSWERS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from paths import DATA
from support import free_port, wait_until

from streamlit_client.shared.markdown import escape, sanitize

DATA = DATA / "markdown"
EXAMPLES = [
    text for name in ("commonmark", "gfm") for text in json.loads((DATA / f"{name}.json").read_text())
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
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_FULL = MarkdownIt("gfm-like")


def kinds(markdown: str) -> set[str]:
    """The kinds of tokens that a parser with images and HTML finds."""
    return {node.type for node in SyntaxTreeNode(_FULL.parse(markdown)).walk()}


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("roses\nviolets", "roses\\\nviolets"),
        ("$5 and $6", r"\$5 and \$6"),
        ("so $$x$$ it is", "so $$x$$ it is"),
        ("$$\na\n= b\n$$", "$$\na\n= b\n$$"),
        # Formulas, with each of the marks that models write.
        ("$$x$$, then $$y$$", r"$$x$$\, then $$y$$"),
        ("$$x$$ and\n$$\ny\n$$", "$$x$$ and\n\n$$\ny\n$$"),
        ("so:\n$$\nx\n$$\nor", "so\\:\n\n$$\nx\n$$\n\nor"),
        (r"so \(a_1 * b_1\) and \(c\)", "so $$a_1 * b_1$$ and $$c$$"),
        ("\\(a\nb\\)", "$$a b$$"),
        (r"**\(x\)** *\(y_1\)*", "**$$x$$** *$$y_1$$*"),
        (r"# The \(n\)-th", r"# The $$n$$\-th"),
        (r"so \[x\] and \[y\]", "so $$x$$ and $$y$$"),
        ("so:\n\\[\nx_1\n\\]\nor", "so\\:\n\n$$\nx_1\n$$\n\nor"),
        (
            r"\[\begin{pmatrix} 1 \\[2pt] 2 \end{pmatrix}\]",
            "$$\n\\begin{pmatrix} 1 \\\\[2pt] 2 \\end{pmatrix}\n$$",
        ),
        ("- a\n  \\[\n  x\n  \\]\n- $$y$$ z", "- a\n  $$\n  x\n  $$\n- $$y$$ z"),
        ("1. \\(x\\)\n2. $$y$$", "1. $$x$$\n2. $$\n   y\n   $$"),
        ("> \\[\n> x\n> \\]\n> y", "> $$\n> x\n> $$\n>\n> y"),
        (
            "| a | b |\n|-|-|\n| $$\\|x\\|$$ | \\(y\\) |",
            "| a | b |\n| --- | --- |\n| $$\\vert x\\vert $$ | $$y$$ |",
        ),
        (r"\(\text{if \(x\)} y\) $$\text{if $z$} w$$", r"$$\text{if \(x\)} y$$ $$\text{if $z$} w$$"),
        (r"it costs \(\$5\)", r"it costs $$\$5$$"),
        (r"\(a<b\) and \(<b>\)", "$$a< b$$ and $$< b>$$"),
        # What is none.
        ("`\\(x\\)`, `$$`\n\n```\n\\[x\\]\n$$y$$\n```", "`\\(x\\)`\\, `$$`\n\n```\n\\[x\\]\n$$y$$\n```"),
        ("$$ in code is `$$` and \\( is `\\)`", r"\$\$ in code is `$$` and \( is `\)`"),
        (r"$$$ and $$$, \$$5 and \$$6", r"\$\$\$ and \$\$\$\, \$\$5 and \$\$6"),
        (r"\\(x\\) \[a](b) \[a\](c)", r"\\\(x\\\) \[a\]\(b\) \[a\]\(c\)"),
        (r"- \[ \] to do", r"- \[ \] to do"),
        (r"\(![a](http://b)\)", r"\\\(\!\[a\]\(http\:\/\/b\)\\\)"),
        # An answer that still comes.
        (r"so \(x^2 + \(y\)", r"so \(x\^2 \+ $$y$$"),
        ("$$\nx", "\\$\\$\\\nx"),
        ("so $$x", r"so \$\$x"),
        ("\\[\nx\n\ny\n\\]", "\\[\\\nx\n\ny\\\n\\]"),
        ("![a](http://b)", "[a](<http://b>)"),
        ("![](http://b)", "[image](<http://b>)"),
        ("[![a](http://b)](http://c)", "[a](<http://c>)"),
        ("<b>bold</b>", r"\<b\>bold\<\/b\>"),
        ("[a](javascript:alert(1)) [b](/c)", r"\[a\]\(javascript\:alert\(1\)\) b"),
        (
            "see http://b.c/d?e=f&copy=g",
            r"see [http\:\/\/b\.c\/d\?e\=f\&copy\=g](<http://b.c/d?e=f&amp;copy=g>)",
        ),
        ("README.md or main.py:80/x //b.to", r"README\.md or main\.py\:80\/x \/\/b\.to"),
        ("Www.b.to a@b.to", r"[Www\.b\.to](<http://Www.b.to>) [a\@b\.to](<mailto:a@b.to>)"),
        ("*a* **b** ~~c~~ ***d***", "*a* **b** ~~c~~ ***d***"),
        ("use `$a\\n![b]` here, $5", r"use `$a\n![b]` here\, \$5"),
        ("``a ` $b`` $5", r"``a ` $b`` \$5"),
        ("```sh\necho $a\n![b]\n```\n$5", "```sh\necho $a\n![b]\n```\n\n\\$5"),
        ("```sh\necho $a", "```sh\necho $a\n```"),
        ("````\n```\n$a\n````", "````\n```\n$a\n````"),
        ("# One\n\nTwo\n---", "# One\n\n## Two"),
        ("- a\n- b\n  1. c\n\n* d", "- a\n- b\n  1. c\n\n* d"),
        ("2) a\n\n   b\n3) c", "2. a\n\n   b\n\n3. c"),
        ("> a\n> > b", "> a\n>\n> > b"),
        ("| a | b |\n|:-|-:|\n| `c\\|d` | e |", "| a | b |\n| :-- | --: |\n| `c\\|d` | e |"),
        ("---", "___"),
    ],
)
def test_sanitize(text: str, markdown: str) -> None:
    assert sanitize(text) == markdown


def test_escaped_text_has_no_markup() -> None:
    assert escape("my_model *v2* :red[x]\n# y") == r"my\_model \*v2\* \:red\[x\] \# y"


@pytest.mark.parametrize("text", [*EXAMPLES, *(text.replace("@", "http://a.b/c") for text in HOSTILE)])
def test_no_image_and_no_html_come_through(text: str) -> None:
    assert not kinds(sanitize(text)) & {"image", "html_inline", "html_block"}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="!()[]<>`~\\\n \t#*_-|$:&;a1.\r/+=", max_size=60))
def test_no_image_and_no_html_from_random_text(text: str) -> None:
    assert not kinds(sanitize(text)) & {"image", "html_inline", "html_block"}


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """The address of another server, and the requests that it has received."""
    requests: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/stolen", requests
        server.shutdown()


@pytest.fixture
def show(tmp_path: Path) -> Iterator[Callable[[list[str]], str]]:
    """A function that starts a page of texts and returns its address."""
    started: list[subprocess.Popen] = []

    def start(texts: list[str]) -> str:
        (tmp_path / "texts.json").write_text(json.dumps(texts))
        port = free_port()
        command = ["-m", "streamlit", "run", str(Path(__file__).with_name("markdown_page.py"))]
        flags = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
        log = (tmp_path / "page.log").open("wb")
        started.append(
            subprocess.Popen(
                [sys.executable, *command, *flags, "--browser.gatherUsageStats=false"],
                env={**os.environ, "TEXTS": str(tmp_path / "texts.json"), "PYTHONPATH": os.getcwd()},
                stdout=log,
                stderr=log,
            )
        )
        wait_until(lambda: "You can now view" in (tmp_path / "page.log").read_text(errors="replace"))
        return f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_browser_sends_no_request_to_other_hosts(
    listener: tuple[str, list[str]], show: Callable[[list[str]], str]
) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    executable = chromium()
    stranger, stolen = listener
    hostile = [text.replace("@", f"{stranger}/{number}") for number, text in enumerate(HOSTILE)]
    # The specifications' images have addresses on the page's own server.
    address = show([*hostile, *EXAMPLES])
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=FLAGS)
        requests: list[str] = []

        def note(url: str) -> None:
            if not is_for_streamlit(url, address):
                requests.append(url)

        def load(query: str) -> None:
            page = browser.new_page()
            page.on("request", lambda request: note(request.url))
            page.goto(address + query)
            page.get_by_text("That is all.").wait_for(timeout=100_000)
            page.wait_for_load_state("networkidle")
            page.close()

        load("")
        assert requests == [] and stolen == []
        load("?raw=1")  # without sanitize, the same texts cause requests
        assert requests and stolen


def test_browser_renders_the_formulas_of_answers(show: Callable[[list[str]], str]) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    executable = chromium()
    address = show([answer.answer for answer in ANSWERS])
    with playwright.sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=executable, args=FLAGS).new_page()
        page.goto(address)
        page.get_by_text("That is all.").wait_for(timeout=100_000)
        shown = page.get_by_test_id("stMarkdown")
        for number, answer in enumerate(ANSWERS):
            shown.nth(number).locator(".katex").nth(len(answer.formulas)).wait_for(state="detached")
            playwright.expect(shown.nth(number).locator(".katex")).to_have_count(len(answer.formulas))
            for text in answer.texts:
                playwright.expect(shown.nth(number)).to_contain_text(text)
        assert page.locator(".katex-error").all_inner_texts() == []


def chromium() -> str:
    """The path of Chromium; the test is skipped if it is not installed."""
    paths = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    return next(paths, None) or pytest.skip("Chromium is not installed")


def is_for_streamlit(url: str, address: str) -> bool:
    """Whether a request is for the page itself."""
    parts = urlsplit(url)
    ours = f"{parts.scheme}://{parts.netloc}" == address and (
        parts.path in ("/", "/favicon.png", "/manifest.json")
        or parts.path.startswith(("/static/", "/_stcore/", "/media/"))
    )
    return ours or parts.scheme in ("data", "blob", "ws")
