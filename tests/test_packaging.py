"""The wheel works where there is no source tree, and versions of dependencies are pinned."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import httpx
import pytest
from conftest import running_server
from http_service import CHAT, HELLO
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from paths import ROOT
from support import free_port

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEPENDENCIES = sysconfig.get_path("purelib")
# Other files of the source tree that are large, or that belong to one machine.
IGNORED = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "*.egg-info")
BUILT_HERE = ("build", "dist")  # folders of the root alone: the page's component lies in a `dist`, too
MAX_WHEEL = 12_000_000  # bytes
CONTENTS = {
    "model_core/embedded/model.safetensors",
    "model_core/embedded/tokenizer.json",
    "model_core/embedded/config.json",
    "model_core/recommend/models.json",
    "streamlit_client/page.py",
    "streamlit_client/chat/chat.py",
    "streamlit_client/compare/compare.py",
    "streamlit_client/compare/votes.py",
    "streamlit_client/messages/web/dist/messages.js",
    "streamlit_client/messages/web/dist/katex.js",
    "streamlit_client/messages/web/dist/mermaid.js",
    "triton_server/conversations/migrations/env.py",
    "triton_server/conversations/migrations/versions/0005_search.py",
    "triton_server/conversations/migrations/versions/0009_receipts_of_turns.py",
    "triton_server/conversations/migrations/versions/0010_collections.py",
    "triton_server/engine/triton/backend_model.py",
}


def leave_out(folder: str, names: list[str]) -> set[str]:
    """What of a folder is not copied."""
    built = {name for name in BUILT_HERE if Path(folder) == ROOT}
    return IGNORED(folder, names) | built


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with pip and nothing else."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder, with_pip=True, symlinks=True)
    return folder


@pytest.fixture(scope="module")
def wheel(environment: Path) -> Path:
    """The wheel of this source tree, built in a copy of it."""
    source = environment.parent / "source"
    shutil.copytree(ROOT, source, ignore=leave_out)
    command = ["-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w"]
    subprocess.run(
        [environment / "bin" / "python", *command, environment.parent, source],
        env={**os.environ, "PYTHONPATH": DEPENDENCIES},  # setuptools
        check=True,
        timeout=250,
    )
    (path,) = environment.parent.glob("tritonchat-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(environment: Path, wheel: Path) -> Path:
    """The environment, with the project from its wheel and all dependencies from this environment."""
    pip = [environment / "bin" / "python", "-m", "pip"]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", wheel], check=True, timeout=250)
    (site,) = environment.glob("lib/python*/site-packages")
    # A line of a .pth file adds a folder, but not what that folder's own .pth files add: the source tree.
    (site / "dependencies.pth").write_text(f"{DEPENDENCIES}\n")
    # PyTriton looks for Triton's libraries in the folder for packages, not where it is itself.
    for name in ("pytriton", "nvidia_pytriton.libs"):
        (site / name).symlink_to(Path(DEPENDENCIES, name))
    return environment


def test_wheel_has_all_that_runs_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert names >= CONTENTS
    tops = {name.split("/")[0] for name in names}
    assert {name for name in tops if not name.endswith(".dist-info")} == {
        "model_core",
        "streamlit_client",
        "triton_server",
    }
    assert not [name for name in names if "test" in Path(name).name]
    assert wheel.stat().st_size < MAX_WHEEL


def test_every_python_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for package in ("model_core", "streamlit_client", "triton_server"):
        files = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py")}
        # `npm ci` may have installed some beside the source of the page's component.
        assert {str(path) for path in files if "node_modules" not in path.parts} <= names


def test_up_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    packages = "model_core, streamlit_client, triton_server"
    code = f"import {packages}\nfor module in ({packages}): print(module.__file__)"
    found = subprocess.run(
        [installed / "bin" / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    files = [Path(line) for line in found.stdout.split()]
    assert len(files) == 3
    assert all(file.is_relative_to(installed) for file in files)

    port = free_port()
    with running_server(
        "--ui-port",
        str(port),
        command="up",
        log=tmp_path / "log",
        program=[installed / "bin" / "tritonchat"],
        cwd=tmp_path,
    ) as server:
        assert Path(server.engine.cmdline()[0]).is_relative_to(installed)
        answer = httpx.post(server.api_url + CHAT, json=HELLO, timeout=60)
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"]
        assert httpx.post(f"{server.api_url}/sessions", json={}, timeout=60).is_success
        assert httpx.get(f"http://127.0.0.1:{port}/_stcore/health", timeout=60).text == "ok"
        assert "<!DOCTYPE html>" in httpx.get(f"http://127.0.0.1:{port}/", timeout=60).text


def test_every_dependency_is_pinned() -> None:
    pins: dict[str, list[Requirement]] = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        # pip and uv both read these; an option or an address would work in one of them, or on one machine.
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][^ ]*( ; [^;]+)?", line), line
        pin = Requirement(line)
        pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    for line in [*project["dependencies"], *optional["postgresql"], *optional["dev"], *optional["docs"]]:
        needed = Requirement(line)
        found = pins.get(canonicalize_name(needed.name), [])
        assert found, f"{needed.name} is not in constraints.txt"
        for pin in found:
            assert needed.specifier.contains(str(pin.specifier).removeprefix("=="), prereleases=True), line


def test_dependencies_with_private_interfaces_have_upper_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounded = {
        Requirement(line).name
        for line in project["dependencies"]
        if any(spec.operator == "<" for spec in Requirement(line).specifier)
    }
    assert bounded >= {"uvicorn", "numba", "nvidia-pytriton"}
