"""The terminal's client of the tritonchat HTTP service: sessions and answers."""

import json
import socket
import ssl
import time
import urllib.parse
from collections.abc import Generator, Iterator
from contextlib import closing
from functools import cached_property
from typing import Any

import httpx
import httpx_sse

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.events import Reasoning, Text, ToolCallDelta

from ..contract.api_keys import split_name
from ..contract.tensors import DEFAULT_MODEL
from ..conversations.tree import Conversation, Summary, conversation_from_json, summary_from_json
from ..system.hosts import is_loopback
from ..system.program import called

DEFAULT_URL = "http://127.0.0.1:8080"
Part = Text | Reasoning | ToolCallDelta  # of an answer
Parts = Generator[tuple[Part, dict[str, Any]], None, None]  # with details

_CONNECT_S = 5.0
_REPLY_S = 30.0  # for everything but answers, which have no time limit
# A session stays busy for a moment after its answer was cancelled, until the service notices that.
_BUSY_LIMIT_S = 2.0
_BUSY_RETRY_S = 0.1
_PAGE = 200  # conversations that are asked for at a time, the most that the service gives
_BUSY_CODE, _UNAVAILABLE_CODES = "session_busy", ("server_unavailable", "shutting_down")
# Detect within a minute that the server's machine or network has failed during an answer (tcp(7)).
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 4))
        if hasattr(socket, name)
    ),
]


class ServiceError(TritonchatError):
    """A failed request: its HTTP `status` (0: no server answered), and the service's error `code`."""

    type = "service"

    def __init__(self, message: str, status: int = 0, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class ServiceClient:
    """A client of one HTTP service. All methods raise ServiceError if the request fails."""

    def __init__(self, url: str = DEFAULT_URL, api_key: str | None = None) -> None:
        """`url` may omit http://. This sends nothing yet.

        Raises InvalidRequest if `url` is not an address, or if the key has characters that cannot be sent.
        """
        self.url = (url if "://" in url else f"http://{url}").rstrip("/")
        try:
            parsed = urllib.parse.urlsplit(self.url)
            valid = parsed.scheme in ("http", "https") and bool(parsed.hostname) and parsed.port != 0
        except ValueError:
            valid = False
        if not valid:
            raise InvalidRequest(f"{url} is not the address of an HTTP service; give one like {DEFAULT_URL}.")
        keys = (api_key or "").split()  # the environment variable may hold several keys, for a server
        if keys and not (keys[0].isascii() and keys[0].isprintable()):
            raise InvalidRequest("the API key has characters that are not printable ASCII.")
        self._headers = {"Authorization": f"Bearer {split_name(keys[0])[1]}"} if keys else {}
        self._is_local = is_loopback(str(parsed.hostname))  # a web proxy cannot reach it
        self._http = self._open_connection()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> "ServiceClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def list_models(self) -> list[dict[str, Any]]:
        """Return the models, the default one first. Each has `id`, `state`, and `error` if it has failed."""
        models = self._call("GET", "/v1/models")
        try:
            return [{**entry, "id": str(entry["id"])} for entry in models["data"]]
        except (LookupError, TypeError) as error:
            raise self._wrong_server_error() from error

    def read_progress(self, model: str | None) -> float | None:
        """Return which part of a model is loaded, from 0 to 1; None if nobody knows.

        `model`: None for the default one. Any thread may call this, also during an answer.
        """
        with self._open_connection() as http:
            try:
                response = http.get(f"/v1/models/{model or DEFAULT_MODEL}", timeout=_CONNECT_S)
                entry = response.json()
                progress = {"unloaded": 0.0, "ready": 1.0}.get(entry["state"], entry.get("progress"))
            except (httpx.HTTPError, ValueError, LookupError, TypeError, AttributeError):
                return None  # what fails here will fail in the answer, too
        return progress if isinstance(progress, int | float) else None

    def list_conversations(self, search: str = "") -> list[Summary]:
        """Return the conversations that have all words of `search`, pinned ones and then new ones first."""
        query = urllib.parse.urlencode({"search": search})
        found = self._call("GET", f"/conversations?{query}")["conversations"]
        return [summary_from_json(summary) for summary in found]

    def iterate_conversations(self, since: float = 0.0) -> Iterator[Summary]:
        """Yield all conversations that have changed since then, in seconds since 1970."""
        query: dict[str, Any] = {"limit": _PAGE}
        while True:
            page = self._call("GET", f"/conversations?{urllib.parse.urlencode(query)}")
            for summary in map(summary_from_json, page["conversations"]):
                if summary.updated >= since:
                    yield summary
                elif not summary.pinned:  # these come first, and then the others in the order of their times
                    return
            if page["next"] is None:
                return
            query["before"] = page["next"]

    def get_conversation(self, session_id: str) -> Conversation:
        """Return a session with all its branches."""
        return conversation_from_json(self._call("GET", _conversation_path(session_id)))

    def choose_head(self, session_id: str, turn: int | None) -> None:
        """Let a session go on after this turn of any branch; None: from its beginning."""
        self._call("PUT", _conversation_path(session_id), {"head": turn})

    def list_sessions(self) -> list[dict[str, Any]]:
        """Return recent sessions, the newest first. Each has `id`, `questions` (a count) and `updated`."""
        return self._call("GET", "/sessions")["sessions"]

    def get_session(self, session_id: str) -> dict[str, Any] | None:
        """Return a session with its turns; None if it does not exist."""
        try:
            return self._call("GET", _session_path(session_id))
        except ServiceError as error:
            if error.status == 404:
                return None
            raise

    def create_session(
        self, session_id: str | None, system: str | None, parameters: dict[str, Any]
    ) -> dict[str, Any]:
        """Create a session. If `session_id` is None, the service chooses the id."""
        body = {"id": session_id, "system": system, "parameters": parameters}
        return self._call("POST", "/sessions", {k: v for k, v in body.items() if v is not None})

    def update_session(self, session_id: str, **changes: Any) -> dict[str, Any]:
        """Change `system` or `parameters` of a session."""
        return self._call("PUT", _session_path(session_id), changes)

    def revert_session(self, session_id: str, question_number: int) -> dict[str, Any]:
        """Remove a question of a session, counted from 1, and all that follow it."""
        return self._call("PUT", f"{_session_path(session_id)}/revert", {"to": question_number})

    def delete_session(self, session_id: str) -> None:
        """Delete a session."""
        self._call("DELETE", _session_path(session_id))

    def stream_answer(self, session_id: str, question: str) -> Parts:
        """Ask a question; yield pairs of a new part of the answer and details.

        The details are empty, except for the last pair: its part is an empty text, and its details are those
        of the contract and `turn`, the number of the question. Closing the iterator early cancels the answer.
        """
        body = {"question": question, "stream": True}
        details: dict[str, Any] = {}
        try:
            with closing(
                self._send("PUT", f"{_session_path(session_id)}/generate", body, reply_s=None)
            ) as response:
                for event in _read_events(response):
                    if "error" in event:
                        raise _error_from_json(event["error"], 500)
                    if "text" in event:
                        yield Text(event["text"]), {}
                    elif "reasoning" in event:
                        yield Reasoning(event["reasoning"]), {}
                    elif "tool_call" in event:
                        yield ToolCallDelta(**event["tool_call"]), {}
                    details = event.get("details", details)
        except (ValueError, TypeError, httpx_sse.SSEError) as error:
            raise self._wrong_server_error() from error
        except httpx.HTTPError as error:
            raise self._connection_error(error) from error
        except KeyboardInterrupt:
            # Ctrl-C may have left httpx's connection pool in an inconsistent state.
            self._http.close()
            self._http = self._open_connection()
            raise
        if not details:
            raise self._lost_connection_error()
        yield Text(""), details

    def get(self, path: str) -> Any:
        """What a route answers, as JSON."""
        return self._call("GET", path)

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send JSON to any route, and return its answer. Cancelling this cancels the answer."""
        timeout = httpx.Timeout(None, connect=_CONNECT_S)
        options: dict[str, Any] = {"headers": self._headers, "trust_env": not self._is_local}
        options["verify"] = self._certificates
        try:
            async with httpx.AsyncClient(base_url=self.url, timeout=timeout, **options) as http:
                response = await http.post(path, json=body)
        except httpx.HTTPError as error:
            raise self._connection_error(error) from error
        if not response.is_success:
            raise self._error_from_response(response)
        try:
            return response.json()
        except ValueError as error:
            raise self._wrong_server_error() from error

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        """Whom to trust. To read it takes longer than a request, and many are sent at once."""
        return httpx.create_ssl_context(trust_env=not self._is_local)

    def _open_connection(self) -> httpx.Client:
        # Reuse no connection: a server that was restarted has closed the old ones.
        limits = httpx.Limits(max_keepalive_connections=0)
        return httpx.Client(
            base_url=self.url,
            headers=self._headers,
            limits=limits,
            # Proxies from the environment take precedence, because they are mounted at http:// or https://.
            mounts={"all://": httpx.HTTPTransport(limits=limits, socket_options=_KEEPALIVE)},
            trust_env=not self._is_local,
        )

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            content = self._send(method, path, body).read()
        except httpx.HTTPError as error:
            raise self._connection_error(error) from error
        try:
            return json.loads(content) if content else None
        except ValueError as error:
            raise self._wrong_server_error() from error

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, reply_s: float | None = _REPLY_S
    ) -> httpx.Response:
        """Send a request; return its response, of which only the headers are read.

        Raises ServiceError for a response that is an error. Tries again for a moment if the session is busy.
        """
        timeout, end = httpx.Timeout(reply_s, connect=_CONNECT_S), time.monotonic() + _BUSY_LIMIT_S
        while True:
            request = self._http.build_request(method, path, json=body, timeout=timeout)
            response = self._http.send(request, stream=True)
            if response.is_success:
                return response
            response.read()
            error = self._error_from_response(response)
            if error.code != _BUSY_CODE or time.monotonic() > end:
                raise error
            time.sleep(_BUSY_RETRY_S)

    def _error_from_response(self, response: httpx.Response) -> ServiceError:
        status = response.status_code
        if status == 401:
            problem = "does not know this API key" if self._headers else "asks for an API key"
            return ServiceError(
                f"{self.url} {problem}; give one with --api-key or TRITONCHAT_API_KEY.", status
            )
        try:
            return _error_from_json(response.json()["error"], status)
        except (ValueError, LookupError, TypeError):
            return self._wrong_server_error(status)

    def _connection_error(self, error: httpx.HTTPError) -> ServiceError:
        if isinstance(error, httpx.ConnectError) and "WRONG_VERSION_NUMBER" in str(error):
            plain = self.url.replace("https:", "http:", 1)
            return ServiceError(f"what answers at {self.url} speaks no TLS; try {plain}.")
        if isinstance(error, httpx.ConnectError) and "SSL" in str(error):
            return ServiceError(
                f"{self.url} cannot be reached by TLS ({error}); SSL_CERT_FILE may name what to trust."
            )
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return ServiceError(f"no server answers at {self.url}; start one with `{called()} up`.")
        if isinstance(error, httpx.TimeoutException):
            return ServiceError(f"the server at {self.url} does not reply; it may be overloaded.")
        return self._lost_connection_error()

    def _lost_connection_error(self) -> ServiceError:
        return ServiceError(f"the server at {self.url} closed the connection before the end of the answer.")

    def _wrong_server_error(self, status: int = 200) -> ServiceError:
        return ServiceError(
            f"what answers at {self.url} (status {status}) is not tritonchat's HTTP service; `tritonchat up` "
            "says where that is (--api-port).",
            status,
        )


def _conversation_path(session_id: str) -> str:
    return f"/conversations/{urllib.parse.quote(session_id, safe='')}"


def _session_path(session_id: str) -> str:
    return f"/sessions/{urllib.parse.quote(session_id, safe='')}"


def _error_from_json(error: dict[str, Any], status: int) -> ServiceError:
    """The error that a JSON object in OpenAI's form describes."""
    code, message = error["code"], error["message"]
    if status == 400 and error["param"] == "id":
        message = "this cannot be the id of a session; use letters, digits, _, - and, after the first, dots."
    return ServiceError(message, 503 if code in _UNAVAILABLE_CODES else status, code)


def _read_events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of server-sent events. Raises ValueError if the data is not a JSON object."""
    for event in httpx_sse.EventSource(response).iter_sse():
        if event.data:
            value = json.loads(event.data)
            if not isinstance(value, dict):
                raise ValueError("the event is not a JSON object")
            yield value
