"""API keys of the database: as this process knows them, and what they use of their limits."""

import asyncio
import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from ...contract.conversation_errors import StoreError
from ...conversations.api_keys.store import KeyRules, KeySnapshot, KeyStore
from ...conversations.api_keys.usage import KeyAllowance, KeyCounts, Use
from ..errors import ApiError
from .metrics import ServiceMetrics
from .rate_limit import format_duration

LOGGER = logging.getLogger(__name__)

REFRESH_S = 1.0  # from one reading of the keys to the next
# If the database cannot be read for so long, no key of it is valid: it may have been revoked.
MAX_AGE_S = 60.0
KEY_LIMIT_CODE = "rate_limit_exceeded"
_REFUSAL_S = 1.0  # a key over its limit causes at most one transaction in this time
_KINDS, _PARTS = ("Requests", "Tokens"), ("Limit", "Remaining", "Reset")
RATE_HEADERS = tuple(f"X-RateLimit-{part}-{kind}" for kind in _KINDS for part in _PARTS)


@dataclass(frozen=True)
class _Refusal:
    allowances: list[KeyAllowance]
    until: float


class StoredKeys:
    """The keys of the database, which `run` reads again and again. Only `admit` may wait for the database."""

    def __init__(
        self,
        store: KeyStore,
        counts: KeyCounts,
        metrics: ServiceMetrics,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`clock`: seconds since 1970."""
        self._store, self._counts, self._metrics, self._clock = store, counts, metrics, clock
        self._snapshot, self._read_time = KeySnapshot(), -math.inf
        self._uses: dict[str, Use] = {}  # which the database has not counted yet
        self._refusals: dict[str, _Refusal] = {}

    async def run(self) -> None:
        """Keep the keys and their counts up to date until the task is cancelled."""
        while True:
            await self.refresh()
            await self.write()
            await asyncio.sleep(REFRESH_S)

    async def refresh(self) -> None:
        """Read the keys. If that fails, those that were read before are valid for MAX_AGE_S."""
        start = time.monotonic()
        try:
            self._snapshot = await asyncio.to_thread(self._store.read)
        except StoreError:  # the database has logged it
            return
        self._read_time = start
        self._refusals = {name: one for name, one in self._refusals.items() if one.until > start}

    async def write(self) -> None:
        """Write what was used since the last time to the database."""
        if not self._uses:
            return
        uses, self._uses = self._uses, {}
        try:
            await asyncio.to_thread(self._counts.add, uses)
        except StoreError:  # it is counted later
            for name, use in uses.items():
                self._note(name, use)

    def owner_of(self, key: bytes) -> str | None:
        """The name of a key; None if it is not valid.

        It is found by its hash, whose digits nobody can choose, so the time that this takes reveals no key.
        Raises ApiError: 401 for a key that was valid once, 503 if the keys are not known.
        """
        self._check_age()
        digest = hashlib.sha256(key).digest()
        found = self._snapshot.owners.get(digest)
        if found is None:
            return None
        name, expires = found
        if expires is not None and expires <= self._clock():
            raise ApiError(
                401, "the API key has expired, or was revoked; ask for a new one.", "invalid_api_key"
            )
        return name

    def check_owner(self, owner: str) -> None:
        """Check that a name has a valid key, for what it has left to be done later.

        Raises ApiError: 401 if its keys were revoked or have expired, 503 if the keys are not known.
        """
        self._check_age()
        if owner not in self._snapshot.rules:
            return
        end = self._snapshot.ends.get(owner, 0.0)
        if end is not None and end <= self._clock():
            raise ApiError(401, f"the keys of {owner} have expired, or were revoked.", "invalid_api_key")

    def _check_age(self) -> None:
        if time.monotonic() - self._read_time > MAX_AGE_S:
            raise ApiError(
                503, "the API keys cannot be read from the database; its log says why.", "keys_unavailable"
            )

    def rules_of(self, owner: str) -> KeyRules | None:
        """What the keys of a name may do; None for a name without keys in the database."""
        return self._snapshot.rules.get(owner)

    async def admit(self, owner: str) -> list[KeyAllowance]:
        """Count a request of a name, unless a limit is reached. Returns what its limits leave."""
        rules = self.rules_of(owner)
        if rules is None:
            return []
        refusal = self._refusals.get(owner)
        if refusal is not None and time.monotonic() < refusal.until:
            return refusal.allowances
        if not rules.has_limits:
            allowances: list[KeyAllowance] = []
            self._note(owner, Use(requests=1))
        else:
            used = self._uses.pop(owner, Use())
            try:
                allowances = await asyncio.to_thread(self._counts.admit, owner, used)
            except BaseException:
                self._note(owner, used)
                raise
        wait_s = max((one.next_in_s for one in allowances), default=0.0)
        if wait_s:
            self._refusals[owner] = _Refusal(allowances, time.monotonic() + min(wait_s, _REFUSAL_S))
        else:
            self._metrics.count_key(owner, requests=1)
        return allowances

    def count_tokens(self, owner: str, prompt_tokens: int, completion_tokens: int) -> None:
        """Count what an answer to a request of a name has taken."""
        if self.rules_of(owner) is not None:
            self._note(owner, Use(0, prompt_tokens, completion_tokens))
            self._metrics.count_key(owner, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

    def _note(self, name: str, use: Use) -> None:
        self._uses[name] = self._uses.get(name, Use()) + use


def describe_rates(allowances: list[KeyAllowance]) -> dict[str, str]:
    """The headers for the limits of requests and of tokens: of each, the tightest one."""
    headers = {}
    for kind in _KINDS:
        own = [one for one in allowances if one.kind == kind.lower()]
        if own:
            tightest = max(own, key=lambda one: (one.next_in_s, -one.remaining))
            values = tightest.limit, tightest.remaining, format_duration(tightest.full_in_s)
            for part, value in zip(_PARTS, values, strict=True):
                headers[f"X-RateLimit-{part}-{kind}"] = str(value)
    return headers


def refusal_of(owner: str, allowances: list[KeyAllowance]) -> ApiError | None:
    """The error for a request over a limit; None if it is admitted."""
    if not allowances:
        return None
    last = max(allowances, key=lambda one: one.next_in_s)
    if not last.next_in_s:
        return None
    return ApiError(
        429,
        f"the key of {owner} may use {last.limit} {last.kind} a {last.period}; the next request may come in "
        f"{format_duration(last.next_in_s)}.",
        code=KEY_LIMIT_CODE,
        retry_after_s=math.ceil(last.next_in_s),
    )
