"""Models that see compute what Hugging Face Transformers computes (see make_vision.py)."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seeing import Seen, relative_error
from seeing_folders import SEEING

from model_core import LLM, SamplingParams
from model_core.checks.file_values import read_json
from model_core.families.config import write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.files.vision import read_vision
from model_core.llm.jobs import complete_jobs
from model_core.model.estimate import MemoryFlags, estimate_memory
from model_core.reference.interpreter import Sequence, make_weight_reader, run
from model_core.vision.tower import LoadedTower
from model_core.vision.tower_model import PiecePace

LOGITS_BOUND = 3e-5


@pytest.fixture(scope="module", params=sorted(SEEING.iterdir()), ids=lambda folder: folder.name)
def seen(request: pytest.FixtureRequest) -> Iterator[Seen]:
    with LLM(request.param, arithmetic="float32", kv_cache_memory=2**25) as llm:
        yield Seen(llm, request.param)


def tower_of(llm: LLM) -> LoadedTower:
    assert llm.engine.encoder is not None
    return llm.engine.encoder.tower


def test_towers_match_transformers_whatever_the_pieces(seen: Seen) -> None:
    tower = tower_of(seen.llm)
    for number, image in enumerate(seen.images):
        rows, *others = (
            np.concatenate([tower.encode(part, PiecePace(seconds)) for part in image.parts], axis=1)
            for seconds in (10.0, 1e-6, float("inf"))
        )
        assert relative_error(rows, seen.expected[f"rows_{number}"]) < 1e-5
        assert all(rows.tobytes() == pieces.tobytes() for pieces in others)


def test_logits_match_transformers_whatever_the_chunks(seen: Seen) -> None:
    logits = seen.logits()
    assert relative_error(logits, seen.expected["logits"]) < LOGITS_BOUND
    if not tower_of(seen.llm).config.sees_both_ways:  # then images are not cut
        assert all(seen.logits(chunk).tobytes() == logits.tobytes() for chunk in (3, 16))


def test_greedy_tokens_match_transformers_beside_others_and_from_the_cache(seen: Seen) -> None:
    expected = seen.expected["greedy"].tolist()
    jobs = [seen.job(), seen.job(), seen.job(max_tokens=3)]
    completions = complete_jobs(seen.llm.engine, jobs)
    assert [completion.token_ids for completion in completions] == [expected, expected, expected[:3]]
    assert completions[0].usage.prompt_tokens == len(seen.prompt)
    encoder = seen.llm.engine.encoder
    assert encoder is not None
    before = encoder.encoded
    (again,) = complete_jobs(seen.llm.engine, [seen.job()])
    assert again.token_ids == expected
    assert again.usage.cached_tokens > len(seen.prompt) // 2
    assert encoder.encoded == before


def test_specification_matches_transformers(seen: Seen) -> None:
    """The reference interpreter, with the rows that Transformers has computed."""
    model, images = seen.llm.model, seen.encode()
    sight = images.sight(0, len(seen.prompt))
    assert sight.given is not None and sight.given_rows is not None
    embeddings = {name: model.embed(np.array(seen.prompt, np.int32), name) for name in model.tape.embeddings}
    places = sight.given_rows >= 0
    if sight.filler is not None:  # of which rows of images have the embeddings for layers
        ids = np.where(places, sight.filler, seen.prompt).astype(np.int32)
        embeddings = {name: model.embed(ids, name) for name in embeddings}
    given = np.zeros((len(sight.given), len(seen.prompt), sight.given.shape[2]), np.float32)
    given[:, places] = sight.given[:, sight.given_rows[places]]
    embeddings["x"] = np.where(places[:, None], given[0], embeddings["x"])
    sequence = Sequence(axes=sight.axes, bounds=sight.bounds, given=given)
    weights = make_weight_reader(Checkpoint(seen.folder))
    logits = run(model.tape, weights, sequence, embeddings)
    assert relative_error(logits[:, : model.config.vocab_size], seen.expected["logits"]) < LOGITS_BOUND


def test_int8_towers_and_logits_are_close(seen: Seen) -> None:
    """Random weights, and states of them, lose more than trained ones."""
    with LLM(seen.folder, weights="int8", kv_cache_memory=2**25) as llm:
        rounded = Seen(llm, seen.folder)
        bound = 0.3 if llm.model.tape.states else 0.15
        if seen.folder.name in ("gemma4-large", "gemma4-small"):  # whose towers do not scale scores
            bound = 0.8
        assert relative_error(rounded.logits(), seen.expected["logits"]) < bound


@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("gemma3", {"vision_tower.": "vision_tower.vision_model."}),
        ("lfm2-vl", {"model.vision_tower.": "model.vision_tower.vision_model."}),
        ("qwen2_5-vl", {"visual.": "model.visual.", "model.": "model.language_model."}),
    ],
)
def test_names_of_other_ages(tmp_path: Path, name: str, renamed: dict[str, str]) -> None:
    """Files of other ages have other names of tensors."""
    folder = Path(shutil.copytree(SEEING / name, tmp_path / name))
    stored, tensors = SafetensorsFolder(folder, rename=str), {}
    for tensor in stored:
        new = tensor
        for old, published in renamed.items():
            new = new.replace(old, published, 1) if new.startswith(old) else new
        tensors[new] = np.array(stored[tensor])
    assert tensors.keys() != set(stored)
    (folder / "model.safetensors").unlink()
    write_safetensors(folder / "model.safetensors", tensors)
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**24) as llm:
        published = Seen(llm, folder)
        assert relative_error(published.logits(), published.expected["logits"]) < 1e-5


def test_the_fingerprint_and_the_memory_count_the_tower(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SEEING / "smolvlm", tmp_path / "smolvlm"))
    flags = MemoryFlags("auto", None, 2**20, "float32")

    def read() -> tuple[str, int]:
        with LLM(folder, kv_cache_memory=2**20) as llm:
            return llm.fingerprint, estimate_memory(open_model_files(folder), flags).weights

    fingerprint, weights = read()
    stored = SafetensorsFolder(folder, rename=str)
    tensors = {name: np.array(stored[name]) for name in stored}
    projection = "model.connector.modality_projection.proj.weight"
    tensors[projection] = tensors[projection] * np.float32(2)
    (folder / "model.safetensors").unlink()
    write_safetensors(folder / "model.safetensors", tensors)
    assert read() == (read()[0], weights)
    assert read()[0] != fingerprint
    write_safetensors(
        folder / "model.safetensors", {name: array for name, array in tensors.items() if "vision" not in name}
    )
    with LLM(folder, kv_cache_memory=2**20) as llm:  # its tower is missing
        assert llm.vision is None
    assert weights > 1.5 * estimate_memory(open_model_files(folder), flags).weights


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("gemma3", "embeddings.patch_embedding.weight"),
        ("smolvlm", "embeddings.patch_embedding.weight"),
        ("qwen3-vl", "patch_embed.proj.weight"),
    ],
)
def test_kernels_of_patches_in_the_order_of_mlx_are_refused(
    name: str, kernel: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """MLX has the channels last, whether it has quantized a model or not."""
    folder = Path(shutil.copytree(SEEING / name, tmp_path / name))
    stored = SafetensorsFolder(folder, rename=str)
    tensors = {tensor: np.array(stored[tensor]) for tensor in stored}
    (turned,) = (tensor for tensor in tensors if tensor.endswith(kernel))
    tensors[turned] = np.ascontiguousarray(np.moveaxis(tensors[turned], 1, -1))
    (folder / "model.safetensors").unlink()
    write_safetensors(folder / "model.safetensors", tensors)
    with LLM(folder, kv_cache_memory=2**20) as llm:
        assert llm.vision is None
    assert "has the shape" in caplog.text and "channels" in caplog.text


@pytest.mark.parametrize(
    ("file", "changes", "reason"),
    [
        ("config.json", {"vision_config": {"strange": 1}}, "'strange' is 1, which is not supported"),
        ("config.json", {"vision_config": {"hidden_size": 30}}, "cannot have 2 heads with axial RoPE"),
        ("config.json", {"vision_config": {"depth": "two"}}, "depth should be a whole number"),
        ("config.json", {"vision_config": {"deepstack_visual_indexes": [9]}}, "a list of layers"),
        ("preprocessor_config.json", {"do_normalize": False}, "do_normalize of preprocessor_config.json"),
        ("preprocessor_config.json", {"image_mean": [1]}, "should have three numbers"),
        ("preprocessor_config.json", {"resample": 0}, "resample 0 of preprocessor_config.json"),
    ],
)
def test_a_tower_that_is_not_known_leaves_the_text_model(
    file: str, changes: dict[str, Any], reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = Path(shutil.copytree(SEEING / "qwen3-vl", tmp_path / "model"))
    fields = read_json(folder / file)
    for name, value in changes.items():
        fields[name] = fields[name] | value if isinstance(value, dict) else value
    write_json(folder / file, fields)
    with LLM(folder, kv_cache_memory=2**20) as llm:
        assert llm.vision is None
        assert llm.generate([1, 2, 3], SamplingParams(max_tokens=2)).token_ids
    messages = [record.message for record in caplog.records if "sees no images" in record.message]
    assert len(messages) == 1 and reason in messages[0]


def test_the_processor_of_newer_files_is_preferred(tmp_path: Path) -> None:
    """As in Transformers 5.24: a copy that was saved again has both, of which the older one is outdated."""
    folder = Path(shutil.copytree(SEEING / "qwen3-vl", tmp_path / "model"))
    older = read_json(folder / "preprocessor_config.json")

    def read_mean() -> tuple[float, ...]:
        config = read_vision(open_model_files(folder))
        assert config is not None
        return config.mean

    own = read_mean()
    newer = older | {"image_mean": [0.25] * 3}
    write_json(folder / "processor_config.json", {"image_processor": newer})
    assert read_mean() == (0.25,) * 3 != own
    for without in ({}, {"image_processor": None}, {"image_seq_len": 4}):
        write_json(folder / "processor_config.json", without)
        assert read_mean() == own
    (folder / "preprocessor_config.json").unlink()
    write_json(folder / "processor_config.json", {"image_processor": newer})
    assert read_mean() == (0.25,) * 3


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("preprocessor_config.json", "{"),
        ("processor_config.json", "[]"),
        ("processor_config.json", '{"image_processor": 5}'),
    ],
)
def test_a_damaged_processor_leaves_the_text_model(
    file: str, text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = Path(shutil.copytree(SEEING / "qwen3-vl", tmp_path / "model"))
    (folder / file).write_text(text)
    with LLM(folder, kv_cache_memory=2**20) as llm:
        assert llm.vision is None
    (message,) = (record.message for record in caplog.records if "sees no images" in record.message)
    assert file in message


def without_axes(name: str, folder: Path, **fields: Any) -> Path:
    """A copy of a model whose config.json says other things, or nothing, of the axes of its positions."""
    copy = Path(shutil.copytree(SEEING / name, folder / name))
    config = read_json(copy / "config.json")
    rope = config["text_config"]["rope_parameters"]
    for field in ("mrope_section", "mrope_interleaved"):
        rope.pop(field, None)
    rope |= fields
    write_json(copy / "config.json", config)
    return copy


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("qwen3-vl", {}),
        ("qwen3-vl", {"mrope_section": [2, 2, 2], "mrope_interleaved": False}),
        ("qwen3_5", {}),
        ("qwen3_5-moe", {"mrope_section": [2, 1, 1]}),
        ("qwen2_5-vl", {"mrope_section": [2, 1, 1], "mrope_interleaved": True}),
    ],
)
def test_axes_are_those_of_the_family(name: str, fields: dict[str, Any], tmp_path: Path) -> None:
    """As in Transformers: sections have defaults, and whether they are mixed does not depend on the file."""
    folder = without_axes(name, tmp_path, **fields)
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**24) as llm:
        seen = Seen(llm, folder)
        assert relative_error(seen.logits(), seen.expected["logits"]) < LOGITS_BOUND


@pytest.mark.parametrize("sections", [None, [2, 1], [2, 2, 2], [1, 1, 1, 1], 4, ["a", 1, 1], [4, -1, 1]])
def test_a_tower_without_fitting_axes_leaves_the_text_model(
    sections: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fields = {} if sections is None else {"mrope_section": sections}  # the default is for larger heads
    folder, answers = without_axes("qwen2_5-vl", tmp_path, **fields), []
    for path in (folder, SEEING / "qwen2_5-vl"):
        with LLM(path, kv_cache_memory=2**20) as llm:
            assert (llm.vision is None) == (path == folder)
            answers.append(llm.generate([1, 2, 3], SamplingParams(max_tokens=4, temperature=0)).token_ids)
    assert answers[0] == answers[1]
    assert "mrope_section should be three numbers, 4 together" in caplog.text
