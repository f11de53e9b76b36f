"""A terminal's side of a conversation: text as it comes, wrapped at word ends and never written twice."""

import io
import itertools
import re
import sys
import threading
import unicodedata
from collections.abc import Iterator
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

_TAB = 4
_WAIT_S = 0.5  # before a sign says that the answer has yet to begin
_WHITE = " \t\n"
_SEGMENTS = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_MARKS = re.compile(r"(`+|\*\*)")
_FENCE = re.compile(r"`{3,}[^`]*")
_HEADING = re.compile(r"#{1,6}")
_LIST_ITEM = re.compile(r"[-*+•]|\d{1,3}[.)]")
# What stays with the character before it, and with the one behind it (Unicode's general categories).
_CLINGS_BACK = ("Pe", "Pf", "Po", "Lm", "Mn", "Mc", "Me", "Cf")
_CLINGS_ON = ("Ps", "Pi")


def open_console() -> Console:
    """Standard output; where its encoding lacks a character, a question mark stands for it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


def writer_for(console: Console) -> "AnswerWriter | PlainWriter":
    """What writes answers there: with care for people, plainly for programs."""
    return AnswerWriter(console) if console.file.isatty() else PlainWriter(console.file)


def literal(text: str) -> str:
    """Text whose control characters are shown, not obeyed: a model must not move the cursor.

    Newlines and tabs stay what they are; carriage returns go.
    """
    return "".join(_visible(c) if unicodedata.category(c) == "Cc" else c for c in text)


def _visible(control: str) -> str:
    if control in "\n\t":
        return control
    if control == "\r":
        return ""
    if control == "\x7f":
        return "\u2421"
    return chr(0x2400 + ord(control)) if control < " " else "\ufffd"


class PlainWriter:
    """Writes a text that comes in pieces to a file or a pipe, as it is."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._ended = file, True

    def write(self, piece: str) -> None:
        """Pass the next piece on at once."""
        self._file.write(piece)
        self._file.flush()
        self._ended = piece.endswith("\n") if piece else self._ended

    def close(self) -> None:
        """End the line."""
        if not self._ended:
            self.write("\n")


class AnswerWriter:
    """Writes a text that comes in pieces of any size.

    A word is written when it has ended, so nothing that stands on the screen is ever moved. Markdown gets
    colours as it goes by; all its characters stay, and what is copied is what the model said.
    """

    def __init__(self, console: Console, margin: int = 0) -> None:
        """`margin` columns stay free on the left; on the first line something stands there already."""
        self._console, self._out, self._margin = console, Text(end=""), margin
        self._held = self._space = ""  # an unfinished word; the white space before the next one
        self._before = " "  # the last character that was put
        self._column, self._indent = margin, 0
        self._at_start = True  # of one of the text's own lines
        self._fenced = self._bold = self._code = self._heading = False

    def write(self, piece: str) -> None:
        """Take the next piece, and write all words that have ended."""
        segments = [
            part
            for segment in _SEGMENTS.findall(self._held + literal(piece))
            for part in _unbreakable(segment)
        ]
        self._held = ""
        if segments and segments[-1][0] not in _WHITE and cell_len(segments[-1]) < self._console.width:
            self._held = segments.pop()
        self._put_all(segments)

    def close(self) -> None:
        """Write what is left, and end the line."""
        self._put_all([self._held] if self._held else [])
        self._held = ""
        if not self._at_start:
            self._put_all(["\n"])

    def _put_all(self, segments: list[str]) -> None:
        for segment in segments:
            if segment == "\n":
                self._end_line()
            elif segment[0] in _WHITE:
                self._space += segment.expandtabs(_TAB)
                self._before = " "
            else:
                self._put_word(segment)
        if self._out:
            self._console.print(self._out, end="", soft_wrap=True)
            self._out = Text(end="")

    def _end_line(self) -> None:
        self._out.append("\n")
        self._space, self._before, self._at_start = " " * self._margin, " ", True
        self._column = self._indent = 0
        self._bold = self._code = self._heading = False

    def _put_word(self, word: str) -> None:
        width, size, gap = self._console.width, cell_len(word), len(self._space)
        if self._at_start:
            self._begin_line(word, size, width)
        elif not self._fenced and self._column + gap + size > width and _may_break(self._before, word[0]):
            self._space = "\n" + " " * self._indent
            self._column, gap = 0, self._indent
        self._out.append(self._space)
        for text, style in self._styled(word):
            self._out.append(text, style)
        self._column = self._column + gap + size
        if self._column > width:  # the terminal has broken it
            self._column = (self._column - 1) % width + 1
        self._space, self._before, self._at_start = "", word[-1], False

    def _begin_line(self, word: str, size: int, width: int) -> None:
        fence = bool(_FENCE.fullmatch(word))
        if fence:
            self._fenced = not self._fenced
        self._code = fence
        self._heading = bool(_HEADING.fullmatch(word)) and not self._fenced
        self._indent = self._column + len(self._space) + (size + 1 if _LIST_ITEM.fullmatch(word) else 0)
        if self._indent > width // 2:
            self._indent = 0

    def _styled(self, word: str) -> Iterator[tuple[str, str]]:
        if self._fenced or (self._at_start and self._code):
            yield word, "cyan"
            return
        parts = _MARKS.split(word)
        for n, part in enumerate(parts):
            style = self._style()
            if part.startswith("`"):
                self._code = not self._code
                style = "cyan"
            elif part == "**" and not self._code:
                opens = bool(parts[n + 1]) and not parts[n - 1][-1:].isalnum()
                self._bold = not self._bold and opens
                style = style or self._style()
            yield part, style

    def _style(self) -> str:
        return "cyan" if self._code else "bold" if self._bold or self._heading else ""


def _unbreakable(segment: str) -> list[str]:
    """Parts of a word between which a line may end."""
    if segment.isascii():
        return [segment]
    parts = [segment[0]]
    for before, after in itertools.pairwise(segment):
        if _may_break(before, after):
            parts.append(after)
        else:
            parts[-1] += after
    return parts


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters. Chinese and Japanese are written without spaces."""
    if before in _WHITE:
        return True
    return (
        (_is_ideograph(before) or _is_ideograph(after))
        and unicodedata.category(before) not in _CLINGS_ON
        and unicodedata.category(after) not in _CLINGS_BACK
    )


def _is_ideograph(character: str) -> bool:
    """Whether it is wide and neither a sign nor an emoji, many of which are made of several characters."""
    return unicodedata.east_asian_width(character) in "WF" and unicodedata.category(character)[0] in "LP"


class WaitingSign:
    """Shows an ellipsis where an answer does not begin at once, and takes it away when it does."""

    def __init__(self, console: Console) -> None:
        self._console, self._shown = console, False
        self._timer = threading.Timer(_WAIT_S, self._show)
        self._timer.daemon = True
        if not console.is_dumb_terminal:  # which could not take it away
            self._timer.start()

    def _show(self) -> None:
        self._shown = True
        self._console.print("…", style="dim", end="")

    def stop(self) -> None:
        """The answer begins, or will not. May be called again."""
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if self._shown:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
        self._shown = False


def figures(details: dict[str, Any]) -> str:
    """What an answer took and how fast it came, in a line."""
    usage, timings = details["usage"], details["timings"]
    out, first, total = usage["completion_tokens"], timings["first_token"], timings["total"]
    parts = [f"{out} token{'s' if out != 1 else ''}"]
    if first is not None and out > 1 and total > first:
        parts.append(f"{(out - 1) / (total - first):.0f} tokens/s")
    if first is not None:
        parts.append(f"first after {first:.1f} s" if first >= 1 else f"first after {1000 * first:.0f} ms")
    parts.append(f"prompt of {usage['prompt_tokens']}, {usage['cached_tokens']} cached")
    if details["finish_reason"] == "length":
        parts.append(f"cut at {out} tokens")
    elif details["finish_reason"] != "stop":
        parts.append("cut off")
    return " · ".join(parts)
