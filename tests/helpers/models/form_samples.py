"""Forms of answers, and what tells whether a text has a form.

All are bounded, so that a model of random weights ends its answers: strings and lists have a largest length.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema
from llguidance import LLMatcher, LLTokenizer

from model_core.grammar.constraint import write_grammar
from model_core.requests.form import Form

_STRINGS: list[dict[str, Any]] = [
    {"type": "string", "maxLength": 8},
    {"type": "string", "minLength": 3, "maxLength": 3},
    {"type": "string", "minLength": 2, "maxLength": 12},
    {"type": "string", "pattern": "^[a-z]{2,5}$"},
    {"type": "string", "pattern": "^[A-Z][a-z]{1,6}( [A-Z][a-z]{1,6})?$"},
    {"type": "string", "pattern": "^(north|south|east|west)$"},
    {"type": "string", "pattern": "^[0-9]{3}-[0-9]{4}$"},
    {"type": "string", "pattern": r"^\$[0-9]{1,3}(\.[0-9]{2})?$"},
    {"type": "string", "pattern": "^[à-ÿ]{1,4}$"},
    {"type": "string", "pattern": "^[a-f]+$", "maxLength": 6},
    {"type": "string", "pattern": '^"[^"\\\\]{0,3}"$'},
    *(
        {"type": "string", "format": name, "maxLength": 60}
        for name in ("date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
    ),
    {"type": "string", "format": "uri", "maxLength": 40},
    {"enum": ["red", "green", "blue"]},
    {"type": "string", "enum": ["", "a", "ab", "abc"]},
    {"enum": ['say "hi"', "back\\slash", "line\nbreak", "tab\t", "é", "日本", "🦊"]},
    {"const": "a fixed text with a few words"},
]
_NUMBERS: list[dict[str, Any]] = [
    {"type": "integer"},
    {"type": "integer", "minimum": 0},
    {"type": "integer", "maximum": -5},
    {"type": "integer", "minimum": 1, "maximum": 6},
    {"type": "integer", "minimum": -128, "maximum": 127},
    {"type": "integer", "minimum": 1900, "maximum": 2100},
    {"type": "integer", "exclusiveMinimum": 9, "exclusiveMaximum": 12},
    {"type": "integer", "minimum": 0, "maximum": 1000, "multipleOf": 5},
    {"type": "integer", "multipleOf": 12},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "minimum": -40.5, "maximum": 56.7},
    {"type": "number", "minimum": 0.001},
    {"type": "number", "multipleOf": 0.25, "minimum": -2, "maximum": 2},
    {"type": "number", "exclusiveMinimum": -3, "maximum": 3, "multipleOf": 0.5},
    {"type": "number"},
    {"enum": [1, 2.5, -3, 1000]},
    {"const": 42},
]
_OTHERS: list[dict[str, Any]] = [
    {"type": "null"},
    {"type": "boolean"},
    {"const": None},
    {"const": {"a": [1, "x", None], "b": {"c": True}}},
    {"enum": [None, True, 1, "one", [1], {"one": 1}]},
    {"type": ["integer", "null"]},
    {"type": ["string", "boolean"], "maxLength": 3},
]
_LEAVES = [*_STRINGS, *_NUMBERS, *_OTHERS]


def _object(properties: dict[str, Any], *optional: str, **keywords: Any) -> dict[str, Any]:
    """The schema of an object, by default without additional properties."""
    required = [name for name in properties if name not in optional]
    open_or_closed = {"additionalProperties": keywords.pop("additionalProperties", False)}
    return {"type": "object", "properties": properties, "required": required, **open_or_closed, **keywords}


_DIGIT = {"type": "integer", "minimum": 0, "maximum": 9}
_WORD = {"type": "string", "pattern": "^[a-z]{1,4}$"}
_SHORT = {"type": "string", "maxLength": 6}
_KEYWORDS: list[Any] = [
    # arrays
    {"type": "array", "items": _DIGIT, "maxItems": 5},
    {"type": "array", "items": _WORD, "minItems": 2, "maxItems": 2},
    {"type": "array", "items": {"type": "array", "items": _DIGIT, "maxItems": 2}, "maxItems": 3},
    {"type": "array", "prefixItems": [_DIGIT, _WORD], "items": False},
    {"type": "array", "prefixItems": [_DIGIT, _WORD], "items": False, "minItems": 2},
    {"type": "array", "prefixItems": [{"const": "row"}], "items": _DIGIT, "minItems": 3, "maxItems": 4},
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array",
        "items": [_DIGIT, _WORD],
        "additionalItems": False,
    },
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array",
        "items": [_WORD],
        "additionalItems": _DIGIT,
        "maxItems": 3,
    },
    {"type": "array", "maxItems": 0},
    {"items": {"type": "boolean"}, "type": "array", "minItems": 1, "maxItems": 3},
    # objects
    _object({}),
    _object({"a": _DIGIT, "b": _WORD}),
    _object({"a": _DIGIT, "b": _WORD}, "b"),
    _object({"a": _DIGIT, "b": _WORD, "c": _SHORT}, "a", "b", "c"),
    _object({"a": _DIGIT, "b": _WORD}, minProperties=2),
    _object({"a": _DIGIT}, maxProperties=1),
    _object({"with space": _DIGIT, 'with "quotes"': _WORD, "ключ": _SHORT, "": _DIGIT}),
    _object({"a": _object({"b": _object({"c": _DIGIT})})}),
    _object({"a": _DIGIT}, additionalProperties={"type": "boolean"}, maxProperties=2),
    {"type": "object", "additionalProperties": _DIGIT, "maxProperties": 3},
    {"type": "object", "additionalProperties": _WORD, "minProperties": 1, "maxProperties": 2},
    {
        "type": "object",
        "patternProperties": {"^k[0-9]$": _DIGIT},
        "additionalProperties": False,
        "maxProperties": 2,
    },
    {
        "type": "object",
        "patternProperties": {"^a": _DIGIT, "^b": _WORD},
        "additionalProperties": False,
        "maxProperties": 2,
    },
    _object({"id": _DIGIT}, patternProperties={"^x-[a-z]{1,3}$": _WORD}, maxProperties=2),
    {
        "type": "object",
        "required": ["later"],
        "additionalProperties": _WORD,
        "maxProperties": 2,
    },
    _object({f"a_long_name_of_field_{i}": _DIGIT for i in range(12)}),
    _object({f"field_{i}": _WORD for i in range(8)}, *(f"field_{i}" for i in range(0, 8, 2))),
    # combinations
    {"anyOf": [_DIGIT, _WORD, {"type": "null"}]},
    {"anyOf": [_object({"cat": _DIGIT}), _object({"dog": _WORD})]},
    {"anyOf": [_object({"a": _DIGIT, "b": _DIGIT}), _object({"a": _DIGIT, "c": _WORD})]},
    {
        "oneOf": [
            _object({"kind": {"const": "circle"}, "radius": _DIGIT}),
            _object({"kind": {"const": "square"}, "side": _DIGIT}),
        ]
    },
    {"oneOf": [{"type": "integer", "minimum": 5, "maximum": 99}, {"type": "string", "maxLength": 4}]},
    {"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 20}]},
    {"allOf": [{"type": "string", "minLength": 2}, {"maxLength": 4}]},
    {
        "type": "object",
        "allOf": [
            {"properties": {"a": _DIGIT}, "required": ["a"]},
            {"properties": {"b": _WORD}, "required": ["b"]},
        ],
        "maxProperties": 2,
        "additionalProperties": True,
    },
    {"type": "array", "maxItems": 3, "items": {"anyOf": [_DIGIT, _object({"n": _DIGIT})]}},
    {"anyOf": [{"type": "integer"}, {"type": "string"}], "maxLength": 3, "minimum": 0, "maximum": 50},
    {
        "properties": {"a": _DIGIT},
        "required": ["a"],
        "type": "object",
        "anyOf": [
            {"required": ["b"], "properties": {"b": _WORD}},
            {"required": ["c"], "properties": {"c": _SHORT}},
        ],
        "maxProperties": 2,
    },
    # references
    {"$defs": {"digit": _DIGIT}, "type": "array", "items": {"$ref": "#/$defs/digit"}, "maxItems": 3},
    {
        "definitions": {"name": _WORD},
        **_object({"from": {"$ref": "#/definitions/name"}, "to": {"$ref": "#/definitions/name"}}),
    },
    {
        "$defs": {
            "tree": _object(
                {
                    "value": _DIGIT,
                    "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 1},
                },
                "children",
            )
        },
        "$ref": "#/$defs/tree",
    },
    {
        "$defs": {
            "list": _object({"head": _DIGIT, "tail": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "null"}]}})
        },
        "$ref": "#/$defs/list",
    },
    {"$defs": {"d": {"$anchor": "digit", **_DIGIT}}, **_object({"x": {"$ref": "#digit"}})},
    {
        "$id": "https://example.com/point",
        "$defs": {"c": _DIGIT},
        **_object({"x": {"$ref": "#/$defs/c"}, "y": {"$ref": "https://example.com/point#/$defs/c"}}),
    },
    {"$ref": "#/$defs/big", "$defs": {"big": {"type": "integer"}}, "minimum": 10, "maximum": 30},
    {
        "title": "T",
        "description": "d",
        "default": 3,
        "examples": [1],
        "readOnly": True,
        "$comment": "c",
        **_DIGIT,
    },
    # records as programs write them
    _object(
        {
            "name": {"type": "string", "minLength": 1, "maxLength": 12},
            "age": {"type": "integer", "minimum": 0, "maximum": 130},
            "email": {"type": "string", "format": "email", "maxLength": 30},
            "tags": {"type": "array", "items": {"enum": ["new", "old", "vip"]}, "maxItems": 3},
        }
    ),
    _object(
        {
            "invoice": _object(
                {
                    "number": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{4}$"},
                    "lines": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 2,
                        "items": _object(
                            {"item": _WORD, "price": {"type": "number", "minimum": 0, "maximum": 99}}
                        ),
                    },
                    "paid": {"type": "boolean"},
                }
            )
        }
    ),
    _object(
        {"action": {"enum": ["move", "wait"]}, "target": _object({"x": _DIGIT, "y": _DIGIT}, "y")}, "target"
    ),
    _object(
        {
            "steps": {
                "type": "array",
                "maxItems": 2,
                "items": _object({"text": _SHORT, "done": {"type": "boolean"}}),
            },
            "answer": {"type": ["string", "null"], "maxLength": 5},
        }
    ),
]

_REGEXES = [
    "[a-z]+",
    "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "(yes|no)",
    "a{3,5}",
    "x*",
    "(ab|cd){2,3}",
    "[A-Z]{2}[0-9]{3,6}",
    "-?[0-9]{1,5}",
    "0x[0-9a-f]{1,8}",
    "#[0-9A-F]{6}",
    "(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    r"\([0-9]{3}\) [0-9]{3}-[0-9]{4}",
    "[^a-zA-Z0-9]{1,4}",
    "[à-ÿœ]{1,6}",
    "[一-龠]{1,3}",
    "é{1,3}ü?",
    "(🦊|🐻){1,3}",
    ".{0,6}",
    "(?s:.{1,4})",
    "[ -~]{1,10}",
    "(red|green|blue)(, (red|green|blue)){0,2}",
    "[01]+b",
    "(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?",
    "<b>[a-z ]{1,8}</b>",
    '"[^"]{0,5}"',
    "'[a-z]'",
    "(a|b|c|d|e|f|g|h)(1|2|3|4|5|6|7|8)",
    "((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\\.){3}(25[0-5]|1?[0-9]?[0-9])",
    "[a-z]{1,5}@[a-z]{1,5}\\.(com|org)",
    "(?i:hello|bye)",
    "([A-Z][a-z]{1,4} ){0,2}[A-Z][a-z]{1,4}\\.",
    "line1\nline2( and more)?",
    "\t[a-z]{2}\t",
    "[+*/-]{1,3}",
    "[a-c]?[d-f]?[g-i]?",
    "(one|two|three) (cats|dogs)",
    "q(w(e(r(t(y)?)?)?)?)?",
    "abc|abd|acd",
    "[0-9]{1,3}%",
    "(((a)))",
]
_CHOICES = [
    ["yes", "no"],
    ["positive", "negative", "neutral"],
    ["a", "ab", "abc"],
    ["1", "10", "100", "2"],
    ["", "something"],
    ["true"],
    ['with "quotes"', "with \\ backslash"],
    ["line\nbreak", "tab\there"],
    ["日本", "中国", "한국"],
    ["🦊", "🐻", "🦊🐻"],
    [" leading", "trailing "],
    ["<|im_end|>", "<s>"],
    [f"option {i}" for i in range(50)],
    ["A", "B", "C", "D"],
    ["New York", "New Orleans", "Newark"],
    ["é", "e", "è"],
    ["{}", "[]"],
    ["a" * 40, "a" * 41],
    ["x | y", "start: z"],
    ["#", "//", "/*"],
]
_LARKS = [
    'start: "hello " NAME\nNAME: /[a-z]{1,6}/',
    'start: "(" start ")" | /[0-9]/',
    'start: item ("," item){0,3}\nitem: /[a-z]{1,3}/',
    'start: sum\nsum: term (("+" | "-") term){0,2}\nterm: ATOM (("*" | "/") ATOM)?\nATOM: /[0-9]{1,2}/',
    'start: "a"{2,4} "b"?',
    'start: WORD (" " WORD)~0..2 "."\nWORD: /[a-z]{1,5}/',
    'start: %json {"type": "object", "properties": {"n": {"type": "null"}}, "additionalProperties": false}',
    'start: "<answer>" /[^<]{1,8}/ "</answer>"',
    "start: TEXT\nTEXT: /[ab]{1,6}/ & ~/.*bb.*/",
    '%llguidance {}\nstart: yes | no\nyes: "yes" ("!" | "?")\nno: "no"',
    'start: head body\nhead: "# " /[A-Z][a-z]{1,5}/ "\\n"\nbody: line{1,2}\nline: "- " /[a-z]{1,5}/ "\\n"',
    'start: pair+\npair: KEY "=" VALUE ";"\nKEY: /[a-z]/\nVALUE: /[0-9]/',
    'start: "if " COND " then " STEP (" else " STEP)?\nCOND: /[a-z]{1,3}/\nSTEP: /[A-Z]{1,3}/',
    'start: a | b\na: "x" b?\nb: "y" a?',
    'start: "SELECT " NAME (", " NAME){0,2} " FROM " TABLE ";"\nNAME: /[a-z]{1,4}/\nTABLE: /[A-Z]{1,4}/',
    '%import common.INT\nstart: "no. " INT ";"',
    'start: move " " move\nmove: /[NBRQK]?[a-h][1-8]/',
    'start: "[" (NUMBER ("," NUMBER){0,3})? "]"\nNUMBER: /[0-9]{1,2}/',
    'start: greeting | farewell\ngreeting: "hi" | "hello"\nfarewell: "bye"',
    'start: /[a-z]{1,4}/ "=" /[a-z]{1,4}/\n%ignore / {1,3}/',
    'start: quoted\nquoted: "\\"" /[^"\\\\\\n]{0,6}/ "\\""',
    "start: key number\nnumber: /[0-9]{1,2}/\nkey[lazy]: /[a-z]{1,5}:/",
    'start: thought "|" /[a-z]{1,4}/\nthought: /[^|]{1,6}/',
    'start: "0" | "1" | "2" | "3" | "4"',
    'start: ("ab" | "ac" | "b"){1,3} "!"',
]
_GBNFS = [
    'root ::= "yes" | "no"',
    "root ::= [a-z]{1,8}",
    'root ::= word (" " word){0,2} "."\nword ::= [a-z]{1,5}',
    'root ::= "(" root ")" | [0-9]',
    'root ::= expr\nexpr ::= term ([-+*/] term){0,2}\nterm ::= [0-9]{1,2} | "(" term ")"',
    'root ::= "1. " move " " move "\\n"\nmove ::= (pawn | piece) [+#]?\npawn ::= ([a-h] "x")? [a-h] [1-8]\n'
    "piece ::= [NBKQR] [a-h] [1-8]",
    'root ::= ("- " item "\\n"){1,3}\nitem ::= [^\\n]{1,6}',
    '# a comment\nroot ::= "a" | # another\n  "b"',
    'root ::= "{" ws "\\"n\\"" ws ":" ws number ws "}"\nnumber ::= [0-9]{1,3}\nws ::= " "?',
    'root ::= greeting name\ngreeting ::= "Dear " | "Hi "\nname ::= [A-Z] [a-z]{1,5}',
    'root ::= "\\u00e9\\x41" [\\u0430-\\u044f]{1,3}',
    "root ::= [^0-9a-zA-Z]{1,3}",
    'root ::= "\\"" [^"\\\\]{0,5} "\\""',
    'root ::= a? b* c+ "."\na ::= "a"\nb ::= "b"\nc ::= "c"',
    'root ::= camelCase under_score kebab-case\ncamelCase ::= "1"\nunder_score ::= "2"\nkebab-case ::= "3"',
    'root ::= item+ "end"\nitem ::= "x" | "y"',
    'root ::= "```" [a-z]{1,4} "\\n" code "```"\ncode ::= [a-z =0-9]{1,8} "\\n"',
    'root ::= "\\\\" [\\[\\]]{1,2} [-a] [a^]',
    "start ::= greeting ' ' #\"[A-Z][a-z]{1,4}\";\ngreeting ::= 'Hello' | \"Bye\";",
    "start ::= #e\"[a-z]{1,6}:\" ' ' digits;\ndigits ::= #'[0-9]{1,3}';",
    "<start>::=<noun>' '<verb>\n<noun>::='cats'|'dogs'\n<verb>::='run'|'sleep'",
    "root ::= [.]{1,3} [a-c.]",
    'root ::= pair ("," pair)?\npair ::= key "=" value\nkey ::= [a-z]{1,3}\nvalue ::= [0-9] | "[" pair "]"',
    'root ::= . . "!"',
    'root ::= ("ab" | "ac" ("d" | "e")){2}',
]


@dataclass(frozen=True)
class Sample:
    """A form with a name."""

    name: str
    form: Form

    def accepts(self, text: str) -> bool:
        """Whether a whole answer has the form."""
        name, value = self.form.source
        if name == "json_schema":
            try:
                jsonschema.validate(
                    json.loads(text), value, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
                )
            except (jsonschema.ValidationError, json.JSONDecodeError):
                return False
            return True
        if name == "regex":
            return re.fullmatch(value, text) is not None
        if name == "choice":
            return text in value
        matcher = _match(self.form, text)
        return matcher is not None and matcher.is_accepting()

    def accepts_start(self, text: str) -> bool:
        """Whether a text is the start of an answer of this form."""
        return _match(self.form, text) is not None


def _match(form: Form, text: str) -> LLMatcher | None:
    """A matcher of bytes that has accepted the text; None if it does not."""
    matcher = LLMatcher(byte_tokenizer(), write_grammar(form).text, log_level=0)
    data = list(text.encode())
    return matcher if matcher.try_consume_tokens(data) == len(data) else None


@cache
def byte_tokenizer() -> LLTokenizer:
    return LLTokenizer("byte")


def all_samples() -> list[Sample]:
    """300 forms."""
    schemas = [
        *_LEAVES,
        *_KEYWORDS,
        *(_object({"a": leaf, "last": _DIGIT}) for leaf in _LEAVES),
        *({"type": "array", "items": leaf, "maxItems": 2} for leaf in _LEAVES),
    ]
    groups: dict[str, list[Any]] = {
        "json_schema": schemas[: 300 - sum(map(len, (_REGEXES, _CHOICES, _LARKS, _GBNFS)))],
        "regex": _REGEXES,
        "choice": _CHOICES,
        "grammar": [*_LARKS, *_GBNFS],
    }
    return [
        Sample(f"{name}-{number}", Form(**{name: source}))
        for name, sources in groups.items()
        for number, source in enumerate(sources)
    ]
