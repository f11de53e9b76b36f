"""Balances the inputs of products, while a model is loaded. weights/balance.py says what that is good for.

A short text of drawn tokens passes through the model. When it has reached a product, its matrix is packed,
for the inputs that the text has there. So all before it has its final weights, and each weight is packed
once. Drawn tokens do nearly as well as a text, and need no tokenizer (docs/performance.md).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ..errors import NotFinite
from ..files.source import TensorSource, read_weights
from ..kernels.compiler import show_compilation
from ..machine.progress import ProgressBar
from ..tape.operations import Experts, Linear
from ..weights.balance import sum_squares
from ..weights.codes import Codes, dequantize_codes
from .batch import Batch, BatchBuilder
from .loaded_weights import MatrixKey
from .packer import Packer
from .transformer import Transformer

_TOKENS = 256
_STRIDE = 7919  # between the drawn tokens: a prime, so that they are all over the vocabulary


def fill_waiting(
    model: Transformer,
    packer: Packer,
    source: TensorSource,
    on_progress: Callable[[float], None] | None = None,
) -> None:
    """Fill all matrices of a model that wait for its inputs.

    Raises ModelError if weights cannot be rounded. Where numbers are not finite, inputs are not balanced.
    """

    def fill(key: MatrixKey, inputs: np.ndarray | None) -> None:
        if key not in packer.waiting:  # an earlier layer shares it
            return
        packer.fill(key, None if inputs is None else sum_squares([inputs]))
        source.drop_file_pages()
        bar.update()
        if on_progress is not None:
            on_progress(1 - len(packer.waiting) / len(model.weights.matrices))

    positions = min(_TOKENS, model.config.max_context)
    cache, tables = model.create_cache(1, positions, "float32")
    with show_compilation():
        model.compile_steps(cache)
    bar = ProgressBar(total=len(packer.waiting), desc="Rounding weights", unit="matrix", delay=2)
    visits: dict[int, Callable[[np.ndarray], None]] = {}
    for number, record in enumerate(model.records):
        product = record.gate_up if isinstance(record, Experts) else record
        if isinstance(product, Linear) and product.weights in packer.waiting:
            visits[number] = partial(fill, product.weights)
    builder = BatchBuilder()
    tokens = [_STRIDE * i % model.tape.embedding.rows for i in range(1, positions + 1)]
    builder.add(tokens, 0, range(positions))
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            model.visit_inputs(_give_embeddings(model, source, builder.build(tables)), cache, visits)
    except NotFinite:
        pass
    for key in list(packer.waiting):
        fill(key, None)
    bar.close()


def _give_embeddings(model: Transformer, source: TensorSource, batch: Batch) -> Batch:
    """The batch with the rows of its embeddings, where they are those of a head that waits."""
    if "x" in model.weights.embeddings:
        return batch
    table, tokens = model.tape.embedding, batch.tokens
    stored = read_weights(source, table)
    rows = dequantize_codes(stored[tokens]) if isinstance(stored, Codes) else table.finish(stored[tokens])
    given = np.zeros((1 + model.config.given_layers, *rows.shape), np.float32)
    given[0] = rows
    return replace(batch, given=given, given_rows=np.arange(len(tokens), dtype=np.int32))
