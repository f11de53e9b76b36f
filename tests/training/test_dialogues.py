"""The generated text: the same for the same seed, well formed, and free of the names held out for testing."""

import re
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer

from training.dialogues import dialogues, stories
from training.names import HELD_OUT, NAMES, draw_name
from training.skills import SKILLS
from training.talk import Exchange, Talk, expand, render
from training.tokenizer import encode_dialogue

EMBEDDED = Path(__file__).parents[2] / "model_core" / "embedded"
SAMPLE = list(dialogues(seed=7, count=2000))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(EMBEDDED / "tokenizer.json"))


def test_a_seed_fixes_the_text() -> None:
    assert list(dialogues(7, 50)) == SAMPLE[:50]
    assert list(dialogues(8, 50)) != SAMPLE[:50]
    assert list(stories(7, 5)) == list(stories(7, 5))


def test_roles_alternate_after_an_optional_system_message() -> None:
    for messages in SAMPLE:
        roles = [message["role"] for message in messages]
        turns = roles[1:] if roles[0] == "system" else roles
        assert turns == ["user", "assistant"] * (len(turns) // 2) and turns
        assert all(message["content"].strip() for message in messages)


def test_no_template_is_left_open() -> None:
    for text in chain((m["content"] for messages in SAMPLE for m in messages), stories(7, 100)):
        assert not re.search(r"[{}|~]", text), text


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.__name__)
def test_every_skill_gives_exchanges_that_render(skill) -> None:
    rng = Random(3)
    for _ in range(300):
        for exchange in skill(rng, Talk(name=rng.choice((None, "Ada")))):
            ask, answer = render(rng, exchange)
            assert ask and answer.isprintable()


def test_the_name_asked_for_is_the_one_told_last() -> None:
    recalled = 0
    for messages in SAMPLE:
        text = ""
        for message in messages:
            found = re.search(r"Your name is (.+)\.", message["content"])
            if message["role"] == "assistant" and found:
                assert found[1].lower() in text.lower()
                recalled += 1
            text += message["content"] + "\n"
    assert recalled > 1000


def test_names_are_drawn_widely() -> None:
    rng = Random(1)
    drawn = [draw_name(rng) for _ in range(5000)]
    assert len(NAMES) > 600 and len(set(NAMES)) == len(NAMES)
    assert len(set(drawn)) > 2500


def test_held_out_names_never_appear() -> None:
    held_out = {name.lower() for name in HELD_OUT}
    texts = chain((m["content"] for messages in SAMPLE for m in messages), stories(7, 500))
    words = {word for text in texts for word in re.findall(r"\w+", text.lower())}
    assert len(held_out) >= 50
    assert not held_out & words
    assert not held_out & {name.lower() for name in NAMES}


def test_expand_takes_one_alternative_of_each_choice() -> None:
    seen = {expand(Random(seed), "(a|b (c|d)|) e") for seed in range(50)}
    assert seen == {"a e", "b c e", "b d e", "e"}


def test_careless_typing_never_touches_the_name_or_the_answer() -> None:
    exchange = Exchange("please note that my name is {name}.", "Your name is {name}.", {"name": "Ottilie"})
    asks = set()
    for seed in range(200):
        ask, answer = render(Random(seed), exchange)
        assert "ottilie" in ask.lower() and answer == "Your name is Ottilie."
        asks.add(ask)
    assert len(asks) > 50


TEXTS = "", "Hello, Zelda!", " two  spaces \n\ttabs", "naïve Ωμέγα 漢字 🦙\u200d🚀", "\x00\x7f"


@pytest.mark.parametrize("text", TEXTS)
def test_the_shipped_tokenizer_round_trips(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_the_shipped_tokenizer_round_trips_random_unicode(tokenizer: Tokenizer) -> None:
    rng = Random(5)
    for _ in range(200):
        codes = (rng.choice((rng.randrange(0xD800), rng.randrange(0xE000, 0x110000))) for _ in range(40))
        text = "".join(map(chr, codes))
        assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_the_model_learns_its_own_words_and_where_to_end(tokenizer: Tokenizer) -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi, Ada!"}]
    tokens, produced = encode_dialogue(tokenizer, messages)
    own = [token for token, mine in zip(tokens, produced, strict=True) if mine]
    assert tokenizer.decode(own, skip_special_tokens=False) == "Hi, Ada!<|im_end|>"
    assert tokenizer.decode(tokens, skip_special_tokens=False) == (
        "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nHi, Ada!<|im_end|>\n"
    )
