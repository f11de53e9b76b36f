"""The mean of two trained models, of which more is right than of either: `python -m training.soup`."""

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer

from model_core import LLM
from training.evaluate import evaluate
from training.tokenizer import save_tokenizer
from training.train import CONTEXT, load_model, mix


def main() -> None:
    """Mix two models, save the mean, and examine it."""
    parser = argparse.ArgumentParser(
        prog="python -m training.soup", description=__doc__.partition(":")[0] + "."
    )
    parser.add_argument("first", type=Path, help="folder of a model that --start of training made")
    parser.add_argument("second", type=Path, help="folder of another, trained from the same start")
    parser.add_argument("--share", type=float, default=0.5, help="of the second (%(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the mean to")
    arguments = parser.parse_args()

    tokenizers = [Tokenizer.from_file(str(f / "tokenizer.json")) for f in (arguments.first, arguments.second)]
    if tokenizers[0].to_str() != tokenizers[1].to_str():
        parser.error("the two have different tokenizers, so they do not come from the same model.")
    model = load_model(arguments.first)
    mix(model, load_model(arguments.second), arguments.share)
    model.to(torch.bfloat16).save_pretrained(arguments.out)
    save_tokenizer(tokenizers[0], arguments.out, CONTEXT)
    with LLM(arguments.out) as llm:
        evaluate(llm)


if __name__ == "__main__":
    main()
