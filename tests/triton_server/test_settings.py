"""The settings of the HTTP service reach its process, and their keys are never printed."""

import logging
import os
import subprocess
import sys
import traceback

import pytest
from pydantic import ValidationError

from model_core import TritonchatError
from triton_server.api.settings import ServiceSettings

SECRET = "sk-correct-horse"
URL = "postgresql://ada:hunter2@127.0.0.1/chat"


def test_settings_are_passed_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ServiceSettings(
        host="0.0.0.0",
        api_keys=(SECRET, 'odd "key", [1]'),
        cors_origins=("https://x",),
        database=URL,
        client_timeout_s=2.5,
        max_streams=0,
        log_content=True,
    )
    # Variables that the operator has set before are overwritten.
    for name, value in ServiceSettings(max_streams=7, port=1, tls_key="old.pem").to_environment().items():
        monkeypatch.setenv(name, value)
    for name, value in settings.to_environment().items():
        monkeypatch.setenv(name, value)
    received = ServiceSettings()
    assert received == settings
    assert [key.get_secret_value() for key in received.api_keys] == [SECRET, 'odd "key", [1]']
    assert received.database is not None and received.database.get_secret_value() == URL


def test_variables_of_flags_are_not_read_as_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of flags have other formats (4MiB, keys separated by spaces)."""
    for name in ("API_PORT", "API_KEY", "API_KEYS", "MAX_STREAMS", "MAX_BODY", "HOST", "PORT", "DATABASE"):
        monkeypatch.setenv(f"TRITONCHAT_{name}", "7")
    assert ServiceSettings() == ServiceSettings(port=8080)


def test_no_secret_is_printed(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture) -> None:
    settings = ServiceSettings(api_keys=(SECRET,), database=URL)
    logging.getLogger("anything").error("%s %r %s", settings, settings, settings.model_dump())
    logging.getLogger("anything").error("%s %s", settings.model_dump_json(), vars(settings))
    print(settings, repr(settings), f"{settings.api_keys}", settings.database)
    for wrong in ({"api_keys": SECRET}, {"database": [SECRET, URL]}, {"api_keys": (SECRET,), "port": URL}):
        with pytest.raises(ValidationError) as failed:
            ServiceSettings(**wrong)
        traceback.print_exception(failed.value, limit=0)
    with pytest.raises(TritonchatError) as refused:
        ServiceSettings(api_keys=(SECRET + "\n",))
    output = capsys.readouterr()
    printed = caplog.text + output.out + output.err + str(refused.value)
    assert "max_streams" in printed and "API key" in printed
    assert SECRET not in printed and "hunter2" not in printed


def test_process_that_cannot_start_prints_no_secret() -> None:
    settings = ServiceSettings(api_keys=(SECRET,), database="mysql://ada:hunter2@127.0.0.1/chat")
    run = subprocess.run(
        [sys.executable, "-m", "triton_server.api"],
        env={**os.environ, **settings.to_environment()},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 1
    assert "mysql://ada:***@" in run.stderr
    assert SECRET not in run.stdout + run.stderr and "hunter2" not in run.stdout + run.stderr
