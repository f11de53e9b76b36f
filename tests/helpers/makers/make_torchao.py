"""Make tests/data/torchao: tiny models that torchao quantizes, and what it reads.

    python tests/helpers/makers/make_torchao.py [KIND ...]

Each folder is as Transformers saves it; for `expected.npz`, see read_weights.py. Needs PyTorch, Transformers
5 and torchao (0.18 was used); the tests themselves only read the files.
"""

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch
from read_weights import save_expected
from small_llama import make_model
from torchao.quantization import (
    Float8WeightOnlyConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    MappingType,
    PerGroup,
)
from transformers import AutoModelForCausalLM, TorchAoConfig

OUT = Path(__file__).parents[2] / "data" / "torchao"
KINDS = {
    "int8": Int8WeightOnlyConfig(),
    "int4-activations": Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32)
    ),
    "int4-asymmetric": IntxWeightOnlyConfig(
        weight_dtype=torch.int4, granularity=PerGroup(32), mapping_type=MappingType.ASYMMETRIC
    ),
    "int6-asymmetric": IntxWeightOnlyConfig(
        weight_dtype=torch.int6, granularity=PerGroup(64), mapping_type=MappingType.ASYMMETRIC
    ),
    "float8": Float8WeightOnlyConfig(),
}


def read_matrix(
    model: torch.nn.Module, name: str, parts: dict[str, torch.Tensor], shape: torch.Size
) -> torch.Tensor | None:
    """What torchao reads, float32 [n, k], which the model itself holds."""
    return model.get_submodule(name).weight.dequantize() if "_weight_qdata" in parts else None


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        for kind in sys.argv[1:] or KINDS:
            model = AutoModelForCausalLM.from_pretrained(
                source, dtype=torch.float32, quantization_config=TorchAoConfig(KINDS[kind]), device_map="cpu"
            )
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            model.save_pretrained(folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            save_expected(folder, Path(source), partial(read_matrix, model))


if __name__ == "__main__":
    main()
