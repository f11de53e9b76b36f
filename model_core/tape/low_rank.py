"""What an adapter changes of a model."""

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from .references import WeightRef


@final
@dataclass(frozen=True)
class LowRank:
    """W + scale * B A instead of a tensor W [n, k] (LoRA, Hu et al., 2021, arXiv:2106.09685).

    Attributes:
        a, b: [rank, k] and [n, rank], of any float type.
    """

    a: np.ndarray
    b: np.ndarray
    scale: float

    @property
    def rank(self) -> int:
        """Rows of A."""
        return len(self.a)

    def part(self, weight: WeightRef) -> np.ndarray:
        """The rows of B for a part of the tensor."""
        return replace(weight, is_transposed=False).select(self.b)


@dataclass(frozen=True)
class Adapter:
    """The changes, by the names of tensors of the checkpoint.

    Attributes:
        products: of matrices.
        embeddings: of tables with a row for each token: the row of token t becomes W[t] + scale * A[t] B^T,
            with A [tokens, rank] and B [columns, rank].
        replaced: tensors that take the place of others. If the head's matrix is that of the embedding, a
            table replaces the embedding alone, and "lm_head.weight" the head.
    """

    products: dict[str, LowRank] = field(default_factory=dict)
    embeddings: dict[str, LowRank] = field(default_factory=dict)
    replaced: dict[str, np.ndarray] = field(default_factory=dict)
