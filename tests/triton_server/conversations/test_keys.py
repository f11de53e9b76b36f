"""API keys in the database: what is stored of them, how long they are valid, and what they may use."""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from model_core.errors import TritonchatError
from triton_server.conversations.api_keys.store import KeyRules, KeyStore
from triton_server.conversations.api_keys.usage import KeyCounts, Use
from triton_server.conversations.transactions import Database

NOON = 20_000 * 86400 + 43200.0  # of a day


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def connect(database_url: str) -> Iterator[Callable[[], Database]]:
    """Connects as a process does."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(contextlib.closing(Database(database_url)))


@pytest.fixture
def store(connect: Callable[[], Database], clock: Clock) -> KeyStore:
    return KeyStore(connect(), clock)


def owners(store: KeyStore, now: float) -> dict[bytes, str]:
    """The names of the keys that are valid, by their hashes."""
    return {digest: name for digest, (name, end) in store.read().owners.items() if end is None or end > now}


def hashed(key: str) -> bytes:
    return sha256(key.encode()).digest()


def test_only_the_hash_of_a_key_is_stored(tmp_path: Path) -> None:
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'keys.db'}")) as database:
        key = KeyStore(database).add("ada", KeyRules())
        assert len(key) > 40
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert hashed(key).hex().encode() in content
    assert key.encode() not in content and key[3:].encode() not in content


def test_keys_come_and_go_with_their_name(store: KeyStore, clock: Clock) -> None:
    first = store.add("ada", KeyRules(models=("a", "b"), tokens_per_day=9), lifetime_s=100)
    other = store.add("bo", KeyRules())
    assert owners(store, clock.now) == {hashed(first): "ada", hashed(other): "bo"}
    second = store.rotate("ada", keep_old_s=10)
    assert set(owners(store, clock.now)) == {hashed(first), hashed(second), hashed(other)}
    clock.now += 11
    assert set(owners(store, clock.now)) == {hashed(second), hashed(other)}
    third = store.rotate("ada", lifetime_s=50)
    assert set(owners(store, clock.now)) == {hashed(third), hashed(other)}
    ada, bo = store.list_names()
    assert (ada.name, ada.keys, ada.expires, ada.revoked) == ("ada", 1, clock.now + 50, None)
    assert (bo.keys, bo.expires) == (1, None)
    store.revoke("ada")
    assert set(owners(store, clock.now)) == {hashed(other)}
    assert store.list_names()[0].revoked == clock.now
    # The name stays, so that nobody else gets what belongs to it.
    with pytest.raises(TritonchatError, match="keys rotate ada"):
        store.add("ada", KeyRules())
    assert store.rules("ada") == KeyRules(models=("a", "b"), tokens_per_day=9)
    fourth = store.rotate("ada")
    assert owners(store, clock.now)[hashed(fourth)] == "ada"
    store.change("ada", KeyRules(requests_per_minute=2))
    assert store.read().rules == {"ada": KeyRules(requests_per_minute=2), "bo": KeyRules()}


def test_a_wrong_name_is_refused(store: KeyStore) -> None:
    for name in ("", "9", "a b", "a:b", "a" * 64, "ädä", "a\n", "-x"):
        with pytest.raises(TritonchatError, match="no name of a key"):
            store.add(name, KeyRules())
        for act in (store.rotate, store.revoke, store.rules):
            with pytest.raises(TritonchatError, match="there are no keys of"):
                act(name)


def test_requests_of_a_minute_come_back_evenly(
    store: KeyStore, connect: Callable[[], Database], clock: Clock
) -> None:
    store.add("ada", KeyRules(requests_per_minute=6))
    services = itertools.cycle([KeyCounts(connect(), clock) for _ in range(2)])
    for left in range(5, -1, -1):
        (allowance,) = next(services).admit("ada", Use())
        assert (allowance.remaining, allowance.next_in_s) == (left, 0)
    (refused,) = next(services).admit("ada", Use())
    assert (refused.remaining, refused.next_in_s, refused.full_in_s) == (0, pytest.approx(10), 60)
    clock.now += 9
    assert next(services).admit("ada", Use())[0].next_in_s == pytest.approx(1)
    clock.now += 1
    assert next(services).admit("ada", Use())[0].next_in_s == 0
    clock.now -= 3600  # the clock of another machine is late
    assert next(services).admit("ada", Use())[0].next_in_s > 0
    clock.now += 3600 + 10
    assert next(services).admit("ada", Use())[0].next_in_s == 0


def test_tokens_of_a_minute_are_counted_afterwards(
    store: KeyStore, connect: Callable[[], Database], clock: Clock
) -> None:
    store.add("ada", KeyRules(tokens_per_minute=100))
    counts = KeyCounts(connect(), clock)
    assert counts.admit("ada", Use())[0].remaining == 100
    counts.add({"ada": Use(0, 120, 40)})
    (refused,) = counts.admit("ada", Use())
    assert (refused.kind, refused.remaining) == ("tokens", 0)
    assert refused.next_in_s == pytest.approx(61 * 0.6)
    clock.now += refused.next_in_s
    assert counts.admit("ada", Use())[0].next_in_s == 0
    assert counts.admit("ada", Use(0, 1, 1))[0].next_in_s > 0  # what was not counted yet counts first


def test_counts_of_a_day_outlast_a_restart_and_end_at_midnight(
    store: KeyStore, connect: Callable[[], Database], clock: Clock
) -> None:
    store.add("ada", KeyRules(requests_per_day=3, tokens_per_day=1000))
    for _ in range(3):  # each a process of its own
        assert all(one.next_in_s == 0 for one in KeyCounts(connect(), clock).admit("ada", Use()))
        clock.now += 3600
    requests, tokens = KeyCounts(connect(), clock).admit("ada", Use())
    assert (requests.period, requests.remaining, tokens.remaining) == ("day", 0, 1000)
    assert requests.next_in_s == 43200 - 3 * 3600 and tokens.next_in_s == 0
    clock.now += requests.next_in_s
    counts = KeyCounts(connect(), clock)
    counts.add({"ada": Use(0, 500, 500), "nobody": Use(1, 1, 1)})
    requests, tokens = counts.admit("ada", Use())
    assert (requests.next_in_s, tokens.next_in_s) == (0, 86400)
    assert counts.list_uses(clock.now) == {"ada": Use(0, 500, 500)}
    assert counts.list_uses(clock.now - 1) == {"ada": Use(3, 500, 500)}
    assert counts.list_uses(0, ["bo"]) == {}


def test_requests_at_once_get_no_more_than_the_limit(
    store: KeyStore, connect: Callable[[], Database], clock: Clock
) -> None:
    store.add("ada", KeyRules(requests_per_day=7))
    services = [KeyCounts(connect(), clock) for _ in range(3)]
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda n: services[n % 3].admit("ada", Use(0, 1, 0)), range(24)))
    assert sum(allowances[0].next_in_s == 0 for allowances in found) == 7
    assert services[0].list_uses(0) == {"ada": Use(7, 24, 0)}
