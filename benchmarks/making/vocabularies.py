"""Byte-level vocabularies of any size, for models of random weights."""

from itertools import islice, product
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

END_TOKEN = "<|end|>"
_JSON_PIECES = ['":', '",', '":"', '","', "},", "}}", "],", "{}", "[]", '{"', '["', '"}', '"]', "00", "10"]


def make_tokenizer(size: int) -> Tokenizer:
    """A BPE tokenizer with `size` tokens, from 1,000 on: bytes, pieces of JSON, and words of some syllables.

    Its last token ends an answer.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = dict.fromkeys(alphabet)
    merges: list[tuple[str, str]] = []

    def merge(left: str, right: str) -> None:
        if left + right not in vocabulary and len(vocabulary) < size - 1:
            vocabulary[left + right] = None
            merges.append((left, right))

    for piece in _JSON_PIECES:
        for end in range(1, len(piece)):
            merge(piece[:end], piece[end])
    syllables = ["".join(pair) for pair in product("bdfghjklmnprstvz", "aeiou")]
    for consonant, vowel in syllables:
        merge(consonant, vowel)
    words = syllables
    while len(vocabulary) < size - 1:  # with one more syllable each time
        for word in words:
            merge("Ġ", word)  # with a space in front
        pairs = list(islice(product(words, syllables), size))
        for left, right in pairs:
            merge(left, right)
        words = [left + right for left, right in pairs]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(vocabulary)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(END_TOKEN, special=True)])
    return tokenizer


def write_tokenizer(size: int, folder: Path) -> None:
    """Write tokenizer.json and tokenizer_config.json for a vocabulary of this size."""
    make_tokenizer(size).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(f'{{"eos_token": "{END_TOKEN}"}}\n')
