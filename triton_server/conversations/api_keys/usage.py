"""Counts what API keys of the database use, and holds their requests to their limits.

The counts are in the database, so they hold for all processes of a service together, and after a restart.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sql
from sqlalchemy import orm

from ..tables import KeyHolder, KeyUsage
from ..transactions import Database

_DAY_S = 86400
_ROUNDING = 1e-6  # of a request or a token: what has come back in parts may sum up to a little less


@dataclass(frozen=True)
class Use:
    """What was used. Tokens of the prompt count whether they were cached or not."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Those of prompts and answers."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Use") -> "Use":
        return Use(*(getattr(self, name) + getattr(other, name) for name in COUNTS))


COUNTS = ("requests", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class KeyAllowance:
    """What one limit of a key leaves.

    Attributes:
        kind, period: of the limit.
        limit: how many requests or tokens there may be in the period.
        remaining: of them, now.
        full_in_s: seconds until none is counted any more.
        next_in_s: seconds until a request may be sent; 0: now.
    """

    kind: Literal["requests", "tokens"]
    period: Literal["minute", "day"]
    limit: int
    remaining: int
    full_in_s: float
    next_in_s: float


class KeyCounts:
    """The counts of all keys. Its methods may be called from several threads, and raise StoreError."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        """`clock`: seconds since 1970, which several machines share."""
        self._database, self._clock = database, clock

    def admit(self, name: str, used: Use) -> list[KeyAllowance]:
        """Count a request of a name, unless one of its limits is reached. Returns what each limit leaves.

        A limit of tokens is reached if none is left: what an answer takes is known when it has ended.
        `used` is what was used before and has not been counted yet.
        """
        with self._database.changing() as transaction:
            if (counter := self._open(transaction, name)) is None:
                return []
            counter.count(used)
            allowances = counter.allowances()
            if any(allowance.next_in_s for allowance in allowances):
                return allowances
            counter.count(Use(requests=1))
            return counter.allowances(is_admitted=True)

    def add(self, uses: Mapping[str, Use]) -> None:
        """Count what was used by names. Names without keys in this database are left out."""
        with self._database.changing() as transaction:
            for name in sorted(uses):  # in one order, so that services do not wait for each other in a circle
                if (counter := self._open(transaction, name)) is not None:
                    counter.count(uses[name])

    def list_uses(self, since: float, names: Iterable[str] = ()) -> dict[str, Use]:
        """What each name has used since the beginning of the day of a time. `names`: which; none: all."""
        columns = [sql.func.sum(getattr(KeyUsage, column)) for column in COUNTS]
        query = sql.select(KeyUsage.name, *columns).where(KeyUsage.day >= _day(since))
        if names:
            query = query.where(KeyUsage.name.in_(list(names)))
        with self._database.reading() as transaction:
            rows = transaction.execute(query.group_by(KeyUsage.name).order_by(KeyUsage.name)).all()
        return {name: Use(*map(int, counts)) for name, *counts in rows}

    def _open(self, transaction: orm.Session, name: str) -> "_Counter | None":
        # The lock of the row lets others wait who count for the same name. SQLite has one for all.
        holder = transaction.get(KeyHolder, name, with_for_update=True)
        if holder is None:
            return None
        now = self._clock()
        today = transaction.get(KeyUsage, (name, _day(now)))
        if today is None:
            today = KeyUsage(name=name, day=_day(now), **dict.fromkeys(COUNTS, 0))
            transaction.add(today)
        return _Counter(holder, today, now)


class _Counter:
    """The counts of a name within a transaction: token buckets for the minute, and those of the day."""

    def __init__(self, holder: KeyHolder, today: KeyUsage, now: float) -> None:
        self._holder, self._today, self._now = holder, today, now
        minutes = 0.0 if holder.counted is None else max(0.0, now - holder.counted) / 60
        self._requests_left = _refill(holder.requests_left, holder.requests_per_minute, minutes)
        self._tokens_left = _refill(holder.tokens_left, holder.tokens_per_minute, minutes)

    def count(self, use: Use) -> None:
        self._requests_left -= use.requests
        self._tokens_left -= use.tokens
        holder, today = self._holder, self._today
        # A clock that goes back, as of another machine, must not give anything twice.
        holder.counted = max(self._now, holder.counted or 0.0)
        holder.requests_left, holder.tokens_left = self._requests_left, self._tokens_left
        today.requests += use.requests
        today.prompt_tokens += use.prompt_tokens
        today.completion_tokens += use.completion_tokens

    def allowances(self, is_admitted: bool = False) -> list[KeyAllowance]:
        """What the limits leave. None of them refuses a request that is admitted."""
        holder, today = self._holder, self._today
        tokens_today = today.prompt_tokens + today.completion_tokens
        found = [
            self._minute("requests", holder.requests_per_minute, self._requests_left),
            self._minute("tokens", holder.tokens_per_minute, self._tokens_left),
            self._day("requests", holder.requests_per_day, holder.requests_per_day - today.requests),
            self._day("tokens", holder.tokens_per_day, holder.tokens_per_day - tokens_today),
        ]
        left = [allowance for allowance in found if allowance.limit]
        if not is_admitted:
            return left
        return [KeyAllowance(**{**vars(allowance), "next_in_s": 0.0}) for allowance in left]

    def _minute(self, kind: Literal["requests", "tokens"], limit: int, left: float) -> KeyAllowance:
        rate = max(limit, 1) / 60
        wait_s = 0.0 if left >= 1 - _ROUNDING else (1 - left) / rate
        remaining = max(0, math.floor(left + _ROUNDING))
        return KeyAllowance(kind, "minute", limit, remaining, max(0.0, (limit - left) / rate), wait_s)

    def _day(self, kind: Literal["requests", "tokens"], limit: int, left: int) -> KeyAllowance:
        rest_s = _DAY_S - self._now % _DAY_S
        return KeyAllowance(kind, "day", limit, max(0, left), rest_s, 0.0 if left >= 1 else rest_s)


def _refill(left: float | None, per_minute: int, minutes: float) -> float:
    """What is left of a limit after some minutes."""
    return float(per_minute) if left is None else min(per_minute, left + per_minute * minutes)


def _day(seconds: float) -> int:
    """The day of a time, in UTC from 1970-01-01."""
    return int(seconds // _DAY_S)
