"""Receipts over all interfaces: what they say, that they verify, and that any change is found."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from adapters import write_adapter
from any_receipt import make_any_receipt
from in_process import Endpoints, local_server

from model_core import LLM
from model_core.errors import InvalidRequest, ModelUnavailable
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Timings, Usage
from model_core.requests.results import Completion
from triton_server.client import ChatClient
from triton_server.engine.models.local_engine import LocalEngine
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.engine.models.slot_adapters import SlotAdapters
from triton_server.receipts.canonical import hash_json, hash_text, hash_tokens, to_canonical
from triton_server.receipts.compare import request_of
from triton_server.receipts.keys import load_key
from triton_server.receipts.receipt import (
    Facts,
    ReceiptError,
    check_receipt,
    make_receipt,
    read_receipt,
    strip,
)

HELLO = [{"role": "user", "content": "Hello"}]
CHAT = {"messages": HELLO, "max_tokens": 12, "temperature": 1.0, "receipt": "whole"}
TOOL = {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}


@pytest.fixture(scope="module")
def served(llm: LLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    folder = tmp_path_factory.mktemp("served")
    adapters = {"changed": write_adapter(llm, folder / "adapter", seed=1, std=0.5)}
    changed = LLM(kv_cache_memory=2**26, adapters=adapters)
    slot = ModelSlot("embedded", lambda on_progress: LocalEngine(changed), None, SlotAdapters(adapters))
    with local_server(ModelPool([slot]), folder) as running:
        yield running


def post(served: Endpoints, path: str, body: dict[str, Any]) -> httpx.Response:
    return httpx.post(served.api_url + path, json=body, timeout=60)


def events_of(answer: httpx.Response) -> list[dict[str, Any]]:
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in data]


def verify(served: Endpoints, receipt: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = post(served, "/v1/receipts/verify", {"receipt": receipt, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_receipt_says_what_has_answered_what(served: Endpoints, llm: LLM) -> None:
    answer = post(served, "/v1/chat/completions", {**CHAT, "return_token_ids": True}).json()
    (choice,) = answer["choices"]
    receipt = check_receipt(choice["receipt"])
    assert receipt["model"] == {"name": "embedded", "fingerprint": llm.fingerprint, "made_of": llm.made_of()}
    assert receipt["seed"] == str(choice["seed"])
    assert receipt["prompt"]["token_ids_sha256"] == hash_tokens(answer["prompt_token_ids"])
    assert receipt["answer"]["text_sha256"] == hash_text(choice["message"]["content"])
    assert receipt["answer"]["token_ids"] == choice["token_ids"]
    assert receipt["answer"]["tokens"] == answer["usage"]["completion_tokens"]
    assert receipt["answer"]["finish_reason"] == choice["finish_reason"]
    content = {"messages": HELLO, "max_tokens": 12, "temperature": 1.0, "return_token_ids": True}
    assert receipt["request"] == {"sha256": hash_json(content), "content": content}


def test_private_content_stays_out_unless_asked(served: Endpoints) -> None:
    secret = [{"role": "user", "content": "A SECRET"}]
    body = {**CHAT, "messages": secret, "seed": 1}
    plain = post(served, "/v1/chat/completions", {**body, "receipt": True}).json()["choices"][0]["receipt"]
    whole = post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]
    assert "SECRET" not in json.dumps(plain) and "token_ids" not in plain["answer"]
    assert whole["request"]["content"]["messages"] == secret
    for name in ("request", "answer", "prompt", "seed", "model"):
        assert strip(whole)[name] == plain[name]
    assert "receipt" not in post(served, "/v1/chat/completions", {**body, "receipt": False}).text
    assert "receipt" not in post(served, "/v1/chat/completions", {**body, "receipt": None}).text


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 5, "n": 2}),
        ("/v1/chat/completions", {"model": "changed", "messages": HELLO, "max_tokens": 5, "logprobs": True}),
        ("/v1/completions", {"prompt": "Once", "max_tokens": 5, "stop": ["."], "echo": True}),
        ("/v1/completions", {"prompt": [5, 6, 7], "max_tokens": 5, "seed": 2**63 - 1}),
        ("/v1/responses", {"input": "Hello", "max_output_tokens": 5, "store": False}),
        ("/v1/messages", {"model": "default", "messages": HELLO, "max_tokens": 5}),
        (
            "/v1/chat/completions",
            {"messages": HELLO, "response_format": {"type": "json_object"}, "max_tokens": 9},
        ),
        (
            "/v1/chat/completions",
            {
                "messages": HELLO,
                "tools": [{"type": "function", "function": TOOL}],
                "tool_choice": "required",
                "max_tokens": 60,
            },
        ),
    ],
)
def test_answers_of_all_dialects_verify(
    served: Endpoints, path: str, body: dict[str, Any], streams: bool
) -> None:
    wild = {"temperature": 1.0, "receipt": "whole", "stream": streams}
    answer = post(served, path, {**body, **wild})
    assert answer.status_code == 200, answer.text
    receipts = [*find_receipts(events_of(answer) if streams else answer.json())]
    assert len(receipts) == body.get("n", 1)
    for receipt in receipts:
        found = verify(served, receipt)
        assert found["equal"] and found["signed_here"], found
        assert found["fingerprint"] == receipt["model"]["fingerprint"]


def find_receipts(value: Any) -> Iterator[dict[str, Any]]:
    """All receipts in an answer."""
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        if name == "receipt":
            yield each
        elif isinstance(each, dict | list):
            yield from find_receipts(each)


def test_answers_over_grpc_verify(served: Endpoints) -> None:
    with ChatClient(served.grpc_url) as client:
        whole = client.chat(HELLO, max_tokens=5, receipt="whole").details["receipt"]
        with client.stream("Once", max_tokens=5, temperature=1.0, receipt="whole") as stream:
            list(stream)
        for receipt in (whole, stream.answer.details["receipt"]):
            assert verify(served, receipt)["equal"]
        assert "receipt" not in client.chat(HELLO, max_tokens=5).details
        with pytest.raises(InvalidRequest, match="receipt and choices cannot be combined"):
            client.choose(HELLO, ["a", "b"], receipt=True)


def test_equal_requests_have_the_same_hash_however_they_are_sent(served: Endpoints) -> None:
    fields = {"messages": HELLO, "max_tokens": 5, "seed": 3, "receipt": True}
    bodies = [fields, {**fields, "temperature": None, "ignore_eos": False, "user": "ada", "timeout_s": 30}]
    hashes = [
        post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]["request"]["sha256"]
        for body in bodies
    ]
    assert hashes[0] == hashes[1] == hash_json({"messages": HELLO, "max_tokens": 5})


def test_any_changed_byte_is_found(served: Endpoints) -> None:
    receipt = post(served, "/v1/chat/completions", CHAT).json()["choices"][0]["receipt"]
    raw = to_canonical(receipt)
    assert read_receipt(raw) == receipt
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= (1, 2, 4, 32)[place % 4]
        with pytest.raises(ReceiptError):
            read_receipt(bytes(changed))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 100_000,
        '{"version": 1}',
        '{"a": 1, "a": 1}',
        "NaN",
        '{"a": 1e999}',
    ],
)
def test_what_is_no_receipt_is_named(text: str) -> None:
    with pytest.raises(ReceiptError, match="this is no receipt"):
        read_receipt(text)


def test_parts_that_are_added_or_taken_away_are_found(served: Endpoints) -> None:
    receipt = post(served, "/v1/chat/completions", CHAT).json()["choices"][0]["receipt"]
    assert check_receipt(strip(receipt)) == strip(receipt)  # attachments may be taken away
    for name in receipt:
        with pytest.raises(ReceiptError):
            check_receipt({key: value for key, value in receipt.items() if key != name})
    with pytest.raises(ReceiptError, match="Extra inputs"):
        check_receipt({**receipt, "note": "approved"})
    for name, value in (("sha256", "0" * 64), ("content", {"messages": "another"})):
        with pytest.raises(ReceiptError, match="was changed"):
            check_receipt({**receipt, "request": {**receipt["request"], name: value}})
    ids = {**receipt["answer"], "token_ids": receipt["answer"]["token_ids"][:-1]}
    with pytest.raises(ReceiptError, match="its token ids have another hash"):
        check_receipt({**receipt, "answer": ids})


def test_nulls_of_a_client_are_no_change(served: Endpoints) -> None:
    receipt = post(served, "/v1/chat/completions", {**CHAT, "receipt": True}).json()["choices"][0]["receipt"]
    filled = {**receipt, "log": None, "request": {**receipt["request"], "content": None}}
    assert check_receipt(filled) == receipt


def test_request_without_content_is_computed_again_with_it(served: Endpoints) -> None:
    body = {**CHAT, "receipt": True}
    receipt = post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]
    refused = post(served, "/v1/receipts/verify", {"receipt": receipt})
    assert refused.status_code == 400 and "only a hash of its request" in refused.text
    content = {"messages": HELLO, "max_tokens": 12, "temperature": 1.0}
    assert verify(served, receipt, request=content)["equal"]
    other = post(served, "/v1/receipts/verify", {"receipt": receipt, "request": {**content, "top_k": 3}})
    assert other.status_code == 400 and "another one than that of the receipt" in other.text


@pytest.mark.parametrize(
    "field", ["feed", "client", "cache_salt", "request_id", "count_only", "model", "seed"]
)
def test_request_of_a_forged_receipt_has_no_fields_of_others(field: str, tmp_path: Path) -> None:
    content = {"messages": HELLO, field: "x"}
    completion = Completion("a", [1], "stop", Usage(1, 1), Timings(0.0, 0.0, 0.0), 7)
    facts = Facts("m", "fp", {}, content, hash_json(content), [5], completion, AnswerParts("a"))
    forged = check_receipt(make_receipt(facts, load_key(tmp_path), None))  # anybody may sign anything
    with pytest.raises(ReceiptError, match=f"the request has the field {field}"):
        request_of(forged)


def test_other_models_are_told_apart(served: Endpoints) -> None:
    receipt = post(served, "/v1/chat/completions", CHAT).json()["choices"][0]["receipt"]
    found = verify(served, receipt, model="changed")
    assert not found["equal"] and "another model: what differs is adapter" in found["message"]
    assert found["token"] is not None and f"from token {found['token']} on" in found["message"]


def test_key_is_published_without_an_api_key(served: Endpoints) -> None:
    receipt = post(served, "/v1/chat/completions", CHAT).json()["choices"][0]["receipt"]
    (key,) = httpx.get(f"{served.api_url}/.well-known/tritonchat-key").json()["keys"]
    assert key["x"] == receipt["key"] and key["crv"] == "Ed25519" and key["alg"] == "EdDSA"


@pytest.mark.parametrize("path", ["/completion", "/stream"])
def test_answers_without_a_place_for_receipts_refuse_them(served: Endpoints, path: str) -> None:
    refused = post(served, path, {"prompt": "Once", "receipt": True})
    assert refused.status_code == 400 and "no place for a receipt" in refused.text
    assert post(served, path, {"prompt": "Once", "receipt": False}).status_code == 200
    named = post(
        served, "/api/chat", {"model": "default", "messages": HELLO, "stream": False, "receipt": True}
    )
    assert named.headers["X-Ignored-Fields"] == "receipt"


@pytest.mark.parametrize("seed", [-1, -(2**63), 2**63 - 1, 0])
def test_receipts_have_any_seed(served: Endpoints, seed: int) -> None:
    body = {**CHAT, "seed": seed, "max_tokens": 2}
    receipt = post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]
    assert check_receipt(receipt)["seed"] == str(seed)
    assert verify(served, receipt)["equal"]


@pytest.mark.parametrize("seed", ["-0", "00", "1e3", "", str(2**63), str(-(2**63) - 1)])
def test_seeds_that_no_request_has_are_refused(seed: str) -> None:
    receipt = make_any_receipt("m", {"messages": HELLO})
    with pytest.raises(ReceiptError, match="this is no receipt: seed"):
        check_receipt({**receipt, "seed": seed})


def test_schemas_with_any_numbers_have_receipts(served: Endpoints) -> None:
    """RFC 8785 has no place for whole numbers beyond 2^53."""
    numbers = {"const": 2**60, "maximum": 9223372036854775807, "minimum": -1e16}
    parameters = {"type": "object", "properties": {"b": numbers, "a": {"type": "null"}}}
    body = {**CHAT, "tools": [{"type": "function", "function": {**TOOL, "parameters": parameters}}]}
    receipt = post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]
    assert json.loads(receipt["request"]["content"]["tools"][0]["parameters"]) == parameters
    found = verify(served, receipt)
    assert found["equal"] and found["signed_here"]


def test_order_of_a_schema_cannot_be_changed_in_a_receipt(served: Endpoints) -> None:
    properties = {"b": {"type": "integer"}, "a": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["a", "b"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    body = {**CHAT, "response_format": form, "temperature": 0.0, "max_tokens": 40}
    receipt = post(served, "/v1/chat/completions", body).json()["choices"][0]["receipt"]
    assert verify(served, receipt)["equal"]
    content = receipt["request"]["content"]
    turned = json.dumps(dict(reversed(schema.items())), separators=(",", ":"))
    changed = {**content, "form": {**content["form"], "json_schema": turned}}
    with pytest.raises(ReceiptError, match="its request has another hash"):
        check_receipt({**receipt, "request": {**receipt["request"], "content": changed}})


def test_receipt_names_the_adapter_that_has_answered(llm: LLM, tmp_path: Path) -> None:
    """Not the one that has its name when the answer ends."""
    folders = {name: write_adapter(llm, tmp_path / name, seed=n, std=0.5) for n, name in enumerate("ab")}
    changing = LLM(kv_cache_memory=2**26, adapters={"poet": folders["a"]})
    slot = ModelSlot(
        "embedded", lambda on_progress: LocalEngine(changing), None, SlotAdapters({"poet": folders["a"]})
    )
    with local_server(ModelPool([slot]), tmp_path) as running:
        first = changing.made_of("poet")
        body = {**CHAT, "model": "poet", "max_tokens": 400, "stream": True, "ignore_eos": True}
        url = f"{running.api_url}/v1/chat/completions"
        with httpx.stream("POST", url, json=body, timeout=60) as answer:
            lines = answer.iter_lines()
            begun = [next(lines) for _ in range(3)]
            changing.drop_adapter("poet")
            changing.load_adapter("poet", folders["b"])
            text = "\n".join([*begun, *lines])
    data = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    (receipt,) = find_receipts(data)
    assert receipt["model"]["made_of"] == first != changing.made_of("poet")
    assert {event["system_fingerprint"] for event in data} == {receipt["model"]["fingerprint"]}


def test_adapter_that_was_replaced_before_its_answer_begins_is_named(llm: LLM, tmp_path: Path) -> None:
    adapters = LLM(
        kv_cache_memory=2**26, adapters={"poet": write_adapter(llm, tmp_path / "a", seed=1)}
    ).model.adapters
    digest = adapters.packed("poet").digest
    adapters.release(adapters.acquire("poet", digest))
    with pytest.raises(ModelUnavailable, match="'poet' was replaced just now"):
        adapters.acquire("poet", "0" * 32)
