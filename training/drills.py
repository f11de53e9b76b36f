"""Drills: short exercises, each for one thing that long conversations hold too little of."""

import re
from collections.abc import Iterator
from random import Random

from tokenizers import Tokenizer

from training.dialogues import converse
from training.english import capital
from training.phrases import read
from training.skills import TEXT, find
from training.skills.numbers import add, subtract
from training.skills.sequences import spelling
from training.skills.stories import tell_story
from training.talk import begin_talk, draw
from training.tokenizer import END_OF_TEXT, Sample, encode_dialogue

PIECE = re.compile("\u0120?[A-Za-z]+")  # letters, and the sign that byte-level BPE has for a space
UNDERSTOOD = {find(path): share for path, share in TEXT.understood.items()}
REMEMBERED = {tuple(map(find, paths.split(" + "))): share for paths, share in TEXT.remembered.items()}
BEGINNING = 16  # tokens, by which most answers can be told apart


def questions(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Single questions, each with the beginning of its answer.

    Whether a question is understood shows in the first words. The rest of an answer follows from them, has
    long been learnt, and would be half of the price.
    """
    rng = Random(seed)
    for _ in range(count):
        skill = draw(rng, UNDERSTOOD)
        tokens, produced = encode_dialogue(tokenizer, converse(rng, [skill], begin_talk(rng))[:2])
        length = produced.index(True) + BEGINNING
        yield tokens[:length], produced[:length]


def facts(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Facts told and asked for at once."""
    rng = Random(seed)
    for _ in range(count):
        yield encode_dialogue(tokenizer, converse(rng, draw(rng, REMEMBERED), begin_talk(rng)))


def tales(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Stories asked for, whole: what they are to be of comes up all along, not only where they begin."""
    rng = Random(seed)
    for _ in range(count):
        yield encode_dialogue(tokenizer, converse(rng, [tell_story], begin_talk(rng)))


def copying(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Short runs of random pieces of words, each over and over.

    Learnt first and in few steps, the copying is there when dialogues need it; from dialogues alone, where
    names are rare and fluency pays sooner, it takes many times longer. All pieces come up: who says
    "paramedic" needs one that dialogues have only in "parameters", where nothing is copied.
    """
    rng = Random(seed)
    pieces = sorted(token for text, token in tokenizer.get_vocab().items() if PIECE.fullmatch(text))
    for _ in range(count):
        run = rng.choices(pieces, k=rng.randint(4, 12))
        yield (run * 8)[:32], [False] * len(run) + [True] * (32 - len(run))


def sums(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """A dozen sums and differences one after the other, of which the results are learnt."""
    rng = Random(seed)
    for _ in range(count):
        parts = []
        for _ in range(12):
            task, result = rng.choice((add, subtract))(rng)[0].answer.rstrip(".").split(" =")
            parts += [(task + " =", False), (result + ".", True), ("\n", False)]
        yield encode_parts(tokenizer, parts)


def spellings(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """A dozen words one after the other, each with its letters, which are learnt.

    The tokens of a word do not show its letters: that each has them must be learnt by heart.
    """
    rng = Random(seed)
    for _ in range(count):
        parts = []
        for word in rng.sample(read("sequences/letters").words_to_spell, 12):
            asked = rng.choice((word, word.lower(), capital(word)))
            parts += [(f" {asked}\n", False), (f"{spelling(word)}.\n", True)]
        yield encode_parts(tokenizer, parts)


def plain(tokenizer: Tokenizer, texts: Iterator[str]) -> Iterator[Sample]:
    """Texts to continue, each with its end."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    for text in texts:
        tokens = [*tokenizer.encode(text).ids, end]
        yield tokens, [True] * len(tokens)


def encode_parts(tokenizer: Tokenizer, parts: list[tuple[str, bool]]) -> Sample:
    """A text in parts, each with whether it is learnt."""
    encoded = [(tokenizer.encode(text).ids, is_learnt) for text, is_learnt in parts]
    tokens = [token for ids, _ in encoded for token in ids]
    return tokens, [is_learnt for ids, is_learnt in encoded for _ in ids]
