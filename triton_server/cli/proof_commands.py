"""The commands for what answers can be proved with: `tritonchat fingerprint`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..options.flags import FILE, setting_flags
from ..settings.server import LocalSettings
from ..system.signals import signals_as_interrupts

# The settings on which answers depend.
_OF_ANSWERS = ("revision", "weights", "arithmetic", "portable", "max_context", "kv_cache_dtype")


@click.command()
@click.argument("model", required=False)
@setting_flags(LocalSettings, *_OF_ANSWERS)
@click.option("--chat-template", type=FILE, help="As --chat-template of `tritonchat serve`.")
@click.option("--mmproj", type=FILE, help="As --mmproj of `tritonchat serve`.")
@click.option(
    "--adapter",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The fingerprint of answers that the LoRA adapter in this folder changes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def fingerprint(
    settings: LocalSettings,
    model: str | None,
    chat_template: Path | None,
    mmproj: Path | None,
    adapter: Path | None,
    as_json: bool,
) -> None:
    """Print the fingerprint of MODEL, and what it is made of. The default is the embedded model.

    A server with the same flags has the same one in `system_fingerprint` and X-Model-Digest. Two servers with
    the same fingerprint give the same bytes. The weights are hashed, and not loaded; the hashes of files are
    kept, so that the second time takes a moment.
    """
    from model_core.llm.identify import identify_adapter, identify_model
    from model_core.llm.settings import LLMSettings
    from model_core.machine.fingerprint import make_fingerprint

    values = {name: getattr(settings, name) for name in _OF_ANSWERS}
    with signals_as_interrupts():
        made_of = identify_model(model, LLMSettings(chat_template=chat_template, mmproj=mmproj, **values))
        if adapter is not None:
            made_of["adapter"] = identify_adapter(adapter)
    found = make_fingerprint(made_of)
    if as_json:
        return click.echo(json.dumps({"fingerprint": found, "made_of": made_of}, indent=2))
    click.echo(found)
    for name, value in made_of.items():
        click.echo(f"  {name:<14} {_show(value)}")


def _show(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_show(each)}" for name, each in value.items())
    if isinstance(value, list):
        return f"\n  {'':<14} ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
