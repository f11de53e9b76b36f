"""Spelling: the letters of common words, how many they are, and numbers in words."""

from random import Random

from training.asking import order, question
from training.english import capital, in_words
from training.names import invent_name
from training.phrasing import lines, mannered
from training.skills.sequences.counting import made
from training.talk import Exchange, Talk, words

# The only words whose letters it learns.
SPELT = words("""
    cat dog sun hat red blue green house tree book fish bird milk bread apple water happy hello friend school
    mouse moon star cake love Anna Ben Tom Mia Leo Eva Max Ida Sam Lily Paul Emma Noah
    elephant tiger lion horse rabbit monkey snake frog duck sheep bear banana orange lemon cherry carrot
    potato tomato cheese butter sugar pizza soup egg tea coffee juice rain snow wind cloud river sea beach
    mountain forest flower garden grass leaf stone fire earth sky day night week month year time clock
    mother father sister brother baby girl boy man woman child family teacher doctor king queen car bus
    train plane boat bike street city town door window table chair bed lamp kitchen room roof wall garden
    computer phone letter paper pencil pen music song game ball toy doll party birthday holiday summer winter
    spring autumn yellow black white brown pink purple grey big small good bad new old hot cold fast slow
    one two three four five six seven eight nine ten yes no thanks please sorry because beautiful
    tomorrow yesterday morning evening Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    January February August October December Peter Maria David Lisa Sara Alex Daniel Julia Adam Lucy Jack Nina
""")
NO_SPELLING = "I can only spell a few short words, sorry."

SPELL = lines("""
    (spell|spell out|please spell) (the word |){word}
    (write|say|type|tell me|give me) (the word |){word} letter by letter
    (write|say|spell|type) {word} (with hyphens|with the letters apart|one letter at a time|slowly)
    (give|tell|show) me (all |)the letters (of|in) (the word |){word}
    (break|split|take apart|cut) (the word |){word}( into (its |single |)letters|)
    (tell|show|teach) me (how to spell|how you spell|the spelling of) (the word |){word}
    (tell|show) me how {word} is (spelt|spelled|written)
    (list|name|say|write down) the letters (that make|in|of) (the word |){word}
    (help me spell|help me to spell|help me write) (the word |){word}
    spell {word} (out loud|for me|correctly|aloud|letter for letter)
""")
HOW_SPELL = lines("""
    how (do|would|can|should) (you|I|we|they) (spell|write) (the word |){word}( correctly| properly|)
    how is (the word |){word} (spelled|spelt|written)
    (what are the letters (of|in)|which letters are in|what letters are in|which letters has) (the word |
        ){word}
    (what is|what's) the (spelling|correct spelling|right spelling) of {word}
    (which|what) letters (do I need|do I write|are needed) for {word}
    {word}(,| -|:) how (do you|do I|would you|to) (spell|write) (it|that)
    how to spell {word}
""")
SPELL_SAID = lines("""
    (spelling|spell|letters)(:| of| -) {word}(.|?|, please| please|)
    {word}(:|,| -) (spelling|spell it|letters|letter by letter|spell please|its letters)(.|?|)
    (I (forgot|don't know|can't remember|never know|am not sure|keep forgetting)|no idea|
        remind me) how to (spell|
        write) {word}(.|)
    (I don't know|I'm not sure|I can't remember|I forgot) how {word} is (spelt|spelled|written)(.|)
    my (son|daughter|grandson|student) (wants|needs|has) to (spell|write) {word}(. How?| - how is it spelled?|
        . Can you spell it?|. Spell it, please.)
    (I am writing a letter|I am writing a card|I have a spelling test)(. |, )(how do I spell|
        how is it spelled:|
        please spell) {word}?
    (the word is|my word is|next word|the next word is|and now|now)(:|) {word}. (Spell it|How is it spelled|
        Letters, please|Spell that)(.|)
""")
SPELL_MINE = lines("""
    (spell|can you spell|please spell|could you spell|try to spell) my name(.|)
    how (do|would) (you|I) (spell|write) my name?
    how is my name (spelled|spelt|written)?
    (write|say|give me|tell me) my name letter by letter(.|)
    (which|what) letters (are in|make) my name?
    (the letters of my name|my name in letters|my name letter by letter)(, please| please|.|)
    (do you know|can you tell me|tell me|show me) how (my name is (spelled|spelt|written)|
        to spell my name)(?|)
    (I bet you can't|can you even|are you able to) spell my name(?|)
""")
LETTER_COUNT = lines("""
    how many letters (does the word {word} have|has {word}|are in {word}|does {word} have|are there in {word})
    how many letters (are there |are |)in (the word |){word}
    how many letters does (the word |){word} (contain|have)
    how long is the word {word}
    (what is|what's) the (length of the word|number of letters in|number of letters of) {word}
    (the word |){word} has how many letters
    {word}(:|,) how many letters
    how many letters make (the word |){word}
    how many letters do I need (for|to write) {word}
    (can you count|have you counted) the letters (in|of) (the word |){word}
""")
IN_WORDS = lines("""
    (write|spell|say|give me|type|show me|tell me) {n} (in words|in letters|as a word|as words|
        in English words)
    (write|spell) (out |)the number {n}( in words| out|)
    (write|spell) {n} (out|in full|with letters)
    (put|turn|change) (the number |){n} into (words|letters)
    (tell|show) me how (to write|you write|one writes) {n} in (words|letters)
    (say|give me) the (word|words) for (the number |){n}
""")
IN_WORDS_SAID = lines("""
    how (do|would|can) (you|I|we) (write|spell|say) {n} in (words|letters)?
    how do (you|I) spell (the number |){n}?
    {n} (in words|as a word|in letters|written out|as words)(, please| please|.|?|)
    how is (the number |){n} (spelt|spelled|written in words|written in letters)?
    (what is|what's) {n} (in words|in letters|as a word|written out)?
    (I am writing|I have to write) a cheque(. |, )(what is|how do I write) {n} in words?
    (which|what) is the word for (the number |){n}?
""")


def spell(rng: Random, talk: Talk) -> list[Exchange]:
    """The letters of a word it knows, how many they are, and numbers in words."""
    word = rng.choice(SPELT)
    kind = rng.random()
    if kind < 0.2:
        n = rng.randint(0, 99)
        answer = f"{capital(in_words(n))}."
        if rng.random() < 0.4:
            return [made(rng, mannered, IN_WORDS_SAID, answer, n=str(n))]
        return [made(rng, order, IN_WORDS, answer, n=str(n))]
    if kind < 0.32 and talk.name:
        answer = f"{spelling(talk.name)}." if talk.name in SPELT else NO_SPELLING
        return [Exchange(mannered(rng, rng.choice(SPELL_MINE)), answer)]
    if kind < 0.45:
        return [made(rng, question, LETTER_COUNT, f"The word {word} has {len(word)} letters.", word=word)]
    answer = f"{spelling(word)}."
    if kind < 0.57:
        word, answer = invent_name(rng).lower(), NO_SPELLING
    frame, asks = rng.choice(((question, HOW_SPELL), (order, SPELL), (mannered, SPELL_SAID)))
    return [made(rng, frame, asks, answer, word=word)]


def spelling(word: str) -> str:
    """A word letter by letter."""
    return " - ".join(word)
