"""Models saved with packed weights compute the same logits. Damaged ones are named."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.checkpoint import Checkpoint, write_safetensors
from model_core.convert import quantize
from model_core.errors import ModelError
from model_core.hub import embedded_model
from model_core.loader import load_model, save_model

VARIANTS = ["llama-biases", "llama-bfloat16", "llama-mqa-odd", "llama-tied-gqa", "qwen2-window"]


@pytest.mark.parametrize("weights", ["int8", "int4", "auto"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_saved_model_computes_the_same_logits(tmp_path: Path, variant: str, weights: str) -> None:
    save_model(load_model(CHECKPOINTS / variant, weights), CHECKPOINTS / variant, tmp_path / "out")
    ids = [(7 * i) % 60 for i in range(20)]
    with LLM(CHECKPOINTS / variant, weights=weights) as rounded, LLM(tmp_path / "out") as saved:
        assert saved.model.weight_dtype == rounded.model.weight_dtype
        assert np.array_equal(saved.logits(ids), rounded.logits(ids))


def test_packed_weights_begin_at_cache_lines(tmp_path: Path) -> None:
    save_model(load_model(embedded_model(), "int4"), embedded_model(), tmp_path / "out")
    checkpoint = Checkpoint(tmp_path / "out")
    for name in (
        "embed_tokens.data",
        "layers.0.mlp.down_proj.data",
        "layers.3.mlp.gate_proj.groups",
        "layers.2.self_attn.q_proj.scales",
    ):
        assert checkpoint[f"packed.model.{name}"].ctypes.data % 64 == 0, name


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ModelError, match="not empty"):
        quantize(embedded_model(), tmp_path, "int8")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    folder = CHECKPOINTS / "llama-tied-gqa"
    save_model(load_model(folder, "int8"), folder, tmp_path / "packed")
    return tmp_path / "packed"


def test_other_weights_than_the_saved_ones_are_refused(packed: Path) -> None:
    with pytest.raises(ModelError, match=r"int8 weights.*int4"):
        LLM(packed, weights="int4")


def test_unknown_format_is_refused(packed: Path) -> None:
    config = json.loads((packed / "config.json").read_text())
    for change in ({"format": 99}, {"weights": "int3"}, {"quant_method": "gptq"}):
        changed = {**config, "quantization_config": {**config["quantization_config"], **change}}
        (packed / "config.json").write_text(json.dumps(changed))
        with pytest.raises(ModelError, match="quanti"):
            LLM(packed)
    (packed / "config.json").write_text(json.dumps({**config, "quantization_config": "yes"}))
    with pytest.raises(ModelError, match="another program"):
        LLM(packed)


def test_damaged_file_is_named(packed: Path) -> None:
    path = packed / "model.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged"):
        LLM(packed)
    path.write_bytes(content.replace(b"embed_tokens.scales", b"embed_tokens.scalez"))
    with pytest.raises(ModelError, match=r"embed_tokens\.scales"):
        LLM(packed)


def test_infinite_weights_are_named(tmp_path: Path) -> None:
    folder = CHECKPOINTS / "llama-tied-gqa"
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    data = bytearray((tmp_path / "model.safetensors").read_bytes())
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    name = "model.layers.0.mlp.down_proj.weight"
    at = 8 + int.from_bytes(data[:8], "little") + header[name]["data_offsets"][0]
    data[at : at + 4] = np.float32(np.inf).tobytes()
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(ModelError, match="down_proj"):
        LLM(tmp_path, weights="int8")


# The embedded model holds more in each of its weights, and so loses more with their last bits.
@pytest.mark.parametrize(
    ("name", "stored", "weights", "bar"),
    [
        ("embedded", 2, "int8", 0.005),
        ("embedded", 2, "int4", 0.1),
        ("story", 4, "int8", 0.005),
        ("story", 4, "int4", 0.06),
    ],
)
def test_quantizing_changes_perplexity_little(
    tmp_path: Path, name: str, stored: int, weights: str, bar: float, request: pytest.FixtureRequest
) -> None:
    folder = embedded_model() if name == "embedded" else request.getfixturevalue("story")
    cost = quantize(folder, tmp_path / "out", weights)
    assert cost.perplexity_after / cost.perplexity_before - 1 < bar
    assert cost.bytes_after < cost.bytes_before / stored * (1.2 if weights == "int8" else 1)
    with LLM(tmp_path / "out") as llm:
        assert llm.generate("Once upon a time", SamplingParams(max_tokens=5)).text


def test_gptq_on_a_text_is_better_than_rounding(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    with LLM() as llm:
        heroes, seeds = ("fox", "king", "robot", "girl", "cook"), range(6)
        beginnings = [f"Once upon a time, there was a {hero}" for hero in heroes for _ in seeds]
        params = [SamplingParams(temperature=1, max_tokens=150, seed=seed) for _ in heroes for seed in seeds]
        ends = llm.generate(beginnings, params)
        text.write_text("\n".join(b + end.text for b, end in zip(beginnings, ends, strict=True)))
    rounded = quantize(embedded_model(), tmp_path / "rounded", "int4")
    chosen = quantize(embedded_model(), tmp_path / "chosen", "int4", calibration=text)
    assert chosen.perplexity_before == rounded.perplexity_before
    assert chosen.perplexity_after < rounded.perplexity_after
    elsewhere = quantize(embedded_model(), tmp_path / "elsewhere", "int8", text=text)
    assert elsewhere.text == text.name and elsewhere.perplexity_before != rounded.perplexity_before
    short = tmp_path / "short.txt"
    short.write_text("Hello")
    with pytest.raises(ModelError, match="too little"):
        quantize(embedded_model(), tmp_path / "never", "int4", calibration=short)


def test_loading_needs_little_more_memory_than_the_model(tmp_path: Path) -> None:
    """Peak memory while float32 weights become int8 is below 1.3 times the memory of the model."""
    code = """
import resource, sys
from model_core import LLM
from model_core.loader import load_model
from pathlib import Path
LLM().close()  # what any process needs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
model = load_model(Path(sys.argv[1]), "int8")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) / model.weight_bytes)
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(big_checkpoint(tmp_path))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(run.stdout) < 1.3


def big_checkpoint(folder: Path) -> Path:
    """A float32 Llama of 60 million random weights."""
    hidden, inner, layers, vocab = 768, 2048, 8, 4096
    config = {
        "model_type": "llama",
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": 12,
        "vocab_size": vocab,
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-6,
    }
    random = np.random.default_rng(0)
    shapes = {"model.embed_tokens": (vocab, hidden), "lm_head": (vocab, hidden)}
    for i in range(layers):
        shapes |= {f"model.layers.{i}.self_attn.{part}_proj": (hidden, hidden) for part in "qkvo"}
        shapes |= {f"model.layers.{i}.mlp.{part}_proj": (inner, hidden) for part in ("gate", "up")}
        shapes[f"model.layers.{i}.mlp.down_proj"] = (hidden, inner)
    tensors = {f"{name}.weight": random.standard_normal(s, dtype=np.float32) for name, s in shapes.items()}
    norms = [f"model.layers.{i}.{n}_layernorm" for i in range(layers) for n in ("input", "post_attention")]
    tensors |= {f"{name}.weight": np.ones(hidden, np.float32) for name in (*norms, "model.norm")}
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)
    return folder
