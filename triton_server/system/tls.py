"""TLS for the gRPC endpoint and the HTTP service: a certificate and its key, in PEM files."""

import os
import ssl
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import urlencode

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from model_core.errors import TritonchatError


def named_roots() -> bytes | None:
    """The certificates of SSL_CERT_FILE, which gRPC does not read by itself; None: the usual ones."""
    file = os.environ.get("SSL_CERT_FILE")
    return Path(file).read_bytes() if file else None


@dataclass(frozen=True)
class TlsFiles:
    """The PEM files of TLS: `certificate` with its intermediate certificates, and its private `key`."""

    certificate: Path
    key: Path

    def url(self, address: str) -> str:
        """Return the URL of a gRPC endpoint with this certificate, for processes on this machine.

        The URL names the certificate file as the root to trust, and a name in the certificate. So neither the
        issuer nor the name need fit the address. Raises TritonchatError if the files cannot be used.
        """
        query = {"roots": self.certificate.resolve(), "name": self._check_certificate()}
        return f"grpcs://{address}?{urlencode(query)}"

    def _check_certificate(self) -> str:
        """Return a name in the certificate. Raises TritonchatError if a server cannot use the files."""
        try:
            # This checks that certificate and key belong together.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
            certificate = x509.load_pem_x509_certificates(self.certificate.read_bytes())[0]
            names = _certificate_names(certificate)
        except (OSError, ValueError, x509.DuplicateExtension) as error:  # an SSLError is an OSError
            reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
            raise TritonchatError(
                f"--tls-cert {self.certificate} and --tls-key {self.key} cannot be used: {reason}."
            ) from error
        start, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not start <= datetime.now(timezone.utc) <= end:
            raise TritonchatError(
                f"--tls-cert {self.certificate} cannot be used: it is valid from {start:%Y-%m-%d %H:%M} to "
                f"{end:%Y-%m-%d %H:%M} UTC."
            )
        if not _is_for_servers(certificate):
            raise TritonchatError(
                f"--tls-cert {self.certificate} cannot be used: its extended key usage leaves out servers."
            )
        if not names:
            raise TritonchatError(f"--tls-cert {self.certificate} names nobody; it needs a subjectAltName.")
        return names[0].replace("*", "any")


def _certificate_names(certificate: x509.Certificate) -> list[str]:
    """Return the DNS names, the IP addresses and the common names of a certificate, in this order."""
    names: list[str] = []
    try:
        alternative_names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        pass
    else:
        names += alternative_names.get_values_for_type(x509.DNSName)
        names += map(str, alternative_names.get_values_for_type(x509.IPAddress))
    return names + [
        str(name.value) for name in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    ]


def _is_for_servers(certificate: x509.Certificate) -> bool:
    """Whether the extended key usage allows servers. A certificate without one is for every use."""
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return True
    return bool({ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE} & set(usage))
