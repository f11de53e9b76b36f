"""`tritonchat verify` and `audit`: with a model that is loaded for it, and with a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from any_receipt import make_any_receipt
from click.testing import CliRunner, Result
from in_process import Endpoints, local_server
from support import pool_of

from model_core import LLM
from model_core.errors import TritonchatError
from model_core.machine.fingerprint import make_fingerprint
from triton_server.cli.tritonchat import cli
from triton_server.receipts.canonical import to_canonical
from triton_server.receipts.keys import load_key
from triton_server.receipts.log import ReceiptLog
from triton_server.receipts.receipt import strip
from triton_server.receipts.signer import ReceiptSigner

ASKED = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 12, "temperature": 1.0, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Endpoints]:
    signer = ReceiptSigner(lambda: folder, log=folder / "log", logs_content=True)
    with local_server(pool_of(LLM(kv_cache_memory=2**26)), folder, signer) as running:
        yield running
    signer.close()


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


def test_audit_computes_only_answers_of_the_model_that_is_here(folder: Path, tmp_path: Path) -> None:
    made_of = {"files": ["another"], "arithmetic": "float32"}
    sign_log(tmp_path, made_of, make_fingerprint(made_of))
    result = run("audit", tmp_path / "log", "--sample", "100%", "--key", trust(tmp_path))
    assert result.exit_code == 0, result.output
    assert "0 answers computed again" in result.output
    assert "1 answers are of other weights or adapters" in result.output


def test_audit_counts_answers_of_another_fingerprint_apart(
    served: Endpoints, receipt: dict[str, Any], tmp_path: Path
) -> None:
    made_of = {**receipt["model"]["made_of"], "semantics": 0}
    sign_log(tmp_path, made_of, make_fingerprint(made_of), receipt)
    arguments = ("--sample", "100%", "--server", served.api_url, "--key", trust(tmp_path))
    result = run("audit", tmp_path / "log", *arguments)
    assert result.exit_code == 0, result.output
    assert "1 answers computed again, 1 equal" in result.output
    assert "1 answers are equal, but computed by a model of another fingerprint" in result.output
    sign_log(tmp_path / "b", made_of, receipt["model"]["fingerprint"], receipt)
    arguments = ("--sample", "100%", "--server", served.api_url, "--key", trust(tmp_path / "b"))
    result = run("audit", tmp_path / "b" / "log", *arguments)
    assert result.exit_code == 1 and "contradicts itself" in result.output


def sign_log(
    folder: Path, made_of: dict[str, Any], fingerprint: str, like: dict[str, Any] | None = None
) -> None:
    """A log of one receipt that somebody with a key has written."""
    key, log = load_key(folder), ReceiptLog(folder / "log")
    told = make_any_receipt("embedded", {"messages": "a"}) if like is None else like
    signed = {name: value for name, value in strip(told).items() if name != "signature"}
    signed["model"] = {"name": "embedded", "fingerprint": fingerprint, "made_of": made_of}
    signed = {**signed, "key": key.public, "log": log.next_place()}
    signed["signature"] = key.sign(to_canonical(signed))
    log.add({**signed, "request": told["request"]})
    log.close()


def trust(folder: Path) -> Path:
    path = folder / "key.json"
    path.write_text(json.dumps({"keys": [{"crv": "Ed25519", "x": load_key(folder).public}]}))
    return path


def test_answers_to_requests_with_a_template_verify_here(tmp_path: Path) -> None:
    """As a server with --allow-request-templates and --arithmetic float32 has given it."""
    own = "{% for m in messages %}{{ m.content }}!{% endfor %}"
    llm = LLM(kv_cache_memory=2**26, arithmetic="float32", allow_request_templates=True)
    with local_server(pool_of(llm), tmp_path) as running:
        body = {**ASKED, "receipt": "whole", "chat_template": own}
        answer = httpx.post(f"{running.api_url}/v1/chat/completions", json=body, timeout=60).json()
    found = tmp_path / "receipt.json"
    found.write_text(json.dumps(answer["choices"][0]["receipt"]))
    result = run("verify", found, "--threads", 1)
    assert result.exit_code == 0, result.output
    assert "equal: " in result.output and "another model" not in result.output


def test_answers_with_the_template_of_a_server_verify_with_it(tmp_path: Path) -> None:
    own = tmp_path / "own.jinja"
    own.write_text("{% for m in messages %}{{ m.content }}?{% endfor %}")
    with local_server(pool_of(LLM(kv_cache_memory=2**26, chat_template=own)), tmp_path) as running:
        body = {**ASKED, "receipt": "whole"}
        answer = httpx.post(f"{running.api_url}/v1/chat/completions", json=body, timeout=60).json()
    found = tmp_path / "receipt.json"
    found.write_text(json.dumps(answer["choices"][0]["receipt"]))
    assert "the prompt has other tokens" in run("verify", found, "--threads", 1).output
    result = run("verify", found, "--threads", 1, "--chat-template", own)
    assert result.exit_code == 0 and "another model" not in result.output, result.output
