"""Long conversations: the oldest turns are left out, in few steps, and so that prefixes stay cached."""

import itertools
import random
import time
from collections.abc import Sequence

import pytest

from model_core import LLM, SamplingParams
from model_core.chat.template import MAX_CHARACTERS_PER_POSITION, ChatPrompt
from model_core.chat.truncation import fit_conversation, prompt_limit
from model_core.errors import PromptTooLong
from model_core.requests.messages import Message, ToolCall

SYSTEM = Message(role="system", content="Be brief.")


class Words:
    """Encodes conversations: a token a word, and four around each message. Counts what it encodes."""

    def __init__(self, max_context: int) -> None:
        self._max_characters = max_context * MAX_CHARACTERS_PER_POSITION
        self.calls = self.messages = 0

    def __call__(self, messages: Sequence[Message]) -> ChatPrompt:
        self.calls, self.messages = self.calls + 1, self.messages + len(messages)
        texts = [message.text for message in messages]
        if sum(map(len, texts)) > self._max_characters:
            raise PromptTooLong("too many characters")
        return ChatPrompt([0] * sum(len(text.split()) + 4 for text in texts), repr(messages))


def talk(count: int, words: int = 6) -> list[Message]:
    """A conversation of `count` messages, the first and the last from the user."""
    roles = ("user", "assistant")
    return [Message(role=roles[i % 2], content=f"{i} " + "word " * words) for i in range(count)]


def fit(messages: list[Message], max_context: int, max_tokens: int = 100) -> tuple[ChatPrompt, Words]:
    encode = Words(max_context)
    return fit_conversation(messages, encode, max_context, max_tokens), encode


def kept(messages: list[Message], prompt: ChatPrompt, head: int = 0) -> list[Message]:
    """The messages that the prompt has, according to its number of truncated ones."""
    left = [*messages[:head], *messages[head + prompt.truncated_messages :]]
    assert prompt.text == repr(left)
    return left


def test_conversation_that_fits_is_kept_and_encoded_once() -> None:
    for count in (1, 3, 17):
        prompt, encode = fit([SYSTEM, *talk(count)], 300)
        assert (prompt.truncated_messages, encode.calls) == (0, 1)


def test_room_for_the_answer_is_what_it_may_need_up_to_an_eighth() -> None:
    assert prompt_limit(800, 10) == 790
    assert prompt_limit(800, 5000) == 700
    messages = talk(17)  # 17 * 11 tokens
    assert fit(messages, 200, max_tokens=13)[0].truncated_messages == 0
    assert fit(messages, 200, max_tokens=14)[0].truncated_messages > 0


@pytest.mark.parametrize("count", [19, 101, 1001])
def test_oldest_turns_are_left_out(count: int) -> None:
    messages = [SYSTEM, *talk(count)]
    prompt, encode = fit(messages, 200, max_tokens=50)
    left = kept(messages, prompt, head=1)
    assert left[0] == SYSTEM and left[1].role == "user" and left[-1] == messages[-1]
    assert 200 - 50 - 75 < len(prompt.token_ids) <= 200 - 25
    assert encode.calls <= 5


def test_results_stay_with_their_calls() -> None:
    call = ToolCall(id="1", name="look", arguments="{}")
    turn = [
        Message(role="user", content="a " * 20),
        Message(role="assistant", tool_calls=[call]),
        Message(role="tool", content="b " * 10, tool_call_id="1"),
        Message(role="assistant", content="c " * 10),
    ]
    messages = [*(turn * 10), turn[0]]
    for max_context in range(120, 600, 7):
        left = kept(messages, fit(messages, max_context)[0])
        assert left[0].role == "user"


def test_system_messages_at_the_start_and_the_last_turn_stay() -> None:
    head = [SYSTEM, Message(role="developer", content="Be kind.")]
    last = [Message(role="user", content="x " * 50), Message(role="assistant", content="It")]
    middle = [*talk(40), Message(role="system", content="Now be quick.")]
    messages = [*head, *middle, *last]
    prompt, _ = fit(messages, 100)
    assert kept(messages, prompt, head=2) == [*head, *last]
    assert prompt.truncated_messages == 41


def test_last_turn_that_leaves_little_room_is_kept() -> None:
    messages = [*talk(10), Message(role="user", content="x " * 90)]
    prompt, _ = fit(messages, 100)
    assert (prompt.truncated_messages, len(prompt.token_ids)) == (10, 94)


def test_last_turn_with_too_many_characters_is_refused() -> None:
    with pytest.raises(PromptTooLong):
        fit([*talk(10), Message(role="user", content="x" * 4000)], 100)


def test_conversations_without_turns() -> None:
    assert fit([SYSTEM], 100)[0].truncated_messages == 0
    greeting = [Message(role="assistant", content="Hello " * 30), *talk(9)]
    prompt, _ = fit(greeting, 120)
    assert kept(greeting, prompt)[0].role == "user"


def test_start_of_the_prompt_stays_for_several_turns() -> None:
    """So the prefix cache has it: a conversation that grows seldom loses its start."""
    messages = talk(801)
    starts = [fit(messages[:count], 1000)[0].truncated_messages for count in range(1, 801, 2)]
    assert starts == sorted(starts)
    changes = sum(before != after for before, after in itertools.pairwise(starts))
    assert 0 < changes < len(starts) / 7


@pytest.mark.parametrize("seed", range(20))
def test_any_conversation_is_fitted_in_few_steps(seed: int) -> None:
    rng = random.Random(seed)
    words = ("a ", "word ", "a-very-long-word-of-many-letters-that-is-one-token ")
    messages: list[Message] = []
    for _ in range(rng.randrange(1, 400)):
        word = rng.choice(words)
        messages.append(Message(role="user", content=word * rng.randrange(30)))
        messages.append(Message(role="assistant", content=word * rng.randrange(60)))
    messages.append(Message(role="user", content="end"))
    max_context = rng.choice([64, 300, 2000])
    prompt, encode = fit(messages, max_context)
    kept(messages, prompt)
    assert len(prompt.token_ids) <= prompt_limit(max_context, 100)
    assert encode.calls <= 12


def test_ten_thousand_messages_take_a_moment() -> None:
    messages = talk(10_001)
    start = time.process_time()
    prompt, encode = fit(messages, 2000)
    assert time.process_time() - start < 2
    assert encode.calls <= 6 and encode.messages < 2000
    assert 1000 < len(prompt.token_ids) <= 1900


def test_long_chat_is_answered(llm: LLM) -> None:
    messages = [
        {"role": role, "content": f"Hello number {number}."}
        for number in range(2000)
        for role in ("user", "assistant")
    ]
    messages = [{"role": "system", "content": "Be brief."}, *messages, {"role": "user", "content": "Hello"}]
    params = SamplingParams(max_tokens=5, temperature=0)
    with pytest.raises(PromptTooLong, match="maximum context length"):
        llm.chat(messages, params)
    completion = llm.chat(messages, params, truncation="auto")
    left_out = completion.usage.truncated_messages
    assert 0 < left_out < 4000 and left_out % 2 == 0
    assert llm.chat([messages[0], *messages[1 + left_out :]], params).text == completion.text
    assert llm.chat(messages[-3:], params, truncation="auto").usage.truncated_messages == 0
    too_long = {"role": "user", "content": "Hello. " * 1500}
    with pytest.raises(PromptTooLong, match="maximum context length"):
        llm.chat([*messages, too_long], params, truncation="auto")
