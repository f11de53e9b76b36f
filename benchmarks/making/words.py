"""A model of a known shape with random weights whose tokens are words, so that it can serve conversations."""

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers

from .checkpoints import build_folder
from .shapes import SHAPES, make_checkpoint

_TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"


def make_word_model(shape: str, folder: Path, **config: Any) -> Path:
    """The folder of a model of this shape, which is made if it does not exist. `config`: changes of it.

    Its chat template joins the messages, so a conversation has as many tokens as words.
    """

    def build(partial: Path) -> None:
        known = {**SHAPES[shape], "eos_token_id": None, "bos_token_id": None, **config}
        make_checkpoint(known, partial)
        words = {word(number): number for number in range(known["vocab_size"])}
        tokenizer = Tokenizer(models.WordLevel(words, unk_token=word(0)))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.save(str(partial / "tokenizer.json"))
        settings = {"chat_template": _TEMPLATE, "tokenizer_class": "PreTrainedTokenizerFast"}
        (partial / "tokenizer_config.json").write_text(json.dumps(settings))

    return build_folder(folder, build)


def word(number: int) -> str:
    """The text of a token."""
    return f"w{number}"
