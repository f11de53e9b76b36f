"""TLS for what listens to the network: one certificate with its key, in PEM files."""

import ssl
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from model_core import TritonchatError


@dataclass(frozen=True)
class Tls:
    """A certificate, with those between it and its root, and its key."""

    certificate: Path
    key: Path

    def url(self, address: str) -> str:
        """The URL of a gRPC endpoint with this certificate, for processes on this machine.

        They know the certificate itself, so its issuer and the name in it need not fit the address.
        Raises TritonchatError where certificate and key do not belong together.
        """
        return f"grpcs://{address}?{urlencode({'roots': self.certificate.resolve(), 'name': self._name()})}"

    def _name(self) -> str:
        """A name that the certificate is for. A handshake with ourselves shows whether it is of any use."""
        try:
            theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            theirs.load_cert_chain(self.certificate, self.key, password="")
            ours = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            ours.check_hostname = False
            ours.load_verify_locations(self.certificate)
            ours.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
            there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
            server = theirs.wrap_bio(there, back, server_side=True)
            client = ours.wrap_bio(back, there)
            for _ in range(3):  # the last words of the one are read by the other after it has finished
                for end in (client, server):
                    with suppress(ssl.SSLWantReadError):
                        end.do_handshake()
            described = client.getpeercert() or {}
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
            raise TritonchatError(
                f"--tls-cert {self.certificate} and --tls-key {self.key} cannot be used: {reason}."
            ) from error
        names = [value for _, value in sorted(described.get("subjectAltName", ()))]  # DNS before IP Address
        names += [
            value for field in described.get("subject", ()) for key, value in field if key == "commonName"
        ]
        if not names:
            raise TritonchatError(f"--tls-cert {self.certificate} names nobody; it needs a subjectAltName.")
        return names[0].replace("*", "any")
