"""Receipts and kept answers of requests with images: the bytes of the images are a part of both."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from any_receipt import make_any_receipt
from click.testing import CliRunner
from image_files import corner_image, write_image
from in_process import Endpoints, local_server
from seeing_folders import add_chat
from support import pool_of

from model_core import LLM
from model_core.images.data_url import write_data_url
from triton_server.cli.tritonchat import cli
from triton_server.client import ChatClient
from triton_server.engine.models.answer_cache import AnswerCache
from triton_server.receipts.compare import request_of
from triton_server.receipts.receipt import ReceiptError, check_receipt, strip
from triton_server.receipts.signer import ReceiptSigner

PNG, GRAY = write_image(corner_image()), write_image(corner_image("L"))
URL = write_data_url("image/png", PNG)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return add_chat("qwen3-vl", folder / "models")


@pytest.fixture(scope="module")
def seeing(model: Path, folder: Path) -> Iterator[Endpoints]:
    signer = ReceiptSigner(lambda: folder, log=folder / "log", logs_content=True)
    cache = AnswerCache(folder / "answers", 2**22)
    with local_server(pool_of(LLM(model, kv_cache_memory=2**25)), folder, signer, cache) as running:
        yield running
    cache.close()
    signer.close()


def ask(url: str = URL, **fields: Any) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": url, **fields}}
    messages = [{"role": "user", "content": [image, {"type": "text", "text": "what"}]}]
    return {"messages": messages, "max_tokens": 6, "temperature": 1.0, "seed": 3}


def post(seeing: Endpoints, path: str, body: dict[str, Any]) -> httpx.Response:
    answer = httpx.post(seeing.api_url + path, json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer


def receipt_of(seeing: Endpoints, body: dict[str, Any]) -> dict[str, Any]:
    answer = post(seeing, "/v1/chat/completions", {**body, "receipt": "whole"}).json()
    return check_receipt(answer["choices"][0]["receipt"])


def verify(seeing: Endpoints, receipt: dict[str, Any], **more: Any) -> httpx.Response:
    return httpx.post(f"{seeing.api_url}/v1/receipts/verify", json={"receipt": receipt, **more}, timeout=60)


def test_receipt_has_the_bytes_of_images_wherever_they_come_from(seeing: Endpoints) -> None:
    receipt = receipt_of(seeing, ask())
    assert receipt["request"]["content"]["messages"][0]["content"][0]["image_url"]["url"] == URL
    assert "vision" in receipt["model"]["made_of"]
    assert verify(seeing, receipt).json()["equal"]
    file = {"file": ("a.png", PNG)}
    stored = httpx.post(f"{seeing.api_url}/v1/files", files=file, data={"purpose": "vision"}).json()
    part = {"type": "input_image", "file_id": stored["id"], "detail": "auto"}
    asked = {"input": [{"role": "user", "content": [part]}], "max_output_tokens": 5, "receipt": "whole"}
    from_file = check_receipt(post(seeing, "/v1/responses", asked).json()["receipt"])
    part |= {"file_id": None, "image_url": URL, "detail": None}
    sent = check_receipt(post(seeing, "/v1/responses", asked).json()["receipt"])
    assert from_file["request"] == sent["request"]  # wherever the image came from
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "what"}]
    body = {**ask(), "model": "default", "messages": [{"role": "user", "content": content}]}
    for each in (from_file, post(seeing, "/v1/messages", {**body, "receipt": "whole"}).json()["receipt"]):
        found = verify(seeing, each).json()
        assert found["equal"] and found["signed_here"], found


def test_another_image_is_another_request(seeing: Endpoints) -> None:
    receipt = receipt_of(seeing, ask())
    other = receipt_of(seeing, ask(write_data_url("image/png", GRAY)))
    assert other["request"]["sha256"] != receipt["request"]["sha256"]
    assert other["prompt"] == receipt["prompt"]  # its tokens say nothing of what is seen
    exchanged = {**receipt, "request": {**receipt["request"], "content": other["request"]["content"]}}
    with pytest.raises(ReceiptError, match="its request has another hash"):
        check_receipt(exchanged)
    bare = strip(receipt)
    assert verify(seeing, bare, request=receipt["request"]["content"]).json()["equal"]
    refused = verify(seeing, bare, request=other["request"]["content"])
    assert refused.status_code == 400 and "another hash" in refused.text


@pytest.mark.parametrize("source", [{"url": "https://a.example/b.png"}, {"file_id": "file-1"}])
def test_receipt_that_names_an_image_elsewhere_is_refused(source: dict[str, str]) -> None:
    messages = [{"role": "user", "content": [{"type": "image_url", "image_url": source}]}]
    receipt = make_any_receipt("default", {"messages": messages, "max_tokens": 3})
    with pytest.raises(ReceiptError, match="an image that is elsewhere"):
        request_of(check_receipt(receipt))


def test_kept_answers_are_of_one_image(seeing: Endpoints) -> None:
    def is_hit(body: dict[str, Any]) -> bool:
        answer = post(seeing, "/v1/chat/completions", {**body, "seed": 7})
        return answer.headers.get("X-Answer-Cache") == "hit"

    assert not is_hit(ask())
    again = post(seeing, "/v1/chat/completions", {**ask(), "seed": 7})
    assert again.headers["X-Answer-Cache"] == "hit"
    assert again.json()["usage"]["prompt_tokens_details"]["image_tokens"] > 0
    assert not is_hit(ask(write_data_url("image/png", GRAY)))
    assert not is_hit(ask(detail="low"))
    assert is_hit(ask())


def test_tensors_over_http_have_receipts_and_kept_answers(seeing: Endpoints) -> None:
    body = ask()
    parameters = {name: value for name, value in body.items() if name != "messages"}
    parameters |= {"seed": 11, "receipt": "whole"}

    def infer() -> tuple[httpx.Response, dict[str, Any]]:
        inputs = []
        for name, value in (("messages", body["messages"]), ("parameters", parameters)):
            data = list(json.dumps(value).encode())
            inputs.append({"name": name, "datatype": "UINT8", "shape": [1, len(data)], "data": data})
        answer = post(seeing, "/v2/models/chat/infer", {"inputs": inputs})
        outputs = {output["name"]: output["data"][0] for output in answer.json()["outputs"]}
        return answer, json.loads(outputs["details"])

    def generate() -> tuple[httpx.Response, dict[str, Any]]:
        asked = {"messages": body["messages"], "parameters": parameters}
        answer = post(seeing, "/v2/models/chat/generate", asked)
        return answer, answer.json()["details"]

    with ChatClient(seeing.grpc_url) as client:
        digest = client.chat("a", max_tokens=1).details["fingerprint"]
    for number, (answer, details) in enumerate((infer(), infer(), generate())):
        assert verify(seeing, check_receipt(details["receipt"])).json()["equal"]
        assert answer.headers["X-Model-Digest"] == details["fingerprint"] == digest
        assert (answer.headers.get("X-Answer-Cache") == "hit") is (number > 0)


def test_commands_compute_answers_to_images_again(seeing: Endpoints, model: Path, folder: Path) -> None:
    receipt, key = folder / "receipt.json", folder / "key.json"
    receipt.write_text(json.dumps(strip(receipt_of(seeing, ask()))))
    key.write_bytes(httpx.get(f"{seeing.api_url}/.well-known/tritonchat-key").content)
    (folder / "request.json").write_text(json.dumps({"model": "default", **ask()}))
    arguments = [str(receipt), "--model", str(model), "--key", str(key), "--kv-cache-memory", "64MiB"]
    found = CliRunner().invoke(cli, ["verify", *arguments, "--request", str(folder / "request.json")])
    assert found.exit_code == 0 and "equal: 6 tokens" in found.output, found.output
