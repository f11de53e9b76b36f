"""The generated text: the same for the same seed, well formed, and free of what is held out for testing."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import chain
from pkgutil import walk_packages
from random import Random

import pytest
from tokenizers import Tokenizer

import training.skills
from training import values
from training.dialogues import converse, dialogues, plan, stories
from training.english import plural
from training.names import draw_name
from training.phrases import read
from training.prompts import ask_name, system_prompt
from training.skills import SKILLS
from training.skills.kinds import HOME, KINDS, NAME, PET, SHARES
from training.skills.memory import (
    ask_everything,
    change_fact,
    check,
    known_facts,
    mix_up,
    recall,
    remember,
    tell,
)
from training.skills.smalltalk import AGAIN
from training.skills.stories.tables import HEROES, OBJECTS, PLACES
from training.talk import Exchange, Fact, Pool, Talk, expand, first_sentence, render
from training.tokenizer import encode_dialogue

SAMPLE = list(dialogues(seed=7, count=2000))


@cache
def texts() -> tuple[str, ...]:
    """All messages of the sample, and stories, but for conversations with rubbish in them."""
    sensible = ([m["content"] for m in messages] for messages in SAMPLE)
    puzzled = first_sentence(AGAIN)
    usual = chain(*(some for some in sensible if puzzled not in map(first_sentence, some)))
    return *usual, *stories(7, 500)


@cache
def plain_text() -> str:
    """All messages and stories as one text, see `plain`."""
    return plain("\n".join(texts()))


def pools() -> dict[str, Pool]:
    """Every table with held-out values in the generator."""
    names = [module.name for module in walk_packages(training.skills.__path__, "training.skills.")]
    modules = [values, *map(import_module, names)]
    return {f"{m.__name__}.{name}": v for m in modules for name, v in vars(m).items() if isinstance(v, Pool)}


def plain(text: str) -> str:
    """The words of a text in lower case, one space around each."""
    return " " + " ".join(re.findall(r"[^\W_]+", text.lower())) + " "


def test_a_seed_fixes_the_text() -> None:
    assert list(dialogues(7, 50)) == SAMPLE[:50]
    assert list(dialogues(8, 50)) != SAMPLE[:50]
    assert list(stories(7, 5)) == list(stories(7, 5))


def test_roles_alternate_after_an_optional_system_message() -> None:
    for messages in SAMPLE:
        roles = [message["role"] for message in messages]
        turns = messages[1:] if roles[0] == "system" else messages
        assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2)
        assert turns and all(turn["content"].strip() for turn in turns)


def test_conversations_are_short_and_long() -> None:
    lengths = {sum(message["role"] == "user" for message in messages) for messages in SAMPLE}
    assert min(lengths) == 1 and max(lengths) >= 12


def test_no_template_is_left_open() -> None:
    for text in texts():
        assert not re.search(r"[{}|~]|(?<=\S)  +(?=\S)", text), text


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.__name__)
def test_every_skill_gives_exchanges_that_render(skill) -> None:
    rng = Random(3)
    for _ in range(300):
        for exchange in skill(rng, Talk(name=rng.choice((None, "Ada")))):
            ask, answer = render(rng, exchange)
            assert ask.strip() and answer.replace("\n", " ").isprintable()
            assert answer == answer.strip()


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.__name__)
def test_short_answers_are_short(skill) -> None:
    rng = Random(4)
    for _ in range(300):
        talk = Talk(brief=True)
        for message in converse(rng, [skill], talk)[1::2]:
            assert len(re.findall(r"[A-Za-z]{2}\S*", message["content"])) <= 25, message


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.__name__)
def test_an_assistant_with_another_name_is_never_tiny(skill) -> None:
    rng = Random(5)
    for _ in range(300):
        for message in converse(rng, [skill], Talk(assistant="Ottokar")):
            assert not re.search(r"\bTiny\b", message["content"]), message


def test_a_system_prompt_says_what_it_asks_for() -> None:
    rng, named, short, with_facts = Random(6), 0, 0, 0
    for _ in range(2000):
        talk = Talk()
        prompt = system_prompt(rng, talk).lower()
        assert not talk.assistant or talk.assistant.lower() in prompt
        assert all(fact.slots["value"].lower() in prompt for fact in known_facts(talk))
        named += bool(talk.assistant)
        short += talk.brief
        with_facts += bool(known_facts(talk))
    assert 500 < named < 900 and 500 < short < 900 and with_facts > 250


def test_the_name_of_the_assistant_is_tiny_or_that_of_the_system_prompt() -> None:
    for name in "Tiny", "Ottokar":
        talk = Talk(assistant=None if name == "Tiny" else name)
        for seed in range(20):
            assert re.search(rf"\b(is|am) {name}[.,]", converse(Random(seed), [ask_name], talk)[1]["content"])


def test_what_is_known_was_said_before() -> None:
    rng = Random(7)
    for _ in range(1500):
        talk = Talk()
        text = system_prompt(rng, talk) if rng.random() < 0.35 else ""
        for skill in plan(rng, talk):
            text += "\n".join(message["content"] for message in converse(rng, [skill], talk)[::2]) + "\n"
            for fact in known_facts(talk):
                assert fact.slots["value"].lower() in text.lower(), (fact.clause, text)


def test_an_answer_about_the_person_was_said_before() -> None:
    recalled = 0
    claim = re.compile(
        r"^(?:Your name is|You live in|You come from|Your [^.]+ is called|Your favourite \w+ is) ([^.?!]+)\.$"
    )
    for messages in SAMPLE:
        text = ""
        for message in messages:
            found = claim.search(message["content"])
            if message["role"] == "assistant" and found and " and " not in message["content"]:
                assert found[1].lower() in text.lower(), message
                recalled += 1
            text += message["content"] + "\n"
    assert recalled > 500


@pytest.mark.parametrize("kind", [NAME, *SHARES], ids=lambda kind: kind.key)
def test_a_fact_is_recalled_as_it_was_told_last(kind) -> None:
    rng = Random(8)
    for _ in range(60):
        talk = Talk()
        remember(talk, Fact(kind, kind.draw(rng)))
        if rng.random() < 0.5:
            old = known_facts(talk)[0]
            ask, answer = render(rng, change_fact(rng, talk, old), talk)
            assert (
                known_facts(talk)[0].key == old.key
                and known_facts(talk)[0].slots["value"] != old.slots["value"]
            )
            assert known_facts(talk)[0].slots["value"].lower() in ask.lower()
            assert known_facts(talk)[0].slots["value"] in answer
        fact = known_facts(talk)[0]
        answers = [render(rng, exchange, talk)[1] for exchange in recall(rng, talk)]
        assert fact.slots["value"] in answers[0] or "not told me" in answers[0]
        assert check(rng, fact).answer.endswith(f", {fact.clause}.")
        if kind is not NAME:
            assert fact.kind.unknown.format(**fact.slots).startswith("You have not told me")


def test_everything_known_is_listed_in_the_order_told() -> None:
    talk = Talk()
    for kind, value in ((HOME, "Ulm"), (NAME, "Ada")):
        remember(talk, Fact(kind, {"value": value}))
    remember(talk, Fact(PET, {"who": "cat", "a_who": "a cat", "value": "Mog"}))
    answer = ask_everything(Random(1), talk)[0]
    assert answer.answer == "Your name is Ada. You live in Ulm. Your cat is called Mog."
    assert answer.brief == "Your name is Ada, you live in Ulm and your cat is called Mog."


def test_others_are_not_taken_for_the_person() -> None:
    rng = Random(9)
    for _ in range(300):
        asked = mix_up(rng, Talk())[1]
        assert "not told me" in asked.answer
        talk = Talk(name="Ada")
        fact = (mix_up(rng, talk), known_facts(talk))[1][1]
        assert fact.slots["value"] != talk.name == "Ada"


def test_facts_are_drawn_widely() -> None:
    rng = Random(1)
    drawn = [draw_name(rng) for _ in range(5000)]
    assert len(read("names").names) > 600 and len(set(read("names").names)) == len(read("names").names)
    assert len(set(drawn)) > 2500
    for draw in (values.draw_colour, values.draw_town, values.draw_food, values.draw_job, values.draw_hobby):
        assert len({draw(rng) for _ in range(1000)}) > 350


def test_held_out_names_never_appear() -> None:
    held_out = {name.lower() for name in read("names").held_out}
    words = set(plain_text().split())
    assert len(held_out) >= 50
    assert not held_out & words
    assert not held_out & {name.lower() for name in read("names").names}


@pytest.mark.parametrize("name", pools())
def test_held_out_values_never_appear(name: str) -> None:
    text, pool = plain_text(), pools()[name]
    assert pool.held_out and not set(pool.held_out) & set(pool.values)
    assert not [value for value in pool.held_out if plain(value) in text]


def test_nouns_that_are_held_out_of_stories_never_appear_anywhere() -> None:
    heads = {value.split()[-1].lower() for pool in (HEROES, PLACES, OBJECTS) for value in pool.held_out}
    rng = Random(10)
    texts = [system_prompt(rng, Talk()) for _ in range(2000)]
    texts += [value for kind in SHARES for _ in range(100) for value in kind.draw(rng).values()]
    for skill in (*SKILLS,) * 200:
        for exchange in skill(rng, Talk()):
            # Before slips of the hand, which make a moth of a month.
            texts += [expand(rng, exchange.ask), exchange.answer, *exchange.slots.values()]
    assert not {*heads, *map(plural, heads)} & set("".join(map(plain, texts)).split())


def test_expand_takes_one_alternative_of_each_choice() -> None:
    seen = {expand(Random(seed), "(a|b (c|d)|) e") for seed in range(50)}
    assert seen == {"a e", "b c e", "b d e", "e"}


def test_the_first_sentence_ends_at_its_mark() -> None:
    assert first_sentence("It is 1.5 GB. No more.") == "It is 1.5 GB."
    assert first_sentence('He said, "Hi!" Then he left.') == 'He said, "Hi!"'
    assert first_sentence("Start it with --model ./my-model") == "Start it with --model ./my-model"


def test_careless_typing_never_touches_the_name_or_the_answer() -> None:
    exchange = Exchange("please note that my name is {name}.", "Your name is {name}.", {"name": "Ottilie"})
    asks = set()
    for seed in range(200):
        ask, answer = render(Random(seed), exchange)
        assert "Ottilie" in ask and answer == "Your name is Ottilie."
        asks.add(ask)
    assert len(asks) > 50
    assert any(ask.replace("Ottilie", "").islower() for ask in asks)


def test_a_slip_in_a_noun_that_everybody_knows_is_not_repeated() -> None:
    def rendered(who: str) -> set[tuple[str, str]]:
        exchange = Exchange("My {who} is called Ottilie", "Your {who}!", {"who": who})
        pairs = (render(Random(seed), exchange) for seed in range(300))
        return {(re.sub(r"\W", "", ask).lower(), answer) for ask, answer in pairs}

    known = rendered("little sister")
    assert {answer for _, answer in known} == {"Your little sister!"}
    assert any("littlesister" not in ask for ask, _ in known)
    assert all("brugnel" in ask for ask, _ in rendered("brugnel"))


def test_a_day_may_be_mistyped_and_a_value_to_remember_is_not() -> None:
    exchange = Exchange("What comes after {x}?", "After {x} comes Sunday.", {"x": "Saturday"})
    pairs = [render(Random(seed), exchange) for seed in range(100)]
    assert any("saturday" not in ask.lower() for ask, _ in pairs)
    assert {answer for _, answer in pairs} == {"After Saturday comes Sunday."}
    statement = Exchange("I live in {value}.", "You live in {value}.", {"value": "Saturday"})
    assert all("saturday" in render(Random(seed), statement)[0].lower() for seed in range(100))


def test_a_little_sister_is_asked_for_as_a_sister_too() -> None:
    woman = KINDS["woman"]
    slots = next(
        slots for slots in map(woman.draw, map(Random, range(99))) if slots["who"] == "little sister"
    )
    asked = {expand(Random(seed), ask).format(**slots) for seed, (ask, _) in enumerate(woman.also)}
    assert "what is my sister's name?" in asked
    assert {clause for _, clause in woman.also} >= {woman.clause}


@pytest.mark.parametrize("spell", [str, str.lower])
def test_names_come_back_as_the_person_writes_them(spell: Callable[[str], str]) -> None:
    talk = Talk(spell=spell)
    statement = Exchange("my dog {name} is old", "The good old {name}!", {"name": "Anna-Lena Ott"})
    for seed in range(50):
        ask, answer = render(Random(seed), statement, talk)
        assert spell("Anna-Lena Ott") in ask and answer == f"The good old {spell('Anna-Lena Ott')}!"
    later = render(Random(0), Exchange("who?", "The dog is Anna-Lena Ott, and Max is not."), talk)[1]
    assert later == f"The dog is {spell('Anna-Lena Ott')}, and Max is not."


def test_many_ways_to_tell_and_to_ask() -> None:
    rng = Random(2)
    statements, asked = set(), set()
    for _ in range(2000):
        statements.add(expand(rng, tell(rng, Talk(name="Ada"))[0].ask))
        talk = Talk(name="Ada")
        asked.add(expand(rng, recall(rng, talk)[0].ask))
    assert len(statements) > 1600 and len(asked) > 900


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
        "<|im_start|>user\n Hello<|im_end|>\n<|im_start|>assistant\nHi, Ada!<|im_end|>\n"
    )
