"""`tritonchat verify` and `audit`: with a model that is loaded for it, and with a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from in_process import Endpoints, local_server
from support import pool_of

from model_core import LLM
from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli
from triton_server.receipts.desk import ReceiptDesk
from triton_server.receipts.receipt import strip

ASKED = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 12, "temperature": 1.0, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Endpoints]:
    desk = ReceiptDesk(lambda: folder, log=folder / "log", logs_content=True)
    with local_server(pool_of(LLM(kv_cache_memory=2**26)), folder, desk) as running:
        yield running
    desk.close()


@pytest.fixture(scope="module")
def receipt(served: Endpoints) -> dict[str, Any]:
    body = {**ASKED, "receipt": "whole"}
    answer = httpx.post(f"{served.api_url}/v1/chat/completions", json=body, timeout=60).json()
    return answer["choices"][0]["receipt"]


@pytest.fixture
def file(receipt: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt, indent=2))
    return path


@pytest.fixture
def key(served: Endpoints, tmp_path: Path) -> Path:
    path = tmp_path / "key.json"
    path.write_bytes(httpx.get(f"{served.api_url}/.well-known/tritonchat-key").content)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def test_receipt_is_verified_by_a_model_that_is_loaded_for_it(file: Path, key: Path) -> None:
    result = run("verify", file, "--key", key, "--threads", 1)
    assert result.exit_code == 0, result.output
    assert f"signed by the key of {key}" in result.output
    assert "equal: " in result.output and "another model" not in result.output


def test_receipt_is_verified_by_its_server(file: Path, served: Endpoints) -> None:
    result = run("verify", file, "--server", served.api_url)
    assert result.exit_code == 0, result.output
    assert f"signed by the key of {served.api_url}" in result.output and "equal: " in result.output


def test_receipt_without_its_request_needs_it(
    receipt: dict[str, Any], file: Path, served: Endpoints, tmp_path: Path
) -> None:
    file.write_text(json.dumps(strip(receipt)))
    result = run("verify", file, "--server", served.api_url)
    assert isinstance(result.exception, TritonchatError)
    assert "only a hash of its request" in str(result.exception)
    request = tmp_path / "request.json"
    for sent in (ASKED, {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": ASKED}):
        request.write_text(json.dumps(sent))
        result = run("verify", file, "--server", served.api_url, "--request", request)
        assert result.exit_code == 0, result.exception
    for wrong in ('{"messages": 1}', "[]", "{", "{}"):
        request.write_text(wrong)
        result = run("verify", file, "--server", served.api_url, "--request", request)
        assert "is no request" in str(result.exception)


def test_changed_receipt_and_another_key_are_found(receipt: dict[str, Any], file: Path, key: Path) -> None:
    file.write_text(json.dumps({**receipt, "time": "2020-01-01T00:00:00.000Z"}))
    assert "the receipt was changed" in str(run("verify", file, "--key", key).exception)
    file.write_text(json.dumps(receipt))
    other = {"keys": [{"crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
    key.write_text(json.dumps(other))
    assert "signed by another key" in str(run("verify", file, "--key", key).exception)
    key.write_text("{}")
    assert "has no key of receipts" in str(run("verify", file, "--key", key).exception)


def test_log_is_audited(folder: Path, served: Endpoints, receipt: dict[str, Any]) -> None:
    result = run("audit", folder / "log", "--sample", "100%", "--server", served.api_url)
    assert result.exit_code == 0, result.output
    assert "receipts 1 to" in result.output and "0 faults" in result.output
    result = run("audit", folder / "log", "--sample", "0%", "--server", served.api_url)
    assert result.exit_code == 0 and "0 answers computed again" in result.output
    result = run("audit", folder / "log", "--sample", "0.001%", "--server", served.api_url)
    assert result.exit_code == 0 and "1 answers computed again, 1 equal" in result.output
    for wrong in ("1", "101%", "-1%", "x%"):
        assert run("audit", folder / "log", "--sample", wrong).exit_code != 0


def test_audit_finds_what_was_changed(folder: Path, served: Endpoints, tmp_path: Path) -> None:
    lines = (folder / "log" / "receipts-000000000001.jsonl").read_bytes()
    copy = tmp_path / "receipts-000000000001.jsonl"
    copy.write_bytes(lines.replace(b'"Hello"', b'"HELLO"', 1))
    result = run("audit", tmp_path, "--sample", "0%", "--server", served.api_url)
    assert result.exit_code == 1 and f"{copy.name}:1: the receipt was changed" in result.output
