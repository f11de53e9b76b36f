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


def test_settings_are_passed_by_the_environment() -> None:
    settings = ServiceSettings(
        host="0.0.0.0",
        api_keys=(SECRET, 'odd "key", [1]'),
        cors_origins=("https://x",),
        database=URL,
        client_timeout_s=2.5,
        max_streams=0,
        log_content=True,
    )
    environment = settings.to_environment()
    received = ServiceSettings.from_environment(environment)
    assert received == settings and not environment  # nobody else is to read it
    assert [key.get_secret_value() for key in received.api_keys] == [SECRET, 'odd "key", [1]']
    assert received.database is not None and received.database.get_secret_value() == URL


def test_no_secret_is_printed(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture) -> None:
    settings = ServiceSettings(api_keys=(SECRET,), database=URL)
    logging.getLogger("anything").error("%s %r %s", settings, settings, settings.model_dump())
    logging.getLogger("anything").error("%s %s", settings.model_dump_json(), vars(settings))
    print(settings, repr(settings), f"{settings.api_keys}", settings.database)
    for wrong in (
        {"api_keys": [[SECRET]]},
        {"database": [SECRET, URL]},
        {"api_keys": (SECRET,), "api_port": URL},
    ):
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
