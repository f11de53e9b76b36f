"""The Ed25519 key of a server (RFC 8032), made at its first use, in a file that only its owner may read."""

import base64
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from model_core.errors import TritonchatError

KEY_FILE = "receipts.key"
_PUBLIC_BYTES, _SIGNATURE_BYTES = 32, 64


@dataclass(frozen=True)
class SigningKey:
    """A private key. `public` is the public one as receipts have it."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The public key in base64url (RFC 4648) without padding."""
        return encode_bytes(self.private.public_key().public_bytes_raw())

    def sign(self, content: bytes) -> str:
        """A signature, in base64url without padding."""
        return encode_bytes(self.private.sign(content))


def load_key(folder: Path) -> SigningKey:
    """The key in a folder, which is made with it if there is none.

    Two processes that make one at the same time get the same. Raises TritonchatError if it cannot be read or
    made, or if others may read it.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _make_file(path)
        if path.stat().st_mode & 0o077:
            raise TritonchatError(f"others may read {path}, the key of receipts; chmod 600 it.")
        private = serialization.load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise TritonchatError(f"{path}, the key of receipts, cannot be used: {error.strerror}.") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise TritonchatError(f"{path} should have an Ed25519 key in PEM, and is damaged.") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise TritonchatError(f"{path} has a key of another kind; receipts are signed by Ed25519.")
    return SigningKey(private)


def _make_file(path: Path) -> None:
    """Make a key under another name, and give it its own unless there is one by now."""
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()


def verify_signature(public: str, content: bytes, signature: str) -> bool:
    """Whether a key has signed this."""
    try:
        key = Ed25519PublicKey.from_public_bytes(decode_bytes(public, _PUBLIC_BYTES))
        key.verify(decode_bytes(signature, _SIGNATURE_BYTES), content)
    except (ValueError, InvalidSignature):
        return False
    return True


def to_jwks(public: str) -> dict[str, Any]:
    """A set with a public key (RFC 7517, RFC 8037), whose `kid` is its thumbprint (RFC 7638)."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": public}
    thumbprint = sha256(json.dumps(members, separators=(",", ":")).encode()).digest()
    return {"keys": [{**members, "kid": encode_bytes(thumbprint), "use": "sig", "alg": "EdDSA"}]}


def read_jwks(value: Any) -> list[str]:
    """The public keys in a set that `to_jwks` has written. Raises ValueError."""
    keys: Iterable[Any] = value.get("keys", ()) if isinstance(value, Mapping) else ()
    found = [key["x"] for key in keys if isinstance(key, Mapping) and key.get("crv") == "Ed25519"]
    if not found or not all(isinstance(key, str) for key in found):
        raise ValueError("it has no Ed25519 key")
    return found


def encode_bytes(content: bytes) -> str:
    """Bytes in base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decode_bytes(text: str, size: int) -> bytes:
    """The bytes that `encode_bytes` has written, so many. Raises ValueError for any other text."""
    found = base64.urlsafe_b64decode(text.encode("ascii") + b"==")
    if len(found) != size or encode_bytes(found) != text:
        raise ValueError("it is not in its only form")
    return found
