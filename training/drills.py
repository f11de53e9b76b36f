"""Drills: short exercises outside of any conversation, where only one thing can help."""

import re
from collections.abc import Iterator
from random import Random

from tokenizers import Tokenizer

from training.skills.numbers.arithmetic import add, subtract
from training.tokenizer import END_OF_TEXT, Sample

PIECE = re.compile("\u0120?[A-Za-z]+")  # letters, and the sign that byte-level BPE has for a space


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
        tokens: list[int] = []
        produced: list[bool] = []
        for _ in range(12):
            exchange, _ = rng.choice((add, subtract))(rng)
            task, result = exchange.answer.rstrip(".").split(" =")
            for part, own in ((task + " =", False), (result + ".", True), ("\n", False)):
                ids = tokenizer.encode(part).ids
                tokens += ids
                produced += [own] * len(ids)
        yield tokens, produced


def plain(tokenizer: Tokenizer, texts: Iterator[str]) -> Iterator[Sample]:
    """Texts to continue, each with its end."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    for text in texts:
        tokens = [*tokenizer.encode(text).ids, end]
        yield tokens, [True] * len(tokens)
