"""The fingerprint of a model: keys and values are only good for the model that has computed them."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np

from .kv_cache import KVCache
from .transformer import Transformer


def fingerprint(model: Transformer, cache: KVCache) -> str:
    """A hash of all that keys, values and states in a cache depend on, tokens and adapters excepted.

    These are the weights as they are in memory, the configuration, the tape, the arithmetic, the layout of
    the cache, and the version of this package. It takes about a second for each GiB of weights and core.
    """
    facts = (
        version("tritonchat"),
        model.config,
        model.records,
        model.rounds_activations,
        model.activation_parts,
        cache.dtype,
        cache.page_bytes,
        cache.groups,
        None if cache.states is None else cache.states.slot_bytes,
    )
    total = hashlib.blake2b(repr(facts).encode(), digest_size=16)
    with ThreadPoolExecutor(model.threads) as threads:  # hashing releases the interpreter's lock
        for digest in threads.map(_hash, _weights(model)):
            total.update(digest)
    return total.hexdigest()


def _weights(model: Transformer) -> Iterator[np.ndarray]:
    for matrix in model.matrices.values():
        yield from matrix.arrays().values()
    yield from model.vectors.values()
    for table in model.embeddings.values():
        yield from [table] if isinstance(table, np.ndarray) else table.arrays().values()


def _hash(array: np.ndarray) -> bytes:
    sizes = f"{array.dtype} {array.shape}".encode()
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return hashlib.blake2b(sizes).digest() + hashlib.blake2b(data).digest()
