"""The program that compares tiles (Intel AMX) with vectors: see kernels/tile_choice.py, which starts it.

It multiplies matrices of every kind and several sizes, as steps of a model do, and writes what it found as a
line of JSON. Products of integers must have the bits of those of a second process, whose kernels have no
tiles; products of bfloat16 those of the specification (reference/tile_products.py). Then both measure the
same loads in turn.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ..families.config import ModelConfig
from ..kernels import emit
from ..kernels.tile_choice import VARIABLE, check_command
from ..kernels.tile_gains import find_gain, is_clear
from ..reference.tile_products import multiply_on_tiles
from ..tape.operations import KVLayer
from ..tape.passes import fuse, products
from ..tape.tape import Tape
from ..weights.matrix import KINDS, Matrix
from ..weights.pack import pack
from .batch import BatchBuilder
from .loaded_weights import LoadedWeights, MatrixKey
from .transformer import Transformer

SIZES = ((64, 64), (70, 96), (70, 97), (128, 576), (64, 330), (64, 2100))  # of weights, [n, k]
ROWS = (1, 3, 11, 12, 16, 29, 48, 80)
INTEGERS = ("int8", "int6", "int5", "int4")
KEY_SIZE = 16
# What is measured: the kind, the size of the weights and the rows. Rows of outputs are no power of two apart,
# which would compete for the same lines. One row reads weights that no cache holds.
LOADS = {
    "int8": ("int8", (5696, 2048), 256),
    "bfloat16": ("bfloat16", (5696, 2048), 256),
    "one row": ("bfloat16", (16384, 4096), 1),
}
# Seconds for the pairs of a load, where other work takes the processor.
LOAD_LIMIT_S = 20.0


class Product:
    """A model that is one product: its logits are rows times the weights of one matrix."""

    def __init__(self, kind: str, x: np.ndarray, w: np.ndarray, parts: int) -> None:
        """x: float32 [rows, k]. w: float32 [n, k]. parts: in bfloat16 of x, if the kind is that."""
        tape = Tape()
        tape.kv_layers.append(KVLayer(1, KEY_SIZE, KEY_SIZE, None))  # every cache has a layer
        rows = tape.take_rows(tape.embed("x", len(x), x.shape[1]))
        tape.project(rows, "logits", "w", len(w), is_head=True)
        records = fuse(tape.records)
        matrices: dict[MatrixKey, Matrix] = {
            product.weights: pack([w], KINDS[kind]) for product in products(records)
        }
        weights = LoadedWeights(records, matrices, {}, {"x": x})
        config = ModelConfig(
            family="product",
            vocab_size=len(w),
            hidden_size=x.shape[1],
            intermediate_size=0,
            layers=1,
            heads=1,
            kv_heads=1,
            head_dim=KEY_SIZE,
            norm_eps=1e-6,
            max_context=len(x),
            activation="silu",
            ropes=(None,),
            tie_word_embeddings=False,
            qkv_bias=False,
            output_bias=False,
            mlp_bias=False,
            windows=(None,),
        )
        self._model = Transformer(config, tape, weights, "int8", parts)
        self._cache, self._tables = self._model.create_cache(1, len(x), "float32")

    def multiply(self, rows: int) -> np.ndarray:
        """The first rows of x times w transposed: float32 [rows, n]."""
        builder = BatchBuilder()
        builder.add(list(range(rows)), 0, range(rows))
        return self._model.forward(builder.build(self._tables), self._cache)

    def measure(self, rows: int) -> float:
        """The seconds of a product."""
        start = time.perf_counter()
        self.multiply(rows)
        return time.perf_counter() - start


def draw(n: int, k: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Activations [rows, k] and weights [n, k], the same in each process. Some are denormal numbers."""
    random = np.random.default_rng(n + k)
    x, w = 3 * random.standard_normal((rows, k), np.float32), random.standard_normal((n, k), np.float32)
    x[:, ::7] *= np.float32(1e-39)
    w[::5, ::3] *= np.float32(1e-39)
    return x, w


def compute() -> dict[str, np.ndarray]:
    """Products by kind, size, parts and number of rows."""
    found = {}
    for n, k in SIZES:
        x, w = draw(n, k, max(ROWS))
        for kind, parts in (*((kind, 0) for kind in INTEGERS), ("bfloat16", 1), ("bfloat16", 2)):
            if emit.HAS_BFLOAT16_TILES or not parts:
                product = Product(kind, x, w, parts)
                for rows in ROWS:
                    found[f"{kind} {n} {k} {parts} {rows}"] = product.multiply(rows)
    return found


def find_wrong(tiles: dict[str, np.ndarray], vectors: dict[str, np.ndarray]) -> list[str]:
    """The names of products on tiles that differ from those in vectors, or from the specification."""
    expected = {}
    for n, k in SIZES:
        x, w = draw(n, k, max(ROWS))
        for parts in (1, 2):
            expected[n, k, parts] = multiply_on_tiles(x, w, parts)
    wrong = []
    for name, product in tiles.items():
        kind, *sizes = name.split()
        n, k, parts, rows = map(int, sizes)
        right = expected[n, k, parts][:rows] if kind == "bfloat16" else vectors[name]
        if not np.array_equal(product, right):
            wrong.append(name)
    return wrong


def make_loads() -> dict[str, Product]:
    """The products that are measured. The arithmetic is that of the default."""
    made = {}
    for name, (kind, (n, k), rows) in LOADS.items():
        x, w = draw(n, k, rows)
        parts = int(kind == "bfloat16" and (emit.HAS_BFLOAT16_TILES or emit.HAS_BFLOAT16))
        made[name] = Product(kind, x, w, parts)
    return made


def compute_in_vectors(file: str) -> None:
    """The second process: writes its products to a file, and then measures each load that it is asked for."""
    np.savez(file, **compute())
    loads = make_loads()
    print("ready", flush=True)
    for line in sys.stdin:
        print(loads[line.strip()].measure(LOADS[line.strip()][2]), flush=True)


def check() -> dict[str, object]:
    """`wrong` and `gains`, see tile_choice.run_check."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npz"
        with subprocess.Popen(
            check_command(str(file)),
            env={**os.environ, VARIABLE: "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as vectors:
            assert vectors.stdin is not None and vectors.stdout is not None
            tiles = compute()  # meanwhile, both compile their kernels
            vectors.stdout.readline()
            wrong = find_wrong(tiles, dict(np.load(file)))
            gains = {}
            for name, product in make_loads().items():
                pairs: list[tuple[float, float]] = []
                end = time.monotonic() + LOAD_LIMIT_S
                while not pairs or not (is_clear(pairs) or time.monotonic() >= end):
                    print(name, file=vectors.stdin, flush=True)
                    pairs.append((float(vectors.stdout.readline()), product.measure(LOADS[name][2])))
                gains[name] = find_gain(pairs)
            vectors.stdin.close()
    return {"wrong": wrong, "gains": gains}


def main(vectors_file: str) -> None:
    """Be the first process, which writes the report, or with a file the second one."""
    if vectors_file:
        compute_in_vectors(vectors_file)
    else:
        print(json.dumps(check()))
