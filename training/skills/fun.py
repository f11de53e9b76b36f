"""Jokes, riddles, odd facts and knocks at the door, and all that people say while they last."""

from random import Random

from training.english import an, capital
from training.names import draw_name
from training.phrases import read
from training.phrasing import ask, decorate
from training.talk import Exchange, Talk, pick
from training.values import draw_subject

# Jokes have what they are about, the text and the point of it; riddles the text, the answer and a hint.
TEXT = read("chat/jests")
WRONG = "No, it is not {a_noun}. Guess again, or say: I give up."
QUITE_TRUE = "As far as I know, yes. I know very few facts, and this is one."
NOT_FUNNY = "I will try harder. Ask me for another one!"
GOOD_ONE = "Ha! That is a good one."


def have_fun(rng: Random, talk: Talk) -> list[Exchange]:
    """One of the entertainments."""
    return rng.choices((joke, riddle, fact, knock, hear_joke), (5, 3, 2, 1, 0.5))[0](rng)


def accept_offer(rng: Random) -> list[Exchange]:
    """What follows where a joke or a riddle was offered."""
    tell_it, what = rng.choice(((joke, "joke"), (riddle, "riddle")))
    return tell_it(rng, rng.choice(TEXT.accept).replace("@", what))


def tell(asked: str, text: str, start: str = "", slots: dict[str, str] | None = None) -> Exchange:
    """A text that a single sentence of it would spoil."""
    return Exchange(asked, start + text, slots or {}, brief=text)


def joke(rng: Random, accepted: str = "") -> list[Exchange]:
    """A joke, perhaps about something, and what is said to it; another one is the next in the table."""
    at = rng.randrange(len(TEXT.jokes))
    about, text, point = TEXT.jokes[at]
    if accepted:
        turns = [tell(decorate(rng, accepted), text)]
    elif (kind := rng.random()) < 0.35:
        turns = [tell(ask(rng, TEXT.joke_about, {"@": about}), text)]
    elif kind < 0.48:
        # One that the table does not have.
        asked, slots = rng.choice(TEXT.joke_about).replace("@", "{subject}"), {"subject": draw_subject(rng)}
        turns = [tell(decorate(rng, asked), text, "I know none about {subject}, but here is one. ", slots)]
    else:
        turns = [tell(decorate(rng, pick(rng, TEXT.joke_asks)), text, "(|Here is one. )")]
    while rng.random() < 0.4:
        if rng.random() < 0.35:
            turns.append(Exchange(rng.choice(TEXT.ask_point), point))
        elif rng.random() < 0.15:
            turns.append(Exchange(rng.choice(TEXT.not_funny), NOT_FUNNY))
        at = (at + 1) % len(TEXT.jokes)
        _, text, point = TEXT.jokes[at]
        turns.append(tell(ask(rng, TEXT.another), text))
    return turns


def hear_joke(rng: Random) -> list[Exchange]:
    """A joke that the person tells."""
    joke = Exchange(rng.choice(TEXT.jokes)[1], GOOD_ONE)
    return [Exchange(rng.choice(TEXT.offers), "Yes, please!"), joke] if rng.random() < 0.4 else [joke]


def riddle(rng: Random, accepted: str = "") -> list[Exchange]:
    """A riddle, guesses at it, and the answer in the end; now and then the person asks it instead."""
    at = rng.randrange(len(TEXT.riddles))
    text, answer, _ = TEXT.riddles[at]
    if not accepted and rng.random() < 0.15:
        return [Exchange(decorate(rng, text), f"I think that is {an(answer)}!")]
    asked = accepted or rng.choice(TEXT.riddle_asks)
    turns = [tell(decorate(rng, asked), text), *solve(rng, at)]
    while rng.random() < 0.25:
        at = (at + 1) % len(TEXT.riddles)
        turns += [tell(ask(rng, TEXT.another), TEXT.riddles[at][0]), *solve(rng, at)]
    return turns


def solve(rng: Random, at: int) -> list[Exchange]:
    """Wrong guesses and hints, then the right answer from one of the two."""
    turns, (_, answer, hint) = [], TEXT.riddles[at]
    while rng.random() < 0.4:
        if rng.random() < 0.3:
            turns.append(Exchange(rng.choice(TEXT.hint), f"{hint} What is it?"))
        elif (wrong := rng.choice(TEXT.guessed)) != answer:
            turns.append(guess(rng, wrong, WRONG))
    if rng.random() < 0.5:
        return [*turns, guess(rng, answer, "Yes, it is {a_noun}! Well done.")]
    return [*turns, Exchange(rng.choice(TEXT.give_up), f"It is {an(answer)}!")]


def guess(rng: Random, noun: str, answer: str) -> Exchange:
    """A guess, and what is said to it."""
    return Exchange(rng.choice(TEXT.guesses), answer, {"noun": noun, "a_noun": an(noun)}, brief=answer)


def fact(rng: Random) -> list[Exchange]:
    """An odd fact, and perhaps the next."""
    at = rng.randrange(len(TEXT.facts))
    turns = [tell(ask(rng, TEXT.fact_asks), TEXT.facts[at], "(|Did you know this? )")]
    while rng.random() < 0.35:
        if rng.random() < 0.4:
            turns.append(Exchange(rng.choice(TEXT.is_that_true), QUITE_TRUE))
        at = (at + 1) % len(TEXT.facts)
        turns.append(tell(ask(rng, TEXT.another), TEXT.facts[at]))
    return turns


def knock(rng: Random) -> list[Exchange]:
    """A knock-knock joke, from either side of the door."""
    if rng.random() < 0.35:
        name, end = rng.choice(TEXT.doors)
        who = name.removesuffix(".")
        asks = (TEXT.knock_asks, TEXT.who_is_there, f"({who}|{who.lower()}) who(?|??|)")
        return [Exchange(*turn) for turn in zip(asks, ("Knock, knock.", name, end), strict=True)]
    who = draw_name(rng) if rng.random() < 0.5 else capital(rng.choice(TEXT.guessed))
    punch_line = rng.choice(TEXT.punch_lines)
    return [
        Exchange(TEXT.knock + "(!|.|)", "Who is there?"),
        Exchange("{who}(.|!|)", "{who} who?", {"who": who}),
        Exchange(punch_line + "(!|.|)", GOOD_ONE, {"who": who}),
    ]
