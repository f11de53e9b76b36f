"""Output of answers to a terminal: text is wrapped at words while it arrives, and never written twice."""

import io
import itertools
import re
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

_TAB_WIDTH = 4
_INDICATOR_DELAY_S = 0.5  # so long an answer may take to begin before the indicator appears
_INDICATOR_UPDATE_S = 0.5
_WHITESPACE = " \t\n"
_SEGMENTS = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_INLINE_MARKERS = re.compile(r"(`+|\*\*)")
_FENCE = re.compile(r"`{3,}[^`]*")
_HEADING = re.compile(r"#{1,6}")
_LIST_ITEM = re.compile(r"[-*+•]|\d{1,3}[.)]")
# Unicode's general categories of characters before which, and after which, a line must not be broken.
_NO_BREAK_BEFORE = ("Pe", "Pf", "Po", "Lm", "Mn", "Mc", "Me", "Cf")
_NO_BREAK_AFTER = ("Ps", "Pi")


def open_console() -> Console:
    """Return a console on standard output. A question mark replaces what its encoding cannot represent."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


def create_writer(console: Console) -> "AnswerWriter | PlainWriter":
    """Return a writer of answers: for a terminal one that wraps and colours, else a plain one."""
    return AnswerWriter(console) if console.file.isatty() else PlainWriter(console.file)


def escape_control_characters(text: str) -> str:
    """Replace control characters by visible ones, so that a model's text cannot control the terminal.

    Newlines and tabs are kept; carriage returns are removed.
    """
    return "".join(_control_picture(c) if unicodedata.category(c) == "Cc" else c for c in text)


def _control_picture(control: str) -> str:
    if control in "\n\t":
        return control
    if control == "\r":
        return ""
    if control == "\x7f":
        return "\u2421"
    return chr(0x2400 + ord(control)) if control < " " else "\ufffd"


class PlainWriter:
    """Writes text unchanged to a file or a pipe, delta by delta."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._is_line_complete = file, True

    def write(self, delta: str) -> None:
        """Write new text at once."""
        self._file.write(delta)
        self._file.flush()
        self._is_line_complete = delta.endswith("\n") if delta else self._is_line_complete

    def close(self) -> None:
        """End the last line with a newline if it has none."""
        if not self._is_line_complete:
            self.write("\n")


class AnswerWriter:
    """Wraps and colours text that arrives in deltas of any size.

    A word is written once it is complete, so text on the screen never moves. Markdown gets colours. Its
    characters are kept, so a person who copies the text gets what the model wrote.
    """

    def __init__(self, console: Console, margin: int = 0, style: str | None = None) -> None:
        """`margin` columns stay empty on the left. On the first line the caller has filled them already.

        With a `style`, all text has it, and Markdown gets no colours.
        """
        self._console, self._out, self._margin = console, Text(end=""), margin
        self._fixed_style = style
        self._pending_word = ""  # an incomplete word
        self._pending_space = ""  # the white space before the next word
        self._last_character = " "  # that was written
        self._column, self._indent = margin, 0
        self._at_line_start = True  # of a line of the text, before wrapping
        self._in_fence = self._in_bold = self._in_code = self._in_heading = False

    def write(self, delta: str) -> None:
        """Add new text, and write the words that are complete."""
        segments = [
            word
            for segment in _SEGMENTS.findall(self._pending_word + escape_control_characters(delta))
            for word in _split_at_breaks(segment)
        ]
        self._pending_word = ""
        if segments and segments[-1][0] not in _WHITESPACE and cell_len(segments[-1]) < self._console.width:
            self._pending_word = segments.pop()
        self._write_segments(segments)

    def close(self) -> None:
        """Write the rest, and end the line."""
        self._write_segments([self._pending_word] if self._pending_word else [])
        self._pending_word = ""
        if not self._at_line_start:
            self._write_segments(["\n"])

    def _write_segments(self, segments: list[str]) -> None:
        for segment in segments:
            if segment == "\n":
                self._end_line()
            elif segment[0] in _WHITESPACE:
                self._pending_space += segment.expandtabs(_TAB_WIDTH)
                self._last_character = " "
            else:
                self._write_word(segment)
        if self._out:
            self._console.print(self._out, end="", soft_wrap=True)
            self._out = Text(end="")

    def _end_line(self) -> None:
        self._out.append("\n")
        self._pending_space, self._last_character, self._at_line_start = " " * self._margin, " ", True
        self._column = self._indent = 0
        self._in_bold = self._in_code = self._in_heading = False

    def _write_word(self, word: str) -> None:
        width, size, gap = self._console.width, cell_len(word), len(self._pending_space)
        if self._at_line_start:
            self._begin_line(word, size, width)
        elif (
            not self._in_fence
            and self._column + gap + size > width
            and _can_break(self._last_character, word[0])
        ):
            self._pending_space = "\n" + " " * self._indent
            self._column, gap = 0, self._indent
        self._out.append(self._pending_space)
        for text, style in self._style_word(word):
            self._out.append(text, style)
        self._column = self._column + gap + size
        if self._column > width:  # the terminal has wrapped the word
            self._column = (self._column - 1) % width + 1
        self._pending_space, self._last_character, self._at_line_start = "", word[-1], False

    def _begin_line(self, word: str, size: int, width: int) -> None:
        is_fence = bool(_FENCE.fullmatch(word))
        if is_fence:
            self._in_fence = not self._in_fence
        self._in_code = is_fence
        self._in_heading = bool(_HEADING.fullmatch(word)) and not self._in_fence
        item_width = size + 1 if _LIST_ITEM.fullmatch(word) else 0
        self._indent = self._column + len(self._pending_space) + item_width
        if self._indent > width // 2:
            self._indent = 0

    def _style_word(self, word: str) -> Iterator[tuple[str, str]]:
        if self._fixed_style is not None:
            yield word, self._fixed_style
            return
        if self._in_fence or (self._at_line_start and self._in_code):
            yield word, "cyan"
            return
        parts = _INLINE_MARKERS.split(word)
        for n, part in enumerate(parts):
            style = self._style()
            if part.startswith("`"):
                self._in_code = not self._in_code
                style = "cyan"
            elif part == "**" and not self._in_code:
                opens = bool(parts[n + 1]) and not parts[n - 1][-1:].isalnum()
                self._in_bold = not self._in_bold and opens
                style = style or self._style()
            yield part, style

    def _style(self) -> str:
        return "cyan" if self._in_code else "bold" if self._in_bold or self._in_heading else ""


def _split_at_breaks(segment: str) -> list[str]:
    """Split a word at the places where a line may be broken."""
    if segment.isascii():
        return [segment]
    parts = [segment[0]]
    for before, after in itertools.pairwise(segment):
        if _can_break(before, after):
            parts.append(after)
        else:
            parts[-1] += after
    return parts


def _can_break(before: str, after: str) -> bool:
    """Whether a line may be broken between two characters. Chinese and Japanese have no spaces."""
    if before in _WHITESPACE:
        return True
    return (
        (_is_ideograph(before) or _is_ideograph(after))
        and unicodedata.category(before) not in _NO_BREAK_AFTER
        and unicodedata.category(after) not in _NO_BREAK_BEFORE
    )


def _is_ideograph(character: str) -> bool:
    """Whether a character is wide and no symbol or emoji: many emoji consist of several characters."""
    return unicodedata.east_asian_width(character) in "WF" and unicodedata.category(character)[0] in "LP"


class WaitingIndicator:
    """Shows an ellipsis while an answer has not begun, and removes it when the answer begins.

    Before it, `describe` may say what the answer waits for. It is asked again and again until it says "".
    """

    def __init__(self, console: Console, describe: Callable[[], str]) -> None:
        self._console, self._describe, self._is_shown = console, describe, False
        self._lock, self._stopping = threading.Lock(), threading.Event()
        if not console.is_dumb_terminal:  # it cannot remove the ellipsis
            threading.Thread(target=self._run, name="waiting-indicator", daemon=True).start()

    def _run(self) -> None:
        pause_s = _INDICATOR_DELAY_S
        while not self._stopping.wait(pause_s):
            description = self._describe()  # this may take long, and `stop` does not wait for it
            with self._lock:
                if self._stopping.is_set():
                    return
                self._erase()
                self._console.print(f"{description} …".lstrip(), style="dim", end="", markup=False)
                self._is_shown = True
            if not description:
                return
            pause_s = _INDICATOR_UPDATE_S

    def stop(self) -> None:
        """Remove the ellipsis, or do not show it. May be called more than once."""
        with self._lock:
            self._stopping.set()
            self._erase()

    def _erase(self) -> None:
        if self._is_shown:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
        self._is_shown = False


def describe_truncation(details: dict[str, Any]) -> str:
    """A sentence about the messages that a long conversation has lost; empty if it has all."""
    count = details["usage"]["truncated_messages"] if details else 0
    return f"The first {count} messages were left out: the conversation is too long." if count else ""


def format_statistics(details: dict[str, Any]) -> str:
    """Format the token counts and the speed of an answer as one line."""
    usage, timings = details["usage"], details["timings"]
    out, first, total = usage["completion_tokens"], timings["first_token"], timings["total"]
    parts = [f"{out} token{'s' if out != 1 else ''}"]
    if first is not None and out > 1 and total > first:
        parts.append(f"{(out - 1) / (total - first):.0f} tokens/s")
    if first is not None:
        parts.append(f"first after {first:.1f} s" if first >= 1 else f"first after {1000 * first:.0f} ms")
    parts.append(f"prompt of {usage['prompt_tokens']}, {usage['cached_tokens']} cached")
    parts.append(f"seed {details['seed']}")
    if details["finish_reason"] == "length":
        parts.append(f"cut at {out} tokens")
    elif details["finish_reason"] == "cancelled":
        parts.append("cut off")
    return " · ".join(parts)
