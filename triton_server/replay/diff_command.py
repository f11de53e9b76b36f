"""The command `tritonchat diff`."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import click

from model_core.errors import TritonchatError

from ..options.flags import Readable, combine_options, option
from ..settings.values import read_duration
from ..system.signals import signals_as_interrupts
from .percent import Percent

if TYPE_CHECKING:
    from ..api.batches.lines import BatchLine
    from .sides import Side

Pair = tuple[tuple["Side", str | None], tuple["Side", str | None]]  # each with its model, as in compare_all
_SHOWN = 10  # differences on a terminal
_OUT = click.Path(dir_okay=False, path_type=Path)
_LOCAL = {"weights", "arithmetic", "kv_cache_dtype"}  # that a model may have, beside max_context and portable


comparison_options = combine_options(
    click.option(
        "--since",
        "age_s",
        type=Readable("TIME", read_duration),
        help="Of a log or of kept conversations: the requests of the last 1d, or 12h.",
    ),
    click.option(
        "--same-json", is_flag=True, help="Two answers mean the same if they are the same JSON value."
    ),
    click.option(
        "--same-regex", metavar="REGEX", help="... if the first match, or its first group, is the same."
    ),
    click.option(
        "--min-equal", type=Percent(), help="Fail if fewer answers have the same bytes, such as 97%."
    ),
    click.option("--min-same", type=Percent(), help="Fail if fewer answers have the same meaning."),
    click.option(
        "--max-kl", type=click.FloatRange(0), help="Fail if the mean KL divergence is larger, in nats."
    ),
    click.option("--json", "json_file", type=_OUT, help="Write all that was found to this file."),
    click.option("--html", "html_file", type=_OUT, help="Write a report that needs no other file."),
    option("--api-key", help="The key of servers that need one; safer in the environment."),
)


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("requests")
@comparison_options
def diff(a: str, b: str, requests: str, api_key: str | None, **options: Any) -> None:
    """Let A and B answer the same REQUESTS, and say where their answers part.

    A and B are URLs of servers, or models that are loaded here: folders, files or names as of --model, or
    embedded. Settings follow a question mark: ./model?weights=int4&adapter=./poet, or of a server the name
    of its model: http://localhost:8080?model=poet.

    REQUESTS is a file with a request a line, in the form of OpenAI's batches, for /v1/chat/completions or
    /v1/completions; the folder of a log of receipts; or http://SERVER/conversations, those that the server
    keeps for the owner of the API key. A request without a seed gets the seed 0.

    The exit status is 1 if a threshold is not kept.
    """

    @asynccontextmanager
    async def open_both() -> AsyncIterator[Pair]:
        async with _open(a, api_key) as side_a, _open(b, api_key) as side_b:
            yield side_a, side_b

    if not run_comparison((a, b), open_both, requests, api_key, options):
        sys.exit(1)


def run_comparison(
    names: tuple[str, str],
    open_both: Callable[[], AbstractAsyncContextManager[Pair]],
    source: str,
    api_key: str | None,
    options: dict[str, Any],
) -> bool:
    """Compare two sides, print and write what was found, and say whether all thresholds are kept.

    `names`: of the sides, for reports. `source`: of the requests. `options`: the others of
    `comparison_options`. Raises TritonchatError.
    """
    from .request_sources import read_requests

    judge = _find_judge(options.pop("same_json"), options.pop("same_regex"))
    files = options.pop("json_file"), options.pop("html_file")
    lines = read_requests(source, options.pop("age_s"), api_key)
    with signals_as_interrupts():
        comparisons = asyncio.run(_compare(open_both, lines, judge))
    return _report(names, comparisons, files, options)


def _report(
    names: tuple[str, str],
    comparisons: Any,
    out: tuple[Path | None, Path | None],
    thresholds: dict[str, Any],
) -> bool:
    """Print and write what was found, and say whether all thresholds are kept."""
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
    return all(limit.is_kept for limit in limits)


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
    open_both: Callable[[], AbstractAsyncContextManager[Pair]], lines: "list[BatchLine]", judge: Any
) -> list[Any]:
    from tqdm import tqdm

    from .diff import compare_all

    async with open_both() as pair:
        with tqdm(desc="Answering", unit="answer", total=2 * len(lines), disable=None) as bar:
            return await compare_all(pair, lines, judge, bar.update)


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
