"""The sessions of a tritonchat HTTP service, as the terminal needs them."""

import json
import socket
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx

from model_core import TritonchatError
from model_core.errors import InvalidRequest

from ..hosts import is_loopback

DEFAULT_URL = "http://127.0.0.1:8080"

_CONNECT_S = 5.0
_REPLY_S = 30.0  # for all but answers, which take as long as they take
_BUSY_S = 2.0  # a session may be, for the moment in which the service notices that an answer is not wanted
_BUSY_AGAIN_S = 0.1
_BUSY, _AWAY = "session_busy", ("server_unavailable", "shutting_down")
# Notice within a minute a server that has vanished in the middle of an answer without a word (tcp(7)).
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 4))
        if hasattr(socket, name)
    ),
]


class ServiceError(TritonchatError):
    """What the service refused, with its HTTP status (0 where none answered) and the service's code."""

    type = "service"

    def __init__(self, message: str, status: int = 0, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Service:
    """A connection to an HTTP service. All methods raise ServiceError where they cannot do what they say."""

    def __init__(self, url: str = DEFAULT_URL, api_key: str | None = None) -> None:
        """`url` may leave out http://. Nothing is sent yet.

        Raises InvalidRequest for what is no address, or no key that could be sent.
        """
        self.url = (url if "://" in url else f"http://{url}").rstrip("/")
        try:
            parsed = urllib.parse.urlsplit(self.url)
            valid = parsed.scheme in ("http", "https") and bool(parsed.hostname) and parsed.port != 0
        except ValueError:
            valid = False
        if not valid:
            raise InvalidRequest(f"{url} is not the address of an HTTP service; give one like {DEFAULT_URL}.")
        keys = (api_key or "").split()  # the variable that sets it may hold several, for a server
        if keys and not (keys[0].isascii() and keys[0].isprintable()):
            raise InvalidRequest("the API key holds characters that no key has.")
        self._headers = {"Authorization": f"Bearer {keys[0]}"} if keys else {}
        self._is_near = is_loopback(str(parsed.hostname))  # so a proxy for the web knows no way there
        self._http = self._connection()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def model(self) -> str:
        """The name of the model that answers."""
        models = self._call("GET", "/v1/models")
        try:
            return models["data"][0]["id"]
        except (LookupError, TypeError) as error:
            raise self._stranger() from error

    def sessions(self) -> list[dict[str, Any]]:
        """The newest sessions, the newest first: `id`, `questions`, `updated`."""
        return self._call("GET", "/sessions")["sessions"]

    def session(self, session_id: str) -> dict[str, Any] | None:
        """A session with its turns; None if there is no such one."""
        try:
            return self._call("GET", _path(session_id))
        except ServiceError as error:
            if error.status == 404:
                return None
            raise

    def create(
        self, session_id: str | None, system: str | None, parameters: dict[str, Any]
    ) -> dict[str, Any]:
        """A new session, under an id that the service makes where none is given."""
        body = {"id": session_id, "system": system, "parameters": parameters}
        return self._call("POST", "/sessions", {k: v for k, v in body.items() if v is not None})

    def change(self, session_id: str, **changes: Any) -> dict[str, Any]:
        """Give a session another `system` or other `parameters`."""
        return self._call("PUT", _path(session_id), changes)

    def revert(self, session_id: str, to: int) -> dict[str, Any]:
        """Take a session back to where it was before its question `to`, counted from 1."""
        return self._call("PUT", f"{_path(session_id)}/revert", {"to": to})

    def delete(self, session_id: str) -> None:
        """Remove a session."""
        self._call("DELETE", _path(session_id))

    def answer(
        self, session_id: str, question: str, parameters: dict[str, Any]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """The answer in pieces; with the last, empty one the details of the contract and `turn`.

        Closing the iterator early ends the answer at the server.
        """
        body = {"question": question, "stream": True, "parameters": parameters}
        details: dict[str, Any] = {}
        try:
            with closing(self._send("PUT", f"{_path(session_id)}/generate", body, reply_s=None)) as response:
                for event in _events(response):
                    if "error" in event:
                        raise _refusal(event["error"], 500)
                    if "text" in event:
                        yield event["text"], {}
                    details = event.get("details", details)
        except httpx.HTTPError as error:
            raise self._failure(error) from error
        except KeyboardInterrupt:
            # It may have come in the middle of the connections' bookkeeping.
            self._http.close()
            self._http = self._connection()
            raise
        if not details:
            raise self._broken_off()
        yield "", details

    def _connection(self) -> httpx.Client:
        # Always anew: a server that was started again knows nothing of an old connection.
        limits = httpx.Limits(max_keepalive_connections=0)
        return httpx.Client(
            base_url=self.url,
            headers=self._headers,
            limits=limits,
            # A proxy that the environment names goes before this, as it is for http:// or https://.
            mounts={"all://": httpx.HTTPTransport(limits=limits, socket_options=_KEEPALIVE)},
            trust_env=not self._is_near,
        )

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            content = self._send(method, path, body).read()
        except httpx.HTTPError as error:
            raise self._failure(error) from error
        try:
            return json.loads(content) if content else None
        except ValueError as error:
            raise self._stranger() from error

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, reply_s: float | None = _REPLY_S
    ) -> httpx.Response:
        """A response to be read, which is no refusal. Waits a moment where the session is busy."""
        timeout, end = httpx.Timeout(reply_s, connect=_CONNECT_S), time.monotonic() + _BUSY_S
        while True:
            request = self._http.build_request(method, path, json=body, timeout=timeout)
            response = self._http.send(request, stream=True)
            if response.is_success:
                return response
            response.read()
            error = self._refused(response)
            if error.code != _BUSY or time.monotonic() > end:
                raise error
            time.sleep(_BUSY_AGAIN_S)

    def _refused(self, response: httpx.Response) -> ServiceError:
        status = response.status_code
        if status == 401:
            said = "does not know this API key" if self._headers else "asks for an API key"
            return ServiceError(f"{self.url} {said}; give one with --api-key or TRITONCHAT_API_KEY.", status)
        try:
            return _refusal(response.json()["error"], status)
        except (ValueError, LookupError, TypeError):
            return self._stranger(status)

    def _failure(self, error: httpx.HTTPError) -> ServiceError:
        if isinstance(error, httpx.ConnectError) and "SSL" in str(error):
            return ServiceError(
                f"{self.url} cannot be reached by TLS ({error}); SSL_CERT_FILE may name what to trust."
            )
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return ServiceError(f"no server answers at {self.url}; start one with `tritonchat up`.")
        if isinstance(error, httpx.TimeoutException):
            return ServiceError(f"the server at {self.url} does not reply; it may be overloaded.")
        return self._broken_off()

    def _broken_off(self) -> ServiceError:
        return ServiceError(f"the server at {self.url} went away before it had answered.")

    def _stranger(self, status: int = 200) -> ServiceError:
        return ServiceError(
            f"what answers at {self.url} (status {status}) is not tritonchat's HTTP service; `tritonchat up` "
            "says where that is (--api-port).",
            status,
        )


def _path(session_id: str) -> str:
    return f"/sessions/{urllib.parse.quote(session_id, safe='')}"


def _refusal(error: dict[str, Any], status: int) -> ServiceError:
    """What an error in OpenAI's form says."""
    code, message = error["code"], error["message"]
    if status == 422 and error["param"] == "id":
        message = "that cannot be the id of a session: letters, digits, _ and - make one, and dots inside."
    return ServiceError(message, 503 if code in _AWAY else status, code)


def _events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    """The JSON of server-sent events. Lines end where the standard says, and nowhere else."""
    held = b""
    for received in response.iter_bytes():
        *lines, held = (held + received).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield json.loads(line.removeprefix(b"data:"))
