"""The command line, `tritonchat`. The commands for chats and for the hub are in modules of their own."""

import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from model_core.errors import TritonchatError

from .cluster.command import cluster
from .engine_elsewhere import engine_options
from .folders import scratch_folder
from .form_options import form_options, take_form
from .hosts import browser_url, is_loopback
from .hub_commands import list_models, pull, rm
from .machine import check_all, check_ports, check_python, require
from .options import (
    FILE,
    SAMPLING_FLAGS,
    api_options,
    api_port_option,
    host_option,
    kv_memory_option,
    login_option,
    model_option,
    model_options,
    models_option,
    open_option,
    option,
    page_option,
    port_options,
    sampling_options,
    server_options,
)
from .page_login import read_login
from .page_process import launch_page
from .proxy.command import proxy
from .proxy.server_commands import servers
from .serve import port_flags, run_server
from .signals import signals_as_interrupts
from .stdin import read_prompt
from .terminal.cli import chat

# Each command imports its slow and large modules itself: the process of `up` and `serve` only watches others
# and must stay small.


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tritonchat")
def cli() -> None:
    """Chat with a language model that runs on this machine.

    \b
    tritonchat up                        everything, on the embedded model
    tritonchat up --model ./my-model     the same with your own model
    tritonchat up --engine http://gpu:8000/v1   the same, computed by another server
    tritonchat chat                      talk to it in the terminal
    tritonchat proxy --replica URL ...   one address in front of several servers
    tritonchat servers add URL           change those, or try a new version on a part of the conversations
    tritonchat cluster --replicas 2      several servers on one machine or more, placed and replaced by Ray
    tritonchat complete "Once upon"      continue a text, without a server
    tritonchat pull owner/name           download a model from the Hugging Face hub
    tritonchat list                      show the models of the hub that are on this machine
    tritonchat rm owner/name             remove one of them
    tritonchat quantize MODEL OUT        convert a model to weights of 8 or 4 bits
    tritonchat bench                     measure the speed of a model on this machine
    tritonchat doctor                    check that this machine can run the server
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # PyTriton warns when a signal ends Triton. Every Triton process ends this way.
    logging.getLogger("pytriton").setLevel(logging.ERROR)


@cli.command()
@models_option
@engine_options
@model_options
@server_options
@host_option
@api_options
@page_option
@login_option
def up(**settings: Any) -> None:
    """Start the server, the HTTP service and the page. Ctrl-C ends all three after the running answers."""
    run_server(**settings)


@cli.command()
@models_option
@engine_options
@model_options
@server_options
@host_option
@api_options
def serve(**settings: Any) -> None:
    """Start the server (Triton with the models) and the HTTP service."""
    run_server(ui_port=None, login=None, **settings)


@cli.command()
@host_option
@open_option
@page_option
@login_option
@option(
    "--server",
    default="127.0.0.1:8001",
    help="gRPC address of a running server; grpcs://host:8001 with TLS, grpcs://host:8001?roots=ca.pem with "
    "a certificate authority of your own.",
)
def ui(host: str, open_to_all: bool, ui_port: int, login: Path | None, server: str) -> None:
    """Start only the page, for a server that is already running."""
    from .client import ChatClient

    if not (open_to_all or login or is_loopback(host)):
        raise TritonchatError(
            f"--host {host} opens the page, which asks for no key, to the network; give --login FILE, or say "
            "--open-to-all if anybody who can reach it may use it."
        )
    address = browser_url(host, ui_port) if login is None else read_login(login)
    require([check_python(), *check_ports(host, {"--ui-port": ui_port})])
    if not ChatClient(server).is_ready():
        click.echo(f"No server answers at {server} yet; the page will say so until one does.", err=True)
    with scratch_folder() as folder, signals_as_interrupts():
        page = launch_page(host, ui_port, server, folder / "page.log", login)
        try:
            page.wait_until_up()
            click.echo(f"Chat at {address}   (Ctrl-C ends it)")
            page.process.wait()
            raise TritonchatError(f"the page stopped by itself; {page.log} may say why.")
        finally:
            page.stop()


@cli.command()
@click.argument("prompt", required=False)
@model_option
@model_options
@sampling_options
@form_options
@click.option(
    "--save-state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the keys and values of PROMPT, or the states after it, in this file.",
)
@click.option(
    "--load-state",
    type=FILE,
    help="A PROMPT that begins as the one of this file is computed only from there on. The default of PROMPT "
    "is then the one of the file.",
)
def complete(prompt: str | None, save_state: Path | None, load_state: Path | None, **settings: Any) -> None:
    """Continue PROMPT and print the text while it is generated. No server is needed.

    The default is "Once upon a time". PROMPT may come from a pipe, or as - from standard input. After
    Ctrl-C the text so far stays.
    """
    from model_core import LLM, SamplingParams

    from .terminal.display import create_writer, open_console

    prompt_text = read_prompt(prompt)
    given = {name: settings.pop(name) for name in SAMPLING_FLAGS} | {"form": take_form(settings)}
    params = SamplingParams(**{name: value for name, value in given.items() if value != ()})
    with LLM(**settings) as llm, signals_as_interrupts():
        params = params.with_defaults(llm.defaults)  # its seed is printed below
        if load_state is not None:
            prompt_text = _load_state(llm, load_state, prompt_text)
        prompt = "Once upon a time" if prompt_text is None else prompt_text
        if save_state is not None:
            llm.prompts.save(save_state, prompt)
        writer = create_writer(open_console())
        start, tokens_before = time.monotonic(), llm.engine.stats()["totals"]["completion_tokens"]
        try:
            writer.write(prompt)
            for delta in llm.stream(prompt, params):
                writer.write(delta)
        finally:
            writer.close()
            if sys.stderr.isatty():
                tokens = llm.engine.stats()["totals"]["completion_tokens"] - tokens_before
                speed = tokens / (time.monotonic() - start)
                click.secho(f"{speed:.0f} tokens a second, seed {params.seed}", dim=True, err=True)


def _load_state(llm: Any, path: Path, prompt: str | None) -> str:
    """Load a saved prompt for `prompt`, and return it; None stands for the text of the file."""
    file = llm.prompts.load(path)
    if prompt is None:
        prompt = json.loads(file.source)
        if not isinstance(prompt, str):
            raise TritonchatError(f"{path} was not saved from a text; give the PROMPT, too.")
    elif not file.begins(llm.encode(prompt)):
        click.secho(f"tritonchat: PROMPT begins otherwise than the one of {path}.", fg="yellow", err=True)
    return prompt


@cli.command()
@click.argument("model")
@click.argument("out", type=click.Path(path_type=Path))
@option("--weights", type=click.Choice(["int8", "int4"]), default="int8", help="Type of the weights in OUT.")
@option("--calibration", type=FILE, help="Quantize to int4 with GPTQ on this text, instead of by rounding.")
@option("--text", type=FILE, help="Measure perplexity on this text.  [default: text of the model itself]")
def quantize(model: str, out: Path, weights: str, calibration: Path | None, text: Path | None) -> None:
    """Write MODEL with weights of 8 or 4 bits to the folder OUT, and print the loss of quality.

    OUT loads fast. With --weights int8 or int4, a server rounds the weights of MODEL at every start.
    """
    from model_core.convert import quantize as quantize_model

    with signals_as_interrupts():
        result = quantize_model(
            model, out, weights, calibration, text, report=lambda message: click.echo(message, err=True)
        )
    click.echo(f"weights     {result.bytes_before / 2**20:.1f} MiB -> {result.bytes_after / 2**20:.1f} MiB")
    change = 100 * (result.perplexity_after / result.perplexity_before - 1)
    click.echo(
        f"perplexity  {result.perplexity_before:.3f} -> {result.perplexity_after:.3f} ({change:+.2f} %) "
        f"on {result.text}"
    )
    click.echo(f"Chat with it: tritonchat up --model {out}")


@cli.command()
@model_option
@model_options
@kv_memory_option
@click.option("--profile", "as_profile", is_flag=True, help="Print where the time of a step goes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(as_json: bool, as_profile: bool, **llm_settings: Any) -> None:
    """Measure the speed of a model, and compare it with the limits of this machine. No server is needed."""
    import rich.console
    import rich.table

    from model_core import LLM
    from model_core.bench import measure, profile

    with signals_as_interrupts(), LLM(**llm_settings) as llm:
        report = profile(llm) if as_profile else measure(llm)
    if as_profile:
        return _print_profiles(report, as_json)
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


def _print_profiles(loads: Sequence[Any], as_json: bool) -> None:
    """Print where the time of each load's steps goes."""
    import rich.console
    import rich.table

    if as_json:
        return click.echo(json.dumps([asdict(load) for load in loads], indent=2))
    for load in loads:
        total = sum(load.seconds.values())
        table = rich.table.Table(f"{load.load}, {load.steps} steps", "ms a step", "share")
        for name, seconds in {**load.seconds, "in all": total}.items():
            table.add_row(name, f"{1000 * seconds:.3f}", f"{seconds / total:.1%}")
        rich.console.Console().print(table)


@cli.command()
@port_options
@api_port_option
@page_option
@host_option
def doctor(host: str, triton_http: bool, **ports: int) -> None:
    """Check Python, glibc, libpython, the ports and the memory of this machine."""
    if not triton_http:
        del ports["http_port"]
    failure_count = 0
    for check in check_all(host, port_flags(ports)):
        failure_count += not check.is_ok
        mark = click.style("ok ", fg="green") if check.is_ok else click.style("BAD", fg="red")
        click.echo(f"{mark}  {check.name:<11} {check.message}")
    if failure_count:
        raise TritonchatError(f"{failure_count} of these checks failed; correct what they found first.")


for command in (chat, pull, list_models, rm, proxy, servers, cluster):
    cli.add_command(command)


def main() -> None:
    """Run the `tritonchat` command. Errors are printed in one sentence, without a traceback."""
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
