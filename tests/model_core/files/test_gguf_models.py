"""GGUF files of each architecture compute what the same weights in a folder compute."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf_models import CHECKPOINTS, copy_model, read_model, write_model
from gguf_tokenizers import tokenizer_metadata
from gguf_writer import Tensors, pack_q8_0, write_gguf
from paths import DATA

from model_core import LLM, EmbeddingParams, SamplingParams
from model_core.checks.file_values import read_json
from model_core.errors import InvalidRequest, ModelError
from model_core.families.config import write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.gguf.architectures.table import find_architecture
from model_core.files.gguf.blocks import BLOCKS, read_codes
from model_core.files.gguf.metadata import Metadata
from model_core.files.gguf.model import GGUFModel
from model_core.files.gguf.names import find_places
from model_core.files.gguf.reader import GGUFFile
from model_core.files.gguf.source import GGUFSource
from model_core.hub import embedded_model
from model_core.kernels.layout import GROUPED8
from model_core.weights.codes import dequantize_codes
from model_core.weights.pack import pack_codes

BLOCKS_FILE = DATA / "gguf" / "blocks.gguf"
TENSOR = (0, (8, 8), bytes(256))


def logits(path: Path, prompt: np.ndarray) -> np.ndarray:
    with LLM(path, threads=1, arithmetic="float32") as llm:
        return llm.logits(prompt.tolist())


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_logits_are_those_of_the_folder(name: str, tmp_path: Path) -> None:
    folder, path = copy_model(name, tmp_path), tmp_path / "model.gguf"
    write_model(folder, path)
    prompt = np.load(folder / "expected.npz")["prompt"]
    expected = logits(folder, prompt)
    # Files have the factors of stretched positions in float32, and those of Falcon-H1 within its weights.
    assert np.linalg.norm(logits(path, prompt) - expected) < 2e-6 * np.linalg.norm(expected)


def stack(tensors: Tensors) -> Tensors:
    """The same tensors with queries, keys and values in one, and gates and ups of experts in one."""
    stacked: Tensors = {}
    for name, tensor in tensors.items():
        head, _, rest = name.partition("attn_q." if ".attn_q." in name else "ffn_gate_exps.")
        kinds = ("attn_q", "attn_k", "attn_v") if ".attn_q." in name else ("ffn_gate_exps", "ffn_up_exps")
        if rest == "" or not name.startswith("blk."):
            stacked.setdefault(name, tensor)
            continue
        parts = [tensors[f"{head}{kind}.{rest}"] for kind in kinds]
        kind, shape, _ = parts[0]
        experts, axis = (shape[0], 1) if len(kinds) == 2 else (1, 0)
        halves = [(len(data) // experts, data) for _, _, data in parts]
        content = b"".join(data[e * size : (e + 1) * size] for e in range(experts) for size, data in halves)
        whole = list(shape)
        whole[axis] = sum(part[1][axis] for part in parts)
        joined = "attn_qkv" if len(kinds) == 3 else "ffn_gate_up_exps"
        stacked[f"{head}{joined}.{rest}"] = (kind, tuple(whole), content)
    unused = ("attn_k.", "attn_v.", "ffn_up_exps.")
    return {
        name: tensor for name, tensor in stacked.items() if not any(f".{part}" in name for part in unused)
    }


STACKED = [
    "llama-biases",
    "qwen2-biases",
    "qwen3",
    "mistral-full",
    "mixtral",
    "qwen3-moe",
    "ministral3",
    "granitemoe",
]
STACKED += ["minimax-m2", "gpt-oss", "olmoe", "gemma3", "glm4-moe", "qwen2-moe"]


@pytest.mark.parametrize("quantize", [False, True])
@pytest.mark.parametrize("name", STACKED)
def test_stacked_tensors_are_found(name: str, quantize: bool, tmp_path: Path) -> None:
    folder, prompt = copy_model(name, tmp_path), np.arange(1, 20)
    fields, tensors = read_model(folder, quantize)
    fields |= {"tokenizer.ggml.model": "no_vocab"}
    changed = stack(tensors)
    assert any("attn_qkv" in tensor for tensor in changed)
    assert any("gate_up_exps" in t for t in changed) == any("gate_exps" in t for t in tensors)
    write_gguf(tmp_path / "plain.gguf", fields, tensors)
    write_gguf(tmp_path / "stacked.gguf", fields, changed)
    assert (logits(tmp_path / "stacked.gguf", prompt) == logits(tmp_path / "plain.gguf", prompt)).all()
    sources = [GGUFModel(tmp_path / f"{kind}.gguf").open_tensors() for kind in ("plain", "stacked")]
    sizes = [source.stored_bytes("model.layers.0.self_attn.k_proj.weight") for source in sources]
    assert sizes[0] == sizes[1]


def test_stacked_tensors_of_another_size_are_refused(tmp_path: Path) -> None:
    fields, tensors = read_model(copy_model("qwen3", tmp_path))
    changed = stack(tensors)
    kind, (rows, columns), data = changed["blk.1.attn_qkv.weight"]
    changed["blk.1.attn_qkv.weight"] = (kind, (rows - 8, columns), data[: -8 * columns * 4])
    write_gguf(tmp_path / "model.gguf", fields, changed)
    with pytest.raises(ModelError, match=r"blk\.1\.attn_qkv\.weight has \d+ rows, not \d+ \+ \d+ \+ \d+\."):
        GGUFModel(tmp_path / "model.gguf").open_tensors()


def test_biases_without_one_of_the_output_are_those_of_qwen2(tmp_path: Path) -> None:
    folder, prompt = copy_model("qwen2-biases", tmp_path), np.arange(1, 20)
    raw = read_json(folder / "config.json")
    fields, tensors = read_model(folder)
    fields = {key.replace("qwen2.", "llama."): value for key, value in fields.items()}
    fields |= {"general.architecture": "llama", "tokenizer.ggml.model": "no_vocab"}
    for i in range(raw["num_hidden_layers"]):
        for part, heads in (("q", raw["num_attention_heads"]), ("k", raw["num_key_value_heads"])):
            for ending in ("weight", "bias"):  # in files of llama, neighbouring rows are rotated together
                kind, shape, data = tensors[f"blk.{i}.attn_{part}.{ending}"]
                array = np.frombuffer(data, np.float32).reshape(heads, 2, -1, *shape[1:]).swapaxes(1, 2)
                tensors[f"blk.{i}.attn_{part}.{ending}"] = (kind, shape, array.tobytes())
    write_gguf(tmp_path / "model.gguf", fields, tensors)
    expected = logits(folder, prompt)
    assert np.linalg.norm(logits(tmp_path / "model.gguf", prompt) - expected) < 2e-6 * np.linalg.norm(
        expected
    )


def test_gemma3_as_ollama_has_it(tmp_path: Path) -> None:
    """With the encoder of images beside it, other names, and fields that are left out."""
    folder, prompt = copy_model("gemma3", tmp_path), np.arange(1, 20)
    raw = read_json(folder / "config.json")
    text = raw.get("text_config", raw)
    text |= {"rms_norm_eps": 1e-6, "max_position_embeddings": 131072}
    ropes = text["rope_parameters"]
    ropes["full_attention"] = {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6}
    ropes["sliding_attention"] = {"rope_type": "default", "rope_theta": 1e4}
    write_json(folder / "config.json", raw)
    fields, tensors = read_model(folder)
    left_out = ("layer_norm_rms_epsilon", "rope.scaling", "rope.freq_base")
    fields = {key: value for key, value in fields.items() if not any(part in key for part in left_out)}
    fields |= {"gemma3.rope.local.freq_base": 1e4, "gemma3.rope.global.freq_base": 1e6}
    fields |= {
        "gemma3.vision.block_count": 2,
        "gemma3.mm.tokens_per_image": 256,
        "tokenizer.ggml.model": "no_vocab",
    }
    one = (0, (4,), bytes(16))
    tensors |= {"v.blk.0.attn_k.weight": one, "mm.mm_input_projection.weight": one}
    write_gguf(tmp_path / "model.gguf", fields, tensors)
    expected = logits(folder, prompt)
    assert np.linalg.norm(logits(tmp_path / "model.gguf", prompt) - expected) < 2e-6 * np.linalg.norm(
        expected
    )


OLLAMA_NAMES = {
    "gpt-oss": (
        "gptoss",
        {},
        ("expert_feed_forward_length", "rope.scaling.type"),
        {
            ".attn_output.": ".attn_out.",
            ".post_attention_norm.": ".ffn_norm.",
            ".attn_sinks.weight": ".attn_sinks",
        },
    ),
    "ministral3": (
        "mistral3",
        {
            "rope.scaling.yarn_beta_fast": "rope.scaling.beta_fast",
            "rope.scaling.yarn_beta_slow": "rope.scaling.beta_slow",
            "rope.scaling.yarn_log_multiplier": "rope.scaling.mscale_all_dim",
            "attention.temperature_scale": "rope.scaling_beta",
        },
        (),
        {},
    ),
    "olmo3": ("olmo3", {}, (), {}),
    "qwen2_5-vl": ("qwen25vl", {"rope.dimension_sections": "rope.mrope_section"}, (), {}),
}


@pytest.mark.parametrize("name", OLLAMA_NAMES)
def test_names_of_ollamas_converter(name: str, tmp_path: Path) -> None:
    architecture, renamed, left_out, parts = OLLAMA_NAMES[name]
    fields, tensors = read_model(copy_model(name, tmp_path))
    fields |= {"tokenizer.ggml.model": "no_vocab"}
    write_gguf(tmp_path / "plain.gguf", fields, tensors)
    prefix = f"{fields['general.architecture']}."
    own = {key.removeprefix(prefix): value for key, value in fields.items() if key.startswith(prefix)}
    assert own.keys() >= {*left_out, *renamed} - {
        "rope.dimension_sections",
        "rope.scaling.yarn_log_multiplier",
    }
    changed = {key: value for key, value in fields.items() if not key.startswith(prefix)}
    changed |= {f"{architecture}.{renamed.get(k, k)}": v for k, v in own.items() if k not in left_out}
    changed["general.architecture"] = architecture
    other = {}
    for key, tensor in tensors.items():
        for part, replacement in parts.items():
            key = key.replace(part, replacement)
        other[key] = tensor
    other["v.blk.0.attn_q.weight"] = (0, (4,), bytes(16))
    write_gguf(tmp_path / "ollama.gguf", changed, other)
    prompt = np.arange(1, 20)
    assert (logits(tmp_path / "ollama.gguf", prompt) == logits(tmp_path / "plain.gguf", prompt)).all()


@pytest.mark.parametrize("name", ["gpt-oss", "ministral3", "gemma3", "qwen2_5-vl"])
def test_wrong_fields_of_ollamas_converter_are_refused(name: str, tmp_path: Path) -> None:
    """Each field with a value of another kind: it is refused in one sentence, or it is not needed."""
    fields, tensors = read_model(copy_model(name, tmp_path))
    architecture = OLLAMA_NAMES.get(name, ("gemma3", {}, (), {}))[0]
    prefix, path = f"{fields['general.architecture']}.", tmp_path / "model.gguf"
    fields = {key.replace(prefix, f"{architecture}."): value for key, value in fields.items()}
    fields |= {"general.architecture": architecture, "tokenizer.ggml.pre": "default"}
    fields |= {f"{architecture}.rope.scaling_beta": 0.1, f"{architecture}.rope.local.freq_base": 1e4}
    refused = 0
    for key in fields:
        for value in (np.arange(3), ["a", "b"], "word", -1, 1.5, True):
            write_gguf(path, {**fields, key: value}, tensors)
            try:
                GGUFModel(path).open_tensors()
            except ModelError as error:
                refused += 1
                assert str(path) in str(error) and len(str(error).splitlines()) == 1, (key, value)
    assert refused > len(fields)


def test_yarn_without_the_original_context_is_that_of_such_a_folder(tmp_path: Path) -> None:
    """context_length then is the context that the model was trained with, which YaRN does not multiply."""
    folder, path = copy_model("llama-rope-yarn", tmp_path), tmp_path / "model.gguf"
    raw = read_json(folder / "config.json")
    scaling = raw.get("rope_parameters") or raw["rope_scaling"]
    fields, tensors = read_model(folder)
    del fields["llama.rope.scaling.original_context_length"]
    write_gguf(path, fields, tensors)
    del scaling["original_max_position_embeddings"]
    write_json(folder / "config.json", raw)
    prompt = np.load(folder / "expected.npz")["prompt"]
    assert np.allclose(logits(path, prompt), logits(folder, prompt), atol=1e-4)
    with LLM(path, threads=1) as of_file, LLM(folder, threads=1) as of_folder:
        assert of_file.model.config.max_context == of_folder.model.config.max_context


@pytest.mark.parametrize("quantize", [False, True])
def test_phi2_with_queries_keys_and_values_in_one_tensor(quantize: bool, tmp_path: Path) -> None:
    """As converters of 2023 wrote it."""
    folder, path = copy_model("phi", tmp_path), tmp_path / "model.gguf"
    prompt = np.load(folder / "expected.npz")["prompt"]
    fields, tensors = read_model(folder, quantize)
    fields |= {"tokenizer.ggml.model": "no_vocab"}
    write_gguf(path, fields, tensors)
    expected = logits(path, prompt)
    for name in [name for name in tensors if ".attn_q." in name]:
        parts = [tensors.pop(name.replace("attn_q.", f"attn_{part}.")) for part in "qkv"]
        shape = (sum(part[1][0] for part in parts), *parts[0][1][1:])
        tensors[name.replace("attn_q.", "attn_qkv.")] = (parts[0][0], shape, b"".join(p[2] for p in parts))
    write_gguf(path, fields, tensors)
    assert np.array_equal(logits(path, prompt), expected)


def test_blocks_of_a_matrix_with_columns_in_another_order_stay_as_they_are(tmp_path: Path) -> None:
    """Files of Qwen3.5 have the value heads in another order, which are the inputs of out_proj."""
    path, prompt = tmp_path / "model.gguf", list(range(1, 30))
    write_model(copy_model("qwen3_5-16-48", tmp_path), path, quantize=True)
    with LLM(path, threads=1, weights="float32", arithmetic="float32") as plain:
        expected = plain.logits(prompt)
    with LLM(path, threads=1, arithmetic="float32") as llm:
        kinds = {w.name: m.kind for ws, m in llm.model.weights.matrices.items() for w in ws}
        assert kinds["model.layers.0.linear_attn.out_proj.weight"] == GROUPED8
        assert np.allclose(llm.logits(prompt), expected, atol=1e-4)


@pytest.mark.parametrize("heads", [32, 48])
@pytest.mark.parametrize("kind", BLOCKS)
def test_value_heads_of_qwen35_have_the_order_of_the_folder_in_any_type(
    kind: int, heads: int, tmp_path: Path
) -> None:
    """Each block of 256 has columns of 16 heads, which are far from each other in the family."""
    fields, tensors = read_model(copy_model(f"qwen3_5-16-{heads}", tmp_path))
    name, (_, shape, data) = "blk.0.ssm_out.weight", tensors["blk.0.ssm_out.weight"]
    block, stored = BLOCKS[kind], np.frombuffer(data, np.float32).reshape(shape)
    if block.dtype is not None:
        stored = stored.astype(block.dtype)
        tensors[name] = (kind, shape, stored.tobytes())
    else:
        file = GGUFFile(BLOCKS_FILE)
        samples = file.bytes_of(file.entries[block.name]).reshape(-1, block.size)
        chosen = np.random.default_rng(0).integers(0, len(samples), stored.size // block.weights)
        data = samples[chosen].tobytes()
        tensors[name] = (kind, shape, data)
        stored = dequantize_codes(read_codes(np.frombuffer(data, np.uint8), shape, block))
    write_gguf(tmp_path / "model.gguf", fields, tensors)
    # stored: the first value head of each of 16 key heads, then the second ones, and so on
    expected = stored.reshape(32, heads // 16, 16, 16).swapaxes(1, 2).reshape(shape)
    source = GGUFModel(tmp_path / "model.gguf").open_tensors()
    weight = "model.layers.0.linear_attn.out_proj.weight"
    assert (source[weight] == expected).all()
    if block.dtype is None:
        assert (dequantize_codes(source.codes(weight)) == expected).all()


@pytest.mark.parametrize("kind", ["NVFP4", "IQ2_XXS"])
def test_a_scale_beside_a_tensor_multiplies_it(kind: str, tmp_path: Path) -> None:
    """NVFP4 has a scale for each tensor, and for each expert; that of activations is not needed."""
    fields, tensors = read_model(copy_model("mixtral", tmp_path))
    number, block = next((number, block) for number, block in BLOCKS.items() if block.name == kind)
    file = GGUFFile(BLOCKS_FILE)
    blocks = file.bytes_of(file.entries[kind]).reshape(-1, block.size)
    expected = {}
    names = {"attn_q": "self_attn.q_proj", "ffn_down_exps": "block_sparse_moe.experts.2.w2"}
    for name, weight in names.items():
        shape = (256, 256) if name == "attn_q" else (4, 16, 256)
        data = np.resize(blocks, (np.prod(shape) // block.weights, block.size)).tobytes()
        tensors[f"blk.0.{name}.weight"] = (number, shape, data)
        scales = np.float32([0.3, 1.7, 0.7, 0.9])[: shape[0] % 256 or 1]
        tensors[f"blk.0.{name}.scale"] = (0, scales.shape, scales.tobytes())
        tensors[f"blk.0.{name}.input_scale"] = (0, scales.shape, scales.tobytes())
        floats = dequantize_codes(read_codes(np.frombuffer(data, np.uint8), shape, block))
        expected[f"model.layers.0.{weight}.weight"] = (floats * scales[:, None, None])[2 % len(scales)]
    path = tmp_path / "model.gguf"
    write_gguf(path, fields, tensors)
    architecture = find_architecture(Metadata(GGUFFile(path)))
    places = find_places({name: shape[0] for name, (_, shape, _) in tensors.items()}, architecture.names)
    source = GGUFSource(GGUFFile(path), places)
    for weight, floats in expected.items():
        codes = source.codes(weight)
        assert codes is not None and codes.factors is not None
        assert (dequantize_codes(codes) == floats).all()
        assert (source[weight] == floats).all()
        plain, rows = replace(codes, factors=None), np.arange(len(floats))
        packed = pack_codes([plain, codes])  # each padded to 64 rows
        assert (packed.rows(rows) == dequantize_codes(plain)).all()
        assert (packed.rows(packed.n // 2 + rows) == floats).all()
    assert not [name for name in source.unread() if "attn_q" in name or "input_scale" in name]


def test_a_scale_of_another_shape_is_refused(tmp_path: Path) -> None:
    fields, tensors = read_model(copy_model("llama-tied-gqa", tmp_path), quantize=True)
    tensors["blk.0.attn_q.scale"] = (0, (2,), np.ones(2, np.float32).tobytes())
    write_gguf(tmp_path / "model.gguf", fields, tensors)
    with pytest.raises(ModelError, match=r"attn_q\.scale' is \[2\], but should be \[1\]"):
        LLM(tmp_path / "model.gguf")


def test_each_order_of_rows_is_tested_where_it_is_not_its_own_inverse(tmp_path: Path) -> None:
    """A permutation that is its own inverse is right in either direction, and shows no fault."""
    seen: dict[str, set[str]] = {}
    for name, architecture in CHECKPOINTS.items():
        fields, tensors = read_model(copy_model(name, tmp_path))
        write_gguf(tmp_path / "model.gguf", fields, tensors)
        file = GGUFFile(tmp_path / "model.gguf")
        found = find_architecture(Metadata(file))
        places = find_places({name: entry.shape[0] for name, entry in file.entries.items()}, found.names)
        found.adapt(places, found.read_config(Metadata(file)))
        for tensor, place in places.items():
            for order in (place.order, place.columns):
                if order is not None:
                    kind = tensor.rpartition("layers.")[2].partition(".")[2]
                    kinds = seen.setdefault(f"{architecture} {kind}", set())
                    kinds.add("other" if (order[order] != np.arange(len(order))).any() else "own")
    assert len(seen) > 20
    assert [kind for kind, inverses in seen.items() if "other" not in inverses] == []


def test_parts_of_a_matrix_with_different_blocks_stay_as_they_are(tmp_path: Path) -> None:
    """Files in Q4_K_M have attn_qkv in Q5_K and attn_gate in Q4_K, which are one matrix in Qwen3-Next."""
    path, prompt = tmp_path / "model.gguf", list(range(1, 30))
    fields, tensors = read_model(copy_model("qwen3-next", tmp_path), quantize=True)
    random = np.random.default_rng(0)
    for name, (kind, shape, _) in tensors.items():
        if name.endswith("attn_gate.weight"):
            assert kind == 8 and shape[1] == 32
            blocks = random.integers(0, 256, (shape[0], 18), np.uint8)
            blocks[:, :2] = np.array([0.02], "<f2").view(np.uint8)  # one scale for all
            tensors[name] = (2, shape, blocks.tobytes())
    write_gguf(path, fields | {"tokenizer.ggml.model": "no_vocab"}, tensors)
    with LLM(path, threads=1, weights="float32", arithmetic="float32") as plain:
        expected = plain.logits(prompt)
    with LLM(path, threads=1, arithmetic="float32") as llm:
        kinds = {w.name: m.kind for ws, m in llm.model.weights.matrices.items() for w in ws}
        assert kinds["model.layers.0.linear_attn.in_proj_qkvz.weight"] == GROUPED8
        assert np.allclose(llm.logits(prompt), expected, atol=1e-4)


def read_deepseek(folder: Path) -> tuple[dict[str, object], Tensors, np.ndarray]:
    """The fields and tensors of a file of DeepSeek-V3, and the logits of the first tokens."""
    source = copy_model("deepseek-v3", folder)
    return *read_model(source), logits(source, np.arange(1, 20))


def write_and_compare(fields: dict[str, object], tensors: Tensors, path: Path, expected: np.ndarray) -> None:
    write_gguf(path, fields | {"tokenizer.ggml.model": "no_vocab"}, tensors)
    assert np.linalg.norm(logits(path, np.arange(1, 20)) - expected) < 1e-6 * np.linalg.norm(expected)


def test_older_files_of_deepseek_have_one_expansion_of_latents(tmp_path: Path) -> None:
    fields, tensors, expected = read_deepseek(tmp_path)
    for name in ("key_length", "value_length"):
        fields[f"deepseek2.attention.{name}"] = fields.pop(f"deepseek2.attention.{name}_mla")
    checkpoint = Checkpoint(tmp_path / "deepseek-v3")
    for i in range(3):
        del tensors[f"blk.{i}.attn_k_b.weight"], tensors[f"blk.{i}.attn_v_b.weight"]
        array = checkpoint[f"model.layers.{i}.self_attn.kv_b_proj.weight"]
        tensors[f"blk.{i}.attn_kv_b.weight"] = (0, array.shape, array.tobytes())
    write_and_compare(fields, tensors, tmp_path / "model.gguf", expected)


def test_glm_flash_has_no_gating_function_and_one_more_layer(tmp_path: Path) -> None:
    fields, tensors, expected = read_deepseek(tmp_path)
    del fields["deepseek2.expert_gating_func"]
    fields |= {"deepseek2.block_count": 4, "deepseek2.nextn_predict_layers": 1}
    tensors["blk.3.nextn.eh_proj.weight"] = tensors["blk.3.attn_norm.weight"] = TENSOR
    write_and_compare(fields, tensors, tmp_path / "model.gguf", expected)


def test_nemotron_has_no_gating_function_and_one_more_layer(tmp_path: Path) -> None:
    source, prompt = copy_model("nemotron-h-experts", tmp_path), np.arange(1, 20)
    (fields, tensors), expected = read_model(source), logits(source, prompt)
    assert "nemotron_h_moe.expert_gating_func" not in fields
    fields |= {
        "nemotron_h_moe.block_count": 5,
        "nemotron_h_moe.nextn_predict_layers": 1,
        "nemotron_h_moe.attention.head_count_kv": np.array([0, 0, 2, 0, 2]),
        "nemotron_h_moe.feed_forward_length": np.array([0, 20, 0, 20, 20]),
    }
    tensors["blk.4.nextn.eh_proj.weight"] = tensors["blk.4.attn_norm.weight"] = TENSOR
    write_and_compare(fields, tensors, tmp_path / "model.gguf", expected)


def test_quantized_expansions_of_latents_are_floats(tmp_path: Path) -> None:
    """Blocks of the expansion of keys are along its outputs, which no kernel knows."""
    fields, tensors, _ = read_deepseek(tmp_path)
    random, exact = np.random.default_rng(0), {}
    fields["deepseek2.attention.key_length_mla"], fields["deepseek2.attention.kv_lora_rank"] = 32 + 8, 32
    shapes = {"attn_k_b": (4, 32, 32), "attn_v_b": (4, 10, 32), "attn_kv_a_mqa": (40, 32)}
    shapes |= {"attn_q_b": (160, 14), "attn_kv_a_norm": (32,)}
    for i in range(3):
        tensors[f"blk.{i}.attn_kv_a_mqa.bias"] = (0, (40,), bytes(160))
        for name, shape in shapes.items():
            array = random.normal(0, 0.3, shape).astype(np.float32)
            is_latent = name in ("attn_k_b", "attn_v_b")
            exact[f"blk.{i}.{name}"] = array
            data = pack_q8_0(array) if is_latent else array.tobytes()
            tensors[f"blk.{i}.{name}.weight"] = (8 if is_latent else 0, shape, data)
    path = tmp_path / "model.gguf"
    write_gguf(path, fields | {"tokenizer.ggml.model": "no_vocab"}, tensors)
    source = GGUFModel(path).open_tensors()
    name = "model.layers.0.self_attn.kv_b_proj.weight"
    keys, values = exact["blk.0.attn_k_b"].swapaxes(1, 2), exact["blk.0.attn_v_b"]
    expected = np.concatenate([keys, values], axis=1).reshape(168, 32)
    assert source.codes(name) is None and source.shape(name) == (168, 32)
    assert source[name].dtype == np.float16 and np.abs(source[name] - expected).max() < 0.01
    with LLM(path, threads=1, arithmetic="float32") as llm:
        assert np.isfinite(llm.logits([1, 2, 3])).all()


@pytest.mark.parametrize("name", ["llama-tied-gqa", "mixtral", "granitemoe", "gpt-oss", "nemotron-h-experts"])
def test_weights_in_blocks_are_read_as_codes(name: str, tmp_path: Path) -> None:
    folder = copy_model(name, tmp_path)
    for quantize in (False, True):
        write_model(folder, tmp_path / f"{quantize}.gguf", quantize=quantize)
    plain, source = (GGUFModel(tmp_path / f"{q}.gguf").open_tensors() for q in (False, True))
    seen = 0
    for tensor in plain.unread():
        expected = plain[tensor]
        assert plain.codes(tensor) is None and plain.shape(tensor) == source.shape(tensor) == expected.shape
        assert np.allclose(source[tensor], expected, atol=np.abs(expected).max() / 127)
        codes = source.codes(tensor)
        if codes is not None:
            weights = dequantize_codes(codes)
            is_transposed = name == "gpt-oss" and "experts" in tensor
            assert (weights == (source[tensor].swapaxes(-1, -2) if is_transposed else source[tensor])).all()
            seen += 1
            if codes.codes.ndim == 3:
                assert (dequantize_codes(source.codes(tensor, expert=1)) == weights[1]).all()
    assert seen > 4 and source.unread() == []
    with pytest.raises(ModelError, match=r"True\.gguf has no tensor for x"):
        source["x"]


@pytest.mark.parametrize("number, pooling", [(1, "mean"), (2, "cls"), (3, "last")])
def test_vectors_are_pooled_as_the_file_says(number: int, pooling: str, tmp_path: Path) -> None:
    folder, path, tokens = copy_model("qwen3", tmp_path), tmp_path / "model.gguf", list(range(9))
    write_model(folder, path, {"qwen3.pooling_type": number})
    with LLM(folder, threads=1) as llm:
        expected = llm.embed(tokens, EmbeddingParams(pooling=pooling))
    with LLM(path, threads=1) as llm:
        assert llm.describe()["embedding"]["pooling"] == pooling
        np.testing.assert_allclose(llm.embed(tokens), expected, atol=1e-6)


def test_file_without_pooling_asks_for_one(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model("qwen3", tmp_path), path, {"qwen3.pooling_type": 0})
    with LLM(path, threads=1) as llm:
        with pytest.raises(InvalidRequest, match="names no pooling; send mean, cls, last") as info:
            llm.embed([1, 2])
        assert info.value.param == "pooling"
        assert llm.embed([1, 2], EmbeddingParams(pooling="mean")).shape == (1, 32)
        assert llm.describe()["tasks"] == ["generate", "embed"]


def test_file_that_is_not_causal_makes_the_vectors_of_its_folder(tmp_path: Path) -> None:
    folder, path, tokens = copy_model("llama-untied-mha", tmp_path), tmp_path / "model.gguf", list(range(9))
    write_model(folder, path, {"llama.attention.causal": False})
    write_json(folder / "config.json", read_json(folder / "config.json") | {"is_causal": False})
    with LLM(folder, threads=1) as llm, LLM(path, threads=1) as gguf:
        np.testing.assert_allclose(gguf.embed(tokens), llm.embed(tokens), atol=1e-6)
        with pytest.raises(InvalidRequest, match=r"makes no text, .* is_causal is false in its"):
            gguf.generate(tokens)


def test_an_unknown_architecture_is_named(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", {"general.architecture": "whisper"}, {"token_embd.weight": TENSOR})
    with pytest.raises(ModelError, match=r"a\.gguf: 'whisper' is not a supported architecture; `tritonchat "):
        GGUFModel(tmp_path / "a.gguf")


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("llama.block_count", 0, "block_count cannot be 0"),
        ("llama.block_count", 2**30, "block_count cannot be 1073741824"),
        ("llama.block_count", "x", "block_count cannot be 'x'"),
        ("llama.block_count", 5, "has no tensor for model.layers.2.self_attn.q_proj.weight"),
        ("llama.attention.head_count", 0, "among 0 heads"),
        ("llama.attention.head_count_kv", 3, "do not divide"),
        ("llama.embedding_length", 64, "q_proj.weight is .* but should be"),
        ("llama.rope.freq_base", float("nan"), "rope_theta should be a number"),
        ("llama.rope.scaling.type", "new", "rope.scaling.type 'new' is not supported"),
        ("llama.pooling_type", 4, r"llama\.pooling_type is 4 \(rank\): rerankers of this architecture"),
        ("llama.pooling_type", 5, "pooling_type cannot be 5, only 0, 1, 2 or 3"),
        ("llama.pooling_type", "mean", "pooling_type cannot be 'mean'"),
        ("llama.attention.causal", 0, "attention.causal should be true or false"),
        ("llama.feed_forward_length", np.array([48, 24]), "differs between layers"),
        ("general.architecture", 3, "should be the name of an architecture"),
    ],
)
def test_wrong_metadata_are_refused(tmp_path: Path, field: str, value: object, message: str) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model("llama-untied-mha", tmp_path), path, {field: value})
    with pytest.raises(ModelError, match=message) as info:
        LLM(path, threads=1)
    assert "model.gguf" in str(info.value)


@pytest.mark.parametrize(
    "name, field, value, message",
    [
        *(
            (
                "llama-untied-mha",
                "llama.attention.new_norm",
                value,
                r"llama\.attention\.new_norm is .* another",
            )
            for value in (False, 0, 0.0, "", True, np.array([0, 0]))
        ),
        ("llama-untied-mha", "llama.attn_logit_softcapping", 30.0, r"30\.0, but only 0\.0 is supported"),
        ("llama-untied-mha", "llama.expert_group_count", 4, "expert_group_count is 4, but only 1"),
        ("qwen3-moe", "qwen3moe.expert_weights_norm", False, "expert_weights_norm is False, but only True"),
        ("qwen3-moe", "qwen3moe.expert_gating_func", 2, "expert_gating_func is 2, but only 1"),
        ("lfm2-moe", "lfm2moe.expert_gating_func", 1, "expert_gating_func is 1, but only 2"),
        ("gpt-oss", "gpt-oss.rope.freq_base_swa", 5.0, r"rope\.freq_base_swa is 5\.0"),
        ("nemotron-h-experts", "nemotron_h_moe.expert_gating_func", 1, "expert_gating_func is 1, but only 2"),
        ("jamba", "jamba.attention.head_count_kv", np.array([0, 2, 2]), "not follow .* at equal distances"),
        ("mamba2", "mamba2.ssm.inner_size", 48, "ssm.inner_size does not fit embedding_length"),
    ],
    ids=str,
)
def test_metadata_that_nobody_knows_are_refused_whatever_their_value(
    tmp_path: Path, name: str, field: str, value: object, message: str
) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model(name, tmp_path), path, {field: value})
    with pytest.raises(ModelError, match=message):
        GGUFModel(path)


@pytest.mark.parametrize(
    "name, fields",
    [
        (
            "llama-untied-mha",
            {
                "llama.tensor_data_layout": "Meta AI original pth",
                "llama.expert_count": 0,
                "llama.expert_used_count": 0,
                "llama.rope.scaling.type": "none",
                "llama.rope.scaling.finetuned": False,
                "llama.attention.layer_norm_epsilon": 1e-5,
                "llama.attention.max_alibi_bias": 0.0,
                "llama.attention.clamp_kqv": 0.0,
                "llama.attention.causal": True,
                "llama.logit_scale": 0.0,
            },
        ),
        ("qwen3", {"qwen3.pooling_type": 3, "qwen3.rope.dimension_sections": np.array([11, 11, 10])}),
        ("qwen3-moe", {"qwen3moe.expert_weights_norm": True, "qwen3moe.expert_weights_scale": 1.0}),
        ("gpt-oss", {"gpt-oss.rope.scaling.yarn_ext_factor": 1.0}),
        ("rwkv7", {"rwkv7.token_shift_count": 2, "rwkv7.attention.head_count_kv": 0}),
        ("gemma3", {"gemma3.vision.block_count": 27, "gemma3.mm.tokens_per_image": 256}),
    ],
    ids=str,
)
def test_metadata_that_change_nothing_are_accepted(
    tmp_path: Path, name: str, fields: dict[str, object]
) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model(name, tmp_path), path, fields)
    GGUFModel(path)


def test_a_tensor_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model("llama-tied-gqa", tmp_path), path, {"llama.block_count": 1})
    with pytest.raises(ModelError, match=r"model\.gguf has tensors .* not use: 'model\.layers\.1"):
        LLM(path, threads=1)


def test_a_quantized_file_chats_as_the_model_it_was_made_of(tmp_path: Path) -> None:
    path, folder = tmp_path / "model.gguf", embedded_model()
    write_model(folder, path, tokenizer_metadata(folder), quantize=True)
    messages, params = [{"role": "user", "content": "Hello, who are you?"}], SamplingParams(temperature=0)
    with LLM(folder, threads=1) as llm:
        answer, prompt = llm.chat(messages, params).text, llm.tokenizer.encode("The quick brown fox.")
    with LLM(path, threads=1, weights="float32") as llm:
        exact = llm.logits(prompt)
    with LLM(path, threads=1) as llm:
        assert llm.chat(messages, params).text == answer
        assert llm.describe()["weight_bytes"] < 1.1 * path.stat().st_size
        probabilities, others = softmax(exact), softmax(llm.logits(prompt))
    assert (probabilities * np.log(probabilities / others)).sum(axis=1).max() < 0.02
    with LLM(path, threads=1, arithmetic="float32") as llm:
        assert np.abs(llm.logits(prompt) - exact).max() < 5e-3


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def test_an_embedding_of_4_bits_is_the_head_too(tmp_path: Path) -> None:
    folder, path = copy_model("llama-tied-gqa", tmp_path), tmp_path / "model.gguf"
    metadata, tensors = read_model(folder)
    blocks = np.random.default_rng(0).integers(0, 256, (64, 18), np.uint8)
    blocks[:, :2] = np.array([0.01], "<f2").view(np.uint8)  # one scale for all
    tensors["token_embd.weight"] = (2, (64, 32), blocks.tobytes())
    write_gguf(path, metadata, tensors)
    prompt = np.arange(1, 9)
    with (
        LLM(path, threads=1, arithmetic="float32") as exact,
        LLM(path, threads=1, weights="float32") as plain,
    ):
        assert np.allclose(exact.logits(prompt.tolist()), plain.logits(prompt.tolist()), atol=1e-3)
