"""What a key without a name has stored belongs to its name, once it gets one."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from paths import PYTHONPATH
from stores import answer, create, ids, open_store

from triton_server.contract.api_keys import ApiKeys
from triton_server.contract.conversation_errors import ConversationNotFound, ResponseNotFound
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.responses import ResponseStore
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.transactions import Database

RESPONSE = {"id": "resp_" + "0" * 32, "output": []}


@pytest.fixture
def start(database_url: str) -> Iterator[Callable[..., ConversationStore]]:
    """Opens a store as a service with these keys does."""
    with contextlib.ExitStack() as stack:

        def opened(*keys: str) -> ConversationStore:
            return stack.enter_context(open_store(database_url, ApiKeys(keys).names))

        yield opened


@pytest.fixture
def responses(database_url: str) -> Iterator[ResponseStore]:
    """The responses of the same database."""
    with contextlib.closing(Database(database_url)) as database:
        yield ResponseStore(database, SessionLimits())


def owner_of(key: str) -> str:
    owner = ApiKeys([key]).owner_of(key.encode())
    assert owner is not None
    return owner


def test_all_that_a_key_owns_goes_with_its_name(
    start: Callable[..., ConversationStore], responses: ResponseStore
) -> None:
    one, two = owner_of("one"), owner_of("two")
    before = start("one", "two")
    for owner in (one, two):
        answer(before, create(before, owner, "walk", owner), "Where to?", "Home.", owner)
        responses.add(owner, RESPONSE, [], None)
    for _ in range(2):
        store = start("ada:one", "two")
        session = store.get("ada", "walk")
        assert (session.system, session.turns[0].answer, session.version) == (one, "Home.", 2)
        assert [found.id for found in store.list_conversations("ada", "home", 9)] == ["walk"]
        assert responses.get("ada", RESPONSE["id"]).response == RESPONSE
        # The hash owns nothing any more, and the other key has what it had.
        with pytest.raises(ConversationNotFound):
            store.get(one, "walk")
        with pytest.raises(ResponseNotFound):
            responses.get(one, RESPONSE["id"])
        assert store.get(two, "walk").system == two
        assert responses.get(two, RESPONSE["id"]).response == RESPONSE
    # Rotation: the next key has the same name, and the old one goes.
    assert ids(start("ada:one", "ada:next"), "ada") == ids(start("ada:next"), "ada") == ["walk"]


def test_a_session_whose_id_the_name_has_gets_a_new_id(start: Callable[..., ConversationStore]) -> None:
    before = start()
    for owner in (owner_of("one"), owner_of("two"), "ada"):
        for name in ("walk", owner[:8]):
            create(before, owner, name, owner)
    store = start("ada:one", "ada:two")
    found = {name: store.get("ada", name).system for name in ids(store, "ada")}
    assert len(found) == 6 and found["walk"] == "ada"
    assert sorted(found.values()) == sorted(["ada", owner_of("one"), owner_of("two")] * 2)
    assert {owner_of("one")[:8], owner_of("two")[:8], "ada"} < set(found)


def test_what_an_old_service_still_writes_follows_at_the_next_start(
    start: Callable[..., ConversationStore],
) -> None:
    old = start("one")
    create(old, owner_of("one"), "first")
    assert ids(start("ada:one"), "ada") == ["first"]
    create(old, owner_of("one"), "second")
    assert ids(start("ada:one"), "ada") == ["second", "first"]
    assert ids(start("one"), owner_of("one")) == []  # a name is never taken back


CHILD = """
import sys
from stores import ids, open_store
from triton_server.contract.api_keys import ApiKeys
with open_store(sys.argv[1], ApiKeys(["ada:one", "bo:two"]).names) as store:
    print([len(ids(store, owner, 99)) for owner in ("ada", "bo")])
"""


def test_processes_that_start_together_move_it_once(
    start: Callable[..., ConversationStore], database_url: str
) -> None:
    store = start()
    for number in range(20):
        create(store, owner_of("one"), f"s{number}")
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, database_url],
            env={**os.environ, "PYTHONPATH": PYTHONPATH},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    ends = [child.communicate(timeout=60) for child in children]
    assert [output for output, _ in ends] == [b"[20, 0]\n"] * 3, ends
    assert sorted(ids(store, "ada", 99)) == sorted(f"s{number}" for number in range(20))
