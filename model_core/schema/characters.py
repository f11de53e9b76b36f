"""Sets of characters in patterns, as ranges of code points. Half of a surrogate pair is no character."""

from collections.abc import Iterable
from dataclasses import dataclass

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_ESCAPED = set("\\^$.|?*+()[]{}-")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


@dataclass(frozen=True)
class Characters:
    """One character of a set.

    Attributes:
        ranges: first and last code points, in order, apart from each other.
        properties: Unicode properties that it may have instead, such as `\\p{L}`.
    """

    ranges: tuple[tuple[int, int], ...] = ()
    properties: tuple[str, ...] = ()

    def __or__(self, other: "Characters") -> "Characters":
        return Characters(
            _join((*self.ranges, *other.ranges)),
            tuple(dict.fromkeys((*self.properties, *other.properties))),
        )

    def __invert__(self) -> "Characters":
        """All others. The set may have no properties."""
        gaps, start = [], 0
        for first, last in _join((*self.ranges, _SURROGATES)):
            gaps.append((start, first - 1))
            start = last + 1
        return characters(*gaps, (start, _LAST))

    def __str__(self) -> str:
        """The set in the syntax that ECMA-262 and Rust share. It must not be empty."""
        if self == ANY:
            return "(?s:.)"
        if not self.properties and len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return escape(chr(self.ranges[0][0]))
        others = self if self.properties else ~self
        if not self.properties and len(others.ranges) < len(self.ranges):
            return f"[^{_write_ranges(others.ranges)}]"
        return f"[{_write_ranges(self.ranges)}{''.join(self.properties)}]"


def characters(*ranges: tuple[int, int]) -> Characters:
    """The characters in these ranges of code points, which may overlap or be empty."""
    low, high = _SURROGATES
    parts = [
        part
        for first, last in ranges
        for part in ((first, min(last, low - 1)), (max(first, high + 1), last))
        if part[0] <= part[1]
    ]
    return Characters(_join(parts))


def character(text: str) -> Characters:
    """Exactly this character."""
    return characters((ord(text), ord(text)))


def escape(character: str) -> str:
    """A character as ECMA-262 and Rust write it in a pattern, also between the slashes of Lark."""
    if character in _ESCAPED:
        return "\\" + character
    if character in _NAMED:
        return _NAMED[character]
    if character == "/":
        return r"\x2F"
    return character if character.isprintable() else f"\\u{{{ord(character):X}}}"


def _write_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    parts = []
    for first, last in ranges:
        dash = "-" if last > first + 1 else ""
        parts.append(escape(chr(first)) + (dash + escape(chr(last)) if last > first else ""))
    return "".join(parts)


def _join(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


ANY = characters((0, _LAST))
DIGITS = characters((0x30, 0x39))
WORD = DIGITS | characters((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_ENDS = characters((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029))
SPACE = LINE_ENDS | characters(
    (0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x202F, 0x202F)
)
SPACE |= characters((0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF))
