"""The site of the documentation: each page looks there as it does where its source is read."""

import functools
import importlib.util
import re
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt
from paths import ROOT

# The page of the Python classes has references that only the site resolves.
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "reference-python.md")
ELEMENTS = ("li", "tr", "td", "th", "img", "h1", "h2", "h3")


@functools.cache
def site_hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs" / "site_hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def site_renderer() -> Any:
    # Imported here because the quick tier has no use for them.
    import markdown
    from mkdocs.config import load_config

    config = load_config(str(ROOT / "mkdocs.yml"))
    names = [name for name in config.markdown_extensions if not name.startswith("mkdocstrings")]
    return markdown.Markdown(extensions=names, extension_configs=config.mdx_configs or {})


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_page_has_the_same_parts(page: Path) -> None:
    text = page.read_text()
    here = site_hooks().show_bars(site_renderer().reset().convert(text))
    elsewhere = MarkdownIt("commonmark").enable("table").render(text)
    for element in ELEMENTS:
        counts = [len(re.findall(rf"<{element}[ >/]", html)) for html in (here, elsewhere)]
        assert counts[0] == counts[1], element
    cells = [
        set(map(unescape, re.findall(r"<td[^>]*><code>([^<]*)</code></td>", html)))
        for html in (here, elsewhere)
    ]
    assert cells[0] == cells[1]
