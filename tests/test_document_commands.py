"""The commands and programs of the documentation do what they say, with the embedded model.

helpers/servers/page_commands.py lists those that are left out, with the reason of each.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Server, running_server
from page_commands import (
    LEFT_OUT_COMMANDS,
    LEFT_OUT_PROGRAMS,
    find_reason,
    read_blocks,
    split_commands,
)
from paths import ROOT

PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
SHELLS = ("sh", "bash")
# Runs the programs of a page one after the other, as a reader does, and prints what each has printed.
RUNNER = """
import contextlib, io, json, sys
names = {"__name__": "__main__"}
outputs = []
for number, program in enumerate(json.load(sys.stdin)):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(program, f"program {number + 1}", "exec"), names)
    outputs.append(output.getvalue())
print(json.dumps(outputs))
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with what the pages use."""
    with running_server("--allow-saving-prompts", "--receipts") as server:
        yield server


@pytest.fixture
def environment(asked: Server, tmp_path: Path) -> dict[str, str]:
    """Programs by the names that readers have, and data that is nobody's."""
    folder = tmp_path / "programs"
    folder.mkdir()
    programs = {"tritonchat": f'exec {sys.executable} -m triton_server "$@"'}
    if (curl := shutil.which("curl")) is not None:
        programs["curl"] = f'exec {curl} --silent --show-error --fail-with-body "$@"'
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }


def for_server(text: str, server: Server) -> str:
    """A command or program with the ports of a server in the place of the usual ones."""
    api = server.api_url.removeprefix("http://")
    for usual, port in (
        ("localhost:8080", api),
        ("127.0.0.1:8080", api),
        ("127.0.0.1:8001", server.grpc_url),
    ):
        text = text.replace(usual, port)
    text = text.replace("ChatClient()", f'ChatClient("{server.grpc_url}")')
    return text.replace(".venv/bin/", "")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands ask by curl")
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_commands(page: Path, asked: Server, environment: dict[str, str], tmp_path: Path) -> None:
    for block in read_blocks(page.read_text()):
        if block.language not in SHELLS:
            continue
        commands = split_commands(block.text)
        run = [command for command in commands if find_reason(command, LEFT_OUT_COMMANDS) is None]
        script = "\n".join(["set -e", *run])
        ran = subprocess.run(
            ["bash", "-c", for_server(script, asked)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_programs(page: Path, asked: Server, environment: dict[str, str], tmp_path: Path) -> None:
    blocks = [
        block
        for block in read_blocks(page.read_text())
        if block.language == "python" and find_reason(block.text, LEFT_OUT_PROGRAMS) is None
    ]
    if not blocks:
        return
    ran = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps([for_server(block.text, asked) for block in blocks]),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    for block, output in zip(blocks, json.loads(ran.stdout.splitlines()[-1]), strict=True):
        assert block.output is None or block.output == output, block.text


def test_each_reason_leaves_something_out() -> None:
    blocks = [block for page in PAGES for block in read_blocks(page.read_text())]
    commands = [c for block in blocks if block.language in SHELLS for c in split_commands(block.text)]
    programs = [block.text for block in blocks if block.language == "python"]
    assert {find_reason(command, LEFT_OUT_COMMANDS) for command in commands} == {None, *LEFT_OUT_COMMANDS}
    assert {find_reason(program, LEFT_OUT_PROGRAMS) for program in programs} == {None, *LEFT_OUT_PROGRAMS}
