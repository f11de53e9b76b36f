"""Make tests/data/auto-round: tiny models that AutoRound quantizes, and what it reads.

    python tests/helpers/makers/make_auto_round.py [KIND ...]

Each folder is as AutoRound saves it; for `expected.npz`, see read_weights.py.

Needs PyTorch, Transformers 5 and auto-round (0.16.1 was used); the tests themselves only read the files.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from auto_round import AutoRound
from auto_round.experimental.qmodules import MXFP4QuantLinear, MXFP8QuantLinear, NVFP4QuantLinear
from auto_round.export.export_to_awq.utils import dequantize_gemm
from auto_round.schemes import QuantizationScheme
from auto_round_extension.torch import qlinear_torch, qlinear_torch_zp
from read_weights import save_expected
from small_llama import make_model
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

OUT = Path(__file__).parents[2] / "data" / "auto-round"
GROUP = 32
# kind -> (format, settings)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "gptq-2": ("auto_round:auto_gptq", {"bits": 2, "sym": False}),
    "gptq-3": ("auto_round:auto_gptq", {"bits": 3, "sym": False}),
    "gptq-4": ("auto_round", {"bits": 4, "sym": True}),
    "plain-3": ("auto_round", {"bits": 3, "sym": False}),
    "plain-7": ("auto_round", {"bits": 7, "sym": False}),
    "awq-4": ("auto_round:auto_awq", {"bits": 4, "sym": False}),
    "mxfp4": ("auto_round", {"scheme": "MXFP4"}),
    "mxfp8": ("auto_round", {"scheme": "MXFP8"}),
    "nvfp4": ("auto_round", {"scheme": "NVFP4"}),
}


def write(kind: str, source: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """Write the folder of a kind."""
    layout, settings = KINDS[kind]
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    # A module has other bits.
    other = {"model.layers.0.mlp.up_proj": {"bits": 8, "sym": settings["sym"]}} if kind == "gptq-4" else None
    if "bits" in settings:
        settings = settings | {"group_size": GROUP}
    rounds = AutoRound(
        model,
        tokenizer,
        iters=0,
        disable_opt_rtn=True,
        layer_config=other,
        nsamples=1,
        seqlen=8,
        dataset=str(source / "texts.jsonl"),
        **settings,
    )
    folder = OUT / kind
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        rounds.quantize_and_save(temporary, format=layout)
        saved = next(path for path in Path(temporary).rglob("config.json")).parent
        folder.mkdir(parents=True)
        for name in ("config.json", "model.safetensors"):
            shutil.copy(saved / name, folder)
    settings = json.loads((folder / "config.json").read_text())["quantization_config"]

    def read(name: str, parts: dict[str, torch.Tensor], shape: torch.Size) -> torch.Tensor | None:
        own = settings | settings.get("extra_config", {}).get(name, {})
        if "qweight" in parts:
            return read_matrix(parts, own, shape)
        return read_floats(parts, shape) if "weight_scale" in parts else None

    save_expected(folder, source, read)


def read_matrix(parts: dict[str, torch.Tensor], settings: dict[str, Any], shape: torch.Size) -> torch.Tensor:
    """What AutoRound reads, float32 [n, k]."""
    (n, k), parts["scales"] = shape, parts["scales"].float()
    if "awq" in settings["packing_format"]:
        names = ("qweight", "qzeros", "scales")
        arguments = (*(parts[name] for name in names), settings["bits"], settings["group_size"])
        return dequantize_gemm(*arguments).T
    linear = qlinear_torch_zp if settings["packing_format"] == "auto_round:auto_gptq" else qlinear_torch
    module = linear.QuantLinear(settings["bits"], settings["group_size"], k, n, bias=False)
    for name, tensor in parts.items():
        setattr(module, name, tensor)
    return module(torch.eye(k)).T


def read_floats(parts: dict[str, torch.Tensor], shape: torch.Size) -> torch.Tensor:
    """What AutoRound reads of MXFP4, MXFP8 and NVFP4, float32 [n, k]."""
    group = 16 if "weight_global_scale" in parts else 32
    config = QuantizationScheme(group_size=group, act_group_size=group)
    if group == 16:
        module = NVFP4QuantLinear(shape[1], shape[0], config, dtype=torch.float32)
    else:
        kind = MXFP4QuantLinear if "weight_packed" in parts else MXFP8QuantLinear
        module = kind(shape[1], shape[0], config, dtype=torch.float32)
    for name, tensor in parts.items():
        if name != "input_global_scale":
            setattr(module, name, tensor)
    return module.dequant_weight_online()


def main() -> None:
    """Write a folder for each kind."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE({"a": 0, "b": 1}, [])))
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        (Path(source) / "texts.jsonl").write_text(json.dumps({"text": "ab" * 50}))
        for kind in sys.argv[1:] or KINDS:
            write(kind, Path(source), tokenizer)


if __name__ == "__main__":
    main()
