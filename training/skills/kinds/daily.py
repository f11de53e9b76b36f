"""Everyday facts of a person: looks, instruments and languages, the colours of things."""

from collections.abc import Callable
from random import Random

from training.names import invent_name
from training.phrasing import lines
from training.skills.kinds.daily_values import (
    COLOURED,
    EYE_COLOURS,
    HAIR_COLOURS,
    INSTRUMENTS,
    LANGUAGES,
    mostly,
    value_of,
)
from training.skills.kinds.owned import one_of, owned
from training.talk import Kind
from training.values import draw_colour, invent_word


def fact(
    key: str,
    draw: Callable[[Random], dict[str, str]],
    clause: str,
    unknown: str,
    *,
    says: str,
    asks: str,
    indirect: str,
    checks: str,
    changes: str,
    replies: str = "",
    nouns: str = "",
    third: str = "",
) -> Kind:
    """A kind of fact, its templates given one a line."""
    return Kind(
        key=key,
        draw=draw,
        clause=clause,
        says=lines(says),
        asks=lines(asks),
        indirect=lines(indirect),
        unknown=f"You have not told me {unknown}",
        checks=lines(checks),
        third=lines(third),
        nouns=lines(nouns),
        replies=("{value}", "{value}(.|!|)", "(it's|it is|that's) {value}(.|)", *lines(replies)),
        changes=lines(changes),
    )


HAIR = fact(
    "hair colour",
    value_of(mostly(HAIR_COLOURS, draw_colour)),
    "your hair colour is {value}",
    "your hair colour yet. What is it?",
    says="""
        my hair is {value}
        I have {value} hair
        I've got (long |short |curly |straight |){value} hair
        my hair (colour|color) is {value}
        {value} is my hair (colour|color)
        the (colour|color) of my hair is {value}
        (I'm|I am) the one with the {value} hair
        I was born with {value} hair( and still have it|)
        my hair(: |? It's |, it's ){value}
    """,
    asks="""
        (what|which) (colour|color) (is|has) my hair( again|)?
        what (colour|color) hair do I have?
        what is the (colour|color) of my hair?
        (what is|what's) my hair (colour|color)?
        what does my hair look like?
        which hair (colour|color) do I have?
        hair (colour|color)?
        how would you paint my hair?
    """,
    indirect="""
        what (colour|color) my hair is
        what my hair (colour|color) is
        the (colour|color) of my hair
        my hair (colour|color)
    """,
    checks="""
        is my hair {value}?
        do I have {value} hair?
        my hair is {value}, (right|isn't it)?
        is {value} my hair (colour|color)?
    """,
    changes="""
        I (dyed|coloured|colored) my hair {value}
        my hair is {value} now
        my hair is {value}, not {old}
        my hair is no longer {old}(,| but) {value}
        I went to the hairdresser and now my hair is {value}
    """,
    replies="my hair is {value}(.|)\n{value} hair(.|)",
    nouns="hair (colour|color)",
    third="has {value} hair\n's hair is {value}",
)
EYES = fact(
    "eye colour",
    value_of(mostly(EYE_COLOURS, draw_colour)),
    "your eye colour is {value}",
    "your eye colour yet. What is it?",
    says="""
        my eyes are {value}
        I have {value} eyes
        I've got (big |nice |){value} eyes
        my eye (colour|color) is {value}
        {value} is my eye (colour|color)
        the (colour|color) of my eyes is {value}
        (like my mother|like my father|like my dad), I have {value} eyes
        everyone (notices|likes) my {value} eyes
    """,
    asks="""
        (what|which) (colour|color) (are|have) my eyes( again|)?
        what (colour|color) eyes do I have?
        what is the (colour|color) of my eyes?
        (what is|what's) my eye (colour|color)?
        what do my eyes look like?
        eye (colour|color)?
        how would you paint my eyes?
    """,
    indirect="""
        what (colour|color) my eyes are
        what my eye (colour|color) is
        the (colour|color) of my eyes
        my eye (colour|color)
    """,
    checks="are my eyes {value}?\ndo I have {value} eyes?\nmy eyes are {value}, (right|aren't they)?",
    changes="""
        my eyes are {value}, not {old}
        I looked in the mirror, my eyes are really {value}
        my eyes are not {old}(,| but) {value}
    """,
    replies="my eyes are {value}(.|)\n{value} eyes(.|)",
    nouns="eye (colour|color)",
    third="has {value} eyes",
)
PAINTED = fact(
    "{who}: colour",
    owned(one_of(COLOURED), draw_colour),
    "your {who} is {value}",
    "what colour your {who} is.",
    says="""
        the (colour|color) of my {who} is {value}
        my {who} is painted {value}
        my {who} has the (colour|color) {value}
        I have a {who}, the (colour|color) is {value}
        my {who} comes in {value}
        my new {who} is {value}
        I (bought|got|chose) my {who} in {value}
        my {who} is {value} in (colour|color)
        {value} is the (colour|color) of my {who}
        my {who} is (completely|all|bright|mostly) {value}
        the {who} I (have|own|bought) is {value}
    """,
    asks="""
        what (colour|color) is my {who}( again|)?
        which (colour|color) (is|has) my {who}?
        (what is|what's) the (colour|color) of my {who}?
        what's my {who}'s (colour|color)?
        my {who} is what (colour|color)?
        (colour|color) of my {who}?
        in (which|what) (colour|color) did I (buy|get|choose) my {who}?
        what (colour|color) does my {who} have?
        what (colour|color) did I say my {who} is?
    """,
    indirect="""
        what (colour|color) my {who} is
        the (colour|color) of my {who}
        (which|what) (colour|color) my {who} has
    """,
    checks="is my {who} {value}?\nmy {who} is {value}, (right|isn't it)?\nis {value} the colour of my {who}?",
    changes="""
        I (painted|repainted|dyed) my {who}(, it's| and now it is) {value}
        my {who} is {value}, not {old}
        my {who} is {value} now
        the (colour|color) of my {who} is {value}, not {old}
    """,
)
PLAYS = fact(
    "instrument",
    value_of(mostly(INSTRUMENTS, invent_word)),
    "you play the {value}",
    "which instrument you play.",
    says="""
        I play the {value}
        I play the {value} (in a band|in the orchestra|badly|quite well|every day|a little)
        (I'm|I am) learning (to play |)the {value}
        my instrument is the {value}
        the {value} is my instrument
        the instrument I play is the {value}
        I've (played|been playing) the {value} (for years|since I was six|for a while)
        I (practise|practice) the {value} every (day|evening|morning)
        I take lessons on the {value}
        I can play the {value}
        I have {value} lessons (on Mondays|once a week|after school)
    """,
    asks="""
        (which|what) instrument do I play( again|)?
        what do I play( in the band| in the orchestra)?
        (what is|what's) my instrument?
        (which|what) instrument (am I learning|can I play|do I practise)?
        do I play an instrument?
        what instrument did I say I play?
        on (which|what) instrument do I take lessons?
        instrument?
    """,
    indirect="""
        (which|what) instrument I play
        what my instrument is
        which instrument I (can play|am learning)
    """,
    checks="do I play the {value}?\nis the {value} my instrument?\nI play the {value}, (right|don't I)?",
    changes="""
        I play the {value}, not the {old}
        I gave up the {old}(,| and) now I play the {value}
        I switched from the {old} to the {value}
        I play the {value} now
    """,
    nouns="instrument",
    third="plays the {value}",
)
SPEAKS = fact(
    "spoken language",
    value_of(mostly(LANGUAGES, invent_name)),
    "you speak {value}",
    "which language you speak.",
    says="""
        I speak {value}
        I speak {value} (at home|with my family|with my parents|quite well|fluently|every day)
        my first language is {value}
        at home we speak {value}
        I grew up (speaking|with) {value}
        the language I speak is {value}
        {value} is the language I speak
        English is hard for me, I speak {value}
        I can speak {value}
        I usually speak {value}, so sorry for my English
    """,
    asks="""
        (which|what) language do I speak( again| at home|)?
        what do I speak( at home| with my family)?
        (which|what) language (can I speak|did I grow up with|do I use at home)?
        what language did I say I speak?
        what is the language I speak?
        (which|what) language should (you|people) speak with me?
        my language?
    """,
    indirect="""
        (which|what) language I speak
        what I speak at home
        the language I speak
        which language I grew up with
    """,
    checks="do I speak {value}?\nis {value} the language I speak?\nI speak {value}, (right|don't I)?",
    changes="""
        I speak {value}, not {old}
        we stopped speaking {old}, now I speak {value}
        I don't speak {old}(,| but) {value}
    """,
    third="speaks {value}",
)
LEARNS = fact(
    "new language",
    value_of(mostly(LANGUAGES, invent_name)),
    "you are learning {value}",
    "which language you are learning.",
    says="""
        (I'm|I am) learning {value}
        (I'm|I am) trying to learn {value}
        (I've|I have) (just |)started (to learn|learning) {value}
        I take {value} lessons
        I do a course in {value}
        the language (I'm|I am) learning is {value}
        this year I want to learn {value}
        (I'm|I am) learning {value} (with an app|at school|for my job|on my own|because of my girlfriend)
    """,
    asks="""
        (which|what) language am I learning( again|)?
        (which|what) language am I trying to learn?
        (which|what) language do I (want to learn|take lessons in)?
        what language did I say I am learning?
        what am I learning?
        I'm learning a new language, which one?
    """,
    indirect="""
        (which|what) language (I am|I'm) learning
        what (I am|I'm) learning
        the language (I am|I'm) learning
    """,
    checks="am I learning {value}?\nI'm learning {value}, (right|correct)?\nis {value} what I'm learning?",
    changes="""
        I gave up {old}(,| and) now I'm learning {value}
        I'm learning {value}, not {old}
        {old} was too hard, so now I'm learning {value}
    """,
    third="is learning {value}",
)
