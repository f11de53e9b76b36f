"""RWKV-7 in float64, as its paper writes it (Peng et al., 2025, arXiv:2503.14456, section 4 and appendix).

It shares nothing with model_core. Tensors have the names and shapes of the released files.
"""

from collections.abc import Mapping, Sequence

import numpy as np


def random_tensors(
    vocab_size: int, hidden: int, inner: int, layers: int, head: int, ranks: Mapping[str, int], seed: int
) -> dict[str, np.ndarray]:
    """Random weights, none of which is 0 or 1, so that leaving one out shows."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "emb.weight": (vocab_size, hidden),
        "head.weight": (vocab_size, hidden),
    }
    norms = ["blocks.0.ln0", "ln_out"]
    for i in range(layers):
        p = f"blocks.{i}"
        norms += [f"{p}.ln1", f"{p}.ln2", f"{p}.att.ln_x"]
        shapes |= {f"{p}.att.x_{x}": (1, 1, hidden) for x in "rwkvag"}
        for x, rank in ranks.items():
            if x == "v" and i == 0:
                continue
            shapes |= {f"{p}.att.{x}1": (hidden, rank), f"{p}.att.{x}2": (rank, hidden)}
            if x != "g":
                shapes[f"{p}.att.{x}0"] = (1, 1, hidden)
        shapes |= {f"{p}.att.{name}": (1, 1, hidden) for name in ("k_k", "k_a")}
        shapes[f"{p}.att.r_k"] = (hidden // head, head)
        shapes |= {f"{p}.att.{x}.weight": (hidden, hidden) for x in ("receptance", "key", "value", "output")}
        shapes |= {f"{p}.ffn.x_k": (1, 1, hidden), f"{p}.ffn.key.weight": (inner, hidden)}
        shapes[f"{p}.ffn.value.weight"] = (hidden, inner)
    tensors = {name: rng.normal(0, 0.3, shape) for name, shape in shapes.items()}
    for name in norms:
        tensors[f"{name}.weight"] = rng.uniform(0.5, 1.5, hidden)
        tensors[f"{name}.bias"] = rng.normal(0, 0.3, hidden)
    for name in tensors:
        if ".x_" in name:
            tensors[name] = rng.uniform(0.1, 0.9, tensors[name].shape)
        elif name.endswith(("k_k", "k_a")):
            tensors[name] = rng.uniform(0.5, 1.2, tensors[name].shape)
        elif name.endswith(".w0"):  # decays from nearly 1 to 0.55
            tensors[name] = rng.uniform(-6, 2, tensors[name].shape)
    return {name: tensor.astype(np.float32) for name, tensor in tensors.items()}


def logits(tensors: Mapping[str, np.ndarray], tokens: Sequence[int]) -> np.ndarray:
    """float64 [tokens, vocabulary]."""
    z = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    layers = 1 + max(int(name.split(".")[1]) for name in z if name.startswith("blocks."))
    x = [_norm(z["emb.weight"][token], z, "blocks.0.ln0") for token in tokens]
    first_values: list[np.ndarray] = []
    for i in range(layers):
        h = [_norm(row, z, f"blocks.{i}.ln1") for row in x]
        x = [row + out for row, out in zip(x, _time_mixing(z, i, h, first_values), strict=True)]
        h = [_norm(row, z, f"blocks.{i}.ln2") for row in x]
        for t, row in enumerate(_shifted(h)):
            p = f"blocks.{i}.ffn"
            k = z[f"{p}.key.weight"] @ (h[t] + (row - h[t]) * z[f"{p}.x_k"].ravel())
            x[t] = x[t] + z[f"{p}.value.weight"] @ np.maximum(k, 0) ** 2
    return np.array([z["head.weight"] @ _norm(row, z, "ln_out") for row in x])


def _time_mixing(
    z: Mapping[str, np.ndarray], i: int, h: list[np.ndarray], first_values: list[np.ndarray]
) -> list[np.ndarray]:
    p, outputs = f"blocks.{i}.att", []
    heads, size = z[f"{p}.r_k"].shape
    states = np.zeros((heads, size, size))
    for t, before in enumerate(_shifted(h)):
        x = {name: h[t] + (before - h[t]) * z[f"{p}.x_{name}"].ravel() for name in "rwkvag"}
        r, k, v = (
            z[f"{p}.{name}.weight"] @ x[letter]
            for letter, name in (("r", "receptance"), ("k", "key"), ("v", "value"))
        )
        d = z[f"{p}.w0"].ravel() + np.tanh(x["w"] @ z[f"{p}.w1"]) @ z[f"{p}.w2"]
        w = np.exp(-np.exp(-np.log1p(np.exp(-d)) - 0.5))  # the released code: w = -softplus(-d) - 0.5
        a = _sigmoid(z[f"{p}.a0"].ravel() + x["a"] @ z[f"{p}.a1"] @ z[f"{p}.a2"])
        g = _sigmoid(x["g"] @ z[f"{p}.g1"]) @ z[f"{p}.g2"]
        if i == 0:
            first_values.append(v)
        else:
            nu = _sigmoid(z[f"{p}.v0"].ravel() + x["v"] @ z[f"{p}.v1"] @ z[f"{p}.v2"])
            v = v * (1 - nu) + first_values[t] * nu
        removal = (k * z[f"{p}.k_k"].ravel()).reshape(heads, size)
        removal /= np.linalg.norm(removal, axis=1, keepdims=True)
        k = (k * (1 + (a - 1) * z[f"{p}.k_a"].ravel())).reshape(heads, size)
        r, v, w, a = (value.reshape(heads, size) for value in (r, v, w, a))
        out = []
        for head in range(heads):
            kappa = removal[head]
            transition = np.diag(w[head]) - np.outer(kappa, a[head] * kappa)
            states[head] = states[head] @ transition + np.outer(v[head], k[head])
            y = states[head] @ r[head]
            y = (y - y.mean()) / np.sqrt(y.var() + 64e-5 * size / 64)
            part = slice(head * size, (head + 1) * size)
            y = y * z[f"{p}.ln_x.weight"][part] + z[f"{p}.ln_x.bias"][part]
            out.append(y + np.sum(r[head] * k[head] * z[f"{p}.r_k"][head]) * v[head])
        outputs.append(z[f"{p}.output.weight"] @ (np.concatenate(out) * g))
    return outputs


def _shifted(rows: list[np.ndarray]) -> list[np.ndarray]:
    """The row before each."""
    return [np.zeros_like(rows[0]), *rows[:-1]]


def _norm(x: np.ndarray, z: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * z[f"{name}.weight"] + z[f"{name}.bias"]


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))
