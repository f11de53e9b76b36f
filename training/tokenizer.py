"""The tokenizer of the embedded model: byte-level BPE, so that any text has tokens and comes back whole.

Every byte has a token, which rare characters fall back to. A digit is always a token of its own: so numbers
that were never seen are made of known parts, and sums can be learnt. What is said to the model begins with a
space, so that its first word has the same tokens as in the middle of an answer, and can be copied there.
Who shouts, or Puts A Capital On Every Word, is read in small letters: capitals throughout say nothing, but
have tokens of their own, rare ones, with which all words would have to be learnt again.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from string import ascii_lowercase

from jinja2 import Environment
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from training.phrases import FOLDER

END_OF_TEXT, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
Sample = tuple[list[int], list[bool]]  # tokens, and which of them the model is to produce
WORD = re.compile(r" ?\w+|[^\w\s]+|\n")
CHAT_TEMPLATE = (FOLDER / "chat_template.jinja").read_text(encoding="utf-8")
TEMPLATE = Environment(trim_blocks=True, lstrip_blocks=True).from_string(CHAT_TEMPLATE)

# Words seen fewer times have no say in the tokens. Most of them are names, which so fall into a few hundred
# small pieces: a small model learns to copy those, as it meets each of them often.
RARE = 40


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """A tokenizer with `vocabulary` tokens; ids 0, 1 and 2 are end of text, message start and message end."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END_OF_TEXT, START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    counts = Counter(word for text in texts for word in WORD.findall(text))
    frequent = (word for word, count in counts.items() if count >= RARE for _ in range(count))
    # The first letter of a name is one token with the space before it, large or small.
    initials = (f" {letter} {letter.upper()}" * RARE for letter in ascii_lowercase)
    tokenizer.train_from_iterator((*frequent, *initials), trainer)
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path, context: int) -> None:
    """Write `tokenizer.json` and `tokenizer_config.json` as Hugging Face lays them out."""
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context,
        "eos_token": END,
        "pad_token": END_OF_TEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


def encode_dialogue(tokenizer: Tokenizer, messages: list[dict[str, str]]) -> Sample:
    """The tokens of a conversation, as the chat template writes it, and which of them the model produces."""
    head = tokenizer.encode(f"{START}assistant\n").ids  # of any answer, and so of the one after a message
    tokens: list[int] = []
    produced: list[bool] = []
    for message in messages:
        text = TEMPLATE.render(messages=[message], add_generation_prompt=True)
        written = tokenizer.encode(text).ids[: -len(head)]
        own = message["role"] == "assistant"
        tokens += written
        # The line break that follows the end of a message is not the model's.
        produced += [own and len(head) <= place < len(written) - 1 for place in range(len(written))]
    return tokens, produced
