"""Messages that say what to install."""

import importlib.util
import shlex
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from triton_server.system.extras import _install, install_command


@pytest.mark.parametrize("extra", ["postgresql", "cluster", "mcp", "tracing"])
def test_command_names_packages_of_the_index(extra: str) -> None:
    """Not this project, which is on no index."""
    words = shlex.split(install_command(extra))
    packages = [word for word in words[words.index("install") + 1 :] if not word.startswith(("-", "/"))]
    assert packages and all(Requirement(package).name != "tritonchat" for package in packages)


def test_command_is_for_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert _install("'mcp'", str(tmp_path)) == f"{tmp_path}/bin/python -m pip install 'mcp'"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert _install("'mcp'", str(tmp_path)) == f"uv pip install 'mcp' --python {tmp_path}"
    (tmp_path / "pipx_metadata.json").touch()
    assert _install("'mcp'", str(tmp_path)) == "pipx inject tritonchat 'mcp'"
