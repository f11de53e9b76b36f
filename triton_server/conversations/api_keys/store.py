"""API keys that are kept in the database: who has them, until when, and what they may do.

A key is shown once, when it is made. Of it the database has only the hash: a key has 256 random bits, so
nobody can find it by its hash, however fast that is computed.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

import sqlalchemy as sql
from sqlalchemy import orm

from model_core.errors import TritonchatError

from ...contract.api_keys import is_name
from ..tables import KeyHolder, StoredKey
from ..transactions import Database

_KEY_BYTES = 32
_KEY_PREFIX = "tc-"  # by which programs that look for secrets can tell it
MAX_NAMES = 10_000


@dataclass(frozen=True)
class KeyRules:
    """What the keys of a name may do.

    Attributes:
        models: the names of the models that they may use; None: all.
        requests_per_minute, tokens_per_minute, requests_per_day, tokens_per_day: limits; 0: none. Tokens are
            those of prompts and answers. A day begins at midnight in UTC.
    """

    models: tuple[str, ...] | None = None
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    requests_per_day: int = 0
    tokens_per_day: int = 0

    @property
    def has_limits(self) -> bool:
        """Whether requests must be counted before they are answered."""
        return any(getattr(self, name) for name in LIMITS)


LIMITS = tuple(each.name for each in fields(KeyRules) if each.name != "models")


@dataclass(frozen=True)
class KeyEntry:
    """A name that has keys. Times are in seconds since 1970.

    Attributes:
        expires: when the last of its keys is no longer valid; None: never.
        keys: how many are valid now.
    """

    name: str
    created: float
    revoked: float | None
    expires: float | None
    keys: int
    rules: KeyRules


@dataclass(frozen=True)
class KeySnapshot:
    """All keys as they were when they were read.

    Attributes:
        owners: their names, and when they expire, by the hash (SHA-256).
        rules: by the name.
        ends: of the names that have keys, when the last one expires; None: never.
    """

    owners: Mapping[bytes, tuple[str, float | None]] = field(default_factory=dict)
    rules: Mapping[str, KeyRules] = field(default_factory=dict)
    ends: Mapping[str, float | None] = field(default_factory=dict)


class KeyStore:
    """The keys of a database. Its methods may be called from several threads, and raise StoreError."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock

    def add(self, name: str, rules: KeyRules, lifetime_s: float | None = None) -> str:
        """Make a key for a new name. Returns the key, which cannot be read again.

        `lifetime_s`: seconds until it expires; None: never. Raises TritonchatError for a name that is there,
        or that is none.
        """
        if not is_name(name):
            raise TritonchatError(
                f"{name[:100]!r} is no name of a key: it must begin with a letter and have at most 63 "
                "letters, digits and . _ @ + -."
            )
        with self._database.changing() as transaction:
            if transaction.get(KeyHolder, name) is not None:
                raise TritonchatError(
                    f"there are keys of {name} already: `keys rotate {name}` makes a new one, `keys change "
                    f"{name}` changes its limits. A person of the same name needs another one, because what "
                    "is stored belongs to the name."
                )
            count = transaction.scalar(sql.select(sql.func.count()).select_from(KeyHolder)) or 0
            if count >= MAX_NAMES:
                raise TritonchatError(f"there are {MAX_NAMES} names of keys already, which is the limit.")
            transaction.add(KeyHolder(name=name, created=self._clock(), **_columns(rules)))
            transaction.flush()
            return self._make_key(transaction, name, lifetime_s)

    def rotate(self, name: str, lifetime_s: float | None = None, keep_old_s: float = 0.0) -> str:
        """Make a new key for a name; its others stay valid for `keep_old_s` seconds at most.

        A name whose keys were revoked has a valid one again. Raises TritonchatError for an unknown name.
        """
        with self._database.changing() as transaction:
            self._find(transaction, name).revoked = None
            self._end_keys(transaction, name, self._clock() + keep_old_s)
            return self._make_key(transaction, name, lifetime_s)

    def change(self, name: str, rules: KeyRules) -> None:
        """Change what the keys of a name may do. Raises TritonchatError for an unknown name."""
        with self._database.changing() as transaction:
            holder = self._find(transaction, name)
            for column, value in _columns(rules).items():
                setattr(holder, column, value)
            holder.requests_left = holder.tokens_left = holder.counted = None

    def revoke(self, name: str) -> None:
        """Make all keys of a name invalid. Its name and its limits stay.

        Raises TritonchatError for an unknown name.
        """
        with self._database.changing() as transaction:
            self._find(transaction, name).revoked = self._clock()
            self._end_keys(transaction, name, self._clock())

    def rules(self, name: str) -> KeyRules:
        """What the keys of a name may do. Raises TritonchatError for an unknown name."""
        with self._database.reading() as transaction:
            return _rules(self._find(transaction, name))

    def list_names(self) -> list[KeyEntry]:
        """All names that have keys, or had some, in the order of the alphabet."""
        now = self._clock()
        with self._database.reading() as transaction:
            holders = transaction.scalars(sql.select(KeyHolder).order_by(KeyHolder.name)).all()
            ends: dict[str, list[float | None]] = {}
            for name, expires in transaction.execute(sql.select(StoredKey.name, StoredKey.expires)):
                ends.setdefault(name, []).append(expires)
        entries = []
        for holder in holders:
            own = ends.get(holder.name, [])
            last = None if None in own else max((end for end in own if end is not None), default=None)
            valid = sum(end is None or end > now for end in own)
            entries.append(KeyEntry(holder.name, holder.created, holder.revoked, last, valid, _rules(holder)))
        return entries

    def read(self) -> KeySnapshot:
        """All keys, also those that are no longer valid."""
        with self._database.reading() as transaction:
            keys = transaction.execute(sql.select(StoredKey.digest, StoredKey.name, StoredKey.expires)).all()
            holders = transaction.scalars(sql.select(KeyHolder)).all()
        owners = {bytes.fromhex(digest): (name, expires) for digest, name, expires in keys}
        ends: dict[str, float | None] = {}
        for _, name, expires in keys:
            end = ends.get(name, 0.0)
            ends[name] = None if end is None or expires is None else max(end, expires)
        return KeySnapshot(owners, {holder.name: _rules(holder) for holder in holders}, ends)

    def _find(self, transaction: orm.Session, name: str) -> KeyHolder:
        holder = transaction.get(KeyHolder, name)
        if holder is None:
            raise TritonchatError(f"there are no keys of {name[:100]!r}; `keys list` shows the names.")
        return holder

    def _make_key(self, transaction: orm.Session, name: str, lifetime_s: float | None) -> str:
        key, now = _KEY_PREFIX + secrets.token_urlsafe(_KEY_BYTES), self._clock()
        expires = None if lifetime_s is None else now + lifetime_s
        digest = hashlib.sha256(key.encode()).hexdigest()
        transaction.add(StoredKey(digest=digest, name=name, created=now, expires=expires))
        return key

    def _end_keys(self, transaction: orm.Session, name: str, end: float) -> None:
        """Let the keys of a name expire at this time, unless they do so earlier."""
        is_later = sql.or_(StoredKey.expires.is_(None), StoredKey.expires > end)
        transaction.execute(sql.update(StoredKey).where(StoredKey.name == name, is_later).values(expires=end))


def _columns(rules: KeyRules) -> dict[str, object]:
    models = None if rules.models is None else list(rules.models)
    return {"models": models, **{name: getattr(rules, name) for name in LIMITS}}


def _rules(holder: KeyHolder) -> KeyRules:
    models = None if holder.models is None else tuple(holder.models)
    return KeyRules(models, **{name: getattr(holder, name) for name in LIMITS})
