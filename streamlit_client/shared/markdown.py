"""Turns a model's text into safe Markdown: without images, without HTML, with links only to the web and mail.

A browser sends a request for an image as soon as it draws it, and the image's address could contain the
conversation. So the text is parsed (by markdown-it-py: CommonMark with GFM's tables, strikethrough and links)
and written again from the tokens. Each kind of token that is kept has one function here; any other is written
as text, and all punctuation in text is escaped. So Streamlit's parser finds the same structure as this one.
"""

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from streamlit_client.shared.formulas import MARKS, formula_plugin

_SCHEMES = ("http", "https", "mailto")
# How an address in plain text begins, as in GFM. The parser takes README.md and main.py for
# addresses, too, because there are top-level domains md and py.
_WRITTEN_ADDRESS = re.compile(r"https?://|mailto:|www\.|[^/]+@", re.IGNORECASE)
# The start of an image. A formula that contains it is shown as text: no specification says where formulas
# begin and end, so Streamlit's parser might find an image there.
_IMAGE = "!["
# What fills lines, and what stands for it within a line of text, where KaTeX does not know the former.
_WITHIN_LINE = {"align": "aligned", "alignat": "alignedat", "gather": "gathered"}
_ALIGNMENTS = {"text-align:left": ":--", "text-align:center": ":-:", "text-align:right": "--:"}


def escape(text: str) -> str:
    """Markdown that shows the text unchanged, on one line."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", re.sub(r"[ \t\r\n\f\v]+", " ", text))


def sanitize(text: str, references: dict[str, Any] | None = None) -> str:
    """A model's text as safe Markdown.

    Line ends are kept. Formulas are those of formulas.py. An image becomes a link to it.
    `references` are definitions of links outside the text, as `find_blocks` collects them.
    """
    return _blocks(SyntaxTreeNode(_PARSER.parse(text, {"references": dict(references or {})})))


def find_blocks(text: str, references: dict[str, Any]) -> list[int]:
    """Where blocks begin that stay as they are, whatever follows the text.

    These are the ones after a blank line that are followed by a whole line.
    The definitions of links in the text are added to `references`. Lines end with "\n"; the last may be cut.
    """
    whole = text[: text.rfind("\n") + 1]
    tokens = _BLOCK_PARSER.parse(whole, {"references": references})
    lines = whole.split("\n")
    starts = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    places = [token.map for token in tokens if token.level == 0 and token.map is not None]
    return [starts[begin] for begin, end in places if begin and not lines[begin - 1].strip() and end <= last]


def _build_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True})
    parser.enable(["table", "strikethrough", "linkify"])
    formula_plugin(parser)
    return parser


_PARSER = _build_parser()
_BLOCK_PARSER = _build_parser()
_BLOCK_PARSER.core.ruler.enableOnly(["normalize", "block"])


# Blocks. Each function returns lines without the prefix of the enclosing block.


def _blocks(node: SyntaxTreeNode, is_tight: bool = False) -> str:
    """The blocks of a container. `is_tight`: without blank lines between them, as in a tight list."""
    parts: list[str] = []
    for child in node.children:
        if parts:
            parts.append("\n" if is_tight and child.type != "table" else "\n\n")
        parts.append(_BLOCKS[child.type](child))
    return "".join(parts)


def _paragraph(node: SyntaxTreeNode) -> str:
    return _inline(node).strip()


def _heading(node: SyntaxTreeNode) -> str:
    return f"{'#' * int(node.tag[1:])} {_inline(node, line_break=' ').strip()}"


def _quote(node: SyntaxTreeNode) -> str:
    return _indent("> ", "> ", _blocks(node))


def _list(node: SyntaxTreeNode) -> str:
    # Adjacent lists get different markers, or they would become one list.
    sibling, has_other_marker = node.previous_sibling, False
    while sibling is not None and sibling.type == node.type:
        sibling, has_other_marker = sibling.previous_sibling, not has_other_marker
    is_tight = all(
        block.type != "paragraph" or block.hidden for item in node.children for block in item.children
    )
    number = int(node.attrs.get("start", 1))
    items = []
    for item in node.children:
        if node.type == "bullet_list":
            marker = "*" if has_other_marker else "-"
        else:
            marker = f"{number}{')' if has_other_marker else '.'}"
            number += 1
        items.append(_indent(f"{marker} ", " " * (len(marker) + 1), _blocks(item, is_tight)))
    return ("\n" if is_tight else "\n\n").join(items)


def _indent(first: str, others: str, text: str) -> str:
    """The lines of a block with the prefixes of the enclosing block. A blank line has no space at its end."""
    lines = [(others if number else first) + line for number, line in enumerate(text.split("\n"))]
    return "\n".join(line if line.strip(" >") else line.rstrip() for line in lines)


def _code_block(node: SyntaxTreeNode) -> str:
    language = re.match(r"[\w#+.-]*", node.info.strip())
    fence = "`" * max(3, _longest_run(node.content) + 1)
    content = node.content.removesuffix("\n")
    return f"{fence}{language[0] if language else ''}\n{content}\n{fence}"


def _table(node: SyntaxTreeNode) -> str:
    rows = [row for part in node.children for row in part.children]
    lines = [_row(_inline(cell, line_break=" ") for cell in row.children) for row in rows]
    alignments = [_ALIGNMENTS.get(str(cell.attrs.get("style")), "---") for cell in rows[0].children]
    return "\n".join([lines[0], _row(alignments), *lines[1:]])


def _row(cells: Iterable[str]) -> str:
    # A pipe ends a cell even in code, unless it is escaped (GFM 0.29, 4.10).
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells) + " |"


def _formula_block(node: SyntaxTreeNode) -> str:
    content = _without_labels(node.content.strip("\n"))
    return _formula_as_text(node) if _is_unsafe(content) else f"$$\n{_without_tags(content)}\n$$"


def _is_unsafe(formula: str) -> bool:
    """Whether a formula could end earlier for Streamlit's parser, or have an image."""
    return _IMAGE in formula or "$$" in formula or formula.startswith("$") or formula.endswith("$")


def _without_tags(formula: str) -> str:
    """The same formula, in which nothing looks like HTML: spaces mean nothing in a formula."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", formula)


def _formula_as_text(node: SyntaxTreeNode) -> str:
    return escape(f"{node.markup}{node.content}{MARKS.get(node.markup, node.markup)}")


def _without_labels(formula: str) -> str:
    """The same formula without the names that only a whole LaTeX document can refer to."""
    return re.sub(r"\\label\s*\{[^{}]*\}", "", formula)


def _within_line(formula: str) -> str:
    """The same formula for a line of text, where KaTeX does not know the environments that fill lines."""
    for name, other in _WITHIN_LINE.items():
        formula = re.sub(rf"\\(begin|end)\{{{name}\*?\}}", rf"\\\1{{{other}}}", formula)
    return re.sub(r"\\(?:begin|end)\{equation\*?\}", "", formula).strip()


_BLOCKS: dict[str, Callable[[SyntaxTreeNode], str]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "blockquote": _quote,
    "bullet_list": _list,
    "ordered_list": _list,
    "code_block": _code_block,
    "fence": _code_block,
    "hr": lambda _: "___",
    "table": _table,
    "math_block": _formula_block,
}


# Inline content.


def _inline(node: SyntaxTreeNode, line_break: str = "\\\n", with_links: bool = True) -> str:
    """The content of a block or a span. `with_links` is False within a link."""
    return "".join(_span(child, line_break, with_links) for child in node.children)


def _span(node: SyntaxTreeNode, line_break: str, with_links: bool) -> str:
    match node.type:
        case "inline":
            return _inline(node, line_break, with_links)
        case "softbreak" | "hardbreak":
            return line_break
        case "em":
            mark = "_" if _depth(node) % 2 else "*"
        case "strong":
            mark = "__" if _depth(node) % 2 else "**"
        case "s":
            mark = "~~"
        case "code_inline":
            return _code_span(node.content)
        case "math_inline":
            content = _within_line(" ".join(_without_labels(node.content).split()))
            if _is_unsafe(content):
                return _formula_as_text(node)
            return f"$${_without_tags(_without_pipes(content) if _is_in_cell(node) else content)}$$"
        case "link" if node.markup == "linkify" and not _WRITTEN_ADDRESS.match(node.children[0].content):
            return escape(node.children[0].content)
        case "link":
            return _link(_inline(node, " ", with_links=False), str(node.attrs["href"]), with_links)
        case "image":
            return _link(escape(node.content) or "image", str(node.attrs["src"]), with_links)
        case _:
            return escape(node.content)
    return f"{mark}{_inline(node, line_break, with_links)}{mark}"


def _is_in_cell(node: SyntaxTreeNode) -> bool:
    """Whether a span is in a table."""
    parent = node.parent
    while parent is not None and parent.type not in _BLOCKS:
        if parent.type in ("td", "th"):
            return True
        parent = parent.parent
    return False


def _without_pipes(formula: str) -> str:
    """The same formula; a pipe would end the cell, and with a backslash be another sign."""
    return formula.replace(r"\|", r"\Vert ").replace("|", r"\vert ")


def _depth(node: SyntaxTreeNode) -> int:
    """The number of enclosing spans of the same kind; their markers alternate between two characters."""
    depth, parent = 0, node.parent
    while parent is not None and parent.type not in _BLOCKS:
        depth += parent.type == node.type
        parent = parent.parent
    return depth


def _code_span(content: str) -> str:
    ticks = "`" * (_longest_run(content) + 1)
    padded = content.startswith("`") or content.endswith("`") or (content[0] == content[-1] == " ")
    space = " " if padded and content.strip() else ""
    return f"{ticks}{space}{content}{space}{ticks}"


def _link(text: str, address: str, with_links: bool) -> str:
    """A link to the web or to a mailbox; only the text for any other address, and within a link."""
    try:
        has_known_scheme = urlsplit(address).scheme in _SCHEMES
    except ValueError:
        has_known_scheme = False
    if not (has_known_scheme and with_links):
        return text
    quoted = re.sub(r"[\s<>\\|`$]", lambda match: f"%{ord(match[0]):02X}", address).replace("&", "&amp;")
    return f"[{text}](<{quoted}>)"


def _longest_run(content: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, re.findall("`+", content)), default=0)
