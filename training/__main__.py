"""The whole recipe: `python -m training --out FOLDER`."""

import argparse
from dataclasses import replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from model_core import LLM
from training.dialogues import dialogues, stories
from training.evaluate import evaluate
from training.plot import plot_losses
from training.tokenizer import save_tokenizer, train_tokenizer
from training.train import CONTEXT, FURTHER, Recipe, train


def main() -> None:
    """Generate text, train a tokenizer and a model on it, save both, and examine the model."""
    about = """Makes the embedded model from nothing: in about two hours on 2 cores that multiply bfloat16,
        six on others, or a few minutes on a GPU where there is one. Interrupted, it goes on where it was."""
    parser = argparse.ArgumentParser(prog="python -m training", description=about)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    start = "a model made by this before, to teach what has been added to the text since"
    parser.add_argument("--start", type=Path, help=start)
    steps = f"training steps ({Recipe.steps}, or {FURTHER.steps} with --start)"
    parser.add_argument("--steps", type=int, help=steps)
    parser.add_argument("--threads", type=int, default=2, help="threads to compute with (%(default)s)")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    out, start = arguments.out, arguments.start
    out.mkdir(parents=True, exist_ok=True)
    recipe = FURTHER if start else Recipe()
    recipe = replace(recipe, steps=arguments.steps or recipe.steps)
    checkpoint = out / "training.checkpoint"
    tokenizer = tokenizer_for(recipe, out if checkpoint.exists() else start)
    save_tokenizer(tokenizer, out, CONTEXT)
    try:
        model, losses = train(tokenizer, recipe, checkpoint, start)
    except ValueError as error:
        parser.error(str(error))
    model.to(torch.bfloat16).save_pretrained(out)
    plot_losses(losses, out / "loss.png")
    checkpoint.unlink(missing_ok=True)
    with LLM(out) as llm:
        evaluate(llm)


def tokenizer_for(recipe: Recipe, folder: Path | None) -> Tokenizer:
    """The tokenizer of a training begun before, in `folder`, or one trained on text of its own seed."""
    if folder:
        return Tokenizer.from_file(str(folder / "tokenizer.json"))
    texts = [message["content"] for messages in dialogues(recipe.seed, 12000) for message in messages]
    return train_tokenizer([*texts, *stories(recipe.seed, 500)], recipe.vocabulary)


if __name__ == "__main__":
    main()
