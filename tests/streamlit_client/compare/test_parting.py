"""Where two answers part: by tokens, whatever pieces they come in, with the probabilities of both sides."""

import math
from typing import Any

import pytest
from in_process import Endpoints
from paths import ROOT
from streamlit.testing.v1 import AppTest
from support import wait_until

from streamlit_client.compare.comparison import Comparison, Side
from streamlit_client.compare.parting import describe_parting, find_first_difference, find_parting
from streamlit_client.compare.parting_view import BUTTON, describe_common, describe_mark, draw_parting
from triton_server.client import ChatClient

QUESTION = "Tell me a story about a fox, a lighthouse and a golden key."


def tokens(*pieces: str, probability: float = 0.5) -> list[dict[str, Any]]:
    return [{"token": piece, "logprob": math.log(probability)} for piece in pieces]


@pytest.mark.parametrize(
    ("left", "right", "places"),
    [
        (["a", " cat"], ["a", " dog"], (1, 1)),
        (["a", " the", " fox"], ["a", " them"], (1, 1)),  # not at " fox"
        (["un", "do", " it"], ["undo", " this"], (2, 1)),  # the same text in other pieces
        (["un", "do"], ["und", "o", "ing"], (2, 2)),
        (["a"], ["a", "b"], (1, 1)),
        (["ab"], ["a"], (0, 0)),
        (["x"], ["y"], (0, 0)),
        (["a", ""], ["a", "", "b"], (2, 2)),
    ],
)
def test_first_difference(left: list[str], right: list[str], places: tuple[int, int]) -> None:
    assert find_first_difference(tokens(*left), tokens(*right)) == places
    assert find_first_difference(tokens(*right), tokens(*left)) == places[::-1]


def test_characters_of_several_tokens() -> None:
    fox, cat = "🦊".encode(), "🐱".encode()
    shared = next(n for n in range(4) if fox[n] != cat[n])

    def split(data: bytes) -> list[dict[str, Any]]:
        pieces = [data[:shared], data[shared:]]
        return [{"token": "\ufffd", "bytes": list(piece), "logprob": -1.0} for piece in pieces]

    found = describe_parting(
        ("A 🦊!", "A 🐱!"), ((tokens("A ") + split(fox), tokens("A ") + split(cat)),) * 2
    )
    assert found.common == "A " and found.tokens == 2
    assert [mark.rest for mark in found.marks] == ["!", "!"]
    assert all("\ufffd" in mark.before + (mark.text or "") for mark in found.marks)


def test_other_tokenizers_and_ends_in_words() -> None:
    left = tokens("It is", " a", " cat", probability=0.25), tokens("It is", probability=0.5)
    right = tokens("It", " is", " a c", "at", probability=0.0001), tokens("It", " is")
    found = describe_parting(("It is a cat", "It is"), (left, right))
    assert (found.common, found.tokens) == ("It is", 1)
    assert [mark.text for mark in found.marks] == [" a", None]
    assert (
        describe_mark(found.marks[0])
        == "Probability: left 25%, right below 0.1% (of “␣a␣c”, as it reads the text)"
    )
    assert describe_mark(found.marks[1]) == ""
    assert describe_common(found).startswith("The first token is the same. Prob")
    drawn = draw_parting(found)
    assert [side["mark"] for side in drawn["sides"]] == ["␣a", "the end"]
    long = describe_parting(
        ("a" * 5000 + "b", "a" * 5000 + "c"), ((tokens("a" * 5000, "b"), tokens("a" * 5000, "c")),) * 2
    )
    assert len(draw_parting(long)["common"]) == 1001


def test_probabilities_are_those_of_both_sides(client: ChatClient) -> None:
    sides = Side("embedded", changes={"temperature": 0}), Side("embedded", "Be brief.", {"temperature": 1.5})
    comparison = Comparison(sides, {"max_tokens": 24, "seed": 3})
    comparison.ask(client, QUESTION, client.stats()["models"])
    wait_until(lambda: not comparison.is_running)
    left, right = (turn.text for turn in comparison.rounds[0])
    assert left != right
    found = find_parting(client, comparison.rounds, [side.system for side in sides])
    assert left.startswith(found.common) and right.startswith(found.common)
    for mark, text in zip(found.marks, (left, right), strict=True):
        assert text.startswith(found.common + mark.before + (mark.text or ""))
    # The left side takes the likeliest token: what it has computed itself says how likely.
    asked = [{"role": "user", "content": QUESTION}]
    answer = client.chat(asked, max_tokens=24, temperature=0, logprobs=1)
    told = answer.details["logprobs"][found.tokens]
    text, probability = found.marks[0].seen[0]
    assert (text, math.log(probability)) == (told["token"], pytest.approx(told["logprob"], abs=1e-5))
    other = found.marks[1].seen
    assert other[0] is not None and other[0][1] <= probability
    assert other[1] is not None and other[1] != other[0]  # under another system prompt


def test_page_shows_it_when_asked(several: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", several.grpc_url)
    page = AppTest.from_file(ROOT / "streamlit_client" / "compare" / "compare.py").run(timeout=60)
    page.chat_input[0].set_value("Hello").run(timeout=60)
    (button,) = [button for button in page.button if button.label == BUTTON]
    button.click().run(timeout=60)
    assert not page.exception and not page.error
    assert any("part at their first token" in caption.value for caption in page.caption)
    assert BUTTON not in [button.label for button in page.button]
    (found,) = page.session_state["comparison"].partings.values()
    assert found.common == ""

    next(button for button in page.button if button.label == "New comparison").click().run(timeout=60)
    page.selectbox(key="Right model").select("embedded").run(timeout=60)
    page.number_input[-1].set_value(5).run(timeout=60)
    page.toggle[-1].set_value(True).run(timeout=60)
    page.chat_input[0].set_value("Hello").run(timeout=60)
    same = "Both answers have the same text."
    assert same not in [caption.value for caption in page.caption]  # the names are hidden
    next(button for button in page.button if button.label == "Tie").click().run(timeout=60)
    assert same in [caption.value for caption in page.caption]
