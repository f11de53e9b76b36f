"""Each setting can be given by a flag, by a variable and in a file, and all three mean the same."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from paths import ROOT

from model_core.errors import TritonchatError
from model_core.llm.settings import LLMSettings
from triton_server.cli import tritonchat
from triton_server.cli.tritonchat import cli
from triton_server.engine.triton.process import EngineSettings
from triton_server.options.flags import value_schema
from triton_server.settings.base import Setting, list_settings
from triton_server.settings.server import ServerSettings
from triton_server.settings.values import read_size

# A value of each type that is no default, as a person writes it.
TEXTS = {
    "boolean": "true",
    "integer": "3",
    "number": "0.5",
    "string": "words",
    "FILE": __file__,
    "FILE|NAME": "tool_use",
    "FOLDER": "./folder",
    "SIZE": "3MiB",
    "TIME": "7m",
    "ADDRESS": "::1",
    "URL": "http://localhost:4318",
    "URL|vllm": "http://10.0.0.1/v1",
    "[NAME=]PATH": "mine=./model",
    "NAME=FOLDER": "poet=./poet",
    "[NAME:]KEY": "ada:secret",
}
SETTINGS = [setting for key, setting in list_settings(ServerSettings).items() if key != "config"]


def receive(monkeypatch: pytest.MonkeyPatch, *words: str, **variables: str) -> dict[str, Any]:
    """The settings with which `tritonchat up` would start a server, without the name of the file."""
    started: list[ServerSettings] = []
    monkeypatch.setattr(tritonchat, "run_server", lambda settings, *_, **__: started.append(settings))
    result = CliRunner().invoke(cli, ["up", *words], env=variables, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return started[0].model_dump(exclude={"config"})


def write_value(setting: Setting) -> tuple[str, bool]:
    """A value of a setting, and whether its flag has none."""
    kind = value_schema(setting.schema)
    kind = kind.get("items", kind)
    text = kind["enum"][-1] if "enum" in kind else TEXTS[kind.get("metavar", kind["type"])]
    return text, kind["type"] == "boolean"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_setting_can_be_given_in_all_ways(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text, is_switch = write_value(setting)
    toml, yaml = tmp_path / "server.toml", tmp_path / "server.yaml"
    toml.write_text(f"{setting.flag[2:]} = '{text}'")
    yaml.write_text(f"{setting.key}: {text}")
    given = receive(monkeypatch, setting.flag if is_switch else f"{setting.flag}={text}")
    assert given == receive(monkeypatch, **{setting.variable: text})
    assert given == receive(monkeypatch, f"--config={toml}")
    assert given == receive(monkeypatch, TRITONCHAT_CONFIG=str(yaml))
    default = receive(monkeypatch)
    assert default == ServerSettings().model_dump(exclude={"config"})
    assert len([name for name in given if given[name] != default[name]]) == 1


def test_flags_come_before_variables_and_these_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "server.toml"
    file.write_text(
        "max-queue = 1\nmax-concurrency = 1\nthreads = 1\nmodel = ['a', 'b=c']\nportable = true\n"
    )
    variables = {"TRITONCHAT_MAX_QUEUE": "2", "TRITONCHAT_THREADS": "2", "TRITONCHAT_PORTABLE": "false"}
    given = receive(monkeypatch, f"--config={file}", "--threads=3", **variables)
    assert (given["max_concurrency"], given["max_queue"], given["threads"]) == (1, 2, 3)
    assert given["models"] == ((None, "a"), ("b", "c")) and not given["portable"]
    assert receive(monkeypatch, f"--config={file}", "--model=d")["models"] == ((None, "d"),)
    assert receive(monkeypatch, TRITONCHAT_THREADS="")["threads"] is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("server.toml", "max-contxt = 1", "there is no setting max-contxt; near names: max-context"),
        ("server.yaml", "Thread: 1", "there is no setting Thread; near names: threads"),
        ("server.toml", "[threads]\nx = 1", "Invalid value for threads in"),
        ("server.toml", "weights = ['int8']", "Invalid value for weights in"),
        ("server.toml", "model = [{}]", "Invalid value for model in"),
        ("server.toml", "max-queue = 1.5", "Invalid value for max-queue in"),
        ("server.toml", "kv-cache-memory = -1", "'-1' is not a size such as 512MiB or 4GiB."),
        ("server.toml", "tls-cert = '/nowhere'", "'/nowhere' is not a file"),
        ("server.toml", "threads: 1", "cannot be read"),
        ("server.yml", "threads: [", "cannot be read"),
        ("server.yaml", "threads", "cannot be read"),
        ("server.yaml", "- threads", "cannot be read"),
        ("none.toml", "", "cannot be read"),
    ],
)
def test_wrong_file_is_explained_in_a_sentence(tmp_path: Path, name: str, text: str, expected: str) -> None:
    file = tmp_path / name
    if text:
        file.write_text(text)
    result = CliRunner().invoke(cli, ["serve", f"--config={file}"])
    if isinstance(result.exception, TritonchatError):
        sentence = str(result.exception)
    else:
        assert result.exit_code == 2
        sentence = result.output.partition("Error: ")[2].strip()
    assert str(file) in sentence and expected in sentence and "\n" not in sentence


@pytest.mark.parametrize(
    ("words", "variables", "expected"),
    [
        (["--max-context=1"], {}, "'--max-context': 1 is not in the range x>=2."),
        (["--kv-cache-memory=x"], {}, "--kv-cache-memory: 'x' is not a size such as 512MiB or 4GiB."),
        (
            [],
            {"TRITONCHAT_MAX_CONTEXT": "1"},
            "TRITONCHAT_MAX_CONTEXT: Input should be greater than or equal",
        ),
        ([], {"TRITONCHAT_WEIGHTS": "int3"}, "TRITONCHAT_WEIGHTS: Input should be 'auto', "),
        ([], {"tritonchat_weights": "int3"}, "TRITONCHAT_WEIGHTS: Input should be 'auto', "),
        ([], {"TRITONCHAT_LOGIN": "/nowhere"}, "TRITONCHAT_LOGIN: '/nowhere' is not a file"),
    ],
)
def test_wrong_value_is_refused_with_its_place(
    words: list[str], variables: dict[str, str], expected: str
) -> None:
    result = CliRunner().invoke(cli, ["serve", *words], env=variables)
    assert result.exit_code == 2 and f"Invalid value for {expected}" in result.output


def test_variables_have_the_names_of_flags_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others would be on no page, and keys in them would be left to all other processes."""
    given = receive(
        monkeypatch, TRITONCHAT_API_KEYS="key", TRITONCHAT_MODELS="./small", TRITONCHAT_STEP_TIME_S="9"
    )
    assert given == receive(monkeypatch)
    assert [key.get_secret_value() for key in receive(monkeypatch, TRITONCHAT_API_KEY="key")["api_keys"]] == [
        "key"
    ]


def test_models_of_another_engine_are_known_without_its_files(tmp_path: Path) -> None:
    """Its certificate may have been replaced, or lie in a container."""
    certificate = tmp_path / "cert.pem"
    certificate.touch()
    values = {"models": [("mine", "owner/mine")], "folder": tmp_path, "tls_cert": certificate}
    environment = ServerSettings(model=["mine=owner/mine"]).select(EngineSettings, **values).to_environment()
    certificate.unlink()
    assert EngineSettings.read_values(environment)["models"] == [["mine", "owner/mine"]]


def test_help_has_few_flags_and_help_all_has_all() -> None:
    short, full = (CliRunner().invoke(cli, ["up", word]).output for word in ("--help", "--help-all"))
    for setting in SETTINGS:
        assert (f"\n  {setting.flag} " in short) is not setting.is_rare
        assert f"\n  {setting.flag} " in full
    assert short.count("\n  -") < 40 and "Network:" in short


def test_defaults_of_models_are_theirs() -> None:
    defaults = ServerSettings()
    for field in fields(LLMSettings):
        if field.name != "adapters":
            assert getattr(defaults, field.name) == field.default


def test_page_of_settings_is_current() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "docs" / "write_settings.py"], capture_output=True, text=True, check=True
    )
    assert (ROOT / "docs" / "settings.md").read_text() == written.stdout, (
        "python docs/write_settings.py > docs/settings.md"
    )


def test_units_of_sizes_are_powers_of_two() -> None:
    texts: dict[str, Any] = {"4GB": 2**32, "4g": 2**32, " 4 GiB": 2**32, "1.5k": 1536, "7": 7}
    assert {text: read_size(text) for text in texts} == texts


def test_file_that_cannot_be_looked_at_is_refused_in_a_sentence() -> None:
    """As of a folder that only another user may enter."""
    result = CliRunner().invoke(cli, ["serve", "--tls-cert", "x" * 300])
    assert result.exit_code == 2
    assert "cannot be looked at (File name too long)." in " ".join(result.output.split())
