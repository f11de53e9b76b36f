"""EAGLE-3 heads compute what their paper says, in both layouts, and one of another model is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eagle3_heads import (
    EPS,
    HEADS,
    KV_HEADS,
    LAYERS,
    OWN_WIDTH,
    SIZE,
    THETA,
    WIDTH,
    Tensors,
    make_head,
    write_deep,
    write_head,
)
from paths import CHECKPOINTS
from test_scheduler import ids

from model_core.errors import ModelError
from model_core.families.mtp import HIDDEN_INPUT
from model_core.files.model_files import open_model_files
from model_core.kernels.layout import STRIP
from model_core.machine.memory import round_up
from model_core.model.batch import BatchBuilder
from model_core.model.loader import load_model, read_tape
from model_core.tape.passes import hand_on_layer_inputs


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_deep(tmp_path_factory.mktemp("deep"))


class Reference:
    """What a model or a head computes, in NumPy, with nothing of this project."""

    def __init__(self, tensors: Tensors) -> None:
        self.w = {name: array.astype(np.float64) for name, array in tensors.items()}

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * self.w[f"{name}.weight"]

    def project(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.w[f"{name}.weight"].T

    def attend(self, h: np.ndarray, p: str) -> np.ndarray:
        count = len(h)
        q, k, v = (self.project(h, f"{p}.self_attn.{n}_proj").reshape(count, -1, SIZE) for n in "qkv")
        angles = np.arange(count)[:, None] * THETA ** -(np.arange(SIZE // 2) * 2 / SIZE)
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]

        def rotate(x: np.ndarray) -> np.ndarray:
            a, b = x[..., : SIZE // 2], x[..., SIZE // 2 :]
            return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

        q, k = rotate(q), rotate(k).repeat(HEADS // KV_HEADS, 1)
        scores = np.einsum("qhd,khd->hqk", q, k) * SIZE**-0.5
        scores += np.triu(np.full((count, count), -np.inf), 1)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", weights, v.repeat(HEADS // KV_HEADS, 1))
        return self.project(mixed.reshape(count, -1), f"{p}.self_attn.o_proj")

    def mlp(self, x: np.ndarray, p: str) -> np.ndarray:
        h = self.norm(x, f"{p}.post_attention_layernorm")
        gate, up = self.project(h, f"{p}.mlp.gate_proj"), self.project(h, f"{p}.mlp.up_proj")
        return x + self.project(gate / (1 + np.exp(-gate)) * up, f"{p}.mlp.down_proj")

    def features(self, tokens: list[int]) -> np.ndarray:
        """The hidden states before layers 2, half and the third from the end."""
        x, kept = self.w["model.embed_tokens.weight"][tokens], {}
        for layer in range(LAYERS):
            kept[layer], p = x, f"model.layers.{layer}"
            x = self.mlp(x + self.attend(self.norm(x, f"{p}.input_layernorm"), p), p)
        return np.concatenate([kept[2], kept[LAYERS // 2], kept[LAYERS - 3]], -1)

    def draft(self, embedded: np.ndarray, hidden: np.ndarray, p: str) -> tuple[np.ndarray, np.ndarray]:
        """The logits of the head, and what it hands on."""
        normed = self.norm(hidden, f"{p}.hidden_norm")
        pair = np.concatenate([self.norm(embedded, f"{p}.input_layernorm"), normed], -1)
        x = (normed if p == "layers.0" else hidden) + self.attend(pair, p)
        x = self.mlp(x, p)
        return self.project(self.norm(x, "norm"), "lm_head"), x


@pytest.mark.parametrize(("nested", "narrow"), [(False, False), (True, False), (False, True)])
def test_logits_are_those_of_the_paper(deep: Path, tmp_path: Path, nested: bool, narrow: bool) -> None:
    tensors, config = make_head(nested, narrow)
    files = open_model_files(write_head(tmp_path, tensors, config))
    model = load_model(open_model_files(deep), arithmetic="float32", draft_head=files)
    head = model.draft_head
    assert head is not None and head.token_ids is not None
    tokens = ids(20)
    cache, tables = model.create_cache(1, 64, "float32")
    builder = BatchBuilder()
    builder.add(tokens, 0, range(len(tokens)))
    logits, features = model.forward_for_drafts(builder.build(tables), cache)
    plain = load_model(open_model_files(deep), arithmetic="float32")
    plain_cache, plain_tables = plain.create_cache(1, 64, "float32")
    assert np.array_equal(logits, plain.forward(builder.build(plain_tables), plain_cache))

    large = Reference({name: np.array(plain_tensor) for name, plain_tensor in read(deep).items()})
    expected = large.features(tokens)
    np.testing.assert_allclose(features, expected, rtol=1e-4, atol=1e-4)
    small, p = Reference(tensors), "layers.0" if nested else "midlayer"
    table = small.w.get("embed_tokens.weight", large.w["model.embed_tokens.weight"])
    width = OWN_WIDTH if narrow else WIDTH
    start = round_up(3 * WIDTH, STRIP)

    def run(next_tokens: list[int], hidden: np.ndarray, own: bool, first: int) -> Any:
        given = np.zeros((len(hidden), start + width), np.float32)
        given[:, start:] = hidden if own else 0
        given[:, : 3 * WIDTH] = 0 if own else hidden
        builder = BatchBuilder()
        builder.add(next_tokens, first, range(first, first + len(next_tokens)))
        return head.forward_for_drafts(builder.build(tables, inputs={HIDDEN_INPUT: given}), cache)

    # In two parts, the second of which needs keys of the first, and then a draft of its own.
    parts = [run(tokens[1:9], features[:8], False, 0), run(tokens[9:], features[8:-1], False, 8)]
    hidden = small.project(expected[:-1], "fc")
    drafts, handed_on = small.draft(table[tokens[1:]], hidden, p)
    np.testing.assert_allclose(np.concatenate([part[0] for part in parts]), drafts, rtol=2e-3, atol=2e-3)
    best = int(head.token_ids[parts[1][0][-1].argmax()])
    second, _ = run([best], parts[1][1][-1:], True, len(tokens) - 1)
    more, _ = small.draft(table[[*tokens[1:], best]], np.concatenate([hidden, handed_on[-1:]]), p)
    np.testing.assert_allclose(second[0], more[-1], rtol=2e-3, atol=2e-3)


def read(folder: Path) -> Tensors:
    source = open_model_files(folder).open_tensors()
    return {name: source[name] for name in source.places()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d2t": np.arange(39)}, "d2t should be 40 whole numbers"),
        ({"d2t": np.full(40, 90)}, "names tokens that are not in the vocabulary"),
        ({"d2t": -np.arange(40)}, "or one twice"),
        ({"d2t": None}, "has no d2t"),
        ({"fc.weight": np.zeros((72, 100), np.float32)}, "made for another model"),
        ({"midlayer.self_attn.q_norm.weight": np.ones(18, np.float32)}, "q_norm"),
        ({"norm.weight": None}, "norm.weight"),
        ({"midlayer.mlp.up_proj.weight": np.full((88, 72), np.nan, np.float32)}, "not a number"),
    ],
)
def test_damaged_head_is_refused(
    deep: Path, tmp_path: Path, change: dict[str, np.ndarray | None], words: str
) -> None:
    tensors, config = make_head(nested=False)
    tensors = {name: array for name, array in (tensors | change).items() if array is not None}
    files = open_model_files(write_head(tmp_path, tensors, config))
    with pytest.raises(ModelError, match=words):
        load_model(open_model_files(deep), draft_head=files)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden_size": 80}, "hidden size of 80"),
        ({"norm_before_fc": True}, "norm_before_fc is not supported"),
        ({"model_type": "qwen3"}, "should be one of llama"),
        ({"num_hidden_layers": 2}, "num_hidden_layers"),
        ({"eagle_aux_hidden_state_layer_ids": [2, 3, 7]}, "the model has 7 layers"),
        ({"eagle_config": {"eagle_aux_hidden_state_layer_ids": [1, 2]}}, "list of 3 numbers"),
        ({"attention_gates": 3}, "attention_gates"),
    ],
)
def test_head_of_another_kind_is_refused(
    deep: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    tensors, config = make_head(nested=False)
    if "hidden_size" in change:
        tensors["fc.weight"] = np.zeros((80, 3 * WIDTH), np.float32)
    files = open_model_files(write_head(tmp_path, tensors, config | change))
    with pytest.raises(ModelError, match=words):
        load_model(open_model_files(deep), draft_head=files)


def test_layers_are_those_of_the_configuration(deep: Path, tmp_path: Path) -> None:
    """Within eagle_config, layers are named by their outputs; beside it, by their inputs."""
    tensors, config = make_head(nested=False)
    name, found = "eagle_aux_hidden_state_layer_ids", []
    for number, fields in enumerate(({}, {name: [1, 5, 6]}, {"eagle_config": {name: [0, 4, 5]}})):
        files = open_model_files(write_head(tmp_path / str(number), tensors, config | fields))
        model = load_model(open_model_files(deep), arithmetic="float32", draft_head=files)
        cache, tables = model.create_cache(1, 64, "float32")
        builder = BatchBuilder()
        builder.add(ids(9), 0, range(9))
        found.append(model.forward_for_drafts(builder.build(tables), cache)[1])
    assert np.array_equal(found[1], found[2]) and not np.array_equal(found[0], found[1])


@pytest.mark.parametrize("name", ["gpt2", "hy-v4", "glm5-next"])
def test_family_whose_layers_have_other_inputs_is_refused(name: str) -> None:
    """Layers have other names, or read a sum of several streams."""
    _, config, tape = read_tape(open_model_files(CHECKPOINTS / name), True, None, 0)
    with pytest.raises(ModelError, match="cannot draft for a model of this family"):
        hand_on_layer_inputs(tape, (1,), config.hidden_size)
