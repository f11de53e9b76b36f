"""Several facts of one kind, which must not be mixed up: two pets, two relatives, two codes."""

from random import Random

from training.english import join
from training.phrasing import lines, mannered
from training.skills.kinds.ages import AGE, BIRTHDAY
from training.skills.kinds.called import MAN, PERSON, PET, PET_ASKS, WOMAN
from training.skills.kinds.daily import PAINTED
from training.skills.kinds.doings import JOB
from training.skills.kinds.kept import KEPT
from training.skills.kinds.likings import FOOD
from training.skills.kinds.others import AGED, BORN, LIVES, LOVES, WORKS
from training.skills.kinds.owned import OWN_CODE
from training.skills.kinds.plans import APPOINTMENT, LIE, LIES
from training.skills.kinds.towns import HOME
from training.skills.memory import acknowledge, draw_fact, known, question, remember, sentence, state
from training.talk import Exchange, Fact, Kind, Talk, expand, usual

# Kinds of which people tell more than one, those that go together in one group.
GROUPS: dict[tuple[Kind, ...], float] = {
    (PET,): 6,
    (WOMAN, MAN, PERSON): 4,
    (LIVES,): 1.5,
    (AGED,): 1.5,
    (WORKS,): 1.5,
    (LOVES,): 1,
    (BORN,): 1,
    (OWN_CODE,): 1,
    (PAINTED,): 0.7,
    (APPOINTMENT,): 1,
    (LIES, LIE): 1,
    # What is told of another and of oneself.
    (WORKS, JOB): 1.5,
    (LIVES, HOME): 1,
    (AGED, AGE): 1,
    (LOVES, FOOD): 0.7,
    (BORN, BIRTHDAY): 0.7,
}
CALLED = (PET, WOMAN, MAN, PERSON)
MOST_PETS = 3  # that are listed
BOTH_CALLED = lines("""
    I have {a_who0} (called|named) {value0} and {a_who1} (called|named) {value1}
    (I have|I've got) {a_who0} and {a_who1}, (called|named) {value0} and {value1}
    (I have|I've got) {a_who0}, {value0}, and {a_who1}, {value1}
    my {who0} is called {value0} and my {who1} is called {value1}
    my {who0} is called {value0} and my {who1} {value1}
    my {who0}'s name is {value0}, my {who1}'s name is {value1}
    my {who0} {value0} and my {who1} {value1} (get along well|like each other|always fight|are great)
    {value0} is my {who0} and {value1} is my {who1}
    (I live with|at home there are|I love) my {who0} {value0} and my {who1} {value1}
    {value0} is the {who0} and {value1} is the {who1}
    I have {a_who0} and {a_who1}. The {who0} is called {value0} and the {who1} is called {value1}
    {who0}: {value0}, {who1}: {value1}
    besides my {who0} {value0} I (also |)have {a_who1} called {value1}
    my {who0} is {value0}, my {who1} is {value1}
    the names of my {who0} and my {who1} are {value0} and {value1}
    two names to remember: {value0}, that's my {who0}, and {value1}, my {who1}
    first there was my {who0} {value0}, then came {a_who1} called {value1}
""")
BOTH_PETS = lines("""
    we have two pets, {a_who0} called {value0} and {a_who1} called {value1}
    I have two pets(:|.|,) the {who0} is {value0}(,| and) the {who1} is {value1}
    we (got|adopted|have) {a_who0} and {a_who1}, (we named|we call|I named) them {value0} and {value1}
    my pets are {a_who0} called {value0} and {a_who1} called {value1}
    my {who0} {value0} (chases|hates|loves|is afraid of) my {who1} {value1}
""")
# After a question for another of the same kind.
THEN_CALLED = lines("""
    (and |and what about |what about |how about |and how about |)(the|my) {who}?
    and the {who}'s name?
    (and |and now |)what is the {who} called?
    and my {who} is called?
    and the {who}, what name was that?
    ok, and the {who}?
    (no, I mean|I meant|not that one,) the {who}
    but what is my {who} called?
    and what's the name of the {who}?
    and the {who}, what's the name?
    right(,|!|.) (and |)the {who}?
    now the {who}
""")
THEN_SOMEBODY = lines("""
    (and|and what about|what about|how about|and how about) {who}?
    (ok,|right,|yes,|good,) and {who}?
    and {who}, do you know that too?
    (now|then) {who}
    and for {who}?
""")
THEN_OWN = lines("""
    (and|and what about|what about|how about|and how about) (the|my) {who}?
    (ok,|right,|yes,|good,) and (the|my) {who}?
    and (the|my) {who}, do you know that too?
    (now|then) (the|my) {who}
""")
ALL_PETS = lines("""
    what are (my|our) pets (called|named)( again|)?
    what are the names of (my|our) (pets|animals)?
    (which|what) (pets|animals) do I have?
    what are my pets' names?
    (tell me|list|name|say) (all |)my pets(.|)
    (do you know|do you remember) (my pets|all my pets|the names of my pets)?
    who are my pets?
""")


def several(rng: Random, talk: Talk) -> list[Exchange]:
    """Two facts of one kind are told, then asked for one by one, and a third that was never told."""
    group = rng.choices(list(GROUPS), list(GROUPS.values()))[0]
    facts = []
    for _ in range(2):
        facts.append(draw_fact(rng, talk, dict.fromkeys(group, 1.0)))
        remember(talk, facts[-1])
    exchanges = told_together(rng, facts) if rng.random() < 0.75 else told_apart(rng, facts)
    if group == (PET,) and KEPT.key not in talk.facts and rng.random() < 0.3:
        exchanges.append(all_pets(rng, talk))
    asked = rng.sample(facts, rng.choice((1, 2, 2)))
    exchanges.append(Exchange(question(rng, asked[0].kind), sentence(asked[0].clause), asked[0].slots))
    exchanges += [then(rng, fact, sentence(fact.clause)) for fact in asked[1:]]
    if rng.random() < 0.45:
        missing = draw_fact(rng, talk, dict.fromkeys(group, 1.0))
        exchanges.append(then(rng, missing, missing.kind.unknown.format(**missing.slots)))
    return exchanges


def told_together(rng: Random, facts: list[Fact]) -> list[Exchange]:
    """Both in one message."""
    answer, brief = acknowledge(rng, facts)
    ask, slots = state(rng, facts)
    kinds = {fact.kind for fact in facts}
    if kinds <= set(CALLED) and rng.random() < 0.7:
        ask = usual(rng, BOTH_PETS if kinds == {PET} and rng.random() < 0.35 else BOTH_CALLED) + "(.|!|)"
    return [Exchange(ask, answer, slots, brief)]


def told_apart(rng: Random, facts: list[Fact]) -> list[Exchange]:
    """One after the other."""
    exchanges = []
    for fact in facts:
        answer, brief = acknowledge(rng, [fact])
        ask, slots = state(rng, [fact])
        exchanges.append(Exchange(ask, answer, slots, brief))
    return exchanges


def then(rng: Random, fact: Fact, answer: str) -> Exchange:
    """A question for one more of the kind that the last answer was of, in few words or in full."""
    if rng.random() < 0.35 or "who" not in fact.slots:
        return Exchange(question(rng, fact.kind), answer, fact.slots)
    frames = THEN_CALLED if fact.kind in CALLED else THEN_SOMEBODY if "your_who" in fact.slots else THEN_OWN
    return Exchange(mannered(rng, expand(rng, usual(rng, frames))), answer, fact.slots)


def all_pets(rng: Random, talk: Talk) -> Exchange:
    """All pets that have been told of, asked for at once."""
    pets = [fact for fact in known(talk) if fact.kind is PET]
    if len(pets) > MOST_PETS:
        return Exchange(question(rng, PET), sentence(pets[-1].clause), pets[-1].slots)
    if rng.random() < 0.4:
        owned = join([f"{fact.slots['a_who']} called {fact.slots['value']}" for fact in pets])
        return Exchange(mannered(rng, expand(rng, usual(rng, PET_ASKS))), f"You have {owned}.")
    ask = mannered(rng, expand(rng, usual(rng, ALL_PETS)))
    return Exchange(ask, sentence(join([fact.clause for fact in pets])))
