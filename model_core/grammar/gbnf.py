"""Grammars with `::=`, as llama.cpp (GBNF) and ai00 (KBNF) write them, converted to Lark for llguidance.

Known are literals in double or single quotes, classes `[a-z]`, any character `.`, groups, `|`, the
repetitions `? * + {2,5}`, special tokens `<[12]>`, comments, and KBNF's regular expressions: `#"..."`, and
`#e"..."`, which is as short as possible. The answer is the rule `root`, or else `start`.
GBNF: github.com/ggml-org/llama.cpp/blob/master/grammars/README.md, KBNF: docs.rs/kbnf.

llguidance reads an answer as a sequence of terminals, each a regular expression. It is fast only if they are
long, and each matches as much as it can. So neighbours without a recursive rule become one terminal.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

_RULE_START = re.compile(r"^[ \t]*<?[\w-]+>?\s*::=", re.M)
_TOKEN = re.compile(
    r"""(?P<space>\s+|\(\*.*?\*\)|\#(?!e?["'])[^\n]*)
    |(?P<define>::=)
    |(?P<regex>\#e?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
    |(?P<literal>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<characters>\[\^?(?:[^\]\\]|\\.)*\])
    |(?P<special><[^<>\s][^<>\n]*>)
    |(?P<name>[\w-]+)
    |(?P<repeat>[*+?]|\{\s*\d+\s*(?:,\s*(?:\d+\s*)?)?\})
    |(?P<unreadable>\(\*)
    |(?P<mark>[|();.])
    |(?P<unknown>.)""",
    re.X | re.S,
)
_CHARACTER = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\?(.)", re.S)
_LETTERS = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}


class EbnfError(ValueError):
    """A grammar that cannot be read. The message is a part of a sentence."""


@dataclass(frozen=True)
class _Terminal:
    """A literal or a regular expression, as Lark writes it."""

    text: str


@dataclass(frozen=True)
class _Token:
    """What no terminal can contain, as Lark writes it: a special token, or a lazy regular expression."""

    text: str
    is_lazy: bool = False


@dataclass(frozen=True)
class _Reference:
    rule: str


@dataclass(frozen=True)
class _Repeat:
    item: "_Expression"
    mark: str  # as in the source


@dataclass(frozen=True)
class _Sequence:
    items: tuple["_Expression", ...]


@dataclass(frozen=True)
class _Choice:
    items: tuple["_Expression", ...]


_Expression = _Terminal | _Token | _Reference | _Repeat | _Sequence | _Choice


def is_ebnf(grammar: str) -> bool:
    """Whether a grammar has rules with `::=`."""
    return _RULE_START.search(grammar) is not None


def convert_to_lark(grammar: str) -> str:
    """The same grammar for llguidance. Raises EbnfError."""
    try:
        return _convert(_Parser(grammar).parse())
    except RecursionError:
        raise EbnfError("its groups or repetitions are nested too deeply") from None


def _convert(rules: Mapping[str, _Expression]) -> str:
    start = next((name for name in ("root", "start") if name in rules), None)
    if start is None:
        raise EbnfError("it has no rule `root` or `start`")
    for expression in rules.values():
        for reference in _find(expression, _Reference):
            if reference.rule not in rules:
                raise EbnfError(f"the rule `{reference.rule}` is missing")
    return _Writer(rules).write(start)


def _split(grammar: str) -> Iterator[tuple[str, str]]:
    """The tokens of a grammar: their kinds and texts. Raises EbnfError."""
    for match in _TOKEN.finditer(grammar):
        kind = str(match.lastgroup)
        if kind in ("unreadable", "unknown"):
            raise EbnfError(f"it has `{grammar[match.start() : match.end() + 20]}`, which cannot be read")
        if kind != "space":
            yield kind, match[0]


class _Parser:
    """Reads rules by recursive descent."""

    def __init__(self, grammar: str) -> None:
        tokens = list(_split(grammar))
        defined = {text for (_, text), after in pairwise(tokens) if after[0] == "define"}
        # BNF writes names of rules in angle brackets.
        self._tokens = [
            ("name", text[1:-1]) if text in defined and text[0] == "<" else (kind, text)
            for kind, text in tokens
        ]
        self._next = 0

    def parse(self) -> dict[str, _Expression]:
        rules: dict[str, _Expression] = {}
        while self._next < len(self._tokens):
            if self._take("mark", ";"):
                continue
            if not self._is_rule_next():
                self._fail("a rule")
            name = self._take("name")
            self._take("define")
            if name in rules:
                raise EbnfError(f"the rule `{name}` is defined twice")
            rules[name] = self._parse_choice()
        return rules

    def _parse_choice(self) -> _Expression:
        options = [self._parse_sequence()]
        while self._take("mark", "|"):
            options.append(self._parse_sequence())
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _parse_sequence(self) -> _Expression:
        items: list[_Expression] = []
        while (item := self._parse_item()) is not None:
            while mark := self._take("repeat"):
                item = _Repeat(item, re.sub(r"\s", "", mark))
            items.append(item)
        return items[0] if len(items) == 1 else _Sequence(tuple(items))

    def _parse_item(self) -> _Expression | None:
        """The next item of a sequence; None at its end."""
        if self._is_rule_next():
            return None
        if literal := self._take("literal"):
            return _Terminal(json.dumps("".join(_unescape(literal[1:-1])), ensure_ascii=False))
        if characters := self._take("characters"):
            return _Terminal(_convert_characters(characters[1:-1]))
        if self._take("mark", "."):
            return _Terminal("/(?s:.)/")
        if name := self._take("name"):
            return _Reference(name)
        if special := self._take("special"):
            return _Token(special)
        if regex := self._take("regex"):
            pattern = regex.lstrip("#e")[1:-1]
            text = "/" + re.sub(r"((?:^|[^\\])(?:\\\\)*)/", r"\1\\/", pattern) + "/"
            return _Token(text, is_lazy=True) if regex[1] == "e" else _Terminal(text)
        if self._take("mark", "("):
            group = self._parse_choice()
            if not self._take("mark", ")"):
                self._fail("the end of a group")
            return group
        if self._next < len(self._tokens) and self._tokens[self._next] not in _ENDS:
            self._fail("a literal, a class or a rule")
        return None

    def _is_rule_next(self) -> bool:
        kinds = [kind for kind, _ in self._tokens[self._next : self._next + 2]]
        return kinds == ["name", "define"]

    def _take(self, kind: str, text: str | None = None) -> str:
        """The next token if it is of this kind, and has this text; else an empty string."""
        if self._next == len(self._tokens):
            return ""
        next_kind, next_text = self._tokens[self._next]
        if next_kind != kind or text not in (None, next_text):
            return ""
        self._next += 1
        return next_text

    def _fail(self, expected: str) -> None:
        rest = " ".join(text for _, text in self._tokens[self._next : self._next + 5])
        found = f"`{rest[:40]}`" if rest else "its end"
        raise EbnfError(f"it has {found} where {expected} should be")


_ENDS = [("mark", "|"), ("mark", ")"), ("mark", ";")]


class _Writer:
    """Writes rules in Lark: those without a recursive rule as terminals, which have names in upper case."""

    def __init__(self, rules: Mapping[str, _Expression]) -> None:
        self._rules, self._regular = rules, _find_regular(rules)
        self._names = {}
        for index, name in enumerate(rules):
            readable = f"r{index}_{re.sub(r'[^A-Za-z0-9]', '_', name)}"
            self._names[name] = readable.upper() if name in self._regular else readable.lower()
        self._added: list[str] = []  # lines

    def write(self, start: str) -> str:
        """The whole grammar."""
        lines = [f"start: {self._names[start]}"]
        for name, expression in self._rules.items():
            write = self._write_terminal if name in self._regular else self._write_rule
            lines.append(f"{self._names[name]}: {write(expression)}")
        return "\n".join(lines + self._added)

    def _is_regular(self, expression: _Expression) -> bool:
        references = _find(expression, _Reference)
        return not any(_find(expression, _Token)) and all(r.rule in self._regular for r in references)

    def _write_terminal(self, expression: _Expression) -> str:
        match expression:
            case _Terminal(text):
                return text
            case _Reference(rule):
                return self._names[rule]
            case _Repeat(item, mark):
                return f"({self._write_terminal(item)}){mark}"
            case _Sequence(items):
                return f"({' '.join(map(self._write_terminal, items))})" if items else '""'
            case _Choice(items):
                return f"({' | '.join(map(self._write_terminal, items))})"
        raise TypeError(expression)

    def _write_rule(self, expression: _Expression) -> str:
        if self._is_regular(expression):
            if isinstance(expression, _Terminal | _Reference):
                return self._write_terminal(expression)
            return self._add("T", self._write_terminal(expression))
        match expression:
            case _Reference(rule):
                return self._names[rule]
            case _Token(text, is_lazy):
                return self._add("t", text, "[lazy]") if is_lazy else text
            case _Repeat(item, mark):
                return f"({self._write_rule(item)}){mark}"
            case _Sequence(items):
                return f"({' '.join(map(self._write_rule, self._join_regular(items)))})"
            case _Choice(items):
                return f"({' | '.join(map(self._write_rule, items))})"
        raise TypeError(expression)

    def _join_regular(self, items: tuple[_Expression, ...]) -> Iterator[_Expression]:
        """The items of a sequence, with neighbours that are regular as one item."""
        run: list[_Expression] = []
        for item in items:
            if self._is_regular(item):
                run.append(item)
                continue
            if run:
                yield run[0] if len(run) == 1 else _Sequence(tuple(run))
                run = []
            yield item
        if run:
            yield run[0] if len(run) == 1 else _Sequence(tuple(run))

    def _add(self, prefix: str, text: str, options: str = "") -> str:
        """Add a rule or terminal, and return its name."""
        name = f"{prefix}{len(self._added)}"
        self._added.append(f"{name}{options}: {text}")
        return name


def _find_regular(rules: Mapping[str, _Expression]) -> set[str]:
    """The rules that refer to no recursive rule, directly or through others, and to no token."""
    missing = {name: {r.rule for r in _find(e, _Reference)} for name, e in rules.items()}
    users: dict[str, list[str]] = {name: [] for name in rules}
    for name, references in missing.items():
        for reference in references:
            users[reference].append(name)
    has_token = {name for name, expression in rules.items() if any(_find(expression, _Token))}
    regular: set[str] = set()
    ready = [name for name, references in missing.items() if not references]
    while ready:
        name = ready.pop()
        if name in has_token:
            continue
        regular.add(name)
        for user in users[name]:
            missing[user].discard(name)
            if not missing[user]:
                ready.append(user)
    return regular


def _find(expression: _Expression, kind: type) -> Iterator:
    """All parts of an expression that are of this class."""
    if isinstance(expression, kind):
        yield expression
    parts = (expression.item,) if isinstance(expression, _Repeat) else getattr(expression, "items", ())
    for part in parts:
        yield from _find(part, kind)


def _unescape(text: str) -> Iterator[str]:
    """The characters that a literal or a class stands for."""
    for match in _CHARACTER.finditer(text):
        code = match[1] or match[2] or match[3]
        if code is None:
            yield _LETTERS.get(match[0], match[4])
        elif 0xD800 <= int(code, 16) < 0xE000 or int(code, 16) > 0x10FFFF:
            raise EbnfError(f"{match[0]} is no character")
        else:
            yield chr(int(code, 16))


def _convert_characters(text: str) -> str:
    """The inside of a class as a regular expression."""
    is_negated = text.startswith("^")
    units = [match[0] for match in _CHARACTER.finditer(text[is_negated:])]
    characters = list(_unescape(text[is_negated:]))
    ranges, index = "", 0
    while index < len(units):
        ranges += rf"\x{{{ord(characters[index]):x}}}"
        if index + 2 < len(units) and units[index + 1] == "-":
            ranges += rf"-\x{{{ord(characters[index + 2]):x}}}"
            index += 2
        index += 1
    if not ranges:
        raise EbnfError("it has an empty class `[]`")
    return f"/[{'^' * is_negated}{ranges}]/"
