"""Facts about the person: remembered for some turns, two at a time, corrected, or never told."""

from itertools import permutations
from random import Random

from training.evaluation.cases import Case, as_typed, case, typed
from training.evaluation.facts import FACTS, Fact
from training.evaluation.wants import not_told, says

# What people say in between. Some of it is about other people and things, to lead astray.
BETWEEN = (
    "How are you today?",
    "ok cool",
    "What can you do?",
    "can you tell me a joke",
    "My brother Paul is coming over for dinner later.",
    "it's been raining here all day",
    "what is 5 + 8?",
    "Tell me a short story about a dog.",
    "What is tritonchat?",
    "I just had lunch.",
    "thanks!",
    "are you a robot",
    "I'm a bit tired today.",
    "Name three animals.",
    "How do I stop the server?",
    "My neighbour's cat is sitting on our wall again.",
    "what's a token",
    "count to ten",
    "haha nice",
    "What day comes after Monday?",
    "who is the president of france",
    "One moment, please.",
    "What rhymes with sun?",
    "will it be sunny tomorrow?",
    "I like this page.",
    "do you ever get bored",
    "Write me a little poem about spring.",
    "what is 20 minus 6",
    "That sounds good.",
    "Sorry, I had to answer the phone.",
    "My friend Laura uses this too.",
    "What is the opposite of cold?",
)

# Questions after other things were told, or nothing at all.
NOT_TOLD = (
    ("name", ()),
    ("name", ("My cat is called Luna.",)),
    ("name", ("hello", "I live in Bristol")),
    ("name", ("Tell me a story about a boy named Jack.",)),
    ("name", ("I like pizza best of all foods.", "ok")),
    ("colour", ()),
    ("colour", ("My favourite food is lasagne.",)),
    ("colour", ("hi i'm Maria", "how are you")),
    ("town", ()),
    ("town", ("Hello, my name is Peter.", "I work as a nurse.")),
    ("town", ("my favourite colour is yellow",)),
    ("pet", ()),
    ("pet", ("I live in Lyon.", "it's nice there")),
    ("pet", ("My hobby is painting.",)),
    ("pet's name", ()),
    ("pet's name", ("hi, i'm Susan",)),
    ("food", ()),
    ("food", ("I have two dogs.",)),
    ("food", ("you can call me Mike", "thank you")),
    ("job", ()),
    ("job", ("My favourite colour is blue.", "great")),
    ("job", ("We live in Denver.",)),
    ("hobby", ()),
    ("hobby", ("I'm a bus driver.", "How was your day?")),
    ("hobby", ("My name is Julia.",)),
    ("sister", ("I have a brother, his name is David.",)),
    ("sister", ()),
    ("sister", ("I'm Kate.", "can you tell me a joke")),
    ("number", ("I am a cook.", "Tell me a joke please.")),
    ("number", ()),
)


def key(value: str) -> str:
    """What of a value an answer must have: "You collect fossils" will do for "collecting fossils"."""
    head, *rest = value.split()
    return rest[-1] if rest and head.endswith("ing") else value


def with_article(value: str) -> str:
    """The value after "a" or "an"."""
    return ("an " if value[0] in "aeiou" else "a ") + value


def tell(rng: Random, template: str, value: str, old: str = "") -> tuple[str, str]:
    """A sentence that tells a value, and the part of the value that an answer must have, as it was typed."""
    slots = {"value": value, "old": old, "a_value": with_article(value), "a_old": with_article(old or "x")}
    text = typed(rng, template, **slots)
    return text, key(as_typed(value, text))


def between(rng: Random, count: int) -> list[str]:
    """So many things that have nothing to do with the fact."""
    return [typed(rng, text) for text in rng.sample(BETWEEN, count)]


def recall_cases() -> list[Case]:
    """Each kind of fact sixteen times, names twice as often, asked for one to four turns later."""
    rng, cases = Random(11), []
    for kind, fact in FACTS.items():
        for number, value in enumerate(draw(rng, fact, 32 if kind == "name" else 16)):
            told, wanted = tell(rng, fact.tells[number % len(fact.tells)], value)
            ask = typed(rng, fact.asks[number % len(fact.asks)])
            cases.append(case(told, *between(rng, number % 4), ask, want=says(wanted)))
    return cases


def draw(rng: Random, fact: Fact, count: int) -> list[str]:
    """So many of the held-out values in any order, each as often as the others."""
    values = list(fact.values) * (count // len(fact.values) + 1)
    return rng.sample(values[: max(count, len(fact.values))], count)


def two_fact_cases() -> list[Case]:
    """Two facts of any two kinds, told together or apart, and both asked for in either order."""
    rng, cases = Random(12), []
    pairs = [pair for pair in permutations(FACTS, 2) if set(pair) != {"pet", "pet's name"}]
    for number, kinds in enumerate(rng.sample(pairs, 72)):
        first = rng.choice(FACTS[kinds[0]].values)
        values = [first, rng.choice([value for value in FACTS[kinds[1]].values if value != first])]
        told = [tell(rng, rng.choice(FACTS[k].tells), v) for k, v in zip(kinds, values, strict=True)]
        texts, keys = zip(*told, strict=True)
        turns = [f"{texts[0].rstrip('.!')}. {texts[1]}"] if number % 3 == 0 else list(texts)
        order = (0, 1) if number % 2 else (1, 0)
        asks = [typed(rng, rng.choice(FACTS[kinds[i]].asks)) for i in order]
        wants = tuple(says(keys[i], without=[keys[1 - i]]) for i in order)
        cases.append(Case((*turns, *between(rng, number % 2), *asks), wants))
    return cases


def corrected_cases() -> list[Case]:
    """A fact told, corrected and asked for."""
    rng, cases = Random(13), []
    for fact in FACTS.values():
        for number, correction in enumerate(fact.corrections):
            old, new = rng.sample(fact.values, 2)
            told, old_key = tell(rng, rng.choice(fact.tells), old)
            again, new_key = tell(rng, correction, new, old)
            ask = typed(rng, rng.choice(fact.asks))
            want = says(new_key, without=[old_key])
            cases.append(
                case(told, *between(rng, number % 2), again, *between(rng, number // 2), ask, want=want)
            )
    return cases


def not_told_cases() -> list[Case]:
    """A fact asked for that was never told."""
    rng = Random(14)
    return [
        case(*before, typed(rng, FACTS[kind].asks[number % len(FACTS[kind].asks)]), want=not_told())
        for number, (kind, before) in enumerate(NOT_TOLD)
    ]
