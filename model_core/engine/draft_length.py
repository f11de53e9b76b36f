"""How many tokens to draft, so that drafts save time: by what was accepted so far, and by what drafts cost.

Where each drafted token is accepted with probability r, a step with k drafts gives 1 + r + ... + r^k tokens,
and takes 1 + k * cost times as long (Leviathan et al., 2023, arXiv:2211.17192).
"""

from dataclasses import dataclass

from .prompt_lookup import PromptLookup

_MEMORY = 0.9  # the weight of what was accepted before, from one draft to the next
_FIRST_PAUSE, _LONGEST_PAUSE = 8, 256  # steps without drafts where these cost more than they save
# The part of a step that is due to its rows where it is not known, and limits of it against noise.
_ROW_SHARE, _MIN_SHARE, _MAX_SHARE = 0.05, 0.01, 0.95
_MIN_SPREAD = 0.01  # of the numbers of rows, as part of their mean, squared


class DraftLength:
    """The length of the drafts of one request from one source.

    Where no draft is worth its cost there are none, but for one token now and then, to see whether that has
    changed.
    """

    def __init__(self, longest: int, follows_last: bool = False) -> None:
        """`follows_last`: a draft is at most what was accepted of the last one, or twice that if all was."""
        self._longest = self._limit = longest
        self._follows_last = follows_last
        self._accepted = self._tried = 1.0  # tokens, older ones with less weight
        self._pause = self._last_pause = 0
        self._is_probe = False

    def choose(self, cost: float) -> int:
        """The length of the next draft. `cost`: that of a drafted token, as part of a step without drafts."""
        if self._pause:
            self._pause -= 1
            self._is_probe = self._pause == 0
            return int(self._is_probe)
        rate, best = self._accepted / self._tried, 0
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
            self._accepted = self._tried = 1.0
            self._last_pause = 0
        self._is_probe = False
        self._accepted = _MEMORY * self._accepted + accepted
        self._tried = _MEMORY * self._tried + accepted + (accepted < drafted)
        if self._follows_last:
            doubled = min(self._longest, max(self._limit, 2 * drafted))
            self._limit = doubled if accepted == drafted else max(1, accepted)


@dataclass
class StepCost:
    """The seconds of steps without prompts, as a straight line over their rows; old steps count less."""

    count: float = 0.0
    rows: float = 0.0
    seconds: float = 0.0
    rows_squared: float = 0.0
    rows_seconds: float = 0.0

    def record(self, rows: int, seconds: float) -> None:
        """Note a step that computed so many rows."""
        values = (1.0, rows, seconds, rows * rows, rows * seconds)
        names = ("count", "rows", "seconds", "rows_squared", "rows_seconds")
        for name, value in zip(names, values, strict=True):
            setattr(self, name, 0.98 * getattr(self, name) + value)

    def seconds_of(self, rows: int) -> float:
        """What a step of so many rows takes; 0 if nothing is known."""
        if not self.count:
            return 0.0
        return max(0.0, self.seconds / self.count + self._slope() * (rows - self.rows / self.count))

    def row_share(self, rows: int) -> float:
        """The part of a step of so many rows that is due to their number, and not to the weights."""
        seconds = self.seconds_of(rows)
        if not seconds:
            return _ROW_SHARE
        return min(_MAX_SHARE, max(_MIN_SHARE, rows * self._slope() / seconds))

    def _slope(self) -> float:
        """Seconds a row. Where all steps had about as many rows, it is a usual part of a step's."""
        spread = self.rows_squared * self.count - self.rows**2
        if spread <= _MIN_SPREAD * self.rows**2:
            return _ROW_SHARE * self.seconds / max(self.rows, 1.0)
        return (self.rows_seconds * self.count - self.rows * self.seconds) / spread


class SequenceDrafts:
    """What the drafter keeps of one request."""

    def __init__(self, longest_lookup: int, longest_model: int) -> None:
        """The longest drafts from the text and of the draft model; 0: this source is not used."""
        self.lookup = PromptLookup() if longest_lookup else None
        self.lookup_length = DraftLength(longest_lookup, follows_last=True)
        self.model_length = DraftLength(longest_model)
        self.last_length = self.lookup_length  # that of the source of the last draft
