"""`LLM.fingerprint`: the same after a restart, and another one where the bytes of answers may differ."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from adapters import write_adapter
from gguf_models import write_model
from paths import CHECKPOINTS, TESTS
from seeing import write_both
from seeing_folders import SEEING

from model_core import LLM
from model_core.errors import ModelError
from model_core.hub import embedded_model
from model_core.llm import answer_fingerprint
from model_core.llm.identify import identify_adapter, identify_model
from model_core.llm.settings import LLMSettings
from model_core.machine.fingerprint import make_fingerprint
from model_core.model import loader

LLAMA = CHECKPOINTS / "llama-bfloat16"
SMALL = {"kv_cache_memory": 2**24}


def fingerprint_of(path: Path, **settings: object) -> str:
    with LLM(path, **{**SMALL, **settings}) as llm:
        return llm.fingerprint


def copy(source: Path, folder: Path) -> Path:
    """A copy of a model whose files may be changed."""
    shutil.copytree(source, folder)
    return folder


def change_json(path: Path, **fields: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_fingerprint_is_the_same_after_a_restart_and_whatever_changes_no_answer(tmp_path: Path) -> None:
    expected = fingerprint_of(LLAMA)
    assert expected.startswith("fp_") and len(expected) == 35
    assert fingerprint_of(copy(LLAMA, tmp_path / "another-name")) == expected
    settings = {"threads": 2, "max_concurrency": 3, "speculate": 4, "kv_cache_memory": 2**25}
    assert fingerprint_of(LLAMA, **settings) == expected


def test_fingerprint_tells_apart_what_answers_depend_on(tmp_path: Path) -> None:
    weights = copy(LLAMA, tmp_path / "weights")
    stored = bytearray((weights / "model.safetensors").read_bytes())
    stored[-2] ^= 1  # one bit of one weight
    (weights / "model.safetensors").write_bytes(stored)
    defaults = copy(LLAMA, tmp_path / "defaults")
    (defaults / "generation_config.json").write_text('{"do_sample": true, "temperature": 0.5}')
    found = {
        "as it is": fingerprint_of(LLAMA),
        "weights": fingerprint_of(weights),
        "int8": fingerprint_of(LLAMA, weights="int8"),
        "arithmetic": fingerprint_of(LLAMA, weights="int8", arithmetic="float32"),
        "kv": fingerprint_of(LLAMA, kv_cache_dtype="int8"),
        "context": fingerprint_of(LLAMA, max_context=32),
        "defaults": fingerprint_of(defaults),
    }
    assert len(set(found.values())) == len(found), found


def test_fingerprint_tells_templates_and_tokenizers_apart(tmp_path: Path) -> None:
    template, tokenizer = (copy(embedded_model(), tmp_path / name) for name in ("template", "tokenizer"))
    (template / "chat_template.jinja").write_text("{% for m in messages %}{{ m.content }}\n{% endfor %}")
    change_json(tokenizer / "tokenizer.json", normalizer={"type": "Lowercase"})
    paths = (embedded_model(), template, tokenizer)
    found = [make_fingerprint(identify_model(path, LLMSettings())) for path in paths]
    assert len(set(found)) == 3


def test_fingerprint_tells_adapters_apart(llm: LLM, tmp_path: Path) -> None:
    folders = {str(n): write_adapter(llm, tmp_path / str(n), seed=n) for n in range(2)}
    with LLM(adapters=folders, **SMALL) as adapted:
        found = {adapted.fingerprint_of(name) for name in (None, "0", "1")}
        assert len(found) == 3 and adapted.fingerprint == adapted.fingerprint_of(None)
        adapted.load_adapter("another-name", folders["1"])
        assert adapted.fingerprint_of("another-name") == adapted.fingerprint_of("1")


def test_fingerprint_tells_versions_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fingerprint_of(LLAMA)
    monkeypatch.setattr(answer_fingerprint, "SEMANTICS", answer_fingerprint.SEMANTICS + 1)
    assert fingerprint_of(LLAMA) != expected
    monkeypatch.undo()
    monkeypatch.setattr(answer_fingerprint, "version", lambda package: "0.0.0")
    assert fingerprint_of(LLAMA) != expected


def test_fingerprint_leaves_out_what_says_nothing(tmp_path: Path) -> None:
    moved = copy(LLAMA, tmp_path / "moved")
    change_json(moved / "config.json", _name_or_path="elsewhere", transformers_version="9")
    changed = copy(LLAMA, tmp_path / "changed")
    change_json(changed / "config.json", rms_norm_eps=0.5)
    assert fingerprint_of(moved) == fingerprint_of(LLAMA) != fingerprint_of(changed)


@pytest.mark.parametrize(
    ("path", "settings"),
    [
        (embedded_model(), {"max_context": 64, "kv_cache_dtype": "int8"}),
        (CHECKPOINTS / "llama-sharded", {"weights": "int4"}),
        (CHECKPOINTS / "phi3-longrope", {"weights": "bfloat16", "portable": True}),
        (TESTS / "data" / "torchao" / "float8", {}),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_files_alone_tell_what_the_loaded_model_tells(path: Path, settings: dict[str, Any]) -> None:
    with LLM(path, **SMALL, **settings) as llm:
        assert identify_model(path, LLMSettings(**settings)) == llm.made_of()


def test_one_file_alone_tells_what_the_loaded_model_tells(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_model(CHECKPOINTS / "qwen3", path)
    with LLM(path, **SMALL) as llm:
        assert identify_model(path, LLMSettings()) == llm.made_of()


def test_tower_is_a_part_of_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copy(SEEING / "smolvlm", tmp_path / "model")
    with LLM(folder, weights="int8", **SMALL) as llm:
        made_of = llm.made_of()
    settings = LLMSettings(weights="int8")
    assert identify_model(folder, settings) == made_of
    assert {arithmetic.split(",")[0] for arithmetic in made_of["vision"]["arithmetic"]} == {"int8"}
    assert made_of["vision"]["decoders"]["pillow"]
    change_json(folder / "preprocessor_config.json", image_mean=[0.25, 0.5, 0.5])
    prepared_otherwise = identify_model(folder, settings)
    assert names_of_changes(made_of, prepared_otherwise) == {"vision"}
    monkeypatch.setattr(answer_fingerprint, "name_versions", lambda: {"pillow": "0.0.0"})
    decoded_otherwise = identify_model(folder, settings)
    assert names_of_changes(prepared_otherwise, decoded_otherwise) == {"vision"}
    assert "vision" not in identify_model(LLAMA, LLMSettings())


def test_tower_in_a_file_of_its_own_is_a_part_of_the_fingerprint(tmp_path: Path) -> None:
    folder = write_both("smolvlm", tmp_path / "model")
    seeing = identify_model(folder, LLMSettings())
    tower = shutil.move(folder / "mmproj-smolvlm.gguf", tmp_path / "elsewhere.gguf")
    blind = identify_model(folder, LLMSettings())
    assert identify_model(folder, LLMSettings(mmproj=tower)) == seeing
    assert names_of_changes(blind, seeing) >= {"files", "vision"}
    assert len(seeing["files"]) == len(blind["files"]) + 1
    with LLM(folder, mmproj=tower, **SMALL) as llm:
        assert llm.made_of() == seeing


def names_of_changes(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    return {name for name in one.keys() | other if one.get(name) != other.get(name)}


def test_files_alone_tell_an_adapter(llm: LLM, tmp_path: Path) -> None:
    folder = write_adapter(llm, tmp_path / "adapter", seed=1)
    with LLM(adapters={"a": folder}, **SMALL) as adapted:
        parts = {**identify_model(None, LLMSettings()), "adapter": identify_adapter(folder)}
        assert adapted.made_of("a") == parts
        assert adapted.fingerprint_of("a") == make_fingerprint(parts) != adapted.fingerprint


def test_processors_with_the_same_bytes_have_the_same_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    def identify(amx: bool, pairs: bool, **settings: Any) -> dict[str, Any]:
        monkeypatch.setattr(answer_fingerprint, "INSTRUCTION_SET", "avx512" if pairs else "avx2")
        monkeypatch.setattr(answer_fingerprint, "HAS_BFLOAT16_TILES", amx)
        monkeypatch.setattr(loader, "HAS_BFLOAT16_TILES", amx)
        monkeypatch.setattr(loader, "HAS_PAIRS", pairs)
        return identify_model(LLAMA, LLMSettings(**settings))

    kinds = [(False, False), (False, True), (True, True)]
    everywhere = ({"weights": "int8"}, {"portable": True}, {"weights": "float16"})
    for settings in everywhere:
        first, *others = (identify(*kind, **settings) for kind in kinds)
        assert others == [first, first] and first["processor"] == "x86-64 with AVX2 and FMA"
    own = [identify(*kind, weights="bfloat16")["processor"] for kind in kinds]
    assert own == ["x86-64 with AVX2 and FMA", "x86-64 with AVX-512 BF16", "x86-64 with AMX"]


def test_changed_files_have_no_fingerprint(tmp_path: Path) -> None:
    folder = copy(LLAMA, tmp_path / "model")
    with LLM(folder, **SMALL) as llm:
        stored = folder / "model.safetensors"
        stored.write_bytes(stored.read_bytes())
        with pytest.raises(ModelError, match="has changed since the model was opened"):
            assert llm.fingerprint


def test_fingerprint_tells_apart_from_which_file_tensors_come(tmp_path: Path) -> None:
    """Two files may both have all tensors; the index chooses between them, and leaves some out."""
    folder = copy(LLAMA, tmp_path / "shards")
    stored = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()
    changed = bytearray(stored)
    changed[-2] ^= 1
    names = list(json.loads(stored[8 : 8 + int.from_bytes(stored[:8], "little")]).keys() - {"__metadata__"})
    files = ("a.safetensors", "b.safetensors")
    for file, content in zip(files, (stored, changed), strict=True):
        (folder / file).write_bytes(content)
    found = {}
    for first in files:
        other = next(file for file in files if file != first)
        places = {name: first for name in names} | {min(names): other}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
        parts = identify_model(folder, LLMSettings())
        found[first] = make_fingerprint(parts)
        assert fingerprint_of(folder) == found[first]
    assert len(set(found.values())) == 2
