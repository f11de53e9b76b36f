"""AltUp (Baykal et al., 2023, arXiv:2301.13310): several copies of the hidden states.

A layer predicts all copies from those before it, computes the active one, and corrects all predictions by the
error of this one. Used by Gemma 3n.
"""

from dataclasses import dataclass

from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig


@dataclass(frozen=True)
class AltUpConfig(ModelConfig):
    """`copies` of the hidden states, of which layers compute number `active`."""

    copies: int
    active: int


def write_copies(t: Tape, c: AltUpConfig, x: Span) -> list[Span]:
    """x, and projections of it with the magnitude of x."""
    magnitude, copies = t.root_mean_square(x, "magnitude"), [x]
    for j in range(1, c.copies):
        y = t.project(x, f"copy_{j}", f"model.altup_projections.{j - 1}", c.hidden_size)
        copies.append(_rescale(t, y, magnitude))
    return copies


def write_mean(t: Tape, c: AltUpConfig, copies: list[Span]) -> Span:
    """The mean of the first copy, which is overwritten, and projections of the others with its magnitude."""
    x, *others = copies
    magnitude = t.root_mean_square(x, "magnitude")
    for j, copy in enumerate(others):
        y = t.project(copy, "out", f"model.altup_unembed_projections.{j}", c.hidden_size)
        t.add(x, _rescale(t, y, magnitude))
    return t.scale(x, 1 / c.copies)


def _rescale(t: Tape, x: Span, magnitude: Span) -> Span:
    """x with the root mean square `magnitude`."""
    return t.map("multiply", t.norm(x, None, 0.0, floor=1e-5), magnitude)


def write_predictions(t: Tape, c: AltUpConfig, copies: list[Span], i: int) -> list[Span]:
    """What the copies are after layer i, before it is computed: each plus a weighted sum of all copies."""
    weights = _write_coefficients(t, c, copies[c.active], i, "prediction_coefs", c.copies**2)
    predictions = []
    for j, y in enumerate(copies):
        for k, copy in enumerate(copies):
            weight = Span(weights.buffer, j * c.copies + k, 1)
            y = t.map("multiply_add", y, copy, weight, to=f"prediction_{j}")
        predictions.append(y)
    return predictions


def write_corrections(
    t: Tape, c: AltUpConfig, copies: list[Span], predictions: list[Span], y: Span, i: int
) -> None:
    """Write predictions + (1 + coefficients) * (y - active prediction) to the copies.

    y: what layer i computes of the active prediction. It is overwritten.
    """
    weights = _write_coefficients(t, c, y, i, "correction_coefs", c.copies)
    error = t.add(y, predictions[c.active], -1.0)
    for j, (copy, prediction) in enumerate(zip(copies, predictions, strict=True)):
        weight = Span(weights.buffer, j, 1)
        t.map("multiply_add", t.add(prediction, error), error, weight, to=copy.buffer)


def _write_coefficients(t: Tape, c: AltUpConfig, x: Span, i: int, name: str, count: int) -> Span:
    """W tanh(R norm(x) / hidden_size): `count` coefficients, where x is the active copy."""
    p = f"model.layers.{i}.altup"
    h = t.scale(t.norm(x, f"{p}.router_norm", c.norm_eps, to="h"), 1 / c.hidden_size)
    modalities = t.map("tanh", t.score(h, f"{p}.modality_router", c.copies))
    return t.project(modalities, "coefficients", f"{p}.{name}", count)
