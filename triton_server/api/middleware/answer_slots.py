"""Limits of the number of running answers: in total, and of each client."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ...contract.request_fields import BATCH_CLIENT
from ..errors import ApiError
from .metrics import ServiceMetrics


class AnswerSlots:
    """Slots for running answers, which the clients share fairly.

    A client is the owner of an API key, or an address if the service has no keys. Where several clients share
    the service, a client may hold at most as many slots as are free after that. So a single client gets half
    of the slots, two clients get a third each, and a further client still finds a free slot. It gets more
    slots when answers of the others end. Batches have a share of their own (batches/share.py), and take only
    free slots.
    """

    def __init__(self, total: int, per_client: int, is_shared: bool, metrics: ServiceMetrics) -> None:
        """`total`, `per_client`: limits; 0: no limit. `is_shared`: whether there may be several clients."""
        self._total, self._per_client, self.is_shared = total, per_client, is_shared
        self._metrics = metrics
        self._answer_counts: Counter[str] = Counter()

    @contextmanager
    def hold(self, client: str, count: int) -> Iterator[None]:
        """Hold slots for all `count` answers to a request.

        Raises ApiError: 429 if there are too few free slots, 400 if a client can never hold so many.
        """
        self._check_size(count)
        if client == BATCH_CLIENT:
            self._check_total(count)
        else:
            self._check_free(client, count)
        self._answer_counts[client] += count
        self._metrics.answers_open.inc(count)
        try:
            yield
        finally:
            self._answer_counts[client] -= count
            if not self._answer_counts[client]:
                del self._answer_counts[client]
            self._metrics.answers_open.dec(count)

    def _check_size(self, count: int) -> None:
        limits = []
        if self._per_client:
            limits.append((self._per_client, "--max-streams-per-key"))
        if self._total:
            limits.append((-(-self._total // 2) if self.is_shared else self._total, "--max-streams"))
        for limit, flag in limits:
            if count > limit:
                message = f"the request asks for {count} answers; one client may have {limit} ({flag})."
                raise ApiError(400, message, "invalid_request", "n")

    def _check_free(self, client: str, count: int) -> None:
        client_total = self._answer_counts[client] + count
        free = self._total - self._answer_counts.total() - count
        if self._per_client and client_total > self._per_client:
            self._refuse(
                "too_many_answers_of_client",
                f"{self._answer_counts[client]} of your answers are running, and the limit is "
                f"{self._per_client} (--max-streams-per-key)",
            )
        self._check_total(count)
        if self._total and self.is_shared and client_total > free + 1:
            self._refuse(
                "too_many_answers_of_client",
                f"{self._answer_counts[client]} of your answers are running, and the free slots are reserved "
                "for other clients (--max-streams)",
            )

    def _check_total(self, count: int) -> None:
        running = self._answer_counts.total()
        if self._total and running + count > self._total:
            self._refuse(
                "too_many_answers",
                f"{running} answers are running, and the limit is {self._total} (--max-streams)",
            )

    def _refuse(self, reason: str, message: str) -> None:
        self._metrics.count_refusal(reason)
        raise ApiError(429, f"{message}; try again in a moment.", code="too_many_answers", retry_after_s=1)
