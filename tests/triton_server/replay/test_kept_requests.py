"""Kept conversations are asked again: by `tritonchat diff`, and by `servers canary` before it begins."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from in_process import Endpoints, local_server
from pydantic import SecretStr
from stores import answer, create, open_store
from support import free_port, pool_of

from model_core import LLM
from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli
from triton_server.contract.api_keys import ApiKeys
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.tree import Attachment, Conversation, Turn
from triton_server.proxy.fleet import Fleet, change_fleet, load_fleet
from triton_server.replay import kept_requests
from triton_server.replay.kept_requests import read_kept
from triton_server.terminal import service
from triton_server.terminal.service import ServiceClient

ADA, BO = "0123456789abcdef", "fedcba9876543210"
FORM = {"json_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
CALL = {"id": "c1", "name": "look", "arguments": '{"at":"x"}'}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("old")


@pytest.fixture(scope="module")
def old(folder: Path) -> Iterator[Endpoints]:
    """The server of the old version, with the keys of two people."""
    keys = (SecretStr(f"ada:{ADA}"), SecretStr(f"bo:{BO}"))
    with local_server(pool_of(LLM(kv_cache_memory=2**26, threads=1)), folder, api_keys=keys) as running:
        yield running


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """The server of the new version, whose weights are other ones."""
    llm = LLM(kv_cache_memory=2**26, weights="int4", threads=1)
    with local_server(pool_of(llm), tmp_path_factory.mktemp("new")) as running:
        yield running


@pytest.fixture(scope="module")
def stored(old: Endpoints) -> dict[str, str]:
    """Answers of sessions of both, by their names: Ada's have two questions."""
    found = {}
    for key, name, questions in (
        (ADA, "walk", ("Hello", "Why?")),
        (ADA, "form", ("A number",)),
        (BO, "own", ("Hi",)),
    ):
        web = httpx.Client(base_url=old.api_url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        system = {"system": "Be brief."} if name == "walk" else {}
        parameters = {
            "max_tokens": 40,
            "temperature": 1.2,
            "seed": 3,
            **({"form": FORM} if name == "form" else {}),
        }
        assert web.post("/sessions", json={"id": name, "parameters": parameters, **system}).status_code == 201
        for number, question in enumerate(questions, 1):
            told = web.put(f"/sessions/{name}/generate", json={"prompt": question})
            assert told.status_code == 200, told.text
            found[f"{name}/{number}"] = told.json()["text"]
    return found


@pytest.fixture
def store(folder: Path, old: Endpoints) -> Iterator[ConversationStore]:
    """The database behind the old server."""
    with open_store(f"sqlite:///{folder / 'conversations.db'}") as opened:
        yield opened


def owner_of(key: str) -> str:
    return ApiKeys([f"ada:{ADA}", f"bo:{BO}"]).owner_of(key.encode()) or ""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def lines_of(old: Endpoints, key: str = ADA, since: float = 0.0) -> dict[str, Any]:
    """The bodies of the requests that the key may read, by their names."""
    with ServiceClient(old.api_url, key) as client:
        return {line.custom_id: line.body for line in read_kept(client, since).lines}


def test_each_turn_is_the_request_that_it_was(old: Endpoints, stored: dict[str, str]) -> None:
    found = lines_of(old)
    assert {name: text for name, text in stored.items() if name in found} == {
        name: httpx.post(
            f"{old.api_url}/v1/chat/completions", json=body, headers={"X-Api-Key": ADA}, timeout=60
        ).json()["choices"][0]["message"]["content"]
        for name, body in found.items()
        if name in stored
    }
    assert {"walk/1", "walk/2", "form/1"} <= found.keys()


def test_a_key_compares_with_its_own_alone(old: Endpoints, stored: dict[str, str]) -> None:
    assert lines_of(old, BO).keys() == {"own/1"} and "own/1" not in lines_of(old)
    source = f"{old.api_url}/conversations"
    result = run(
        "diff", old.api_url, old.api_url, source, "--api-key", "a-key-of-nobody", "--min-equal", "100%"
    )
    assert "does not know this API key" in str(result.exception)
    result = run("diff", old.api_url, old.api_url, source, "--api-key", BO, "--min-equal", "100%")
    assert result.exit_code == 0 and "1 requests: 100.0% the same bytes" in result.output, result.output


def test_turns_of_the_page_have_their_tools_images_and_reasoning(
    old: Endpoints, store: ConversationStore
) -> None:
    owner, now = owner_of(ADA), time.time()
    image = "data:image/png;base64,AAAA"
    turns = [
        Turn(
            1,
            None,
            "Look",
            "Let me see.",
            "Hm",
            [{**CALL, "result": "7"}, {**CALL, "id": "c2"}],
            "tool_calls",
        ),
        Turn(2, 1, "", "It is 7.", finish_reason="stop", usage={"truncated_messages": 2}),
        Turn(
            3,
            2,
            "And this?",
            "A dot.",
            finish_reason="length",
            attachments=[Attachment("dot", "", image=image)],
        ),
        Turn(4, 3, "More", "Half an", finish_reason="cancelled"),
        Turn(5, 3, "Runs", "", finish_reason=None),
        Turn(6, None, "Once", " upon", finish_reason="stop", parameters={"is_continuation": True, "seed": 7}),
        Turn(7, 1, "Odd", "x", finish_reason="stop", parameters={"mood": "odd"}),
        Turn(8, 1, "Old", "x", finish_reason="stop", parameters={"seed": "nine"}),
    ]
    made = Conversation("", "", "Be kind.", {}, 5, 1, [replace(turn, created=now) for turn in turns])
    name = store.add(owner, made, "page").id
    with ServiceClient(old.api_url, ADA) as client:
        found = read_kept(client)
    assert found.left_out == {kept_requests.NOT_ENDED: 2, kept_requests.NOT_COMPARABLE: 2}
    bodies = {line.custom_id: line.body for line in found.lines if line.custom_id.startswith("page/")}
    assert list(bodies) == ["page/1", "page/2", "page/3", "page/6"]
    system, asked = {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Look"}
    function = {"name": "look", "arguments": '{"at":"x"}'}
    called = {
        "role": "assistant",
        "content": "Let me see.",
        "reasoning_content": "Hm",
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    result = {"role": "tool", "tool_call_id": "c1", "content": "7"}
    assert bodies["page/1"] == {"messages": [system, asked], "seed": 0}
    assert bodies["page/2"] == {"messages": [system, asked, called, result], "truncation": "auto", "seed": 0}
    last = bodies["page/3"]["messages"][-1]["content"]
    assert last == [{"type": "image_url", "image_url": {"url": image}}, {"type": "text", "text": "And this?"}]
    assert bodies["page/6"] == {"prompt": "Once", "seed": 7}
    store.remove(owner, name)


def test_all_pages_are_read_and_old_ones_left_out(
    old: Endpoints, store: ConversationStore, stored: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = owner_of(ADA)
    monkeypatch.setattr(service, "_PAGE", 2)
    many = [create(store, owner, f"many{number}") for number in range(5)]
    for conversation in many:
        answer(store, conversation, "Hello", "Hi", owner)
    store.change(owner, "many0", {"pinned": True})
    with ServiceClient(old.api_url, ADA) as client:
        summaries = list(client.iterate_conversations())
        middle = sorted(summary.updated for summary in summaries)[-3]
        assert {f"many{number}" for number in range(5)} | {"walk", "form"} == {s.id for s in summaries}
        assert [summary.id for summary in client.iterate_conversations(middle)] == ["many4", "many3", "many2"]
    assert lines_of(old, since=middle).keys() == {"many4/1", "many3/1", "many2/1"}
    monkeypatch.setattr(kept_requests, "MAX_LINES", 3)
    with pytest.raises(TritonchatError, match=r"more than 3 requests; choose some by their age \(--since\)"):
        lines_of(old)
    for conversation in many:
        store.remove(owner, conversation.id)


def test_models_are_named_where_they_matter(old: Endpoints, store: ConversationStore) -> None:
    def read(*models: str | None) -> list[str | None]:
        owner = owner_of(BO)
        made = create(store, owner, "models")
        for model in models:
            parameters = {} if model is None else {"model": model}
            answer(store, store.get(owner, made.id), "Hello", "Hi", owner, parameters=parameters)
        found = [body.get("model") for name, body in lines_of(old, BO).items() if name.startswith("models/")]
        store.remove(owner, made.id)
        return found

    assert read("embedded", None) == [None, None]
    assert read("embedded", "poet") == ["embedded", "poet"] and read("poet") == ["poet"]


@pytest.mark.parametrize(
    ("source", "more", "message"),
    [
        ("{old}", (), "is no source of requests"),
        ("{old}/conversations", ("--since", "0s"), "keeps no such conversations of this key"),
        ("nothing.jsonl", (), "does not exist"),
        ("{file}", ("--since", "1d"), "--since needs a log of receipts or kept conversations"),
    ],
)
def test_sources_without_requests_are_named(
    old: Endpoints, tmp_path: Path, source: str, more: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text("")
    result = run(
        "diff", old.api_url, old.api_url, source.format(old=old.api_url, file=file), "--api-key", ADA, *more
    )
    assert isinstance(result.exception, TritonchatError) and message in str(result.exception), result.output


@pytest.fixture
def fleet(old: Endpoints, tmp_path: Path) -> Path:
    """The file of a proxy with the old server, and with one that does not answer."""
    path = tmp_path / "servers.json"
    dead = f"http://127.0.0.1:{free_port()}"
    change_fleet(path, lambda empty: empty.with_servers([dead, old.api_url], 1))
    return path


def test_canary_begins_if_enough_answers_are_equal(
    old: Endpoints, new: Endpoints, stored: dict[str, str], fleet: Path, tmp_path: Path
) -> None:
    before, page = load_fleet(fleet), tmp_path / "report.html"
    words = ["servers", "canary", new.api_url, "--servers", fleet, "--share", "30%", "--api-key", ADA]
    words += ["--requests", f"{old.api_url}/conversations", "--since", "1d", "--html", page]
    result = run(*words, "--min-equal", "100%", "--json", tmp_path / "report.json")
    assert result.exit_code == 1 and "--min-equal 1 is not kept" in result.output, result.output
    assert "The servers stay as they were." in result.output and load_fleet(fleet) == before
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["summary"]["requests"] == 3 and (found["a"], found["b"]) == (old.api_url, new.api_url)
    differing = [each["custom_id"] for each in found["requests"] if not each["equal"]]
    assert differing and all(f'<section id="{name}">' in page.read_text() for name in differing)
    result = run(*words, "--min-equal", "0%")
    after: Fleet = load_fleet(fleet)
    assert result.exit_code == 0 and "3 requests" in result.output, result.output
    assert after.canary is not None and (after.canary.version, after.canary.share) == (2, 0.3)
    assert [server.url for server in after.servers if server.version == 2] == [new.api_url]


def test_canary_of_equal_servers_needs_no_new_name(
    old: Endpoints, stored: dict[str, str], fleet: Path
) -> None:
    """The share may grow after a comparison with the servers that are tried already."""
    twin = old.api_url.replace("127.0.0.1", "localhost")  # the same server, under another name
    words = ["servers", "canary", "--servers", fleet, "--api-key", ADA]
    compare = ["--requests", f"{old.api_url}/conversations", "--min-equal", "100%", "--max-kl", "0"]
    assert run(*words, twin).exit_code == 0
    result = run(*words, "--share", "100%", *compare)
    canary = load_fleet(fleet).canary
    assert result.exit_code == 0 and "100.0% the same bytes" in result.output, result.output
    assert canary is not None and canary.share == 1


def test_comparisons_of_a_canary_need_requests_and_servers(
    new: Endpoints, old: Endpoints, tmp_path: Path
) -> None:
    words = ["servers", "canary", new.api_url, "--servers", tmp_path / "servers.json"]
    for option in (["--max-kl", "0"], ["--same-json"], ["--since", "1d"]):
        result = run(*words, *option)
        assert result.exit_code == 2 and f"{option[0]} is for a comparison; give --requests" in result.output
    result = run(*words, "--requests", f"{old.api_url}/conversations")
    assert "there are no servers of version 1 to compare with" in str(result.exception)
    change_fleet(tmp_path / "servers.json", lambda empty: empty.with_servers(["http://127.0.0.1:9"], 1))
    result = run(*words, "--requests", f"{old.api_url}/conversations", "--api-key", BO)
    assert isinstance(result.exception, TritonchatError) and not load_fleet(tmp_path / "servers.json").canary
