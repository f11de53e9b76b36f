"""The command line, `tritonchat`. The commands for chats and for the hub are in modules of their own."""

import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import click

from model_core.errors import TritonchatError, is_memory_refusal

from ..api.mcp_tools.config import check_config
from ..cluster.command import cluster
from ..launch.page_login import read_login
from ..launch.page_process import launch_page
from ..launch.serve import run_server
from ..options.flags import FILE, SAMPLING_FLAGS, option, sampling_options, setting_flags
from ..options.form_options import form_options, take_form
from ..options.sections import SectionCommand, help_all_option
from ..proxy.command import proxy
from ..proxy.server_commands import servers
from ..replay.canary_command import canary
from ..replay.diff_command import diff
from ..replay.receipt_commands import audit, verify
from ..settings.base import list_settings
from ..settings.server import LocalSettings, PageSettings, ServerSettings
from ..system.child_process import is_responding
from ..system.folders import scratch_folder
from ..system.hosts import browser_url, is_loopback, reachable_address
from ..system.machine import check_all, check_ports, check_python, require
from ..system.program import called
from ..system.signals import signals_as_interrupts
from ..system.stdin import read_prompt
from ..terminal.cli import chat
from ..terminal.mcp_command import mcp
from .batch_command import batch
from .hub_commands import list_models, pull, rm
from .key_commands import keys
from .proof_commands import fingerprint
from .recommend_command import recommend

_OF_SERVE = [key for key in list_settings(ServerSettings) if key not in list_settings(PageSettings)]
engine_argument = click.argument("engine_flags", nargs=-1, type=click.UNPROCESSED)  # of --engine vllm
_PORTS = ("grpc_port", "http_port", "metrics_port", "api_port", "ui_port")

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
    tritonchat mcp                       let agents use it as an MCP server
    tritonchat proxy --replica URL ...   one address in front of several servers
    tritonchat servers add URL           change those, or try a new version on a part of the conversations
    tritonchat cluster --replicas 2      several servers on one machine or more, placed and replaced by Ray
    tritonchat complete "Once upon"      continue a text, without a server
    tritonchat keys add NAME             make an API key with limits, and see what it uses
    tritonchat batch FILE OUT            answer a file of requests, without a server
    tritonchat fingerprint [MODEL]       say on what the bytes of answers depend
    tritonchat diff A B REQUESTS         say where the answers of two models part
    tritonchat verify RECEIPT            compute an answer again, and compare it with its receipt
    tritonchat audit FOLDER              check a log of receipts, and compute a sample again
    tritonchat recommend                 name models that fit this machine, and their speed
    tritonchat pull owner/name           download a model from the Hugging Face hub
    tritonchat list                      show the models of the hub and of other programs on this machine
    tritonchat rm owner/name             remove one of them
    tritonchat quantize MODEL OUT        convert a model to weights of 8 or 4 bits
    tritonchat bench                     measure the speed of a model on this machine
    tritonchat doctor                    check that this machine can run the server
    tritonchat health                    say whether the server that runs here takes requests
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # PyTriton warns when a signal ends Triton. Every Triton process ends this way.
    logging.getLogger("pytriton").setLevel(logging.ERROR)


@cli.command(cls=SectionCommand)
@setting_flags(ServerSettings)
@help_all_option
@engine_argument
def up(settings: ServerSettings, engine_flags: tuple[str, ...]) -> None:
    """Start the server, the HTTP service and the page. Ctrl-C ends all three after the running answers."""
    run_server(settings, engine_flags, has_page=True)


@cli.command(cls=SectionCommand)
@setting_flags(ServerSettings, *_OF_SERVE)
@help_all_option
@engine_argument
def serve(settings: ServerSettings, engine_flags: tuple[str, ...]) -> None:
    """Start the server (the models, with Triton in front unless --no-triton) and the HTTP service."""
    run_server(settings, engine_flags, has_page=False)


@cli.command()
@setting_flags(ServerSettings, "host", "open_to_all", "ui_port", "login", "mcp_config", "config")
@option(
    "--server",
    default="127.0.0.1:8001",
    help="gRPC address of a running server; grpcs://host:8001 with TLS, grpcs://host:8001?roots=ca.pem with "
    "a certificate authority of your own.",
)
def ui(settings: ServerSettings, server: str) -> None:
    """Start only the page, for a server that is already running."""
    from ..client.chat_client import ChatClient

    host, ui_port, login = settings.host, settings.ui_port, settings.login
    if not (settings.open_to_all or login or is_loopback(host)):
        raise TritonchatError(
            f"--host {host} opens the page, which asks for no key, to the network; give --login FILE, or say "
            "--open-to-all if anybody who can reach it may use it."
        )
    address = browser_url(host, ui_port) if login is None else read_login(login)
    if settings.mcp_config is not None:
        check_config(settings.mcp_config)
    require([check_python(), *check_ports(host, {"--ui-port": ui_port})])
    if not ChatClient(server).is_ready():
        click.echo(f"No server answers at {server} yet; the page will say so until one does.", err=True)
    with scratch_folder() as folder, signals_as_interrupts():
        page = launch_page(host, ui_port, server, folder / "page.log", login, settings)
        try:
            page.wait_until_up()
            click.echo(f"Chat at {address}   (Ctrl-C ends it)")
            page.process.wait()
            raise TritonchatError(f"the page stopped by itself; {page.log} may say why.")
        finally:
            page.stop()


@cli.command()
@click.argument("prompt", required=False)
@setting_flags(LocalSettings)
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
def complete(
    settings: LocalSettings,
    prompt: str | None,
    save_state: Path | None,
    load_state: Path | None,
    **parameters: Any,
) -> None:
    """Continue PROMPT and print the text while it is generated. No server is needed.

    The default is "Once upon a time". PROMPT may come from a pipe, or as - from standard input. After
    Ctrl-C the text so far stays.
    """
    from model_core import LLM, SamplingParams

    from ..terminal.display import create_writer, open_console

    prompt_text = read_prompt(prompt)
    given = {name: parameters[name] for name in SAMPLING_FLAGS} | {"form": take_form(parameters)}
    params = SamplingParams(**{name: value for name, value in given.items() if value != ()})
    with LLM(**settings.model_dump()) as llm, signals_as_interrupts():
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
@option(
    "--weights",
    type=click.Choice(["int8", "mixed", "int4"]),
    default="int8",
    help="Type of the weights in OUT; mixed: 5 and 6 bits, which other programs cannot read.",
)
@option("--calibration", type=FILE, help="Choose codes of mixed and int4 by GPTQ on this text.")
@option("--text", type=FILE, help="Measure the loss on this text.  [default: texts in several languages]")
def quantize(model: str, out: Path, weights: str, calibration: Path | None, text: Path | None) -> None:
    """Write MODEL with weights of 8, 5 and 6, or 4 bits to the folder OUT, and print the loss of quality.

    OUT loads fast. With --weights int8, mixed or int4, a server rounds the weights of MODEL at every start.
    """
    from model_core.quantizing.quantize_model import quantize as quantize_model

    with signals_as_interrupts():
        result = quantize_model(
            model, out, weights, calibration, text, report=lambda message: click.echo(message, err=True)
        )
    click.echo(f"weights     {result.bytes_before / 2**20:.1f} MiB -> {result.bytes_after / 2**20:.1f} MiB")
    loss = result.loss
    if loss is None:
        click.echo("The loss was not measured, because the model has no tokenizer.")
    else:
        click.echo(
            f"perplexity  {loss.perplexity_before:.3f} -> {loss.perplexity_after:.3f} "
            f"({100 * loss.perplexity_change:+.2f} %) on {result.text}"
        )
        click.echo(
            f"KL          {loss.divergence:.5f} nats, {loss.high_divergence:.4f} at the 99th percentile; "
            f"the same likeliest token at {loss.agreement:.1%} of positions"
        )
    click.echo(f"Chat with it: {called()} up --model {out}")


@cli.command()
@setting_flags(LocalSettings)
@click.option("--profile", "as_profile", is_flag=True, help="Print where the time of a step goes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(settings: LocalSettings, as_json: bool, as_profile: bool) -> None:
    """Measure the speed of a model, and compare it with the limits of this machine. No server is needed."""
    import rich.console
    import rich.table

    from model_core import LLM
    from model_core.inspect.bench import measure, profile

    with signals_as_interrupts(), LLM(**settings.model_dump()) as llm:
        if as_profile:
            return _print_profiles(profile(llm), as_json)
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
@setting_flags(ServerSettings, *_PORTS, "no_triton", "triton_http", "host", "config")
def doctor(settings: ServerSettings) -> None:
    """Check Python, glibc, libpython, the ports and the memory of this machine."""
    keys = [key for key in _PORTS if settings.triton_http or key != "http_port"]
    ports = {list_settings(ServerSettings)[key].flag: getattr(settings, key) for key in keys}
    failure_count = 0
    for check in check_all(settings.host, ports, settings.no_triton):
        failure_count += not check.is_ok
        mark = click.style("ok ", fg="green") if check.is_ok else click.style("BAD", fg="red")
        click.echo(f"{mark}  {check.name:<11} {check.message}")
    if failure_count:
        raise TritonchatError(f"{failure_count} of these checks failed; correct what they found first.")


@cli.command()
@setting_flags(ServerSettings, "host", "api_port", "tls_cert", "config")
def health(settings: ServerSettings) -> None:
    """Say whether the HTTP service of `serve` or `up` on this machine takes requests; if not, with status 1.

    Give it the flags, variables and file with which the server was started.
    """
    scheme = "http" if settings.tls_cert is None else "https"
    url = browser_url(reachable_address(settings.host), settings.api_port, scheme)
    if not is_responding(f"{url}/readyz"):
        raise TritonchatError(f"{url} does not answer, or is not ready.")
    click.echo(f"{url} is ready.")


for command in (
    chat,
    mcp,
    batch,
    recommend,
    pull,
    list_models,
    rm,
    keys,
    proxy,
    servers,
    cluster,
    fingerprint,
    verify,
    audit,
    diff,
):
    cli.add_command(command)
servers.add_command(canary)


def main() -> None:
    """Run the `tritonchat` command. Errors are printed in one sentence, without a traceback."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TritonchatError as error:
        _fail(error)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
    except Exception as error:
        if not is_memory_refusal(error):
            raise
        _fail(
            f"the system refuses memory to this command ({error or 'MemoryError'}): end other programs, "
            "raise the limit of the process (ulimit -v), or choose a smaller model."
        )


def _fail(message: object) -> NoReturn:
    click.secho(f"tritonchat: {message}", fg="red", err=True)
    sys.exit(1)
