"""Reports of comparisons: as JSON, and as a page that needs no other file."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

import jinja2

from .diff import Comparison, Summary

_FORMAT = "tritonchat-diff-1"


@dataclass(frozen=True)
class Limit:
    """A threshold: its name, its value, what was found, and whether that is within it."""

    name: str
    value: float
    found: float | None
    is_kept: bool


def check_limits(
    summary: Summary, min_equal: float | None, min_same: float | None, max_kl: float | None
) -> list[Limit]:
    """The thresholds that were given, and what was found."""
    limits = []
    for name, least, found in (
        ("--min-equal", min_equal, summary.equal),
        ("--min-same", min_same, summary.same),
    ):
        if least is not None:
            limits.append(Limit(name, least, found, found >= least))
    if max_kl is not None:
        found_kl = summary.divergence
        limits.append(Limit("--max-kl", max_kl, found_kl, found_kl is not None and found_kl <= max_kl))
    return limits


def to_json(
    names: tuple[str, str], comparisons: Sequence[Comparison], summary: Summary, limits: Sequence[Limit]
) -> dict[str, Any]:
    """All that was found, for programs."""
    return {
        "format": _FORMAT,
        "a": names[0],
        "b": names[1],
        "summary": asdict(summary),
        "limits": list(map(asdict, limits)),
        "requests": [
            {
                "custom_id": each.custom_id,
                "equal": each.equal,
                "same": each.same,
                "divergence": each.divergence,
                "parting": None if each.parting is None else asdict(each.parting),
                "a": _describe(each.a),
                "b": _describe(each.b),
            }
            for each in comparisons
        ],
    }


def to_html(
    names: tuple[str, str], comparisons: Sequence[Comparison], summary: Summary, limits: Sequence[Limit]
) -> str:
    """All that was found, for people: a page that loads nothing."""
    source = files(__package__).joinpath("report.html.j2").read_text()
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(source)
    return template.render(names=names, comparisons=comparisons, summary=summary, limits=limits)


def _describe(answer: Any) -> dict[str, Any]:
    return {
        "text": answer.text,
        "tokens": len(answer.tokens),
        "failed": answer.failed,
        "perplexity": answer.perplexity,
        "fingerprint": answer.fingerprint,
    }
