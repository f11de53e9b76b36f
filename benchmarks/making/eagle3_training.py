"""Train the head in a folder with torch: a part of eagle3_head.py, which writes the data.

Texts are read as in the paper's training-time test (section 3.2 of arXiv:2503.01840): the first draft of each
position comes from the hidden states of the model, and the further ones from those of the head itself.
"""

import json
import math
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

DRAFTS = 4  # of a position
DECAY = 0.8  # the weight of a draft beside that of the one before
BATCH = 6  # texts
RATE = 6e-4


def norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """RMS norm."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


class Head:
    """The head: its weights, and what it computes."""

    def __init__(self, weights: dict[str, torch.Tensor], config: dict) -> None:
        self.w, self.c = weights, config

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        """Rotary positions of [batch, tokens, heads, size]."""
        half = x.shape[-1] // 2
        angles = torch.arange(x.shape[1])[:, None] * self.c["rope_theta"] ** -(torch.arange(half) / half)
        cos, sin = angles.cos()[:, None], angles.sin()[:, None]
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def draft(
        self,
        embedded: torch.Tensor,
        hidden: torch.Tensor,
        keys: list[torch.Tensor],
        values: list[torch.Tensor],
    ) -> torch.Tensor:
        """The next hidden states. `keys` and `values` have those of the earlier drafts, and get its own.

        A draft attends to the positions that the model has computed, and to the drafts before it.
        """
        w, c, p, eps = self.w, self.c, "midlayer", self.c["rms_norm_eps"]
        batch, count, _ = hidden.shape
        pair = torch.cat(
            [
                norm(embedded, w[f"{p}.input_layernorm.weight"], eps),
                norm(hidden, w[f"{p}.hidden_norm.weight"], eps),
            ],
            -1,
        )
        heads, size = c["num_attention_heads"], c["head_dim"]
        q, k, v = (
            functional.linear(pair, w[f"{p}.self_attn.{name}_proj.weight"]).view(batch, count, -1, size)
            for name in "qkv"
        )
        q, k = self.rotate(q), self.rotate(k)
        share = heads // c["num_key_value_heads"]
        keys.append(k.repeat_interleave(share, 2))
        values.append(v.repeat_interleave(share, 2))
        depth = len(keys) - 1
        scores = torch.einsum("bqhd,bkhd->bhqk", q, keys[0]) * size**-0.5
        unseen = torch.ones(count, count, dtype=torch.bool).triu(1 - depth)
        parts = [scores.masked_fill(unseen, -math.inf)]
        shifted = [(keys[j].roll(depth - j, 1), values[j].roll(depth - j, 1)) for j in range(1, depth + 1)]
        parts += [torch.einsum("bqhd,bqhd->bhq", q, key)[..., None] * size**-0.5 for key, _ in shifted]
        weights = torch.cat(parts, -1).softmax(-1)
        mixed = torch.einsum("bhqk,bkhd->bqhd", weights[..., :count], values[0])
        for number, (_, value) in enumerate(shifted):
            mixed = mixed + weights[..., count + number].transpose(1, 2)[..., None] * value
        x = hidden + functional.linear(mixed.reshape(batch, count, -1), w[f"{p}.self_attn.o_proj.weight"])
        h = norm(x, w[f"{p}.post_attention_layernorm.weight"], eps)
        gate, up = (functional.linear(h, w[f"{p}.mlp.{name}_proj.weight"]) for name in ("gate", "up"))
        return x + functional.linear(functional.silu(gate) * up, w[f"{p}.mlp.down_proj.weight"])


def main() -> None:
    """Train until the time is over, and write the head."""
    data_path, folder, minutes = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    data = np.load(data_path)
    texts = sum(name.startswith("tokens") for name in data.files)
    config = json.loads((folder / "config.json").read_text())
    stored = load_file(folder / "model.safetensors")
    weights = {name: value.requires_grad_() for name, value in stored.items() if name != "d2t"}
    head, embedding = Head(weights, config), torch.from_numpy(data["embedding"].astype(np.float32))
    places = torch.full((config["vocab_size"],), -100)
    places[torch.from_numpy(data["drafted"])] = torch.arange(len(data["drafted"]))
    optimizer = torch.optim.AdamW(weights.values(), RATE, betas=(0.9, 0.95), weight_decay=0.0)
    loaded = [
        (torch.from_numpy(data[f"tokens{n}"]), torch.from_numpy(data[f"features{n}"]), int(data[f"start{n}"]))
        for n in range(texts)
    ]
    chance, start, step = random.Random(0), time.monotonic(), 0
    while (part := (time.monotonic() - start) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 30) * (0.5 + 0.5 * math.cos(math.pi * part))
        chosen = chance.sample(loaded, BATCH)
        length = max(len(tokens) for tokens, _, _ in chosen) - 2
        tokens = torch.zeros(BATCH, length + 2, dtype=torch.long)
        features = torch.zeros(BATCH, length, chosen[0][1].shape[1])
        targets = torch.full((BATCH, length), -100)
        for row, (own, states, first) in enumerate(chosen):
            count = len(own)
            tokens[row, :count], features[row, : count - 2] = own, states[: count - 2].float()
            targets[row, first - 2 : count - 2] = places[own[first:]]
        hidden = functional.linear(features, weights["fc.weight"])
        keys: list[torch.Tensor] = []
        values: list[torch.Tensor] = []
        loss, hits = torch.zeros(()), []
        for depth in range(DRAFTS):
            # At position p, draft number `depth` has the hidden state of p - 1 and the token p + 1.
            given = hidden if depth == 0 else hidden.roll(1, 1)
            hidden = head.draft(embedding[tokens[:, 1:-1]], given, keys, values)
            logits = functional.linear(
                norm(hidden, weights["norm.weight"], config["rms_norm_eps"]), weights["lm_head.weight"]
            )
            wanted = targets.clone()
            wanted[:, :depth] = -100
            loss = loss + DECAY**depth * functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
            known = wanted != -100
            hits.append((logits.argmax(-1) == wanted)[known].float().mean().item())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        step += 1
        if step % 20 == 0:
            print(f"{step} steps, loss {loss.item():.2f}, right: {[round(h, 2) for h in hits]}", flush=True)
    stored.update({name: value.detach() for name, value in weights.items()})
    save_file({name: value.contiguous() for name, value in stored.items()}, folder / "model.safetensors")


if __name__ == "__main__":
    main()
