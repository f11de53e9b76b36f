"""The requests that wait to be started, and whose turn it is."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator

from .sequence import Sequence

MAX_ASKED = 2  # the image of one is being encoded, and that of the other is next; rows take megabytes


class WaitingRequests:
    """Those of each client in the order in which they arrived, with preempted ones in front.

    Among the clients, the one with the fewest running requests is next. Where several have the fewest, it is
    the one whose last admission is the oldest. It takes as long as there are clients, not requests, to find
    the next one.

    Requests with images that must be encoded are in queues of their own, and others pass them. Those whose
    turn it is are asked for at the encoder, about MAX_ASKED at a time, and are next when it has ended.

    Attributes:
        running: counts the running requests of each client.
        asked: the requests for whose images the encoder was asked.
    """

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self.asked: list[Sequence] = []
        # By clients, with numbers in their order.
        self._ready: dict[str, OrderedDict[Sequence, int]] = {}
        self._unencoded: dict[str, OrderedDict[Sequence, int]] = {}
        self._count = self._last_number = self._admissions = 0
        self._last_admissions: dict[str, int] = {}  # numbers, by clients that have a waiting request

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Sequence]:
        queues = (*self._ready.values(), *self._unencoded.values())
        return (sequence for queue in queues for sequence in queue)

    def add(self, sequence: Sequence, is_preempted: bool = False, needs_encoding: bool = False) -> None:
        """Add a request at the end, or a preempted one in front. `needs_encoding`: images must be encoded."""
        self._last_number += 1
        queues = self._unencoded if needs_encoding else self._ready
        queue = queues.setdefault(sequence.job.client, OrderedDict())
        queue[sequence] = -self._last_number if is_preempted else self._last_number
        if is_preempted:
            queue.move_to_end(sequence, last=False)
        self._count += 1

    def remove(self, sequence: Sequence) -> None:
        """Remove a request. Does nothing if it is not here."""
        client = sequence.job.client
        if sequence in self.asked:
            self.asked.remove(sequence)
        for queues in (self._ready, self._unencoded):
            queue = queues.get(client)
            if queue is not None and sequence in queue:
                del queue[sequence]
                self._count -= 1
                if not queue:
                    del queues[client]
        if client not in self._ready and client not in self._unencoded:
            self._last_admissions.pop(client, None)

    def first(self, are_encoded: Callable[[Sequence], bool]) -> Sequence | None:
        """The request whose turn it is; None if all wait for images.

        `are_encoded`: asks the encoder for the images of a request, and says whether they are there.
        """
        while (unasked := self._find_unasked()) is not None and self._may_ask(unasked):
            self.asked.append(unasked)
        heads_of_ready = [next(iter(queue.items())) for queue in self._ready.values()]
        encoded = [(s, self._unencoded[s.job.client][s]) for s in self.asked if are_encoded(s)]
        found = min([*heads_of_ready, *encoded], key=self._rank, default=None)
        return None if found is None else found[0]

    def _find_unasked(self) -> Sequence | None:
        """The next for whose images the encoder is to be asked: one of the client with the fewest of them."""
        heads = ((next((s for s in q if s not in self.asked), None), q) for q in self._unencoded.values())
        unasked = [(sequence, queue[sequence]) for sequence, queue in heads if sequence is not None]
        of_clients = Counter(s.job.client for s in self.asked)
        found = min(
            unasked, key=lambda each: (of_clients[each[0].job.client], *self._rank(each)), default=None
        )
        return None if found is None else found[0]

    def _may_ask(self, sequence: Sequence) -> bool:
        """Whether the encoder may be asked for the images of a request.

        A client without a running request may use a place that the others of `asked` may not, so one more is
        asked for.
        """
        if len(self.asked) < MAX_ASKED:
            return True
        is_new = not self.running[sequence.job.client]
        return is_new and len(self.asked) == MAX_ASKED and all(self.running[s.job.client] for s in self.asked)

    def _rank(self, entry: tuple[Sequence, int]) -> tuple[int, int, int]:
        client = entry[0].job.client
        return self.running[client], self._last_admissions.get(client, 0), entry[1]

    def admit(self, sequence: Sequence) -> None:
        """Remove a request that is started."""
        self.remove(sequence)
        client = sequence.job.client
        self.running[client] += 1
        self._admissions += 1
        if client in self._ready or client in self._unencoded:
            self._last_admissions[client] = self._admissions

    def release(self, sequence: Sequence) -> None:
        """Note that a request runs no more."""
        client = sequence.job.client
        self.running[client] -= 1
        if not self.running[client]:
            del self.running[client]
