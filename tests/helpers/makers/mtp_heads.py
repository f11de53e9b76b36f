"""MTP heads for the tiny checkpoints of make_checkpoints.py, and what they compute.

Transformers leaves these heads out. Here they are made of its own decoder layers, with the formula of the
reports: layer(projection([norm(embedding of the next token), norm(last hidden state)])).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from transformers import PreTrainedModel

# For each model type: whether the head has names of its own, the norms' offset, the field that announces it,
# and whether later drafts take the normed hidden states.
QWEN = ("mtp.", 1.0, "mtp_num_hidden_layers", True)
KINDS = {
    "qwen3_5_text": QWEN,
    "qwen3_5_moe_text": QWEN,
    "glm4_moe": ("", 0.0, "num_nextn_predict_layers", True),
    "deepseek_v3": ("", 0.0, "num_nextn_predict_layers", False),
}
QWEN_NAMES = {"enorm": "pre_fc_norm_embedding", "hnorm": "pre_fc_norm_hidden", "eh_proj": "fc"}


@dataclass
class Head:
    """A head with random weights: its layer, and the weights beside it by their names in DeepSeek's files."""

    layer: torch.nn.Module
    weights: dict[str, torch.Tensor]


def make_head(text: Any, config: Any, initialize: Callable[[torch.nn.Module], None]) -> Head:
    """A head for the decoder `text`, whose layer is as its last one that attends."""
    types = getattr(config, "layer_types", None) or ["full_attention"] * config.num_hidden_layers
    index = max(i for i, kind in enumerate(types) if kind == "full_attention")
    layer = type(text.layers[index])(config, index).float().eval()
    initialize(layer)
    size = config.hidden_size
    weights = {name: torch.empty(size).uniform_(0.5, 1.5) for name in ("enorm", "hnorm", "shared_head.norm")}
    weights["eh_proj"] = torch.empty(size, 2 * size).normal_(std=0.3)
    return Head(layer, weights)


def compute(model: PreTrainedModel, head: Head, tokens: list[int]) -> dict[str, np.ndarray]:
    """What the head computes for tokens: `mtp_logits` float32 [T - 1, vocabulary], and `mtp_next`.

    The latter are the logits [vocabulary] of a second draft, behind the best token of the first.
    """
    config = model.config.get_text_config()
    _, offset, _, hands_on_normed = KINDS[config.model_type]
    text = getattr(model.model, "language_model", model.model)
    with torch.inference_mode():
        hidden = text(torch.tensor([tokens]), use_cache=False).last_hidden_state[0]

        def norm(x: torch.Tensor, name: str) -> torch.Tensor:
            scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config.rms_norm_eps)
            return x * scale * (head.weights[name] + offset)

        def run(next_tokens: list[int], previous: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            embedded = text.embed_tokens(torch.tensor(next_tokens))
            pair = torch.cat([norm(embedded, "enorm"), norm(previous, "hnorm")], dim=-1)
            x, count = (pair @ head.weights["eh_proj"].T)[None], len(next_tokens)
            positions = torch.arange(count)[None]
            mask = torch.full((count, count), -torch.inf).triu(1)[None, None]
            y = head.layer(
                x,
                position_embeddings=text.rotary_emb(x, positions),
                attention_mask=mask,
                position_ids=positions,
            )
            y = (y[0] if isinstance(y, tuple) else y)[0]
            normed = norm(y, "shared_head.norm")
            return model.lm_head(normed), normed if hands_on_normed else y

        first, handed_on = run(tokens[1:], hidden[:-1])
        best = int(first[-1].argmax())
        second, _ = run([*tokens[1:], best], torch.cat([hidden[:-1], handed_on[-1:]]))
    return {"mtp_logits": first.numpy(), "mtp_next": second[-1].numpy()}


def store(head: Head, model: PreTrainedModel, folder: Path) -> None:
    """Add the head to a checkpoint, as its makers publish it."""
    config = model.config.get_text_config()
    prefix, _, field, _ = KINDS[config.model_type]
    is_qwen, number = bool(prefix), config.num_hidden_layers
    top, layer = (prefix, f"{prefix}layers.0.") if is_qwen else (f"model.layers.{number}.",) * 2
    tensors = load_file(folder / "model.safetensors")
    for name, weight in head.weights.items():
        own = QWEN_NAMES.get(name, "norm") if is_qwen else name
        tensors[f"{top}{own}.weight"] = weight.numpy()
    for name, weight in head.layer.state_dict().items():
        array = weight.numpy()
        if is_qwen or not name.startswith("mlp.experts."):
            tensors[layer + name] = array
            continue
        part = name.removeprefix("mlp.experts.")  # gates above ups, or down, of all experts
        for expert, matrix in enumerate(array):
            rows = {"down_proj": matrix}
            if part == "gate_up_proj":
                rows = dict(zip(("gate_proj", "up_proj"), np.split(matrix, 2), strict=True))
            for own, values in rows.items():
                tensors[f"{layer}mlp.experts.{expert}.{own}.weight"] = values
    save_file(
        {name: np.ascontiguousarray(array) for name, array in tensors.items()}, folder / "model.safetensors"
    )
    path = folder / "config.json"
    raw = json.loads(path.read_text())
    raw.get("text_config", raw)[field] = 1
    path.write_text(json.dumps(raw, indent=2, sort_keys=True) + "\n")
