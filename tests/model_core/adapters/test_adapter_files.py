"""Damaged, foreign and unsupported adapter folders: refused in one clear sentence, or right."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adapters import save_adapter, write_adapter
from paths import CHECKPOINTS

from model_core import LLM
from model_core.errors import ModelError, TritonchatError

MODULE = "base_model.model.model.layers.0.self_attn.q_proj"
FOLDER = CHECKPOINTS / "llama-tied-gqa"
MUTATIONS = 400
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    3,
    10**30,
    1e300,
    "",
    "x" * 5000,
    "(a+)+$",
    [],
    ["q_proj"],
    {},
    {"a": 1},
]


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    with LLM(FOLDER) as loaded:
        yield loaded


def factors(rank: int = 2, k: int = 32, n: int = 32, module: str = MODULE) -> dict[str, np.ndarray]:
    return {f"{module}.lora_A.weight": np.ones((rank, k)), f"{module}.lora_B.weight": np.ones((n, rank))}


@pytest.mark.parametrize(
    ("tensors", "config", "expected"),
    [
        (factors(), {"peft_type": "IA3"}, "peft_type is 'IA3', but only LORA"),
        (factors(), {"use_dora": True}, "DoRA is not supported"),
        (factors(), {"bias": "all"}, "bias is 'all'"),
        (factors(), {"init_lora_weights": "pissa"}, "changes the weights of the model too"),
        (factors(), {"target_parameters": ["experts.w1"]}, "experts"),
        (factors(), {"layer_replication": [[0, 2]]}, "layer_replication"),
        (factors(), {"r": 4}, "rank 2, but r in adapter_config.json is 4"),
        (factors(), {"r": 0}, "r should be a whole number from 1 to 256"),
        (factors(), {"lora_alpha": "8"}, "lora_alpha should be a number"),
        (factors(), {"alpha_pattern": {"(a+)+$": 4}}, "no name of a module"),
        (factors(k=31), {}, r"for another model: .*q_proj.weight is \[32, 31\] in it, not \[32, 32\]"),
        (factors(n=48), {}, r"q_proj.weight is \[48, 32\] in it, not \[32, 32\]"),
        (factors(module="base_model.model.model.layers.9.mlp.up_proj"), {}, "layers.9.*does not have"),
        (factors(module="other.q_proj"), {}, "is no tensor of an adapter"),
        ({f"{MODULE}.lora_A.weight": np.ones((2, 32))}, {}, "no other factor, lora_B"),
        ({f"{MODULE}.lora_B.weight": np.ones((32, 2))}, {}, "no other factor, lora_A"),
        ({f"{MODULE}.lora_magnitude_vector": np.ones(32)}, {}, "only lora_A and lora_B"),
        ({"base_model.model.model.norm.weight": np.ones(32)}, {}, "only embeddings and the head"),
        ({**factors(), f"{MODULE}.lora_A.weight": np.full((2, 32), np.nan)}, {}, "infinite or not a number"),
        ({"base_model.model.lm_head.weight": np.ones((3, 32))}, {}, "for another model: lm_head"),
    ],
)
def test_wrong_adapters_are_refused_by_name(
    llm: LLM, tmp_path: Path, tensors: dict[str, np.ndarray], config: dict[str, Any], expected: str
) -> None:
    folder = save_adapter(tmp_path / "poet", tensors, **{"r": 2, "peft_type": "LORA", **config})
    with pytest.raises(ModelError, match=expected) as refused:
        llm.load_adapter("it", folder)
    assert str(refused.value).startswith("The adapter 'it' cannot be loaded: ")


def test_missing_files_are_named(llm: LLM, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no adapter_config\.json"):
        llm.load_adapter("it", tmp_path)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    with pytest.raises(ModelError, match=r"neither adapter_model\.safetensors"):
        llm.load_adapter("it", tmp_path)
    (tmp_path / "adapter_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelError, match="not written by torch"):
        llm.load_adapter("it", tmp_path)


def mutate(folder: Path, chance: random.Random) -> None:
    """Damage one of the files."""
    config, weights = folder / "adapter_config.json", folder / "adapter_model.safetensors"
    kind = chance.randrange(5)
    if kind == 0:
        fields = json.loads(config.read_text())
        name = chance.choice([*fields, "alpha_pattern", "rank_pattern", "use_rslora", "use_dora", "bias"])
        config.write_text(json.dumps(fields | {name: chance.choice(VALUES)}))
        return
    path = config if kind == 1 else weights
    data = bytearray(path.read_bytes())
    header = 8 + int.from_bytes(weights.read_bytes()[:8], "little")
    if kind == 4:
        data = data[: chance.randrange(len(data))]
    for _ in range(chance.choice([1, 1, 8])):
        end = min(len(data), header) if kind == 2 else len(data)
        if end:
            data[chance.randrange(end)] = chance.randrange(256)
    path.write_bytes(data)


def test_damaged_folders_are_refused_or_answer(llm: LLM, tmp_path: Path) -> None:
    folder = write_adapter(llm, tmp_path / "poet", rank=3)
    config = {"alpha_pattern": {"q_proj": 4}, "use_rslora": False, "target_modules": ["q_proj"]}
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))
    original = {file.name: file.read_bytes() for file in folder.iterdir()}
    plain, outcomes = llm.logits([1, 2, 3]), {"refused": 0, "answered": 0}
    for number in range(MUTATIONS):
        for name, data in original.items():
            (folder / name).write_bytes(data)
        mutate(folder, random.Random(number))
        try:
            llm.load_adapter("it", folder)
        except TritonchatError as error:
            message = str(error)
            assert message.startswith("The adapter 'it' cannot be loaded: "), (number, message)
            assert len(message) < 1000 and len(message.splitlines()) == 1, (number, message)
            outcomes["refused"] += 1
            continue
        assert llm.logits([1, 2, 3], adapter="it").shape == plain.shape
        llm.drop_adapter("it")
        outcomes["answered"] += 1
    assert min(outcomes.values()) > MUTATIONS // 20
    assert np.array_equal(llm.logits([1, 2, 3]), plain)
