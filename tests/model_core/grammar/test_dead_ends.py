"""Forms that are accepted never come to where nothing fits."""

import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
import numpy as np
import pytest
from form_samples import byte_tokenizer
from llguidance import LLMatcher

from model_core.errors import InvalidRequest
from model_core.grammar.schema_trial import prepare_and_try, write_json_grammar
from model_core.grammar.trial import GrammarCheck
from model_core.schema import PreparedSchema, prepare_schema


@pytest.fixture(scope="module")
def check() -> Iterator[GrammarCheck]:
    """Tries grammars in a process of its own."""
    check = GrammarCheck({0: b"\xffend"}, [0])
    yield check
    check.close()


def write_at_random(schema: Any, choose: random.Random) -> bytes:
    """A text that a grammar allows, of which each byte is chosen at random. It fails at a dead end."""
    matcher = LLMatcher(byte_tokenizer(), write_json_grammar(schema), log_level=0)
    assert not matcher.is_error(), (schema, matcher.get_error())
    text, mask = bytearray(), np.zeros(-(-byte_tokenizer().vocab_size // 32), np.uint32)
    while not matcher.is_stopped() and len(text) < 200:
        matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        assert not matcher.is_error(), (schema, bytes(text), matcher.get_error())
        allowed = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
        closing = [token for token in allowed if token < 256 and chr(token) in '"]},']
        token = int(choose.choice(closing if closing and len(text) > 60 else list(allowed)))
        matcher.consume_token(token)
        text += bytes([token] * (token < 256))
    return bytes(text) if matcher.is_stopped() and not matcher.is_error() else b""


_VALUES = [None, 1, "a", "b", 2.5, [1], {"a": 1}]
_NAMES = ("a", "b", "ab", "x-a")
_PATTERNS = ("^a", "b$", "^x-[ab]$", "^(a|b)$", "^a{0,2}$", "^", r"^\w+$", "^ab|c$")


def _random_schema(choose: random.Random, depth: int = 0) -> Any:
    pick = choose.choice
    leaves = [
        lambda: {"type": "string", "minLength": pick((0, 2)), "maxLength": pick((1, 3))},
        lambda: {"type": "string", "pattern": pick(_PATTERNS), "maxLength": pick((1, 4))},
        lambda: {"type": "integer", "minimum": pick((-3, 0, 7)), "maximum": pick((5, 12))},
        lambda: {"type": "number", "multipleOf": pick((0.25, 3)), "minimum": pick((0, 1.5)), "maximum": 2},
        lambda: {
            "enum": choose.sample([None, 1, "a", "b", 2.5, [1], {"a": 1}], 3),
            "type": pick(("string", "array")),
        },
        lambda: pick((False, {"type": "null"}, {"type": ["boolean", "null"]}, {"$ref": "#/$defs/leaf"})),
    ]
    if depth > 2 or choose.random() < 0.3:
        return pick(leaves)()

    def part() -> Any:
        return _random_schema(choose, depth + 1)

    def members() -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        if choose.random() < 0.8:
            schema["properties"] = {name: part() for name in choose.sample(_NAMES, 2)}
        if choose.random() < 0.5:
            schema["patternProperties"] = {
                pattern: part() for pattern in choose.sample(_PATTERNS, pick((1, 1, 2)))
            }
        if choose.random() < 0.3:
            schema["required"] = choose.sample(_NAMES, 1)
        if choose.random() < 0.2:
            schema[pick(("minProperties", "maxProperties"))] = pick((1, 2))
        return {**schema, "additionalProperties": pick((False, False, False, {"type": "null"}))}

    joined = [
        members,
        members,
        lambda: {"type": "array", "items": part(), "minItems": pick((0, 1)), "maxItems": 2},
        lambda: {
            "type": "array",
            "prefixItems": [part(), part()],
            "items": pick((False, {"type": "null"})),
            "maxItems": 3,
        },
        lambda: {pick(("anyOf", "oneOf")): [part(), part()]},
        lambda: {"allOf": [pick(leaves)(), pick(leaves)()]},
        lambda: {"allOf": [members(), members()]},
    ]
    return pick(joined)()


@pytest.mark.parametrize("block", range(2))
def test_accepted_schemas_have_no_dead_ends(block: int, check: GrammarCheck) -> None:
    ended = 0
    for number in range(block * 30, block * 30 + 30):
        choose = random.Random(number)
        schema = {"$defs": {"leaf": _random_schema(choose, 3)}, "anyOf": [_random_schema(choose)]}
        try:
            prepared = prepare_and_try(schema, strict=False, field="form", find_fault=check.find_fault)
        except InvalidRequest:
            continue
        again = prepare_schema(prepared.schema, strict=True, field="form")
        assert again == PreparedSchema(prepared.schema)
        for seed in range(5):
            if text := write_at_random(prepared.schema, random.Random(seed)):
                jsonschema.validate(json.loads(text), prepared.schema)
                if not prepared.left_out:
                    jsonschema.validate(json.loads(text), schema)
                ended += 1
    assert ended > 30


def test_patterns_that_match_only_listed_names_are_no_dead_end() -> None:
    digit = {"type": "integer", "minimum": 0, "maximum": 9}
    schema = {
        "type": "object",
        "properties": {"x-a": digit, "x-b": True},
        "patternProperties": {"^x-[ab]$": digit},
        "additionalProperties": False,
    }
    prepared = prepare_schema(schema, strict=True, field="form").schema
    for seed in range(25):
        jsonschema.validate(json.loads(write_at_random(prepared, random.Random(seed))), schema)
