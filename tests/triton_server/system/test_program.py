"""Messages name the program so that a person can type it."""

import sys
from pathlib import Path

import pytest

from triton_server.system.program import called


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in the environment of a checkout, in which the shell looks for nothing."""
    folder = tmp_path / "checkout" / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "tritonchat").write_text("#!/bin/sh\n")
    (folder / "tritonchat").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(tmp_path / "checkout")
    return folder / "tritonchat"


def test_program_of_a_checkout_is_called_by_its_path(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert called() == ".venv/bin/tritonchat"
    for folder in ("/usr", "/"):  # services run in the latter
        monkeypatch.chdir(folder)
        assert called() == str(script)


def test_installed_program_is_called_by_its_name(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pipx and uv put a link to it in a folder where the shell looks."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tritonchat").symlink_to(script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert called() == "tritonchat"


def test_another_program_of_this_name_is_not_called(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tritonchat").write_text("#!/bin/sh\n")
    (tmp_path / "tritonchat").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called() == ".venv/bin/tritonchat"


def test_without_a_script_it_is_called_by_its_name(script: Path) -> None:
    script.unlink()
    assert called() == "tritonchat"
