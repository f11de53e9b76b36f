"""The mean of two trained models, of which more is right than of either."""

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer

from model_core import LLM
from training.evaluate import evaluate
from training.tokenizer import save_tokenizer
from training.train import CONTEXT, load_model, mix


def mean(first: Path, second: Path, share: float, out: Path) -> None:
    """Write the model between two, by a share of the way from the first, to `out`.

    ValueError: they have different tokenizers.
    """
    tokenizers = [Tokenizer.from_file(str(folder / "tokenizer.json")) for folder in (first, second)]
    if tokenizers[0].to_str() != tokenizers[1].to_str():
        raise ValueError(f"{first} and {second} have different tokenizers; choose two of the same start.")
    model = load_model(first)
    mix(model, load_model(second), share)
    model.to(torch.bfloat16).save_pretrained(out)
    save_tokenizer(tokenizers[0], out, CONTEXT)


def main() -> None:
    """Mix two models, save the mean, and examine it."""
    parser = argparse.ArgumentParser(prog="python -m training.soup", description=__doc__)
    parser.add_argument("first", type=Path, help="folder of a model that --start of training made")
    parser.add_argument("second", type=Path, help="folder of another, trained from the same start")
    parser.add_argument("--share", type=float, default=0.5, help="of the second (%(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the mean to")
    arguments = parser.parse_args()

    try:
        mean(arguments.first, arguments.second, arguments.share, arguments.out)
    except ValueError as error:
        parser.error(str(error))
    with LLM(arguments.out) as llm:
        evaluate(llm)


if __name__ == "__main__":
    main()
