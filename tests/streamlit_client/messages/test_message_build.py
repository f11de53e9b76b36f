"""The built files of the list of messages are those of its source."""

import shutil
import subprocess
from pathlib import Path

import pytest
from message_page import BUILT

SOURCE = BUILT.parent


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_built_files_are_those_of_the_source(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (SOURCE / "node_modules").is_dir():
        pytest.skip("Node.js, or what `npm ci` installs in streamlit_client/messages/web, is not there")
    subprocess.run([node, SOURCE / "build.mjs", tmp_path / "dist"], check=True, cwd=SOURCE)
    assert read_files(tmp_path / "dist") == read_files(BUILT), "npm run build"


def test_sources_are_small_and_the_lock_names_no_registry() -> None:
    for path in (SOURCE / "src").iterdir():
        if path.suffix == ".js":
            assert len(path.read_text().splitlines()) <= 400, path
    assert "resolved" not in (SOURCE / "package-lock.json").read_text()
