"""The routes of conversations over HTTP: all branches of the sessions of a key."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.conversations.sessions import SessionStore

OWNER = hashlib.sha256(b"sk-of-ada").hexdigest()  # of Ada's sessions
ADA, BO = {"X-Api-Key": "sk-of-ada"}, {"X-Api-Key": "sk-of-bo"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TestClient]:
    """The HTTP service in this process, with the keys of two people; no server is behind it."""
    keys = ("sk-of-ada", "sk-of-bo")
    settings = ServiceSettings(
        server="127.0.0.1:1", database=f"sqlite:///{tmp_path / 'sessions.db'}", api_keys=keys
    )
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def walk(service: TestClient) -> str:
    """A conversation of Ada's of two questions."""
    assert service.post("/sessions", json={"id": "walk"}, headers=ADA).status_code == 201
    store: SessionStore = service.app.state.store
    for question in ("Who are YOU?", "Where to?"):
        store.add_turn(store.get_session(OWNER, "walk"), question, "An answer.", "stop", None, {})
    return "/conversations/walk"


def test_a_key_sees_and_changes_its_own(service: TestClient, walk: str) -> None:
    tree = service.get(walk, headers=ADA).json()
    assert [(turn["id"], turn["parent"], turn["question"]) for turn in tree["turns"]] == [
        (1, None, "Who are YOU?"),
        (2, 1, "Where to?"),
    ]
    assert (tree["title"], tree["head"]) == ("Who are YOU?", 2)
    changed = service.put(walk, json={"head": 1, "title": "A walk", "pinned": True}, headers=ADA).json()
    assert (changed["head"], changed["title"], changed["pinned"]) == (1, "A walk", True)
    session = service.get("/sessions/walk", headers=ADA).json()
    assert [turn["question"] for turn in session["turns"]] == ["Who are YOU?"]
    for search, count in (("", 1), ("who you", 1), ("WALK", 1), ("nobody", 0), ("who nobody", 0)):
        found = service.get("/conversations", params={"search": search}, headers=ADA).json()
        assert len(found["conversations"]) == count, search
    assert service.get("/conversations", headers=BO).json() == {"conversations": []}
    for refused in (service.get(walk, headers=BO), service.put(walk, json={"pinned": False}, headers=BO)):
        assert refused.status_code == 404
        assert refused.json()["error"]["code"] == "conversation_not_found"
    assert service.get(walk).status_code == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"head": 7}, 404),
        ({"head": "1"}, 400),
        ({"head": 0}, 400),
        ({"title": "x" * 201}, 400),
        ({"title": None}, 400),
        ({"pinned": "yes"}, 400),
        ({"owner": "bo"}, 400),
        ([], 400),
    ],
)
def test_wrong_changes_are_refused(service: TestClient, walk: str, body: object, status: int) -> None:
    before = service.get(walk, headers=ADA).json()
    refused = service.put(walk, json=body, headers=ADA)
    assert (refused.status_code, refused.json()["error"]["message"][-1]) == (status, ".")
    assert service.get(walk, headers=ADA).json() == before


def test_a_branch_is_not_changed_during_an_answer(service: TestClient, walk: str) -> None:
    """The answer could not be stored. A title may change."""
    with service.app.state.store.hold(OWNER, "walk"):
        refused = service.put(walk, json={"head": 1}, headers=ADA)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "session_busy")
        assert service.put(walk, json={"title": "A walk"}, headers=ADA).status_code == 200
