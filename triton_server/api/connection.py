"""A client's connection, which ends where the client is too slow to be worth waiting for.

uvicorn waits for ever: for the rest of a request, and for somebody to read an answer. Here both have an end,
and the application sees no more of it than of a client that left, so that its generation stops.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .meters import Meters

_MAX_HEADER_BYTES = 64 * 1024
# A request must come, and an answer be taken, at least this fast on average; a slower client is stalling.
_MIN_BYTES_PER_SECOND = 1000
# What the kernel takes off us without anybody reading it. By itself it would grow to megabytes a connection,
# and a stream whose client is stuck would go on for as long.
_SEND_BUFFER = 64 * 1024


def connections(timeout_s: float, meters: Meters) -> Callable[..., asyncio.Protocol]:
    """What uvicorn takes as `http`: connections whose clients may keep us waiting for so long, 0 for ever."""

    def connection(**settings: Any) -> asyncio.Protocol:
        return Connection(timeout_s, meters, **settings)

    return connection


class Connection(HttpToolsProtocol):
    """uvicorn's own protocol, with an end to its patience."""

    def __init__(self, timeout_s: float, meters: Meters, **settings: Any) -> None:
        super().__init__(**settings)
        self._timeout_s, self._meters = timeout_s, meters
        self._since, self._bytes = 0.0, 0  # of the request that is being read
        self._beside = 0  # bytes since its last piece of body: headers, trailers, what stands around chunks
        self._unsent = 0
        self._is_deaf = False  # whether no further request is taken
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """A client is there; its first request is due."""
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        # Tell us of whatever the kernel does not take. (At 0, TLS would take nothing for too much.)
        transport.set_write_buffer_limits(high=1, low=0)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._reading = _stop(self._reading)
        super().connection_lost(exc)
        self._writing = _stop(self._writing)

    def data_received(self, data: bytes) -> None:
        """Some of a request is there."""
        # Line ends begin no request, but they end uvicorn's own patience.
        if self._reading is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_request()
        self._bytes += len(data)
        self._beside += len(data)
        super().data_received(data)
        if self._beside > _MAX_HEADER_BYTES:
            self._cut_off()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._expect_request()

    def on_headers_complete(self) -> None:
        """Its body follows, if it has one."""
        running = self.cycle
        super().on_headers_complete()
        if self.pipeline:
            # It came before the last one was answered. To keep it, uvicorn would stop reading, and so not see
            # the client leave. Few send such, and they ask again where the connection ends.
            self.pipeline.clear()
            self.cycle, self._is_deaf = running, True
            running.keep_alive = False
            self.flow.resume_reading()

    def on_body(self, body: bytes) -> None:
        """A piece of the body is there."""
        if not self._is_deaf:
            self._beside = 0
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is there as a whole."""
        self._reading = _stop(self._reading)
        if not self._is_deaf:
            self._beside = 0
            super().on_message_complete()

    def pause_writing(self) -> None:
        """The client takes no more for now."""
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        """The client has taken all."""
        self._writing = _stop(self._writing)
        super().resume_writing()

    def _expect_request(self) -> None:
        self._reading = _stop(self._reading)
        self._since, self._bytes, self._beside = self.loop.time(), 0, 0
        if self._timeout_s:
            self._reading = self.loop.call_later(self._timeout_s, self._check_progress)

    def _check_progress(self) -> None:
        now = self.loop.time()
        end = self._since + self._timeout_s + self._bytes / _MIN_BYTES_PER_SECOND
        if self.flow.read_paused:  # it is we who keep the client waiting
            end = now + self._timeout_s
        if now < end:
            self._reading = self.loop.call_at(end, self._check_progress)
        else:
            self._cut_off()

    def _expect_reader(self) -> None:
        if self._timeout_s:
            self._unsent = self.transport.get_write_buffer_size()
            self._writing = self.loop.call_later(self._timeout_s, self._check_reader)

    def _check_reader(self) -> None:
        taken = self._unsent - self.transport.get_write_buffer_size()
        if taken < _MIN_BYTES_PER_SECOND * self._timeout_s:
            self._cut_off()
        else:
            self._expect_reader()

    def _cut_off(self) -> None:
        self._meters.cut_off.inc()
        self.transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    """Cancel a timer; None, to put in its place."""
    if timer is not None:
        timer.cancel()
    return None
