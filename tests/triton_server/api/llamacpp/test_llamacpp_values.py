"""What llama.cpp's fields mean: samplers and their order, and limits of an answer's text."""

from typing import Any

import pytest

from model_core.errors import TritonchatError
from triton_server.api.errors import ApiError
from triton_server.api.llamacpp.limits import LimitedText, Limits
from triton_server.api.llamacpp.prompts import read_biases, read_prompts
from triton_server.api.llamacpp.render import select_fields
from triton_server.api.llamacpp.samplers import ORDER, apply_samplers, check_last_n, read_samplers

WARM = {"temperature": 0.8, "top_k": 40, "top_p": 0.9, "min_p": 0.1}
LLAMA_CPP = ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"]


@pytest.mark.parametrize(
    ("samplers", "fields", "expected"),
    [
        (["top_k", "top_p", "infill"], WARM, {"temperature": 1.0, "top_k": 40, "top_p": 0.9, "min_p": 0.0}),
        ([], WARM, {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}),
        (
            ["temperature"],
            WARM | {"repetition_penalty": 1.2},
            {"temperature": 0.8, "repetition_penalty": 1.0},
        ),
        (list(ORDER), WARM, WARM),
        # Where it does not matter, the order may be another one.
        (["top_k", "temperature"], WARM, {"temperature": 0.8, "top_k": 40, "top_p": 1.0}),
        (LLAMA_CPP, {"temperature": 0.0, "top_k": 40, "top_p": 0.9}, {"temperature": 0.0}),
        (LLAMA_CPP, {"temperature": 1.0, "top_p": 0.9}, {"temperature": 1.0, "top_p": 0.9}),
        (LLAMA_CPP, {"temperature": 0.5, "top_k": 3, "top_p": 1, "min_p": 0}, {"top_k": 3}),
        (["min_p", "top_k"], {**WARM, "mirostat": 2}, {**WARM, "mirostat": 2}),
    ],
)
def test_only_the_samplers_that_are_named_are_used(
    samplers: list[str], fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    names = read_samplers(samplers)
    assert names is not None
    changed = apply_samplers(names, fields, {})
    assert {name: changed[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("samplers", "fields", "defaults"),
    [
        (LLAMA_CPP, WARM, {}),
        (LLAMA_CPP, {"temperature": 0.5}, {"top_p": 0.9}),
        (["top_p", "top_k"], WARM, {}),
        (
            ["top_k", "penalties", "temperature"],
            {"temperature": 0.0, "top_k": 4, "presence_penalty": 1.0},
            {},
        ),
        (["typ_p", "temperature"], {"temperature": 0.0, "typical_p": 0.5}, {}),
    ],
)
def test_another_order_is_refused_where_it_matters(
    samplers: list[str], fields: dict[str, Any], defaults: dict[str, Any]
) -> None:
    with pytest.raises(ApiError, match="but the order is penalties, dry, temperature, ") as raised:
        apply_samplers(samplers, fields, defaults)
    assert raised.value.param == "samplers"


def test_letters_of_samplers() -> None:
    assert read_samplers("edskypmxt") == LLAMA_CPP
    assert read_samplers(["typical_p"]) == ["typ_p"]
    for wrong in ("kk", "q", ["top_k", "top_k"], ["mirostat"]):
        with pytest.raises(TritonchatError):
            read_samplers(wrong)


def test_last_tokens_matter_with_penalties_alone() -> None:
    check_last_n(64, {"repetition_penalty": 1.0}, {})
    check_last_n(-1, {"repetition_penalty": 1.5}, {})
    check_last_n(None, {"presence_penalty": 1.5}, {})
    for fields, defaults in (
        ({"repetition_penalty": 1.5}, {}),
        ({"frequency_penalty": 0.1}, {}),
        ({}, {"repetition_penalty": 1.1}),
    ):
        with pytest.raises(ApiError):
            check_last_n(64, fields, defaults)


TEXT = "if a:\n    b\n\tc\n      d\n  e\nf"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("indent", "kept"),
    [(0, TEXT), (1, "if a:\n    b\n\tc\n      d\n  e\n"), (2, "if a:\n    b\n\t"), (5, "if a:\n    ")],
)
def test_text_ends_at_the_first_line_with_too_little_space(size: int, indent: int, kept: str) -> None:
    """However it is cut into pieces."""
    text = LimitedText(Limits(indent))
    pieces = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    assert "".join(map(text.push, pieces)) == kept
    assert text.was_cut == text.has_ended == (kept != TEXT)


def test_empty_lines_have_too_little_space() -> None:
    text = LimitedText(Limits(2))
    assert [text.push(piece) for piece in ("a\n", "\n", "  b")] == ["a\n", "", ""]
    assert LimitedText(Limits(2)).push("a\n") == "a\n"


def test_time_ends_a_text_that_has_a_line_end() -> None:
    now = [0.0]
    text = LimitedText(Limits(seconds=1.0), lambda: now[0])
    for moment, piece, has_ended in ((5.0, "a", False), (9.0, "b", False), (9.5, "c\n", True)):
        now[0] = moment
        assert text.push(piece) == piece and text.has_ended == has_ended
    assert text.push("d") == "" and not text.was_cut
    now[0], quick = 0.0, LimitedText(Limits(seconds=1.0), lambda: now[0])
    assert quick.push("a\n") and not quick.has_ended


def test_prompts_and_biases_are_read() -> None:
    assert read_prompts("a") == ["a"] and read_prompts([1, "a"]) == [[1, "a"]]
    assert read_prompts(["a", [1, "b"], {"prompt_string": "c"}]) == ["a", [1, "b"], "c"]
    assert read_biases({"5": 1, "x": False, "-5": 2}) == [(5, 1.0), ("x", -100.0), (-5, 2.0)]
    assert read_biases([[5, -1.5], ["7", 2]]) == [(5, -1.5), ("7", 2.0)]
    for wrong in (None, 1, [1], [[1]], [[None, 1]], [[1, None]], [[True, 1]], {"1": "x"}):
        with pytest.raises(TritonchatError):
            read_biases(wrong)


def test_fields_are_selected_by_their_paths() -> None:
    body = {"a": {"b": {"c": None}}, "d": 1}
    assert select_fields(body, []) is body
    assert select_fields(body, ["a/b/c", "d", "d/x", "", "a/", "a/x/c"]) == {"a/b/c": None, "d": 1}
