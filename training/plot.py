"""A picture of how a training went."""

import io
from pathlib import Path

import matplotlib
from PIL import Image

matplotlib.use("Agg")
from matplotlib import pyplot

WINDOW = 50  # so many steps have one mean
_COLOURS = 16  # of the picture, so that it is small


def plot_losses(losses: list[float], path: Path) -> None:
    """Draw the loss of each step, and the mean of the last steps, over the steps."""
    means = [sum(losses[max(0, end - WINDOW) : end]) / min(WINDOW, end) for end in range(1, len(losses) + 1)]
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(range(1, len(losses) + 1), losses, color="lightgray", linewidth=0.5, label="each step")
    axes.plot(range(1, len(losses) + 1), means, color="tab:blue", label=f"mean of {WINDOW}")
    axes.set(xlabel="step", ylabel="loss on answers (nats a token)", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    file = io.BytesIO()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)
    Image.open(file).convert("RGB").quantize(_COLOURS).save(path, optimize=True)
