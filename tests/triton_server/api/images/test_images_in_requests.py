"""Images in requests of all dialects: the model sees the same, and what it cannot see is refused by name."""

import base64
import io
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx
import ollama
import openai
import pytest
from http_service import Service, services
from image_files import corner_image, write_image
from in_process import Endpoints
from PIL import Image
from support import wait_until

from model_core.errors import InvalidRequest
from model_core.images.data_url import write_data_url
from triton_server.client import AsyncChatClient, ChatClient
from triton_server.contract.commands import parse_command

PNG = write_image(corner_image())
OTHER = write_image(corner_image("L"))
URL = write_data_url("image/png", PNG)


@pytest.fixture
def serve(seeing: Endpoints, tmp_path: Any) -> Iterator[Callable[..., Service]]:
    with services(seeing.grpc_url, tmp_path) as start:
        yield start


def image(data: bytes = PNG, **fields: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": write_data_url("image/png", data), **fields}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def ask(*parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": "default",
        "messages": [{"role": "user", "content": list(parts)}],
        "max_tokens": 6,
        "temperature": 0,
    }


def post(url: str, path: str, body: dict[str, Any]) -> httpx.Response:
    return httpx.post(url + path, json=body, timeout=60)


def refusal(url: str, body: dict[str, Any], path: str = "/v1/chat/completions") -> str:
    response = post(url, path, body)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    return error if isinstance(error, str) else error["message"]


@pytest.fixture(scope="module")
def expected(seeing: Endpoints) -> str:
    """What the model says to the image before a question."""
    with ChatClient(seeing.grpc_url) as client:
        return client.chat(ask(image(), text("what"))["messages"], max_tokens=6, temperature=0).text


def test_openai_client_shows_images_of_several_turns(seeing: Endpoints, expected: str) -> None:
    with openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as client:
        asked: Any = ask(image(detail="high"), text("what"))
        answer = client.chat.completions.create(**asked)
        assert answer.choices[0].message.content == expected
        assert answer.usage is not None and answer.usage.prompt_tokens_details is not None
        assert answer.usage.prompt_tokens_details.model_dump()["image_tokens"] > 0
        asked["messages"] += [{"role": "assistant", "content": expected}, *ask(image(OTHER))["messages"]]
        later = client.chat.completions.create(**asked)
        assert later.usage is not None and later.usage.prompt_tokens > answer.usage.prompt_tokens
        stream = client.chat.completions.create(**ask(image(), text("what")), stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == expected


def test_responses_keep_images(seeing: Endpoints, expected: str) -> None:
    with openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as client:
        part: Any = {"type": "input_image", "image_url": URL, "detail": "auto"}
        asked: Any = [{"role": "user", "content": [part, {"type": "input_text", "text": "what"}]}]
        first = client.responses.create(
            model="default", input=asked, max_output_tokens=6, temperature=0, store=True
        )
        assert first.output_text == expected
        (item,) = client.responses.input_items.list(first.id).data
        assert item.to_dict()["content"][0]["image_url"] == URL
        again = client.responses.create(
            model="default", input="and", previous_response_id=first.id, max_output_tokens=2
        )
        assert again.usage is not None and first.usage is not None
        assert again.usage.input_tokens > first.usage.input_tokens
        assert again.usage.input_tokens_details.to_dict()["image_tokens"] > 0


def test_results_of_tools_may_be_images(seeing: Endpoints) -> None:
    with openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as client:
        call: Any = {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
        output: Any = {"type": "function_call_output", "call_id": "1"}
        sizes = [
            client.responses.create(
                model="default",
                input=[call, {**output, "output": [{"type": kind, **fields}]}],
                max_output_tokens=1,
                store=False,
            ).usage
            for kind, fields in (("input_image", {"image_url": URL}), ("input_text", {"text": "a"}))
        ]
        assert sizes[0] is not None and sizes[1] is not None
        images = [size.input_tokens_details.to_dict().get("image_tokens", 0) for size in sizes]
        assert images[0] and not images[1]


def test_files_are_images(seeing: Endpoints, expected: str) -> None:
    with openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as client:
        stored = client.files.create(file=("a.png", PNG), purpose="vision")
        assert stored.purpose == "vision"
        part: Any = {"type": "input_image", "file_id": stored.id, "detail": "auto"}
        asked: Any = [{"role": "user", "content": [part, {"type": "input_text", "text": "what"}]}]
        answer = client.responses.create(model="default", input=asked, max_output_tokens=6, temperature=0)
        assert answer.output_text == expected
        part["file_id"] = "file-1"
        with pytest.raises(openai.NotFoundError, match="file-1"):
            client.responses.create(model="default", input=asked)


def test_anthropic_client_shows_images(seeing: Endpoints, expected: str) -> None:
    with anthropic.Anthropic(base_url=seeing.api_url, api_key="-") as client:
        source: Any = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
        content: Any = [{"type": "image", "source": source}, {"type": "text", "text": "what"}]
        asked: Any = {"model": "default", "messages": [{"role": "user", "content": content}]}
        answer = client.messages.create(**asked, max_tokens=6, extra_body={"temperature": 0})
        assert answer.content[0].to_dict()["text"] == expected
        counted = client.messages.count_tokens(**asked)
        assert counted.input_tokens == answer.usage.input_tokens + (answer.usage.cache_read_input_tokens or 0)
        content[:] = [{"type": "tool_result", "tool_use_id": "1", "content": list(content), "is_error": True}]
        assert client.messages.count_tokens(**asked).input_tokens > counted.input_tokens


def test_ollama_client_shows_images(seeing: Endpoints, expected: str) -> None:
    client = ollama.Client(host=seeing.api_url)
    options = {"num_predict": 6, "temperature": 0}
    message = {"role": "user", "content": "what", "images": [PNG]}
    assert client.chat(model="default", messages=[message], options=options).message.content == expected
    assert client.generate(model="default", prompt="what", images=[PNG], options=options).response == expected
    assert "vision" in (client.show("default").capabilities or [])


def test_ollama_shows_an_image_without_a_prompt(seeing: Endpoints) -> None:
    options = {"num_predict": 4, "temperature": 0}
    picture = base64.b64encode(PNG).decode()
    body = {"model": "default", "images": [picture], "options": options, "stream": False}
    answer = post(seeing.api_url, "/api/generate", body).json()
    message = {"role": "user", "content": "", "images": [picture]}
    body = {"model": "default", "messages": [message], "options": options, "stream": False}
    assert answer["response"] == post(seeing.api_url, "/api/chat", body).json()["message"]["content"]
    assert answer["done_reason"] == "length"
    body = {"model": "default", "images": [picture], "raw": True, "prompt": ""}
    assert "a text that is continued has no images" in refusal(seeing.api_url, body, "/api/generate")


def test_choices_tell_the_tokens_of_images(seeing: Endpoints) -> None:
    body = {"messages": ask(image(), text("what"))["messages"], "choices": ["a", "b"]}
    usage = post(seeing.api_url, "/v1/choose", body).json()["usage"]
    answer = post(seeing.api_url, "/v1/chat/completions", ask(image(), text("what"))).json()
    images = answer["usage"]["prompt_tokens_details"]["image_tokens"]
    assert usage["prompt_tokens_details"]["image_tokens"] == images > 0


def test_clients_learn_what_a_model_sees(seeing: Endpoints, reciter: Endpoints) -> None:
    for url, sees in ((seeing.api_url, True), (reciter.api_url, False)):
        (model,) = httpx.get(f"{url}/v1/models").json()["data"]
        assert model["input_modalities"] == (["text", "image"] if sees else ["text"])
        assert httpx.get(f"{url}/props").json()["modalities"] == {"vision": sees, "audio": False}
        assert httpx.get(f"{url}/get_model_info").json()["has_image_understanding"] is sees
        shown = post(url, "/api/show", {"model": "default"}).json()
        assert ("vision" in shown["capabilities"]) is sees


def test_tokens_of_images_are_counted(seeing: Endpoints) -> None:
    body = {"model": "default", "messages": ask(image(), text("what"))["messages"]}
    counted = post(seeing.api_url, "/tokenize", body).json()["count"]
    answer = post(seeing.api_url, "/v1/chat/completions", ask(image(), text("what"))).json()
    assert counted == answer["usage"]["prompt_tokens"]


def test_tokens_of_images_are_counted_for_each_key_apart(
    serve: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether another one has sent an image is not told by the time that its tokens take."""
    service, sent = serve(api_keys=["a:" + "1" * 20, "b:" + "2" * 20]), list[Any]()
    ask_server = AsyncChatClient._ask

    async def spy(self: AsyncChatClient, name: str, about: Any, *args: Any, **fields: Any) -> Any:
        sent.extend([parse_command({name: about, **fields})[1]] * (name == "tokenize"))
        return await ask_server(self, name, about, *args, **fields)

    monkeypatch.setattr(AsyncChatClient, "_ask", spy)
    body = {"model": "default", "messages": ask(image(), text("what"))["messages"]}
    for key, salt in (("1", None), ("2", None), ("1", "x"), ("1", None)):
        headers = {"Authorization": "Bearer " + key * 20}
        for path in ("/tokenize", "/apply-template"):
            answer = httpx.post(service.url + path, json={**body, "cache_salt": salt}, headers=headers)
            assert answer.status_code == 200, answer.text
    salts = [part.salt for command in sent for message in command.tokenize for part in message.images]
    assert salts[::2] == salts[1::2] and salts[0] == salts[-1]
    assert len(set(salts)) == 3 and "" not in salts


def test_blind_models_refuse_images_in_every_dialect(reciter: Endpoints) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    bodies: dict[str, dict[str, Any]] = {
        "/v1/chat/completions": ask(image()),
        "/v1/responses": {
            "input": [{"role": "user", "content": [{"type": "input_image", "image_url": URL}]}]
        },
        "/v1/messages": {**ask({"type": "image", "source": source}), "model": "default"},
        "/api/chat": {
            "model": "default",
            "messages": [{"role": "user", "content": "a", "images": ["AAAA"]}],
        },
        "/api/generate": {"model": "default", "prompt": "a", "images": ["AAAA"]},
    }
    for path, body in bodies.items():
        assert "sees no images" in refusal(reciter.api_url, body, path), path


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        (
            "/v1/chat/completions",
            ask(text("a"), image(b"nothing")),
            "messages[0].content[1].image_url is no PNG, JPEG, WebP or GIF file",
        ),
        (
            "/v1/chat/completions",
            ask({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
            "messages[0].content[0].image_url is an address on the web, which this service does not ask "
            "(--allow-image-urls)",
        ),
        (
            "/v1/chat/completions",
            ask({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}),
            "messages[0].content[0].image_url is no data URL",
        ),
        (
            "/v1/chat/completions",
            ask({"type": "text", "text": "hi", "image_url": {"url": URL}}),
            "messages[0] has a part with text and image_url; send a part for each.",
        ),
        (
            "/v1/chat/completions",
            ask({"type": "image", "text": "hi"}),
            "of type 'image' with a text, but models",
        ),
        ("/v1/chat/completions", ask({"type": "image_url"}), "has a part of type 'image_url' without text"),
        ("/v1/chat/completions", ask({"type": "input_audio"}), "has a part of type 'input_audio' without"),
        ("/v1/chat/completions", ask(image(detail="huge")), "detail must be"),
        (
            "/v1/responses",
            {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]}]},
            "input[0].content[0].image_url is of the type",
        ),
        (
            "/v1/responses",
            {
                "instructions": "x",
                "input": [
                    {"role": "user", "content": "a"},
                    {"role": "user", "content": [{"type": "input_image", "image_url": "http://a/b.png"}]},
                ],
            },
            "input[1].content[0].image_url is an address on the web",
        ),
        (
            "/v1/responses",
            {"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
            "input[0].content[0] must have either image_url or file_id",
        ),
        (
            "/v1/responses",
            {"input": [{"role": "assistant", "content": [{"type": "input_image", "image_url": URL}]}]},
            "input[0] is of the assistant, who sends no images",
        ),
        (
            "/v1/messages",
            {
                **ask(
                    text("a"),
                    {"type": "tool_result", "tool_use_id": "1", "content": "a"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/tiff", "data": "AA=="},
                    },
                ),
            },
            "messages[0].content[2].source is of the type 'image/tiff'",
        ),
        (
            "/v1/messages",
            ask({"type": "image", "source": {"type": "base64"}}),
            "messages[0].content[0].source has no data",
        ),
        (
            "/api/chat",
            {"model": "default", "messages": [{"role": "user", "content": "a", "images": ["!"]}]},
            "messages[0].images[0] is not valid base64",
        ),
        (
            "/api/generate",
            {"model": "default", "system": "x", "prompt": "a", "images": ["AAAA"]},
            "images[0] is no PNG",
        ),
        (
            "/api/generate",
            {"model": "default", "raw": True, "prompt": "a", "images": ["AAAA"]},
            "a text that is continued has no images",
        ),
        (
            "/completion",
            {"prompt": {"prompt_string": "a", "multimodal_data": ["AAAA"]}},
            "send images to /v1/chat/completions",
        ),
    ],
)
def test_images_that_cannot_be_seen_are_refused_by_their_names(
    seeing: Endpoints, path: str, body: dict[str, Any], reason: str
) -> None:
    assert reason.lower() in refusal(seeing.api_url, body, path).lower()


def test_requests_of_several_megabytes_are_answered(seeing: Endpoints, expected: str) -> None:
    """A file is larger than the context has room for text."""
    comment = b"x" * 6_000_000
    jpeg = write_image(corner_image(), "JPEG", comment=b"")
    padded = jpeg[:2] + b"".join(
        b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
        for part in (comment[at : at + 65_000] for at in range(0, len(comment), 65_000))
    )
    large = post(seeing.api_url, "/v1/chat/completions", ask(image(padded + jpeg[2:]), text("what")))
    small = post(seeing.api_url, "/v1/chat/completions", ask(image(jpeg), text("what")))

    assert large.status_code == 200, large.text
    assert large.json()["choices"][0]["message"] == small.json()["choices"][0]["message"]


def test_bodies_have_a_limit_for_images_and_one_for_all_else(serve: Callable[..., Service]) -> None:
    service = serve(max_body_bytes=3000, max_body_images_bytes=20_000)

    def status(body: dict[str, Any]) -> tuple[int, str]:
        response = post(service.url, "/v1/chat/completions", body)
        return response.status_code, "" if response.is_success else response.json()["error"]["message"]

    assert status(ask(image(PNG + b"\0" * 12_000), text("what")))[0] == 200
    assert status(ask(text("a " * 2000))) == (
        413,
        "the body has more than the 3000 bytes that this service reads (--max-body).",
    )
    assert status(ask(image(PNG + b"\0" * 16_000))) == (
        413,
        "the body has images of more than the 20000 bytes that this service reads (--max-body-images).",
    )


def test_addresses_of_allowed_hosts_are_asked(serve: Callable[..., Service]) -> None:
    service = serve(allow_image_urls=["localhost"])
    part = {"type": "image_url", "image_url": {"url": "https://localhost/a.png"}}
    assert refusal(service.url, ask(part)) == (
        "messages[0].content[0].image_url is at localhost, which has an address of a private network."
    )
    item = {"role": "user", "content": [{"type": "input_image", "image_url": "https://example.com/a.png"}]}
    assert refusal(service.url, {"input": [item]}, "/v1/responses") == (
        "input[0].content[0].image_url is at example.com, which is none of the hosts of --allow-image-urls."
    )


def test_texts_that_look_like_images_have_the_limit_of_texts(seeing: Endpoints) -> None:
    words = 'a "data:image/' + "x" * 30_000
    assert "maximum context length" in refusal(seeing.api_url, ask(text(words)))


def test_logs_have_no_images(serve: Callable[..., Service]) -> None:
    service = serve(process=True, log_content=True)
    data = base64.b64encode(OTHER).decode()
    service.ask(ask(image(OTHER), text("what")))
    (line,) = service.requests()
    assert "(base64)" in line["body"] and data[-60:] not in service.log.read_text()


def test_batches_show_images(seeing: Endpoints, expected: str) -> None:
    with openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as client:
        line = {
            "custom_id": "1",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": ask(image(), text("what")),
        }
        file = client.files.create(file=("a.jsonl", json.dumps(line).encode()), purpose="batch")
        batch = client.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
        )
        wait_until(lambda: client.batches.retrieve(batch.id).status in ("completed", "failed"))
        batch = client.batches.retrieve(batch.id)
        assert batch.status == "completed" and batch.output_file_id
        result = json.loads(client.files.content(batch.output_file_id).text)
        assert result["response"]["body"]["choices"][0]["message"]["content"] == expected


def test_prompts_with_images_are_explained(seeing: Endpoints) -> None:
    with ChatClient(seeing.grpc_url) as client:
        shown = client.explain(ask(image(), text("What is it?"))["messages"])
        (seen,) = shown["images"]
        first, end = seen["start"], seen["start"] + seen["rows"]
        assert math.prod(seen["grid"]) == seen["rows"] == 20
        picture = Image.open(io.BytesIO(base64.b64decode(seen["picture"].partition(",")[2])))
        assert picture.size == (seen["width"], seen["height"])
        assert len({token["token_id"] for token in shown["tokens"][first:end]}) == 1
        weights = shown["attention"]["weights"]
        assert weights[first:end] == [[]] * seen["rows"]
        assert sum(weights[-1]) == pytest.approx(1, abs=0.01) and any(weights[-1][first:end])
        with pytest.raises(InvalidRequest, match="is no PNG"):
            client.explain(ask(image(b"no image"))["messages"])
