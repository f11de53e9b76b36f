"""Models in the stores of Ollama, LM Studio and llama.cpp, as those programs write them."""

import hashlib
import json
import os
import random
import shutil
from pathlib import Path

import pytest
from damaged_folders import damage_file
from gguf_models import copy_model, write_model
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import ModelError
from model_core.hub import fetch_model, is_on_this_machine, model_name
from model_core.hub.ollama import complete_name
from model_core.hub.stored_model import StoredModel
from model_core.hub.stores import STORES, find_stored

FUZZ = int(os.environ.get("FUZZ_MANIFESTS", "3000"))
LIBRARY = "registry.ollama.ai/library"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and an empty store of Ollama."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # HOME also names the folder of compiled kernels
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / ".ollama" / "models"))
    for name in ("LLAMA_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def add_blob(home: Path, data: bytes) -> str:
    """Write a blob of Ollama. Returns its digest."""
    digest = hashlib.sha256(data).hexdigest()
    path = home / ".ollama" / "models" / "blobs" / f"sha256-{digest}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return f"sha256:{digest}"


def add_manifest(home: Path, name: str, **layers: bytes) -> Path:
    """Write a manifest of Ollama, host/namespace/name/tag, and the blobs of its layers."""
    entries = [
        {
            "mediaType": f"application/vnd.ollama.image.{kind}",
            "digest": add_blob(home, data),
            "size": len(data),
        }
        for kind, data in layers.items()
    ]
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {
            "mediaType": "application/vnd.docker.container.image.v1+json",
            "digest": add_blob(home, b"{}"),
            "size": 2,
        },
        "layers": entries,
    }
    path = home / ".ollama" / "models" / "manifests" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(manifest))
    return path


def list_all() -> list[StoredModel]:
    return [model for store in STORES.values() for model in store.list()]


def names() -> list[str]:
    return [model.name for model in list_all()]


def refuse(name: str) -> str:
    """The sentence with which a name is refused."""
    with pytest.raises(ModelError) as caught:
        fetch_model(name)
    return str(caught.value)


def test_a_model_of_ollama_answers_as_its_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / "model.gguf"
    write_model(copy_model("qwen3", home), file)
    add_manifest(
        home,
        f"{LIBRARY}/tiny/latest",
        model=file.read_bytes(),
        template=b"{{ .Prompt }}",
        params=b'{"stop": ["x"]}',
        system=b"You are tiny.",
        license=b"free",
    )
    params = SamplingParams(max_tokens=5)
    with LLM(file) as llm:
        expected = llm.generate([5, 6], params).token_ids
    capsys.readouterr()
    with LLM("ollama:tiny") as llm:
        assert llm.generate([5, 6], params).token_ids == expected
        assert llm.name == "ollama:tiny"
    errors = capsys.readouterr().err
    assert (
        "Of ollama:tiny:latest, not used: the chat template (conversations need one in its .gguf file)"
        in errors
    )
    assert "the system message, the parameters of sampling." in errors
    assert "license" not in errors


@pytest.mark.parametrize(
    "path, name",
    [
        (f"{LIBRARY}/llama3.2/3b", "llama3.2:3b"),
        (f"{LIBRARY}/llama3.2/latest", "llama3.2:latest"),
        ("registry.ollama.ai/someone/tiny/latest", "someone/tiny:latest"),
        ("hf.co/bartowski/Tiny-GGUF/Q4_K_M", "hf.co/bartowski/Tiny-GGUF:Q4_K_M"),
    ],
)
def test_names_of_ollama(home: Path, path: str, name: str) -> None:
    add_manifest(home, path, model=b"weights")
    assert names() == [f"ollama:{name}"]
    host, namespace, model, tag = path.split("/")
    called = [name, f"{host}/{namespace}/{model}:{tag}", name.upper()]
    called += [name.removesuffix(":latest")]
    for text in called:
        found = fetch_model(f"ollama:{text}")
        assert found.name.startswith("sha256-") and found.read_bytes() == b"weights"
    assert is_on_this_machine(f"ollama:{name}") and model_name(f"ollama:{name}") == f"ollama:{name}"


def test_a_whole_name_has_its_tag() -> None:
    assert complete_name("a") == complete_name("library/a:latest") == "a:latest"
    assert complete_name("registry.ollama.ai/library/a") == "a:latest"
    assert complete_name("hf.co/b/a") == "hf.co/b/a:latest"


def test_what_ollama_has_is_named(home: Path) -> None:
    assert refuse("ollama:tiny").endswith("it has none on this machine.")
    add_manifest(home, f"{LIBRARY}/tiny/1b", model=b"weights")
    add_manifest(home, f"{LIBRARY}/tiny/7b", model=b"weights")
    assert refuse("ollama:tiny").endswith(
        "Ollama has no model called ollama:tiny; there are ollama:tiny:1b, ollama:tiny:7b."
    )
    with pytest.raises(ModelError, match="--revision is for models on the hub"):
        fetch_model("ollama:tiny:1b", "main")


def test_what_of_ollama_does_not_load(home: Path) -> None:
    add_manifest(home, f"{LIBRARY}/adapted/latest", model=b"weights", adapter=b"more weights")
    path = add_manifest(home, f"{LIBRARY}/gone/latest", model=b"other weights")
    digest = json.loads(path.read_text())["layers"][0]["digest"]
    blob = home / ".ollama" / "models" / "blobs" / digest.replace(":", "-")
    blob.unlink()
    add_manifest(home, f"{LIBRARY}/two/latest", model=b"weights", tensor=b"weights")
    add_manifest(home, f"{LIBRARY}/none/latest", license=b"free")
    assert "has an adapter, which is not supported; " in refuse("ollama:adapted")
    assert f"{blob}, which {path} names, is missing" in refuse("ollama:gone")
    assert "layers of the kind 'tensor'" in refuse("ollama:two")
    assert "0 files of weights" in refuse("ollama:none")
    assert all(model.problem for model in list_all())


def test_damaged_manifests_give_one_clear_sentence(home: Path) -> None:
    """Any damage is found, or the model is still its own file."""
    path = add_manifest(home, f"{LIBRARY}/tiny/latest", model=b"weights", template=b"t", params=b"{}")
    data, outcomes = path.read_bytes(), {True: 0, False: 0}
    blobs = home / ".ollama" / "models" / "blobs"
    for number in range(FUZZ):
        path.write_bytes(damage_file(random.Random(number), path, data))
        (model,) = list_all()
        outcomes[model.problem is None] += 1
        if model.problem is None:
            assert model.path is not None and model.path.parent == blobs, number
        else:
            assert str(path) in model.problem or model.name in model.problem, (number, model.problem)
            assert len(model.problem) < 1000 and len(model.problem.splitlines()) == 1, (number, model.problem)
            model.problem.encode()
    assert min(outcomes.values()) > FUZZ / 20


def write_files(folder: Path, *files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_text(name)
    return folder


@pytest.mark.parametrize("root", [".lmstudio/models", ".cache/lm-studio/models"])
def test_models_of_lm_studio(home: Path, root: str) -> None:
    files = ("tiny-Q8_0.gguf", "tiny-Q4_K_M.gguf", "mmproj-tiny-F16.gguf")
    folder = write_files(home / root / "maker" / "Tiny-GGUF", *files)
    large = write_files(
        home / root / "maker" / "Large-MTP-GGUF",
        *("Large-MTP-Q6_K-00001-of-00002.gguf", "Large-MTP-Q6_K-00002-of-00002.gguf"),
    )
    whole = home / root / "mlx-community" / "whole"
    shutil.copytree(CHECKPOINTS / "llama-float16", whole)
    assert sorted(names()) == [
        "lmstudio:maker/Large-MTP-GGUF:Q6_K",
        "lmstudio:maker/Tiny-GGUF:Q4_K_M",
        "lmstudio:maker/Tiny-GGUF:Q8_0",
        "lmstudio:mlx-community/whole",
    ]
    assert fetch_model("lmstudio:maker/Tiny-GGUF") == folder / "tiny-Q4_K_M.gguf"
    assert fetch_model("lmstudio:maker/tiny-gguf:q8_0") == folder / "tiny-Q8_0.gguf"
    assert fetch_model("lmstudio:maker/Large-MTP-GGUF") == large / "Large-MTP-Q6_K-00001-of-00002.gguf"
    assert fetch_model("lmstudio:mlx-community/whole") == whole
    assert "there are Q4_K_M, Q8_0." in refuse("lmstudio:maker/Tiny-GGUF:Q5_0")
    assert "lmstudio:maker/Tiny-GGUF:Q4_K_M" in refuse("lmstudio:maker/other")
    with LLM("lmstudio:mlx-community/whole") as llm:
        assert llm.generate([5, 6], SamplingParams(max_tokens=2)).token_ids


@pytest.mark.parametrize("variable", ["LLAMA_CACHE", "XDG_CACHE_HOME", None])
def test_models_of_llama_cpp(home: Path, variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    root = home / ".cache" / "llama.cpp"
    if variable is not None:
        root = home / "elsewhere" / ("llama.cpp" if variable == "XDG_CACHE_HOME" else "")
        monkeypatch.setenv(variable, str(home / "elsewhere"))
    write_files(
        root,
        *("manifest=maker=Tiny-GGUF=latest.json", "maker_Tiny-GGUF_tiny-Q4_K_M.gguf.json"),
        *("maker_Tiny-GGUF_tiny-Q4_K_M.gguf", "maker_Tiny-GGUF_mmproj-F16.gguf", "alone.gguf"),
        *("manifest=maker=Tiny-GGUF-MTP=Q8_0.json", "maker_Tiny-GGUF-MTP_tiny-MTP-Q8_0.gguf"),
    )
    assert sorted(names()) == [
        "llama.cpp:alone.gguf",
        "llama.cpp:maker/Tiny-GGUF-MTP:Q8_0",
        "llama.cpp:maker/Tiny-GGUF:Q4_K_M",
    ]
    assert fetch_model("llama.cpp:maker/Tiny-GGUF") == root / "maker_Tiny-GGUF_tiny-Q4_K_M.gguf"
    assert fetch_model("llama.cpp:maker/Tiny-GGUF:Q4_K_M") == root / "maker_Tiny-GGUF_tiny-Q4_K_M.gguf"
    assert fetch_model("llama.cpp:maker/Tiny-GGUF-MTP") == root / "maker_Tiny-GGUF-MTP_tiny-MTP-Q8_0.gguf"
    assert fetch_model("llama.cpp:alone.gguf") == root / "alone.gguf"
    assert "llama.cpp:alone.gguf" in refuse("llama.cpp:other")


def test_no_store_is_changed(home: Path) -> None:
    add_manifest(home, f"{LIBRARY}/tiny/latest", model=b"weights")
    write_files(home / ".lmstudio" / "models" / "a" / "b", "c-Q4_K_M.gguf")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    for model in list_all():
        find_stored(model.name)
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before
