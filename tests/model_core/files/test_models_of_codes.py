"""Models whose matrices are codes of many layouts, against NumPy with the weights that these stand for."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core.families import read_model_config, write_tape
from model_core.families.config import read_config
from model_core.files.checkpoint import Checkpoint
from model_core.model.batch import BatchBuilder
from model_core.model.loaded_weights import LoadedWeights
from model_core.model.transformer import Transformer
from model_core.reference import interpreter, operators
from model_core.tape.operations import Linear, Permute
from model_core.tape.passes import fuse, permute_inputs, products, split_products, vector_refs
from model_core.tape.references import WeightRef
from model_core.weights.codes import FLOAT8, Codes, dequantize_codes
from model_core.weights.common_form import layout
from model_core.weights.matrix import KINDS
from model_core.weights.pack import pack, pack_codes

LAYOUTS = ("float16", "integers", "zeros", "order", "float8")


def round_to_codes(weight: np.ndarray, form: str) -> Codes:
    """Codes near a weight [n, k], in a form: what its scales are, or something else that is special."""
    n, k = weight.shape
    group = 32 if form in ("float16", "integers", "zeros") else 128
    order = np.random.default_rng(k).permutation(k).astype(np.int32) if form == "order" else None
    weight = weight if order is None else weight[:, order]
    groups = np.pad(weight, ((0, 0), (0, -k % group))).reshape(n, -1, group)
    peaks = np.maximum(np.abs(groups).max(axis=-1), 1e-4)
    largest = {"float16": 7, "zeros": 7, "integers": 127, "order": 7, "float8": 448}[form]
    scales, supers = (peaks / largest * 1.1).astype(np.float16).astype(np.float32), None
    stored = scales.astype(np.float16)
    if form == "integers":
        group_count = 256 // group
        padded = np.pad(scales, ((0, 0), (0, -scales.shape[1] % group_count)))
        supers = np.float16(padded.reshape(n, -1, group_count).max(axis=-1) / 63).astype(np.float32)
        repeated = np.repeat(supers, group_count, axis=1)[:, : scales.shape[1]]
        stored = np.clip(np.rint(scales / repeated), 1, 63).astype(np.int8)
        scales = stored * repeated
    ratios = (groups / scales[..., None]).reshape(n, -1)[:, :k]
    if form == "float8":
        return Codes(ratios.astype(FLOAT8), group, scales)
    numbers = np.clip(np.rint(ratios), -largest - 1, largest).astype(np.int8)
    if form == "integers":
        offsets = np.random.default_rng(k).integers(-3, 4, stored.shape, dtype=np.int8)
        return Codes(numbers, group, stored, None, supers, offsets=offsets, super_offsets=supers)
    indices, table = (numbers + 8).astype(np.uint8), np.arange(-8, 8, dtype=np.int8)
    if form == "float16":
        return Codes(indices, group, stored, table)
    zeros = 8 + np.random.default_rng(k).integers(-1, 2, stored.shape)
    codes = Codes(indices, group, stored, np.arange(16, dtype=np.int8), zeros=zeros.astype(np.uint8))
    return codes if order is None else replace(codes, order=order)


class Model:
    """A checkpoint whose matrices are rounded to codes, neighbours to those of different forms.

    Attributes:
        codes: by weight, of all products but routers, whose weights are floats.
        tensors: the other tensors of the checkpoint.
    """

    def __init__(self, name: str, forms: tuple[str, ...]) -> None:
        folder = CHECKPOINTS / name
        self.config = read_model_config(folder, read_config(folder))
        self.tape = write_tape(self.config)
        checkpoint = Checkpoint(folder)
        self.tensors = {name: checkpoint[name] for name in checkpoint.unread()}
        self.codes: dict[WeightRef, Codes] = {}
        for record in products(self.tape.records):
            for i, weight in enumerate(record.weights):
                if not record.is_router:
                    form = forms[(len(self.codes) // (1 if weight.expert is None else 2) + i) % len(forms)]
                    values = weight.select(self.tensors[weight.name]).astype(np.float32)
                    self.codes[weight] = round_to_codes(values, form)

    def expected(self, tokens: np.ndarray) -> np.ndarray:
        """The logits by NumPy."""
        read_stored = interpreter.make_weight_reader(self.tensors)

        def read(weight: WeightRef) -> np.ndarray:
            codes = self.codes.get(weight)
            return read_stored(weight) if codes is None else dequantize_codes(codes)

        embeddings: Mapping[str, np.ndarray] = {
            name: operators.embed(tokens, read(table)) for name, table in self.tape.embeddings.items()
        }
        return interpreter.run(self.tape, read, interpreter.Sequence(), embeddings)

    def transformer(self, arithmetic: str) -> Transformer:
        """The same for the kernels."""
        layout_of = {weight: layout(codes) for weight, codes in self.codes.items()}
        records = split_products(self.tape.records, layout_of.get)
        orders = {weight: codes.order for weight, codes in self.codes.items()}
        tape = replace(self.tape, records=permute_inputs(records, orders.get))
        records, matrices = fuse(tape.records), {}
        for record in products(records):
            biases = [bias.select(self.tensors[bias.name]) for bias in record.biases] or None
            if record.is_router:
                parts = [weight.select(self.tensors[weight.name]) for weight in record.weights]
                matrices[record.weights] = pack(parts, KINDS[parts[0].dtype.name], biases)
            else:
                parts = [self.codes[weight] for weight in record.weights]
                matrices[record.weights] = pack_codes(parts, biases, gated=record.gate is not None)
        vectors = {w: np.float32(self.tensors[w.name]) for w in vector_refs(records)}
        embeddings = {
            buffer: pack_codes([self.codes[table]]) if table in self.codes else self.tensors[table.name]
            for buffer, table in tape.embeddings.items()
        }
        weights = LoadedWeights(records, matrices, vectors, embeddings)
        return Transformer(self.config, tape, weights, arithmetic)


def run(model: Transformer, tokens: np.ndarray) -> np.ndarray:
    cache, tables = model.create_cache(1, len(tokens), "float32")
    builder = BatchBuilder()
    builder.add(tokens.tolist(), 0, range(len(tokens)))
    return model.forward(builder.build(tables), cache)


@pytest.mark.parametrize("name", ["llama-untied-mha", "llama-tied-gqa", "qwen2-biases", "phi3", "gpt2"])
def test_models_of_codes_are_those_of_numpy(name: str) -> None:
    model, tokens = Model(name, LAYOUTS), np.random.default_rng(0).integers(0, 60, 40).astype(np.int32)
    expected = model.expected(tokens)
    exact = model.transformer("float32")
    kinds = [type(record) for record in exact.records]
    assert (
        Permute in kinds and kinds.count(Linear) > sum(1 for r in model.tape.records if type(r) is Linear) - 9
    )
    assert np.linalg.norm(run(exact, tokens) - expected) < 1e-5 * np.linalg.norm(expected)
    rounded = run(model.transformer("int8"), tokens)
    assert np.linalg.norm(rounded - expected) < 0.05 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", ["gpt-oss", "qwen3-moe"])
def test_mixtures_of_codes_are_those_of_numpy(name: str) -> None:
    model, tokens = Model(name, ("float16", "zeros", "integers")), np.arange(40, dtype=np.int32)
    expected = model.expected(tokens)
    exact = run(model.transformer("float32"), tokens)
    assert np.linalg.norm(exact - expected) < 1e-5 * np.linalg.norm(expected)
    rounded = run(model.transformer("int8"), tokens)
    # Where two experts have almost the same score, another one may be chosen.
    assert np.linalg.norm(rounded - expected) < 0.2 * np.linalg.norm(expected)
