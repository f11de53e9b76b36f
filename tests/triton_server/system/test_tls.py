"""TLS certificates of a server: the name in the URL, and certificates that clients would refuse."""

import datetime
import ipaddress
from pathlib import Path

import pytest
from certificates import create_authority, write_certificate
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from model_core import TritonchatError
from triton_server.system.tls import TlsFiles

DNS = x509.DNSName("chat.example")
IP = x509.IPAddress(ipaddress.ip_address("192.0.2.1"))


def tls_url(folder: Path) -> str:
    return TlsFiles(folder / "cert.pem", folder / "key.pem").url("127.0.0.1:1")


@pytest.mark.parametrize(
    ("common_name", "alternatives", "name"),
    [
        ("old.example", [IP, DNS], "chat.example"),
        ("old.example", [IP], "192.0.2.1"),
        ("old.example", [], "old.example"),
        (None, [x509.DNSName("*.chat.example")], "any.chat.example"),
    ],
)
def test_url_has_the_name_of_the_certificate(
    tmp_path: Path, common_name: str | None, alternatives: list[x509.GeneralName], name: str
) -> None:
    write_certificate(tmp_path, create_authority(), common_name, alternatives)
    assert tls_url(tmp_path).endswith(f"&name={name}")


@pytest.mark.parametrize(
    ("start", "usage", "alternatives", "message"),
    [
        (datetime.timedelta(days=-3), None, [DNS], "valid from"),
        (datetime.timedelta(days=1), None, [DNS], "valid from"),
        (datetime.timedelta(days=-1), ExtendedKeyUsageOID.CLIENT_AUTH, [DNS], "extended key usage"),
        (datetime.timedelta(days=-1), ExtendedKeyUsageOID.SERVER_AUTH, [], "names nobody"),
    ],
)
def test_certificate_that_clients_would_refuse_is_refused(
    tmp_path: Path,
    start: datetime.timedelta,
    usage: x509.ObjectIdentifier | None,
    alternatives: list[x509.GeneralName],
    message: str,
) -> None:
    write_certificate(tmp_path, create_authority(), None, alternatives, usage, start)
    with pytest.raises(TritonchatError, match=message):
        tls_url(tmp_path)
