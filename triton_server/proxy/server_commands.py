"""The commands `tritonchat servers ...`: change what is behind a running proxy, by its file.

The command that tries a new version, `canary`, is in replay/canary_command.py, because it may compare.
"""

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from model_core.errors import TritonchatError

from ..contract.api_keys import split_name
from ..options.flags import Readable, setting_flags
from ..settings.base import setting
from ..settings.values import read_duration
from .command import FleetSettings

if TYPE_CHECKING:
    from .fleet import Fleet

_POLL_S = 0.5


class ServersSettings(FleetSettings):
    """Where the servers are written, and the proxy that reads it."""

    proxy_url: str = setting("http://127.0.0.1:8090", key="proxy")
    """The proxy."""


file_flag = setting_flags(ServersSettings, "servers")
fleet_flags = setting_flags(ServersSettings, "servers", "proxy")
patience_option = click.option(
    "--wait",
    "wait_s",
    type=Readable("TIME", read_duration),
    default="10m",
    show_default=True,
    help="How long to wait until requests of servers to be removed have ended.",
)


@click.group()
def servers() -> None:
    """Change the servers behind a running proxy, and try a new version.

    \b
    tritonchat servers list                                    show them, with what they do
    tritonchat servers add http://10.0.0.2:8080                send requests there, too
    tritonchat servers remove http://10.0.0.2:8080             after its running requests
    tritonchat servers canary http://10.0.0.4:8080 --share 10% try a new version on a part
    tritonchat servers promote                                 give it all, and remove the old ones
    tritonchat servers withdraw                                remove the new ones again
    """


@servers.command("list")
@fleet_flags
def list_servers(settings: ServersSettings) -> None:
    """Show the servers, their versions, and what the proxy says of them."""
    from .fleet import load_fleet

    fleet = load_fleet(settings.file)
    states = _ask_proxy(settings.proxy_url)
    for server in fleet.servers:
        state = states.get(server.url)
        words = "the proxy does not know it" if states else "the proxy does not answer"
        if state is not None:
            ready = "draining" if state["draining"] else "ready" if state["ready"] else "not ready"
            words = f"{ready}, {state['running']} running, {state['requests']} so far"
        click.echo(f"{server.url}   version {server.version}   {words}")
    if (canary := fleet.canary) is not None:
        noun = "API keys" if canary.by == "key" else "conversations"
        click.echo(f"Version {canary.version} gets {canary.share:.1%} of the {noun}.")
    elif not fleet.servers:
        click.echo("There are none yet: tritonchat servers add URL")


@servers.command()
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@file_flag
def add(settings: ServersSettings, urls: tuple[str, ...]) -> None:
    """Send requests to these servers, too. They are of the version that gets most requests."""
    from .fleet import change_fleet

    found = check_urls(urls)
    change_fleet(settings.file, lambda fleet: fleet.with_servers(found, fleet.version))


@servers.command()
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@fleet_flags
@patience_option
def remove(settings: ServersSettings, urls: tuple[str, ...], wait_s: float) -> None:
    """Send these servers no new requests, and remove them when those that run there have ended."""
    from .fleet import load_fleet

    found = check_urls(urls)
    known = {server.url for server in load_fleet(settings.file).servers}
    if unknown := [url for url in found if url not in known]:
        raise TritonchatError(f"there is no server {unknown[0]}; tritonchat servers list shows them.")
    _remove(settings, found, wait_s)


@servers.command()
@fleet_flags
@patience_option
def promote(settings: ServersSettings, wait_s: float) -> None:
    """Give all requests to the new version, and remove the servers of the old one when they are idle."""
    _end_canary(settings, wait_s, is_promoted=True)


@servers.command()
@fleet_flags
@patience_option
def withdraw(settings: ServersSettings, wait_s: float) -> None:
    """Give all requests to the old version, and remove the servers of the new one when they are idle."""
    _end_canary(settings, wait_s, is_promoted=False)


def _end_canary(settings: ServersSettings, wait_s: float, is_promoted: bool) -> None:
    from .fleet import change_fleet

    def change(fleet: "Fleet") -> "Fleet":
        if fleet.canary is None:
            raise TritonchatError("no new version is tried; begin with: tritonchat servers canary URL...")
        version = fleet.canary.version if is_promoted else fleet.version
        return fleet.model_copy(update={"version": version, "canary": None})

    fleet = change_fleet(settings.file, change)
    others = [server.url for server in fleet.servers if server.version != fleet.version]
    _remove(settings, others, wait_s)


def _remove(settings: ServersSettings, urls: Sequence[str], wait_s: float) -> None:
    """Drain servers, wait until the proxy has no requests there, and remove them from the file."""
    from .fleet import change_fleet

    change_fleet(settings.file, lambda fleet: fleet.draining(urls))
    end, is_announced = time.monotonic() + wait_s, False
    while states := _ask_proxy(settings.proxy_url):
        ours = [states[url] for url in urls if url in states]
        running = sum(state["running"] for state in ours)
        if not running and all(state["draining"] for state in ours):
            break
        if time.monotonic() > end:
            raise TritonchatError(f"{running} requests still run there; the same command waits again.")
        if running and not is_announced:
            is_announced = True
            click.echo(f"Waiting for {running} running requests ...")
        time.sleep(_POLL_S)
    change_fleet(settings.file, lambda fleet: fleet.without(urls))
    click.echo(f"Removed {', '.join(urls) or 'nothing'}.")


def _ask_proxy(url: str) -> dict[str, dict[str, Any]]:
    """What the proxy says of its servers, by their addresses; nothing if it does not answer.

    Raises TritonchatError if it does not tell: who then removed servers would not know what runs there.
    """
    import httpx

    keys = os.environ.get("TRITONCHAT_API_KEY", "").split()
    headers = {"Authorization": f"Bearer {split_name(keys[0])[1]}"} if keys else {}
    try:
        answer = httpx.get(f"{url}/replicas", headers=headers, timeout=5, trust_env=False)
        if answer.status_code == 401:
            raise TritonchatError(f"{url} wants a key of the proxy; put one into TRITONCHAT_API_KEY.")
        states = answer.raise_for_status().json()["servers"]
    except (httpx.HTTPError, ValueError, KeyError):
        return {}
    return {state["url"]: state for state in states}


def check_urls(urls: Sequence[str]) -> list[str]:
    """The addresses of servers, without a slash at their ends. Raises TritonchatError."""
    from .fleet import check_url

    try:
        return [check_url(url) for url in urls]
    except ValueError as error:
        raise TritonchatError(str(error)) from error
