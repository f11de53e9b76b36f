r"""Finds formulas in Markdown: `$$...$$`, `\(...\)`, `\[...\]`, `\begin{align}...` and `$...$`.

A formula that fills whole lines between `$$`, `\[` or `\begin{...}` and its end is a block (`math_block`),
any other one a part of a line (`math_inline`). There is no blank line in a formula. Without its end, a mark
is text. A single dollar may be a price, so it must look like mathematics (`_find_dollar_end`).
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MARKS = {"$$": "$$", r"\[": r"\]", r"\(": r"\)"}  # of the beginning: that of the end
# What KaTeX knows of amsmath, and models write without marks around it.
_ENVIRONMENTS = (
    r"(?:align|alignat|equation|gather)\*?|(?:align|alignat|gather)ed|[bBpvV]?matrix|smallmatrix|array|r?cases"
    "|split"
)
_BEGIN = re.compile(rf"\\begin\{{({_ENVIRONMENTS})\}}")
_BLOCK_MARKS = ("$$", r"\[")
_LENGTH = 2  # of each mark
# Of a formula. Without a limit, a text of many beginnings without ends would take time by its square.
_MAX_CHARACTERS, _MAX_LINES, _MAX_INNER = 5000, 60, 3
_MAX_DOLLAR = 500  # characters between single dollars

_WORD = re.compile(r"[0-9A-Za-z_]")  # a letter of another script may stand next to a formula
_AFTER_DOLLAR = re.compile(r"(?![0-9A-Za-z_$])|(?:s|st|nd|rd|th)\b")  # "$k$-th" and "$k$th", but not "$A$B"
_COMMAND = re.compile(r"\\(?:text|textbf|textit|mathrm|operatorname|mbox)\*?\s*\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{2,}[,;:.]?\s+[A-Za-z]{2,}|^\d[\d.,]*\s+[A-Za-z]{2,}|[.;!?]\s+[A-Z]")
_CURRENCY = re.compile(r"^\d.*[\s(](?:US|CA|AU|NZ|HK|SG|[ACS])$", re.DOTALL)  # "$5 (US$)"


def formula_plugin(parser: MarkdownIt) -> None:
    """Let a parser find formulas."""
    parser.inline.ruler.before("escape", "math_inline", _find_inline)
    ended = ["paragraph", "reference", "blockquote", "list"]  # which a formula may end
    parser.block.ruler.before("fence", "math_block", _find_block, {"alt": ended})


def _find_inline(state: StateInline, silent: bool) -> bool:
    found = _read_inline(state)
    if found is None:
        return False
    mark, content, end = found
    # A code span is none, and neither is the escaped text of a link.
    if (
        end > state.posMax
        or not content.strip()
        or "`" in content
        or (mark == r"\[" and state.src.startswith("(", end))
    ):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = content, mark
    state.pos = end
    return True


def _read_inline(state: StateInline) -> tuple[str, str, int] | None:
    """The mark of a formula that begins here, its content, and where it has ended; None if there is none."""
    source, begin = state.src, state.pos
    if (mark := _read_mark(source, begin)) is not None:
        end = _find_end(source, begin + _LENGTH, mark)
        return None if end is None else (mark, source[begin + _LENGTH : end], end + _LENGTH)
    if source.startswith("$", begin):
        end = _find_dollar_end(source, begin)
        return None if end is None else ("$", source[begin + 1 : end], end + 1)
    if (environment := _BEGIN.match(source, begin)) is not None:
        end = _find_environment_end(source, environment)
        return None if end is None else ("", source[begin:end], end)
    return None


def _find_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    first = _line(state, start_line)
    mark, environment = _read_mark(first, 0), _BEGIN.match(first)
    if (mark not in _BLOCK_MARKS and environment is None) or state.is_code_block(start_line):
        return False
    skipped = 0 if environment else _LENGTH
    text, line = first[skipped:], start_line
    while (end := _find_block_end(text, mark, environment)) is None:
        line += 1
        if (
            line >= min(end_line, start_line + _MAX_LINES)
            or state.isEmpty(line)
            or state.sCount[line] < state.blkIndent
            or len(text) > _MAX_CHARACTERS
        ):
            return False
        text += "\n" + _line(state, line)
    content, after = text[:end], text[end + skipped :]
    if after.strip() or not content.strip():
        return False
    if not silent:
        state.line = line + 1
        token = state.push("math_block", "math", 0)
        token.block, token.content, token.map = True, content, [start_line, line + 1]
        token.markup = "" if environment else str(mark)
    return True


def _find_block_end(text: str, mark: str | None, environment: re.Match[str] | None) -> int | None:
    """Where the content of a block ends, whose last line may have its end; None if that has not come."""
    if environment is not None:
        return _find_environment_end(text, environment)
    assert mark is not None
    start = text.rfind("\n") + 1
    end = _find_end(text[start:], 0, mark)
    return None if end is None else start + end


def _line(state: StateBlock, number: int) -> str:
    """A line without what the enclosing blocks have in front of it."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _read_mark(text: str, place: int) -> str | None:
    """The mark with which a formula may begin here; more than two dollars are none."""
    mark = text[place : place + _LENGTH]
    is_price = mark == "$$" and (text.startswith("$", place + _LENGTH) or text.endswith("$", 0, place))
    return mark if mark in MARKS and not is_price else None


def _find_environment_end(text: str, environment: re.Match[str]) -> int | None:
    r"""Where an environment has ended that begins with a match of `_BEGIN`; None if it does not end."""
    begin, end = (f"\\{word}{{{environment[1]}}}" for word in ("begin", "end"))
    place, last = environment.end(), environment.start() + _MAX_CHARACTERS
    for _ in range(_MAX_INNER):
        found = text.find(end, place, last)
        if found < 0:
            return None
        if text.count(begin, environment.start(), found) == 1 + text.count(end, environment.start(), found):
            return found + len(end)
        place = found + len(end)
    return None


def _find_dollar_end(text: str, begin: int) -> int | None:
    r"""The place of the dollar that ends a formula after the dollar at `begin`; None if that is a price.

    As in pandoc, there is no space within the dollars, and no digit behind them. So "$5 and $6" is none.
    A word does not touch them, as those of "$HOME/$USER" do, and what stands between them is no prose.
    Dollars within braces, as in `\text{if $x$}`, belong to the formula.
    """
    if begin and (_WORD.match(text[begin - 1]) or text[begin - 1] == "$"):
        return None
    if not re.match(r"[^\s$.,;:!?)]", text[begin + 1 : begin + 2]):
        return None
    place, braces, last = begin + 1, 0, min(len(text), begin + _MAX_DOLLAR)
    while place < last and (text[place] != "$" or braces > 0):
        braces += {"{": 1, "}": -1}.get(text[place], 0)
        place += _LENGTH if text[place] == "\\" else 1
    if place >= last or text[place - 1].isspace() or not _AFTER_DOLLAR.match(text, place + 1):
        return None
    content = _COMMAND.sub(" x ", text[begin + 1 : place])
    return None if _PROSE.search(content) or _CURRENCY.search(content) else place


def _find_end(text: str, place: int, mark: str) -> int | None:
    r"""Where the formula ends that begins before `place` with a mark; None if it does not.

    A backslash protects what follows. A formula within braces, as in `\text{if \(x\)}`, is a part of it.
    """
    end_mark, braces, inner = MARKS[mark], 0, 0
    last = min(len(text), place + _MAX_CHARACTERS)
    while place < last:
        if text[place] == "$":
            run = 1
            while text.startswith("$", place + run):
                run += 1
            if mark == "$$" and run == _LENGTH:
                return place
            place += run
            continue
        pair = text[place : place + _LENGTH]
        if pair == end_mark:
            if not inner:
                return place
            inner -= 1
        elif pair == mark:
            if not braces or inner == _MAX_INNER:  # the formula has not ended, and here is another one
                return None
            inner += 1
        braces += {"{": 1, "}": -1}.get(text[place], 0)
        place += _LENGTH if text[place] == "\\" else 1
    return None
