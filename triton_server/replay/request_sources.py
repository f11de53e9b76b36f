"""Where the requests of a comparison come from: a file, a log of receipts, or kept conversations."""

import time
from collections.abc import Mapping
from pathlib import Path

import click

from model_core.errors import TritonchatError

from ..api.batches.lines import BatchLine, check_lines, parse_line, read_lines
from ..system.body_encoding import NO_LIMIT
from ..terminal.service import ServiceClient
from . import kept_requests, logged_requests

_SCHEMES = ("http://", "https://")


def read_requests(source: str, age_s: float | None, api_key: str | None) -> list[BatchLine]:
    """The requests of a source. Says on stderr what is left out.

    `age_s`: those of the last so many seconds; None: all. `api_key`: of the owner of kept conversations.
    Raises TritonchatError if there are none.
    """
    since = 0.0 if age_s is None else time.time() - age_s
    if source.startswith(_SCHEMES):
        return _read_kept(source, since, api_key)
    path = Path(source)
    if path.is_dir():
        found = logged_requests.read_logged(path, since)
        _say_left_out(found.left_out)
        if not found.lines:
            raise TritonchatError(f"{path} has no such requests (see --receipt-content of the server).")
        return found.lines
    if not path.exists():
        raise TritonchatError(f"{path}, which should have the requests, does not exist.")
    if age_s is not None:
        raise TritonchatError(f"--since needs a log of receipts or kept conversations; {path} has no times.")
    return _read_file(path)


def _read_kept(source: str, since: float, api_key: str | None) -> list[BatchLine]:
    if not source.rstrip("/").endswith(kept_requests.PATH):
        raise TritonchatError(
            f"{source} is no source of requests; a server's conversations are at http://SERVER"
            f"{kept_requests.PATH}."
        )
    with ServiceClient(source.rstrip("/").removesuffix(kept_requests.PATH), api_key) as service:
        found = kept_requests.read_kept(service, since)
        _say_left_out(found.left_out)
        if not found.lines:
            raise TritonchatError(f"{service.url} keeps no such conversations of this key.")
    return found.lines


def _read_file(path: Path) -> list[BatchLine]:
    _, problems = check_lines(path, NO_LIMIT)
    if problems:
        raise TritonchatError(f"{path} cannot be answered: {problems[0].message}")
    lines = [parse_line(raw, number, NO_LIMIT) for number, raw in read_lines(path, 0)]
    for line in lines:
        line.body.pop("model", None)  # A and B are asked, whomever the file was for
    return lines


def _say_left_out(reasons: Mapping[str, int]) -> None:
    for why, count in reasons.items():
        if count:
            click.echo(f"{count} {why}, and are left out.", err=True)
