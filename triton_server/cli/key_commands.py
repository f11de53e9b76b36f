"""The commands `tritonchat keys ...`: API keys in the database, their limits, and what they have used."""

import csv
import io
import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

from ..options.flags import Readable, combine_options, setting_flags
from ..settings.server import ServerSettings
from ..settings.values import read_duration

if TYPE_CHECKING:
    from ..conversations.api_keys.store import KeyRules
    from ..conversations.transactions import Database

# What opens the database is imported by each command itself: the processes of other commands must stay small.

_PIPE_WIDTH = 10_000  # columns of what is no terminal
_LIMITS = {
    "requests_per_minute": "Requests a minute; 0: any number.",
    "tokens_per_minute": "Tokens of prompts and answers a minute; 0: any number.",
    "requests_per_day": "Requests a day, which begins at midnight in UTC; 0: any number.",
    "tokens_per_day": "Tokens of prompts and answers a day; 0: any number.",
}


def read_models(text: str) -> tuple[str, ...] | None:
    """Names with commas between them; `all` is None. Raises ValueError."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"{text!r} has no name of a model between two commas.")
    return None if names == ("all",) else names


def read_since(text: str) -> float:
    """The seconds since 1970 at a date such as 2026-11-01, or a time before now such as 30d.

    Raises ValueError.
    """
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        pass
    try:
        return time.time() - read_duration(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither a date such as 2026-11-01 nor a time such as 30d.") from None


database_flags = setting_flags(ServerSettings, "database", "config")
name_argument = click.argument("name")
expires_option = click.option(
    "--expires",
    "lifetime_s",
    type=Readable("TIME", read_duration),
    help="The key is not valid from this time on, such as 90d or 12h.  [default: never]",
)
rules_options = combine_options(
    click.option(
        "--models",
        type=Readable("NAME,...", read_models),
        help="Models and adapters that it may use, by the names of /v1/models; all: all.  [default: all]",
    ),
    *(
        click.option("--" + name.replace("_", "-"), type=click.IntRange(0, 2**53), help=text)
        for name, text in _LIMITS.items()
    ),
)


@click.group()
def keys() -> None:
    """API keys in the database, for services that run with --stored-keys on the same database.

    Running services know of a change within seconds. What a key stores belongs to its NAME.

    \b
    tritonchat keys add ada --expires 90d          make a key, which is shown once
    tritonchat keys list                           show the names and their limits
    tritonchat keys change ada --models small      change what the keys of a name may do
    tritonchat keys rotate ada --keep-old 1d       make a new key for the same name
    tritonchat keys revoke ada                     make its keys invalid
    tritonchat keys usage --since 2026-11-01       requests and tokens of each name
    """


@keys.command()
@name_argument
@expires_option
@rules_options
@database_flags
def add(settings: ServerSettings, name: str, lifetime_s: float | None, **limits: Any) -> None:
    """Make a key for NAME, and print it. It cannot be shown again: only its hash is stored."""
    from ..conversations.api_keys.store import KeyRules, KeyStore

    with _open(settings) as database:
        _show_key(KeyStore(database).add(name, _change(KeyRules(), limits), lifetime_s), name)


@keys.command()
@name_argument
@expires_option
@click.option(
    "--keep-old",
    "keep_old_s",
    type=Readable("TIME", read_duration),
    default="0",
    show_default=True,
    help="How long the other keys of NAME are still valid.",
)
@database_flags
def rotate(settings: ServerSettings, name: str, lifetime_s: float | None, keep_old_s: float) -> None:
    """Make a new key for NAME, and print it. Sessions, limits and counts stay with the name."""
    from ..conversations.api_keys.store import KeyStore

    with _open(settings) as database:
        _show_key(KeyStore(database).rotate(name, lifetime_s, keep_old_s), name)


@keys.command()
@name_argument
@rules_options
@database_flags
def change(settings: ServerSettings, name: str, **limits: Any) -> None:
    """Change what the keys of NAME may do. What is not given stays as it is."""
    from ..conversations.api_keys.store import KeyStore

    with _open(settings) as database:
        store = KeyStore(database)
        store.change(name, _change(store.rules(name), limits))


@keys.command()
@name_argument
@database_flags
def revoke(settings: ServerSettings, name: str) -> None:
    """Make all keys of NAME invalid. What they have stored stays; `rotate` makes a valid key again."""
    from ..conversations.api_keys.store import KeyStore

    with _open(settings) as database:
        KeyStore(database).revoke(name)


@keys.command("list")
@database_flags
def list_keys(settings: ServerSettings) -> None:
    """Show the names that have keys, and what these may do."""
    from ..conversations.api_keys.store import LIMITS, KeyStore

    with _open(settings) as database:
        entries = KeyStore(database).list_names()
    rows = []
    for entry in entries:
        given = {limit: count for limit in LIMITS if (count := getattr(entry.rules, limit))}
        limits = (f"{count} {limit.replace('_per_', '/')}" for limit, count in given.items())
        state = "revoked" if entry.revoked is not None else str(entry.keys) if entry.keys else "expired"
        models = "all" if entry.rules.models is None else ", ".join(entry.rules.models)
        dates = _date(entry.created), _date(entry.expires)
        rows.append([entry.name, state, *dates, models, "\n".join(limits)])
    _print_table(["name", "valid keys", "created", "expires", "models", "limits"], rows)


@keys.command()
@click.option(
    "--since",
    type=Readable("DATE|TIME", read_since),
    default="30d",
    show_default=True,
    help="A date in UTC such as 2026-11-01, or so long before now; whole days are counted.",
)
@click.option(
    "--format", "kind", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True
)
@database_flags
def usage(settings: ServerSettings, since: float, kind: str) -> None:
    """Show how many requests and tokens the keys of each name have used."""
    from ..conversations.api_keys.usage import COUNTS, KeyCounts

    with _open(settings) as database:
        uses = KeyCounts(database).list_uses(since)
    rows = [{"name": name, **asdict(use)} for name, use in uses.items()]
    if kind == "json":
        click.echo(json.dumps(rows, indent=2))
    elif kind == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, ["name", *COUNTS], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(text.getvalue(), nl=False)
    else:
        heads = ["name", *(name.replace("_", " ") for name in COUNTS)]
        _print_table(heads, [[*row.values()] for row in rows])


@contextmanager
def _open(settings: ServerSettings) -> Iterator["Database"]:
    from ..conversations.database import find_url
    from ..conversations.transactions import Database

    with closing(Database(find_url(settings.database))) as database:
        yield database


def _change(rules: "KeyRules", limits: dict[str, Any]) -> "KeyRules":
    """The rules with the limits that are given; `models` may be None, which means all."""
    context = click.get_current_context()
    given = {
        name: value
        for name, value in limits.items()
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }
    return replace(rules, **given)


def _show_key(key: str, name: str) -> None:
    click.echo(key)
    click.echo(
        f"The key of {name}. It is not shown again. Services with --stored-keys on this database take it in "
        "a second or two.",
        err=True,
    )


def _date(seconds: float | None) -> str:
    return "never" if seconds is None else f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d}"


def _print_table(heads: list[str], rows: list[list[Any]]) -> None:
    import rich.box
    import rich.console
    import rich.table

    # A narrow terminal folds long cells, and leaves nothing out; a pipe gets whole rows.
    table = rich.table.Table(
        *(rich.table.Column(head, overflow="fold") for head in heads), box=rich.box.SIMPLE
    )
    for row in rows:
        table.add_row(*map(str, row))
    rich.console.Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(table)
