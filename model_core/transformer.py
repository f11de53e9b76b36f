"""A decoder-only transformer: token ids in, logits out.

Here is what it is made of and where a step's numbers lie; the arithmetic itself is in kernels/decoder.py.
"""

import threading
from dataclasses import dataclass

import numpy as np

from . import operators as op
from .config import ModelConfig
from .kernels.attention import PAGE, QUERY_ROWS, attention_scratch
from .kernels.decoder import LAYER, STEP, forward
from .kernels.linear import ACTIVATIONS, GROUP, STRIP, scratch_bytes
from .kernels.team import Team
from .kv_cache import Batch, KVCache
from .weights import NAMES, Matrix, aligned_zeros, padded


@dataclass(frozen=True)
class Layer:
    """The weights of one decoder layer: norms float32, padded, and packed matrices.

    qkv holds queries, keys and values below each other, gate_up gates and what they let through.
    """

    attention_norm: np.ndarray
    qkv: Matrix
    output: Matrix
    mlp_norm: np.ndarray
    gate_up: Matrix
    down: Matrix

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they take."""
        return sum(part.nbytes for part in vars(self).values())

    def record(self, window: int | None) -> np.ndarray:
        """What kernels take: LAYER [1]. The layer must live as long."""
        record = np.zeros(1, LAYER)
        for name, part in vars(self).items():
            record[name] = part.record() if isinstance(part, Matrix) else part.ctypes.data
        record["window"] = window or 0
        return record


class Transformer:
    """A model with its weights in memory. `forward` may be called from any thread; calls take turns."""

    def __init__(
        self,
        config: ModelConfig,
        layers: list[Layer],
        norm: np.ndarray,
        head: Matrix,
        embedding: np.ndarray | None,
    ) -> None:
        """`embedding` [vocabulary, hidden_size] in any float type; None: it is the head's matrix."""
        self.config, self.layers, self.norm, self.head, self.embedding = config, layers, norm, head, embedding
        self._frequencies = op.rope_frequencies(config.rope, config.head_dim)
        windows = zip(layers, config.windows, strict=True)
        self._records = np.concatenate([layer.record(window) for layer, window in windows])
        self._head_record = head.record()
        self._lock = threading.Lock()
        self._team = Team(1)
        self.set_threads(1)

    def set_threads(self, threads: int) -> None:
        """How many threads compute a step, the caller being one; the others of before end."""
        with self._lock:
            self._team.close()
            self._team = Team(threads)
            self._buffers = _Buffers(self.config, self.layers, self.head, self._team)

    @property
    def weights(self) -> str:
        """What the matrices of the layers are held as: float32, bfloat16, float16, int8 or int4."""
        return NAMES[self.layers[0].down.kind]

    @property
    def weight_bytes(self) -> int:
        """Bytes of memory that all weights take."""
        return self.norm.nbytes + self.head.nbytes + sum(layer.nbytes for layer in self.layers)

    @property
    def products(self) -> int:
        """Weights that a token is multiplied with, all layers and the head."""
        matrices = [m for layer in self.layers for m in vars(layer).values() if isinstance(m, Matrix)]
        return sum(m.n * m.k for m in [*matrices, self.head])

    @property
    def threads(self) -> int:
        """How many threads compute a step."""
        return self._team.threads

    def embed(self, tokens: np.ndarray) -> np.ndarray:
        """Token ids int [tokens] -> float32 [tokens, hidden_size]."""
        if self.embedding is None:
            return self.head.rows(tokens)[:, : self.config.hidden_size]
        return self.embedding[tokens].astype(np.float32)

    def forward(self, batch: Batch, cache: KVCache) -> np.ndarray:
        """Compute the tokens of a batch, write their keys and values, and return the logits that it wants.

        float32 [len(batch.rows), vocabulary]. A row's bits do not depend on what else is in the batch.
        """
        with self._lock:
            config, buffers = self.config, self._buffers
            tokens, wanted = len(batch.tokens), len(batch.rows)
            buffers.grow(tokens, wanted, int(batch.positions.max()) + 1)
            buffers.x[:tokens, : config.hidden_size] = self.embed(batch.tokens)
            cos, sin = op.rope_table(batch.positions, self._frequencies)
            sequences = np.repeat(np.arange(len(batch.starts) - 1), np.diff(batch.starts))
            blocks = _query_blocks(batch.starts, max(1, QUERY_ROWS * config.kv_heads // config.heads))
            logits = np.empty((wanted, self.head.n), np.float32)
            step = buffers.step
            arrays = {
                "positions": batch.positions,
                "pages": batch.page_tables[sequences, batch.positions // PAGE],
                "cos": cos,
                "sin": sin,
                "blocks": blocks,
                "tables": batch.page_tables,
                "norm": self.norm,
                "wanted": batch.rows,
                "logits": logits,
            }
            for name, array in arrays.items():
                step[name] = array.ctypes.data
            step["tokens"], step["wanted_count"], step["block_count"] = tokens, wanted, len(blocks)
            step["tables_row"], step["logits_row"] = batch.page_tables.strides[0], logits.strides[0]
            self._team.run(forward, step, self._records, buffers.activations, cache.record, self._head_record)
        return logits[:, : config.vocab_size]


def _query_blocks(starts: np.ndarray, most: int) -> np.ndarray:
    """Cut the rows of each sequence into blocks of at most `most`: int32 [blocks, 3], see decoder.STEP."""
    counts = np.diff(starts)
    each = -(-counts // most)
    sequences = np.repeat(np.arange(len(counts)), each)
    within = np.arange(len(sequences)) - np.repeat(np.cumsum(each) - each, each)
    first = starts[sequences] + within * most
    rows = np.minimum(most, starts[sequences + 1] - first)
    return np.stack([first, rows, sequences], axis=1).astype(np.int32)


class _Buffers:
    """What a step writes: hidden states, activations, and each thread's scratch; grown as steps need it."""

    def __init__(self, config: ModelConfig, layers: list[Layer], head: Matrix, team: Team) -> None:
        self._config, self._team = config, team
        self._memory: dict[tuple[int, str], np.ndarray] = {}  # by record and field
        one = layers[0]
        self._qkv, self._hidden = one.qkv.n, padded(config.hidden_size, STRIP)
        self._k = padded(max(one.qkv.k, one.output.k, config.heads * config.head_dim), STRIP)
        self._inner = padded(max(one.down.k, one.gate_up.n // 2), STRIP)
        self._tokens = self._wanted = self._context = 0
        self.step, self.activations = np.zeros(1, STEP), np.zeros(2, ACTIVATIONS)
        step = self.step
        q_size, kv_size = (padded(h * config.head_dim, STRIP) for h in (config.heads, config.kv_heads))
        step["team"], step["hidden_size"], step["heads"] = team.address, config.hidden_size, config.heads
        step["keys_at"], step["values_at"] = 4 * q_size, 4 * (q_size + kv_size)
        step["eps"], step["query_scale"] = config.rms_norm_eps, config.head_dim**-0.5

    def grow(self, tokens: int, wanted: int, context: int) -> None:
        """Make room for so many rows in all, rows of logits, and positions of a sequence."""
        step, rows_grow = self.step, tokens > self._tokens
        if rows_grow:
            self._tokens = tokens
            rows = tokens + 1  # see block_rows
            self.x = self._array(step, "x", rows, self._hidden)
            self._array(step, "qkv", rows, self._qkv)
            for a, k in zip(np.split(self.activations, 2), (self._k, self._inner), strict=True):
                runs = padded(-(-k // GROUP), 16)
                # An odd number of cache lines, lest rows fall on the same ones.
                self._array(a, "floats", rows, k + 16, row="row")
                self._array(a, "codes", rows, k + 64, np.int8, row="codes_row")
                self._array(a, "starts", rows, runs, np.int32, row="runs_row")
                self._array(a, "scales", rows, runs, row="runs_row")
        if wanted > self._wanted:
            self._wanted = wanted
            self._array(step, "last", wanted, self._hidden, row="x_row")
        if context > self._context or rows_grow:
            self._context = max(self._context, padded(context, 1024))
            group = self._config.heads // self._config.kv_heads
            long = attention_scratch(self._context, padded(self._config.head_dim, 16), group)
            size = padded(max(scratch_bytes(self._tokens), long), 64)
            self._array(step, "scratch", self._team.threads, size, np.uint8, row="scratch_size")

    def _array(
        self,
        record: np.ndarray,
        name: str,
        rows: int,
        width: int,
        dtype: type = np.float32,
        row: str | None = None,
    ) -> np.ndarray:
        """A new array that a record of kernels points to, kept alive here."""
        array = aligned_zeros((rows, width), dtype)
        self._memory[record.ctypes.data, name] = array
        record[name], record[row or f"{name}_row"] = array.ctypes.data, array.strides[0]
        return array
