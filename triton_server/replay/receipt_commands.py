"""The commands for receipts: `tritonchat verify` and `audit`."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from model_core.errors import TritonchatError

from ..options.flags import FILE, combine_options, option, setting_flags
from ..settings.server import LocalSettings
from ..system.signals import signals_as_interrupts
from .percent import Percent

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_OF_ANSWERS = ("weights", "arithmetic", "portable", "max_context", "kv_cache_dtype")
_where_options = combine_options(
    setting_flags(LocalSettings, "model", "revision", *_OF_ANSWERS, "threads", "kv_cache_memory"),
    click.option("--adapter", type=_FOLDER, help="The LoRA adapter that has changed the answer."),
    click.option("--mmproj", type=FILE, help="As --mmproj of `tritonchat serve`, for answers to images."),
    click.option("--chat-template", type=FILE, help="As --chat-template of `tritonchat serve`."),
    option(
        "--server",
        envvar="TRITONCHAT_API_URL",
        default=None,
        help="Let the HTTP service at this URL compute the answer again, instead of a model here.",
    ),
    option("--api-key", help="The key, if the service needs one; safer in the environment."),
    click.option(
        "--key",
        type=FILE,
        help="Trust the key in this file, which /.well-known/tritonchat-key of the server has sent.",
    ),
)


@click.command()
@click.argument("receipt", type=FILE)
@_where_options
@click.option(
    "--request",
    type=FILE,
    help="The request, if the receipt has only its hash: what was sent to /v1/chat/completions or "
    "/v1/completions.",
)
def verify(
    settings: LocalSettings,
    receipt: Path,
    server: str | None,
    api_key: str | None,
    key: Path | None,
    request: Path | None,
    **files: Path | None,
) -> None:
    """Check the signature of the receipt in the file RECEIPT, and compute its answer again.

    Says "equal", or the first token that differs, and why it may. The exit status is 0 only if it is equal.
    Without --server, the model is loaded here, with the settings that the receipt names. Whether its key can
    be trusted depends on --key or --server, or on a server of this user on this machine.
    """
    from ..receipts.receipt import read_receipt
    from .verify import compute_again, find_trusted, open_side, read_content

    where = _make_where(settings, files, server, api_key)
    try:
        found = read_receipt(receipt.read_bytes())
    except OSError as error:
        raise TritonchatError(f"{receipt} cannot be read: {error.strerror}.") from error
    content = None if request is None else read_content(request)
    trusted = find_trusted(key, where)
    _say_signature(found, trusted)

    async def compute() -> dict[str, Any]:
        async with open_side(where, found["model"]["made_of"]) as (side, model):
            return await compute_again(side, model, found, content)

    with signals_as_interrupts():
        verdict = asyncio.run(compute())
    click.echo(verdict["message"])
    if not verdict["equal"]:
        sys.exit(1)


@click.command()
@click.argument("folder", type=_FOLDER)
@click.option("--sample", type=Percent(), default="1%", show_default=True, help="How many to compute again.")
@_where_options
def audit(
    settings: LocalSettings,
    folder: Path,
    sample: float,
    server: str | None,
    api_key: str | None,
    key: Path | None,
    **files: Path | None,
) -> None:
    """Check the log of receipts in FOLDER (--receipt-log), and compute a sample of its answers again.

    Every line is checked: its signature, and that no line was changed, left out or put in between. The
    sample is drawn anew each time. Lines without the request (see --receipt-content) cannot be computed
    again. The exit status is 0 only if nothing is wrong.
    """
    from .audit import compute_sample, read_audit
    from .verify import find_trusted

    where = _make_where(settings, files, server, api_key)
    trusted = find_trusted(key, where)
    if trusted is None:
        click.echo("Nobody here vouches for the key of the log; give --key or --server.", err=True)
    found = read_audit(folder, sample, trusted)
    with signals_as_interrupts():
        asyncio.run(compute_sample(found, folder, where))
    for fault in found.faults:
        click.echo(fault)
    computed = len(found.sample) - found.not_computed
    click.echo(
        f"{found.lines} lines, receipts {found.first} to {found.last}; {computed} answers computed again, "
        f"{found.equal} equal; {len(found.faults)} faults."
    )
    for count, what in (
        (found.cut_off, "answers were cut off, and are equal as far as they came"),
        (found.equal_by_other, "answers are equal, but computed by a model of another fingerprint"),
        (found.not_computed, "answers are of other weights or adapters (--model, --adapter)"),
        (found.without_content, "of the sample have only hashes, and were not computed again"),
    ):
        if count:
            click.echo(f"{count} {what}.")
    if not found.is_right:
        sys.exit(1)


def _make_where(
    settings: LocalSettings, files: dict[str, Path | None], server: str | None, api_key: str | None
) -> Any:
    """`files`: the adapter, and settings that are files."""
    from .verify import Where

    given = settings.model_dump(include=settings.model_fields_set - {"model"})
    given |= {name: path for name, path in files.items() if path is not None and name != "adapter"}
    return Where(server, api_key, settings.model, files["adapter"], given)


def _say_signature(receipt: dict[str, Any], trusted: Any) -> None:
    """Say who has signed a receipt. Raises TritonchatError if it is not who should have."""
    model, time = receipt["model"], receipt["time"]
    if trusted is None:
        who = f"the key {receipt['key']}, for which nobody here vouches (--key or --server)"
    elif receipt["key"] in trusted.keys:
        who = f"the key of {trusted.place}"
    else:
        raise TritonchatError(f"the receipt is signed by another key than that of {trusted.place}.")
    click.echo(f"{model['name']} ({model['fingerprint']}), {time}, signed by {who}.")
