"""Single questions: help with tritonchat, small talk, small facts, and what has to be declined."""

from random import Random

from training.evaluation.wants import Case, case, declines, helps, matches, type_text
from training.phrases import read
from training.values import PEOPLE, PLACES, THINGS

# Topics: the pattern that the right answer has in any wording, and the questions.
TOPICS = {**read("examination/help").tables, **read("examination/terms").tables}
SMALLTALK = read("examination/smalltalk")
UNKNOWN = read("examination/unknown")
EVERYDAY = read("examination/everyday")
SOUNDS = dict(EVERYDAY.sounds)


def help_cases() -> list[Case]:
    """Each question as a conversation of its own, every third typed in a hurry."""
    rng = Random(71)
    asks = [(ask, topic["pattern"]) for topic in TOPICS.values() for ask in topic["asks"]]
    return [case(type_text(rng, ask), want=helps(pattern)) for ask, pattern in asks]


def talk_cases() -> list[Case]:
    """Things that people say to each other, and to robots."""
    rng, cases = Random(61), []
    for text, pattern in SMALLTALK.talk:
        is_lost = pattern.startswith(SMALLTALK.lost)
        never = (SMALLTALK.stock,) if is_lost else (SMALLTALK.stock, SMALLTALK.not_understood)
        cases.append(case(type_text(rng, text), want=matches(pattern, without=never)))
    return cases


def unknown_cases() -> list[Case]:
    """Questions about the world, the news, other languages, code, and things to be done."""
    rng = Random(51)
    asks = [type_text(rng, text) for text in UNKNOWN.others]
    hard = matches(r"too (hard|difficult|small)|\bcan(no|')t\b")
    wants = [
        hard if text in UNKNOWN.too_hard else declines(ask)
        for text, ask in zip(UNKNOWN.others, asks, strict=True)
    ]
    pools = ((PLACES, UNKNOWN.of_places), (PEOPLE, UNKNOWN.of_people), (THINGS, UNKNOWN.of_things))
    for pool, texts in pools:
        for number, value in enumerate(rng.sample(pool.held_out, min(len(pool.held_out), 12))):
            asks.append(type_text(rng, texts[number % len(texts)], value=value))
            wants.append(declines(asks[-1]))
    return [case(ask, want=want) for ask, want in zip(asks, wants, strict=True)]


def everyday_cases() -> list[Case]:
    """Each question as a conversation of its own."""
    rng = Random(81)
    return [case(type_text(rng, ask), want=helps(fact_pattern(*fact))) for ask, *fact in EVERYDAY.facts]


def fact_pattern(kind: str, value: str) -> str:
    """The pattern of a right answer: of an opposite, a sound or a colour that no wrong one goes with."""
    if kind == "opposite":
        return rf"^(?!.*(\bopposite of|\bnot|n't) ({value})\b(?! of)).*\b({value})\b"
    if kind == "sound":
        others = "|".join(rf"{animal}s?|{sound}" for animal, sound in SOUNDS.items() if animal != value)
        return rf"^(?!.*\b({others})\b)(?!.*\b(not|never)\b).*\b({SOUNDS[value]})\b"
    if kind == "pattern":
        return value
    thing, right = value.split(" / ")
    # The first colour that is named, alone or of this thing.
    other = rf"\b({'|'.join(sorted({*EVERYDAY.shades} - {right}))}|not)\b"
    return rf"^\W*{right}\b|^((?!{other}).)*\b({thing}|it|its|they|that|colou?r)\b((?!{other}).)*\b{right}\b"
