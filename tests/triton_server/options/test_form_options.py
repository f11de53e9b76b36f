"""`tritonchat complete` with a form of the answer."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from triton_server.cli.tritonchat import cli

SCHEMA = {"type": "array", "items": {"enum": [1, 2]}, "minItems": 2, "maxItems": 2}


def complete(*flags: str) -> Result:
    return CliRunner().invoke(
        cli, ["complete", "-", "--seed", "1", "--temperature", "2", *flags], input="Say "
    )


def write(folder: Path, text: str) -> str:
    path = folder / "form"
    path.write_text(text)
    return str(path)


def test_answers_have_the_form_of_the_flags(tmp_path: Path) -> None:
    result = complete("--json-schema", write(tmp_path, json.dumps(SCHEMA)))
    values = json.loads(result.stdout.removeprefix("Say "))
    assert len(values) == 2 and set(values) <= {1, 2}
    assert complete("--choice", "yes", "--choice", "no").stdout.strip() in ("Say yes", "Say no")
    assert complete("--regex", "x{3}").stdout.strip() == "Say xxx"
    assert complete("--grammar", write(tmp_path, 'root ::= "(" root ")" | "."')).stdout.startswith("Say ")


@pytest.mark.parametrize(
    ("flags", "text", "message"),
    [
        (["--regex", "a", "--choice", "b"], "", "--regex and --choice cannot be used together"),
        (["--json-schema"], "{", "cannot be read"),
        (["--json-schema"], "[1]", "form.json_schema must be"),
        (["--grammar"], "root ::= x", "`x` is missing"),
    ],
)
def test_wrong_flags_are_refused(tmp_path: Path, flags: list[str], text: str, message: str) -> None:
    result = complete(*flags, *([write(tmp_path, text)] if text else []))
    assert result.exit_code != 0
    assert message in result.output + str(result.exception)
