"""A port that forwards connections to a server, until a test or a trap cuts them: the server is then away."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit


class Forwarder:
    """Forwards to the port of `url`. Its own address stays the same when it is cut and mended.

    Several may share a `trap`.
    """

    trap: "Trap | None" = None

    def __init__(self, url: str) -> None:
        self._target = ("127.0.0.1", urlsplit(url).port)
        self._sockets: set[socket.socket] = set()
        self._is_moving = threading.Event()
        self._is_moving.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self) -> None:
        """Break all connections, and accept none."""
        _shut(self._listener)
        for end in list(self._sockets):
            _shut(end)

    def mend(self) -> None:
        """Accept connections again."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def freeze(self) -> None:
        """Keep all connections and pass nothing on, as a network that loses everything."""
        self._is_moving.clear()

    def thaw(self) -> None:
        """Pass on what has come meanwhile, and all that follows."""
        self._is_moving.set()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(self._target)
                self._sockets |= {client, server}
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=[source, sink], daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := source.recv(65536):
                if self.trap is not None and (place := self.trap.find(some)) is not None:
                    sink.sendall(some[:place])
                    self.trap.act(self)
                    some = some[place:]
                self._is_moving.wait()
                sink.sendall(some)
        for end in (source, sink):
            _shut(end)
            self._sockets.discard(end)


class Trap:
    """Cuts the forwarder through which a mark comes for the `count`th time, just before it, and no other.

    So an answer breaks at the same place, however fast the server and the test are. `act` is what it does to
    the forwarder instead.
    """

    def __init__(self, mark: bytes, count: int, act: Callable[[Forwarder], object] = Forwarder.cut) -> None:
        self.act = act
        self._mark, self._left = mark, count
        self._lock = threading.Lock()

    def find(self, data: bytes) -> int | None:
        """Where the mark is in this data for the `count`th time, if it is."""
        place = -1
        with self._lock:
            for _ in range(data.count(self._mark)):
                place = data.index(self._mark, place + 1)
                self._left -= 1
                if self._left == 0:
                    return place
        return None


@contextlib.contextmanager
def forwarding(url: str) -> Iterator[Forwarder]:
    """A forwarder to a server, cut at the end."""
    forwarder = Forwarder(url)
    try:
        yield forwarder
    finally:
        forwarder.thaw()
        forwarder.cut()


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
