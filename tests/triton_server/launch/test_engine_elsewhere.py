"""Flags that an engine elsewhere would ignore are refused by name."""

import pytest
from click.testing import CliRunner

from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli
from triton_server.settings.base import list_settings
from triton_server.settings.server import ComputingSettings, LoadingSettings

ELSEWHERE = ["serve", "--engine", "http://127.0.0.1:9/v1"]
VALUES = {
    "--weights": "int8",
    "--arithmetic": "float32",
    "--kv-cache-dtype": "int8",
    "--max-context": "64",
    "--threads": "1",
    "--speculate": "2",
    "--draft-model": "owner/name",
    "--revision": "main",
    "--step-time": "0.1",
    "--kv-cache-memory": "1GiB",
}


@pytest.mark.parametrize("flag", [*VALUES, "--portable", "--no-mtp"])
def test_flag_without_effect_is_refused(flag: str) -> None:
    arguments = [flag, VALUES[flag]] if flag in VALUES else [flag]
    with pytest.raises(TritonchatError, match=f"{flag} has no effect with --engine"):
        CliRunner().invoke(cli, ELSEWHERE + arguments, catch_exceptions=False)


def test_every_flag_of_a_model_is_among_them() -> None:
    settings = {**list_settings(LoadingSettings), **list_settings(ComputingSettings)}
    assert {setting.flag for setting in settings.values()} <= {*VALUES, "--portable", "--no-mtp"}
