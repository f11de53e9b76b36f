"""System prompts: a name to answer by, and answers that have to be short."""

from random import Random

from training.evaluation.memory import between
from training.evaluation.questions import TOPICS
from training.evaluation.wants import Case, brief, case, says, type_text
from training.phrases import read

TEXT = read("examination/system")
BRIEF = tuple((prompt, int(limit) or None) for prompt, limit in TEXT.brief)


def name_cases() -> list[Case]:
    """The name that the system prompt gave, asked for at once or up to four turns later."""
    rng, cases = Random(41), []
    for number, name in enumerate(rng.sample(read("names").held_out, 50)):
        system = TEXT.named[number % len(TEXT.named)].format(name=name)
        ask = type_text(rng, TEXT.who[(number + number // 10) % len(TEXT.who)])
        turns = [*between(rng, (0, 0, 1, 2, 4)[number // 10]), ask]
        cases.append(case(*turns, want=says(name, without=["Tiny"]), system=system))
    return cases


def length_cases() -> list[Case]:
    """As few words as the system prompt wants, and yet an answer; in half of them a turn later."""
    rng, cases = Random(42), []
    for number, (ask, file, name) in enumerate(TEXT.asked_briefly * 2):
        turns = [*between(rng, number % 2), type_text(rng, ask)]
        system, limit = BRIEF[(number + number // len(TEXT.asked_briefly)) % len(BRIEF)]
        cases.append(case(*turns, want=brief(limit, pattern_of(file, name)), system=system))
    return cases


def pattern_of(file: str, name: str) -> str:
    """The pattern of a topic, that of a table in another file, or the one that is given."""
    if file == "topic":
        return TOPICS[name]["pattern"]
    return name if file == "pattern" else read(f"examination/{file}").tables[name]
