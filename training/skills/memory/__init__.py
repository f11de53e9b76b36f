"""Facts told, put right and asked for later: what is learnt here is to copy."""

from collections.abc import Mapping
from random import Random

from training.english import capital, join
from training.phrases import read
from training.phrasing import decorate
from training.skills.kinds import CALLED, KEPT, KINDS, NAME, ORIGIN, PET, SHARES, TEXT, VALUES
from training.talk import Exchange, Fact, Kind, Talk, draw, expand, pick

TELLINGS = read("memory/tellings")
INTRODUCTIONS = read("memory/introductions")
ASKS = read("memory/asks")
# Several kinds of facts in few words; the slots of each kind bear its number.
COMPACT = [
    ([KINDS[name] for name in names.split(", ")], asks) for names, asks in INTRODUCTIONS.compact.items()
]
PASSING = {KINDS[name]: asks for name, asks in TELLINGS.passing.items()}
OF_ONESELF = [KINDS[name] for name in TEXT.of_oneself]
LOOKALIKES = {KINDS[name]: KINDS[other] for name, other in TEXT.lookalikes.items()}
ABOUT_OTHERS = {kind: 3 if kind is PET else SHARES[kind] for kind in LOOKALIKES}
MOST_TO_LIST = 25  # words that still make a short answer
NOTHING_KNOWN = "You have not told me anything about yourself yet. What is your name?"
NO_PET_KNOWN = "You have not told me about a pet yet. Do you have one?"


def known_facts(talk: Talk) -> list[Fact]:
    """All that has been told, the name first."""
    return ([Fact(NAME, {"value": talk.name})] if talk.name else []) + list(talk.facts.values())


def remember(talk: Talk, fact: Fact) -> None:
    """Put a fact into the state of the conversation, in place of an older one about the same."""
    if fact.kind is NAME:
        talk.name = fact.slots["value"]
    else:
        talk.facts[fact.key] = fact


def draw_fact(rng: Random, talk: Talk, kinds: Mapping[Kind, float] = SHARES) -> Fact:
    """A fact about something of which nothing has been told."""
    keys = {fact.key for fact in known_facts(talk)}
    while True:
        kind = draw(rng, kinds)
        fact = Fact(kind, kind.draw(rng))
        if fact.key not in keys:
            return fact


def draw_next(rng: Random, talk: Talk) -> Fact:
    """The next thing that a person tells; often the name, as long as that is unknown."""
    if not talk.name and rng.random() < 0.45:
        return Fact(NAME, NAME.draw(rng))
    return draw_fact(rng, talk)


def sentence(clause: str) -> str:
    """A clause as a sentence of its own."""
    return capital(clause) + "."


def pick_with(rng: Random, frames: tuple[str, ...], phrases: tuple[str, ...]) -> str:
    """One of the frames with one of the phrases in it."""
    return pick(rng, frames).replace("@", pick(rng, phrases))


def number_slots(text: str, fact: Fact, number: int, slots: dict[str, str]) -> str:
    """A text about a fact whose slots bear a number; they are put to the others."""
    for slot, value in fact.slots.items():
        text = text.replace(f"{{{slot}}}", f"{{{slot}{number}}}")
        slots[f"{slot}{number}"] = value
    return text


def acknowledge(rng: Random, facts: list[Fact]) -> tuple[str, str]:
    """What is answered to facts, and the same in few words; each value is said back."""
    clauses = [f"that {fact.clause}" for fact in facts if fact.kind is not NAME]
    promise = f"I will remember {join(clauses)}." if clauses else ""
    if len(clauses) < len(facts):
        name = next(fact.slots["value"] for fact in facts if fact.kind is NAME)
        greeting = rng.choice(TELLINGS.greetings if not clauses else TELLINGS.greetings[:1]).format(name=name)
        return f"{greeting} {promise}".strip(), f"Nice to meet you, {name}!"
    if len(facts) > 1:
        return promise, "I will remember all of that."
    return rng.choice(facts[0].kind.openers).format(**facts[0].slots) + promise, promise


def state(rng: Random, facts: list[Fact]) -> tuple[str, dict[str, str]]:
    """Facts as the person says them in one message, and what fills its slots."""
    slots: dict[str, str] = {}
    parts = [number_slots(pick(rng, fact.kind.says), fact, at, slots) for at, fact in enumerate(facts)]
    text = pick(rng, TELLINGS.joined[str(len(parts))]) if len(parts) > 1 else "@"
    has_lead = not text.startswith("@")
    for part in parts:
        text = text.replace("@", part, 1)
    frame = pick(rng, TELLINGS.telling)
    # One lead is enough; and nobody says "remember that my lucky number: 84".
    if rng.random() < 0.5 or has_lead or ("that" in frame and any(mark in text for mark in ":?")):
        return text + "(.|.|!|)", slots
    return frame.replace("@", text), slots


def tell_facts(rng: Random, facts: list[Fact]) -> Exchange:
    """Facts told in one message, and what is answered."""
    answer, brief = acknowledge(rng, facts)
    ask, slots = state(rng, facts)
    return Exchange(ask, answer, slots, brief)


def tell(rng: Random, talk: Talk) -> list[Exchange]:
    """The person tells one to three things, now and then because they were asked."""
    if not talk.name and not talk.facts and rng.random() < 0.2:
        return [tell_compactly(rng, talk)]
    facts: list[Fact] = []
    for _ in range(rng.choices((1, 2, 3), (65, 25, 10))[0]):
        facts.append(draw_next(rng, talk))
        remember(talk, facts[-1])
    answer, brief = acknowledge(rng, facts)
    if len(facts) > 1:
        ask, slots = state(rng, facts)
        return [Exchange(ask, answer, slots, brief)]
    fact = facts[0]
    if fact.kind is NAME and rng.random() < 0.35:
        return introduce(rng, talk)
    if rng.random() < 0.05:
        # It is asked for in the same message.
        ask = f"{pick(rng, fact.kind.says)}(. |. |, |; ){question(rng, fact.kind)}"
        return [Exchange(ask, sentence(fact.clause), fact.slots)]
    in_passing = fact.kind in PASSING and rng.random() < 0.35
    ask, slots = (pick(rng, PASSING[fact.kind]), fact.slots) if in_passing else state(rng, facts)
    turns = [Exchange(ask, answer, slots, brief)]
    form = rng.random()
    if form < 0.1:
        turns.append(change_fact(rng, talk, fact, TELLINGS.slips))
    elif form < 0.25:
        for _ in range(rng.choice((1, 1, 2))):
            more = draw_next(rng, talk)
            remember(talk, more)
            answer, brief = acknowledge(rng, [more])
            turns.append(Exchange(pick_with(rng, TELLINGS.adding, more.kind.says), answer, more.slots, brief))
    return turns


def tell_compactly(rng: Random, talk: Talk) -> Exchange:
    """The person tells two or three things in as few words as that takes."""
    kinds, asks = rng.choice(COMPACT)
    facts, slots = [Fact(kind, kind.draw(rng)) for kind in kinds], {}
    for number, fact in enumerate(facts):
        remember(talk, fact)
        number_slots("", fact, number, slots)
    answer, brief = acknowledge(rng, facts)
    return Exchange(f"((hi|hello|hey)(,|!|) |){rng.choice(asks)}(.|!|)", answer, slots, brief)


def introduce(rng: Random, talk: Talk) -> list[Exchange]:
    """The person says who they are, at times in answer to a question or with one of their own."""
    slots, form = {"value": talk.name}, rng.random()
    if form < 0.3:
        ask, end = rng.choice(INTRODUCTIONS.with_question)
        greeting = TELLINGS.greetings[0].format(name=talk.name) + " " + end
        return [Exchange(ask, greeting, slots, greeting)]
    answer, brief = acknowledge(rng, [Fact(NAME, slots)])
    if form < 0.8:
        return [Exchange(pick(rng, INTRODUCTIONS.introductions), answer, slots, brief)]
    # The answer is that of `greet`: nobody can tell from a hello that a name will follow.
    hello = "Hello again!" if talk.greeted else "Hello! I am Tiny."
    talk.greeted = True
    return [
        Exchange("(hi|hello|hey|hi there|hey Tiny)(!|.|)", f"{hello} What can I do for you?"),
        Exchange(pick(rng, NAME.says) + "(.|!|)", answer, slots, brief),
    ]


def correct(rng: Random, talk: Talk) -> list[Exchange]:
    """Something that was told is different now; where nothing was, it is told."""
    facts = known_facts(talk)
    return [change_fact(rng, talk, rng.choice(facts))] if facts else tell(rng, talk)


def change_fact(rng: Random, talk: Talk, old: Fact, asks: tuple[str, ...] = ()) -> Exchange:
    """A correction of a fact, and its acknowledgement."""
    new = redraw(rng, old)
    remember(talk, new)
    slots = new.slots | {"old": old.slots["value"], "old_value": old.slots.get("a_value", "")}
    again = pick_with(rng, TELLINGS.correcting, new.kind.says)
    plain = "(actually, |no, |sorry, |by the way, |wait, |oh, |)" + pick(rng, new.kind.changes) + "(.|!|)"
    ask = rng.choice(asks or (again, plain, plain))
    if new.kind is NAME:
        name = new.slots["value"]
        return Exchange(ask, f"All right, {name}! I will remember that.", slots, f"All right, {name}!")
    promise = f"I will remember that {new.clause}."
    return Exchange(ask, f"All right! {promise}", slots, promise)


def redraw(rng: Random, fact: Fact) -> Fact:
    """The same kind of fact about the same, with another value."""
    while (drawn := fact.kind.draw(rng))["value"] == fact.slots["value"]:
        pass
    about = {slot: fact.slots[slot] for slot in ("who", "a_who", "your_who") if slot in fact.slots}
    return Fact(fact.kind, drawn | about)


def say(rng: Random, text: str) -> str:
    """A question of which the choices are made, with whatever manners people have."""
    return decorate(rng, expand(rng, text))


def question(rng: Random, kind: Kind) -> str:
    """One of the ways to ask for a kind of fact."""
    form = rng.random()
    if form < 0.35 and kind.nouns:
        return say(rng, pick_with(rng, ASKS.noun_asks, kind.nouns))
    if form < 0.6:
        return say(rng, pick_with(rng, ASKS.indirect_asks, kind.indirect))
    return say(rng, pick(rng, kind.asks))


def recall(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks for one thing, for two or for all, some of which may never have been told."""
    facts, form = known_facts(talk), rng.random()
    if form < 0.08:
        return ask_everything(rng, talk)
    if not facts or form < 0.18:
        return ask_unknown(rng, talk)
    fact = rng.choice(facts)
    if form < 0.23:
        return [check(rng, fact)]
    if form < 0.33 and len(facts) > 1:
        return [ask_both(rng, facts)]
    # Of two pets, "what pet do I have?" could mean either; it means the one that was told without a name.
    is_only = sum(other.kind in (fact.kind, KEPT) for other in facts) == 1
    if fact.kind.also and is_only and rng.random() < 0.35:
        ask, clause = rng.choice(fact.kind.also)
        return [Exchange(say(rng, ask), sentence(clause), fact.slots)]
    if rng.random() < 0.2 and (bare := bare_nouns(talk, fact.kind)):
        ask = pick(rng, ASKS.bare_asks).replace("@", rng.choice(bare))
    elif fact.kind is ORIGIN and rng.random() < 0.2:
        # To one who only told where they come from, that is the home town; where they live is not known.
        ask = say(rng, pick(rng, ASKS.noun_asks).replace("@", rng.choice(VALUES.town_nouns)))
    else:
        ask = question(rng, fact.kind)
    turns = [Exchange(ask, sentence(fact.clause), fact.slots)]
    form = rng.random()
    if form < 0.05:
        turns.append(change_fact(rng, talk, fact, TELLINGS.slips))
    elif form < 0.4:
        turns += follow_up(rng, talk, fact)
    return turns


def bare_nouns(talk: Talk, kind: Kind) -> tuple[str, ...]:
    """The nouns that will do for a kind of fact without "my"; none where others may be meant.

    After a story, "the name" is its hero's.
    """
    is_clear = all(fact.kind in OF_ONESELF for fact in known_facts(talk))
    return ASKS.bare_nouns.get(kind.key, ()) if is_clear and not (kind is NAME and talk.heard_story) else ()


def follow_up(rng: Random, talk: Talk, asked: Fact) -> list[Exchange]:
    """One or two questions more after a first one, in as few words as that takes: "and my age?"."""
    others = [fact for fact in known_facts(talk) if fact.key != asked.key]
    rng.shuffle(others)
    turns = [
        Exchange(next_question(rng, talk, fact.kind), sentence(fact.clause), fact.slots)
        for fact in others[: rng.choice((1, 1, 2))]
    ]
    if not turns or rng.random() < 0.15:
        keys = {fact.key for fact in known_facts(talk)}
        # "And my town?" of one who has named none is where they live, not where they come from.
        if kinds := [kind for kind in OF_ONESELF if kind.key not in keys and kind is not ORIGIN]:
            kind = rng.choice(kinds)
            turns.append(Exchange(next_question(rng, talk, kind), kind.unknown))
    return turns


def next_question(rng: Random, talk: Talk, kind: Kind) -> str:
    """A question after another one, mostly without a verb."""
    form, bare = rng.random(), bare_nouns(talk, kind)
    if bare and form < 0.2:
        return pick(rng, ASKS.next_bare).replace("@", rng.choice(bare))
    if kind.nouns and form < 0.65:
        return pick_with(rng, ASKS.next_noun, kind.nouns)
    if form < 0.85:
        return pick_with(rng, ASKS.next_indirect, kind.indirect)
    return pick_with(rng, ASKS.next_question, kind.asks)


def check(rng: Random, fact: Fact) -> Exchange:
    """A question to be answered by yes or no, and what is true."""
    is_right = rng.random() < 0.5
    slots = fact.slots if is_right else redraw(rng, fact).slots
    return Exchange(pick(rng, fact.kind.checks), f"{'Yes' if is_right else 'No'}, {fact.clause}.", slots)


def ask_both(rng: Random, facts: list[Fact]) -> Exchange:
    """Two things asked for at once."""
    pair, slots = rng.sample(facts, 2), {}
    in_nouns = all(fact.kind.nouns for fact in pair) and rng.random() < 0.4
    ask = pick(rng, ASKS.both_nouns if in_nouns else ASKS.both_asks)
    for mark, fact in zip("@#", pair, strict=True):
        words = pick(rng, fact.kind.nouns if in_nouns else fact.kind.indirect)
        ask = ask.replace(mark, number_slots(words, fact, ord(mark), slots))
    return Exchange(ask, sentence(" and ".join(fact.clause for fact in pair)), slots)


def ask_everything(rng: Random, talk: Talk) -> list[Exchange]:
    """All that is known, in the order told; or that nothing is."""
    facts, ask = known_facts(talk), say(rng, pick(rng, ASKS.everything))
    if not facts:
        return [Exchange(ask, NOTHING_KNOWN), *reply(rng, talk, Fact(NAME, NAME.draw(rng)))]
    brief = sentence(join([fact.clause for fact in facts]))
    if talk.brief and len(brief.split()) > MOST_TO_LIST:
        return ask_unknown(rng, talk)
    return [Exchange(ask, " ".join(sentence(fact.clause) for fact in facts), brief=brief)]


def ask_unknown(rng: Random, talk: Talk) -> list[Exchange]:
    """Something is asked for that was not told; mostly the person then says it, or will not."""
    if rng.random() < 0.08 and not any(fact.kind in (PET, KEPT) for fact in talk.facts.values()):
        fact = draw_fact(rng, talk, {PET: 1})
        asked = Exchange(say(rng, pick(rng, CALLED.which_pet)), NO_PET_KNOWN)
        return [asked, *reply(rng, talk, fact, ("(yes, |)I have {a_who} called {value}(.|)",))]
    fact = draw_next(rng, talk)
    asked = Exchange(question(rng, fact.kind), fact.kind.unknown.format(**fact.slots), fact.slots)
    return [asked, *(reply(rng, talk, fact) if fact.kind.unknown.endswith("?") else ())]


def reply(rng: Random, talk: Talk, fact: Fact, replies: tuple[str, ...] = ()) -> list[Exchange]:
    """What the person answers to a question of the assistant's, if anything."""
    form = rng.random()
    if talk.brief or form < 0.45:
        return []  # a short answer asks nothing back
    if form < 0.53:
        return [Exchange(rng.choice(ASKS.refusals), "That is all right. You can tell me whenever you like.")]
    remember(talk, fact)
    answer, brief = acknowledge(rng, [fact])
    ask = rng.choice(replies or (*fact.kind.replies, *fact.kind.replies, pick(rng, fact.kind.says)))
    return [Exchange(ask, answer, fact.slots, brief)]


def mix_up(rng: Random, talk: Talk) -> list[Exchange]:
    """Something is told of somebody else, and the person asks for the like of their own."""
    fact = draw_fact(rng, talk, ABOUT_OTHERS)
    remember(talk, fact)
    ask, slots = state(rng, [fact])
    answer, brief = acknowledge(rng, [fact])
    kind = LOOKALIKES[fact.kind]
    own = next((other for other in known_facts(talk) if other.kind.key == kind.key), None)
    asked = Exchange(question(rng, kind), sentence(own.clause) if own else kind.unknown)
    return [Exchange(ask, answer, slots, brief), asked]
