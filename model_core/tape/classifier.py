"""Layers behind a transformer: they take one pooled vector, and their bits are the same on every machine."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..machine.exact_math import exp
from .references import WeightRef


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), in float64."""
    return 1 / (1 + exp(-x))


def _gelu(x: np.ndarray) -> np.ndarray:
    return np.array([value * (1 + math.erf(value * 0.5**0.5)) / 2 for value in x.tolist()])


# name -> function of float64
ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda x: x,
    "tanh": lambda x: 2 * sigmoid(2 * x) - 1,
    "sigmoid": sigmoid,
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x * sigmoid(x),
    "gelu": _gelu,
}


@dataclass(frozen=True)
class Dense:
    """norm(activation(weight x + bias)) for one vector, with a residual if it has one.

    Attributes:
        weight: float32 [outputs, inputs]. bias: float32 [outputs].
        activation: a key of ACTIVATIONS.
        norm: float32 [outputs], the weights of a layer norm (arXiv:1607.06450), with its `eps`.
        residual: float32 [outputs, inputs], whose product with x is added behind the activation.
        adds_input: x itself is added behind the activation.
    """

    weight: np.ndarray
    bias: np.ndarray | None = None
    activation: str = "identity"
    norm: np.ndarray | None = None
    eps: float = 0.0
    residual: np.ndarray | None = None
    adds_input: bool = False

    def apply(self, x: np.ndarray) -> np.ndarray:
        """float32 [inputs] -> float32 [outputs]."""
        # NumPy sums in an order that depends on the shape alone; a product by BLAS would not.
        y = np.multiply(self.weight, x, dtype=np.float64).sum(axis=1)
        y = ACTIVATIONS[self.activation](y if self.bias is None else y + self.bias)
        if self.residual is not None:
            y = y + np.multiply(self.residual, x, dtype=np.float64).sum(axis=1)
        if self.adds_input:
            y = y + x
        if self.norm is not None:
            y = y - y.mean()
            y = y / math.sqrt(np.mean(y * y) + self.eps) * self.norm
        return y.astype(np.float32)


@dataclass(frozen=True)
class ClassifierLayer:
    """norm(activation(weight x + bias)): a layer after pooling. `norm`: of a layer norm."""

    weight: WeightRef
    bias: WeightRef | None = None
    activation: str = "identity"
    norm: WeightRef | None = None
    eps: float = 0.0


@dataclass(frozen=True)
class Classifier:
    """How the hidden states of a text become one score: pooled (see pooling.py), then through the layers."""

    pooling: str
    layers: tuple[ClassifierLayer, ...]


@dataclass(frozen=True)
class LoadedClassifier:
    """A Classifier with its weights."""

    pooling: str
    layers: tuple[Dense, ...]
