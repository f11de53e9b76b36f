"""The texts and prompts of the page, without a browser: prompts, figures and error descriptions."""

from functools import partial

import pytest
from conftest import ROOT, Server
from reciter import ARGUMENTS, GREETING, REASONING
from streamlit.testing.v1 import AppTest

from model_core.errors import QueueFull, TritonchatError
from streamlit_client.conversation import (
    Turn,
    build_prompt,
    describe_error,
    describe_progress,
    describe_truncation,
    format_statistics,
)
from streamlit_client.markdown import sanitize
from triton_server.client import Answer, ChatClient


def answered_turn(question: str, text: str) -> Turn:
    return Turn(question, text=text)


def ended_turn(reason: str, out: int = 11, **state: bool) -> Turn:
    details = {
        "finish_reason": reason,
        "usage": {"prompt_tokens": 7, "completion_tokens": out, "cached_tokens": 0, "truncated_messages": 0},
        "timings": {"queue": 0.0, "first_token": 0.25, "total": 1.25},
        "seed": 3,
    }
    return Turn("?", parameters={"max_tokens": 11}, answer=Answer("", details), **state)


def test_chat_prompt_omits_unanswered_questions_turn():
    turns = [answered_turn("a", "b"), answered_turn("lost", ""), Turn("c")]
    user, assistant = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
    question = {"role": "user", "content": "c"}
    assert build_prompt(turns, " ", is_chat_model=True) == [user, assistant, question]
    system, *_ = build_prompt(turns, "Be brief. ", is_chat_model=True)
    assert system == {"role": "system", "content": "Be brief."}


def test_chat_prompt_has_the_reasoning_of_answers():
    turn = Turn("a", text="b", reasoning="c")
    _, answer, _ = build_prompt([turn, Turn("d", reasoning="cut"), Turn("e")], "", is_chat_model=True)
    assert answer == {"role": "assistant", "content": "b", "reasoning": "c"}


def test_tool_call_is_shown_as_code(reciter: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITONCHAT_SERVER", reciter.grpc_url)
    turn = Turn("How is the weather?")
    with ChatClient(reciter.grpc_url) as client:
        parameters = {"tools": [{"name": "get_weather"}], "max_tokens": 50}
        turn.start(client, partial(build_prompt, [turn], ""), parameters, client.stats()["models"][0])
        assert turn.wait(60)
    assert (turn.text, turn.error, describe_progress(turn)) == ("", None, "answering …")
    page = AppTest.from_file(ROOT / "streamlit_client" / "page.py")
    page.session_state["turns"] = [turn]
    page.run(timeout=60)
    assert not page.exception
    assert [code.value for code in page.code] == [f"get_weather {ARGUMENTS}"]
    assert page.chat_message[1].caption[0].value.endswith("complete")


@pytest.fixture
def page(several: Server, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page in front of several models."""
    monkeypatch.setenv("TRITONCHAT_SERVER", several.grpc_url)
    return AppTest.from_file(ROOT / "streamlit_client" / "page.py").run(timeout=60)


def test_model_is_chosen_in_the_sidebar(page: AppTest):
    choice = page.selectbox(key="model_name")
    assert (choice.value, choice.options) == ("embedded", ["embedded", "speaker", "broken"])
    assert page.slider[0].value == 0.3  # the embedded model recommends no sampling
    choice.select("speaker").run(timeout=60)
    assert "**speaker**" in page.caption[0].value
    page.chat_input[0].set_value("Hello").run(timeout=60)
    assert not page.exception
    assert [text.value for text in page.chat_message[1].markdown] == [sanitize(REASONING), sanitize(GREETING)]
    assert page.chat_message[1].caption[0].value.startswith("speaker · ")
    page.selectbox(key="model_name").select("embedded").run(timeout=60)
    page.chat_input[0].set_value("Who are you?").run(timeout=60)
    assert page.chat_message[3].caption[0].value.startswith("embedded · ")
    turn = page.session_state["turns"][1]
    assert turn.answer.details["model"] == "embedded"


def test_failed_model_says_why(page: AppTest):
    page.selectbox(key="model_name").select("broken").run(timeout=60)
    assert page.caption[0].value.startswith("failed · **broken** · ")
    page.chat_input[0].set_value("Hello").run(timeout=60)
    assert not page.exception
    (error,) = page.chat_message[1].error
    assert "could not be loaded" in error.value and "broken" in error.value


def test_prompt_without_chat_template_is_the_question():
    assert build_prompt([answered_turn("a", "b"), Turn("Once")], "Be brief.", is_chat_model=False) == "Once"


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (ended_turn("stop"), "complete"),
        (ended_turn("stop", is_stopped=True), "complete"),
        (ended_turn("length"), "cut at max tokens"),
        (ended_turn("length", out=10), "cut: the context is full"),
        (ended_turn("cancelled", is_stopped=True), "stopped by you"),
        (ended_turn("cancelled"), "cut off"),
    ],
)
def test_figures_say_why_an_answer_ended(turn: Turn, words: str):
    assert format_statistics(turn).split(" · ")[-2:] == ["seed 3", words]


def test_answer_that_was_stopped_before_it_began_has_no_figures():
    assert format_statistics(Turn("?", is_stopped=True)) == "stopped by you"


def test_figures():
    text = format_statistics(ended_turn("stop"))
    assert text.startswith("10 tokens/s · first token after 250 ms · 7 tokens in, 11 out")


def test_messages_that_were_left_out_are_counted():
    turn = ended_turn("stop")
    assert describe_truncation(turn) == describe_truncation(Turn("?")) == ""
    turn.answer.usage["truncated_messages"] = 4
    assert describe_truncation(turn).startswith("The first 4 messages were left out")


def test_error_description_includes_the_servers_message():
    assert describe_error(TritonchatError("it broke.")) == r"It broke\."
    text = describe_error(QueueFull("full; see `--max-queue`."))
    assert text.startswith("The server is busy") and r"Full\; see \`\-\-max\-queue\`\." in text
