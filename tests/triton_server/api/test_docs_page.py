"""The page /docs loads nothing from other hosts; keys in clear text are warned about.

Wrong paths are explained, and lead there.
"""

import re
from pathlib import Path

import httpx
import pytest
from conftest import Server

from triton_server.api.settings import ServiceSettings
from triton_server.launch.serve import warn_about_clear_text

_ADVICE = "check the base URL of the client"


def test_docs_load_nothing_from_other_hosts(api: Server) -> None:
    page = httpx.get(f"{api.api_url}/docs", timeout=60).text
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(addresses) == 3
    for address in addresses:
        assert address.startswith("/docs-assets/")
        asset = httpx.get(api.api_url + address, timeout=60)
        assert asset.status_code == 200 and len(asset.content) > 1000
    assert "://" not in page
    assert httpx.get(f"{api.api_url}/docs-assets/../app.py", timeout=60).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("POST", "/messages", 404, f"but /v1/messages: {_ADVICE}."),
        ("POST", "/v1/v1/messages", 404, f"but /v1/messages: {_ADVICE}."),
        ("GET", "/nothing", 404, "and /docs describes what there is."),
        ("GET", "/v1/chat/completions", 405, "/v1/chat/completions takes POST, not GET."),
    ],
)
def test_wrong_path_is_explained(api: Server, method: str, path: str, status: int, message: str) -> None:
    answer = httpx.request(method, api.api_url + path, timeout=60)
    sentence = f"there is no {method} {path} here, {message}" if status == 404 else message
    assert answer.status_code == status and answer.json()["error"]["message"] == sentence


@pytest.mark.parametrize(
    ("host", "keys", "certificate", "warns"),
    [
        ("0.0.0.0", ("key",), None, True),
        ("0.0.0.0", ("key",), "cert.pem", False),
        ("127.0.0.1", ("key",), None, False),
    ],
)
def test_keys_in_clear_text_are_warned_about(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    host: str,
    keys: tuple[str, ...],
    certificate: str | None,
    warns: bool,
) -> None:
    path = certificate and tmp_path / certificate
    if path:
        path.touch()
    warn_about_clear_text(ServiceSettings(host=host, api_keys=keys, tls_cert=path))
    assert ("--tls-cert" in capsys.readouterr().err) == warns
