"""The command line: `tritonchat up`, `serve`, `ui`, `chat`, `complete`, `quantize`, `bench`, `doctor`."""

import json
import logging
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import rich.console
import rich.table

from model_core import LLM, SamplingParams, TritonchatError

from .client import ChatClient
from .hosts import is_loopback, link
from .machine import check_all, check_ports, check_python
from .options import (
    FILE,
    MemorySize,
    api_options,
    api_port_option,
    host_option,
    model_options,
    open_option,
    option,
    page_option,
    port_options,
    server_options,
)
from .page import launch_page
from .running import flags, insist, interruptible, run_server, scratch_folder
from .stdin import prompt_or_input
from .terminal.cli import chat
from .terminal.display import open_console, writer_for


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tritonchat")
def cli() -> None:
    """Chat with a language model that runs on this machine.

    \b
    tritonchat up                        everything, on the embedded model
    tritonchat up --model ./my-model     the same on a model of yours
    tritonchat chat                      talk to it in the terminal
    tritonchat complete "Once upon"      continue a text, without a server
    tritonchat quantize MODEL OUT        a model of 8 or 4 bits from another
    tritonchat bench                     how fast this machine is with a model
    tritonchat doctor                    what is wrong with this machine, if anything
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # PyTriton warns of a Triton that ends by a signal, which is how each one ends.
    logging.getLogger("pytriton").setLevel(logging.ERROR)


@cli.command()
@model_options
@server_options
@host_option
@api_options
@page_option
def up(ui_port: int, **settings: Any) -> None:
    """Start the server, the HTTP service and the page. Ctrl-C ends all three, after running answers."""
    run_server(ui_port=ui_port, **settings)


@cli.command()
@model_options
@server_options
@host_option
@api_options
def serve(**settings: Any) -> None:
    """Start the server, Triton with the model behind it, and the HTTP service."""
    run_server(ui_port=None, **settings)


@cli.command()
@host_option
@open_option
@page_option
@option(
    "--server",
    default="127.0.0.1:8001",
    help="gRPC address of a running server; with TLS grpcs://host:8001, with an authority of your own "
    "grpcs://host:8001?roots=ca.pem.",
)
def ui(host: str, open_to_all: bool, ui_port: int, server: str) -> None:
    """Start the page alone, for a server that runs elsewhere."""
    if not (open_to_all or is_loopback(host)):
        raise TritonchatError(
            f"--host {host} opens the page, which asks for no key, to the network; say --open-to-all if "
            "anybody who can reach it may use it."
        )
    insist([check_python(), *check_ports(host, {"--ui-port": ui_port})])
    if not ChatClient(server).is_ready():
        click.echo(f"No server answers at {server} yet; the page will say so until one does.", err=True)
    with scratch_folder() as folder, interruptible():
        page = launch_page(host, ui_port, server, folder / "page.log")
        try:
            page.wait_until_up()
            click.echo(f"Chat at {link(host, ui_port)}   (Ctrl-C ends it)")
            page.process.wait()
            page.insist()
        finally:
            page.stop()


@cli.command()
@click.argument("prompt", required=False)
@model_options
@option("--max-tokens", type=click.IntRange(1), default=400, help="At most this many tokens.")
@option("--temperature", type=float, help="0: the likeliest words; up to 2: ever wilder.")
@option("--top-p", type=float, help="Choose among the likeliest words up to this probability.")
@option("--repetition-penalty", type=float, help="Above 1: repeat less.")
@option("--seed", type=int, default=0, help="Another seed, another text (with a temperature above 0).")
@click.option("--stop", multiple=True, help="End before this text; may be repeated.")
def complete(
    prompt: str | None,
    max_tokens: int,
    temperature: float | None,
    top_p: float | None,
    repetition_penalty: float | None,
    seed: int,
    stop: tuple[str, ...],
    **llm_settings: Any,
) -> None:
    """Continue PROMPT ("Once upon a time"), printing as it goes. No server is needed.

    It may come from a pipe, or as - from standard input. Ctrl-C keeps what has come.
    """
    given = prompt_or_input(prompt)
    prompt = "Once upon a time" if given is None else given
    with LLM(**llm_settings) as llm, interruptible():
        params = SamplingParams(
            max_tokens=max_tokens,
            temperature=temperature,
            top_p=top_p,
            repetition_penalty=repetition_penalty,
            seed=seed,
            stop=stop,
        )
        writer = writer_for(open_console())
        start, before = time.monotonic(), llm.engine.stats()["totals"]["completion_tokens"]
        try:
            writer.write(prompt)
            for piece in llm.stream(prompt, params):
                writer.write(piece)
        finally:
            writer.close()
            if sys.stderr.isatty():
                tokens = llm.engine.stats()["totals"]["completion_tokens"] - before
                speed = tokens / (time.monotonic() - start)
                click.secho(f"{speed:.0f} tokens a second", dim=True, err=True)


@cli.command()
@click.argument("model")
@click.argument("out", type=click.Path(path_type=Path))
@option("--weights", type=click.Choice(["int8", "int4"]), default="int8", help="Bits of a weight.")
@option("--calibration", type=FILE, help="Choose the codes of int4 on this text (GPTQ), not by rounding.")
@option("--text", type=FILE, help="Measure on this text.  [default: one that the model makes]")
def quantize(model: str, out: Path, weights: str, calibration: Path | None, text: Path | None) -> None:
    """Write MODEL with its weights in 8 or 4 bits to the folder OUT, and say what that cost.

    OUT loads at once, where --weights int8 or int4 rounds the same weights at every start.
    """
    from model_core.convert import quantize as convert

    with interruptible():
        cost = convert(model, out, weights, calibration, text, say=lambda what: click.echo(what, err=True))
    click.echo(f"weights     {cost.bytes_before / 2**20:.1f} MiB -> {cost.bytes_after / 2**20:.1f} MiB")
    change = 100 * (cost.after / cost.before - 1)
    click.echo(f"perplexity  {cost.before:.3f} -> {cost.after:.3f} ({change:+.2f} %) on {cost.text}")
    click.echo(f"Chat with it: tritonchat up --model {out}")


@cli.command()
@model_options
@option("--kv-cache-memory", type=MemorySize(), help="As of a server.  [default: a quarter of what is free]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(as_json: bool, **llm_settings: Any) -> None:
    """Measure a model on this machine, beside what the machine can do. No server is needed."""
    from model_core.bench import measure

    with interruptible(), LLM(**llm_settings) as llm:
        report = measure(llm)
    if as_json:
        return click.echo(json.dumps(asdict(report), indent=2))
    click.echo(f"{report.model}, {report.weights}, {report.threads} threads, {report.instructions}")
    click.echo(
        f"This machine reads {report.bandwidth / 1e9:.0f} GB/s and computes {report.arithmetic / 1e9:.0f} "
        f"billion operations a second.\nMemory: {report.weight_bytes / 2**20:.0f} MiB weights, "
        f"{report.kv_cache_memory / 2**20:.0f} MiB for keys and values at most, the process now "
        f"{report.process_bytes / 2**20:.0f} MiB.\nA long prompt: {report.prompt_tokens_per_second:.0f} "
        f"tokens a second, {report.prompt_arithmetic_share:.0%} of the arithmetic."
    )
    table = rich.table.Table("streams", "first token", "each token", "tokens/s", "bandwidth", "arithmetic")
    for load in report.loads:
        table.add_row(
            str(load.streams),
            f"{load.first_token_ms:.1f} ms",
            f"{load.token_ms:.2f} ms",
            f"{load.tokens_per_second:.0f}",
            f"{load.bandwidth_share:.0%}",
            f"{load.arithmetic_share:.0%}",
        )
    rich.console.Console().print(table)


@cli.command()
@port_options
@api_port_option
@page_option
@host_option
def doctor(host: str, **ports: int) -> None:
    """Say what is wrong with this machine, if anything: Python, glibc, libpython, ports, memory."""
    bad = 0
    for check in check_all(host, flags(ports)):
        bad += not check.ok
        mark = click.style("ok ", fg="green") if check.ok else click.style("BAD", fg="red")
        click.echo(f"{mark}  {check.name:<11} {check.message}")
    if bad:
        raise TritonchatError(f"{bad} of these should be put right first.")


cli.add_command(chat)


def main() -> None:
    """The `tritonchat` command: errors in one sentence, Ctrl-C without a traceback."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TritonchatError as error:
        click.secho(f"tritonchat: {error}", fg="red", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
