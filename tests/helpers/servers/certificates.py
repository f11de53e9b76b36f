"""Certificates that are made for tests."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID, ObjectIdentifier

_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Authority:
    """A root of trust: its certificate and its key."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey


def create_authority(name: str = "Root") -> Authority:
    """A new root, valid for two days from yesterday on."""
    key = _key()
    builder = _unsigned(_subject(name), _subject(name), key, -_DAY).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    return Authority(builder.sign(key, hashes.SHA256()), key)


def write_certificate(
    folder: Path,
    authority: Authority,
    name: str | None,
    alternatives: Sequence[x509.GeneralName] = (),
    usage: ObjectIdentifier | None = None,
    start: datetime.timedelta = -_DAY,
) -> None:
    """Write cert.pem and key.pem: for a common name and others, for two days from `start` (from now) on."""
    key = _key()
    builder = _unsigned(_subject(name), authority.certificate.subject, key, start).add_extension(
        x509.BasicConstraints(ca=False, path_length=None), critical=False
    )
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    if usage is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    write_certificate_file(folder / "cert.pem", builder.sign(authority.key, hashes.SHA256()))
    write_key_file(folder / "key.pem", key)


def write_certificate_file(path: Path, certificate: x509.Certificate) -> None:
    """Write a certificate as PEM."""
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def write_key_file(path: Path, key: rsa.RSAPrivateKey) -> None:
    """Write a key as PEM, unencrypted."""
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _subject(name: str | None) -> x509.Name:
    return x509.Name([] if name is None else [x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: rsa.RSAPrivateKey, start: datetime.timedelta
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    return x509.CertificateBuilder(
        subject_name=subject,
        issuer_name=issuer,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now + start,
        not_valid_after=now + start + 2 * _DAY,
    )
