"""Models whose weights are in files of torch.save give the bytes that they give from safetensors."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from adapters import write_adapter
from embedder_texts import QUERY, TEXTS
from paths import CHECKPOINTS, DATA
from seeing import Seen, relative_error
from torch_writer import pickle_weights

from model_core import LLM, EmbeddingParams, SamplingParams, ScoreParams
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import SafetensorsFolder
from model_core.quantizing.write_folder import write_quantized_folder

GREEDY = SamplingParams(max_tokens=8, temperature=0, ignore_eos=True)


def pickled(source: Path, folder: Path, rename: Callable[[str], str] = str) -> Path:
    """A copy of a model with all weights in files of torch.save, those of modules too."""
    shutil.copytree(source, folder)
    pickle_weights(folder, rename)
    for path in folder.glob("*/model.safetensors"):
        pickle_weights(path.parent)
    assert not list(folder.rglob("*.safetensors"))
    return folder


@pytest.mark.parametrize(
    ("name", "prefix"), [("opt", "model."), ("opt-narrow", "model."), ("opt", ""), ("llama-bfloat16", "")]
)
def test_decoders(tmp_path: Path, name: str, prefix: str) -> None:
    """OPT was published without the prefix of the model."""
    folder = pickled(CHECKPOINTS / name, tmp_path / "model", lambda own: own.removeprefix(prefix))
    expected = np.load(CHECKPOINTS / name / "expected.npz")
    with LLM(CHECKPOINTS / name, arithmetic="float32") as plain, LLM(folder, arithmetic="float32") as llm:
        assert relative_error(llm.logits(expected["prompt"].tolist()), expected["logits"]) < 1e-5
        answers = [model.generate(expected["prompt"].tolist(), GREEDY).token_ids for model in (plain, llm)]
        assert answers[0] == answers[1]


@pytest.mark.parametrize(("name", "prefix"), [("xlm-roberta", "roberta."), ("llama-dense", "")])
def test_embedders(tmp_path: Path, name: str, prefix: str) -> None:
    """Also those with layers after pooling, which have files of their own."""
    source = DATA / "embedders" / name
    folder = pickled(source, tmp_path / "model", lambda own: prefix + own)
    with LLM(source) as plain, LLM(folder) as llm:
        vectors = llm.embed(TEXTS, EmbeddingParams(truncate=True))
        assert vectors.tobytes() == plain.embed(TEXTS, EmbeddingParams(truncate=True)).tobytes()
        np.testing.assert_allclose(vectors, np.load(source / "expected.npz")["vectors"], atol=1e-5)


def test_reranker_with_its_head(tmp_path: Path) -> None:
    source = DATA / "embedders" / "xlm-roberta-reranker"
    folder = pickled(source, tmp_path / "model")
    with LLM(source) as plain, LLM(folder) as llm:
        scores = [model.score(QUERY, TEXTS, ScoreParams(truncate=True)) for model in (plain, llm)]
        assert np.array_equal(*scores)


def test_tower(tmp_path: Path) -> None:
    folder = pickled(DATA / "vision" / "qwen3-vl", tmp_path / "model")
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**24) as llm:
        seen = Seen(llm, folder)
        assert relative_error(seen.logits(), seen.expected["logits"]) < 3e-5


def test_adapter(tmp_path: Path) -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        folder, prompt = write_adapter(llm, tmp_path / "poet", rank=3), [1, 2, 3]
        llm.load_adapter("safe", folder)
        pickle_weights(folder, name="adapter_model.safetensors")
        llm.load_adapter("pickled", folder)
        safe, adapted = (llm.logits(prompt, adapter=name) for name in ("safe", "pickled"))
        assert safe.tobytes() == adapted.tobytes() != llm.logits(prompt).tobytes()


def test_quantized_folder_of_a_pickled_model(tmp_path: Path) -> None:
    """Sharded, so that there is an index, which is not copied."""
    plain, source = CHECKPOINTS / "llama-sharded", tmp_path / "model"
    shutil.copytree(plain, source)
    shards = sorted(source.glob("model-*.safetensors"))
    index = (source / "model.safetensors.index.json").read_text()
    (source / "model.safetensors.index.json").unlink()
    for shard in shards:
        shard.rename(source / "model.safetensors")
        pickle_weights(source)
        (source / "pytorch_model.bin").rename(source / f"pytorch_{shard.stem}.bin")
    index = index.replace("model-", "pytorch_model-").replace(".safetensors", ".bin")
    (source / "pytorch_model.bin.index.json").write_text(index)
    for folder, target in ((plain, "a"), (source, "b")):
        write_quantized_folder(open_model_files(folder), tmp_path / target, "int8")
    a, b = (SafetensorsFolder(tmp_path / target, rename=str) for target in "ab")
    assert all(a[name].tobytes() == b[name].tobytes() for name in a) and set(a) == set(b)
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == sorted(
        p.name for p in (tmp_path / "b").iterdir()
    )
