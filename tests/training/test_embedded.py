"""The embedded model can do what its card says, with values that were not in its training."""

import re
from dataclasses import replace

import pytest
from support import RUNS_ALL
from tokenizers import Tokenizer

from model_core import LLM
from model_core.hub import embedded_model
from model_core.requests.messages import parse_messages
from training.dialogues import Message, dialogues
from training.evaluate import (
    KINDS,
    WRITING,
    examine,
    look_at_writing,
    sample_dialogues,
    vocabulary,
)
from training.tokenizer import encode_dialogue

# What the shipped weights reach where that is below a bar.
REACHED = {"small facts that a child knows": 0.83}


@pytest.fixture(scope="module")
def generated() -> list[list[Message]]:
    """Conversations as those of the training."""
    return sample_dialogues()


def encode_chat(llm: LLM, messages: list[Message]) -> list[int]:
    return llm.chat_tokenizer.encode_chat(parse_messages(messages) if messages else []).token_ids


def test_answers_are_as_wanted(llm: LLM, generated: list[list[Message]]) -> None:
    """One test, so that all conversations are had together, and once. A quarter of each kind, or all."""
    kinds = [kind if RUNS_ALL else replace(kind, cases=kind.cases[::4]) for kind in KINDS]
    marks = examine(llm, kinds)
    answers = [answer for kind in kinds for answer in marks[kind.name].answers]
    # They end by themselves and have no broken words.
    marks[WRITING.name] = look_at_writing(answers, vocabulary(generated))
    bars = {kind.name: min(kind.bar, REACHED.get(kind.name, 1)) for kind in (*KINDS, WRITING)}
    missed = {name: mark.failures for name, mark in marks.items() if mark.share < bars[name]}
    assert not missed, "\n".join(f"{name}:\n" + "\n".join(failures) for name, failures in missed.items())


def test_the_examination_asks_in_its_own_words(generated: list[list[Message]]) -> None:
    trained = {
        plain(message["content"])
        for messages in generated
        for message in messages
        if message["role"] == "user"
    }
    known = {
        kind.name: [
            turn for case in kind.cases for turn in case.turns[-len(case.wants) :] if plain(turn) in trained
        ]
        for kind in KINDS
    }
    assert not known["help with tritonchat"]
    # There are only so many short ways to ask for a name, or to say hello, and the usual ones come up most.
    assert sum(map(len, known.values())) < 0.10 * sum(len(kind.cases) for kind in KINDS), known


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in embedded_model().iterdir()) <= 12_000_000


def test_the_chat_template_writes_what_was_trained(llm: LLM, tokenizer: Tokenizer) -> None:
    head = encode_chat(llm, [])  # of the answer to come
    for messages in dialogues(seed=3, count=300):
        trained, _ = encode_dialogue(tokenizer, messages)
        assert encode_chat(llm, messages) == trained + head


@pytest.mark.parametrize(
    "said",
    [
        "MY NAME IS ANNA, WHAT'S YOURS?",
        "Who Wrote You, And When?",
        "OK",
        "My Name Is Zoë Öz",
        "\u00c4H, 12 + 5?",
    ],
)
def test_capitals_throughout_are_read_as_small_letters(llm: LLM, tokenizer: Tokenizer, said: str) -> None:
    for role in ("system", "user"):
        loud, quiet = ([{"role": role, "content": text}] for text in (said, said.lower()))
        head = encode_chat(llm, [])
        assert encode_chat(llm, loud) == encode_chat(llm, quiet) == encode_dialogue(tokenizer, loud)[0] + head


@pytest.mark.parametrize(
    "said",
    ["Anna Maria Ott", "Hello Tiny!", "I am ANNA from BERLIN", "12 + 5 = ?", "", " ", "What Is a KV"],
)
def test_other_capitals_stay(llm: LLM, tokenizer: Tokenizer, said: str) -> None:
    messages = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": "YOU ARE A Big Bad Wolf"},
    ]
    written = tokenizer.decode(encode_chat(llm, messages), skip_special_tokens=False)
    assert f"user\n {said}" in written and messages[1]["content"] in written
    assert encode_chat(llm, messages) == encode_dialogue(tokenizer, messages)[0] + encode_chat(llm, [])


def plain(text: str) -> str:
    """The words of a text in small letters, without punctuation."""
    return " ".join(re.sub(r"[^\w\s]", "", text.lower()).split())
