"""The command line: `tritonchat up`, `serve`, `ui`, `complete`, `quantize`, `bench`, `doctor`."""

import json
import logging
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import rich.console
import rich.table

from model_core import LLM, SamplingParams, TritonchatError
from model_core.kv_cache import DTYPES
from model_core.loader import WEIGHTS

from .client import ChatClient
from .machine import Check, check_all, check_libpython, check_ports, check_python, check_system
from .page import start_page, stop_page

Command = Callable[..., Any]
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class MemorySize(click.ParamType):
    """Bytes, or a number with a unit: 512MiB, 4G."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "")
        try:
            size = int(float(number) * _UNITS[unit])
        except (ValueError, OverflowError):
            size = 0
        if size <= 0:
            self.fail(f"{value!r} is not a size such as 512MiB or 4GiB.", param, ctx)
        return size


def option(flag: str, **settings: Any) -> Callable[[Command], Command]:
    """A flag that the environment can set too: --max-context is TRITONCHAT_MAX_CONTEXT."""
    variable = "TRITONCHAT_" + flag.removeprefix("--").replace("-", "_").upper()
    return click.option(flag, envvar=variable, show_envvar=True, show_default=True, **settings)


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one, in the order in which --help shows them."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


TEXT = click.Path(exists=True, dir_okay=False, path_type=Path)
PORT = click.IntRange(1, 65535)
model_options = options(
    option("--model", help="Folder in Hugging Face layout, or a name on the hub.  [default: embedded model]"),
    option("--weights", type=click.Choice(WEIGHTS), default="auto", help="auto: as stored; or rounded."),
    option("--threads", type=click.IntRange(1), help="Threads for the arithmetic.  [default: by model size]"),
    option(
        "--max-context",
        type=click.IntRange(2),
        help="Tokens of prompt and answer together.  [default: the model's]",
    ),
    option(
        "--kv-cache-dtype",
        type=click.Choice(DTYPES),
        default="float32",
        help="Keys and values in memory: float16 or int8 take half or a quarter, and are less exact.",
    ),
    option(
        "--speculate",
        type=click.IntRange(0, 64),
        default=0,
        help="Guess up to this many tokens ahead from the text so far; changes the speed, never the answer.",
    ),
)
port_options = options(
    option("--grpc-port", type=PORT, default=8001, help="Triton over gRPC."),
    option("--http-port", type=PORT, default=8000, help="Triton over HTTP."),
    option("--metrics-port", type=PORT, default=8002, help="Triton's counters for Prometheus."),
)
server_options = options(
    option(
        "--kv-cache-memory",
        type=MemorySize(),
        help="Memory for running conversations, such as 4GiB.  [default: a quarter of what is free]",
    ),
    option("--max-concurrency", type=click.IntRange(1), default=64, help="Requests computed together."),
    option("--max-queue", type=click.IntRange(0), default=256, help="Requests that may wait beyond those."),
    port_options,
)
host_option = option("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0 for every network.")
page_option = option("--ui-port", type=PORT, default=8501, help="The page.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tritonchat")
def cli() -> None:
    """Chat with a language model that runs on this machine.

    \b
    tritonchat up                        server and page, on the embedded model
    tritonchat up --model ./my-model     the same on a model of yours
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
@page_option
def up(ui_port: int, **settings: Any) -> None:
    """Start the server and the page. Ctrl-C ends both, after running answers."""
    run_server(ui_port=ui_port, **settings)


@cli.command()
@model_options
@server_options
@host_option
def serve(**settings: Any) -> None:
    """Start the server alone: Triton with the model behind it."""
    run_server(ui_port=None, **settings)


@cli.command()
@host_option
@page_option
@option("--server", default="127.0.0.1:8001", help="gRPC address of a running server.")
def ui(host: str, ui_port: int, server: str) -> None:
    """Start the page alone, for a server that runs elsewhere."""
    insist([check_python(), *check_ports(host, {"--ui-port": ui_port})])
    if not ChatClient(server).is_ready():
        click.echo(f"No server answers at {server} yet; the page will say so until one does.", err=True)
    with scratch_folder() as folder, interruptible():
        page = start_page(host, ui_port, server, folder / "page.log")
        try:
            click.echo(f"Chat at {link(host, ui_port)}   (Ctrl-C ends it)")
            if page.wait() != 0:
                raise TritonchatError(f"the page stopped by itself; {folder / 'page.log'} says why.")
        finally:
            stop_page(page)


@cli.command()
@click.argument("prompt", default="Once upon a time")
@model_options
@option("--max-tokens", type=click.IntRange(1), default=400, help="At most this many tokens.")
@option("--temperature", type=float, help="0: the likeliest words; up to 2: ever wilder.")
@option("--top-p", type=float, help="Choose among the likeliest words up to this probability.")
@option("--repetition-penalty", type=float, help="Above 1: repeat less.")
@option("--seed", type=int, default=0, help="Another seed, another text (with a temperature above 0).")
def complete(
    prompt: str,
    max_tokens: int,
    temperature: float | None,
    top_p: float | None,
    repetition_penalty: float | None,
    seed: int,
    **llm_settings: Any,
) -> None:
    """Continue PROMPT, printing as it goes. No server is needed."""
    with LLM(**llm_settings) as llm, interruptible():
        params = SamplingParams(
            max_tokens=max_tokens,
            temperature=temperature,
            top_p=top_p,
            repetition_penalty=repetition_penalty,
            seed=seed,
        )
        click.echo(prompt, nl=False)
        start, before = time.monotonic(), llm.engine.stats()["totals"]["completion_tokens"]
        try:
            for piece in llm.stream(prompt, params):
                click.echo(piece, nl=False)
        finally:
            click.echo()
        if sys.stderr.isatty():
            tokens = llm.engine.stats()["totals"]["completion_tokens"] - before
            click.secho(f"{tokens / (time.monotonic() - start):.0f} tokens a second", dim=True, err=True)


@cli.command()
@click.argument("model")
@click.argument("out", type=click.Path(path_type=Path))
@option("--weights", type=click.Choice(["int8", "int4"]), default="int8", help="Bits of a weight.")
@option("--calibration", type=TEXT, help="Choose the codes of int4 on this text (GPTQ), not by rounding.")
@option("--text", type=TEXT, help="Measure on this text.  [default: one that the model makes]")
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


def run_server(
    *,
    ui_port: int | None,
    host: str,
    grpc_port: int,
    http_port: int,
    metrics_port: int,
    **llm_settings: Any,
) -> None:
    """Run a server, with the page where `ui_port` is given, until a signal or the death of a part."""
    ports = {"grpc_port": grpc_port, "http_port": http_port, "metrics_port": metrics_port}
    if ui_port is not None:
        ports["ui_port"] = ui_port
    if len(set(ports.values())) < len(ports):
        raise TritonchatError(f"{', '.join(flags(ports))} must be different ports.")
    insist([check_python(), check_system(), check_libpython(), *check_ports(host, flags(ports))])
    from .deployment import Address, Deployment  # PyTriton is for Linux; other commands work elsewhere too

    click.echo(f"Loading {llm_settings['model'] or 'the embedded model'} ...")
    with interruptible(), LLM(**llm_settings) as llm, scratch_folder() as folder:
        deployment = Deployment(llm, Address(host, grpc_port, http_port, metrics_port), folder)
        console, page = rich.console.Console(highlight=False), None
        try:
            click.echo("Starting Triton, which takes some seconds ...")
            with console.status("Starting Triton"):
                deployment.start()
            if ui_port is not None:
                reachable = "127.0.0.1" if host == "0.0.0.0" else host
                with console.status("Starting the page"):
                    page = start_page(host, ui_port, f"{reachable}:{grpc_port}", folder / "page.log")
                click.secho(f"Chat at {link(host, ui_port)}", bold=True)
            click.echo(f"Serving {llm.name} over gRPC at {host}:{grpc_port}   (Ctrl-C ends it)")
            while deployment.is_alive():
                if page is not None and page.poll() is not None:
                    raise TritonchatError(f"the page stopped by itself; {folder / 'page.log'} may say why.")
                time.sleep(0.5)
            raise TritonchatError(f"the server stopped by itself; {folder / 'triton.log'} may say why.")
        except KeyboardInterrupt:
            click.echo("\nStopping; answers under way may end (Ctrl-C again to cut them off) ...")
        finally:
            deployment.stop()
            if page is not None:
                stop_page(page)
    click.echo("Stopped.")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for logs and working files that goes when all went well, and stays where something failed."""
    # Sockets in it must have short names: a path of theirs holds 108 bytes (unix(7)).
    short = len(tempfile.gettempdir()) <= 40
    path = Path(tempfile.mkdtemp(prefix="tritonchat-", dir=None if short else "/tmp"))
    with suppress(KeyboardInterrupt):
        yield path
    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, and Ctrl-C where a shell has it ignored."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as it is under nohup
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def insist(checks: list[Check]) -> None:
    """Raises TritonchatError with the first thing that is not as it must be."""
    for check in checks:
        if not check.ok:
            raise TritonchatError(f"{check.name}: {check.message}")


def flags(ports: dict[str, int]) -> dict[str, int]:
    """Option names as they stand on the command line."""
    return {"--" + name.replace("_", "-"): port for name, port in ports.items()}


def link(host: str, port: int) -> str:
    """The address to open in a browser on this machine."""
    return f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0') else host}:{port}"


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
