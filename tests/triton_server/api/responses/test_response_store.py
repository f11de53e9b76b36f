"""The store of responses, on SQLite and PostgreSQL."""

import contextlib
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sql

from triton_server.contract.conversation_errors import (
    PreviousResponseNotFound,
    ResponseNotFound,
    ResponsesTooLarge,
    SessionsFull,
)
from triton_server.conversations import database
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.responses import ResponseStore
from triton_server.conversations.tables import StoredResponse
from triton_server.conversations.transactions import Database


@pytest.fixture
def opened(database_url: str) -> Iterator[Database]:
    """An empty database."""
    with contextlib.closing(Database(database_url)) as connected:
        yield connected


@pytest.fixture
def store(opened: Database) -> ResponseStore:
    """A store of the database, without limits."""
    return ResponseStore(opened, SessionLimits())


def add(store: ResponseStore, text: str, previous: StoredResponse | None = None) -> StoredResponse:
    """Store a response of Ada's to `text`."""
    response: dict[str, Any] = {"id": f"resp_{secrets.token_hex(16)}", "output": [{"text": text.upper()}]}
    store.add("ada", response, [{"text": text}], previous)
    return store.get("ada", response["id"])


def make_old(url: str, *responses: StoredResponse) -> None:
    """Let these responses be ten seconds older."""
    engine = database.create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            sql.update(StoredResponse)
            .where(StoredResponse.id.in_([response.id for response in responses]))
            .values(created=StoredResponse.created - 10)
        )
    engine.dispose()


def texts(responses: list[StoredResponse]) -> list[str]:
    return [response.input[0]["text"] for response in responses]


@pytest.mark.parametrize(
    "text", ["plain", "naïve 你好 😀 \u2028", "NUL \0 inside", "'; DROP TABLE responses; --"]
)
def test_response_is_stored_unchanged(store: ResponseStore, text: str) -> None:
    stored = add(store, text)
    assert stored.input == [{"text": text}]
    assert stored.response == {"id": stored.id, "output": [{"text": text.upper()}]}
    assert (stored.previous, stored.conversation) == (None, stored.id)


def test_response_is_found_by_its_owner_alone(store: ResponseStore) -> None:
    stored = add(store, "secret")
    for owner, response_id in (("bo", stored.id), ("", stored.id), ("ada", stored.id[:-1]), ("ada", "\0")):
        with pytest.raises(ResponseNotFound):
            store.get(owner, response_id)
        with pytest.raises(ResponseNotFound):
            store.delete(owner, response_id)
        with pytest.raises(PreviousResponseNotFound):
            store.get_chain(owner, response_id, 0)
    assert store.get("ada", stored.id).input == [{"text": "secret"}]


def test_chain_has_the_responses_before_in_order(store: ResponseStore) -> None:
    one = add(store, "one")
    two = add(store, "two", one)
    three = add(store, "three", two)
    branch = add(store, "another", two)
    assert texts(store.get_chain("ada", three.id, 0)) == ["one", "two", "three"]
    assert texts(store.get_chain("ada", branch.id, 0)) == ["one", "two", "another"]
    assert texts(store.get_chain("ada", one.id, 0)) == ["one"]
    assert {response.conversation for response in (two, three, branch)} == {one.id}


def test_chain_that_is_cut_is_refused(store: ResponseStore) -> None:
    one = add(store, "one")
    two = add(store, "two", one)
    three = add(store, "three", two)
    store.delete("ada", one.id)
    with pytest.raises(PreviousResponseNotFound, match=rf"{one.id}.* has been removed") as raised:
        store.get_chain("ada", three.id, 0)
    assert (raised.value.status, raised.value.param) == (400, "previous_response_id")
    assert store.get("ada", three.id).input == [{"text": "three"}]


def test_chain_that_is_too_large_is_not_read(store: ResponseStore) -> None:
    one = add(store, "one " * 1000)
    two = add(store, "two " * 1000, one)
    assert len(store.get_chain("ada", two.id, one.bytes + two.bytes)) == 2
    with pytest.raises(ResponsesTooLarge, match="--max-body") as raised:
        store.get_chain("ada", two.id, one.bytes + two.bytes - 1)
    assert raised.value.status == 413


def test_several_responses_are_read_together(store: ResponseStore) -> None:
    one, two, other = (add(store, text) for text in ("one", "two", "other"))
    ids = [one.id, two.id, one.id[:-1]]
    assert sorted(texts(store.get_all("ada", ids, one.bytes + two.bytes))) == ["one", "two"]
    assert store.get_all("bo", [other.id], 0) == []
    with pytest.raises(ResponsesTooLarge, match="--max-body"):
        store.get_all("ada", ids, one.bytes + two.bytes - 1)


def test_long_chain_is_read(store: ResponseStore) -> None:
    last = add(store, "0")
    for number in range(1, 200):
        last = add(store, str(number), last)
    assert texts(store.get_chain("ada", last.id, 0)) == [str(number) for number in range(200)]


def test_owner_has_limits(opened: Database) -> None:
    add(ResponseStore(opened, SessionLimits()), "one")
    ResponseStore(opened, SessionLimits(sessions=2, bytes=2000)).check_room("ada", "two")
    with pytest.raises(SessionsFull, match=r'--max-sessions.*"store": false'):
        ResponseStore(opened, SessionLimits(sessions=1)).check_room("ada", "two")
    with pytest.raises(SessionsFull, match="--max-session-bytes"):
        ResponseStore(opened, SessionLimits(bytes=2000)).check_room("ada", "two" * 1000)
    ResponseStore(opened, SessionLimits(sessions=1)).check_room("bo", "two")


def test_conversations_expire_as_a_whole(store: ResponseStore, database_url: str) -> None:
    single, old, continued = add(store, "single"), add(store, "old"), add(store, "continued")
    old_end = add(store, "old end", old)
    end = add(store, "end", continued)
    make_old(database_url, single, old, old_end, continued)
    assert store.remove_expired(60) == 0
    assert store.remove_expired(5) == 3
    assert texts(store.get_chain("ada", end.id, 0)) == ["continued", "end"]
    for removed in (single, old, old_end):
        with pytest.raises(ResponseNotFound):
            store.get("ada", removed.id)


def test_one_of_several_that_remove_a_response_succeeds(store: ResponseStore) -> None:
    stored = add(store, "one")

    def remove(_: int) -> bool:
        try:
            store.delete("ada", stored.id)
        except ResponseNotFound:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(remove, range(8))) == 1
