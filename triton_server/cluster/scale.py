"""How many replicas there are, and what each takes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """How many replicas there are: from `low` to `high`, by their running and waiting requests.

    Attributes:
        requests: of one replica that Ray aims at.
        up_s, down_s: for how long another number must be right before it changes.
    """

    low: int
    high: int
    requests: float
    up_s: float
    down_s: float


@dataclass(frozen=True)
class Resources:
    """What a replica takes of its node: cores, graphics cards, bytes of memory (0: any)."""

    cpus: float
    gpus: float
    memory: int
