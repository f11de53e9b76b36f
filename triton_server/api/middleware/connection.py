"""A client's connection, which is closed if the client is too slow.

uvicorn has no time limit for the rest of a request, nor for a client that does not read the response. This
protocol has both. The application sees the client disconnect, so the generation stops.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from ...system.http_protocol import HttpProtocol
from .metrics import ServiceMetrics

_MAX_HEADER_BYTES = 64 * 1024
# A client must send its request, and read the response, at least this fast on average.
_MIN_BYTES_PER_SECOND = 1000
# The size of the kernel's buffer for bytes that the client has not read. By default it grows to megabytes for
# each connection, and a stream to a client that does not read goes on until it is full.
_SEND_BUFFER = 64 * 1024


def connection_factory(timeout_s: float, metrics: ServiceMetrics) -> Callable[..., asyncio.Protocol]:
    """Return a function that creates connections, for uvicorn's option `http`.

    A client is disconnected when it has been slower than _MIN_BYTES_PER_SECOND for `timeout_s` seconds; 0:
    never.
    """

    def create_connection(**settings: Any) -> asyncio.Protocol:
        return Connection(timeout_s, metrics, **settings)

    return create_connection


class Connection(HttpProtocol):
    """uvicorn's protocol, with time limits for reading and writing."""

    def __init__(self, timeout_s: float, metrics: ServiceMetrics, **settings: Any) -> None:
        super().__init__(**settings)
        self._timeout_s, self._metrics = timeout_s, metrics
        self._read_start, self._read_bytes = 0.0, 0  # of the request that is being read
        self._header_bytes = 0  # since the last part of the body: headers, trailers, chunk sizes
        self._unsent_bytes = 0
        self._ignores_input = False  # True after a pipelined request: no more requests are read
        self._read_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the first request."""
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        # Call pause_writing as soon as the kernel's buffer is full. (At 0, TLS calls it for an empty buffer.)
        transport.set_write_buffer_limits(high=1, low=0)
        self._start_read_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._read_timer = _cancel_timer(self._read_timer)
        super().connection_lost(exc)
        self._write_timer = _cancel_timer(self._write_timer)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a request, and parse them."""
        # Blank lines before a request stop uvicorn's keep-alive timer and start no other.
        if self._read_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._start_read_timer()
        self._read_bytes += len(data)
        self._header_bytes += len(data)
        super().data_received(data)
        if self._header_bytes > _MAX_HEADER_BYTES:
            self._disconnect()

    def on_message_begin(self) -> None:
        """Start the time limit of a request."""
        super().on_message_begin()
        self._start_read_timer()

    def on_headers_complete(self) -> None:
        """Start to answer the request, or ignore a pipelined one."""
        running = self.cycle
        super().on_headers_complete()
        if self.pipeline:
            # This request came before the previous one was answered. uvicorn would stop reading until then,
            # and would not see the client disconnect. Few clients do so, and they repeat the request.
            self.pipeline.clear()
            self.cycle, self._ignores_input = running, True
            running.keep_alive = False
            self.flow.resume_reading()

    def on_body(self, body: bytes) -> None:
        """Read a part of the body."""
        if not self._ignores_input:
            self._header_bytes = 0
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the time limit of the request."""
        self._read_timer = _cancel_timer(self._read_timer)
        if not self._ignores_input:
            self._header_bytes = 0
            super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the time limit for a client that does not read."""
        super().pause_writing()
        self._start_write_timer()

    def resume_writing(self) -> None:
        """Stop the time limit: the client has read everything."""
        self._write_timer = _cancel_timer(self._write_timer)
        super().resume_writing()

    def _start_read_timer(self) -> None:
        self._read_timer = _cancel_timer(self._read_timer)
        self._read_start, self._read_bytes, self._header_bytes = self.loop.time(), 0, 0
        if self._timeout_s:
            self._read_timer = self.loop.call_later(self._timeout_s, self._check_reading)

    def _check_reading(self) -> None:
        now = self.loop.time()
        end = self._read_start + self._timeout_s + self._read_bytes / _MIN_BYTES_PER_SECOND
        if self.flow.read_paused:  # the service does not read, so the client is not late
            end = now + self._timeout_s
        if now < end:
            self._read_timer = self.loop.call_at(end, self._check_reading)
        else:
            self._disconnect()

    def _start_write_timer(self) -> None:
        if self._timeout_s:
            self._unsent_bytes = self.transport.get_write_buffer_size()
            self._write_timer = self.loop.call_later(self._timeout_s, self._check_writing)

    def _check_writing(self) -> None:
        sent_bytes = self._unsent_bytes - self.transport.get_write_buffer_size()
        if sent_bytes < _MIN_BYTES_PER_SECOND * self._timeout_s:
            self._disconnect()
        else:
            self._start_write_timer()

    def _disconnect(self) -> None:
        self._metrics.cut_off.inc()
        self.transport.abort()


def _cancel_timer(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer. Returns None, to assign to the timer's name."""
    if timer is not None:
        timer.cancel()
    return None
