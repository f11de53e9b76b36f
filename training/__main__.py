"""The whole recipe: `python -m training --out FOLDER`."""

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer

from model_core import LLM
from training.dialogues import dialogues, stories
from training.evaluate import evaluate
from training.tokenizer import save_tokenizer, train_tokenizer
from training.train import CONTEXT, Recipe, train


def main() -> None:
    """Generate text, train a tokenizer and a model on it, save both, and print a small evaluation."""
    parser = argparse.ArgumentParser(
        prog="python -m training",
        description="Makes the embedded model, from nothing, in about 20 minutes on 2 cores.",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    parser.add_argument("--steps", type=int, default=Recipe.steps, help="training steps (%(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads to compute with (%(default)s)")
    parser.add_argument("--resume", type=Path, help="checkpoint to go on from, or to begin and write")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    recipe = Recipe(steps=arguments.steps)
    tokenizer = tokenizer_for(recipe)
    model = train(tokenizer, recipe, arguments.resume)
    save_tokenizer(tokenizer, arguments.out, CONTEXT)
    model.save_pretrained(arguments.out)
    evaluate(LLM(arguments.out))


def tokenizer_for(recipe: Recipe) -> Tokenizer:
    """The tokenizer of a recipe, trained on text of its own seed."""
    texts = [message["content"] for messages in dialogues(recipe.seed, 8000) for message in messages]
    return train_tokenizer([*texts, *stories(recipe.seed, 500)], recipe.vocabulary)


if __name__ == "__main__":
    main()
