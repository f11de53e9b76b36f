"""Several facts of one kind, which are told apart by what they are about; and words said back."""

from itertools import pairwise
from random import Random

from training.english import join
from training.names import draw_name
from training.phrases import read
from training.skills.kinds import CALLED, KEPT, KINDS, PET, TEXT
from training.skills.memory import (
    draw_fact,
    known_facts,
    question,
    remember,
    say,
    sentence,
    tell_facts,
)
from training.talk import Exchange, Fact, Talk, draw, pick
from training.values import COLOURS, FOODS, HOBBIES, JOBS, draw_word

SEVERAL = read("memory/several")
VALUES = read("values")
# Kinds of which people tell more than one, those that go together in one group.
GROUPS = {tuple(KINDS[name] for name in names.split(" and ")): share for names, share in TEXT.groups.items()}
NAMED = {KINDS[name] for name in ("pet", "woman", "man", "person")}
MOST_PETS = 3  # that are listed
WORDS = (*VALUES.things, *VALUES.shades, *COLOURS.values, *VALUES.materials, *VALUES.ingredients)
HELD_OUT = {value for pool in (COLOURS, FOODS, HOBBIES, JOBS) for value in pool.held_out}
LONGEST_ECHO = 14  # words that are said back whole


def several(rng: Random, talk: Talk) -> list[Exchange]:
    """Two facts of one kind are told, then asked for one by one, and a third that was never told."""
    group = draw(rng, GROUPS)
    facts = []
    for _ in range(2):
        facts.append(draw_fact(rng, talk, dict.fromkeys(group, 1.0)))
        remember(talk, facts[-1])
    if rng.random() < 0.75:
        turns = [tell_facts(rng, facts)]
        kinds = {fact.kind for fact in facts}
        if kinds <= NAMED and rng.random() < 0.7:
            are_pets = kinds == {PET} and rng.random() < 0.35
            turns[0].ask = pick(rng, SEVERAL.both_pets if are_pets else SEVERAL.both_called) + "(.|!|)"
    else:
        turns = [tell_facts(rng, [fact]) for fact in facts]
    if group == (PET,) and KEPT.key not in talk.facts and rng.random() < 0.3:
        turns.append(ask_all_pets(rng, talk))
    asked = rng.sample(facts, rng.choice((1, 2, 2)))
    turns.append(Exchange(question(rng, asked[0].kind), sentence(asked[0].clause), asked[0].slots))
    turns += [ask_next(rng, fact, sentence(fact.clause)) for fact in asked[1:]]
    if rng.random() < 0.45:
        missing = draw_fact(rng, talk, dict.fromkeys(group, 1.0))
        turns.append(ask_next(rng, missing, missing.kind.unknown.format(**missing.slots)))
    return turns


def ask_next(rng: Random, fact: Fact, answer: str) -> Exchange:
    """A question for one more of the kind that the last answer was of, in few words or in full."""
    if rng.random() < 0.35 or "who" not in fact.slots:
        return Exchange(question(rng, fact.kind), answer, fact.slots)
    frames = SEVERAL.then_somebody if "your_who" in fact.slots else SEVERAL.then_own
    frames = SEVERAL.then_called if fact.kind in NAMED else frames
    return Exchange(say(rng, pick(rng, frames)), answer, fact.slots)


def ask_all_pets(rng: Random, talk: Talk) -> Exchange:
    """All pets that have been told of, asked for at once."""
    pets = [fact for fact in known_facts(talk) if fact.kind is PET]
    if len(pets) > MOST_PETS:
        return Exchange(question(rng, PET), sentence(pets[-1].clause), pets[-1].slots)
    if rng.random() < 0.4:
        owned = join([f"{fact.slots['a_who']} called {fact.slots['value']}" for fact in pets])
        return Exchange(say(rng, pick(rng, CALLED.which_pet)), f"You have {owned}.")
    ask = say(rng, pick(rng, SEVERAL.all_pets))
    return Exchange(ask, sentence(join([fact.clause for fact in pets])))


def repeat(rng: Random, talk: Talk) -> list[Exchange]:
    """Names or other words said back: many to copy in one exchange."""
    if rng.random() < 0.6:
        text = ", ".join(draw_name(rng).split()[0] for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 5))))
    else:
        text = draw_words(rng)
    return [Exchange(rng.choice(SEVERAL.repeat), "I say {list}.", {"list": text})]


def draw_words(rng: Random) -> str:
    """Some words in a row, or what could be words, of which no two make a value that is held out."""
    count = rng.randint(2, 6)
    row = [draw_word(rng) if rng.random() < 0.25 else rng.choice(WORDS) for _ in range(count)]
    return draw_words(rng) if any(" ".join(pair) in HELD_OUT for pair in pairwise(row)) else " ".join(row)


def echo(rng: Random, talk: Talk) -> list[Exchange]:
    """What was said last, by the person or by the assistant, word for word."""
    is_own = rng.random() < 0.4
    who = "I" if is_own else "You"
    ask = rng.choice(SEVERAL.last_answer if is_own else SEVERAL.last_message)
    if not talk.history:
        return [Exchange(ask, f"{who} have not said anything before that.")]
    text = talk.history[-1][is_own].strip()
    if "\n" in text or len(text.split()) > LONGEST_ECHO:
        return repeat(rng, talk)
    answer = f"{who} said: {{said}}"
    return [Exchange(ask, answer, {"said": text}, answer)]
