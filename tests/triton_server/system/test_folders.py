"""The folders for the user's data and for compiled kernels. A new version must not move the data."""

import os.path
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

from model_core import TritonchatError
from triton_server.system.folders import data_folder


@pytest.mark.parametrize("value", [None, "", "relative/folder"])
def test_data_folder_is_in_the_home_folder(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is None:
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_DATA_HOME", value)
    monkeypatch.setenv("HOME", "/home/ada")
    assert data_folder() == Path("/home/ada/.local/share/tritonchat")


def test_data_folder_is_in_xdg_data_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data/of/ada")
    assert data_folder() == Path("/data/of/ada/tritonchat")


def test_missing_home_folder_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as it is for an unknown user
    with pytest.raises(TritonchatError, match="XDG_DATA_HOME"):
        data_folder()


@pytest.mark.parametrize("has_home", [True, False])
def test_kernels_are_cached_in_the_home_folder(tmp_path: Path, has_home: bool) -> None:
    code = "import os.path\n"
    if not has_home:
        code += "os.path.expanduser = lambda path: path\n"
    code += "import numba, model_core.kernels.compiler; print(numba.config.CACHE_DIR)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TRITONCHAT_AMX": "0",  # no check of tiles, which takes a minute in a new home folder
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    folder = Path(run.stdout.strip())
    assert folder.parent == (tmp_path / ".cache" / "tritonchat" if has_home else tmp_path), run.stderr
    assert [file.name for file in tmp_path.iterdir()] == ([".cache"] if has_home else [])
