"""Calibration: int4 weights chosen for the inputs that a model really sees, and what they cost.

GPTQ (Frantar et al., 2022, arXiv:2210.17323) needs the second moments of each matrix's inputs. They are
collected layer by layer while texts pass through the part of the model that is already quantised, so that
later layers make up for what earlier ones lost.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import operators as op
from .checkpoint import Checkpoint
from .config import ModelConfig
from .quantize import Int4, dequantise, gptq_int4, round_int8


def gptq_layers(
    config: ModelConfig, weights: Mapping[str, np.ndarray] | Checkpoint, token_lists: Sequence[Sequence[int]]
) -> Generator[tuple[str, Int4], None, list[np.ndarray]]:
    """Quantise the matrices of all layers, in the order in which texts pass through them.

    In memory at a time: one layer in float32, the Hessian of one matrix, and two hidden states a token. The
    embedding counts as int8, as it does beside int4 weights. Activations are not rounded here; that costs
    much less than the weights do.

    Args:
        config: the shape of the model.
        weights: tensors by their Hugging Face names, in any float type.
        token_lists: texts to calibrate on, each no longer than the model's context. A few thousand tokens do.

    Yields:
        A tensor's name and its weights.

    Returns:
        The hidden states after the last layer, float32 [1, tokens, hidden] for each text.

    Raises:
        ModelError: a tensor is missing, or a number is not finite.
    """
    embedding = "model.embed_tokens.weight"
    if embedding not in weights:
        embedding = "lm_head.weight"
    table = weights[embedding]
    states = [dequantise(round_int8(op.embed(np.array(tokens), table)))[None] for tokens in token_lists]
    for i in range(config.layers):
        states = yield from _gptq_layer(config, weights, i, states)
    return states


def _gptq_layer(
    config: ModelConfig, weights: Mapping[str, np.ndarray] | Checkpoint, i: int, states: list[np.ndarray]
) -> Generator[tuple[str, Int4], None, list[np.ndarray]]:
    """One layer of `gptq_layers`: takes the states before it, returns those after it."""
    attention, mlp = f"model.layers.{i}.self_attn", f"model.layers.{i}.mlp"
    matrices: dict[str, np.ndarray] = {}
    frequencies = op.rope_frequencies(config.rope, config.head_dim)

    def quantise(names: Sequence[str], inputs: Iterable[np.ndarray]) -> Iterator[tuple[str, Int4]]:
        hessian = second_moments(inputs)
        for name in names:
            weight = gptq_int4(weights[f"{name}.weight"].astype(np.float32), hessian)
            matrices[name] = dequantise(weight)
            yield f"{name}.weight", weight

    def linear(name: str, x: np.ndarray, bias: bool) -> np.ndarray:
        return op.linear(x, matrices[name], weights[f"{name}.bias"] if bias else None)

    def normed(name: str) -> Iterator[np.ndarray]:
        weight = weights[f"model.layers.{i}.{name}.weight"]
        return (op.rms_norm(x, weight, config.rms_norm_eps) for x in states)

    def attend(x: np.ndarray) -> np.ndarray:
        cos, sin = op.rope_table(np.arange(x.shape[1])[None], frequencies)
        q, k, v = (
            linear(f"{attention}.{part}_proj", x, config.qkv_bias).reshape(x.shape[1], -1, config.head_dim)
            for part in "qkv"
        )
        keys, values = op.rotate(k, cos[0], sin[0]).transpose(1, 0, 2), v.transpose(1, 0, 2)
        return op.attention(op.rotate(q, cos[0], sin[0]), keys, values, config.windows[i])[None]

    def inner(x: np.ndarray) -> np.ndarray:
        gate, up = (linear(f"{mlp}.{part}_proj", x, config.mlp_bias) for part in ("gate", "up"))
        return op.swiglu(gate, up)

    yield from quantise([f"{attention}.{part}_proj" for part in "qkv"], normed("input_layernorm"))
    mixed = [attend(x) for x in normed("input_layernorm")]
    yield from quantise([f"{attention}.o_proj"], mixed)
    states = [
        x + linear(f"{attention}.o_proj", y, config.output_bias) for x, y in zip(states, mixed, strict=True)
    ]
    after = "post_attention_layernorm"
    yield from quantise([f"{mlp}.gate_proj", f"{mlp}.up_proj"], normed(after))
    # Computed twice rather than kept: several times the size of the states.
    yield from quantise([f"{mlp}.down_proj"], map(inner, normed(after)))
    return [
        x + linear(f"{mlp}.down_proj", y, config.mlp_bias)
        for x, y in zip(states, map(inner, normed(after)), strict=True)
    ]


def second_moments(inputs: Iterable[np.ndarray]) -> np.ndarray:
    """Inputs of a matrix, float32 [..., k] each -> 2 / N times the sum of x x^T, float64 [k, k].

    The Hessian of the squared error of each output, averaged over the N inputs. ValueError: no inputs.
    """
    total, count = None, 0
    for x in inputs:
        x = x.reshape(-1, x.shape[-1])
        moments = x.T @ x
        total = moments.astype(np.float64) if total is None else np.add(total, moments, out=total)
        count += len(x)
    if total is None:
        raise ValueError("there is nothing to calibrate on")
    total *= 2 / count
    return total


def perplexity(
    logits_of: Callable[[Sequence[int]], np.ndarray], token_lists: Iterable[Sequence[int]]
) -> float:
    """exp of the mean surprise, in nats, at each token after the first of its text.

    `logits_of` gives float32 [len(tokens), vocabulary], as `LLM.logits` does. ValueError: no text has two
    tokens.
    """
    surprise, count = 0.0, 0
    for tokens in token_lists:
        if len(tokens) < 2:
            continue
        logits = logits_of(tokens[:-1]).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        own = logits[np.arange(len(logits)), tokens[1:]]
        surprise += float(np.sum(np.log(np.exp(logits).sum(axis=1)) - own))
        count += len(own)
    if not count:
        raise ValueError("perplexity needs a text of two tokens or more")
    return math.exp(surprise / count)
