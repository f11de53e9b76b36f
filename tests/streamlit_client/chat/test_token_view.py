"""The tokens under an answer: their probabilities, their alternatives, and branches from these."""

import math
from typing import Any

import pytest
from chat_page import ChatPage
from in_process import Endpoints
from reciter import GREETING, REASONING

from model_core.errors import InvalidRequest
from streamlit_client.chat.answer_tokens import make_prompt
from streamlit_client.chat.state import Chat
from streamlit_client.chat.token_view import (
    ALTERNATIVES,
    branch_text,
    describe_token,
    describe_tokens,
    draw_tokens,
)
from streamlit_client.shared.conversation import Turn
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations

STORY = "Tell me a story about a fox, a lighthouse and a golden key."


def token(text: str, probability: float, rank: int = 1, *others: tuple[str, float]) -> dict[str, Any]:
    top = [
        {"token": other, "token_id": number, "logprob": math.log(p)}
        for number, (other, p) in enumerate(others)
    ]
    return {
        "token": text,
        "token_id": 99,
        "logprob": math.log(probability),
        "rank": rank,
        "top_logprobs": top,
    }


def test_tokens_in_words():
    tokens = [token(" a", 0.5), token("<b>", 0.25, 3)]
    assert describe_tokens(tokens).startswith("2 tokens, 1 of them the likeliest in their place, 1.5 bits")
    assert describe_token(tokens[1]) == "“\\<b\\>”, 25%, number 3 of all"
    assert describe_token(token("\n", 0.0001, 40)) == "“⏎”, below 0.1%, number 40 of all"


def test_tokens_are_drawn_with_surprise_and_time():
    tokens = [token("Hel", 1.0), token("lo", 0.25, 2, (" you", 0.5)), token("\n", 1e-9, 900)]
    drawn = draw_tokens(tokens, [(3, 0.5), (5, 0.75)])
    assert [one["surprise"] for one in drawn] == [0.0, 0.25, 1.0]
    assert drawn[0]["words"] == "Hel: 100%, the likeliest; after 0.50 s"
    assert drawn[1]["words"] == "lo: 25%, number 2; else ␣you 50%; after 0.75 s"
    assert drawn[2] == {"shown": "⏎\n", "words": "⏎: below 0.1%, number 900", "surprise": 1.0}


def test_branch_is_the_text_before_a_token_and_the_other_one():
    fox = "🦊".encode()
    tokens = [token("A ", 0.5), {**token("\ufffd", 0.5), "bytes": list(fox[:2])}, token("x", 0.5)]
    assert branch_text(tokens, 0, token("B", 0.1)) == "B"
    assert branch_text(tokens, 1, token("cat", 0.1)) == "A cat"
    assert branch_text(tokens, 1, tokens[1]) is None  # half of a fox
    assert branch_text(tokens, 2, {**token("\ufffd", 0.1), "bytes": list(fox[2:])}) == "A 🦊"


@pytest.fixture
def page(conversations: Conversations) -> ChatPage:
    """A new tab, whose answers are short and the likeliest."""
    return ChatPage().change("number_input", "Max tokens", 16).change("number_input", "Temperature", 0.0)


def look(page: ChatPage, number: int) -> list[dict[str, Any]]:
    """Look at the tokens of a turn's answer."""
    page.act(number, "tokens")
    return page.app.session_state["token_view"][f"turn-{number}"][1]


def test_kept_answer_has_the_probabilities_of_its_request(page: ChatPage, client: ChatClient):
    page.ask("Hello, who are you?").ask(STORY)
    tokens = look(ChatPage(page.id), 2)
    first = page.app.session_state["chat"].turns[0]
    messages = [
        {"role": "user", "content": first.question},
        {"role": "assistant", "content": first.text},
        {"role": "user", "content": STORY},
    ]
    made = client.chat(messages, max_tokens=16, temperature=0, logprobs=ALTERNATIVES).details["logprobs"]
    assert [one["token_id"] for one in tokens] == [one["token_id"] for one in made]
    assert all(one["rank"] == 1 for one in tokens)
    for one, other in zip(tokens, made, strict=True):
        assert one["logprob"] == pytest.approx(other["logprob"], abs=1e-5)
        assert [alternative["token_id"] for alternative in one["top_logprobs"]] == [
            alternative["token_id"] for alternative in other["top_logprobs"]
        ]


def test_alternative_becomes_a_branch_that_goes_on(
    page: ChatPage, client: ChatClient, conversations: Conversations
):
    page.ask(STORY)
    tokens = look(page, 1)
    assert page.app.session_state["chat"].arrivals[1]  # the times are known in this session
    place = next(n for n, one in enumerate(tokens) if n > 2 and "bytes" not in one["top_logprobs"][1])
    other = tokens[place]["top_logprobs"][1]
    page.app.session_state["turn-1-token"] = place
    page.run()
    page.app.button(key=f"turn-1-{place}-{other['token_id']}").click()
    page.run()
    begin = "".join(one["token"] for one in tokens[:place]) + other["token"]
    turns = conversations.get(page.id).turns
    assert [turn.parent for turn in turns] == [None, None]
    assert turns[1].answer.startswith(begin) and len(turns[1].answer) > len(begin)
    assert page.branches == ["2 of 2"]
    question = {"role": "user", "content": STORY}
    rest = client.chat(
        [question, {"role": "assistant", "content": begin}],
        max_tokens=16,
        temperature=0,
        continue_final_message=True,
    )
    assert turns[1].answer == begin + rest.text
    page.act(2, "tokens").click("Hide the tokens")
    assert not page.has_button("Hide the tokens")


def test_end_of_the_answer_is_no_text(page: ChatPage, conversations: Conversations):
    page.change("number_input", "Max tokens", 100).ask("Hello, who are you?")
    tokens = look(page, 1)
    ends = [
        (number, other)
        for number, one in enumerate(tokens)
        for other in one["top_logprobs"]
        if other["token"].startswith("<|")
    ]
    assert ends
    number, end = ends[-1]
    page.app.session_state["turn-1-token"] = number
    page.run()
    page.app.button(key=f"turn-1-{number}-{end['token_id']}").click()
    page.run()
    assert any("sign of the model" in info.value for info in page.app.info)
    assert len(conversations.get(page.id).turns) == 1


def test_reasoning_comes_before_the_tokens_of_the_text(reciter: Endpoints):
    turn = Turn("Hello", text=GREETING, reasoning=REASONING)
    prompt, fields = make_prompt(Chat(), turn)
    with ChatClient(reciter.grpc_url) as client:
        (choice,) = client.choose(prompt, [turn.text], logprobs=ALTERNATIVES, **fields)
        assert client.tokenize(prompt, **fields)["text"].endswith(f"{REASONING}</think>")
    assert "".join(one["token"] for one in choice["tokens"]) == GREETING


def test_model_that_continues_texts_has_tokens(client: ChatClient):
    turn = Turn("Once upon a time", text=", there was", is_continuation=True, parameters={"tools": []})
    prompt, fields = make_prompt(Chat(), turn)
    assert (prompt, fields) == ("Once upon a time", {})
    (choice,) = client.choose(prompt, [turn.text], logprobs=2, **fields)
    assert [len(one["top_logprobs"]) for one in choice["tokens"]] == [2] * len(choice["tokens"])


def test_text_that_was_never_said_says_why(client: ChatClient):
    with pytest.raises(InvalidRequest, match="context length"):
        client.choose("a", ["word " * 2000], logprobs=ALTERNATIVES)
