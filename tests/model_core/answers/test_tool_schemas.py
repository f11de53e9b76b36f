"""What the grammar of a call lets through is what the reader of the same family reads back.

Schemas and values are made at random. They hold the marks of all families, keys that are no words, and values
within values.
"""

import os
import random
from typing import Any

import jsonschema
import pytest
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from test_tools import BY_NAME, EXAMPLES, read, split_events

from model_core.answers.grammar import write_answer_grammar
from model_core.answers.parser import AnswerStyle
from model_core.answers.tools import ToolFormat
from model_core.errors import InvalidRequest
from model_core.requests.messages import Tool

SCHEMAS = int(os.environ.get("TOOL_SCHEMAS", "25"))  # for each family
_MARKS = """</parameter> </function> </tool_call> </arg_value> <arg_key> <tool_call|> <|"|> <escape>
<tool_call> <end_function_call> <|tool_call_end|> ``` <|end|> <|call|> </think> <|python_end|> [TOOL_CALLS]
<|message|>"""
_PIECES = "a Zürich 7 -1.5 true null None it's / \" ' \\ \\n , : { } [ ] ( ) = </ < > {} 😀"
_KEYS = "a city $filter a.b @id xml:lang from a-b ключ x=1 a,b {k} 'q' \" ** 1 true <b> a[0] (x) \\"
MARKS = _MARKS.split()
PIECES = [
    *MARKS,
    *_PIECES.split(),
    "\n</parameter>",
    "</parameter>\n",
    "\n",
    "\t",
    "  ",
    "\u2028",
    '{"a": 1}',
]
KEYS = [*MARKS, *_KEYS.split(), "two words", "", "a\nb"]
TOKENS = [b"<|eos|>", *(bytes([byte]) for byte in range(256))]
TOKENS += [piece.encode() for piece in PIECES if len(piece.encode()) > 1]


class Bytes:
    """A vocabulary of bytes and of whole marks, so that random answers hold marks often."""

    bos_token_id, eos_token_id, special_token_ids = None, 0, ()
    tokens = TOKENS

    def __call__(self, text: str) -> list[int]:
        return [1 + byte for byte in text.encode()]


@pytest.fixture(scope="module")
def tokenizer() -> LLTokenizer:
    return LLTokenizer(TokenizerWrapper(Bytes()))


def random_string(choose: random.Random) -> str:
    return "".join(choose.choice(PIECES) for _ in range(choose.randrange(5)))


def random_value(choose: random.Random, depth: int = 0) -> Any:
    kind = choose.randrange(8 if depth < 3 else 6)
    if kind == 6:
        return [random_value(choose, depth + 1) for _ in range(choose.randrange(4))]
    if kind == 7:
        return {choose.choice(KEYS): random_value(choose, depth + 1) for _ in range(choose.randrange(4))}
    scalars = [None, choose.random() < 0.5, choose.randrange(-99, 99), choose.randrange(-400, 400) / 8]
    scalars += [choose.choice([10**17 + 1, -(2**63), 0.1 + 0.2, 1e-300, 1.5e20, -0.0, choose.random()])]
    return choose.choice([random_string(choose), random_string(choose), *scalars])


def random_schema(choose: random.Random, depth: int = 0) -> Any:
    """A schema whose values have a largest length, so that random answers end."""
    kind = choose.randrange(9 if depth < 2 else 6)
    if kind == 0:
        return {"const": random_value(choose)}
    if kind == 1:
        return {"enum": [random_string(choose), *(random_value(choose) for _ in range(choose.randrange(3)))]}
    if kind in (2, 3):
        return {"type": "string", "maxLength": choose.randrange(12)}
    if kind == 4:
        return choose.choice(
            [{"type": "integer", "minimum": -9, "maximum": 99}, {"type": ["boolean", "null"]}]
        )
    if kind == 5:
        return choose.choice([{"$ref": "#/$defs/text"}, {"$ref": "#/$defs/pair"}])
    if kind == 6:
        return {"anyOf": [random_schema(choose, depth + 1) for _ in range(1 + choose.randrange(3))]}
    if kind == 7:
        low = choose.randrange(2)
        return {
            "type": "array",
            "items": random_schema(choose, depth + 1),
            "minItems": low,
            "maxItems": low + 1,
        }
    return random_object(choose, depth + 1)


def random_object(choose: random.Random, depth: int) -> dict[str, Any]:
    names = choose.sample(KEYS, choose.randrange(4))
    return {
        "type": "object",
        "properties": {name: random_schema(choose, depth) for name in names},
        "required": [name for name in names if choose.random() < 0.7],
        "additionalProperties": False,
    }


def random_tool(choose: random.Random) -> Tool:
    definitions = {
        "text": {"type": "string", "maxLength": 9},
        "pair": {"type": "array", "items": {"$ref": "#/$defs/text"}, "minItems": 2, "maxItems": 2},
    }
    return Tool(name="f", parameters={**random_object(choose, 0), "$defs": definitions})


def random_call(
    tool_format: ToolFormat, tool: Tool, tokenizer: LLTokenizer, choose: random.Random
) -> str | None:
    """A whole answer with a forced call of a tool; None if the family has no way to write a name or value."""
    style = AnswerStyle(tool_format, None)
    try:
        grammar = write_answer_grammar(
            style, [tool], "required", False, None, "", {}, lambda grammars: None
        ).text
    except InvalidRequest as error:
        assert "no way to write" in str(error)
        return None
    matcher, answer = LLMatcher(tokenizer, grammar, log_level=0), b""
    assert not matcher.is_error(), matcher.get_error()
    while not matcher.is_stopped():
        mask = matcher.compute_bitmask()
        allowed = [i for i in range(tokenizer.vocab_size) if mask[i // 8] >> (i % 8) & 1]
        marks = [token for token in allowed if token > 256]
        token = choose.choice(marks if marks and choose.random() < 0.7 else allowed)
        assert matcher.consume_token(token), matcher.get_error()
        answer += b"" if token == Bytes.eos_token_id else TOKENS[token]
    assert not matcher.is_error(), matcher.get_error()
    return answer.decode()


@pytest.mark.timeout(0 if SCHEMAS > 1000 else 60)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_the_grammar_of_any_schema_allows_is_read_as_a_call_that_obeys_it(
    name: str, tokenizer: LLTokenizer
) -> None:
    tool_format = BY_NAME[name]
    for seed in range(SCHEMAS):
        choose = random.Random(seed)
        tool = random_tool(choose)
        answer = random_call(tool_format, tool, tokenizer, choose)
        if answer is None:
            continue
        rest, calls = split_events(read(tool_format, [answer], [tool]))
        assert rest.strip() == "" and len(calls) == 1, (seed, tool.parameters, answer, rest)
        assert isinstance(calls[0][1], dict), (seed, tool.parameters, answer, calls)
        try:
            jsonschema.validate(calls[0][1], tool.parameters)
        except jsonschema.ValidationError as error:
            raise AssertionError((seed, tool.parameters, answer, calls)) from error


@pytest.mark.timeout(0 if SCHEMAS > 1000 else 60)
@pytest.mark.parametrize("name", EXAMPLES)
def test_any_arguments_that_a_grammar_allows_are_read_as_they_are(name: str, tokenizer: LLTokenizer) -> None:
    """A schema of constants forces the grammar to write given values."""
    tool_format = BY_NAME[name]
    for seed in range(SCHEMAS):
        choose = random.Random(f"values {seed}")
        arguments = {choose.choice(KEYS): random_value(choose) for _ in range(choose.randrange(5))}
        properties = {key: {"const": value} for key, value in arguments.items()}
        schema = {"type": "object", "properties": properties, "required": list(arguments)}
        tool = Tool(name="f", parameters=schema)
        answer = random_call(tool_format, tool, tokenizer, choose)
        if answer is None:
            continue
        rest, calls = split_events(read(tool_format, [answer], [tool]))
        assert (rest.strip(), calls) == ("", [("f", arguments)]), (seed, arguments, answer)
