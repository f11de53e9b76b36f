"""Audits a log of receipts: its chain, its signatures, and a sample of answers, which are computed again."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model_core.errors import TritonchatError

from ..receipts.log import read_log
from .verify import Trusted, Where, compute_again, identify_here, open_side

_OF_FLAGS = ("files", "adapter")  # what no setting of a receipt makes the same


@dataclass(frozen=True)
class Model:
    """The model of receipts."""

    fingerprint: str
    made_of: dict[str, Any] = field(hash=False, compare=False)


@dataclass
class Audit:
    """What was found.

    Attributes:
        lines, first, last: how many lines there are, and the numbers of the first and the last receipt.
        faults: what is wrong, each with its place.
        sample: places of receipts that are to be computed again, with their models. Contents stay in the log.
        without_content: how many of the sample have only a hash of their request.
        equal: how many answers have the same bytes, those of the next two kinds, too.
        cut_off, equal_by_other: those that were cut off, and those that a model of another fingerprint gives.
        not_computed: how many of the sample are of other weights, or another adapter, than there are here.
    """

    lines: int = 0
    first: int | None = None
    last: int | None = None
    faults: list[str] = field(default_factory=list)
    sample: dict[str, Model] = field(default_factory=dict)
    without_content: int = 0
    equal: int = 0
    cut_off: int = 0
    equal_by_other: int = 0
    not_computed: int = 0

    @property
    def is_right(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


def read_audit(folder: Path, share: float, trusted: Trusted | None) -> Audit:
    """Check each line of a log, and draw a sample, of one answer at least unless `share` is 0.

    Raises TritonchatError if there is no log.
    """
    audit, chance, seen = Audit(), random.SystemRandom(), 0
    models: dict[str, Model] = {}
    other: tuple[str, Model] | None = None
    for line in read_log(folder):
        audit.lines += 1
        if line.fault is not None:
            audit.faults.append(f"{line.place}: {line.fault}")
        if line.receipt is None:
            continue
        audit.first = line.number if audit.first is None else audit.first
        audit.last = line.number
        if trusted is not None and line.receipt["key"] not in trusted.keys:
            audit.faults.append(f"{line.place}: it is signed by another key than that of {trusted.place}.")
        has_content = "content" in line.receipt["request"]
        seen += has_content
        made_by = line.receipt["model"]
        model = models.setdefault(made_by["fingerprint"], Model(made_by["fingerprint"], made_by["made_of"]))
        if chance.random() < share:
            if has_content:
                audit.sample[line.place] = model
            else:
                audit.without_content += 1
        elif has_content and chance.random() * seen < 1:  # each is equally likely to be the one that stays
            other = line.place, model
    if share and not audit.sample and other is not None:
        audit.sample[other[0]] = other[1]
    return audit


async def compute_sample(audit: Audit, folder: Path, where: Where) -> None:
    """Compute the sample again, and note what differs. Models are loaded as the receipts say.

    Answers of other weights or adapters than those here are counted, and not computed.

    Raises TritonchatError.
    """
    groups: dict[Model | None, set[str]] = {}
    for place, model_of_receipt in audit.sample.items():
        groups.setdefault(None if where.server is not None else model_of_receipt, set()).add(place)
    for model, places in groups.items():
        made_of = {} if model is None else model.made_of
        if model is not None:
            here = identify_here(where, made_of)
            if any(here.get(name) != made_of.get(name) for name in _OF_FLAGS):
                audit.not_computed += len(places)
                continue
        async with open_side(where, made_of) as (side, name):
            for place, receipt in _read_again(audit, folder, places):
                try:
                    _count(audit, place, receipt, await compute_again(side, name, receipt))
                except TritonchatError as error:
                    audit.faults.append(f"{place}: {error}")


def _count(audit: Audit, place: str, receipt: dict[str, Any], found: dict[str, Any]) -> None:
    if not found["equal"]:
        audit.faults.append(f"{place}: {found['message']}")
        return
    audit.equal += 1
    audit.cut_off += bool(found.get("cut_off"))
    audit.equal_by_other += found["fingerprint"] != receipt["model"]["fingerprint"]


def _read_again(audit: Audit, folder: Path, places: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The receipts at places of the log, one at a time. Those that are gone are faults."""
    missing = set(places)
    for line in read_log(folder):
        if line.place in missing and line.receipt is not None:
            missing.remove(line.place)
            yield line.place, line.receipt
        if not missing:
            return
    audit.faults += [f"{place}: it was changed or taken away meanwhile." for place in sorted(missing)]
