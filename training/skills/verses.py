"""Lists of so many things, words that rhyme, and poems of four lines."""

from random import Random

from training.english import an, capital, in_words, join
from training.names import chain, draw_name, invent_name
from training.phrases import read
from training.phrasing import ask, decorate, exchange, frame
from training.talk import Exchange, Pool, Talk

LISTS = read("lists/asks")
RHYMES = read("rhymes")
POEMS = read("poems")
KINDS = tuple((one, several, things.split(", ")) for one, several, things in read("lists/kinds").kinds)
MOST = 7  # things in a list
# No number, and those that are too many.
SOME = ("some", "a few", "some", "several")
FAMILIES = tuple(tuple(family.split()) for family in RHYMES.families)
COUNTS = {"2": 2, "two": 2, "a couple of": 2, "3": 3, "three": 3}
SUBJECTS = Pool(POEMS.subjects, POEMS.subjects_held_out)


def name_some(rng: Random, talk: Talk) -> list[Exchange]:
    """A list of one to seven things, and now and then some more of them."""
    one, several, things = rng.choice(KINDS)
    wanted = rng.randint(1, MOST)
    # In the order of the table, as a model without a plan can only go on, and not draw and remember.
    first = rng.randrange(len(things))
    drawn = [*things[first:], *things[:first]]
    if wanted == 1:
        asked = ask(rng, LISTS.one, {"KIND1": one, "ONE": an(one)})
        turns = [Exchange(asked, f"Here is {an(one)}: {drawn[0]}.")]
    else:
        number, lead = in_words(wanted) if rng.random() < 0.5 else str(wanted), "Here are"
        if wanted == 3 and rng.random() < 0.5:
            number = rng.choice(SOME)
        elif wanted == 2 and rng.random() < 0.15:
            number = "a couple of"
        elif wanted == MOST and rng.random() < 0.4:
            number, lead = rng.choice(LISTS.too_many), "That is a lot for me! Here are"
        lead += f" {wanted} {several.strip('(').split('|')[0]}:"
        turns = [listing(ask(rng, LISTS.many, {"KIND": several}), lead, drawn[:wanted], number)]
    if wanted < 6 and rng.random() < 0.12:
        turns.append(Exchange(decorate(rng, LISTS.one_more), f"Here is one more: {drawn[wanted]}."))
    elif wanted < 5 and rng.random() < 0.08:
        more = rng.randint(2, 3)
        number, rest = rng.choice((str(more), in_words(more))), drawn[wanted : wanted + more]
        turns.append(listing(decorate(rng, LISTS.some_more), f"Here are {more} more:", rest, number))
    return turns


def listing(asked: str, lead: str, things: list[str], number: str) -> Exchange:
    """A numbered list, as numbers keep the count right; a sentence where few words are wanted."""
    lines = [lead, *(f"{at}. {thing}" for at, thing in enumerate(things, 1))]
    return Exchange(asked, "\n".join(lines), {"number": number}, brief=f"{capital(join(things))}.")


def rhyme(rng: Random, talk: Talk) -> list[Exchange]:
    """Words that rhyme with another, or whether two of them do."""
    return [rng.choices((rhymes_for, no_rhyme, pair), (5, 2, 2))[0](rng)]


def rhymes_for(rng: Random) -> Exchange:
    """Three words that rhyme, or as many as are wanted."""
    family = rng.choice(FAMILIES)
    at = rng.randrange(len(family))
    word, *others = family[at:] + family[:at]
    asked, number, slots = ask(rng, RHYMES.rhyme), 3, {"word": word}
    if rng.random() < 0.2:
        slots["count"], number = rng.choice(list(COUNTS.items()))
        asked = ask(rng, RHYMES.counted)
    elif rng.random() < 0.12:
        asked, number = frame(rng, RHYMES.single[0], "order"), 1
    verb = "rhymes" if number == 1 else "rhyme"
    return Exchange(asked, f"{capital(join(others[:number]))} {verb} with {word}.", slots)


def no_rhyme(rng: Random) -> Exchange:
    """A word outside of all families."""
    word = rng.choice(RHYMES.long) if rng.random() < 0.4 else invent_name(rng).lower()
    if any(word in family for family in FAMILIES):
        return no_rhyme(rng)
    return exchange(rng, RHYMES.rhyme, "I do not know a rhyme for {word}, sorry.", word=word)


def pair(rng: Random) -> Exchange:
    """Whether two words rhyme."""
    family, another = rng.sample(FAMILIES, 2)
    word, other = rng.sample(family, 2)
    answer = f"Yes, {word} and {other} rhyme."
    if rng.random() < 0.5:
        other = rng.choice(another)
        answer = f"No, {word} and {other} do not rhyme."
    return exchange(rng, RHYMES.pair, answer, word=word, other=other)


def poem(rng: Random, talk: Talk) -> list[Exchange]:
    """A poem about what the person names, or about something it picks, and now and then another one."""
    kind = rng.random()
    marks = {"KIND": POEMS.kind, "ABOUT": POEMS.about}
    if kind < 0.1:
        asked = ask(rng, POEMS.poem, marks).replace("{s}", POEMS.own)
        return [Exchange(asked, POEMS.itself, brief=POEMS.itself)]
    if kind < 0.22:
        asked, wanted, subject = ask(rng, POEMS.poem, marks), "me", talk.name or "you"
    elif kind < 0.4:
        wanted = subject = draw_subject(rng)
        asked = ask(rng, POEMS.any, marks)
    else:
        asked, wanted = ask(rng, POEMS.poem, marks), draw_subject(rng)
        subject = wanted.replace("my ", "your ")
    first, second = rng.sample(POEMS.poems, 2)
    turns = [verses(asked, first, subject, {"s": wanted})]
    if rng.random() < 0.12:
        turns.append(verses(decorate(rng, POEMS.again), second, subject, {}))
    return turns


def verses(asked: str, poem: str, subject: str, slots: dict[str, str]) -> Exchange:
    """An exchange with a poem; its first couplet is enough where few words are wanted."""
    text = poem.replace("{s}", "{subject}")
    couplet = "\n".join(text.split("\n")[:2]).rstrip(",:;.!") + "."
    return Exchange(asked, text, slots | {"subject": subject}, brief=couplet)


def draw_noun(rng: Random) -> str:
    """A thing or an animal, at times with an adjective."""
    noun = rng.choice(POEMS.nouns)
    return an(f"{rng.choice(POEMS.adjectives)} {noun}" if rng.random() < 0.4 else noun)


# What a poem may be about: a matter, somebody, or a thing.
draw_subject = chain((0.35, SUBJECTS.draw), (0.55, draw_name), (1, draw_noun))
