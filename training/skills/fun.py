"""Jokes, riddles, odd facts and knocks at the door, and all that people say while they last."""

from random import Random

from training.english import an, capital
from training.names import draw_name
from training.phrasing import lines, mannered
from training.skills.subjects import draw_subject
from training.skills.topics.jests import (
    ANOTHER,
    ASK_POINT,
    DOORS,
    FACT_ASKS,
    FACTS,
    GIVE_UP,
    GUESSES,
    HINT,
    JOKE_ABOUT,
    JOKE_ASKS,
    JOKES,
    KNOCK,
    NOT_FUNNY,
    RIDDLE_ASKS,
    RIDDLES,
    TRUE,
    WHO,
)
from training.talk import Exchange, Talk, usual, words

GUESSED = words("""
    apple ball bed bell bird boat box bread broom bucket candle car cat chair cloud coat cup dog door dream
    fence fire flower fork glass hat horse house key kite ladder lake lamp leaf letter mirror mountain mouse
    nail pen road rope scarf shadow ship shirt shoe snake sock spider spoon star stone table tail tooth
    train tree umbrella wheel whistle window worm
""") + tuple(riddle.answer for riddle in RIDDLES)
WRONG = "No, it is not {a_noun}. Guess again, or say: I give up."
QUITE_TRUE = "As far as I know, yes. I know very few facts, and this is one."
PUNCH_LINES = (
    "{who} you glad to see me?",
    "{who} let me in, please!",
    "it's me, {who}!",
    "{who} in, it is raining!",
    "{who} a minute and I will tell you",
    "{who} knocking all day",
    "open the door, {who} is cold",
    "never mind, wrong door",
    "{who} is here for dinner",
    "I did not expect you to ask",
)
OFFERS = lines("""
    (do you want|would you like|want|wanna|do you care) to hear (a|my|a good|my favourite) joke(?| of mine?)
    (can|may|shall|could) I tell you (a|my) (joke|funny joke)(?|)
    I (know|have|heard) a (good |funny |) joke(.|!|)
    (listen to this joke|here is a joke|let me tell you a joke|now I tell you a joke)(.|:|)
""")
# `@` is what was offered.
ACCEPT = lines("""
    (a |the |)@(, please| please| then|)(.|!|)
    (tell me|let's hear|I want|I'd like|I take|maybe|then|ok,) (a|the) @(.| please.|)
""")


def have_fun(rng: Random, talk: Talk) -> list[Exchange]:
    """One of the entertainments."""
    return rng.choices((joke, riddle, fact, knock, hear_joke), (5, 3, 2, 1, 0.5))[0](rng)


def accept_offer(rng: Random) -> list[Exchange]:
    """What follows where a joke or a riddle was offered."""
    tell_it, what = rng.choice(((joke, "joke"), (riddle, "riddle")))
    return tell_it(rng, rng.choice(ACCEPT).replace("@", what))


def joke(rng: Random, ask: str | None = None) -> list[Exchange]:
    """A joke, perhaps about something, and what is said to it; another one is the next in the table."""
    at = rng.randrange(len(JOKES))
    turns = [tell(rng, ask, JOKES[at].text) if ask else first_joke(rng, at)]
    while rng.random() < 0.4:
        if rng.random() < 0.35:
            turns.append(Exchange(rng.choice(ASK_POINT), JOKES[at].point))
        elif rng.random() < 0.15:
            turns.append(Exchange(rng.choice(NOT_FUNNY), "I will try harder. Ask me for another one!"))
        at = (at + 1) % len(JOKES)
        turns.append(tell(rng, rng.choice(ANOTHER), JOKES[at].text))
    return turns


def first_joke(rng: Random, at: int) -> Exchange:
    """A joke that is asked for: any, one about this or that, or one that the table does not have."""
    kind, text = rng.random(), JOKES[at].text
    if kind < 0.35:
        return tell(rng, rng.choice(JOKE_ABOUT).replace("@", JOKES[at].about), text)
    if kind < 0.48:
        ask, slots = rng.choice(JOKE_ABOUT).replace("@", "{subject}"), {"subject": draw_subject(rng)}
        return tell(rng, ask, text, "I know none about {subject}, but here is one. ", slots)
    return tell(rng, usual(rng, JOKE_ASKS), text, "(|Here is one. )")


def tell(rng: Random, ask: str, text: str, start: str = "", slots: dict[str, str] | None = None) -> Exchange:
    """A text that a single sentence of it would spoil."""
    return Exchange(mannered(rng, ask), start + text, slots or {}, brief=text)


def hear_joke(rng: Random) -> list[Exchange]:
    """A joke that the person tells."""
    told = Exchange(rng.choice(JOKES).text, "Ha! That is a good one.")
    return [Exchange(rng.choice(OFFERS), "Yes, please!"), told] if rng.random() < 0.4 else [told]


def riddle(rng: Random, ask: str | None = None) -> list[Exchange]:
    """A riddle, guesses at it, and the answer in the end; now and then the person asks it instead."""
    at = rng.randrange(len(RIDDLES))
    if not ask and rng.random() < 0.15:
        return [Exchange(mannered(rng, RIDDLES[at].text), f"I think that is {an(RIDDLES[at].answer)}!")]
    turns = [tell(rng, ask or rng.choice(RIDDLE_ASKS), RIDDLES[at].text), *solve(rng, at)]
    while rng.random() < 0.25:
        at = (at + 1) % len(RIDDLES)
        turns += [tell(rng, rng.choice(ANOTHER), RIDDLES[at].text), *solve(rng, at)]
    return turns


def solve(rng: Random, at: int) -> list[Exchange]:
    """Wrong guesses and hints, then the right answer from one of the two."""
    turns, answer = [], RIDDLES[at].answer
    while rng.random() < 0.4:
        if rng.random() < 0.3:
            turns.append(Exchange(rng.choice(HINT), f"{RIDDLES[at].hint} What is it?"))
        elif (wrong := rng.choice(GUESSED)) != answer:
            turns.append(guess(rng, wrong, WRONG))
    if rng.random() < 0.5:
        return [*turns, guess(rng, answer, "Yes, it is {a_noun}! Well done.")]
    return [*turns, Exchange(rng.choice(GIVE_UP), f"It is {an(answer)}!")]


def guess(rng: Random, noun: str, answer: str) -> Exchange:
    """A guess, and what is said to it."""
    return Exchange(rng.choice(GUESSES), answer, {"noun": noun, "a_noun": an(noun)}, brief=answer)


def fact(rng: Random) -> list[Exchange]:
    """An odd fact, and perhaps the next."""
    at = rng.randrange(len(FACTS))
    turns = [tell(rng, rng.choice(FACT_ASKS), FACTS[at], "(|Did you know this? )")]
    while rng.random() < 0.35:
        if rng.random() < 0.4:
            turns.append(
                Exchange(rng.choice(TRUE), "As far as I know, yes. I know very few facts, and this is one.")
            )
        at = (at + 1) % len(FACTS)
        turns.append(tell(rng, rng.choice(ANOTHER), FACTS[at]))
    return turns


def knock(rng: Random) -> list[Exchange]:
    """A knock-knock joke, from either side of the door."""
    if rng.random() < 0.35:
        name, end = rng.choice(DOORS)
        ask = (
            "(tell me|do you know|can you tell me|give me|let me hear) a knock(-| )knock joke(?|.| please.|)"
        )
        who = name.removesuffix(".")
        return [
            Exchange(ask, "Knock, knock."),
            Exchange(WHO, name),
            Exchange(f"({who}|{who.lower()}) who(?|??|)", end),
        ]
    who = draw_name(rng) if rng.random() < 0.5 else capital(rng.choice(GUESSED))
    punch = rng.choice(PUNCH_LINES)
    return [
        Exchange(KNOCK + "(!|.|)", "Who is there?"),
        Exchange("{who}(.|!|)", "{who} who?", {"who": who}),
        Exchange(punch + "(!|.|)", "Ha! That is a good one.", {"who": who}),
    ]
