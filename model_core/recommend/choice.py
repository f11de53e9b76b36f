"""Which models of the catalogue to recommend."""

from dataclasses import dataclass

from .catalogue import CatalogueModel, list_catalogue
from .speed import Machine, Speed, expect_speed

_READABLE = 5.0  # tokens a second, about as fast as people read
_FASTER = 1.5  # times as fast as the one before


# Of the machine, for the system; and of what is free, for the other processes of `tritonchat up`.
_SYSTEM, _OTHER_PROCESSES = 2**30, 600 * 2**20


@dataclass(frozen=True)
class Recommendation:
    """A model that fits, and how fast it will be."""

    model: CatalogueModel
    speed: Speed


def find_room(total: int, free: int) -> int:
    """Bytes that a model may need on a machine with so much memory, of which so much is free."""
    return max(0, min(total - _SYSTEM, free - _OTHER_PROCESSES))


def fits_any(memory: int) -> bool:
    """Whether a model of the catalogue needs no more than `memory` bytes."""
    return any(model.memory_bytes <= memory for model in list_catalogue())


def recommend(machine: Machine, memory: int) -> list[Recommendation]:
    """Three models at most that need no more than `memory` bytes.

    They are the ablest that answers as fast as people read, or the fastest if none does; the ablest of
    those that are half as fast again; and the ablest of those that need half of the memory.
    """
    fitting = [
        Recommendation(model, expect_speed(model, machine))
        for model in reversed(list_catalogue())
        if model.memory_bytes <= memory
    ]
    if not fitting:
        return []
    fastest = max(fitting, key=lambda one: one.speed.answer)
    ablest = next((one for one in fitting if one.speed.answer >= _READABLE), fastest)
    others = [one for one in fitting if one.speed.answer >= ablest.speed.answer and one is not ablest]
    faster = next((one for one in others if one.speed.answer >= _FASTER * ablest.speed.answer), None)
    half = ablest.model.memory_bytes / 2
    smaller = next((one for one in others if one.model.memory_bytes <= half and one is not faster), None)
    return [one for one in (ablest, faster, smaller) if one is not None]
