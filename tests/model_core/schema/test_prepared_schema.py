"""JSON schemas that are prepared for grammars."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from form_samples import all_samples, byte_tokenizer
from llguidance import LLMatcher

from model_core.errors import InvalidRequest
from model_core.grammar.schema_trial import prepare_and_try, write_json_grammar
from model_core.grammar.trial import GrammarCheck
from model_core.schema import (
    PreparedSchema,
    needs_text,
    prepare_schema,
    string_pattern,
)

STRING = {"type": "string"}
CLOSED = {"type": "object", "additionalProperties": False}


def prepare(schema: Any, strict: bool = True) -> PreparedSchema:
    return prepare_schema(schema, strict=strict, field="form")


def is_compiled(schema: Any) -> bool:
    return LLMatcher.validate_grammar(LLMatcher.grammar_from_json_schema(json.dumps(schema))) == ""


REFERENCES = {
    "property": ({"properties": {"a": STRING, "b": {"$ref": "#/properties/a"}}}, "b", "text", 1),
    "root": ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "a", {"a": {}}, 1),
    "definition": (
        {"properties": {"a": {"$ref": "#/definitions/s"}}, "definitions": {"s": STRING}},
        "a",
        "",
        1,
    ),
    "escapes": (
        {"properties": {"a": {"$ref": "#/$defs/a%20b~1c~0d"}}, "$defs": {"a b/c~d": STRING}},
        "a",
        "text",
        1,
    ),
    "item of a list": ({"properties": {"a": {"$ref": "#/x/0"}}, "x": [STRING]}, "a", "text", 1),
    "anchor": (
        {"properties": {"a": {"$ref": "#name"}}, "$defs": {"x": {"$anchor": "name", **STRING}}},
        "a",
        "text",
        1,
    ),
    "anchor of draft 7": (
        {"properties": {"a": {"$ref": "#name"}}, "definitions": {"x": {"$id": "#name", **STRING}}},
        "a",
        "text",
        1,
    ),
    "relative to an id": (
        {
            "$id": "https://example.com/root.json",
            "properties": {"a": {"$ref": "part.json#/$defs/x"}},
            "$defs": {
                "p": {"$id": "part.json", "$defs": {"x": {"$ref": "#s"}, "s": {"$anchor": "s", **STRING}}}
            },
        },
        "a",
        "text",
        1,
    ),
    "reference to a reference": (
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/y"}, "y": STRING}},
        "a",
        "text",
        1,
    ),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_references_within_a_schema_are_to_its_definitions(case: str) -> None:
    schema, name, right, wrong = REFERENCES[case]
    prepared = prepare(schema).schema
    references = re.findall(r'"\$ref": "([^"]*)"', json.dumps(prepared))
    assert references
    assert all(re.fullmatch(r"#/\$defs/[\w.-]+", reference) for reference in references)
    assert not re.search(r'"(\$id|\$anchor|\$schema|definitions)"', json.dumps(prepared))
    # A part of it means the same together with the definitions.
    part = jsonschema.Draft202012Validator({**prepared["properties"][name], "$defs": prepared["$defs"]})
    assert part.is_valid(right)
    assert not part.is_valid(wrong)
    assert is_compiled(prepared)


def test_a_schema_that_is_a_reference_becomes_its_object() -> None:
    # zod-to-json-schema writes this for a schema with a name.
    schema = {"$ref": "#/definitions/N", "definitions": {"N": {**CLOSED, "properties": {"n": {"$ref": "#"}}}}}
    prepared = prepare(schema).schema
    assert list(prepared["properties"]) == ["n"]
    assert list(prepared["$defs"]) == ["N"]


@pytest.mark.parametrize(
    "reference", ["#/$defs/missing", "#missing", "https://example.com/", "x.json#/a", "#/x/9"]
)
@pytest.mark.parametrize("strict", [True, False])
def test_references_to_nothing_are_refused_by_name(reference: str, strict: bool) -> None:
    with pytest.raises(InvalidRequest, match=re.escape(repr(reference))) as error:
        prepare({"properties": {"a": {"$ref": reference}}, "x": []}, strict)
    assert error.value.param == "form"


def test_names_of_definitions_stay_apart() -> None:
    parts = [{"$ref": "#/$defs/a b"}, {"$ref": "#/$defs/a_b"}, {"$ref": "#/$defs/x/$defs/a_b"}]
    definitions = {"a b": {"const": 1}, "a_b": {"const": 2}, "x": {"$defs": {"a_b": {"const": 3}}}}
    prepared = prepare({"prefixItems": parts, "$defs": definitions}).schema
    assert jsonschema.Draft202012Validator(prepared).is_valid([1, 2, 3])
    assert not jsonschema.Draft202012Validator(prepared).is_valid([1, 2, 2])


PATTERNS = {
    r"^\/api\/v1$": (["/api/v1"], ["/api/v1/", "api/v1"]),
    r"^a\$": (["a$", "a$b"], ["a"]),
    r"^a\$$": (["a$"], ["a", "a$b"]),
    r"^a|b$": (["a", "ax", "b", "xb"], ["xa", "bx", "c"]),
    r"(^|,)x($|,)": (["x", "a,x", "x,a", "a,x,b"], ["ax", "xa"]),
    r"^(?:a$|b)": (["a", "b", "bc"], ["ac"]),
    r"^\d+\-\w$": (["12-a", "1-_"], ["-a", "1-é", "٣-a"]),
    r"^\s[^\s]$": (["\u00a0x", "\ufeffé", "\tx"], ["xx", "\t\n"]),
    r"^.$": (["é", "🦊"], ["\n", "\u2028", "ab"]),
    r"^[^]$": (["\n", "a"], ["", "ab"]),
    r"[]|a": (["a", "bab"], ["", "b"]),
    r"^\cJ\x41\u0042\u{1F98A}\uD83E\uDD8A$": (["\nAB🦊🦊"], ["JAB"]),
    r"^(?<year>[0-9]{4})(?:-(?<month>[0-9]{2}))?$": (["2024", "2024-01"], ["2024-1"]),
    r"^[\w.+\]&&-]+$": (["a.+]&-"], ["", "[", "é"]),
    r"^[a-c\d-]$": (["-", "b", "5"], ["e", "\\"]),
    r"^a{2,}?b??$": (["aa", "aaab"], ["ab"]),
    r"^a{,2}{$": (["a{,2}{"], ["a", "aa"]),
    r"^$": ([""], ["a"]),
    r"": (["", "a\nb"], []),
    r"^\p{Lu}[\p{L}\d]$": (["Äé", "Z9"], ["äé", "A-"]),
    r"^\0?[\b]$": (["\b", "\0\b"], ["b"]),
}


def full_match(expression: str, text: str) -> bool:
    """As llguidance matches the terminal of a grammar."""
    grammar = LLMatcher.grammar_from_lark(f"start: T\nT: /{expression}/")
    matcher = LLMatcher(byte_tokenizer(), grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return all(matcher.consume_token(byte) for byte in text.encode()) and matcher.is_accepting()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_of_ecmascript_are_enforced(pattern: str) -> None:
    expression = string_pattern(pattern)
    for texts, expected in zip(PATTERNS[pattern], (True, False), strict=True):
        for text in texts:
            assert full_match(expression, text) == expected, (expression, text)
    assert is_compiled(prepare({"type": "string", "pattern": pattern}).schema)


@pytest.mark.parametrize(
    "pattern",
    [r"\bword\b", "^(?=a)", "^(?!a)b", "(?<=a)b", r"(a)\1", "(?i:a)", "(^a)*", r"^\q", "(", "a**", "[b-a]"],
)
def test_patterns_that_cannot_be_enforced_are_left_out_or_refused(pattern: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern, "maxLength": 3}}}
    prepared = prepare(schema, strict=False)
    assert prepared.schema["properties"]["a"] == {"type": "string", "maxLength": 3}
    assert prepared.left_out == ("properties.a.pattern",)
    with pytest.raises(InvalidRequest, match=r"properties\.a\.pattern"):
        prepare(schema)


@pytest.mark.parametrize("never", [False, {"not": {}}, {"not": True}, {"enum": [1], "type": "string"}])
def test_properties_without_a_value_are_left_out_and_forbidden(never: Any) -> None:
    properties = {"a": never, "b": {"type": "null"}}
    assert prepare({**CLOSED, "properties": properties}).schema == {
        **CLOSED,
        "properties": {"b": {"type": "null"}},
    }
    opened = prepare({"type": "object", "properties": properties}).schema
    assert "a" not in opened["properties"]
    assert jsonschema.Draft202012Validator(opened).is_valid({"b": None, "c": 1})
    assert not jsonschema.Draft202012Validator(opened).is_valid({"a": 1})
    with pytest.raises(InvalidRequest, match="'a'"):
        prepare({"type": "object", "properties": properties, "required": ["a"]}, strict=False)


def test_a_pattern_without_a_value_forbids_listed_properties() -> None:
    schema = {**CLOSED, "properties": {"a": STRING, "b": STRING}, "patternProperties": {"^a": False}}
    assert prepare(schema).schema == {**CLOSED, "properties": {"b": STRING}}


def test_a_property_is_left_out_if_a_part_that_it_needs_has_no_value() -> None:
    inner = {"type": "object", "properties": {"x": False}, "required": ["x"]}
    schema = {**CLOSED, "properties": {"a": {"$ref": "#/$defs/x"}, "b": STRING}, "$defs": {"x": inner}}
    assert prepare(schema).schema == {**CLOSED, "properties": {"b": STRING}}


def test_values_that_never_end_are_no_values() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    with pytest.raises(InvalidRequest, match="next"):
        prepare(node)


def test_a_prepared_schema_stays_as_it_is() -> None:
    schemas = [
        sample.form.json_schema for sample in all_samples() if isinstance(sample.form.json_schema, dict)
    ]
    schemas += [schema for schema, *_ in REFERENCES.values()]
    for schema in schemas:
        prepared = prepare(schema, strict=False).schema
        assert prepare(prepared) == PreparedSchema(prepared)


@pytest.fixture(scope="module")
def check() -> Iterator[GrammarCheck]:
    """Tries grammars in a process of its own."""
    check = GrammarCheck({0: b"\xffend"}, [0])
    yield check
    check.close()


FLOAT32 = 3.4028234663852886e38
LEFT_OUT = {
    "float64": ({"type": "number", "minimum": -1.7976931348623157e308}, {"type": "number"}, "minimum"),
    "float32": ({"type": "number", "maximum": FLOAT32}, {"type": "number"}, "maximum"),
    "int64": ({"type": "integer", "maximum": 2**63 - 1}, {"type": "integer"}, "maximum"),
    "beyond float64": ({"type": "integer", "minimum": 2**53 + 1}, {"type": "integer"}, "minimum"),
    "multiple": ({"type": "number", "multipleOf": 0.07}, {"type": "number"}, "multipleOf"),
    "format": ({"type": "string", "format": "colour"}, {"type": "string"}, "format"),
    "large pattern": ({"type": "string", "pattern": "^((a{500}){500}){500}$"}, {"type": "string"}, "pattern"),
    "oneOf": (
        {"oneOf": [{"type": "number"}, {"minimum": 3}]},
        {"anyOf": [{"type": "number"}, {"minimum": 3}]},
        "oneOf",
    ),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_values_that_cannot_be_enforced_are_left_out_or_refused(case: str, check: GrammarCheck) -> None:
    schema, rest, keyword = LEFT_OUT[case]
    wrapped, place = {**CLOSED, "properties": {"a": schema}}, f"properties.a.{keyword}"
    prepared = prepare_and_try(wrapped, strict=False, field="form", find_fault=check.find_fault)
    assert prepared == PreparedSchema({**CLOSED, "properties": {"a": rest}}, (place,))
    with pytest.raises(InvalidRequest, match=re.escape(place)):
        prepare(wrapped)


def test_what_llguidance_refuses_is_found_by_trial(check: GrammarCheck) -> None:
    patterns = {"^a": {"type": "null"}, "b$": {"type": "boolean"}}
    inner = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    schema = {**CLOSED, "properties": {"a": inner, "b": {"type": "integer", "minimum": 3}}}
    prepared = prepare_and_try(schema, strict=False, field="form", find_fault=check.find_fault)
    assert prepared.schema["properties"]["b"] == schema["properties"]["b"]
    assert len(prepared.left_out) == 2
    assert all(place.startswith("properties.a.patternProperties.") for place in prepared.left_out)
    # What is left allows all that the whole schema allows.
    assert jsonschema.Draft202012Validator(prepared.schema).is_valid({"a": {"ax": None, "xb": True}})
    with pytest.raises(InvalidRequest, match="not disjoint"):
        prepare_and_try(schema, strict=True, field="form", find_fault=check.find_fault)


@pytest.mark.parametrize("draft", ["draft-03", "draft-04", "draft-07", "2020-12", "next"])
@pytest.mark.parametrize("protocol", ["http", "https"])
def test_any_draft_may_be_named(draft: str, protocol: str) -> None:
    schema = {"$schema": f"{protocol}://json-schema.org/{draft}/schema#", "type": "array", "items": [STRING]}
    assert prepare(schema).schema == {"type": "array", "prefixItems": [STRING]}


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"minProperties": 2}, [{"a": 1, "c": 2}, {"a": 1, "b": 1, "c": 1}], [{}, {"b": 1}]),
        ({"maxProperties": 1}, [{}, {"b": 1}], [{"a": 1, "b": 1}]),
        ({"minProperties": 2, "required": ["b"]}, [{"b": 1, "c": 2}], [{"b": 1}, {"a": 1, "c": 1}]),
        (
            {"minProperties": 1, "maxProperties": 2},
            [{"a": 1}, {"a": 1, "c": 1}],
            [{}, {"a": 1, "b": 1, "c": 1}],
        ),
        ({"minProperties": 3, "type": ["object", "null"]}, [None, {"a": 1, "b": 1, "c": 1}], [{"a": 1}]),
    ],
)
def test_optional_properties_are_counted(schema: dict[str, Any], right: list[Any], wrong: list[Any]) -> None:
    properties = {name: {"enum": [1, 2]} for name in "abc"}
    prepared = prepare({"type": "object", "properties": properties, "additionalProperties": False, **schema})
    for values, expected in ((right, True), (wrong, False)):
        for value in values:
            assert jsonschema.Draft202012Validator(prepared.schema).is_valid(value) == expected
            assert accepts(prepared.schema, json.dumps(value)) == expected


def accepts(schema: Any, text: str) -> bool:
    matcher = LLMatcher(byte_tokenizer(), write_json_grammar(schema), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return matcher.try_consume_tokens(list(text.encode())) == len(text.encode()) and matcher.is_accepting()


@pytest.mark.parametrize("value", [2**53 + 1, -(2**63) - 1, 2**64, 1e300, [2**53 + 1], {"a": -(2**53) - 1}])
def test_numbers_that_would_be_rounded_are_known(value: Any) -> None:
    """They get rules of their own, which spell them."""
    for schema in ({"enum": [1, value]}, {"properties": {"x": {"const": value}}}):
        assert needs_text(prepare(schema).schema)


@pytest.mark.parametrize("value", [0, -1, 2**53, -(2**53), 2**62, 0.1, -2.5, 123456.789])
def test_other_numbers_are_exact(value: int | float) -> None:
    schema = prepare({"enum": [value]}).schema
    assert not needs_text(schema)
    assert accepts(schema, json.dumps(value))
    if isinstance(value, int):
        bounds = prepare({"type": "integer", "minimum": value, "maximum": value}, strict=False)
        for other in (value - 1, value, value + 1):
            assert accepts(schema, str(other)) == (other == value)
            assert bounds.left_out or accepts(bounds.schema, str(other)) == (other == value)
