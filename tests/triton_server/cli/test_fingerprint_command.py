"""`tritonchat fingerprint`: what a server with the same flags says of its answers."""

import json

from click.testing import CliRunner

from model_core import LLM
from triton_server.cli.tritonchat import cli


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["fingerprint", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_fingerprint_is_that_of_the_loaded_model(llm: LLM) -> None:
    first, *parts = run().splitlines()
    assert first == llm.fingerprint
    assert "semantics" in parts[0] and any("processor" in part for part in parts)


def test_fingerprint_as_json(llm: LLM) -> None:
    report = json.loads(run("--json", "--weights", "int8", "--max-context", "100"))
    assert report["fingerprint"] != llm.fingerprint
    made_of = {"weights": "int8", "arithmetic": "int8, float32", "max_context": 100}
    assert report["made_of"].items() >= made_of.items()
    assert report["made_of"]["files"] == llm.made_of()["files"]
