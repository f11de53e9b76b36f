"""The texts and prompts of the page, without a browser: prompts, figures and error descriptions."""

import pytest

from model_core.errors import QueueFull, TritonchatError
from model_core.requests.messages import ToolCall
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import (
    describe_context,
    describe_error,
    describe_truncation,
    format_statistics,
)
from streamlit_client.shared.prompts import build_prompt
from triton_server.client.chat_client import Answer
from triton_server.conversations.tree import Attachment


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


def test_chat_prompt_has_calls_of_tools_with_their_results():
    calls = [ToolCall(id="1", name="f", arguments="{}"), ToolCall(id="2", name="g", arguments="{}")]
    turn = Turn("a", tool_calls=calls, results={"1": "five"})
    _, answer, result, question = build_prompt([turn, Turn(""), Turn("b")], "", is_chat_model=True)
    assert answer == {"role": "assistant", "tool_calls": [calls[0].model_dump()]}
    assert result == {"role": "tool", "tool_call_id": "1", "content": "five"}
    assert question == {"role": "user", "content": "b"}
    assert build_prompt([turn, Turn("")], "", is_chat_model=True)[-1] == result


def test_prompt_for_the_rest_of_an_answer_ends_with_it():
    *_, answer = build_prompt([Turn("a", text="b")], "", is_chat_model=True)
    assert answer == {"role": "assistant", "content": "b"}
    assert build_prompt([Turn("Once", text=" upon")], "", is_chat_model=False) == "Once upon"


def test_prompt_has_the_files_of_questions():
    turn = Turn("Why?", attachments=[Attachment("a.txt", "text")])
    (question,) = build_prompt([turn], "", is_chat_model=True)
    assert question["content"] == '<file name="a.txt">\ntext\n</file>\n\nWhy?'


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
    assert describe_error(TritonchatError("a.txt is empty.")) == r"a\.txt is empty\."
    text = describe_error(QueueFull("full; see `--max-queue`."))
    assert text.startswith("The server is busy") and r"Full\; see \`\-\-max\-queue\`\." in text


def test_context_is_as_full_as_the_last_answer_has_left_it():
    assert describe_context(None, 100) == (0.0, "0 of 100 tokens of context")
    turn = ended_turn("stop", out=43)
    assert describe_context(turn, 100) == (0.5, "50 of 100 tokens of context")
    turn.answer.usage["truncated_messages"] = 4
    assert describe_context(turn, 40) == (1.0, "50 of 40 tokens of context, without the first 4 messages")
