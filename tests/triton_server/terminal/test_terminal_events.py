"""The terminal reads answers as server-sent events, in every form that the standard allows."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from model_core.requests.events import Text
from triton_server.terminal.service import ServiceClient, ServiceError

Serve = Callable[..., ServiceClient]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts an HTTP server that answers a question with the given bytes, and connects to it."""
    with ExitStack() as stack:

        def start(body: bytes, media_type: str = "text/event-stream") -> ServiceClient:
            class Handler(BaseHTTPRequestHandler):
                def do_PUT(self) -> None:
                    self.rfile.read(int(self.headers["Content-Length"]))
                    self.send_response(200)
                    self.send_header("Content-Type", media_type)
                    self.end_headers()
                    self.wfile.write(body)

                def log_message(self, *_: object) -> None:
                    pass

            server = stack.enter_context(HTTPServer(("127.0.0.1", 0), Handler))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            return stack.enter_context(ServiceClient(f"127.0.0.1:{server.server_port}"))

        yield start


def test_address_with_a_wrong_scheme_is_explained(serve: Serve) -> None:
    plain = serve(b"").url
    with (
        ServiceClient(plain.replace("http:", "https:")) as service,
        pytest.raises(ServiceError, match=f"speaks no TLS; try {plain}"),
    ):
        service.list_models()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_every_form_of_event_is_read(serve: Serve, end: bytes) -> None:
    lines = [
        b": a comment that keeps the connection",
        b"",
        b'data:{"text": "One\xe2\x80\xa8"}',
        b"",
        b"id: 7",
        b"event: message",
        b'data: {"text":',
        b'data:  " two"}',
        b"",
        b": another comment",
        b"",
        b'data: {"details": {"turn": 1}}',
        b"",
        b"",
    ]
    service = serve(end.join(lines))
    answer = list(service.stream_answer("a", "b"))
    assert answer == [(Text("One\u2028"), {}), (Text(" two"), {}), (Text(""), {"turn": 1})]


@pytest.mark.parametrize(
    ("body", "media_type", "message"),
    [
        (b"data: {not JSON\n\n", "text/event-stream", "not tritonchat's"),
        (b"data: [1]\n\n", "text/event-stream", "not tritonchat's"),
        (b'data: {"details": {"turn": 1}}\n\n', "text/html", "not tritonchat's"),
        (b'data: {"text": "One"}\n\n', "text/event-stream", "closed the connection"),
        (b'data: {"tool_call": {"number": 1}}\n\n', "text/event-stream", "not tritonchat's"),
        (b'data: {"error": {"code": "x", "message": "No room."}}\n\n', "text/event-stream", "No room"),
    ],
)
def test_invalid_response_is_an_error(serve: Serve, body: bytes, media_type: str, message: str) -> None:
    with pytest.raises(ServiceError, match=message):
        list(serve(body, media_type).stream_answer("a", "b"))
