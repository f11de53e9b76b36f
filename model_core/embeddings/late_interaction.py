"""Scores by the vectors of all tokens of a query and a document, which meet at last (ColBERT).

Khattab and Zaharia, 2020, arXiv:2004.12832; the queries, documents and files are those of PyLate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..tape.classifier import Dense
from .pooling import normalize


@dataclass(frozen=True)
class LateInteraction:
    """How queries and documents become tokens, and which of them count.

    Attributes:
        query_prefix, document_prefix: the ids of tokens behind the first one, None for none.
        query_length, document_length: the most tokens of each, with the prefix.
        filler: the token that queries are filled up with to their length; None: they are not filled.
        sees_filler: whether tokens attend to the filler, which attends to the others either way.
        skipped: tokens of documents that do not count.
    """

    query_prefix: int | None
    document_prefix: int | None
    query_length: int
    document_length: int
    filler: int | None
    sees_filler: bool
    skipped: frozenset[int]

    def finish_query(self, tokens: Sequence[int]) -> tuple[list[int], int]:
        """The tokens of a query with its prefix and the filler, and to how many of the last none attends."""
        result = _insert(tokens, self.query_prefix)
        count = 0 if self.filler is None else max(0, self.query_length - len(result))
        result += [self.filler or 0] * count
        return result, 0 if self.sees_filler else count

    def finish_document(self, tokens: Sequence[int]) -> list[int]:
        """The tokens of a document with its prefix."""
        return _insert(tokens, self.document_prefix)

    def counts(self, tokens: Sequence[int]) -> np.ndarray:
        """Whether each token of a document counts: bool [tokens]."""
        return np.array([token not in self.skipped for token in tokens])


def _insert(tokens: Sequence[int], prefix: int | None) -> list[int]:
    return [*tokens[:1], *([] if prefix is None else [prefix]), *tokens[1:]]


def token_vectors(rows: np.ndarray, layers: Sequence[Dense]) -> np.ndarray:
    """Hidden states float32 [tokens, width] behind the layers, each of the length 1."""
    vectors = []
    for vector in rows:
        for layer in layers:
            vector = layer.apply(vector)
        vectors.append(normalize(vector))
    return np.stack(vectors)


def max_sim(query: np.ndarray, document: np.ndarray) -> float:
    """The sum over the query's vectors of the largest product with one of the document's; 0 without any."""
    if not len(document):
        return 0.0
    # NumPy sums in an order that depends on the shape alone; a product by BLAS would not.
    return math.fsum(np.multiply(document, row, dtype=np.float64).sum(axis=1).max() for row in query)
