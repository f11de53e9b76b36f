"""The canonical form of requests: what changes an answer changes it, and each can be had back exactly."""

from typing import Any

import pytest

from triton_server.contract.request_fields import Request
from triton_server.receipts.canonical import (
    content_of,
    hash_json,
    open_content,
    parse_strictly,
    to_canonical,
)
from triton_server.receipts.compare import request_of
from triton_server.receipts.receipt import ReceiptError

HELLO = [{"role": "user", "content": "Hello"}]


def make(place: str, value: Any) -> Request:
    """A request with a JSON object in one of the fields that take any."""
    if place == "form":
        return Request(messages=HELLO, form={"json_schema": value})
    if place == "tools":
        return Request(messages=HELLO, tools=[{"name": "a"}, {"name": "look", "parameters": value}])
    return Request(messages=HELLO, chat_template_kwargs=value)


PLACES = ["form", "tools", "chat_template_kwargs"]
PAIRS = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"maximum": 1}, {"maximum": 1.0}),
    ({"maximum": 0.0}, {"maximum": -0.0}),
    ({"maximum": 2**53}, {"maximum": 2**53 + 1}),
    ({"maximum": 10**16}, {"maximum": 1e16}),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_order_and_kinds_of_numbers_are_kept(place: str, one: Any, other: Any) -> None:
    """Grammars follow the order of members, and templates print numbers as they are."""
    requests = [make(place, value) for value in (one, other)]
    contents = [content_of(request) for request in requests]
    assert hash_json(contents[0]) != hash_json(contents[1])
    for request, content in zip(requests, contents, strict=True):
        raw = to_canonical(content)
        read = parse_strictly(raw)
        assert to_canonical(read) == raw
        receipt = {"seed": "1", "request": {"sha256": hash_json(content), "content": read}}
        again = request_of(receipt)
        assert repr(again.form) == repr(request.form)
        assert repr(again.tools) == repr(request.tools)
        assert repr(again.chat_template_kwargs) == repr(request.chat_template_kwargs)


def test_fields_that_take_any_json_are_those_that_are_kept_as_text() -> None:
    """A new one has to be kept as text, too."""
    schema = Request.model_json_schema()
    found = set()

    def find(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, dict):
            if value.get("additionalProperties") is True:
                found.add(next(name for name in reversed(path) if name in NAMES))
            for name, each in value.items():
                find(each, (*path, name))
        elif isinstance(value, list):
            for each in value:
                find(each, path)

    NAMES = {*schema["properties"]}
    NAMES |= {name for part in schema["$defs"].values() for name in part.get("properties", ())}
    find(schema, ())
    assert found == {"json_schema", "parameters", "chat_template_kwargs"}


@pytest.mark.parametrize("value", [True, False, {}])
def test_schemas_that_are_no_object_or_empty_are_kept(value: Any) -> None:
    content = content_of(make("form", value))
    assert open_content(content)["form"] == {"json_schema": value}


def test_empty_lists_are_left_out_only_where_they_are_the_default() -> None:
    asked = {"messages": "a", "dry_multiplier": 1.0}
    plain = content_of(Request(**asked))
    assert content_of(Request(**asked, dry_sequence_breakers=[])) == {**plain, "dry_sequence_breakers": []}
    assert content_of(Request(**asked, stop=[], logit_bias={}, bad_words=[])) == plain
    assert content_of(Request(messages=HELLO, tools=[])) == {"messages": HELLO}


@pytest.mark.parametrize(
    "change",
    [
        {"form": {"json_schema": "{"}},
        {"form": {"json_schema": {"b": 1, "a": 2}}},
        {"tools": [{"name": "look", "parameters": {"a": 1}}]},
        {"tools": [{"name": "look", "parameters": '{"a": 1, "a": 2}'}]},
        {"tools": "none"},
        {"tools": [1]},
        {"form": 1},
        {"chat_template_kwargs": "NaN"},
        {"chat_template_kwargs": '{"a": 1} '},
        {"chat_template_kwargs": "[" * 100_000},
    ],
)
def test_contents_of_another_form_are_refused(change: dict[str, Any]) -> None:
    """An object of which the order is lost would be computed as another request, without a word."""
    content = {"messages": HELLO, **change}
    receipt = {"seed": "1", "request": {"sha256": hash_json(content), "content": content}}
    with pytest.raises(ReceiptError, match="no request in the form of receipts"):
        request_of(receipt)
