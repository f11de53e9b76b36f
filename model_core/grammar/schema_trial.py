"""Leaves out of a prepared schema what llguidance refuses: the smallest parts, which are found by trial.

llguidance has limits that no list of keywords shows, such as the size of a pattern's automaton.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llguidance import LLMatcher

from ..errors import InvalidRequest
from ..requests.form import WHITESPACE
from ..schema.numbers import needs_text
from ..schema.patterns import unite_patterns
from ..schema.prepared import PreparedSchema, prepare_schema
from .trial import GrammarFault

# Grammars -> why they cannot be compiled, see GrammarCheck.find_fault.
FindFault = Callable[[Sequence[str]], GrammarFault | None]
Path = tuple[str | int, ...]

_MAX_TRIALS = 48
_MAX_SLOW_TRIALS = 4  # that are ended because they take too long
_MAX_PARTS, _MAX_DEFINITIONS = 512, 128
_MAPS = ("properties", "patternProperties")
_LISTS = ("prefixItems", "anyOf", "allOf")
_SINGLE = ("items", "additionalProperties")
# What is left out first comes first.
_REMOVABLE = (
    *("pattern", "format", "multipleOf", "patternProperties", "minLength", "maxLength"),
    *("minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minProperties", "maxProperties", "allOf", "anyOf", "enum", "const"),
    *("prefixItems", "items", "additionalProperties", "properties", "$ref"),
)


class TooManyTrials(Exception):
    """What is wrong with a schema could not be found with few trials."""


def write_json_grammar(schema: dict[str, Any] | bool) -> str:
    """The grammar, in llguidance's JSON, of JSON that is valid under a prepared schema."""
    schema = schema if isinstance(schema, dict) else {}
    text = json.dumps(schema, allow_nan=False)
    return LLMatcher.grammar_from_json_schema(text, defaults={"whitespace_pattern": WHITESPACE})


def leave_out_refused(
    schema: dict[str, Any] | bool, find_fault: FindFault
) -> tuple[dict[str, Any] | bool, list[str], GrammarFault | None]:
    """A schema that can be compiled, the places that were left out, and why nothing helped if nothing did."""
    fault = find_fault([write_json_grammar(schema)])
    if fault is None or isinstance(schema, bool):
        return schema, [], fault
    if len(schema.get("$defs", {})) > _MAX_DEFINITIONS:
        return schema, [], fault
    trial = _Trial(json.loads(json.dumps(schema)), find_fault)
    try:
        while fault is not None and not _is_final(fault):
            trial.leave_out_one()
            fault = find_fault([write_json_grammar(trial.schema)])
    except TooManyTrials:
        return schema, [], fault
    return trial.schema, trial.left_out, fault


def _is_final(fault: GrammarFault) -> bool:
    """Whether a schema is refused because no value is valid under it."""
    return "nsatisfiable" in fault.reason or "allows no text" in fault.reason


class _Trial:
    """Changes `schema`, and notes the places in `left_out`."""

    def __init__(self, schema: dict[str, Any], find_fault: FindFault) -> None:
        self.schema, self._find_fault = schema, find_fault
        self.left_out: list[str] = []
        self._count = self._slow_count = 0

    def leave_out_one(self) -> None:
        """Leave keywords out of the first part that is refused while all parts of it are not."""
        path, part = self._find_part()
        if len(part.get("patternProperties", {})) > 1:
            united = _unite_patterns(part["patternProperties"])
            if self._is_compiled({**part, "patternProperties": united}):
                place = ".".join(map(str, (*path, "patternProperties")))
                self.left_out += (f"{place}.{pattern}" for pattern in part["patternProperties"])
                part["patternProperties"] = united
                return
        for keyword in (key for key in _REMOVABLE if key in part):
            if self._is_compiled({key: value for key, value in part.items() if key != keyword}):
                self._remove(path, part, keyword)
                return
        for keyword in [key for key in _REMOVABLE if key in part]:
            self._remove(path, part, keyword)
            if self._is_compiled(part):
                return
        raise TooManyTrials

    def _remove(self, path: Path, part: dict[str, Any], keyword: str) -> None:
        del part[keyword]
        self.left_out.append(".".join(map(str, (*path, keyword))))

    def _find_part(self) -> tuple[Path, dict[str, Any]]:
        parts = list(_list_parts(self.schema, self.schema.get("$defs", {})))[:_MAX_PARTS]
        grammars = [self._write(part) for _, part in parts]
        start = 0
        while start < len(parts):
            fault = self._try(grammars[start:])
            if fault is None:
                break
            index = fault.index
            if index is None:  # together they take too long
                index = next(
                    (number for number, grammar in enumerate(grammars[start:]) if self._try([grammar])), None
                )
                if index is None:
                    break
                fault = self._try([grammars[start + index]])
            if fault is not None and not _is_final(fault):
                return parts[start + index]
            start += index + 1  # no value is valid under this part: the whole may do without it
        raise TooManyTrials

    def _is_compiled(self, part: dict[str, Any]) -> bool:
        fault = self._try([self._write(part)])
        return fault is None or _is_final(fault)

    def _try(self, grammars: list[str]) -> GrammarFault | None:
        self._count += 1
        if self._count > _MAX_TRIALS or self._slow_count > _MAX_SLOW_TRIALS:
            raise TooManyTrials
        fault = self._find_fault(grammars)
        self._slow_count += fault is not None and "longer than" in fault.reason
        return fault

    def _write(self, part: dict[str, Any]) -> str:
        return write_json_grammar({**part, "$defs": self.schema.get("$defs", {})})


def _unite_patterns(patterns: dict[str, Any]) -> dict[str, Any]:
    """One pattern for the names that one of several matches, whose value may have the schema of any."""
    united = next(iter(patterns))
    for pattern in list(patterns)[1:]:
        united = unite_patterns(united, pattern)
    return {united: {"anyOf": list(patterns.values())}}


def _list_parts(schema: dict[str, Any], definitions: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The places and the schemas of all parts; those that a part consists of come before it."""
    seen: set[str] = set()

    def walk(path: Path, part: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
        if not isinstance(part, dict):
            return
        name = str(part.get("$ref", "")).removeprefix("#/$defs/")
        if name and name not in seen:
            seen.add(name)
            yield from walk(("$defs", name), definitions[name])
        for keyword in _MAPS:
            for key, value in part.get(keyword, {}).items():
                yield from walk((*path, keyword, key), value)
        for keyword in _LISTS:
            for index, value in enumerate(part.get(keyword, ())):
                yield from walk((*path, keyword, index), value)
        for keyword in _SINGLE:
            yield from walk((*path, keyword), part.get(keyword))
        yield path, part

    yield from walk((), schema)


def prepare_and_try(schema: Any, *, strict: bool, field: str, find_fault: FindFault | None) -> PreparedSchema:
    """As `prepare_schema`. Unless `strict`, what llguidance refuses is left out, too.

    Raises InvalidRequest also if llguidance cannot compile the schema.
    """
    prepared = prepare_schema(schema, strict=strict, field=field)
    # A schema with numbers that llguidance changes gets rules of its own (tools/json_rules.py).
    if find_fault is None or needs_text(prepared.schema):
        return prepared
    if strict:
        fault = find_fault([write_json_grammar(prepared.schema)])
    else:
        rest, left_out, fault = leave_out_refused(prepared.schema, find_fault)
        if left_out and fault is None:
            again = prepare_schema(rest, strict=False, field=field)
            prepared = PreparedSchema(again.schema, (*prepared.left_out, *left_out, *again.left_out))
    if fault is not None:
        raise InvalidRequest(f"the JSON schema cannot be used: {fault.reason}.", field)
    return prepared
