"""Grammars as llama.cpp and ai00 write them."""

import json
import re

import pytest
from llguidance import LLMatcher, LLTokenizer

from model_core.grammar.gbnf import EbnfError, convert_to_lark, is_ebnf

JSON = r"""
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::=
  "[" ws (
            value
    ("," ws value)*
  )? "]" ws
string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
"""
# grammar, texts that it accepts, texts that it does not
CASES = {
    "literals": (r'root ::= "a" "\"b\"" "\n\x41\u00e9\U0001f98a"', ['a"b"\nAé🦊'], ["a"]),
    "classes": (r"root ::= [a-c] [^a-c] [\]\-\\^] [-z]", ["bx^-", "ad]z", "aé\\-"], ["aa^-", "bx^a"]),
    "any character": ('root ::= . "."', ["a.", "\n.", "🦊."], [".", "ab"]),
    "repetitions": (
        'root ::= "a"? "b"* "c"+ "d"{2} "e"{1,2} "f"{1,} "g"{0,1}',
        ["cddef", "abccddeefffg"],
        ["ddef"],
    ),
    "alternatives": ('root ::= "a" | ("b" | "c") "d" |', ["a", "cd", ""], ["c"]),
    "rules": ("root ::= a b-c\na ::= b-c | [x]\nb-c ::= [yz]", ["xy", "yz"], ["x", "xx"]),
    "rule before its end": ('root ::= word "x"\nword ::= [a-z]*', ["x", "abcx", "xx"], ["abc"]),
    "recursion": ('root ::= "(" root ")" | inner\ninner ::= [0-9]+', ["7", "((12))"], ["(1", "()"]),
    "names that differ in case": (
        'root ::= aB a-b a_b\naB ::= "1"\na-b ::= "2"\na_b ::= "3"',
        ["123"],
        ["321"],
    ),
    "comments": ('# root ::= "x"\nroot ::= "a" # "b"\n  | "c#"\n(* root *)', ["a", "c#"], ["x", "b"]),
    "JSON": (JSON, ["{}", '{"a": [1, "x\\n", -2.5e1], "b":{"c":null}}'], ["{", '{"a"}', "[1,]"]),
    "KBNF": (
        "start ::= greeting ' ' #\"[A-Z][a-z]+\";\ngreeting ::= 'Hi' | \"Hello\";",
        ["Hi Tom"],
        ["Hi", "Hi tom"],
    ),
    "KBNF, quotes": (r"""start ::= 'it\'s ' "\"" #'\d+/\d' "\"";""", ['it\'s "12/3"'], ["it's 12/3"]),
    "KBNF, as short as possible": ('start ::= #e"(.|\\n)*\\n\\n" "end";', ["a\nb\n\nend"], ["a\n\nb\n\nend"]),
    "BNF": ("<start>::=<a>' '<a>\n<a>::=\"x\"|'y'", ["x y"], ["xy"]),
    "root before start": ('start ::= "a"\nroot ::= "b" start', ["ba"], ["a"]),
}


def accepts(lark: str, text: str) -> bool:
    matcher = LLMatcher(LLTokenizer("byte"), json.dumps({"grammars": [{"lark_grammar": lark}]}), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    data = list(text.encode())
    return matcher.try_consume_tokens(data) == len(data) and matcher.is_accepting()


@pytest.mark.parametrize("case", CASES)
def test_grammar_means_the_same_in_lark(case: str) -> None:
    grammar, right, wrong = CASES[case]
    assert is_ebnf(grammar)
    lark = convert_to_lark(grammar)
    assert [text for text in right if not accepts(lark, text)] == []
    assert [text for text in wrong if accepts(lark, text)] == []


def test_what_refers_to_no_recursive_rule_is_one_terminal() -> None:
    lark = convert_to_lark('root ::= "(" ws root ws ")" | word ws "!"\nword ::= [a-z]+\nws ::= " "*')
    rule = next(line for line in lark.splitlines() if line.startswith("r0_root"))
    assert len(re.findall(r"\bT\d+\b", rule)) == 3  # "(" ws, ws ")" and word ws "!"
    assert "WORD: (/[\\x{61}-\\x{7a}]/)+" in lark


def test_lark_is_no_ebnf() -> None:
    for grammar in (
        'start: "a" | b\nb: "::="',
        "%llguidance {}\nstart: /x ::= y/",
        "start: a // a ::= b\na: /b/",
    ):
        assert not is_ebnf(grammar)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ("root ::= a", "`a` is missing"),
        ('a ::= "b"', "no rule `root` or `start`"),
        ('root ::= "a"\nroot ::= "b"', "twice"),
        ('root ::= ("a"', "`its end`|its end"),
        ('root ::= "a" )', r"`\)`"),
        ('root ::= "a" %', "`%`"),
        ('root ::= "a" (* not closed', r"`\(\* not closed`"),
        ("root ::= [a-z" + "[" * 100_000, r"`\[a-z"),
        ("root ::= []", "empty class"),
        (r'root ::= "\ud800"', "no character"),
        (r'root ::= "\UFFFFFFFF"', "no character"),
        ('root ::= "a\n', '`"a'),
        ("root ::= " + "(" * 5000 + '"a"' + ")" * 5000, "nested"),
        ('root ::= "a"' + "*" * 5000, "nested"),
        ('root ::= "a"{1,' + " " * 100_000 + "x", r"`\{1,"),
        ('root ::= * "a"', r"`\*"),
    ],
)
def test_wrong_grammars_are_refused(grammar: str, message: str) -> None:
    with pytest.raises(EbnfError, match=message):
        convert_to_lark(grammar)
