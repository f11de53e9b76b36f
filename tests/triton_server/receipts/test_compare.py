"""What a receipt may not say, though its signature is right: whoever has the key can sign anything."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from model_core.machine.fingerprint import make_fingerprint
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Done, Timings, ToolCallDelta, Usage
from model_core.requests.results import Completion
from triton_server.receipts.canonical import parse_strictly, to_canonical
from triton_server.receipts.compare import Verdict, compare
from triton_server.receipts.keys import load_key
from triton_server.receipts.receipt import Facts, make_receipt

TIMINGS = Timings(0.0, 0.0, 0.0)
MADE_OF = {"semantics": 1, "defaults": {"top_p": 1.0, "temperature": 0.5}, "files": ["a"]}
FINGERPRINT = make_fingerprint(MADE_OF)
CALLS = {
    0: ToolCallDelta(0, "call_1", "look", '{"at": "here"}'),
    1: ToolCallDelta(1, "call_2", "gö", '{"a": "\u20ac\\n"}'),
}
AGAIN = AnswerParts(
    "Hello there",
    "Hm, so",
    calls=CALLS,
    token_ids=[7, 8, 9],
    prompt_token_ids=[5, 6],
    end=Done("stop", Usage(2, 3), TIMINGS, 1),
)


def sign(
    folder: Path, parts: AnswerParts, ids: list[int], reason: Any, facts: dict[str, Any] | None = None
) -> dict[str, Any]:
    completion = Completion(parts.text, ids, reason, Usage(2, len(ids)), TIMINGS, 1)
    content = {"messages": "a"}
    each = Facts("m", FINGERPRINT, MADE_OF, content, "0" * 64, [5, 6], completion, parts)
    return make_receipt(replace(each, **facts or {}), load_key(folder), None)


def check(receipt: dict[str, Any]) -> Verdict:
    return compare(receipt, AGAIN, FINGERPRINT, MADE_OF)


def test_the_same_answer_is_equal(tmp_path: Path) -> None:
    verdict = check(sign(tmp_path, AGAIN, [7, 8, 9], "stop"))
    assert verdict.equal and not verdict.is_cut_off


@pytest.mark.parametrize(
    ("text", "reasoning", "calls", "ids"),
    [
        ("", "", {}, []),
        ("Hello", "", {}, [7]),
        ("Hello there", "Hm", {}, [7, 8]),
        ("Hello there", "Hm, so", {0: CALLS[0]}, [7, 8, 9]),
        ("", "Hm, so", {0: replace(CALLS[0], arguments="")}, [7, 8]),
        ("", "", {0: CALLS[0], 1: replace(CALLS[1], arguments='{"a": "\u20ac')}, [7, 8]),
        ("Hello there", "Hm, so", CALLS, [7, 8, 9]),
    ],
)
def test_answers_that_were_cut_off_are_equal_as_far_as_they_came(
    tmp_path: Path, text: str, reasoning: str, calls: dict[int, ToolCallDelta], ids: list[int]
) -> None:
    verdict = check(sign(tmp_path, AnswerParts(text, reasoning, calls=calls), ids, "cancelled"))
    assert verdict.equal and verdict.is_cut_off and "as far as it came" in verdict.message


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        (AnswerParts("I confess"), "text"),
        (AnswerParts("Hello there!"), "text"),
        (AnswerParts("", "Aha"), "reasoning"),
        (AnswerParts(calls={0: replace(CALLS[0], name="pay")}), "calls of tools"),
        (AnswerParts(calls={0: CALLS[1]}), "calls of tools"),
        (AnswerParts(calls={0: replace(CALLS[0], arguments="{"), 1: CALLS[1]}), "calls of tools"),
    ],
)
@pytest.mark.parametrize("ids", [[], [7, 8]])
def test_other_texts_of_answers_that_were_cut_off_are_found(
    tmp_path: Path, parts: AnswerParts, named: str, ids: list[int]
) -> None:
    verdict = check(sign(tmp_path, parts, ids, "cancelled"))
    assert not verdict.equal and f"but not the {named}" in verdict.message


def test_counts_that_are_wrong_are_found(tmp_path: Path) -> None:
    for part in ("answer", "prompt"):
        receipt = sign(tmp_path, AGAIN, [7, 8, 9], "stop")
        receipt[part] = {**receipt[part], "tokens": 4000}
        verdict = check(receipt)
        assert not verdict.equal and "counts other tokens" in verdict.message
    longer = sign(tmp_path, AnswerParts("Hello"), [7, 8, 9], "cancelled")
    longer["answer"] = {**longer["answer"], "tokens": 4}
    assert not check(longer).equal


def test_fingerprint_of_another_model_is_found(tmp_path: Path) -> None:
    for told in ({"made_of": {**MADE_OF, "files": ["b"]}}, {"fingerprint": "fp_other"}):
        verdict = check(sign(tmp_path, AGAIN, [7, 8, 9], "stop", told))
        assert not verdict.equal and "its fingerprint is not of what it is made of" in verdict.message


def test_fingerprint_is_the_same_after_canonical_form(tmp_path: Path) -> None:
    """Logs have 1.0 as 1."""
    receipt = parse_strictly(to_canonical(sign(tmp_path, AGAIN, [7, 8, 9], "stop")))
    assert check(receipt).equal
