r"""Finds formulas in Markdown: `$$...$$`, `\(...\)` and `\[...\]`, as models write them.

A formula that fills whole lines between `$$` or `\[` and its end is a block (`math_block`), any other one a
part of a line (`math_inline`). There is no blank line in a formula. A single dollar is a price, and so no
mark. Without its end, a mark is text.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MARKS = {"$$": "$$", r"\[": r"\]", r"\(": r"\)"}  # of the beginning: that of the end
_BLOCK_MARKS = ("$$", r"\[")
_LENGTH = 2  # of each mark
# Of a formula. Without a limit, a text of many beginnings without ends would take time by its square.
_MAX_CHARACTERS, _MAX_LINES, _MAX_INNER = 5000, 60, 3


def formula_plugin(parser: MarkdownIt) -> None:
    """Let a parser find formulas."""
    parser.inline.ruler.before("escape", "math_inline", _find_inline)
    ended = ["paragraph", "reference", "blockquote", "list"]  # which a formula may end
    parser.block.ruler.before("fence", "math_block", _find_block, {"alt": ended})


def _find_inline(state: StateInline, silent: bool) -> bool:
    begin, mark = state.pos + _LENGTH, _read_mark(state.src, state.pos)
    if mark is None or (end := _find_end(state.src, begin, mark)) is None or end >= state.posMax:
        return False
    content = state.src[begin:end]
    # A code span is none, and neither is the escaped text of a link.
    if not content.strip() or "`" in content or (mark == r"\[" and state.src.startswith("(", end + _LENGTH)):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = content, mark
    state.pos = end + _LENGTH
    return True


def _find_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    first = _line(state, start_line)
    mark = _read_mark(first, 0)
    if mark not in _BLOCK_MARKS or state.is_code_block(start_line):
        return False
    lines, line = [first[_LENGTH:]], start_line
    while (end := _find_end(lines[-1], 0, mark)) is None:
        line += 1
        if (
            line >= min(end_line, start_line + _MAX_LINES)
            or state.isEmpty(line)
            or state.sCount[line] < state.blkIndent
        ):
            return False
        lines.append(_line(state, line))
    last, after = lines[-1][:end], lines[-1][end + _LENGTH :]
    content = "\n".join([*lines[:-1], last])
    if after.strip() or not content.strip():
        return False
    if not silent:
        state.line = line + 1
        token = state.push("math_block", "math", 0)
        token.block, token.content, token.markup, token.map = True, content, mark, [start_line, line + 1]
    return True


def _line(state: StateBlock, number: int) -> str:
    """A line without what the enclosing blocks have in front of it."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _read_mark(text: str, place: int) -> str | None:
    """The mark with which a formula may begin here; more than two dollars are none."""
    mark = text[place : place + _LENGTH]
    is_price = mark == "$$" and (text.startswith("$", place + _LENGTH) or text.endswith("$", 0, place))
    return mark if mark in MARKS and not is_price else None


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
