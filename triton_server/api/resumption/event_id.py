"""The ids of events: which stream they are of, and which place in its answer they name.

An id has no secret, and is not signed. Who invents one gets an error, or another part of his own answer.
"""

import hashlib
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_FINGERPRINT = re.compile(r"fp_[0-9a-f]{32}", re.ASCII)
_ID = re.compile(
    rf"1\.(?P<request>[0-9a-f]{{16}})\.(?P<model>{_FINGERPRINT.pattern})\.(?P<seed>-?\d{{1,19}})"
    r"\.(?P<start_us>\d{1,16})\.(?P<place>(?:[a-z]\d{1,9}){0,9})\.(?P<check>[0-9a-f]{8})",
    re.ASCII,
)
_FIELD = re.compile(r"([a-z])(\d+)", re.ASCII)
_MAX_SEED = 2**63  # the smallest number that is none; see SamplingFields
_MAX_FOLLOWING = 32  # an event of an answer makes fewer events of a stream


class Counts(NamedTuple):
    """How much of an answer was given: characters of each text, and how many of what is counted.

    Attributes:
        arguments: characters of the arguments of all calls.
        calls: how many calls of tools have begun.
        ended: 1 if the end was given.
    """

    text: int = 0
    reasoning: int = 0
    calls: int = 0
    arguments: int = 0
    logprobs: int = 0
    token_ids: int = 0
    ended: int = 0


_LETTERS = "trcalie"  # of the counts


@dataclass(frozen=True)
class Place:
    """A place in a stream.

    Attributes:
        counts: of the answer up to the last event that has given some of it.
        following: how many events came after that one, which give nothing of the answer, such as the begin
            of a block.
        check: a checksum of `counts`, `following` and what was given.
    """

    counts: Counts
    following: int
    check: str

    @classmethod
    def of(cls, counts: Counts, following: int, sums: Sequence[int]) -> "Place":
        """The place with its check. `sums`: the checksums of the texts that were given."""
        place = cls(counts, following, "")
        return cls(counts, following, f"{zlib.crc32(f'{place} {sums}'.encode()):08x}")

    def __str__(self) -> str:
        named = zip(f"{_LETTERS}f", (*self.counts, self.following), strict=True)
        return f"{''.join(f'{letter}{count}' for letter, count in named if count)}.{self.check}"


@dataclass(frozen=True)
class Origin:
    """Which stream it is.

    Attributes:
        request: a hash of the request, without its model and seed.
        model: the fingerprint of the model.
        seed: the one that is used.
        start_us: when it was begun, in microseconds of Unix time.
    """

    request: str
    model: str
    seed: int
    start_us: int

    @property
    def answer_name(self) -> str:
        """24 hexadecimal digits that no other answer has."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:24]

    @property
    def start_s(self) -> int:
        """When it was begun, in seconds of Unix time."""
        return self.start_us // 10**6

    def __str__(self) -> str:
        return f"1.{self.request}.{self.model}.{self.seed}.{self.start_us}"


def is_fingerprint(text: str | None) -> bool:
    """Whether a model has a fingerprint of this service, and not the word of another one."""
    return text is not None and _FINGERPRINT.fullmatch(text) is not None


def read_id(text: str) -> tuple[Origin, Place]:
    """The stream and the place that an id names. Raises ValueError if it is none of this service."""
    found = _ID.fullmatch(text[:400])
    if found is None:
        raise ValueError("it has another form")
    origin = Origin(found["request"], found["model"], int(found["seed"]), int(found["start_us"]))
    fields = {letter: int(count) for letter, count in _FIELD.findall(found["place"])}
    following = fields.get("f", 0)
    place = Place(Counts(*(fields.get(letter, 0) for letter in _LETTERS)), following, found["check"])
    is_bounded = -_MAX_SEED <= origin.seed < _MAX_SEED and following <= _MAX_FOLLOWING
    if not is_bounded or f"{origin}.{place}" != text:  # it is written in one way only
        raise ValueError("no event has this id")
    return origin, place
