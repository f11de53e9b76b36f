"""The commands of the store of conversations: what they refuse, what they survive, and over a real server."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Server

from model_core.errors import InvalidRequest, TritonchatError
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.contract.commands import parse_command
from triton_server.contract.conversation_errors import (
    ConversationNotFound,
    DocumentNotFound,
    SessionsFull,
    StoreError,
    TurnNotFound,
)
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.tree import Attachment
from triton_server.engine.commands import conversation_commands as module
from triton_server.engine.commands.conversation_commands import ConversationCommands

Run = Callable[..., dict[str, Any]]
USAGE = {
    "prompt_tokens": 3,
    "completion_tokens": 2,
    "cached_tokens": 0,
    "truncated_messages": 0,
    "reasoning_tokens": 0,
}


def runner(commands: ConversationCommands) -> Run:
    """Runs a command, as the engine does."""

    def run(command: Any, /, **fields: Any) -> dict[str, Any]:
        name, parsed = parse_command({"conversations": command, **fields})
        assert name == "conversations"
        return json.loads(asyncio.run(commands.run(parsed)))

    return run


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process may take long on a busy machine."""
    for name in ("_TIMEOUT_S", "_OPENING_TIMEOUT_S"):
        monkeypatch.setattr(module, name, 60.0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command on an empty database."""
    return runner(ConversationCommands(f"sqlite:///{tmp_path / 'sessions.db'}"))


DEEP: Any = "x"
for _ in range(150):
    DEEP = {"a": DEEP}
TURN = {"id": "made", "parent": None, "question": "q"}
CHANGED = {"id": "made", "turn": 1}


@pytest.mark.parametrize(
    ("name", "fields", "complaint"),
    [
        (None, {}, "conversations is missing"),
        (["get"], {}, "conversations must be a string"),
        ("drop", {}, "has no command 'drop'; it has list, "),
        ("list", {"owner": 5}, "owner must be a string"),
        ("list", {"owner": "x" * 65}, "owner must be a string of 64 or fewer"),
        ("list", {"owner": "a\0b"}, "owner must be a string of the form"),
        ("list", {"limit": 0}, "limit must be between 1 and 200, not 0"),
        ("list", {"limit": 10**30}, "limit must be"),
        ("list", {"limit": True}, "limit must be a whole number"),
        ("list", {"search": ["x"]}, "search must be a string"),
        ("list", {"search": "x" * 1001}, "search must be a string of 1000 or fewer"),
        ("list", {"search": " ".join(map(str, range(21)))}, "search has 21 words; at most 20"),
        ("list", {"before": "yesterday"}, "before must be an object"),
        ("list", {"before": {"pinned": False}}, "is missing"),
        ("list", {"sort": "title"}, "unknown parameter 'sort'"),
        ("list", {"__class__": "x", "model_extra": {}}, "unknown parameter '__class__'"),
        ("get", {}, "id is missing"),
        ("get", {"id": "../etc"}, "id must be a string of the form"),
        ("get", {"id": "a\0"}, "id must be a string of the form"),
        ("get", {"id": None}, "id must be a string"),
        ("get", {"id": "made", "known": "all"}, "known must be"),
        ("get", {"id": "made", "known": [0]}, "known\\[0\\] must be"),
        ("get", {"id": "made", "known": [1] * 1001}, "known"),
        ("create", {"title": "x" * 201}, "title must be a string of 200 or fewer"),
        ("create", {"system": {"role": "system"}}, "system must be a string"),
        ("create", {"parameters": {"temperature": "hot"}}, "temperature must be a number"),
        ("create", {"parameters": {"temprature": 1}}, "unknown parameter 'temprature'; the nearest"),
        ("create", {"parameters": []}, "parameters must be an object"),
        ("change", {"id": "made", "head": "first"}, "head must be a whole number"),
        ("change", {"id": "made", "pinned": 1}, "pinned must be true or false"),
        ("change", {"id": "made", "owner_of": "x"}, "unknown parameter"),
        ("add_turn", {"id": "made", "question": "q"}, "parent is missing"),
        ("add_turn", {**TURN, "parent": -1}, "parent must be at least 1|between"),
        ("add_turn", {**TURN, "question": 5}, "question must be a string"),
        ("add_turn", {**TURN, "question": "half \ud83d"}, "must be a string of valid Unicode"),
        ("add_turn", {**TURN, "question": "x" * (2**22 + 1)}, "question must be a string of"),
        ("add_turn", {**TURN, "parameters": DEEP}, "nested more than 100 deep"),
        ("add_turn", {**TURN, "parameters": {"a": "x" * 2**20}}, "parameters has 10"),
        ("add_turn", {**TURN, "attachments": [{}] * 51}, "attachments"),
        ("add_turn", {**TURN, "attachments": [{"name": "a"}]}, r"attachments\[0\].text is missing"),
        ("add_turn", {**TURN, "attachments": [{"name": "a", "text": "", "tokens": -1}]}, "tokens must be"),
        ("change_turn", {**CHANGED, "turn": "1"}, "turn must be a whole number"),
        ("change_turn", {**CHANGED, "rating": 2}, "rating must be -1, 0 or 1"),
        ("change_turn", {**CHANGED, "finish_reason": "bored"}, "finish_reason must be 'stop'"),
        ("change_turn", {**CHANGED, "usage": {"prompt_tokens": "many"}}, "usage has not the numbers"),
        ("change_turn", {**CHANGED, "timings": {}}, "timings has not the numbers"),
        ("change_turn", {**CHANGED, "tool_calls": [DEEP]}, "nested more than 100 deep"),
        ("change_turn", {**CHANGED, "answer": None}, "answer must be a string"),
        ("change_turn", {**CHANGED, "question": "another"}, "unknown parameter 'question'"),
        ("put_document", {"kind": "", "name": "a", "value": 1}, "kind must be a string of 1 or more"),
        ("put_document", {"kind": "k", "name": "x" * 201, "value": 1}, "name must be a string of 200"),
        ("put_document", {"kind": "k", "name": "a"}, "value is missing"),
        ("put_document", {"kind": "k", "name": "a", "value": "x" * 2**20}, "value has 10"),
        ("put_document", {"kind": "k", "name": "a", "value": DEEP}, "nested more than 100 deep"),
        ("add_vote", {"vote": "A"}, "vote must be an object"),
        ("add_vote", {"vote": {"x": "x" * 2**20}}, "vote has 10"),
        ("import", {"file": "{}"}, "is not a conversation of tritonchat"),
        ("import", {"file": "[" * 100_000}, "nested too deeply|not JSON"),
    ],
)
def test_hostile_commands_are_refused_in_a_sentence(
    run: Run, name: Any, fields: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InvalidRequest, match=complaint) as refused:
        run(name, **fields)
    message = str(refused.value)
    assert len(message) < 400 and "\n" not in message and message.endswith(".")
    assert run("list") == {"conversations": []}


def test_what_does_not_exist_is_said(run: Run) -> None:
    for name, fields in {
        "get": {},
        "change": {"title": "x"},
        "delete": {},
        "restore": {},
        "add_turn": {"parent": None, "question": "q"},
        "change_turn": {"turn": 1, "answer": "x"},
    }.items():
        with pytest.raises(ConversationNotFound, match="there is no conversation nobody"):
            run(name, id="nobody", owner="x", **fields)
    made = run("create")["conversation"]["id"]
    with pytest.raises(TurnNotFound, match="no turn 7"):
        run("change_turn", id=made, turn=7, answer="x")
    for name in ("get_document", "delete_document"):
        with pytest.raises(DocumentNotFound, match="no preset with the name 'calm'"):
            run(name, kind="preset", name="calm")


def test_limits_apply(tmp_path: Path) -> None:
    limits = SessionLimits(sessions=1, bytes=5000)
    run = runner(ConversationCommands(f"sqlite:///{tmp_path / 'sessions.db'}", limits))
    made = run("create")["conversation"]["id"]
    with pytest.raises(SessionsFull):
        run("create")
    with pytest.raises(SessionsFull):
        run("add_turn", id=made, parent=None, question="x" * 5000)


@pytest.mark.parametrize("kind", ["damaged", "foreign", "no folder"])
def test_a_database_that_fails_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "sessions.db"
    if kind == "damaged":
        path.write_text("Dear diary, " * 500)
    elif kind == "foreign":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE sessions (cookie TEXT)")
    else:
        path = tmp_path / "file" / "below"
        (tmp_path / "file").touch()
    run = runner(ConversationCommands(f"sqlite:///{path}"))
    for _ in range(2):
        with pytest.raises(StoreError, match="database"):
            run("list")


def test_a_database_that_is_locked_delays_a_command_for_a_moment_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sessions.db"
    run = runner(ConversationCommands(f"sqlite:///{path}"))
    made = run("create")["conversation"]["id"]
    monkeypatch.setattr(module, "_TIMEOUT_S", 0.2)
    with sqlite3.connect(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="has not answered within"):
            run("change", id=made, title="late")
        connection.rollback()


def test_commands_at_the_same_time_wait_for_each_other(database_url: str) -> None:
    commands = [ConversationCommands(database_url) for _ in range(2)]
    made = runner(commands[0])("create")["conversation"]["id"]

    def ask(number: int) -> int:
        run = runner(commands[number % 2])
        turn = run("add_turn", id=made, parent=None, question=str(number))["turn"]
        run("change_turn", id=made, turn=turn, answer=str(number), finish_reason="stop")
        return turn

    with ThreadPoolExecutor(4) as pool:
        turns = list(pool.map(ask, range(12)))
    tree = runner(commands[1])("get", id=made)["conversation"]
    assert sorted(turns) == list(range(1, 13))
    assert {turn["id"]: turn["answer"] for turn in tree["turns"]} == {
        turn: str(number) for number, turn in enumerate(turns)
    }


@pytest.fixture
def conversations(client: ChatClient) -> Conversations:
    """Those of a server, for an owner of these tests."""
    return client.conversations("tester")


def test_a_conversation_over_grpc(conversations: Conversations, client: ChatClient) -> None:
    made = conversations.create(system="Be brief.", parameters={"temperature": 0.5})
    turn = conversations.add_turn(made.id, None, "What is it?", {"seed": 1}, [Attachment("a.txt", "text", 1)])
    conversations.change_turn(made.id, turn, answer="It")
    assert conversations.get(made.id).turns[0].finish_reason is None
    timings = {"queue": 0.0, "first_token": None, "total": 1.5}
    conversations.change_turn(
        made.id, turn, answer="It is.", finish_reason="stop", usage=USAGE, timings=timings, rating=1
    )
    branch = conversations.add_turn(made.id, None, "What was it?")
    tree = conversations.change(made.id, head=turn, title="It", pinned=True)
    assert (tree.title, tree.pinned, tree.head, tree.system) == ("It", True, turn, "Be brief.")
    (first,) = tree.path()
    assert (first.answer, first.usage, first.timings, first.rating) == ("It is.", USAGE, timings, 1)
    assert first.attachments == [Attachment("a.txt", "text", 1)]
    assert [turn.id for turn in tree.siblings(turn)] == [turn, branch]
    listed = conversations.list("WHAT was", limit=5)
    assert [(summary.id, summary.title, summary.turns) for summary in listed] == [(made.id, "It", 1)]
    assert conversations.list("what was", before=listed[0]) == []
    assert client.conversations("tester2").list() == []
    with pytest.raises(ConversationNotFound):
        client.conversations().get(made.id)
    copy = conversations.add(tree)
    assert (copy.turns, copy.head) == (tree.turns, tree.head)
    for each in (made, copy):
        conversations.delete(each.id)
    assert conversations.list() == []
    assert conversations.restore(made.id).turns == tree.turns
    with pytest.raises(InvalidRequest, match="colour"):
        conversations.change(made.id, colour="red")


def test_documents_and_votes_over_grpc(conversations: Conversations) -> None:
    conversations.put_document("preset", "poet", {"temperature": 1.0})
    assert conversations.get_document("preset", "poet") == {"temperature": 1.0}
    assert conversations.list_documents("preset") == {"poet": {"temperature": 1.0}}
    conversations.put_document("preset", "poet", None)
    assert conversations.get_document("preset", "poet") is None
    conversations.delete_document("preset", "poet")
    with pytest.raises(DocumentNotFound):
        conversations.get_document("preset", "poet")
    conversations.add_vote({"winner": "a"})
    assert conversations.list_votes()[-1]["winner"] == "a"


def test_the_page_and_http_have_the_same_conversations(client: ChatClient, server: Server) -> None:
    """The owner "" is everybody for an HTTP service without keys, in either direction."""
    here = client.conversations()
    made = here.create(parameters={"max_tokens": 3})
    turn = here.add_turn(made.id, None, "Hello?")
    url = f"{server.api_url}/sessions/{made.id}"
    assert httpx.get(url).json()["turns"][0]["finish_reason"] == "cancelled"  # so far
    here.change_turn(made.id, turn, answer="Hello!", finish_reason="stop", usage=USAGE)
    answer = httpx.put(f"{url}/generate", json={"prompt": "And now?"}, timeout=60).json()
    assert answer["turn"] == 2
    path = here.get(made.id).path()
    assert [(turn.question, turn.answer) for turn in path] == [
        ("Hello?", "Hello!"),
        ("And now?", answer["text"]),
    ]
    assert made.id in [
        session["id"] for session in httpx.get(f"{server.api_url}/sessions").json()["sessions"]
    ]
    here.delete(made.id)
    assert httpx.get(url).status_code == 404


def test_a_huge_command_is_refused(client: ChatClient) -> None:
    with pytest.raises(TritonchatError, match=r"command has [0-9]+ bytes; at most"):
        client.conversations().put_document("k", "n", "x" * 2**25)


def test_commands_do_not_wait_for_a_locked_database(server: Server) -> None:
    """A migration, or a backup, may hold the lock: health and cancel answer all the same."""
    answers: list[str] = []
    with ChatClient(server.grpc_url) as client:
        made = client.conversations("lock").create()
        folder = Path(server.engine.environ()["XDG_DATA_HOME"])
        with sqlite3.connect(folder / "tritonchat" / "sessions.db") as connection:
            connection.execute("BEGIN IMMEDIATE")
            waiting = threading.Thread(
                target=lambda: answers.append(_error(lambda: client.conversations("lock").delete(made.id)))
            )
            waiting.start()
            waiting.join()
            assert client.health() == "ready"
            connection.rollback()
    assert "has not answered within 5 s" in answers[0]


def _error(call: Callable[[], object]) -> str:
    try:
        call()
    except TritonchatError as error:
        return str(error)
    return ""


def test_attachments_that_are_known_are_not_sent_again(run: Run) -> None:
    """A page asks for its conversation at each rerun."""
    sizes: list[int] = []

    def ask(_: str, command: str, *, owner: str, **fields: Any) -> dict[str, Any]:
        result = run(command, owner=owner, **fields)
        sizes.append(len(json.dumps(result)))
        return result

    store = Conversations(ask, "me")
    image = Attachment("a.png", "", image="data:image/png;base64," + "A" * 400_000)
    made = store.create()
    first = store.add_turn(made.id, None, "What is it?", attachments=[image])
    whole = store.get(made.id)
    assert whole.turns[0].attachments == [image] and sizes[-1] > 400_000
    assert store.get(made.id, whole) == whole and sizes[-1] < 2000
    other = Attachment("b.png", "", image="data:image/png;base64," + "B" * 1000)
    store.add_turn(made.id, first, "And it?", attachments=[other])
    grown = store.get(made.id, whole)
    assert [turn.attachments for turn in grown.turns] == [[image], [other]]
    assert grown == store.get(made.id)
    foreign = store.create()
    store.add_turn(foreign.id, None, "It?", attachments=[other])
    assert store.get(foreign.id, whole) == store.get(foreign.id)  # known of another conversation
