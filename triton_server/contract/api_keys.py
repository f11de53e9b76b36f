"""API keys and their owners. The service, the proxy and the clients read keys in the same way."""

import hashlib
import hmac
import re
from collections.abc import Iterable

from model_core.errors import TritonchatError

# A hash is longer. A network, for which limits count as for an owner, begins with a digit or has a colon.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._@+-]{0,62}")
_HASH_LENGTH = 64


class ApiKeys:
    """The valid keys. They are false if there are none, so that everybody may use the service.

    A key is given alone or with a name, as `name:key`. Several keys may have the same name.

    Attributes:
        owners: to whom the keys belong: their names, and the hashes (SHA-256) of keys without a name.
        names: the names of the keys that have one, by the hash of the key.
    """

    def __init__(self, given: Iterable[str]) -> None:
        """Raises TritonchatError for a wrong key or name, and for a key of two owners. It prints no key."""
        self._by_digest: dict[bytes, str] = {}
        self.names: dict[str, str] = {}
        for name, key in map(split_name, given):
            if not (key.isascii() and key.isprintable() and key == key.strip() != ""):
                raise TritonchatError(
                    "an API key must consist of printable ASCII characters, without spaces at its ends."
                )
            if name is not None and not is_name(name):
                raise TritonchatError(
                    "the name of an API key, before a colon, must begin with a letter and have at most 63 "
                    "letters, digits and . _ @ + -. A key that has a colon itself needs a name."
                )
            digest = hashlib.sha256(key.encode()).digest()
            owner = name or digest.hex()
            other = self._by_digest.setdefault(digest, owner)
            if other != owner:
                ways = (f"as {x}'s" if len(x) < _HASH_LENGTH else "without a name" for x in (other, owner))
                raise TritonchatError(f"one API key is given twice, {' and '.join(ways)}; give it once.")
            if name is not None:
                self.names[digest.hex()] = name
        self.owners = set(self._by_digest.values())

    def __bool__(self) -> bool:
        return bool(self._by_digest)

    def owner_of(self, key: bytes) -> str | None:
        """The owner of a key; None if it is not valid.

        This compares `key` with all keys, and compares hashes, so the time that it takes reveals no key.
        """
        digest, found = hashlib.sha256(key).digest(), None
        for valid_digest, owner in self._by_digest.items():
            if hmac.compare_digest(digest, valid_digest):
                found = owner
        return found


def is_name(text: str) -> bool:
    """Whether keys may have this name."""
    return _NAME.fullmatch(text) is not None


def split_name(given: str) -> tuple[str | None, str]:
    """The name before the first colon, None if there is none, and the key."""
    name, colon, key = given.partition(":")
    return (name, key) if colon else (None, given)


def short_owner(owner: str) -> str:
    """The owner for a log: a name, or the first digits of a hash."""
    return owner if len(owner) < _HASH_LENGTH else owner[:8]
