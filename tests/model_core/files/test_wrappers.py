"""Text models of models that see: their folders as Transformers 5.24 saves them.

The names of tensors are those of `save_pretrained` of tiny random models of each class. Their logits were
compared with those of Transformers: they differ by less than 3e-7 of their norm.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM
from model_core.errors import ModelError
from model_core.families.config import write_json
from model_core.files.safetensors import SafetensorsFolder, write_safetensors

PROMPT = [5, 6, 7, 60, 3, 8, 21, 22, 2, 63, 4]
INNER, OUTER, TEXT = "model.language_model.", "language_model.model.", "model.text_model."
# model_type -> checkpoint of the text model, what "model." becomes, what "lm_head." becomes, other tensors
WRAPPERS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "mistral3": ("mistral-full", OUTER, "language_model.lm_head.", ("multi_modal_projector.norm.weight",)),
    "internvl": ("qwen2-biases", OUTER, "language_model.lm_head.", ("vision_tower.embeddings.cls_token",)),
    "lighton_ocr": (
        "qwen3",
        INNER,
        "lm_head.",
        ("model.vision_encoder.ln_pre.weight", "model.vision_projection.norm.weight"),
    ),
    "smolvlm": ("llama-untied-mha", TEXT, "lm_head.", ("model.connector.modality_projection.proj.weight",)),
    "idefics3": ("llama-untied-mha", TEXT, "lm_head.", ("model.vision_model.post_layernorm.weight",)),
    "minicpmv4_6": (
        "qwen3_5",
        INNER,
        "lm_head.",
        ("model.merger.mlp.0.linear_1.weight", "model.vision_tower.x.weight"),
    ),
    "lfm2_vl": ("lfm2", INNER, "lm_head.", ("model.multi_modal_projector.linear_1.weight",)),
    "kimi_vl": ("deepseek-v3", OUTER, "language_model.lm_head.", ("vision_tower.patch_embed.proj.weight",)),
    "kimi_k25": ("deepseek-v3", OUTER, "language_model.lm_head.", ("mm_projector.proj.0.weight",)),
    "llava": ("llama-untied-mha", OUTER, "language_model.lm_head.", ("vision_tower.pre_layrnorm.weight",)),
    "deepseek_vl": ("llama-untied-mha", INNER, "lm_head.", ("model.aligner.linear1.weight",)),
    "video_llama_3": ("qwen2-biases", INNER, "lm_head.", ("model.projector.readout.0.weight",)),
}


def write_wrapper(model_type: str, folder: Path, **fields: Any) -> Path:
    """The folder of a model that sees. `fields` of config.json."""
    name, inner, head, others = WRAPPERS[model_type]
    config = json.loads((CHECKPOINTS / name / "config.json").read_text())
    text = config.get("text_config", config)
    shutil.copytree(CHECKPOINTS / name, folder)
    write_json(
        folder / "config.json",
        {
            "model_type": model_type,
            "text_config": text,
            "vision_config": {"depth": 2},
            "image_token_id": 3,
            **fields,
        },
    )
    source = SafetensorsFolder(CHECKPOINTS / name)
    tensors = {other: np.ones((2, 3), np.float32) for other in others}
    for tensor in source:
        stored = inner + tensor.removeprefix("model.") if tensor.startswith("model.") else tensor
        stored = head + tensor.removeprefix("lm_head.") if tensor.startswith("lm_head.") else stored
        tensors[stored] = np.array(source[tensor])
    (folder / "model.safetensors").unlink()
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


def logits_of(folder: Path) -> np.ndarray:
    with LLM(folder) as llm:
        return np.asarray(llm.logits(PROMPT))


@pytest.mark.parametrize("model_type", WRAPPERS)
def test_the_text_model_of_a_wrapper(tmp_path: Path, model_type: str) -> None:
    folder = write_wrapper(model_type, tmp_path / model_type)
    assert (logits_of(folder) == logits_of(CHECKPOINTS / WRAPPERS[model_type][0])).all()


def test_a_head_that_the_outer_field_ties(tmp_path: Path) -> None:
    """Transformers 5 writes it so for models whose own default differs from that of the text model."""
    folder = write_wrapper("mistral3", tmp_path / "a", tie_word_embeddings=True)
    copy = shutil.copytree(CHECKPOINTS / "mistral-full", tmp_path / "text")
    for path, head in ((folder, "lm_head.weight"), (copy, "lm_head.weight")):
        source = SafetensorsFolder(path)
        tensors = {name: np.array(source[name]) for name in source if name != head}
        (path / "model.safetensors").unlink()
        write_safetensors(path / "model.safetensors", tensors)
    with pytest.raises(ModelError, match=r"no tensor lm_head\.weight"):
        logits_of(copy)
    config = json.loads((copy / "config.json").read_text())
    write_json(copy / "config.json", config | {"tie_word_embeddings": True})
    assert (logits_of(folder) == logits_of(copy)).all()


@pytest.mark.parametrize("block", [None, [8, 16]])
def test_mistral_small_4_as_it_was_published(tmp_path: Path, block: list[int] | None) -> None:
    """In a model that sees, with the experts of a layer in one array of float8, with scales for each."""
    random = np.random.default_rng(1)
    inner, outer = (shutil.copytree(CHECKPOINTS / "mistral4", tmp_path / name) for name in ("text", "sees"))
    source, plain, stored = SafetensorsFolder(inner), {}, {}
    for name in source:
        array, place = np.array(source[name]), f"language_model.{name}"
        if array.ndim < 3:
            plain[name] = stored[place] = array
            continue
        experts, rows, columns = array.shape
        height, width = block or (rows, columns)
        grid = (experts, -(-rows // height), -(-columns // width))
        scales = random.uniform(0.5, 2, grid).astype(np.float32)
        stored[place] = array.astype(ml_dtypes.float8_e4m3fn)
        stored[f"{place}_scale_inv"] = scales
        stored[f"{place}_activation_scale"] = np.ones(experts, np.float32)
        spread = scales.repeat(height, axis=1)[:, :rows].repeat(width, axis=2)[:, :, :columns]
        plain[name] = stored[place].astype(np.float32) * spread
    for folder, tensors in ((inner, plain), (outer, stored)):
        (folder / "model.safetensors").unlink()
        write_safetensors(folder / "model.safetensors", tensors)
    quantization = {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": block}
    text = json.loads((inner / "config.json").read_text())
    config = {"model_type": "mistral3", "text_config": text, "quantization_config": quantization}
    write_json(outer / "config.json", config)
    expected = logits_in_float32(inner)
    assert np.linalg.norm(logits_in_float32(outer) - expected) < 1e-6 * np.linalg.norm(expected)


def logits_in_float32(folder: Path) -> np.ndarray:
    with LLM(folder, arithmetic="float32") as llm:
        return np.asarray(llm.logits(PROMPT))
