"""Audits a log of receipts: its chain, its signatures, and a sample of answers, which are computed again."""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model_core.errors import TritonchatError

from ..receipts.log import read_log
from .verify import Trusted, Where, compute_again, open_side


@dataclass
class Audit:
    """What was found.

    Attributes:
        lines, first, last: how many lines there are, and the numbers of the first and the last receipt.
        faults: what is wrong, each with its place.
        sample: receipts that are to be computed again, with their places.
        without_content: how many of the sample have only a hash of their request.
        equal: how many answers have the same bytes.
    """

    lines: int = 0
    first: int | None = None
    last: int | None = None
    faults: list[str] = field(default_factory=list)
    sample: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    without_content: int = 0
    equal: int = 0

    @property
    def is_right(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


def read_audit(folder: Path, share: float, trusted: Trusted | None) -> Audit:
    """Check each line of a log, and draw a sample, of one answer at least unless `share` is 0.

    Raises TritonchatError if there is no log.
    """
    audit, chance, seen = Audit(), random.SystemRandom(), 0
    other: tuple[str, dict[str, Any]] | None = None
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
        if chance.random() < share:
            if has_content:
                audit.sample.append((line.place, line.receipt))
            else:
                audit.without_content += 1
        elif has_content and chance.random() * seen < 1:  # each is equally likely to be the one that stays
            other = line.place, line.receipt
    if share and not audit.sample and other is not None:
        audit.sample.append(other)
    return audit


async def compute_sample(audit: Audit, where: Where) -> None:
    """Compute the sample again, and note what differs. Models are loaded as the receipts say."""
    groups: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for place, receipt in audit.sample:
        key = "" if where.server is not None else receipt["model"]["fingerprint"]
        groups.setdefault(key, []).append((place, receipt))
    for group in groups.values():
        async with open_side(where, group[0][1]["model"]["made_of"]) as (side, model):
            for place, receipt in group:
                try:
                    found = await compute_again(side, model, receipt)
                except TritonchatError as error:
                    audit.faults.append(f"{place}: {error}")
                    continue
                if found["equal"]:
                    audit.equal += 1
                else:
                    audit.faults.append(f"{place}: {found['message']}")
