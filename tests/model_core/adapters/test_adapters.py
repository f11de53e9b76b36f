"""Adapters: parity with PEFT and with merged weights, mixed in batches, loaded and dropped while running."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from adapters import save_adapter, write_adapter, write_merged
from gguf_models import copy_model, write_model
from held import held
from paths import CHECKPOINTS
from quantized_folders import pack_padded, write_folder
from test_engine import Receiver
from test_tape import Reference

from model_core import LLM, SamplingParams
from model_core.adapters.peft import read_adapter
from model_core.checks.file_values import read_json
from model_core.engine.job import Job
from model_core.errors import InvalidRequest
from model_core.families.config import write_json
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.model.packer import HEAD_FIELD
from model_core.quantizing.write_folder import write_quantized_folder
from model_core.reference import interpreter, operators
from model_core.weights.rounding import round_stepped, split_groups

ADAPTERS = CHECKPOINTS.parent / "adapters"
FOLDERS = sorted(ADAPTERS.iterdir())
PARAMS = SamplingParams(max_tokens=12, temperature=0.9, seed=3, ignore_eos=True)
LLAMA = CHECKPOINTS / "llama-tied-gqa"


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_logits_match_peft(folder: Path) -> None:
    expected = np.load(folder / "expected.npz")
    base, prompt = CHECKPOINTS / str(expected["base"]), expected["prompt"].tolist()
    with LLM(base, adapters={"it": folder}, arithmetic="float32") as llm:
        plain = llm.logits(prompt)
        assert relative_error(llm.logits(prompt, adapter="it"), expected["logits"]) < 1e-5
        assert np.array_equal(llm.logits(prompt), plain)
    with LLM(base, arithmetic="float32") as bare:
        assert np.array_equal(bare.logits(prompt), plain)


@pytest.mark.parametrize("name", ["llama-patterns", "phi3-fused", "gpt2-transposed", "qwen3-next"])
def test_reference_matches_peft(name: str) -> None:
    """Those that change products; embeddings are no part of the tape."""
    expected, adapter = np.load(ADAPTERS / name / "expected.npz"), read_adapter(ADAPTERS / name)
    model, sequence = Reference(CHECKPOINTS / str(expected["base"])), interpreter.Sequence(adapter=adapter)
    embeddings = {
        name: operators.embed(expected["prompt"], model.weights(table))
        for name, table in model.tape.embeddings.items()
    }
    logits = interpreter.run(model.tape, model.weights, sequence, embeddings)
    assert relative_error(logits, expected["logits"]) < 1e-5


@pytest.mark.parametrize(
    "name",
    [
        *("llama-untied-mha", "phi3", "qwen2-biases", "gemma2", "starcoder2", "olmo2"),
        *("nemotron-h", "mamba", "jamba-dense"),
    ],
)
def test_adapter_computes_what_merged_weights_compute(name: str, tmp_path: Path) -> None:
    source, prompt = CHECKPOINTS / name, list(range(30))
    with LLM(source, arithmetic="float32") as llm:
        write_adapter(llm, tmp_path / "adapter", rank=7)
        llm.load_adapter("it", tmp_path / "adapter")
        logits = llm.logits(prompt, adapter="it")
        assert relative_error(llm.logits(prompt), logits) > 0.1
    with LLM(write_merged(source, tmp_path / "adapter", tmp_path / "merged"), arithmetic="float32") as llm:
        assert relative_error(logits, llm.logits(prompt)) < 1e-5


def write_base(kind: str, folder: Path) -> Path:
    """A quantized model of one of the kinds that files have, or `tritonchat quantize` writes."""
    if kind in ("int4", "int8"):
        write_quantized_folder(open_model_files(CHECKPOINTS / "llama-biases"), folder, kind)
        config = read_json(folder / "config.json")
        del config["quantization_config"][HEAD_FIELD]  # the merged weights have the head as it was, too
        write_json(folder / "config.json", config)
    elif kind.startswith("gguf"):
        name = kind.removeprefix("gguf-")
        write_model(copy_model(name, folder.parent), path := folder.with_suffix(".gguf"), quantize=True)
        return path
    else:
        write_folder(kind, folder)
    return folder


@pytest.mark.parametrize(
    "kind",
    [
        *(
            "gptq-4-asymmetric",
            "gptq-4-order",
            "gptq-8",
            "awq",
            "packed-4-order",
            "float8-group",
            "fp8-block",
        ),
        *("int8", "int4", "gguf-llama-untied-mha", "gguf-qwen3_5-16-32"),
    ],
)
def test_adapter_of_a_quantized_model_is_added_to_its_weights(kind: str, tmp_path: Path) -> None:
    base, adapter, prompt = write_base(kind, tmp_path / "base"), tmp_path / "adapter", list(range(30))
    with LLM(base, arithmetic="float32") as exact:
        write_adapter(exact, adapter, rank=7)
        exact.load_adapter("it", adapter)
        logits, plain = exact.logits(prompt, adapter="it"), exact.logits(prompt)
        assert relative_error(plain, logits) > 0.1
    with LLM(write_merged(base, adapter, tmp_path / "merged"), arithmetic="float32") as merged:
        assert relative_error(logits, merged.logits(prompt)) < 1e-5
    with LLM(base, adapters={"it": adapter}) as rounded:
        rounding = relative_error(rounded.logits(prompt), plain)
        assert relative_error(rounded.logits(prompt, adapter="it"), logits) < rounding + 0.05


@pytest.mark.parametrize(("weights", "bound"), [("int8", 0.05), ("int4", 0.05), ("bfloat16", 1e-5)])
def test_adapter_of_rounded_weights_is_close(weights: str, bound: float, tmp_path: Path) -> None:
    """What it adds is as exact as on weights that are not rounded, up to its own rounding."""
    with LLM(LLAMA, weights=weights, arithmetic="float32") as llm:
        write_adapter(llm, tmp_path / "adapter", rank=16, std=0.05)
        llm.load_adapter("it", tmp_path / "adapter")
        plain, adapted = llm.logits([1, 2, 3]), llm.logits([1, 2, 3], adapter="it")
    model = Reference(LLAMA)
    ids = np.array([1, 2, 3])
    embeddings = {"x": operators.embed(ids, model.weights(model.tape.embedding))}
    changes = []
    for adapter in (None, read_adapter(tmp_path / "adapter")):
        sequence = interpreter.Sequence(adapter=adapter)
        changes.append(interpreter.run(model.tape, model.weights, sequence, embeddings))
    assert relative_error(changes[1], changes[0]) > 0.02
    assert relative_error(adapted, changes[1]) < relative_error(plain, changes[0]) + bound


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Four adapters of several ranks and targets for LLAMA."""
    root = tmp_path_factory.mktemp("adapters")
    with LLM(LLAMA) as llm:
        kinds = {"a": (1, "proj"), "b": (16, "proj"), "c": (20, "v_proj"), "d": (256, "gate_proj")}
        for seed, (name, (rank, target)) in enumerate(kinds.items()):
            write_adapter(llm, root / name, rank, seed=seed, target=target)
    return {name: root / name for name in kinds}


@pytest.fixture(params=["auto", "int8", "int4"])
def many(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Iterator[LLM]:
    with LLM(LLAMA, weights=request.param, adapters=folders, threads=2) as llm:
        yield llm


def test_answers_do_not_depend_on_the_batch(many: LLM) -> None:
    """Single, mixed with others, and on another number of threads: the same tokens and probabilities."""
    names = [None, "a", "b", "c", "d", "a", None, "b"]
    random = np.random.default_rng(0)
    prompts = [random.integers(0, 60, int(n)).tolist() for n in random.integers(1, 90, len(names))]
    params = SamplingParams(max_tokens=12, temperature=0.9, seed=3, ignore_eos=True, logprobs=2)
    mixed = many.generate(prompts, params, adapter=names)
    many.model.set_threads(1)
    for prompt, name, expected in zip(prompts, names, mixed, strict=True):
        alone = many.generate(prompt, params, adapter=name)
        assert alone.token_ids == expected.token_ids
        assert alone.logprobs == expected.logprobs
    assert len({tuple(completion.token_ids) for completion in mixed}) == len(names)


def test_request_without_adapter_has_the_bits_of_a_model_without(folders: dict[str, Path]) -> None:
    params = SamplingParams(max_tokens=20, temperature=0, ignore_eos=True, logprobs=4)
    with LLM(LLAMA, weights="int8") as llm:
        expected = llm.generate([[5, 6, 7]] * 2, params)
        for name, folder in folders.items():
            llm.load_adapter(name, folder)
        mixed = llm.generate([[5, 6, 7]] * 6, params, adapter=["a", None, "b", "c", None, "d"])
    for completion in (mixed[1], mixed[4]):
        assert (completion.token_ids, completion.logprobs) == (expected[0].token_ids, expected[0].logprobs)


def test_prompt_has_the_same_bits_in_chunks(many: LLM) -> None:
    prompt = np.random.default_rng(1).integers(0, 60, 200).tolist()
    whole = many.logits(prompt, adapter="b")
    beginning = many.logits(prompt[:77], adapter="b")
    assert np.array_equal(whole[:77], beginning)


def test_prefix_cache_is_not_shared_between_adapters(many: LLM) -> None:
    prompt = list(range(50))
    cached = [
        many.generate(prompt, PARAMS, adapter=name).usage.cached_tokens
        for name in (None, "a", "b", None, "a", "b")
    ]
    assert cached == [0, 0, 0, 49, 49, 49]


def test_reloaded_adapter_has_a_prefix_cache_of_its_own(folders: dict[str, Path]) -> None:
    with LLM(LLAMA, adapters={"it": folders["a"]}) as llm:
        prompt = list(range(50))
        llm.generate(prompt, PARAMS, adapter="it")
        llm.drop_adapter("it")
        llm.load_adapter("it", folders["b"])
        completion = llm.generate(prompt, PARAMS, adapter="it")
        assert completion.usage.cached_tokens == 0
        llm.load_adapter("same", folders["b"])
        assert llm.generate(prompt, PARAMS, adapter="same").token_ids == completion.token_ids


def test_dropped_adapter_serves_its_requests_to_their_end(folders: dict[str, Path]) -> None:
    params = SamplingParams(max_tokens=150, temperature=0.8, seed=1, ignore_eos=True)
    with LLM(LLAMA, weights="int8", adapters={"it": folders["b"]}) as llm:
        expected = llm.generate([9, 8, 7], params, adapter="it").token_ids
        with held(llm):  # so that it has not ended before the adapter is dropped
            receiver = Receiver()
            llm.engine.submit(Job([9, 8, 7], params.with_defaults(llm.defaults), adapter="it"), receiver)
            llm.drop_adapter("it")
            assert llm.model.adapters.names == []
            llm.load_adapter("other", folders["c"])  # into another slot
            assert llm.model.adapters.slots_used == 2
        assert receiver.completion().token_ids == expected
        assert llm.model.adapters.slots_used == 1
        with pytest.raises(InvalidRequest, match="no adapter 'it'; loaded are: other"):
            llm.generate([1], adapter="it")


def test_refused_request_does_not_keep_an_adapter(folders: dict[str, Path]) -> None:
    with LLM(LLAMA, adapters={"it": folders["a"]}, max_queue=0, max_concurrency=1) as llm:
        with held(llm):
            params = SamplingParams(max_tokens=1).with_defaults(llm.defaults)
            first = Receiver()
            llm.engine.submit(Job([1], params, adapter="it"), first)
            with pytest.raises(Exception, match="full"):
                llm.engine.submit(Job([1], params, adapter="it"), Receiver())
            llm.drop_adapter("it")
        first.completion()
        assert llm.model.adapters.slots_used == 0


def test_names_are_checked(folders: dict[str, Path]) -> None:
    with LLM(LLAMA, adapters={"it": folders["a"]}) as llm:
        with pytest.raises(InvalidRequest, match="'it' is loaded already"):
            llm.load_adapter("it", folders["b"])
        with pytest.raises(InvalidRequest, match="cannot be the name"):
            llm.load_adapter("a b", folders["b"])
        with pytest.raises(InvalidRequest, match="no adapter 'poet'"):
            llm.drop_adapter("poet")
        with pytest.raises(InvalidRequest, match="2 prompts came with 1 adapters"):
            llm.generate([[1], [2]], adapter=["it"])


def test_replaced_head_and_embeddings_in_a_mixed_batch() -> None:
    """Rows with a head of their own, in all kinds of weights, have the bits that they have alone."""
    folder = ADAPTERS / "llama-saved"
    params = SamplingParams(max_tokens=8, temperature=0, ignore_eos=True, logprobs=3)
    for weights in ("auto", "int8"):
        with LLM(CHECKPOINTS / "llama-untied-mha", weights=weights, adapters={"it": folder}) as llm:
            names = [None, "it", None, "it", None]
            prompts = [[3 * i + 1, 5, i] for i in range(len(names))]
            mixed = llm.generate(prompts, params, adapter=names)
            for prompt, name, expected in zip(prompts, names, mixed, strict=True):
                alone = llm.generate(prompt, params, adapter=name)
                assert (alone.token_ids, alone.logprobs) == (expected.token_ids, expected.logprobs)


def test_experts_are_refused_by_name(tmp_path: Path) -> None:
    name = "base_model.model.model.layers.0.mlp.experts.0.gate_proj"
    tensors = {f"{name}.lora_A.weight": np.ones((2, 32)), f"{name}.lora_B.weight": np.ones((20, 2))}
    save_adapter(tmp_path, tensors, r=2)
    with (
        LLM(CHECKPOINTS / "qwen3-moe") as llm,
        pytest.raises(Exception, match="experts cannot have adapters"),
    ):
        llm.load_adapter("it", tmp_path)


def quantize_head(folder: Path, model: Path) -> None:
    """Give a folder of int4, as written by `tritonchat quantize`, a head of 4 bits as well."""
    source, path = open_model_files(model).open_tensors(), folder / "model.safetensors"
    head = round_stepped(np.float32(source["lm_head.weight"]))
    steps, zeros = split_groups(head.groups, 4)
    saved = SafetensorsFolder(folder)
    tensors = {name: np.array(saved[name]) for name in saved if name != "lm_head.weight"}
    tensors |= {
        "lm_head.weight_packed": pack_padded(head.codes, 4),
        "lm_head.weight_scale": head.scales[:, None] * steps,
        "lm_head.weight_zero_point": np.ascontiguousarray(pack_padded(zeros.T, 4).T),
        "lm_head.weight_shape": np.array(head.codes.shape),
    }
    write_safetensors(path, tensors)
    config = read_json(folder / "config.json")
    config["quantization_config"] |= {"ignore": [], HEAD_FIELD: None}
    write_json(folder / "config.json", config)


@pytest.mark.parametrize("kind", ["int8", "int4", "head of 4 bits"])
def test_replaced_head_multiplies_activations_as_they_are_rounded(tmp_path: Path, kind: str) -> None:
    """Rotated and balanced as those of the model's own head, or neither."""
    base, prompt, weights = CHECKPOINTS / "llama-untied-mha", list(range(20)), kind
    if kind == "head of 4 bits":
        write_quantized_folder(open_model_files(base), tmp_path / "base", "int4")
        quantize_head(tmp_path / "base", base)
        base, weights = tmp_path / "base", "auto"
    found = []
    for arithmetic in ("float32", "int8"):
        adapters = {"it": ADAPTERS / "llama-saved"}
        with LLM(base, weights=weights, arithmetic=arithmetic, adapters=adapters) as llm:
            assert llm.model.weights.head is not None
            assert llm.model.weights.head.is_rotated == (kind != "head of 4 bits")
            found.append(llm.logits(prompt, adapter="it"))
    assert relative_error(found[1], found[0]) < 0.05
