"""The fingerprint of all that keys and values in a cache depend on but the request."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np

from ..cache.memory import KVCache
from ..kernels.emit import HAS_BFLOAT16_TILES, INSTRUCTION_SET
from ..machine.digest import cut, hash_piece
from ..machine.semantics import SEMANTICS
from ..model.transformer import Transformer


def fingerprint(model: Transformer, cache: KVCache) -> str:
    """A hash of all that keys, values and states in a cache depend on, tokens and adapters excepted.

    These are the weights as they are in memory, the configuration, the tape, the arithmetic, the layout of
    the cache, the version of this package, and that of what it computes (SEMANTICS). It takes about a second
    for each GiB of weights and core.
    """
    facts = (
        version("tritonchat"),
        SEMANTICS,
        INSTRUCTION_SET != "generic",  # without fused multiply-add, floats are rounded otherwise
        model.config,
        model.records,
        model.rounds_activations,
        model.activation_parts,
        bool(model.activation_parts and HAS_BFLOAT16_TILES),  # tiles round otherwise than vectors
        cache.dtype,
        cache.page_bytes,
        cache.groups,
        None if cache.states is None else cache.states.slot_bytes,
    )
    total = hashlib.sha256(repr(facts).encode())
    with ThreadPoolExecutor(model.threads) as threads:  # hashing releases the interpreter's lock
        for part in threads.map(hash_piece, (piece for array in _weights(model) for piece in cut(array))):
            total.update(part)
    return total.hexdigest()[:32]


def _weights(model: Transformer) -> Iterator[np.ndarray]:
    for matrix in model.weights.matrices.values():
        yield from matrix.arrays().values()
    yield from model.weights.vectors.values()
    for table in model.weights.embeddings.values():
        yield from [table] if isinstance(table, np.ndarray) else table.arrays().values()
