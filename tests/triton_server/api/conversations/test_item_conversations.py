"""OpenAI's Conversations API, with OpenAI's client."""

# ruff: noqa: F811 - arguments have the names of imported fixtures

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openai
import pytest
from held import held
from http_service import Service
from reciter_services import client_of, gpt, grpc_url, model, start  # noqa: F401 - fixtures
from support import wait_until

from model_core import LLM
from triton_server.conversations.items import ItemStore
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.transactions import Database

HELLO = {"role": "user", "content": "Hello"}
RAIN = {"role": "user", "content": "Rain?"}
WEATHER = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}}


def ids(gpt: openai.OpenAI, conversation: Any, **page: Any) -> list[str]:
    """Of all items, over all pages."""
    return [item.id for item in gpt.conversations.items.list(conversation.id, **page)]


def test_conversation_is_created_changed_and_removed(gpt: openai.OpenAI) -> None:
    made = gpt.conversations.create(metadata={"topic": "demo"}, items=[HELLO])
    assert (made.object, made.metadata) == ("conversation", {"topic": "demo"})
    assert gpt.conversations.retrieve(made.id) == made
    changed = gpt.conversations.update(made.id, metadata={"kind": "new"})
    assert (changed.id, changed.created_at, changed.metadata) == (made.id, made.created_at, {"kind": "new"})
    assert gpt.conversations.retrieve(made.id) == changed
    assert gpt.conversations.create().metadata == {}
    removed = gpt.conversations.delete(made.id)
    assert (removed.id, removed.deleted, removed.object) == (made.id, True, "conversation.deleted")
    for use in (gpt.conversations.retrieve, gpt.conversations.delete, gpt.conversations.items.list):
        with pytest.raises(openai.NotFoundError, match="no conversation"):
            use(made.id)


def test_items_are_paged_in_both_orders(gpt: openai.OpenAI) -> None:
    made = gpt.conversations.create(items=[HELLO])
    texts = [f"{number}" for number in range(7)]
    added = gpt.conversations.items.create(made.id, items=[{"role": "user", "content": t} for t in texts])
    assert [item.content[0].text for item in added.data] == texts and not added.has_more
    ascending = ids(gpt, made, order="asc", limit=3)
    assert ascending[1:] == [item.id for item in added.data] and len(ascending) == 8
    assert ids(gpt, made, limit=3) == ascending[::-1]
    page = gpt.conversations.items.list(made.id, after=ascending[5], order="asc", limit=1)
    assert [item.id for item in page.data] == [ascending[6]] and page.has_more
    item = gpt.conversations.items.retrieve(ascending[2], conversation_id=made.id)
    assert (item.type, item.role, item.content[0].text) == ("message", "user", "1")
    assert gpt.conversations.items.delete(ascending[2], conversation_id=made.id) == made
    assert ids(gpt, made, order="asc") == [*ascending[:2], *ascending[3:]]
    for name in (ascending[2], "msg_\0", "x" * 70):
        with pytest.raises(openai.NotFoundError, match="has no item"):
            gpt.conversations.items.retrieve(name, conversation_id=made.id)
    with pytest.raises(openai.NotFoundError, match="has no item"):
        ids(gpt, made, after="msg_1")


@pytest.mark.parametrize("way", ["whole", "stream", "background", "not stored"])
def test_answer_is_added_to_its_conversation(gpt: openai.OpenAI, way: str) -> None:
    """And the next one continues it, as if it were the input."""
    changes: dict[str, Any] = {
        "whole": {},
        "stream": {"stream": True},
        "background": {"background": True},
        "not stored": {"store": False},
    }[way]
    made = gpt.conversations.create(items=[{"role": "system", "content": "Be kind."}])
    arguments: dict[str, Any] = {"model": "default", "tools": [WEATHER], "conversation": made.id}
    response = gpt.responses.create(**arguments, input=[RAIN], **changes)
    if way == "stream":
        response = list(response)[-1].response
    elif way == "background":
        wait_until(lambda: gpt.responses.retrieve(response.id).status == "completed")
        response = gpt.responses.retrieve(response.id)
    assert response.conversation.id == made.id
    (call,) = response.output
    items = list(gpt.conversations.items.list(made.id, order="asc"))
    assert [item.type for item in items] == ["message", "message", "function_call"]
    assert items[-1].to_dict() == call.to_dict()
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "wet"}
    report = gpt.responses.create(**{**arguments, "conversation": {"id": made.id}}, input=[result])
    assert report.output_text == "It rains in Paris."
    as_input = [{"role": "system", "content": "Be kind."}, RAIN, call.to_dict(), result]
    expected = gpt.responses.create(model="default", tools=[WEATHER], input=as_input)
    assert report.usage.input_tokens == expected.usage.input_tokens
    counted = gpt.responses.input_tokens.count(**arguments, input=[RAIN])
    assert counted.input_tokens > report.usage.input_tokens
    assert len(ids(gpt, made)) == 5


def test_conversation_is_for_one_request_at_a_time(model: LLM, start: Callable[..., Service]) -> None:
    """What another service changes meanwhile makes the answer fail, and nothing is added."""
    gpt, other = client_of(start()), client_of(start())
    made = gpt.conversations.create(items=[HELLO])
    arguments: dict[str, Any] = {"model": "default", "conversation": made.id, "input": "Hello"}
    (first,) = ids(gpt, made)
    with held(model):
        response = gpt.responses.create(**arguments, background=True)
        for change in (
            lambda: gpt.responses.create(**arguments),
            lambda: gpt.conversations.items.create(made.id, items=[HELLO]),
            lambda: gpt.conversations.items.delete(first, conversation_id=made.id),
            lambda: gpt.conversations.delete(made.id),
        ):
            with pytest.raises(openai.ConflictError) as raised:
                change()
            assert raised.value.code == "conversation_locked"
        other.conversations.items.create(made.id, items=[HELLO])
    wait_until(lambda: gpt.responses.retrieve(response.id).status == "failed")
    assert "another request works" in gpt.responses.retrieve(response.id).error.message
    assert len(ids(gpt, made)) == 2
    assert gpt.responses.create(**arguments).status == "completed"
    with held(model):
        response = gpt.responses.create(**arguments, background=True)
        gpt.responses.cancel(response.id)
    assert gpt.responses.create(**arguments).status == "completed"


def test_conversations_belong_to_a_key(start: Callable[..., Service]) -> None:
    service = start(api_keys=("ada", "bo"))
    ada, bo = client_of(service, "ada"), client_of(service, "bo")
    made = ada.conversations.create(items=[HELLO])
    (item,) = ids(ada, made)
    for use in (
        lambda: bo.conversations.retrieve(made.id),
        lambda: bo.conversations.update(made.id, metadata={}),
        lambda: bo.conversations.items.create(made.id, items=[HELLO]),
        lambda: bo.conversations.items.retrieve(item, conversation_id=made.id),
        lambda: bo.conversations.items.delete(item, conversation_id=made.id),
        lambda: bo.responses.create(model="default", input="Hello", conversation=made.id),
        lambda: bo.conversations.delete(made.id),
    ):
        with pytest.raises(openai.NotFoundError):
            use()
    assert ids(ada, made) == [item]


def test_hostile_bodies_are_refused(gpt: openai.OpenAI) -> None:
    made = gpt.conversations.create(items=[{**HELLO, "id": "mine"}])
    for wrong, param in (
        ({"metadata": {f"{n}": "x" for n in range(17)}}, "metadata"),
        ({"metadata": {"a": "x" * 513}}, "metadata.a"),
        ({"metadata": {"a": 5}}, "metadata.a"),
        ({"items": [HELLO] * 21}, "items"),
        ({"items": [{"role": "robot", "content": ""}]}, "items[0].role"),
        ({"items": [{**HELLO, "id": "x" * 65}]}, "items[0].id"),
        ({"items": [{**HELLO, "id": "\0"}]}, "items[0].id"),
        ({"items": [{**HELLO, "id": "a"}, {**HELLO, "id": "a"}]}, "items"),
        ({"items": [{"type": "item_reference", "id": "msg_1"}]}, "items[0]"),
    ):
        with pytest.raises(openai.BadRequestError) as raised:
            gpt.conversations.create(**wrong)
        assert raised.value.param == param
    with pytest.raises(openai.BadRequestError, match="has an item mine already"):
        gpt.conversations.items.create(made.id, items=[{**HELLO, "id": "mine"}])
    arguments: dict[str, Any] = {"model": "default", "conversation": made.id}
    with pytest.raises(openai.BadRequestError, match="has an item mine already"):
        gpt.responses.create(**arguments, input=[{**HELLO, "id": "mine"}])
    for name in ("conv_1", "conv_" + "0" * 32, "\0"):
        with pytest.raises(openai.NotFoundError, match="no conversation"):
            gpt.responses.create(model="default", input="Hello", conversation=name)
    reference = {"type": "item_reference", "id": "mine"}
    copied = gpt.conversations.create(items=[HELLO])
    raw = gpt.responses.with_raw_response.create(
        model="default", conversation=copied.id, input=[reference, RAIN]
    )
    assert raw.headers["X-Ignored-Items"] == "item_reference"
    assert len(ids(gpt, made)) == 1


def test_full_store_refuses_and_old_conversations_expire(start: Callable[..., Service]) -> None:
    service = start(max_sessions=1, max_session_bytes=4000, session_expiry_s=3600)
    gpt = client_of(service)
    made = gpt.conversations.create()
    with pytest.raises(openai.PermissionDeniedError, match="--max-sessions"):
        gpt.conversations.create()
    long = {"role": "user", "content": "x" * 4000}
    with pytest.raises(openai.PermissionDeniedError, match="--max-session-bytes"):
        gpt.conversations.items.create(made.id, items=[long])
    assert ids(gpt, made) == []
    expiring = client_of(start(session_expiry_s=0.1))
    expiring.responses.create(model="default", input="Hello")  # the database is used

    def is_gone() -> bool:
        try:
            gpt.conversations.retrieve(made.id)
        except openai.NotFoundError:
            return True
        return False

    wait_until(is_gone)


def test_conversations_expire_unless_a_request_has_them(tmp_path: Path) -> None:
    store = ItemStore(Database(f"sqlite:///{tmp_path}/store.db"), SessionLimits(0, 0))
    used, unused = ("conv_" + letter * 32 for letter in "ab")
    for name in (used, unused):
        store.create("ada", name, {}, [])
    with store.hold("ada", used):
        assert store.remove_expired(-1) == 1
        assert store.get("ada", used).id == used
    assert store.remove_expired(-1) == 1
