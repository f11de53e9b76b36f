"""Comparisons without a browser: both sides are asked, votes are kept and counted."""

from collections import Counter
from collections.abc import Iterator

import pytest
from chat_page import turns_of
from in_process import Endpoints
from paths import ROOT
from reciter import GREETING, REASONING
from streamlit.testing.v1 import AppTest
from support import wait_until

from model_core.errors import ModelNotFound
from streamlit_client.compare.comparison import Comparison, Side, read_outcomes
from streamlit_client.compare.ratings import Outcome
from streamlit_client.compare.side_answers import NAMES_LATER, describe_nameless, describe_side
from streamlit_client.shared.conversation import Turn
from triton_server.client import ChatClient

LEFT = Side("embedded", changes={"temperature": 0.0})
RIGHT = Side("speaker", system="Be\n brief.", changes={"top_p": 0.5, "enable_thinking": False})


@pytest.fixture
def client(several: Endpoints) -> Iterator[ChatClient]:
    """A client of the server with several models."""
    with ChatClient(several.grpc_url) as connected:
        yield connected


def ended(comparison: Comparison) -> bool:
    return all(turn.finished.is_set() for turn in comparison.rounds[-1])


def test_name_has_what_differs_from_the_model():
    assert Side("a").name == "a"
    assert RIGHT.name == "speaker · enable thinking False · top p 0.5 · “Be brief.”"
    assert Side("a", system="word " * 20).name == f"a · “{'word ' * 8}…”"


def test_both_sides_answer_and_go_on(client: ChatClient):
    comparison = Comparison((LEFT, RIGHT), {"max_tokens": 20, "seed": 7})
    for question in ("Hello", "Who are you?"):
        comparison.ask(client, question, client.stats()["models"])
        wait_until(lambda: ended(comparison))
    left, right = comparison.rounds[-1]
    assert right.text == "Hello from the reciter."
    assert left.text not in ("", right.text)
    assert left.answer.details["model"] == "embedded"
    # The second request has the first round of its own side in its prompt.
    first, second = (pair[0].answer.usage["prompt_tokens"] for pair in comparison.rounds)
    assert second > 1.5 * first
    assert comparison.can_vote
    vote = comparison.describe_vote("right")
    assert (vote["winner"], vote["question"], vote["blind"]) == ("right", "Who are you?", False)
    assert vote["right"] == {
        "model": "speaker",
        "system": RIGHT.system,
        "parameters": {"max_tokens": 20, "seed": 7, "top_p": 0.5, "enable_thinking": False},
        "changes": {"top_p": 0.5, "enable_thinking": False},
        "seed": 7,
        "answer": right.text,
    }
    assert read_outcomes([vote], with_settings=True) == [Outcome(LEFT.name, RIGHT.name, 0.0)]
    assert read_outcomes([vote], with_settings=False) == [Outcome("embedded", "speaker", 0.0)]


def test_side_whose_model_has_gone_fails_alone(client: ChatClient):
    comparison = Comparison((LEFT, Side("gone")), {"max_tokens": 5, "seed": 7})
    comparison.ask(client, "Hello", client.stats()["models"])
    wait_until(lambda: ended(comparison))
    left, right = comparison.rounds[-1]
    assert left.text
    assert "gone" in str(right.error)
    assert not comparison.can_vote


def test_blind_sides_are_shuffled():
    left = {Comparison((LEFT, RIGHT), {}, is_blind=True).sides[0].name for _ in range(100)}
    assert left == {LEFT.name, RIGHT.name}
    assert not Comparison((LEFT, RIGHT), {}, is_blind=True).has_names
    assert Comparison((LEFT, RIGHT), {}).has_names


def test_hidden_names_are_told_by_nothing():
    turn = Turn("Who?", {"model": "secret"}, is_started=True, progress=0.5)
    assert describe_side(turn, has_names=True)["notes"] == ["loading secret, 50% …"]
    assert describe_side(turn, has_names=False)["notes"] == [describe_nameless(turn)] == ["loading …"]
    turn.progress, turn.text = None, "I."
    assert describe_side(turn, has_names=False)["notes"] == ["answering …"]
    turn.finished.set()
    assert describe_side(turn, has_names=False)["notes"] == [NAMES_LATER]
    assert describe_side(turn, has_names=True)["notes"] == ["cut off"]
    turn.error = ModelNotFound("gone.")
    shown = describe_side(turn, has_names=False)
    assert (shown["notes"], shown["error"], shown["text"]) == ([], "gone.", "I.")


def test_votes_of_another_form_do_not_count():
    side = {"model": "a", "system": "", "changes": {}}
    good = {"winner": "tie", "left": side, "right": {**side, "model": "b"}}
    bad = [{}, {**good, "winner": "nobody"}, {**good, "left": None}, {**good, "right": {"model": "b"}}]
    bad += [{**good, "winner": []}, {**good, "left": {**side, "changes": 3}}, {"winner": "tie", "left": 1}]
    assert read_outcomes([*bad, good], with_settings=True) == [Outcome("a", "b", 0.5)]


@pytest.fixture
def page(several: Endpoints, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page that compares, in front of several models."""
    monkeypatch.setenv("TRITONCHAT_SERVER", several.grpc_url)
    return AppTest.from_file(ROOT / "streamlit_client" / "compare" / "compare.py").run(timeout=60)


def buttons(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def press(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run(timeout=60)
    assert not page.exception


def test_blind_vote_is_kept_and_counted(page: AppTest, client: ChatClient):
    assert page.selectbox(key="Left model").value == "embedded"
    assert page.selectbox(key="Right model").value == "speaker"
    page.toggle[-1].set_value(True).run(timeout=60)
    page.chat_input[0].set_value("Hello").run(timeout=60)
    assert not page.exception
    headings = [text.value for text in page.markdown if text.value.startswith("**")]
    assert headings == ["**Left**", "**Right**"]
    (question,) = turns_of(page, "question-0")
    assert (question["question"]["text"], question["shows_answer"], question["notes"]) == ("Hello", False, [])
    sides = {side: turns_of(page, f"{side}-0")[0] for side in ("left", "right")}
    assert all(shown["notes"] == [NAMES_LATER] for shown in sides.values())
    assert all(shown["question"] is None and not shown["actions"] for shown in sides.values())
    winner = "left" if sides["left"]["text"] == GREETING else "right"
    assert sides[winner]["reasoning"] == REASONING
    before = len(client.conversations("").list_votes())
    press(page, f"{winner.capitalize()} is better")
    assert any(text.value == f"You voted: {winner} is better." for text in page.caption)
    headings = [text.value for text in page.markdown if text.value.startswith("**")]
    assert sorted(heading.split(" · ")[1] for heading in headings) == ["embedded", "speaker"]
    assert all("tokens in" in turns_of(page, f"{side}-0")[0]["notes"][0] for side in sides)
    votes = client.conversations("").list_votes()
    assert len(votes) == before + 1
    assert votes[-1][winner]["model"] == "speaker"
    assert votes[-1][winner]["answer"] == GREETING
    assert votes[-1]["blind"]

    press(page, "New comparison")
    assert page.toggle[-1].value  # the choice stays
    assert "Left is better" not in buttons(page)

    ranking = AppTest.from_file(ROOT / "streamlit_client" / "compare" / "votes.py").run(timeout=60)
    assert not ranking.exception
    (table,) = ranking.table
    won = {row["Competitor"].split(" · ")[0]: row["Won"] for row in table.value.to_dict("records")}
    decided = [vote for vote in votes if vote["winner"] in ("left", "right")]
    expected = Counter(vote[vote["winner"]]["model"] for vote in decided)
    assert won == {"speaker": expected["speaker"], "embedded": expected["embedded"]}
    assert expected["speaker"] > 0


def test_settings_of_a_side_are_changed(page: AppTest):
    page.selectbox(key="Right model").select("embedded").run(timeout=60)
    page.number_input(key="Right embedded temperature").set_value(1.0).run(timeout=60)
    page.text_area(key="Right embedded system").set_value("Be brief.").run(timeout=60)
    page.chat_input[0].set_value("Hello").run(timeout=60)
    assert not page.exception
    headings = [text.value for text in page.markdown if text.value.startswith("**")]
    assert "temperature" not in headings[0]
    assert "temperature 1\\.0" in headings[1] and "Be brief" in headings[1]
    comparison = page.session_state["comparison"]
    assert comparison.rounds[0][1].parameters["temperature"] == 1.0
    press(page, "New comparison")
    assert page.number_input(key="Right embedded temperature").value == 1.0
