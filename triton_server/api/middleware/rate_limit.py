"""The rate limit: a maximum of requests a minute for each client, by the token bucket algorithm."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

# The number of clients whose buckets are stored. The bucket that was not used for the longest time is removed
# first; if its client returns, it gets a full one. An attacker with more addresses than this gains nothing,
# because each new address gets a full bucket, too.
MAX_BUCKETS = 10_000


@dataclass(frozen=True)
class Allowance:
    """What the rate limit allows a client.

    Attributes:
        remaining: the number of requests that it may send now.
        full_in_s: seconds until it may send as many as the limit again.
        next_in_s: seconds until it may repeat this request; 0: the request is allowed.
    """

    remaining: int
    full_in_s: float
    next_in_s: float


class RateLimit:
    """A token bucket for each client, at most MAX_BUCKETS of them."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute, self._clock = per_minute, clock
        # By client: the number of remaining requests, and the time at which it was computed.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count_request(self, client: str) -> Allowance:
        """Count a request of a client. A request that is refused (`next_in_s` > 0) does not count."""
        now, rate = self._clock(), self.per_minute / 60
        remaining, last_time = self._buckets.pop(client, (float(self.per_minute), now))
        remaining = min(self.per_minute, remaining + (now - last_time) * rate)
        is_allowed = remaining >= 1
        remaining -= is_allowed
        self._buckets[client] = remaining, now
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        next_in_s = 0 if is_allowed else (1 - remaining) / rate
        return Allowance(int(remaining), (self.per_minute - remaining) / rate, next_in_s)


def format_duration(seconds: float) -> str:
    """Seconds in the form of OpenAI's headers: 20ms, 1.5s, 6m0s."""
    if seconds < 1:
        return f"{math.ceil(1000 * seconds)}ms"
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{int(rest)}s" if minutes else f"{round(rest, 3):g}s"
