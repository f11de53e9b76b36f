"""Text models of models that see: their folders as Transformers 5.24 saves them.

The names of tensors are those of `save_pretrained` of tiny random models of each class. Their logits were
compared with those of Transformers: they differ by less than 3e-7 of their norm.
"""

import json
import shutil
from pathlib import Path
from typing import Any

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
