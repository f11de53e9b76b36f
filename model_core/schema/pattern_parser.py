"""Reads regular expressions as JSON Schema has them: ECMA-262, by character instead of by UTF-16 unit.

Source: tc39.es/ecma262, sections 22.2.1 (patterns) and B.1.2 (what web browsers also take).
"""

import re
from dataclasses import dataclass

from .characters import ANY, DIGITS, LINE_ENDS, SPACE, WORD, Characters, character, characters

_CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE}
_CONTROLS = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_QUANTIFIERS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_COUNTS = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_GROUP_NAME = re.compile(r"P?<[^\W\d][\w$]*>")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}")
_LOW_SURROGATE = re.compile(r"\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_PROPERTY = re.compile(r"[pP]\{[\w=]+\}")


class PatternError(ValueError):
    """A pattern that cannot be enforced. The message says why, as the end of a sentence that it begins."""


@dataclass(frozen=True)
class Anchor:
    """The start (`^`) or the end (`$`) of the text."""

    mark: str


@dataclass(frozen=True)
class Sequence:
    """One part after the other."""

    parts: "tuple[Node, ...]" = ()


@dataclass(frozen=True)
class Choice:
    """One of the options. Without any, it matches nothing."""

    options: "tuple[Node, ...]" = ()


@dataclass(frozen=True)
class Repeat:
    """A part several times, at least `low` and at most `high` (None: any number)."""

    part: "Node"
    low: int
    high: int | None


Node = Characters | Anchor | Sequence | Choice | Repeat


def parse_pattern(pattern: str) -> Node:
    """The parts of a pattern. Raises PatternError if it is wrong, or is more than a regular expression."""
    parser = _Parser(pattern)
    node = parser.choice()
    if parser.rest:
        raise PatternError("has a closing bracket that nothing opens")
    return node


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern, self._position = pattern, 0

    @property
    def rest(self) -> str:
        return self._pattern[self._position :]

    def _accept(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._position)
        self._position += len(text) * found
        return found

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self._pattern, self._position)
        self._position = match.end() if match else self._position
        return match

    def _next(self) -> str:
        if self._position == len(self._pattern):
            raise PatternError("ends too early")
        self._position += 1
        return self._pattern[self._position - 1]

    def choice(self) -> Node:
        options = [self._sequence()]
        while self._accept("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._position < len(self._pattern) and self._pattern[self._position] not in "|)":
            part = self._quantified(self._atom())
            parts += part.parts if isinstance(part, Sequence) else [part]
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _quantified(self, atom: Node) -> Node:
        if counts := self._match(_COUNTS):
            low = int(counts[1])
            high = low if counts[2] is None else int(counts[3]) if counts[3] else None
        elif self.rest[:1] in _QUANTIFIERS and self.rest:
            low, high = _QUANTIFIERS[self._next()]
        else:
            return atom
        if isinstance(atom, Anchor):
            raise PatternError(f"repeats {atom.mark}")
        if high is not None and high < low:
            raise PatternError(f"repeats at least {low} and at most {high} times")
        self._accept("?")  # which of several matches is found makes no difference
        if (self.rest[:1] in _QUANTIFIERS and self.rest) or self._match(_COUNTS):
            raise PatternError("has a quantifier that repeats nothing")
        return atom if (low, high) == (1, 1) else Repeat(atom, low, high)

    def _atom(self) -> Node:
        first = self._next()
        if first == "(":
            return self._group()
        if first == "[":
            return self._class()
        if first == "\\":
            return self._escape()
        if first in "*+?":
            raise PatternError("has a quantifier that repeats nothing")
        if first in "^$":
            return Anchor(first)
        return ~LINE_ENDS if first == "." else character(first)

    def _group(self) -> Node:
        if self._accept("?s:.)"):  # as `Characters` writes any character
            return ANY
        if self._accept("?") and not self._accept(":") and not self._match(_GROUP_NAME):
            if self.rest.startswith(("=", "!", "<=", "<!")):
                raise PatternError("looks ahead or behind, which cannot be enforced")
            raise PatternError("has a group of an unknown kind, which cannot be enforced")
        node = self.choice()
        if not self._accept(")"):
            raise PatternError("has a group that does not end")
        return node

    def _escape(self) -> Node:
        if named := self._match(_PROPERTY):
            return Characters(properties=("\\" + named[0],))
        letter = self._next()
        if letter in "bB":
            raise PatternError("looks for the edge of a word (\\b), which cannot be enforced")
        if letter in "123456789k":
            raise PatternError("refers to what a group has matched, which cannot be enforced")
        return self._set(letter)

    def _set(self, letter: str) -> Characters:
        """The characters of an escape that begins with this letter, in a class or outside."""
        if letter.lower() in _CLASSES:
            return _CLASSES[letter] if letter.islower() else ~_CLASSES[letter.lower()]
        if letter in _CONTROLS:
            return character(_CONTROLS[letter])
        if letter == "c" and self.rest[:1].isalpha() and self.rest.isascii():
            return character(chr(ord(self._next()) % 32))
        if letter == "0" and not self.rest[:1].isdigit():
            return character("\0")
        self._position -= 1
        if code := self._match(_HEX):
            return self._code(int(code[1] or code[2] or code[3], 16))
        self._position += 1
        if letter.isascii() and letter.isalnum():
            raise PatternError(f"has the unknown escape \\{letter}")
        return character(letter)

    def _code(self, code: int) -> Characters:
        if 0xD800 <= code < 0xDC00 and (low := self._match(_LOW_SURROGATE)):
            code = 0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            raise PatternError("has half of a surrogate pair, which stands for no character")
        return characters((code, code))

    def _class(self) -> Node:
        negated = self._accept("^")
        found = Characters()
        while not self._accept("]"):
            item = self._class_item()
            if self.rest.startswith("-") and self.rest[1:2] not in ("]", ""):
                self._position += 1
                found |= self._range(item, self._class_item())
            else:
                found |= item
        if negated and found.properties:
            raise PatternError("has a negated class with a Unicode property, which cannot be enforced")
        found = ~found if negated else found
        return found if found != Characters() else Choice()

    def _range(self, first: Characters, last: Characters) -> Characters:
        ends = [part.ranges[0] for part in (first, last) if len(part.ranges) == 1 and not part.properties]
        if len(ends) < 2 or any(low != high for low, high in ends):
            return first | character("-") | last
        if ends[1][0] < ends[0][0]:
            raise PatternError("has a range whose end is before its start")
        return characters((ends[0][0], ends[1][0]))

    def _class_item(self) -> Characters:
        letter = self._next()
        if letter != "\\":
            return character(letter)
        if named := self._match(_PROPERTY):
            return Characters(properties=("\\" + named[0],))
        letter = self._next()
        return character("\b") if letter == "b" else self._set(letter)
