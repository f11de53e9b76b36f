"""Images that requests only name: how many and how large they may be, and who waits for them."""

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_service import CHAT, Service, services
from image_files import corner_image, write_image
from in_process import Endpoints
from support import wait_until

from model_core.errors import InvalidRequest
from model_core.images.data_url import write_data_url
from triton_server.api.images.fetch import ImageFetcher, Network, resolve_name
from triton_server.contract.request_fields import MAX_IMAGES, Request

PNG = write_image(corner_image())
SIZE = len(write_data_url("image/png", PNG))
LARGE = write_data_url("image/png", PNG + bytes(4500))  # what follows an image is not read
INFER = "/v2/models/chat/infer"


class Web:
    """A server over TLS that has an image at each address; those with `slow` in them never come."""

    def __init__(self, certificate: Path) -> None:
        self.asked: list[str] = []
        self.left = threading.Event()  # a client has left before its image came
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        start = asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result(60)
        self.url = f"https://localhost:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError), closing(writer):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            self.asked.append(path)
            if "slow" in path:
                await reader.read(1)
                self.left.set()
                return
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(PNG) + PNG)
            await writer.drain()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)


@pytest.fixture
def web(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """A server that services of this test may ask, although it is on this machine."""
    found = Web(certificate)
    context = ssl.create_default_context(cafile=str(certificate / "ca.pem"))
    network = Network(resolve_name, lambda address: True, context)
    hosts = [found.url.removeprefix("https://")]
    monkeypatch.setattr(
        "triton_server.api.app.make_fetcher", lambda settings: ImageFetcher(hosts, 10**6, network)
    )
    yield found
    found.close()


@pytest.fixture
def serve(seeing: Endpoints, tmp_path: Any) -> Iterator[Callable[..., Service]]:
    with services(seeing.grpc_url, tmp_path) as start:
        yield start


def at(*urls: str) -> list[dict[str, Any]]:
    """A message with images at addresses."""
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"role": "user", "content": parts}]


def chat(*urls: str, **fields: Any) -> dict[str, Any]:
    return {"model": "default", "messages": at(*urls), "max_tokens": 1, **fields}


def response(*urls: str, **fields: Any) -> dict[str, Any]:
    parts = [{"type": "input_image", "image_url": url} for url in urls]
    return {"input": [{"role": "user", "content": parts}], "max_output_tokens": 1, **fields}


def infer(*conversations: Any) -> dict[str, Any]:
    """Conversations as the rows of an input."""
    rows = [json.dumps(messages).encode() for messages in conversations]
    size = max(map(len, rows))
    data = [list(row.ljust(size)) for row in rows]
    parameters = list(b'{"max_tokens": 1}')
    return {
        "inputs": [
            {"name": "messages", "datatype": "UINT8", "shape": [len(rows), size], "data": data},
            {
                "name": "parameters",
                "datatype": "UINT8",
                "shape": [len(rows), len(parameters)],
                "data": [parameters] * len(rows),
            },
        ]
    }


def post(service: Service, body: dict[str, Any], path: str = CHAT) -> tuple[int, str]:
    """The status, and what is wrong."""
    answer = httpx.post(service.url + path, json=body, timeout=60)
    error = "" if answer.is_success else answer.json()["error"]
    return answer.status_code, error if isinstance(error, str) else error["message"]


def test_images_are_got_once_for_a_request(serve: Callable[..., Service], web: Web) -> None:
    service = serve()
    assert post(service, chat(f"{web.url}/a", f"{web.url}/b", f"{web.url}/a", n=2))[0] == 200
    assert post(service, chat(f"{web.url}/c", timeout_s=60))[0] == 200
    assert post(service, chat(f"{web.url}/d"), "/tokenize")[0] == 200
    assert post(service, chat(f"{web.url}/e"), "/apply-template")[0] == 200
    assert web.asked == ["/a", "/b", "/c", "/d", "/e"]


def test_tensors_have_images_of_the_web(serve: Callable[..., Service], web: Web) -> None:
    service = serve()
    assert post(service, infer(at(f"{web.url}/a"), at(f"{web.url}/b")), INFER) == (200, "")
    assert web.asked == ["/a", "/b"]
    for url, reason in (
        ("https://169.254.169.254/", "is at 169.254.169.254, which is none of the hosts"),
        (" https://169.254.169.254/", "is no data URL"),
        ("ht\ttp://169.254.169.254/", "is no data URL"),
        ("file:///etc/passwd", "is no data URL"),
    ):
        status, message = post(service, infer(at(url)), INFER)
        assert (status, reason in message) == (400, True), message
        assert message.startswith("messages[0].content[0].image_url ")
        status, message = post(service, infer(at(), at(url)), INFER)
        assert message.startswith("row 1: messages[0].content[0].image_url ") and status == 400
    assert len(web.asked) == 2


def test_tensors_have_images_of_files(seeing: Endpoints) -> None:
    service = Service(seeing.api_url, 0)
    form = {"files": {"file": ("a.png", PNG)}, "data": {"purpose": "vision"}, "timeout": 60}
    stored = httpx.post(service.url + "/v1/files", **form).json()["id"]
    image: dict[str, Any] = {"type": "image_url", "image_url": {"file_id": stored}}
    assert post(service, infer([{"role": "user", "content": [image]}]), INFER) == (200, "")
    image["image_url"] = {"file_id": "file-1"}
    status, message = post(service, infer([{"role": "user", "content": [image]}]), INFER)
    assert status == 404 and "file-1" in message


def test_all_images_of_a_request_have_one_limit(serve: Callable[..., Service], web: Web) -> None:
    """Those of the web, those in the body, and as often as there are answers."""
    service, url = serve(max_body_images_bytes=4 * SIZE), f"{web.url}/a"
    data = write_data_url("image/png", PNG)
    for body, path in (
        (chat(*[url] * 4), CHAT),
        (chat(url, data, n=2), CHAT),
        (response(url, data, url, url), "/v1/responses"),
        (infer(*[at(url, url)] * 2), INFER),
    ):
        assert post(service, body, path) == (200, ""), path
    for body, path, place in (
        (chat(*[url] * 5), CHAT, "messages[0].content[4].image_url"),
        (chat(url, n=5), CHAT, "messages[0].content[0].image_url"),
        (chat(data, url, url, n=2), CHAT, "messages[0].content[2].image_url"),
        (response(*[url] * 4, data), "/v1/responses", "input[0].content[4].image_url"),
        (infer(at(url), *[at(url, url)] * 2), INFER, "row 2: messages[0].content[1].image_url"),
    ):
        status, message = post(service, body, path)
        assert status == 413 and message.startswith(f"{place} is one image too many"), message
        assert f"at most {4 * SIZE} bytes in base64 (--max-body-images)" in message


def test_responses_keep_what_they_were_shown(serve: Callable[..., Service], web: Web) -> None:
    service = serve()
    created = httpx.post(service.url + "/v1/responses", json=response(f"{web.url}/a"), timeout=60).json()
    items = service.get(f"/v1/responses/{created['id']}/input_items").json()["data"]
    assert items[0]["content"][0]["image_url"] == write_data_url("image/png", PNG)
    again = {"input": "and", "previous_response_id": created["id"], "max_output_tokens": 1}
    assert post(service, again, "/v1/responses") == (200, "")
    assert web.asked == ["/a"]


def test_requests_that_are_refused_get_no_images(serve: Callable[..., Service], web: Web) -> None:
    service = serve(max_messages=3)
    many = [message for number in range(4) for message in at(f"{web.url}/{number}")]
    parts = [{"type": "input_image", "image_url": f"{web.url}/a"}]
    for body, path in (
        (chat(messages=many), CHAT),
        (chat(messages=many), "/tokenize"),
        (infer(many), INFER),
        ({"input": [{"role": "user", "content": parts}] * 4}, "/v1/responses"),
    ):
        status, message = post(service, body, path)
        assert status == 400 and "has 4 messages" in message, message
    wrong = response(f"{web.url}/a", prompt={"id": "x"})
    assert "prompt is not supported" in post(service, wrong, "/v1/responses")[1]
    assert not web.asked


def test_timeout_includes_images(serve: Callable[..., Service], web: Web) -> None:
    status, message = post(serve(), chat(f"{web.url}/slow", timeout_s=0.2))
    assert (status, message) == (408, "the request's timeout_s of 0.2 s passed while its images were got.")
    assert web.left.wait(60)


def test_all_images_together_have_a_limit_of_time(
    serve: Callable[..., Service], web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_server.api.images.resolve._TOTAL_S", 0.2)
    status, message = post(serve(), chat(f"{web.url}/slow"))
    assert status == 503 and message.startswith("the images did not come within 0.2 s together"), message


@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/tokenize", INFER])
def test_images_are_got_for_clients_that_are_there(
    serve: Callable[..., Service], web: Web, path: str
) -> None:
    service, url = serve(), f"{web.url}/slow"
    body = {"/v1/responses": response(url), INFER: infer(at(url))}.get(path, chat(url))
    with closing(service.post(path, body)):
        wait_until(lambda: web.asked == ["/slow"])
        assert service.metrics()["tritonchat_api_answers_open"] == 1
    assert web.left.wait(60)
    wait_until(lambda: service.metrics()["tritonchat_api_answers_open"] == 0)


# How many.


def test_requests_have_a_limit_of_images(seeing: Endpoints) -> None:
    service = Service(seeing.api_url, 0)
    too_many = MAX_IMAGES + 1
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    message = {"role": "user", "content": "a", "images": ["AAAA"] * too_many}
    data = "data:image/png;base64,AAAA"
    for body, path, name in (
        (chat(*[data] * too_many), CHAT, "messages"),
        (chat(*[data] * too_many), "/tokenize", "messages"),
        (response(*[data] * too_many), "/v1/responses", "input"),
        (response(*[data] * too_many), "/v1/responses/input_tokens", "input"),
        (chat(messages=[{"role": "user", "content": [block] * too_many}]), "/v1/messages", "messages"),
        ({"model": "default", "messages": [message]}, "/api/chat", "messages"),
        ({"model": "default", "prompt": "a", "images": message["images"]}, "/api/generate", "images"),
        (infer(at(*[data] * too_many)), INFER, "messages"),
    ):
        refusal = f"{name} has {too_many} images; at most {MAX_IMAGES} are allowed."
        assert post(service, body, path) == (400, refusal), path
    with pytest.raises(InvalidRequest, match="at most 256 are allowed"):
        Request(messages=at(*[data] * too_many))
    assert len(Request(messages=at(*[data] * MAX_IMAGES)).messages) == 1


def test_a_million_images_are_refused_as_one_too_many(seeing: Endpoints) -> None:
    """A limit of time would end this test, if each of them was named."""
    message = {"role": "user", "content": "a", "images": [""] * 1_000_000}
    refused = post(Service(seeing.api_url, 0), {"model": "default", "messages": [message]}, "/api/chat")
    assert refused == (400, "messages has 1000000 images; at most 256 are allowed.")


# What is stored.


def stored_item(kind: str, **part: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": kind, **part}]}


def test_chains_have_the_limits_of_bodies(serve: Callable[..., Service]) -> None:
    service = serve(max_body_bytes=8000, max_body_images_bytes=3 * len(LARGE))
    image = stored_item("input_image", image_url=LARGE)
    text, answers = stored_item("input_text", text="a " * 60), list[tuple[int, str]]()
    last: dict[str, Any] = {}
    for items in ([image], [image], [image] * 2, *[[text]] * 8):
        body = {"input": items, "max_output_tokens": 1, "truncation": "auto", **last}
        answer = httpx.post(service.url + "/v1/responses", json=body, timeout=60)
        if answer.is_success:
            last = {"previous_response_id": answer.json()["id"]}
        answers.append((answer.status_code, answer.text))
    assert [status for status, _ in answers[:4]] == [200, 200, 413, 200]
    assert "one image too many" in answers[2][1] and "(--max-body-images)" in answers[2][1]
    assert answers[-1][0] == 413 and "has more than 8000 bytes together (--max-body)" in answers[-1][1]


def test_conversations_and_references_have_the_limits_of_bodies(serve: Callable[..., Service]) -> None:
    service = serve(max_body_bytes=16_000, max_body_images_bytes=3 * len(LARGE))

    def ask(items: list[dict[str, Any]], *names: str) -> tuple[int, str]:
        """Answer a conversation with these items, of which the input names some again."""
        made = httpx.post(service.url + "/v1/conversations", json={"items": items[:1]}, timeout=60).json()[
            "id"
        ]
        for item in items[1:]:
            path = f"/v1/conversations/{made}/items"
            assert httpx.post(service.url + path, json={"items": [item]}, timeout=60).is_success
        references = [{"type": "item_reference", "id": name} for name in names]
        body = {"input": references or "a", "conversation": made, "max_output_tokens": 1}
        return post(service, {**body, "truncation": "auto"}, "/v1/responses")

    image = stored_item("input_image", image_url=LARGE)
    text = stored_item("input_text", text="a " * 3000)
    assert ask([image] * 3) == (200, "")
    assert ask([image] * 4) == (
        413,
        f"what conversation continues or names has images of more than {3 * len(LARGE)} bytes together "
        "(--max-body-images).",
    )
    assert ask([text] * 3) == (
        413,
        "what conversation continues or names has more than 16000 bytes together (--max-body).",
    )
    assert ask([{"id": "msg_a", **text}], *["msg_a"] * 3) == (
        413,
        "what input continues or names has more than 16000 bytes together (--max-body).",
    )
    assert ask([{"id": "msg_b", **image}], *["msg_b"] * 4)[1].startswith(
        "what input continues or names has im"
    )
