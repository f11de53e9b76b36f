"""The requests that wait to be started, and whose turn it is."""

from collections import Counter, OrderedDict
from collections.abc import Iterator

from .sequence import Sequence


class WaitingRequests:
    """Those of each client in the order in which they arrived, with preempted ones in front.

    Among the clients, the one with the fewest running requests is next. Where several have the fewest, it is
    the one whose last admission is the oldest. `running` counts the running requests of each client. It takes
    as long as there are clients, not requests, to find the next one.
    """

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self._queues: dict[str, OrderedDict[Sequence, int]] = {}  # by client, with numbers in their order
        self._count = self._last_number = self._admissions = 0
        self._last_admissions: dict[str, int] = {}  # numbers, by clients that have a waiting request

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Sequence]:
        return (sequence for queue in self._queues.values() for sequence in queue)

    def add(self, sequence: Sequence, is_preempted: bool = False) -> None:
        """Add a request at the end, or a preempted one in front."""
        self._last_number += 1
        queue = self._queues.setdefault(sequence.job.client, OrderedDict())
        queue[sequence] = -self._last_number if is_preempted else self._last_number
        if is_preempted:
            queue.move_to_end(sequence, last=False)
        self._count += 1

    def remove(self, sequence: Sequence) -> None:
        """Remove a request. Does nothing if it is not here."""
        client = sequence.job.client
        queue = self._queues.get(client)
        if queue is not None and sequence in queue:
            del queue[sequence]
            self._count -= 1
            if not queue:
                del self._queues[client]
                self._last_admissions.pop(client, None)

    def first(self) -> Sequence:
        """The request whose turn it is. There must be one."""

        def rank(client: str) -> tuple[int, int, int]:
            number = next(iter(self._queues[client].values()))
            return self.running[client], self._last_admissions.get(client, 0), number

        return next(iter(self._queues[min(self._queues, key=rank)]))

    def admit(self, sequence: Sequence) -> None:
        """Remove a request that is started."""
        self.remove(sequence)
        client = sequence.job.client
        self.running[client] += 1
        self._admissions += 1
        if client in self._queues:
            self._last_admissions[client] = self._admissions

    def release(self, sequence: Sequence) -> None:
        """Note that a request runs no more."""
        client = sequence.job.client
        self.running[client] -= 1
        if not self.running[client]:
            del self.running[client]
