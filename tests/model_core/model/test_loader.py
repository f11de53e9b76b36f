"""Quantized folders compute what rounding while loading does. Damaged ones are named."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf_models import write_model
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.files.source import TensorSource, read_weights
from model_core.hub import embedded_model
from model_core.kernels.layout import GROUPED8, INT4, INT5, INT6, INT8
from model_core.model.estimate import MemoryFlags, estimate_memory
from model_core.model.loader import load_model
from model_core.quantizing.quantize_model import quantize
from model_core.quantizing.write_folder import write_quantized_folder
from model_core.tape.passes import products
from model_core.tape.references import WeightRef
from model_core.weights.codes import Codes, dequantize_codes
from model_core.weights.rounding import dequantize, round_int8, round_stepped

VARIANTS = ["llama-biases", "llama-bfloat16", "llama-mqa-odd", "llama-tied-gqa", "qwen2-window"]


@pytest.mark.parametrize("weights", ["int8", "mixed", "int4"])
@pytest.mark.parametrize("variant", [*VARIANTS, "phi3", "qwen3-moe", "gpt-oss", "granitemoe", "gpt2"])
def test_quantized_folder_computes_what_rounding_while_loading_does(
    tmp_path: Path, variant: str, weights: str
) -> None:
    write_quantized_folder(open_model_files(CHECKPOINTS / variant), tmp_path / "out", weights)
    ids = [(7 * i) % 60 for i in range(20)]
    with LLM(CHECKPOINTS / variant, weights=weights) as rounded, LLM(tmp_path / "out") as saved:
        tape = rounded.model.tape
        for key, matrix in rounded.model.weights.matrices.items():
            kind = saved.model.weights.matrices[key].kind
            # Of a file with a scale for each row, activations have scales by group: it is not rotated.
            # A folder of int4 has 4 bits everywhere but in its head, whose type it leaves to the loader.
            same = {"int8": {(GROUPED8, INT8)}, "mixed": {(INT8, INT6)}, "int4": {(INT4, INT5), (INT8, INT5)}}
            assert kind == matrix.kind or (kind, matrix.kind) in same[weights]
        if weights == "int8":
            assert_close(saved.logits(ids), rounded.logits(ids), 0.3)
    floats, source = Checkpoint(CHECKPOINTS / variant), open_model_files(tmp_path / "out").open_tensors()
    for ref in (ref for product in products(tape.records) for ref in product.weights):
        weight, found = (read_floats(tensors, ref) for tensors in (floats, source))
        assert_close(found, weight, {"int8": 0.01, "mixed": 0.06, "int4": 0.12}[weights])
        if variant in VARIANTS and ref.name.endswith("_proj.weight"):
            is_inner = "gate_proj" in ref.name or "up_proj" in ref.name
            bits = 4 if weights == "int4" else 5 if is_inner else 6
            expected = dequantize(round_int8(weight) if weights == "int8" else round_stepped(weight, bits))
            assert np.array_equal(found, expected)


def read_floats(source: TensorSource, ref: WeightRef) -> np.ndarray:
    weights = read_weights(source, ref)
    return dequantize_codes(weights) if isinstance(weights, Codes) else weights.astype(np.float32)


def assert_close(found: np.ndarray, expected: np.ndarray, error: float) -> None:
    assert np.linalg.norm(found - expected) < error * np.linalg.norm(expected)


def copy_with_head(name: str, folder: Path, head: np.ndarray | None, **config: object) -> Path:
    """A copy of a tied checkpoint that stores a head, the embedding by default, in a file of its own."""
    source, copy = Checkpoint(CHECKPOINTS / name), folder / "copy"
    shutil.copytree(CHECKPOINTS / name, copy, ignore=shutil.ignore_patterns("*.safetensors"))
    tensors = {key: np.array(source[key]) for key in source.unread() if key != "lm_head.weight"}
    embedding = next(key for key in tensors if key.endswith(("embed_tokens.weight", "wte.weight")))
    parts = [tensors, {"lm_head.weight": tensors[embedding] if head is None else head}]
    files = [f"model-{number}-of-2.safetensors" for number in (1, 2)]
    for file, part in zip(files, parts, strict=True):
        write_safetensors(copy / file, part)
    weight_map = {key: file for file, part in zip(files, parts, strict=True) for key in part}
    (copy / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    fields = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(fields | config))
    return copy


def random_head() -> np.ndarray:
    return np.random.default_rng(0).normal(0, 0.3, (64, 32)).astype(np.float32)


@pytest.mark.parametrize("name", ["llama-tied-gqa", "gemma2", "gpt2"])
def test_stored_head_of_a_tied_model_is_used_and_a_line_says_so(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As of a model with a merged LoRA adapter. Transformers takes the stored head, too."""
    ids, head, found = list(range(20)), random_head(), []
    for is_tied in (False, True):
        with LLM(copy_with_head(name, tmp_path / str(is_tied), head, tie_word_embeddings=is_tied)) as llm:
            found.append(llm.logits(ids))
        warnings = [line.message for line in caplog.records if line.levelname == "WARNING"]
        assert ["a head that differs from its embed" in message for message in warnings].count(
            True
        ) == is_tied
    assert np.array_equal(*found)
    with LLM(copy_with_head(name, tmp_path / "equal", None, tie_word_embeddings=True)) as llm:
        assert not np.allclose(llm.logits(ids), found[0], atol=0.1)


def test_stored_head_that_is_the_embedding_takes_no_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    equal = open_model_files(copy_with_head("llama-tied-gqa", tmp_path / "equal", None))
    other = open_model_files(copy_with_head("llama-tied-gqa", tmp_path / "other", random_head()))
    tied = open_model_files(CHECKPOINTS / "llama-tied-gqa")
    sizes = [load_model(files).weights.nbytes for files in (tied, equal, other)]
    flags = MemoryFlags("auto", None, None, "float32")
    estimates = [estimate_memory(files, flags).weights for files in (tied, equal, other)]
    assert sizes[0] == sizes[1] and estimates[0] == estimates[1]
    assert sizes[2] - sizes[0] == estimates[2] - estimates[0] == random_head().nbytes
    assert len([line for line in caplog.records if line.levelname == "WARNING"]) == 1


def test_quantized_folder_has_the_stored_head_of_a_tied_model(tmp_path: Path) -> None:
    source = copy_with_head("llama-tied-gqa", tmp_path, random_head())
    write_quantized_folder(open_model_files(source), tmp_path / "out", "int8")
    assert json.loads((tmp_path / "out" / "config.json").read_text())["tie_word_embeddings"] is False
    ids = list(range(20))
    with LLM(source, weights="int8") as rounded, LLM(tmp_path / "out") as saved:
        assert_close(saved.logits(ids), rounded.logits(ids), 0.15)


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ModelError, match="not empty"):
        quantize(embedded_model(), tmp_path, "int8")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_folders_of_older_versions_are_named(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "llama-tied-gqa", tmp_path / "old")
    config = json.loads((tmp_path / "old" / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "tritonchat", "weights": "int8", "format": 2}
    (tmp_path / "old" / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="run `tritonchat quantize` again"):
        LLM(tmp_path / "old")


def test_file_cut_short_is_named(tmp_path: Path) -> None:
    write_quantized_folder(open_model_files(CHECKPOINTS / "llama-tied-gqa"), tmp_path / "out", "int8")
    path = tmp_path / "out" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged"):
        LLM(tmp_path / "out")


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
        ("story", 4, "int8", 0.004),
        ("story", 4, "int4", 0.08),
    ],
)
def test_quantizing_changes_perplexity_little(
    tmp_path: Path, name: str, stored: int, weights: str, bar: float, request: pytest.FixtureRequest
) -> None:
    folder = embedded_model() if name == "embedded" else request.getfixturevalue("story")
    text = write_story(folder, tmp_path / "text.txt")
    cost = quantize(folder, tmp_path / "out", weights, text=text)
    assert cost.loss.perplexity_change < bar
    assert 0 < cost.loss.divergence < bar < cost.loss.high_divergence < 5 * bar + 0.1
    assert cost.loss.agreement > (0.95 if weights == "int8" else 0.8)
    assert cost.bytes_after < cost.bytes_before / stored * (1.2 if weights == "int8" else 1)
    with LLM(tmp_path / "out") as llm:
        assert llm.generate("Once upon a time", SamplingParams(max_tokens=5)).text


def write_story(model: Path, text: Path, first_seed: int = 0) -> Path:
    """Stories that a model tells, in a file."""
    with LLM(model) as llm:
        heroes, seeds = ("fox", "king", "robot", "girl", "cook"), range(first_seed, first_seed + 3)
        beginnings = [f"Once upon a time, there was a {hero}" for hero in heroes for _ in seeds]
        params = [SamplingParams(temperature=1, max_tokens=150, seed=seed) for _ in heroes for seed in seeds]
        ends = llm.generate(beginnings, params)
        text.write_text("\n".join(b + end.text for b, end in zip(beginnings, ends, strict=True)))
    return text


@pytest.mark.parametrize("weights", ["mixed", "int4"])
def test_gptq_on_a_text_is_better_than_rounding(tmp_path: Path, weights: str) -> None:
    model, folders = embedded_model(), (tmp_path / name for name in ("rounded", "chosen", "elsewhere"))
    text, calibration = (write_story(model, tmp_path / f"{n}.txt", 10 * n) for n in range(2))
    rounded = quantize(model, next(folders), weights, text=text)
    chosen = quantize(model, next(folders), weights, calibration=calibration, text=text)
    assert chosen.loss.perplexity_before == rounded.loss.perplexity_before
    assert chosen.loss.divergence < rounded.loss.divergence
    elsewhere = quantize(model, next(folders), "int8")
    assert elsewhere.text.startswith("texts in several languages (") and rounded.text.startswith(text.name)
    assert elsewhere.loss.perplexity_before > rounded.loss.perplexity_before
    short = tmp_path / "short.txt"
    short.write_text("Hello")
    with pytest.raises(ModelError, match="too little"):
        quantize(embedded_model(), tmp_path / "never", "int4", calibration=short)


def test_loading_needs_little_more_memory_than_the_model(tmp_path: Path) -> None:
    """Peak memory while float32 weights become int8 is below 1.3 times the memory of the model."""
    code = """
import resource, sys
from model_core import LLM
from model_core.model.loader import load_model
from model_core.files.model_files import open_model_files
from pathlib import Path
LLM().close()  # what any process needs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
model = load_model(open_model_files(Path(sys.argv[1])), "int8")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) / model.weights.nbytes)
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


def test_a_model_in_one_file_is_refused_before_it_is_measured(tmp_path: Path) -> None:
    said: list[str] = []
    write_model(CHECKPOINTS / "llama-untied-mha", tmp_path / "model.gguf")
    with pytest.raises(ModelError, match="is one file; only a folder"):
        quantize(tmp_path / "model.gguf", tmp_path / "out", "int8", report=said.append)
    assert said == [] and not (tmp_path / "out").exists()


def test_a_context_beyond_the_models_is_lowered_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with LLM(CHECKPOINTS / "llama-untied-mha", max_context=300, threads=1) as llm:
        assert llm.describe()["max_context"] == 256
    assert "has a context of 256 tokens; --max-context 300 is lowered to it." in caplog.text
