"""How many tokens to draft, so that drafts save time: by what was accepted so far, and by what drafts cost.

Where each drafted token is accepted with probability r, a step with k drafts gives 1 + r + ... + r^k tokens,
and takes 1 + k * cost times as long (Leviathan et al., 2023, arXiv:2211.17192).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .prompt_lookup import PromptLookup

_MEMORY = 0.9  # the weight of what was accepted before, from one draft to the next
_FIRST_PAUSE, _LONGEST_PAUSE = 8, 256  # steps without drafts where these cost more than they save
# The part of a step that is due to its rows where it is not known, and limits of it against noise.
_ROW_SHARE, _MIN_SHARE, _MAX_SHARE = 0.05, 0.01, 0.95
_MIN_SPREAD = 0.01  # of the numbers of rows, as part of their mean, squared


@dataclass
class Acceptance:
    """Tokens of drafts that were accepted, and that were tried; older ones have less weight."""

    accepted: float = 1.0
    tried: float = 1.0

    @property
    def rate(self) -> float:
        """The part that is accepted."""
        return self.accepted / self.tried

    def record(self, drafted: int, accepted: int) -> None:
        """Note how many tokens of a draft were accepted: the first one that was not was tried too."""
        self.accepted = _MEMORY * self.accepted + accepted
        self.tried = _MEMORY * self.tried + accepted + (accepted < drafted)


class DraftLength:
    """The length of the drafts of one request from one source.

    Where no draft is worth its cost there are none, but for one token now and then, to see whether that has
    changed.
    """

    def __init__(self, longest: int, follows_last: bool = False) -> None:
        """`follows_last`: a draft is at most what was accepted of the last one, or twice that if all was."""
        self._longest = self._limit = longest
        self._follows_last = follows_last
        self._acceptance = Acceptance()
        self._pause = self._last_pause = 0
        self._is_probe = False

    def choose(self, cost: float) -> int:
        """The length of the next draft. `cost`: that of a drafted token, as part of a step without drafts."""
        if self._pause:
            self._pause -= 1
            self._is_probe = self._pause == 0
            return int(self._is_probe)
        rate, best = self._acceptance.rate, 0
        best_gain = tokens = power = 1.0
        for length in range(1, self._limit + 1):
            power *= rate
            tokens += power
            gain = tokens / (1 + length * cost)
            if gain <= best_gain:
                break
            best, best_gain = length, gain
        if not best:
            self._pause = self._last_pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._last_pause))
        return best

    def record(self, drafted: int, accepted: int) -> None:
        """Note how many tokens of the last draft were accepted."""
        if self._is_probe and accepted:
            self._acceptance = Acceptance()
            self._last_pause = 0
        self._is_probe = False
        self._acceptance.record(drafted, accepted)
        if self._follows_last:
            doubled = min(self._longest, max(self._limit, 2 * drafted))
            self._limit = doubled if accepted == drafted else max(1, accepted)


class ModelDraftLengths:
    """The lengths of a model's drafts for all requests of a step.

    A pass of the model drafts one token of each request that wants one, and takes about as long for one
    request as for many. So the lengths are chosen together: so many passes that the step gives most tokens
    for its time. Where no pass is worth it there are none, but for one now and then, for all requests.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._pause = self._last_pause = 0
        self._is_probe = False

    def choose(
        self,
        rates: Sequence[float],
        rooms: Sequence[int],
        most: int,
        streams: int,
        pass_cost: float,
        row_cost: float,
    ) -> list[int]:
        """The lengths of the drafts of some requests.

        Args:
            rates: the part of the drafts of each that is accepted.
            rooms: the longest draft that each can have. most: tokens of all drafts together.
            streams: requests of the step. Each gives a token without drafts, too.
            pass_cost, row_cost: of a pass, and of each drafted token, as parts of a step without drafts.
        """
        if not rates:
            return []
        if self._pause:
            self._pause -= 1
            self._is_probe = self._pause == 0
            return [
                min(1, room) if self._is_probe and number < most else 0 for number, room in enumerate(rooms)
            ]
        self._is_probe = False
        lengths, tokens, cost = [0] * len(rates), float(streams), 1.0
        for depth in range(1, self._longest + 1):
            joining = [
                (number, rate**depth)
                for number, (rate, room) in enumerate(zip(rates, rooms, strict=True))
                if lengths[number] == depth - 1 and room >= depth and rate**depth * cost > row_cost * tokens
            ]
            joining = sorted(joining, key=lambda pair: -pair[1])[: most - sum(lengths)]
            more = tokens + sum(gain for _, gain in joining)
            dearer = cost + pass_cost + row_cost * len(joining)
            if more / dearer <= tokens / cost:
                break
            tokens, cost = more, dearer
            for number, _ in joining:
                lengths[number] = depth
        if not any(lengths):
            self._pause = self._last_pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._last_pause))
        return lengths

    def record(self, acceptance: Acceptance, drafted: int, accepted: int) -> None:
        """Note how many tokens of a request's last draft were accepted."""
        if self._is_probe and accepted:
            acceptance.accepted = acceptance.tried = 1.0
            self._last_pause = 0
        acceptance.record(drafted, accepted)


@dataclass
class StepCost:
    """The seconds of steps without prompts, as a straight line over their rows; old steps count less."""

    count: float = 0.0
    rows: float = 0.0
    seconds: float = 0.0
    rows_squared: float = 0.0
    rows_seconds: float = 0.0
    row_seconds: float = 0.0  # of a row, as it was last known; 0: never

    def record(self, rows: int, seconds: float) -> None:
        """Note a step that computed so many rows."""
        values = (1.0, rows, seconds, rows * rows, rows * seconds)
        names = ("count", "rows", "seconds", "rows_squared", "rows_seconds")
        for name, value in zip(names, values, strict=True):
            setattr(self, name, 0.98 * getattr(self, name) + value)
        spread = self.rows_squared * self.count - self.rows**2
        if spread > _MIN_SPREAD * self.rows**2:
            self.row_seconds = (self.rows_seconds * self.count - self.rows * self.seconds) / spread

    def seconds_of(self, rows: int) -> float:
        """What a step of so many rows takes; 0 if nothing is known."""
        if not self.count:
            return 0.0
        return max(0.0, self.seconds / self.count + self._row_seconds() * (rows - self.rows / self.count))

    def row_share(self, rows: int) -> float:
        """The part of a step of so many rows that is due to their number, and not to the weights."""
        seconds = self.seconds_of(rows)
        if not seconds:
            return _ROW_SHARE
        return min(_MAX_SHARE, max(_MIN_SHARE, rows * self._row_seconds() / seconds))

    def _row_seconds(self) -> float:
        """Seconds of a row. Where all steps have had about as many rows, it is a usual part of a step's."""
        return self.row_seconds or _ROW_SHARE * self.seconds / max(self.rows, 1.0)


class SequenceDrafts:
    """What the drafter keeps of one request."""

    def __init__(self, longest_lookup: int, before: Acceptance) -> None:
        """The longest draft from the text; 0: none. `before`: how a model did with other requests."""
        self.lookup = PromptLookup() if longest_lookup else None
        self.lookup_length = DraftLength(longest_lookup, follows_last=True)
        self.of_model = replace(before)
        self.was_of_model = False  # the last draft
