"""The command `tritonchat servers canary`: try a new version, perhaps after a comparison with the old one."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from model_core.errors import TritonchatError

from ..options.flags import Readable
from ..proxy.server_commands import ServersSettings, check_urls, file_flag
from .diff_command import Pair, comparison_options, run_comparison

if TYPE_CHECKING:
    from ..proxy.fleet import Fleet
    from .sides import SharedSide


def read_share(text: str) -> float:
    """A part: 10%, or 0.1. Raises ValueError."""
    number = text.strip().removesuffix("%")
    try:
        share = float(number) / (100 if "%" in text else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} is not a part such as 10% or 0.1.")
    return share


@click.command()
@click.argument("urls", metavar="[URL...]", nargs=-1)
@click.option(
    "--share",
    type=Readable("SHARE", read_share),
    default="10%",
    show_default=True,
    help="Of the conversations.",
)
@click.option(
    "--by",
    type=click.Choice(["conversation", "key"]),
    default="conversation",
    show_default=True,
    help="What gets one version always: a conversation, or all requests of an API key.",
)
@click.option(
    "--requests",
    metavar="REQUESTS",
    help="First let both versions answer these requests, as of `tritonchat diff`: a file, the folder of a "
    "log of receipts, or http://SERVER/conversations.",
)
@comparison_options
@file_flag
def canary(
    settings: ServersSettings,
    urls: tuple[str, ...],
    share: float,
    by: str,
    requests: str | None,
    api_key: str | None,
    **options: Any,
) -> None:
    """Send a part of the conversations to servers of a new version; or change the share.

    A conversation stays with its version. If the share grows, those that have the new one keep it. The
    metrics of the proxy are apart for the versions.

    With --requests, the servers of both versions answer these requests before, and where their answers part
    is reported as by `tritonchat diff`, A the old version and B the new one. If a threshold is not kept, all
    stays as it was, and the exit status is 1.
    """
    from ..proxy.fleet import change_fleet, load_fleet

    found = check_urls(urls)
    if requests is None:
        _refuse_options(options)
    else:
        tried = _try_version(load_fleet(settings.file), found, share, by)
        old, new = (_list_servers(tried, version) for version in (tried.version, _version_of(tried)))
        if not _compare_versions((old, new), requests, api_key, options):
            click.echo("The servers stay as they were.")
            sys.exit(1)
    change_fleet(settings.file, lambda fleet: _try_version(fleet, found, share, by))


def _refuse_options(options: dict[str, Any]) -> None:
    """Raises UsageError if there is an option of a comparison, and none is made."""
    context = click.get_current_context()
    for parameter in context.command.params:
        value = options.get(str(parameter.name))
        if value is not None and value is not False:
            raise click.UsageError(f"{parameter.opts[0]} is for a comparison; give --requests, too.", context)


def _try_version(fleet: "Fleet", urls: Sequence[str], share: float, by: Any) -> "Fleet":
    """A part for a new version, whose servers these are, too. Raises TritonchatError if there are none."""
    from ..proxy.fleet import Canary

    if not urls and fleet.canary is None:
        raise TritonchatError("name the servers of the new version: tritonchat servers canary URL...")
    known = {fleet.version, *(server.version for server in fleet.servers)}
    version = fleet.canary.version if fleet.canary else max(known) + 1
    return fleet.with_servers(urls, version).model_copy(
        update={"canary": Canary(version=version, share=share, by=by)}
    )


def _version_of(fleet: "Fleet") -> int:
    """The version that is tried."""
    assert fleet.canary is not None
    return fleet.canary.version


def _list_servers(fleet: "Fleet", version: int) -> list[str]:
    """The servers that get requests of a version. Raises TritonchatError if there are none."""
    urls = [server.url for server in fleet.servers if server.version == version and not server.is_draining]
    if not urls:
        raise TritonchatError(f"there are no servers of version {version} to compare with.")
    return urls


def _compare_versions(
    versions: tuple[Sequence[str], Sequence[str]], requests: str, api_key: str | None, options: dict[str, Any]
) -> bool:
    """Let the servers of two versions answer requests. Whether all thresholds are kept.

    Old servers that do not answer are left out; new ones must answer.
    """
    old, new = _find_answering(versions[0], api_key), versions[1]

    @asynccontextmanager
    async def open_both() -> AsyncIterator[Pair]:
        with ExitStack() as stack:
            sides = [_open_version(urls, api_key, stack) for urls in (old, new)]
            yield (sides[0], None), (sides[1], None)

    return run_comparison((", ".join(old), ", ".join(new)), open_both, requests, api_key, options)


def _find_answering(urls: Sequence[str], api_key: str | None) -> list[str]:
    """The servers that answer. Raises TritonchatError if none does."""
    from ..terminal.service import ServiceClient

    found, problem = [], None
    for url in urls:
        with ServiceClient(url, api_key) as service:
            try:
                service.list_models()
                found.append(url)
            except TritonchatError as error:
                problem = error
                click.echo(f"Without {url}: {error}", err=True)
    if problem is not None and not found:
        raise problem
    return found


def _open_version(urls: Sequence[str], api_key: str | None, stack: ExitStack) -> "SharedSide":
    """All servers of a version, until `stack` ends."""
    from ..terminal.service import ServiceClient
    from .sides import RemoteSide, SharedSide

    return SharedSide([RemoteSide(stack.enter_context(ServiceClient(url, api_key))) for url in urls])
