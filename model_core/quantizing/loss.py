"""What rounding costs a model: how far its distributions of next tokens are from those of the exact one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Loss:
    """What is lost, over all positions of some texts.

    Attributes:
        perplexity_before, perplexity_after: exp of the mean of -log(probability) of the tokens that follow.
        divergence: the mean Kullback-Leibler divergence from the exact distributions, in nats.
        high_divergence: its 99th percentile.
        agreement: how often both have the same likeliest token, 0 to 1.
    """

    perplexity_before: float
    perplexity_after: float
    divergence: float
    high_divergence: float
    agreement: float

    @property
    def perplexity_change(self) -> float:
        """As a fraction."""
        return self.perplexity_after / self.perplexity_before - 1


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log probabilities of logits [tokens, vocabulary], float32."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True, dtype=np.float64)).astype(np.float32)


class ExactTexts:
    """The log probabilities of an exact model for some texts, on the disk: they are large.

    texts: token ids of each, two or more.
    """

    def __init__(self, texts: Sequence[Sequence[int]], logits: Iterable[np.ndarray], folder: Path) -> None:
        """logits: those of each text, float32 [tokens, vocabulary]."""
        self.texts, self._folder = texts, folder
        for number, (_, found) in enumerate(zip(texts, logits, strict=True)):
            np.save(self._file(number), log_softmax(found))

    def compare(self, logits: Iterable[np.ndarray]) -> Loss:
        """What is lost by another model with these logits for the same texts."""
        divergences, agreements, exact_losses, losses = [], [], [], []
        for number, (text, found) in enumerate(zip(self.texts, logits, strict=True)):
            exact, rounded = np.load(self._file(number)), log_softmax(found)
            divergences.append((np.exp(exact) * (exact - rounded)).sum(axis=1, dtype=np.float64))
            agreements.append(exact.argmax(axis=1) == rounded.argmax(axis=1))
            places = np.arange(len(text) - 1), text[1:]
            exact_losses.append(-exact[places].astype(np.float64))
            losses.append(-rounded[places].astype(np.float64))
        divergence = np.concatenate(divergences)
        return Loss(
            perplexity_before=float(np.exp(np.concatenate(exact_losses).mean())),
            perplexity_after=float(np.exp(np.concatenate(losses).mean())),
            divergence=float(divergence.mean()),
            high_divergence=float(np.quantile(divergence, 0.99)),
            agreement=float(np.concatenate(agreements).mean()),
        )

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.npy"
