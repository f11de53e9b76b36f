"""The routes of conversations over HTTP: all branches of the sessions of a key."""

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from stores import answer

from triton_server.api.app import create_app
from triton_server.api.middleware import access
from triton_server.api.middleware.access import pseudonym
from triton_server.api.middleware.rate_limit import RateLimit
from triton_server.api.settings import ServiceSettings
from triton_server.client import AsyncChatClient

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
    store = service.app.state.conversations
    for question in ("Who are YOU?", "Where to?"):
        answer(store, store.get(OWNER, "walk"), question, "An answer.", OWNER)
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
    assert service.get("/conversations", headers=BO).json() == {"conversations": [], "next": None}
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


def test_the_list_is_paged(service: TestClient) -> None:
    """Each conversation is on one page, also if one of a page before has been removed or changed."""

    def get(key: dict[str, str] = ADA, **query: object) -> tuple[list[str], str | None]:
        page = service.get("/conversations", params=query, headers=key).json()
        return [found["id"] for found in page["conversations"]], page["next"]

    names = ["a_b-c.d", *(f"s{number}" for number in range(6))]
    for name in names:
        assert service.post("/sessions", json={"id": name}, headers=ADA).status_code == 201
    for name in ("s1", "a_b-c.d"):
        service.put(f"/conversations/{name}", json={"pinned": True, "title": "A walk"}, headers=ADA)
    everything = ["s1", "a_b-c.d", "s5", "s4", "s3", "s2", "s0"]
    assert get() == get(limit=7) == (everything, None)
    for limit in range(1, 7):
        seen, following = get(limit=limit)
        while following is not None:
            assert len(seen) % limit == 0
            page, following = get(limit=limit, before=following)
            seen += page
        assert seen == everything
    _, following = get(limit=1, search="walk")
    assert get(search="walk", before=following) == (["a_b-c.d"], None)
    _, following = get(limit=4)
    service.delete("/sessions/s4", headers=ADA)
    service.put("/sessions/s3", json={"system": "Be brief."}, headers=ADA)  # which puts it in front
    assert get(before=following) == (["s2", "s0"], None)
    assert get(BO, before=following) == ([], None)


@pytest.mark.parametrize(
    "before",
    ["", "s1", "1", "0_1.5", "2_1.5_s1", "0_nan_s1", "0_1e999_s1", "0_1.5_", "0_1.5_a b", "0_1.5_s1\n"],
)
def test_a_wrong_place_in_the_list_is_refused(service: TestClient, before: str) -> None:
    refused = service.get("/conversations", params={"before": before}, headers=ADA)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "before")


def test_keys_of_one_name_share_what_is_stored(
    service: TestClient, walk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that gets a name keeps its sessions, and the key that replaces it finds them, too."""
    monkeypatch.setattr(access, "RateLimit", partial(RateLimit, clock=lambda: 0.0))
    settings = service.app.state.settings
    keys = ("ada:sk-of-ada", "ada:sk-of-ada-2", "sk-of-bo")
    named = ServiceSettings(**{**settings.model_dump(), "api_keys": keys, "requests_per_minute": 1000})
    with TestClient(create_app(named), base_url="http://localhost") as renamed:
        for key in (ADA, {"X-Api-Key": "sk-of-ada-2"}):
            assert renamed.get(walk, headers=key).json()["title"] == "Who are YOU?"
            assert renamed.get("/sessions/walk", headers=key).json()["id"] == "walk"
        left = renamed.get("/sessions", headers=ADA).headers["X-RateLimit-Remaining-Requests"]
        assert left == "995"  # of both keys together
        assert renamed.get(walk, headers=BO).status_code == 404
        for wrong in ("ada", "ada:sk-of-ada", OWNER):
            assert renamed.get(walk, headers={"X-Api-Key": wrong}).status_code == 401
    assert service.get(walk, headers=ADA).status_code == 404  # of the hash, which owns nothing any more


def test_deletion_forgets_the_prompts_of_a_key_and_of_its_name(
    service: TestClient, walk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = []

    async def forget(_: AsyncChatClient, salt: str) -> None:
        forgotten.append(salt)

    monkeypatch.setattr(AsyncChatClient, "forget", forget)
    settings = {**service.app.state.settings.model_dump(), "keeps_prefixes": True}
    named = ServiceSettings(**{**settings, "api_keys": ("ada:sk-of-ada", "bo:sk-of-bo")})
    with TestClient(create_app(named), base_url="http://localhost") as renamed:
        assert renamed.delete("/sessions/walk", headers=ADA).status_code == 204
    assert forgotten == [pseudonym("ada"), pseudonym(OWNER)]


def test_a_branch_is_not_changed_during_an_answer(service: TestClient, walk: str) -> None:
    """The answer could not be stored. A title may change."""
    with service.app.state.conversations.hold(OWNER, "walk"):
        refused = service.put(walk, json={"head": 1}, headers=ADA)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "session_busy")
        assert service.put(walk, json={"title": "A walk"}, headers=ADA).status_code == 200
