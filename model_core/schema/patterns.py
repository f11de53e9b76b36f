"""Patterns of JSON Schema as regular expressions over a whole string, which llguidance compiles.

A pattern may match anywhere in a string. What is written here is a full match, in the syntax that ECMA-262
and Rust's `regex` share, so that it can be read again, and stand between the slashes of a terminal in Lark.
"""

import re
from collections.abc import Collection
from functools import lru_cache

from .characters import ANY, Characters
from .pattern_parser import Anchor, Choice, Node, PatternError, Repeat, Sequence, parse_pattern

_ANYTHING = Repeat(ANY, 0, None)
_EMPTY = Sequence()
_MAX_SPELLED = 64  # characters
_MAX_SIZE = 100_000
_UNICODE = re.compile(r"\\u\{([0-9A-F]+)\}")
# A part by what it needs: whether nothing may come before it, and whether nothing may come after it.
_Cases = dict[tuple[bool, bool], Node]


def string_pattern(pattern: str) -> str | None:
    """A regular expression that matches the whole of a string if the pattern matches somewhere in it.

    It is in Rust's syntax, as llguidance takes it. None if there is none: `explain_pattern` says why.
    """
    try:
        return _translate(pattern)
    except PatternError:
        return None


def explain_pattern(pattern: str) -> str:
    """Why a pattern cannot be enforced, as the end of a sentence that the pattern begins."""
    try:
        _translate(pattern)
    except PatternError as error:
        return str(error)
    return "can be enforced"


def anchor_pattern(expression: str) -> str:
    """The pattern of JSON Schema for what `string_pattern` has written."""
    return f"^(?:{expression})$"


def matches(pattern: str, text: str) -> bool | None:
    """Whether a pattern that `anchor_pattern` has written matches a text; None if that is not known."""
    if r"\p{" in pattern or r"\P{" in pattern:
        return None
    expression = _UNICODE.sub(lambda match: f"\\U{int(match[1], 16):08X}", pattern.removesuffix("$") + r"\Z")
    try:
        return re.match(expression, text) is not None
    except (re.error, OverflowError):
        return None


def unite_patterns(one: str, two: str) -> str:
    """The pattern that matches what one of two patterns that `anchor_pattern` has written matches."""
    return anchor_pattern(_translate(f"{one}|{two}"))


def is_any(pattern: str) -> bool:
    """Whether a pattern matches every text; False if that is not easy to see."""
    node = parse_pattern(_translate(pattern))
    options = node.options if isinstance(node, Choice) else (node,)
    for option in options:
        parts = option.parts if isinstance(option, Sequence) else (option,)
        if _ANYTHING in parts and all(map(_may_be_empty, parts)):
            return True
    return False


def is_spelled_by(pattern: str, texts: Collection[str]) -> bool:
    """Whether a pattern matches none but some of these texts."""
    found = _spell(parse_pattern(_translate(pattern)), len(texts))
    return found is not None and found <= set(texts)


def _spell(node: Node, limit: int) -> set[str] | None:
    """All texts that a part matches; None if they are more than the limit, or may be."""
    if isinstance(node, Characters):
        count = sum(last - first + 1 for first, last in node.ranges)
        if node.properties or count > limit:
            return None
        return {chr(code) for first, last in node.ranges for code in range(first, last + 1)}
    if isinstance(node, Choice):
        found = [_spell(option, limit) for option in node.options]
        united = set[str]().union(*filter(None, found))
        return None if None in found or len(united) > limit else united
    parts: tuple[Node, ...]
    if isinstance(node, Repeat):
        if node.high is None or node.high > _MAX_SPELLED:
            return None
        optional = Choice((node.part, _EMPTY))
        parts = (node.part,) * node.low + (optional,) * (node.high - node.low)
    else:
        assert isinstance(node, Sequence)  # a full match has no anchors
        parts = node.parts
    texts = {""}
    for part in parts:
        ends = _spell(part, limit)
        texts = set() if ends is None else {text + end for text in texts for end in ends}
        if ends is None or len(texts) > limit:
            return None
    return texts


@lru_cache(maxsize=256)
def _translate(pattern: str) -> str:
    options: list[Node] = []
    try:
        for (at_start, at_end), part in _resolve(parse_pattern(pattern)).items():
            before, after = (() if fixed else (_ANYTHING,) for fixed in (at_start, at_end))
            options.append(_sequence(*before, part, *after))
    except RecursionError:
        raise PatternError("is nested too deeply") from None
    if not options:
        raise PatternError("matches no string")
    node = _choice(options)
    if _size(node) > _MAX_SIZE:
        raise PatternError("is too large to be enforced")
    return _write(node) or "(?:)"  # two slashes begin a comment in Lark


def _resolve(node: Node) -> _Cases:
    """A part without anchors, by what its anchors need."""
    if isinstance(node, Anchor):
        return {(node.mark == "^", node.mark == "$"): _EMPTY}
    if isinstance(node, Characters):
        return {(False, False): node}
    if isinstance(node, Choice):
        return _unite([_resolve(option) for option in node.options])
    if isinstance(node, Repeat):
        return _resolve_repeat(node)
    cases: _Cases = {(False, False): _EMPTY}
    for part in node.parts:
        cases = _follow(cases, _resolve(part))
    return cases


def _resolve_repeat(node: Repeat) -> _Cases:
    cases = _resolve(node.part)
    if node.high == 0 or (not cases and node.low == 0):
        return {(False, False): _EMPTY}
    if set(cases) <= {(False, False)}:
        return {needs: Repeat(part, node.low, node.high) for needs, part in cases.items()}
    if (node.low, node.high) != (0, 1):
        raise PatternError("repeats ^ or $, which cannot be enforced")
    return _unite([cases, {(False, False): _EMPTY}])


def _unite(alternatives: list[_Cases]) -> _Cases:
    united: dict[tuple[bool, bool], list[Node]] = {}
    for cases in alternatives:
        for needs, part in cases.items():
            united.setdefault(needs, []).append(part)
    return {needs: _choice(parts) for needs, parts in united.items()}


def _follow(first: _Cases, second: _Cases) -> _Cases:
    """One part after another. What comes before `^`, and after `$`, is empty."""
    found: list[_Cases] = []
    for (start1, end1), part1 in first.items():
        for (start2, end2), part2 in second.items():
            if (start2 and not _may_be_empty(part1)) or (end1 and not _may_be_empty(part2)):
                continue
            body = _sequence(_EMPTY if start2 else part1, _EMPTY if end1 else part2)
            found.append({(start1 or start2, end1 or end2): body})
    return _unite(found)


def _choice(options: list[Node]) -> Node:
    flat = dict.fromkeys(
        piece for option in options for piece in (option.options if isinstance(option, Choice) else (option,))
    )
    return next(iter(flat)) if len(flat) == 1 else Choice(tuple(flat))


def _sequence(*parts: Node) -> Node:
    flat = [piece for part in parts for piece in (part.parts if isinstance(part, Sequence) else (part,))]
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _may_be_empty(node: Node) -> bool:
    if isinstance(node, Sequence):
        return all(map(_may_be_empty, node.parts))
    if isinstance(node, Choice):
        return any(map(_may_be_empty, node.options))
    return isinstance(node, Repeat) and (node.low == 0 or _may_be_empty(node.part))


def _size(node: Node) -> int:
    """How many characters a part has if repetitions are written out."""
    if isinstance(node, Repeat):
        return _size(node.part) * max(node.low, node.high or 0, 1)
    parts = node.parts if isinstance(node, Sequence) else node.options if isinstance(node, Choice) else ()
    return 1 + sum(map(_size, parts))


def _write(node: Node) -> str:
    if isinstance(node, Sequence):
        parts = (f"(?:{_write(part)})" if isinstance(part, Choice) else _write(part) for part in node.parts)
        return "".join(parts)
    if isinstance(node, Choice):
        return "|".join(map(_write, node.options))
    if isinstance(node, Repeat):
        part = _write(node.part)
        return (part if isinstance(node.part, Characters) else f"(?:{part})") + _write_counts(node)
    return str(node)


def _write_counts(node: Repeat) -> str:
    if (node.low, node.high) in (known := {(0, None): "*", (1, None): "+", (0, 1): "?"}):
        return known[node.low, node.high]
    if node.low == node.high:
        return f"{{{node.low}}}"
    return f"{{{node.low},{'' if node.high is None else node.high}}}"
