"""`LLM.fingerprint`: the same after a restart, and another one where the bytes of answers may differ."""

import json
import shutil
from pathlib import Path

import pytest
from adapters import write_adapter
from paths import CHECKPOINTS

from model_core import LLM
from model_core.hub import embedded_model
from model_core.prompts import fingerprint

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
    found = [fingerprint_of(path) for path in (embedded_model(), template, tokenizer)]
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
    monkeypatch.setattr(fingerprint, "version", lambda package: "0.0.0")
    assert fingerprint_of(LLAMA) != expected
