"""Which of the newest models of each maker load, and the memory they need: the table in docs/models.md.

    PYTHONPATH=.:tests/helpers/models python benchmarks/models/newest.py [--write]

It asks the project itself: read_model_config whether a configuration is supported, and the estimate that is
made before a download how much memory it takes. Configurations are those of tests/helpers/models, without the
files: the headers of safetensors files are written, and their weights are holes.
"""

import argparse
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from published_configs import published
from published_sizes import NEWEST, PublishedModel

from model_core.checks.flags import choose_kv_cache_dtype
from model_core.errors import ModelError
from model_core.families import FAMILIES, read_model_config, write_tape
from model_core.files.model_files import open_model_files
from model_core.model.estimate import MemoryFlags, estimate_memory, gibibytes
from model_core.tape.passes import head_products, products, tables, vector_refs

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "models.md"
HEADER = """\
| maker | model | loads | memory as stored | with `--weights int4` |
| --- | --- | --- | --- | --- |
"""
END = "<!-- end: newest -->"
_PARAMETERS_DIFFER = 0.03  # of what the maker says, at most
_FLOATS = re.compile(
    r"(lm_head|embed_tokens|norm|mlp\.gate|block_sparse_moe\.gate|router|e_score_correction_bias)"
)
Header = dict[str, tuple[str, tuple[int, ...]]]  # name -> type, shape
_BYTES = {"BF16": 2, "F32": 4, "F8_E4M3": 1, "U8": 1, "I32": 4, "I64": 8}


def make_config(model: PublishedModel) -> dict[str, Any]:
    """The whole config.json of a model."""
    fields = {} if model.fields_of is None else published(model.fields_of)
    config = {name: value for name, value in (fields | model.sizes).items() if value is not None}
    if model.stored == "fp8":
        block = None if model.maker == "Mistral AI" else [128, 128]
        config["quantization_config"] = {"quant_method": "fp8", "weight_block_size": block}
    if model.stored == "mxfp4":
        config["quantization_config"] = {"quant_method": "mxfp4"}
    if model.stored == "int4":
        weights = {"num_bits": 4, "group_size": 32, "strategy": "group", "symmetric": True, "type": "int"}
        groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
        config["quantization_config"] = {
            **{"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups}
        }
    return config


def list_tensors(model: PublishedModel, config: dict[str, Any]) -> Header:
    """The tensors of a model, as they are stored."""
    parsed = read_model_config(Path("config.json"), config)
    tape = write_tape(parsed)
    refs = [weight for linear in products(tape.records) for weight in linear.weights]
    refs += [bias for linear in products(tape.records) for bias in linear.biases]
    refs += [record.weight for record in head_products(tape.records)]
    shapes = {ref.name: ref.shape for ref in [*refs, *tables(tape).values(), *vector_refs(tape.records)]}
    parameters = sum(map(math.prod, shapes.values())) / 1e9
    if abs(parameters / model.billions - 1) > _PARAMETERS_DIFFER:
        raise ValueError(f"{model.name} has {parameters:.2f} billion parameters, not {model.billions}.")
    return dict(entry for name, shape in shapes.items() for entry in _store(model, name, shape))


def _store(
    model: PublishedModel, name: str, shape: tuple[int, ...]
) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    """A tensor of the family as tensors of the file."""
    if model.stored == "mxfp4" and re.search(r"experts\.(gate_up|down)_proj$", name):
        experts, inputs, outputs = shape
        yield f"{name}_blocks", ("U8", (experts, outputs, inputs // 32, 16))
        yield f"{name}_scales", ("U8", (experts, outputs, inputs // 32))
    elif model.stored == "int4" and ".experts." in name:
        rows, columns = shape
        yield f"{name}_packed", ("I32", (rows, columns // 8))
        yield f"{name}_scale", ("BF16", (rows, columns // 32))
        yield f"{name}_shape", ("I64", (2,))
    elif model.stored == "fp8" and len(shape) == 2 and not _FLOATS.search(name):
        scales = () if model.maker == "Mistral AI" else tuple(-(-size // 128) for size in shape)
        yield name, ("F8_E4M3", shape)
        yield name.removesuffix("weight") + "weight_scale_inv", ("F32", scales)
    else:
        yield name, ("BF16", shape)


def write_holes(folder: Path, config: dict[str, Any], tensors: Header) -> None:
    """The folder of a model whose weights take no room on the disk."""
    (folder / "config.json").write_text(json.dumps(config))
    header, end = {}, 0
    for name, (kind, shape) in tensors.items():
        start, end = end, end + _BYTES[kind] * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(path, 8 + len(text) + end)


def make_row(model: PublishedModel) -> str:
    """A line of the table."""
    config = make_config(model)
    if model.fields_of is None:
        answer = "its family does" if config["model_type"] in FAMILIES else "no"
        return f"| {model.maker} | {model.name} | {answer}: `{config['model_type']}` | | |\n"
    memory = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            write_holes(folder, config, list_tensors(model, config))
        except ModelError as error:
            return f"| {model.maker} | {model.name} | no: {error} | | |\n"
        for weights in ("auto", "int4"):
            flags = MemoryFlags(weights, None, None, choose_kv_cache_dtype("auto", "auto"))
            needed = estimate_memory(open_model_files(folder), flags)
            memory.append(gibibytes(needed.total))
    loads = "its text model" if model.sees else "yes"
    return f"| {model.maker} | {model.name} | {loads} | {memory[0]} ({model.stored}) | {memory[1]} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/models.md")
    arguments = parser.parse_args()
    rows = "".join(map(make_row, NEWEST))
    print(HEADER + rows, end="")
    if arguments.write:
        page = PAGE.read_text()
        start = page.index(HEADER) + len(HEADER)
        PAGE.write_text(page[:start] + rows + page[page.index(END, start) :])


if __name__ == "__main__":
    main()
