"""The command `tritonchat diff`."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import click

from model_core.errors import TritonchatError

from ..options.flags import option
from ..system.body_encoding import NO_LIMIT
from ..system.signals import signals_as_interrupts
from .percent import Percent

if TYPE_CHECKING:
    from ..api.batches.lines import BatchLine
    from .sides import Side

_SHOWN = 10  # differences on a terminal
_OUT = click.Path(dir_okay=False, path_type=Path)
_LOCAL = {"weights", "arithmetic", "kv_cache_dtype"}  # that a model may have, beside max_context and portable


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("requests", type=click.Path(exists=True, path_type=Path))
@click.option("--same-json", is_flag=True, help="Two answers mean the same if they are the same JSON value.")
@click.option(
    "--same-regex", metavar="REGEX", help="... if the first match, or its first group, is the same."
)
@click.option("--min-equal", type=Percent(), help="Fail if fewer answers have the same bytes, such as 97%.")
@click.option("--min-same", type=Percent(), help="Fail if fewer answers have the same meaning.")
@click.option("--max-kl", type=click.FloatRange(0), help="Fail if the mean KL divergence is larger, in nats.")
@click.option("--json", "json_file", type=_OUT, help="Write all that was found to this file.")
@click.option("--html", "html_file", type=_OUT, help="Write a report that needs no other file.")
@option("--api-key", help="The key of servers that need one; safer in the environment.")
def diff(
    a: str,
    b: str,
    requests: Path,
    json_file: Path | None,
    html_file: Path | None,
    api_key: str | None,
    **judging: Any,
) -> None:
    """Let A and B answer the same REQUESTS, and say where their answers part.

    A and B are URLs of servers, or models that are loaded here: folders, files or names as of --model, or
    embedded. Settings follow a question mark: ./model?weights=int4&adapter=./poet, or of a server the name
    of its model: http://localhost:8080?model=poet. REQUESTS has a request a line, in the form of OpenAI's
    batches, for /v1/chat/completions or /v1/completions; or it is the folder of a log of receipts. A request
    without a seed gets the seed 0.

    The exit status is 1 if a threshold is not kept.
    """
    lines = _read_requests(requests)
    judge = _find_judge(judging.pop("same_json"), judging.pop("same_regex"))
    with signals_as_interrupts():
        comparisons = asyncio.run(_compare((a, b), lines, judge, api_key))
    _report((a, b), comparisons, (json_file, html_file), judging)


def _read_requests(path: Path) -> "list[BatchLine]":
    """The requests in a file, or in a log of receipts. Raises TritonchatError if there are none."""
    from ..api.batches.lines import check_lines, parse_line, read_lines
    from .logged_requests import read_logged

    if path.is_dir():
        logged = read_logged(path)
        for count, what in (
            (logged.without_content, "receipts have only a hash of their request"),
            (logged.not_comparable, "requests have what cannot be compared, such as suffix or echo"),
        ):
            if count:
                click.echo(f"{count} {what}, and are left out.", err=True)
        if not logged.lines:
            raise TritonchatError(f"{path} has no requests (see --receipt-content of the server).")
        return logged.lines
    _, problems = check_lines(path, NO_LIMIT)
    if problems:
        raise TritonchatError(f"{path} cannot be answered: {problems[0].message}")
    lines = [parse_line(raw, number, NO_LIMIT) for number, raw in read_lines(path, 0)]
    for line in lines:
        line.body.pop("model", None)  # A and B are asked, whomever the file was for
    return lines


def _report(
    names: tuple[str, str],
    comparisons: Any,
    out: tuple[Path | None, Path | None],
    thresholds: dict[str, Any],
) -> None:
    """Print and write what was found, and exit with status 1 if a threshold is not kept."""
    from . import report
    from .diff import summarize

    summary = summarize(comparisons)
    limits = report.check_limits(summary, **thresholds)
    found = names, comparisons, summary, limits
    renders = (lambda: json.dumps(report.to_json(*found)), lambda: report.to_html(*found))
    for path, render in zip(out, renders, strict=True):
        if path is not None:
            try:
                path.write_text(render(), encoding="utf-8", errors="replace")
            except OSError as error:
                raise TritonchatError(f"{path} cannot be written: {error.strerror}.") from error
    differing = [each for each in comparisons if not each.equal]
    for each in differing[:_SHOWN]:
        click.echo(f"{each.custom_id}: {_describe(each)}")
    if len(differing) > _SHOWN:
        click.echo(f"... and {len(differing) - _SHOWN} more (--html, --json).")
    click.echo(
        f"{summary.requests} requests: {summary.equal:.1%} the same bytes, {summary.same:.1%} the same "
        f"meaning, KL {_show(summary.divergence)} nats a token or more, perplexity "
        f"{_show(summary.perplexity_a)} and {_show(summary.perplexity_b)}, failed {summary.failed_a} and "
        f"{summary.failed_b}."
    )
    for limit in limits:
        if not limit.is_kept:
            click.echo(f"{limit.name} {limit.value:g} is not kept: {_show(limit.found)} was found.")
    if not all(limit.is_kept for limit in limits):
        sys.exit(1)


def _describe(each: Any) -> str:
    for name, answer in (("A", each.a), ("B", each.b)):
        if answer.failed:
            return f"{name} has failed: {answer.text}"
    if each.parting is None:
        return "the same tokens, but another text"
    (a_in_a, a_in_b), (b_in_a, b_in_b) = each.parting.probabilities
    return (
        f"token {each.parting.place}, after {each.parting.before!r}: "
        f"{each.parting.texts[0]!r} ({_show(a_in_a)} in A, {_show(a_in_b)} in B), "
        f"{each.parting.texts[1]!r} ({_show(b_in_a)}, {_show(b_in_b)})"
    )


def _show(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _find_judge(same_json: bool, same_regex: str | None) -> Any:
    from .diff import judge_json, make_regex_judge

    if same_json and same_regex is not None:
        raise click.UsageError("--same-json and --same-regex are two judges; give one.")
    if same_regex is None:
        return judge_json if same_json else None
    try:
        return make_regex_judge(same_regex)
    except re.error as error:
        raise click.UsageError(f"--same-regex is no regular expression: {error}.") from None


async def _compare(
    names: tuple[str, str], lines: "list[BatchLine]", judge: Any, api_key: str | None
) -> list[Any]:
    from tqdm import tqdm

    from .diff import compare_all

    async with _open(names[0], api_key) as a, _open(names[1], api_key) as b:
        with tqdm(desc="Answering", unit="answer", total=2 * len(lines), disable=None) as bar:
            return await compare_all((a, b), lines, judge, bar.update)


@asynccontextmanager
async def _open(name: str, api_key: str | None) -> AsyncIterator[tuple["Side", str | None]]:
    """A side by its name, with the name of its model; None: that of each request. Raises TritonchatError."""
    from ..terminal.service import ServiceClient
    from .sides import RemoteSide, open_local

    place, _, query = name.partition("?")
    given = dict(parse_qsl(query))
    if place.startswith(("http://", "https://")):
        model = given.pop("model", None)
        _refuse_rest(name, given)
        with ServiceClient(place, api_key) as service:
            yield RemoteSide(service), model
        return
    adapter = given.pop("adapter", None)
    settings: dict[str, Any] = {key: given.pop(key) for key in _LOCAL & given.keys()}
    try:
        settings |= {"max_context": int(given.pop("max_context"))} if "max_context" in given else {}
    except ValueError:
        raise TritonchatError(f"{name}: max_context should be a whole number.") from None
    settings |= {"portable": given.pop("portable") in ("1", "true")} if "portable" in given else {}
    _refuse_rest(name, given)
    path = None if place == "embedded" else place
    async with open_local(path, settings, None if adapter is None else Path(adapter)) as side:
        yield side, "default" if adapter is None else "adapter"


def _refuse_rest(name: str, given: dict[str, str]) -> None:
    if given:
        known = ", ".join(sorted({*_LOCAL, "adapter", "max_context", "portable"}))
        raise TritonchatError(
            f"{name}: {next(iter(given))} is no setting here; models take {known}, and servers model."
        )
