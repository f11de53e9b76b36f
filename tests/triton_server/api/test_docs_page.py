"""The page /docs loads nothing from other hosts; keys in clear text are warned about."""

import re
from pathlib import Path

import httpx
import pytest
from conftest import Server

from triton_server.api.settings import ServiceSettings
from triton_server.launch.serve import warn_about_clear_text


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
