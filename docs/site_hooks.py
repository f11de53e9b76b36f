"""What the site of the documentation needs beside its pages, called by mkdocs (mkdocs.yml).

Pages link to files of the repository outside docs/. The site has copies of those files, so that it stands by
itself; a link to a folder becomes its name.
"""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "benchmarks"))
from tables.age import explain_ages  # noqa: E402

COPIES = "repository"  # the folder of the site with copies
_LINK = re.compile(r"\[([^\]\[]*)\]\(([^)\s:#]+)((?:#[^)\s]*)?)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add each file of the repository to which a page links, and those to which they link."""
    pages = [file.src_uri for file in files.documentation_pages()]
    known = set()
    while pages:
        page = pages.pop()
        for _, name, _ in _LINK.findall(_text(page)):
            target = _place(page, name)
            path = ROOT / target
            if target in known or target.startswith("docs/") or not path.is_file():
                continue
            known.add(target)
            uri = f"{COPIES}/{target}"
            files.append(File.generated(config, uri, abs_src_path=str(path)))
            if path.suffix == ".md":
                pages.append(uri)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to files of the repository lead to the copies, and say how old tables are."""
    here = page.file.src_uri
    if not here.startswith(f"{COPIES}/"):
        markdown = explain_ages(markdown)

    def change(link: re.Match[str]) -> str:
        label, name, anchor = link.groups()
        target = _place(here, name)
        if (ROOT / target).is_dir():
            return label
        uri = target.removeprefix("docs/") if target.startswith("docs/") else f"{COPIES}/{target}"
        return f"[{label}]({posixpath.relpath(uri, posixpath.dirname(here))}{anchor})"

    return _LINK.sub(change, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show a table's code as elsewhere."""
    return show_bars(html)


def show_bars(html: str) -> str:
    """A page without the backslashes that stand before bars in the code of a table."""
    return re.sub(r"<td[^>]*>.*?</td>", lambda cell: cell[0].replace("\\|", "|"), html)


def _place(page: str, name: str) -> str:
    """The path within the repository of what a page of the site links to."""
    own = page.removeprefix(f"{COPIES}/") if page.startswith(f"{COPIES}/") else f"docs/{page}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(own), name))


def _text(page: str) -> str:
    return (ROOT / _place(page, posixpath.basename(page))).read_text()
