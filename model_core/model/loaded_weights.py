"""The weights of a model in memory."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..tape.classifier import LoadedClassifier
from ..tape.distances import PositionRows
from ..tape.operations import Experts, Record
from ..tape.passes import head_products, place_of_taking, products
from ..tape.references import WeightRef
from ..weights.matrix import INTEGERS, NAMES, Matrix

# The weights of a product, by which its matrix is found.
MatrixKey = tuple[WeightRef | PositionRows, ...]


@dataclass(frozen=True, eq=False)
class LoadedWeights:
    """What the loader has read for a tape.

    Attributes:
        records: of the tape, fused.
        matrices: by the `weights` of the products that use them.
        vectors: float32.
        embeddings: as on the tape, in any float type or packed, without that of hidden states if it is the
            head's matrix.
        classifier: that of the tape.
    """

    records: Sequence[Record]
    matrices: Mapping[MatrixKey, Matrix]
    vectors: Mapping[WeightRef, np.ndarray]
    embeddings: Mapping[str, np.ndarray | Matrix]
    classifier: LoadedClassifier | None = None

    @cached_property
    def head(self) -> Matrix | None:
        """The matrix whose products are logits; None if there is none."""
        return next(
            (self.matrices[record.weights] for record in products(self.records) if record.is_head), None
        )

    @property
    def types(self) -> str:
        """The types of matrices that have a twentieth of their bytes or more, the largest part first."""
        sizes: Counter[int] = Counter()
        for matrix in self.matrices.values():
            sizes[matrix.kind] += matrix.nbytes
        parts = [(kind, size) for kind, size in sizes.most_common() if 20 * size >= sizes.total()]
        return ", ".join(NAMES[kind] for kind, _ in parts)

    @property
    def has_integers(self) -> bool:
        """Whether there are matrices of integers."""
        return any(matrix.kind in INTEGERS for matrix in self.matrices.values())

    @property
    def count(self) -> int:
        """About how many weights there are: rows of matrices are padded to whole strips."""
        arrays = (*self.matrices.values(), *self.vectors.values(), *self.embeddings.values())
        return sum(a.n * a.inputs if isinstance(a, Matrix) else a.size for a in arrays)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that all weights take."""
        arrays = (*self.matrices.values(), *self.vectors.values(), *self.embeddings.values())
        return sum(array.nbytes for array in arrays)

    @property
    def bytes_per_token(self) -> int:
        """Bytes of the weights that a step of one token reads: of experts those that it chooses.

        Of separate embeddings it reads one row, which is not counted.
        """
        shares = self._active_shares()
        matrices = sum(int(matrix.nbytes * shares.get(key, 1)) for key, matrix in self.matrices.items())
        return matrices + sum(vector.nbytes for vector in self.vectors.values())

    @property
    def multiplications_per_token(self) -> int:
        """Multiplications for a token, in all layers and the head."""
        shares = self._active_shares()
        return sum(int(m.n * m.k * shares.get(key, 1)) for key, m in self.matrices.items())

    @property
    def multiplications_per_logits(self) -> int:
        """Those that only tokens have which need logits: in the head, and behind the last attention."""
        behind = self.records[place_of_taking(self.records) :]
        keys: set[MatrixKey] = {product.weights for product in products(behind)}
        keys |= {(product.weight,) for product in head_products(behind)}
        shares = self._active_shares()
        return sum(int(m.n * m.k * shares.get(key, 1)) for key, m in self.matrices.items() if key in keys)

    def _active_shares(self) -> dict[MatrixKey, Fraction]:
        """For each matrix of experts, the part that a token uses."""
        return {
            product.weights: Fraction(record.routing.top_k, record.count)
            for record in self.records
            if isinstance(record, Experts)
            for product in (record.gate_up, record.down)
        }
