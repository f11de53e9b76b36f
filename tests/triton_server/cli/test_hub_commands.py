"""`tritonchat pull`, `list` and `rm`, with a server that stands in for the hub."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import running_server
from gguf_models import copy_model, write_model
from hub_server import HubServer, Repository
from paths import CHECKPOINTS, PYTHONPATH

from triton_server.system.program import called

# The hub's client reads the environment when it is imported, so commands run in a process of their own: one
# for all commands of a test, because imports take a second.
PROGRAM = """
import json, sys
from command_line import run_command
for line in sys.stdin:
    arguments, answer = json.loads(line)
    result = run_command(*arguments, stdin=answer.encode())
    outputs = (result.stdout.decode(), result.stderr.decode())
    print(json.dumps([result.returncode, *outputs]), file=sys.__stdout__, flush=True)
"""
GGUF = ("tiny-Q4_K_M.gguf", "tiny-Q8_0.gguf")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubServer]:
    folder = tmp_path_factory.mktemp("hub")
    for name in ("unknown", "files"):
        (folder / name).mkdir()
    checkpoint = copy_model("qwen3", folder)
    for name, quantize in zip(GGUF, (False, True), strict=True):
        write_model(checkpoint, folder / "files" / name, quantize=quantize)
    (folder / "unknown" / "config.json").write_text(json.dumps({"model_type": "t5", "dtype": "float32"}))
    (folder / "unknown" / "model.safetensors").write_bytes(b"x" * 2**20)
    repositories = {
        "someone/tiny": Repository(CHECKPOINTS / "llama-bfloat16", {"v2": CHECKPOINTS / "qwen3"}),
        "someone/unknown": folder / "unknown",
        "someone/files": folder / "files",
    }
    with HubServer(repositories) as server:
        yield server


class Commands:
    """Runs commands with one cache. `home` is where it lies."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.environment = home, {"HF_HOME": str(home), "HF_ENDPOINT": url, "COLUMNS": "120"}
        stores = {
            "HOME": str(home),
            "OLLAMA_MODELS": str(home / "ollama"),
            "LLAMA_CACHE": str(home / "llama.cpp"),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **self.environment, **stores, "PYTHONPATH": PYTHONPATH},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, answer: str = "") -> subprocess.CompletedProcess:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([arguments, answer]) + "\n")
        self.process.stdin.flush()
        return subprocess.CompletedProcess(arguments, *json.loads(self.process.stdout.readline()))

    def read(self, *arguments: str) -> str:
        """What a command prints that succeeds."""
        result = self.run(*arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def refuse(self, *arguments: str) -> str:
        """The sentence of a command that fails."""
        result = self.run(*arguments)
        assert result.returncode == 1, result.stdout
        return result.stderr.splitlines()[-1]

    def files(self) -> list[str]:
        """The names of what the snapshots in the cache hold."""
        return sorted(path.name for path in self.home.glob("hub/models--*/snapshots/*/*"))

    def sizes(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.home.glob("hub/models--*/blobs/*"))


@pytest.fixture
def commands(hub: HubServer, tmp_path: Path) -> Iterator[Commands]:
    commands = Commands(tmp_path, hub.url)
    with commands.process:
        yield commands
        commands.process.kill()


def test_pull_says_what_the_model_is(commands: Commands) -> None:
    lines = commands.read("pull", "someone/tiny").splitlines()
    assert Path(lines[0]).joinpath("config.json").exists()
    assert lines[1:] == [
        "Weights in bfloat16, for continuing texts, up to 256 tokens.",
        "It needs about 0.3 GiB of memory with these flags.",
        f"Chat with it: {called()} up --model someone/tiny",
    ]
    lines = commands.read("pull", "someone/files").splitlines()
    assert Path(lines[0]).name == GGUF[0]
    assert lines[1] == "Weights in Q4_K_M, for continuing texts, up to 256 tokens."
    lines = commands.read("pull", "someone/tiny", "--revision", "v2").splitlines()
    assert lines[-1] == f"Chat with it: {called()} up --model someone/tiny --revision v2"
    lines = commands.read("pull", "someone/unknown", "--force").splitlines()
    assert lines[-1].startswith("It cannot be run: ") and "t5" in lines[-1]
    assert "no revision v3" in commands.refuse("pull", "someone/tiny", "--revision", "v3")


def test_pull_refuses_what_this_machine_cannot_run(commands: Commands) -> None:
    error = commands.refuse("pull", "someone/tiny", "--kv-cache-memory", "1000TiB")
    assert "someone/tiny needs 1024000.3 GiB of memory" in error
    assert error.endswith("; a smaller --kv-cache-memory makes it fit.")
    error = commands.refuse("pull", "someone/unknown")
    assert "someone/unknown is not downloaded, because it cannot be run: someone/unknown/config.json" in error
    assert not list(commands.home.glob("hub/models--*"))


def test_list_names_models_and_their_problems(commands: Commands) -> None:
    assert "`tritonchat pull owner/name` gets one" in commands.read("list")
    for arguments in (["someone/tiny"], ["someone/tiny", "--revision", "v2"], ["someone/files:Q8_0"]):
        commands.read("pull", *arguments)
    commands.read("pull", "someone/unknown", "--force")
    part = commands.home / "hub" / "models--someone--large" / "blobs" / ("0" * 64 + ".incomplete")
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(3 * 2**20))
    lines = [line.strip() for line in commands.read("list").splitlines() if line.strip()]
    rows = {line.split("  ")[0]: line for line in lines}
    assert rows["someone/tiny"].split()[-5:] == ["MiB", "bfloat16", "256", "continuing", "texts"]
    assert "float32" in rows["someone/tiny --revision v2"]
    assert rows["someone/files:Q8_0"].split()[-4:] == ["Q8_0", "256", "continuing", "texts"]
    assert "1.0 MiB" in rows["someone/unknown"]
    assert "3.0 MiB" in rows["someone/large"]
    notes = "\n".join(lines)
    assert "`tritonchat pull someone/large` continues its unfinished download." in notes
    assert "someone/unknown: " in notes and "'t5'" in notes


def test_list_shows_models_of_other_programs(commands: Commands) -> None:
    home, weights = commands.home, commands.home / "ollama" / "blobs" / f"sha256-{'0' * 64}"
    manifest = home / "ollama" / "manifests" / "registry.ollama.ai" / "library" / "tiny" / "latest"
    studio = home / ".lmstudio" / "models" / "someone" / "tiny-GGUF"
    for folder in (weights.parent, manifest.parent, studio, home / "llama.cpp"):
        folder.mkdir(parents=True)
    for path in (weights, studio / GGUF[0], home / "llama.cpp" / GGUF[1]):
        write_model(CHECKPOINTS / "qwen3", path)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{'0' * 64}"}
    manifest.write_text(json.dumps({"layers": [layer]}))
    (manifest.parent / "broken").write_text("{")
    lines = [line.strip() for line in commands.read("list").splitlines() if line.strip()]
    rows = {line.split("  ")[0]: line for line in lines}
    names = {"ollama:tiny:latest": "Ollama", "lmstudio:someone/tiny-GGUF:Q4_K_M": "LM Studio"}
    for name, program in {**names, f"llama.cpp:{GGUF[1]}": "llama.cpp"}.items():
        assert program in rows[name] and rows[name].split()[-3:] == ["256", "continuing", "texts"]
    assert rows["ollama:tiny:latest"].split()[-4] == "F32"  # its file has no name that says it
    assert any(
        line.startswith(f"ollama:tiny:broken: {manifest.parent / 'broken'} is damaged") for line in lines
    )
    before = sorted(home.rglob("*"))
    for name, program in names.items():
        error = commands.refuse("rm", name, "--yes")
        assert error.endswith(f"{name} belongs to {program}; remove it with that program.")
    assert sorted(home.rglob("*")) == before


def test_rm_removes_all_of_a_model(commands: Commands) -> None:
    commands.read("pull", "someone/tiny")
    assert commands.run("rm", "someone/tiny", answer="n\n").returncode != 0
    assert commands.run("rm", "someone/tiny").returncode != 0  # nobody answers
    assert "config.json" in commands.files()
    assert commands.run("rm", "someone/tiny", answer="y\n").returncode == 0
    assert not commands.files() and not commands.sizes()
    assert "someone/tiny is not in" in commands.refuse("rm", "someone/tiny", "--yes")


def test_rm_removes_a_revision_alone(commands: Commands) -> None:
    for arguments in ([], ["--revision", "v2"]):
        commands.read("pull", "someone/tiny", *arguments)
    files = commands.files()
    assert "no revision v3" in commands.refuse("rm", "someone/tiny", "--revision", "v3", "--yes")
    assert commands.files() == files
    commands.read("rm", "someone/tiny", "--revision", "v2", "--yes")
    rows = commands.read("list")
    assert "someone/tiny" in rows and "--revision" not in rows and "unfinished" not in rows


def test_rm_removes_a_quantization_alone(commands: Commands) -> None:
    for name in ("someone/files:Q4_K_M", "someone/files:Q8_0"):
        commands.read("pull", name)
    assert commands.files() == sorted(GGUF)
    assert "someone/files:Q5_0 is not in" in commands.refuse("rm", "someone/files:Q5_0", "--yes")
    commands.read("rm", "someone/files:q4_k_m", "--yes")
    assert commands.files() == [GGUF[1]]
    (rest,) = commands.home.glob("hub/models--*/blobs/*")
    assert commands.sizes() == rest.stat().st_size
    commands.read("rm", "someone/files:Q8_0", "--yes")
    assert not list(commands.home.glob("hub/models--*"))


def test_rm_leaves_what_a_server_uses(commands: Commands) -> None:
    commands.read("pull", "someone/tiny")
    with running_server("--model", "someone/tiny", **commands.environment):
        assert "someone/tiny is used by a server" in commands.refuse("rm", "someone/tiny", "--yes")
    assert commands.run("rm", "someone/tiny", "--yes").returncode == 0


def test_rm_leaves_other_folders(commands: Commands, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    (commands.home / "hub").mkdir()
    (commands.home / "hub" / "models--someone--link").symlink_to(outside)
    for name in ("someone/link", "../outside", str(outside), "someone/.."):
        commands.refuse("rm", name, "--yes")
    assert (outside / "file").read_text() == "kept"


def test_commands_that_run_no_model_start_fast(hub: HubServer, tmp_path: Path) -> None:
    """They import nothing large that they do not need: the compiler alone takes longer than `list`."""
    program = """
import sys
from command_line import run_command
for line in sys.stdin:
    result = run_command(*line.split())
    assert result.returncode == 0, (line, result.stderr)
large = {"numba", "llvmlite", "scipy", "torch", "pytriton", "tritonclient", "streamlit", "fastapi"}
large |= {"sqlalchemy", "alembic", "prompt_toolkit", "cryptography"}
print(sorted(large & set(sys.modules)))
"""
    commands = ("--help", "--version", "up --help", "chat --help", "complete --help", "list")
    commands += ("pull someone/tiny", "pull someone/files", "list", "rm --yes someone/tiny", "list")
    environment = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": hub.url, "PYTHONPATH": PYTHONPATH}
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        input="\n".join(commands),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stdout == "[]\n", run.stderr
