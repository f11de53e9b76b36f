"""Facts told, put right and asked for later: what is learnt here is to copy."""

from random import Random

from training.english import capital, join
from training.phrasing import mannered
from training.skills.kinds import ABOUT_OTHERS, KINDS, LOOKALIKES
from training.skills.kinds.ages import AGE, BIRTHDAY
from training.skills.kinds.called import PET, PET_ASKS
from training.skills.kinds.doings import HOBBY, JOB
from training.skills.kinds.kept import KEPT
from training.skills.kinds.likings import COLOUR, FOOD
from training.skills.kinds.name import NAME
from training.skills.kinds.towns import HOME, ORIGIN, TOWN_NOUNS
from training.skills.memory.introductions import COMPACT, INTRODUCTIONS, WITH_QUESTION
from training.skills.memory.passing import PASSING
from training.skills.memory.reminders import (
    BARE_ASKS,
    BARE_NOUNS,
    BOTH_ASKS,
    BOTH_NOUNS,
    EVERYTHING,
    INDIRECT_ASKS,
    NEXT_BARE,
    NEXT_INDIRECT,
    NEXT_NOUN,
    NEXT_QUESTION,
    NOUN_ASKS,
    REFUSALS,
)
from training.skills.memory.tellings import ADDING, CORRECTING, JOINED, SLIPS, TELLING
from training.talk import Exchange, Fact, Kind, Talk, expand, usual

# What a person tells of nobody but themselves: where no more than that is known, "the town" is clear.
OWN = (NAME, HOME, ORIGIN, AGE, BIRTHDAY, COLOUR, FOOD, JOB, HOBBY)
MOST_TO_LIST = 25  # words that still make a short answer
GREETINGS = (
    "Nice to meet you, {name}!",
    "Nice to meet you, {name}!",
    "Nice to meet you, {name}! What can I do for you?",
    "Hello, {name}! I will remember your name.",
)
NOTHING_KNOWN = "You have not told me anything about yourself yet. What is your name?"
NO_PET_KNOWN = "You have not told me about a pet yet. Do you have one?"


def known(talk: Talk) -> list[Fact]:
    """All that has been told, the name first."""
    return ([Fact(NAME, {"value": talk.name})] if talk.name else []) + list(talk.facts.values())


def remember(talk: Talk, fact: Fact) -> None:
    """Put a fact into the state of the conversation, in place of an older one about the same."""
    if fact.kind is NAME:
        talk.name = fact.slots["value"]
    else:
        talk.facts[fact.key] = fact


def draw_fact(rng: Random, talk: Talk, kinds: dict[Kind, float] = KINDS) -> Fact:
    """A fact about something of which nothing has been told."""
    keys = {fact.key for fact in known(talk)}
    while True:
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        fact = Fact(kind, kind.draw(rng))
        if fact.key not in keys:
            return fact


def draw_told(rng: Random, talk: Talk) -> Fact:
    """The next thing that a person tells; often the name, as long as that is unknown."""
    if not talk.name and rng.random() < 0.45:
        return Fact(NAME, NAME.draw(rng))
    return draw_fact(rng, talk)


def sentence(clause: str) -> str:
    """A clause as a sentence of its own."""
    return capital(clause) + "."


def acknowledge(rng: Random, facts: list[Fact]) -> tuple[str, str]:
    """What is answered to facts, and the same in few words; each value is said back."""
    clauses = [f"that {fact.clause}" for fact in facts if fact.kind is not NAME]
    told = f"I will remember {join(clauses)}." if clauses else ""
    if len(clauses) < len(facts):
        name = next(fact.slots["value"] for fact in facts if fact.kind is NAME)
        greeting = rng.choice(GREETINGS if not clauses else GREETINGS[:1]).format(name=name)
        return f"{greeting} {told}".strip(), f"Nice to meet you, {name}!"
    if len(facts) > 1:
        return told, "I will remember all of that."
    return rng.choice(facts[0].kind.openers).format(**facts[0].slots) + told, told


def state(rng: Random, facts: list[Fact]) -> tuple[str, dict[str, str]]:
    """Facts as the person says them in one message, and what fills its slots."""
    said, slots = [], {}
    for number, fact in enumerate(facts):
        text = usual(rng, fact.kind.says)
        for slot, value in fact.slots.items():
            text = text.replace(f"{{{slot}}}", f"{{{slot}{number}}}")
            slots[f"{slot}{number}"] = value
        said.append(text)
    text = usual(rng, JOINED[len(said) - 2]) if len(said) > 1 else "{}"
    led = not text.startswith("{}")
    for part in said:
        text = text.replace("{}", part, 1)
    frame = usual(rng, TELLING)
    # One lead is enough; and nobody says "remember that my lucky number: 84".
    if rng.random() < 0.5 or led or ("that" in frame and any(mark in text for mark in ":?")):
        return text + "(.|.|!|)", slots
    return frame.replace("@", text), slots


def tell(rng: Random, talk: Talk) -> list[Exchange]:
    """The person tells one to three things, now and then because they were asked."""
    if not talk.name and not talk.facts and rng.random() < 0.2:
        return [compact(rng, talk)]
    facts: list[Fact] = []
    for _ in range(rng.choices((1, 2, 3), (65, 25, 10))[0]):
        facts.append(draw_told(rng, talk))
        remember(talk, facts[-1])
    answer, brief = acknowledge(rng, facts)
    if len(facts) > 1:
        ask, slots = state(rng, facts)
        return [Exchange(ask, answer, slots, brief)]
    fact = facts[0]
    if fact.kind is NAME and rng.random() < 0.35:
        return introduce(rng, talk)
    if rng.random() < 0.05:
        return [ask_at_once(rng, fact)]
    passing = PASSING.get(fact.kind)
    if passing and rng.random() < 0.35:
        ask, slots = usual(rng, passing), fact.slots
    else:
        ask, slots = state(rng, facts)
    exchanges = [Exchange(ask, answer, slots, brief)]
    form = rng.random()
    if form < 0.1:
        exchanges.append(slip(rng, talk, fact))
    elif form < 0.25:
        exchanges += [add(rng, talk) for _ in range(rng.choice((1, 1, 2)))]
    return exchanges


def add(rng: Random, talk: Talk) -> Exchange:
    """The person tells one more thing, in a message of its own."""
    fact = draw_told(rng, talk)
    remember(talk, fact)
    answer, brief = acknowledge(rng, [fact])
    return Exchange(usual(rng, ADDING).replace("@", usual(rng, fact.kind.says)), answer, fact.slots, brief)


def compact(rng: Random, talk: Talk) -> Exchange:
    """The person tells two or three things in as few words as that takes."""
    kinds, asks = rng.choice(COMPACT)
    facts = [Fact(kind, kind.draw(rng)) for kind in kinds]
    slots = {}
    for number, fact in enumerate(facts):
        remember(talk, fact)
        slots |= {f"{slot}{number}": value for slot, value in fact.slots.items()}
    answer, brief = acknowledge(rng, facts)
    return Exchange(f"((hi|hello|hey)(,|!|) |){rng.choice(asks)}(.|!|)", answer, slots, brief)


def introduce(rng: Random, talk: Talk) -> list[Exchange]:
    """The person says who they are, at times in answer to a question or with one of their own."""
    slots = {"value": talk.name}
    form = rng.random()
    if form < 0.3:
        ask, end = rng.choice(WITH_QUESTION)
        greeting = GREETINGS[0].format(name=talk.name) + end
        return [Exchange(ask, greeting, slots, greeting)]
    answer, brief = acknowledge(rng, [Fact(NAME, slots)])
    if form < 0.8:
        return [Exchange(usual(rng, INTRODUCTIONS), answer, slots, brief)]
    # The answer is that of `greet`: nobody can tell from a hello that a name will follow.
    again, talk.greeted = talk.greeted, True
    hello = "Hello again!" if again else "Hello! I am Tiny."
    return [
        Exchange("(hi|hello|hey|hi there|hey Tiny)(!|.|)", f"{hello} What can I do for you?"),
        Exchange(usual(rng, NAME.says) + "(.|!|)", answer, slots, brief),
    ]


def ask_at_once(rng: Random, fact: Fact) -> Exchange:
    """The person tells something and asks for it in the same message."""
    ask = f"{usual(rng, fact.kind.says)}(. |. |, |; ){question(rng, fact.kind)}"
    return Exchange(ask, sentence(fact.clause), fact.slots)


def slip(rng: Random, talk: Talk, fact: Fact) -> Exchange:
    """The person puts right at once what has just been said."""
    return changed(rng, talk, fact, SLIPS)


def correct(rng: Random, talk: Talk) -> list[Exchange]:
    """Something that was told is different now; where nothing was, it is told."""
    if not (facts := known(talk)):
        return tell(rng, talk)
    return [changed(rng, talk, rng.choice(facts))]


def changed(rng: Random, talk: Talk, old: Fact, asks: tuple[str, ...] = ()) -> Exchange:
    """A correction of a fact, and its acknowledgement."""
    new = anew(rng, old)
    remember(talk, new)
    slots = new.slots | {"old": old.slots["value"], "old_value": old.slots.get("a_value", "")}
    again = usual(rng, CORRECTING).replace("@", usual(rng, new.kind.says))
    plain = "(actually, |no, |sorry, |by the way, |wait, |oh, |)" + usual(rng, new.kind.changes) + "(.|!|)"
    ask = rng.choice(asks or (again, plain, plain))
    if new.kind is NAME:
        name = new.slots["value"]
        return Exchange(ask, f"All right, {name}! I will remember that.", slots, f"All right, {name}!")
    told = f"I will remember that {new.clause}."
    return Exchange(ask, f"All right! {told}", slots, told)


def anew(rng: Random, fact: Fact) -> Fact:
    """The same kind of fact about the same, with another value."""
    while (drawn := fact.kind.draw(rng))["value"] == fact.slots["value"]:
        pass
    about = {slot: fact.slots[slot] for slot in ("who", "a_who", "your_who") if slot in fact.slots}
    return Fact(fact.kind, drawn | about)


def question(rng: Random, kind: Kind) -> str:
    """One of the ways to ask for a kind of fact."""
    form = rng.random()
    if form < 0.35 and kind.nouns:
        ask = usual(rng, NOUN_ASKS).replace("@", usual(rng, kind.nouns))
    elif form < 0.6:
        ask = usual(rng, INDIRECT_ASKS).replace("@", usual(rng, kind.indirect))
    else:
        ask = usual(rng, kind.asks)
    return mannered(rng, expand(rng, ask))


def recall(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks for one thing, for two or for all, some of which may never have been told."""
    facts, form = known(talk), rng.random()
    if form < 0.08:
        return everything(rng, talk)
    if not facts or form < 0.18:
        return unknown(rng, talk)
    fact = rng.choice(facts)
    if form < 0.23:
        return [check(rng, fact)]
    if form < 0.33 and len(facts) > 1:
        return [both(rng, facts)]
    # Of two pets, "what pet do I have?" could mean either; it means the one that was told without a name.
    only = sum(other.kind in (fact.kind, KEPT) for other in facts) == 1
    if fact.kind.also and only and rng.random() < 0.35:
        ask, clause = rng.choice(fact.kind.also)
        return [Exchange(mannered(rng, expand(rng, ask)), sentence(clause), fact.slots)]
    bare = rng.random() < 0.2 and bare_nouns(talk, fact.kind)
    if bare:
        ask = usual(rng, BARE_ASKS).replace("@", rng.choice(bare))
    elif fact.kind is ORIGIN and rng.random() < 0.2:
        # To one who only told where they come from, that is the home town; where they live is not known.
        ask = mannered(rng, expand(rng, usual(rng, NOUN_ASKS).replace("@", rng.choice(TOWN_NOUNS))))
    else:
        ask = question(rng, fact.kind)
    exchanges = [Exchange(ask, sentence(fact.clause), fact.slots)]
    form = rng.random()
    if form < 0.05:
        exchanges.append(slip(rng, talk, fact))
    elif form < 0.4:
        exchanges += follow_up(rng, talk, fact)
    return exchanges


def bare_nouns(talk: Talk, kind: Kind) -> tuple[str, ...]:
    """The nouns that will do for a kind of fact without "my"; none where others may be meant.

    After a story, "the name" is its hero's.
    """
    clear = all(fact.kind in OWN for fact in known(talk)) and not (kind is NAME and talk.heard_story)
    return BARE_NOUNS.get(kind.key, ()) if clear else ()


def follow_up(rng: Random, talk: Talk, asked: Fact) -> list[Exchange]:
    """One or two questions more after a first one, in as few words as that takes: "and my age?"."""
    others = [fact for fact in known(talk) if fact.key != asked.key]
    rng.shuffle(others)
    exchanges = [
        Exchange(next_question(rng, talk, fact.kind), sentence(fact.clause), fact.slots)
        for fact in others[: rng.choice((1, 1, 2))]
    ]
    if not exchanges or rng.random() < 0.15:
        keys = {fact.key for fact in known(talk)}
        # "And my town?" of one who has named none is where they live, not where they come from.
        if kinds := [kind for kind in OWN if kind.key not in keys and kind is not ORIGIN]:
            kind = rng.choice(kinds)
            exchanges.append(Exchange(next_question(rng, talk, kind), kind.unknown))
    return exchanges


def next_question(rng: Random, talk: Talk, kind: Kind) -> str:
    """A question after another one, mostly without a verb."""
    form, bare = rng.random(), bare_nouns(talk, kind)
    if bare and form < 0.2:
        return usual(rng, NEXT_BARE).replace("@", rng.choice(bare))
    if kind.nouns and form < 0.65:
        return usual(rng, NEXT_NOUN).replace("@", usual(rng, kind.nouns))
    if form < 0.85:
        return usual(rng, NEXT_INDIRECT).replace("@", usual(rng, kind.indirect))
    return usual(rng, NEXT_QUESTION).replace("@", usual(rng, kind.asks))


def check(rng: Random, fact: Fact) -> Exchange:
    """A question to be answered by yes or no, and what is true."""
    right = rng.random() < 0.5
    slots = fact.slots if right else anew(rng, fact).slots
    return Exchange(usual(rng, fact.kind.checks), f"{'Yes' if right else 'No'}, {fact.clause}.", slots)


def both(rng: Random, facts: list[Fact]) -> Exchange:
    """Two things asked for at once."""
    pair, slots = rng.sample(facts, 2), {}
    nouns = all(fact.kind.nouns for fact in pair) and rng.random() < 0.4
    ask = usual(rng, BOTH_NOUNS if nouns else BOTH_ASKS)
    for mark, fact in zip("@#", pair, strict=True):
        words = usual(rng, fact.kind.nouns if nouns else fact.kind.indirect)
        for slot, value in fact.slots.items():
            words = words.replace(f"{{{slot}}}", f"{{{slot}{ord(mark)}}}")
            slots[f"{slot}{ord(mark)}"] = value
        ask = ask.replace(mark, words)
    return Exchange(ask, sentence(" and ".join(fact.clause for fact in pair)), slots)


def everything(rng: Random, talk: Talk) -> list[Exchange]:
    """All that is known, in the order told; or that nothing is."""
    facts, ask = known(talk), mannered(rng, expand(rng, usual(rng, EVERYTHING)))
    if not facts:
        return [Exchange(ask, NOTHING_KNOWN), *reply(rng, talk, Fact(NAME, NAME.draw(rng)))]
    brief = sentence(join([fact.clause for fact in facts]))
    if talk.brief and len(brief.split()) > MOST_TO_LIST:
        return unknown(rng, talk)
    return [Exchange(ask, " ".join(sentence(fact.clause) for fact in facts), brief=brief)]


def unknown(rng: Random, talk: Talk) -> list[Exchange]:
    """Something is asked for that was not told; mostly the person then says it, or will not."""
    if rng.random() < 0.08 and not any(fact.kind in (PET, KEPT) for fact in talk.facts.values()):
        fact = draw_fact(rng, talk, {PET: 1})
        asked = Exchange(mannered(rng, expand(rng, usual(rng, PET_ASKS))), NO_PET_KNOWN)
        return [asked, *reply(rng, talk, fact, ("(yes, |)I have {a_who} called {value}(.|)",))]
    fact = draw_told(rng, talk)
    asked = Exchange(question(rng, fact.kind), fact.kind.unknown.format(**fact.slots), fact.slots)
    return [asked, *(reply(rng, talk, fact) if fact.kind.unknown.endswith("?") else ())]


def reply(rng: Random, talk: Talk, fact: Fact, replies: tuple[str, ...] = ()) -> list[Exchange]:
    """What the person answers to a question of the assistant's, if anything."""
    form = rng.random()
    if talk.brief or form < 0.45:
        return []  # a short answer asks nothing back
    if form < 0.53:
        return [Exchange(rng.choice(REFUSALS), "That is all right. You can tell me whenever you like.")]
    remember(talk, fact)
    answer, brief = acknowledge(rng, [fact])
    ask = rng.choice(replies or (*fact.kind.replies, *fact.kind.replies, usual(rng, fact.kind.says)))
    return [Exchange(ask, answer, fact.slots, brief)]


def mix_up(rng: Random, talk: Talk) -> list[Exchange]:
    """Something is told of somebody else, and the person asks for the like of their own."""
    fact = draw_fact(rng, talk, ABOUT_OTHERS | {PET: 3})
    remember(talk, fact)
    ask, slots = state(rng, [fact])
    answer, brief = acknowledge(rng, [fact])
    kind = LOOKALIKES[fact.kind]
    own = next((told for told in known(talk) if told.kind.key == kind.key), None)
    asked = Exchange(question(rng, kind), sentence(own.clause) if own else kind.unknown)
    return [Exchange(ask, answer, slots, brief), asked]
