"""Documents: their links lead somewhere, and what they tell people to run exists."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from paths import ROOT

from model_core.families import FAMILIES
from triton_server.cli.tritonchat import cli

DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md"))
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SCREEN = 45  # lines


def anchors(path: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.findall((ROOT / document).read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        path = ROOT / document.parent / name if name else ROOT / document
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_commands_and_flags_exist(document: Path) -> None:
    """Those of `tritonchat` in blocks for a shell."""
    for block in BLOCK.findall((ROOT / document).read_text()):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.search(r"(?:^|[ /])tritonchat ([a-z]+)(?= |$)(.*)", line)
            if found is None or found[1] not in cli.commands:
                assert found is None or "install" in line or "git" in line or "docker" in line, line
                continue
            command = cli.commands[found[1]]
            commands = [
                command,
                *([cli.commands["serve"]] if command.name == "cluster" else []),
            ]  # hands them on
            flags = {
                flag
                for one in commands
                for param in one.params
                for flag in (*param.opts, *param.secondary_opts)
            }
            arguments = shlex.split(re.split(r" \| | -- ", found[2])[0], comments=True)
            for flag in (word.partition("=")[0] for word in arguments if word.startswith("--")):
                assert flag in flags or isinstance(command, click.Group), line


def test_alerts_name_metrics_of_the_dashboard() -> None:
    named = set(re.findall(r"\btritonchat_\w+", (ROOT / "docs" / "team.md").read_text()))
    assert named and named <= set(
        re.findall(r"\btritonchat_\w+", (ROOT / "docs" / "grafana.json").read_text())
    )


def test_page_of_routes_is_current() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "docs" / "write_routes.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (ROOT / "docs" / "routes.md").read_text() == written.stdout, (
        "python docs/write_routes.py > docs/routes.md"
    )


def messages_of(file: Path) -> Iterator[str]:
    """The texts in a file of Python, without its docstrings. Those of settings are help, so they count."""
    tree = ast.parse(file.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


@pytest.mark.parametrize("package", ["model_core", "triton_server", "streamlit_client"])
def test_no_message_names_a_page_that_a_wheel_lacks(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        if file.name != "parameter_page.py":  # which writes such a page
            for message in messages_of(file):
                assert not re.search(r"\bdocs/[a-z-]+\.md", message), f"{file}: {message}"


def test_readme_fits_on_a_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= SCREEN


def test_readme_has_the_number_of_families() -> None:
    assert f"of {len(FAMILIES)} families" in (ROOT / "README.md").read_text()
