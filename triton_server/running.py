"""Running the server with all its parts, until a signal or the death of one."""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import rich.console

from model_core import LLM, TritonchatError

from .api.process import launch_api
from .api.settings import Settings
from .child import Child
from .hosts import LOOPBACK, is_loopback, link, reachable
from .machine import Check, check_libpython, check_ports, check_python, check_system
from .page import launch_page
from .tls import Tls


def run_server(
    *,
    ui_port: int | None,
    host: str,
    grpc_port: int,
    http_port: int,
    metrics_port: int,
    api_port: int,
    api_key_file: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    **settings: Any,
) -> None:
    """Run a server, with the page where `ui_port` is given, until a signal or the death of a part.

    `settings` are those of the HTTP service and of the LLM.
    """
    if (tls_cert is None) != (tls_key is None):
        raise TritonchatError("--tls-cert and --tls-key belong together.")
    tls = None if tls_cert is None or tls_key is None else Tls(tls_cert, tls_key)
    # Triton's ports and the page check no key, so they leave this machine only with --open-to-all.
    inner = host if settings["open_to_all"] or is_loopback(host) else LOOPBACK
    grpc = f"{reachable(inner)}:{grpc_port}"
    of_api = {f.name: settings.pop(f.name) for f in fields(Settings) if f.name in settings}
    of_api["api_keys"] += () if api_key_file is None else keys_in(api_key_file)
    if tls is not None:
        of_api |= {"tls_certificate": str(tls.certificate.resolve()), "tls_key": str(tls.key.resolve())}
    api = Settings(host=host, port=api_port, server=grpc if tls is None else tls.url(grpc), **of_api)

    for secret in ("TRITONCHAT_API_KEY", "TRITONCHAT_DATABASE"):  # not for Triton or the page
        os.environ.pop(secret, None)
    ports = {"grpc_port": grpc_port, "http_port": http_port, "metrics_port": metrics_port}
    if ui_port is not None:
        ports["ui_port"] = ui_port
    every = {**ports, "api_port": api_port}
    if len(set(every.values())) < len(every):
        raise TritonchatError(f"{', '.join(flags(every))} must be different ports.")
    insist([check_python(), check_system(), check_libpython()])
    insist([*check_ports(inner, flags(ports)), *check_ports(host, flags({"api_port": api_port}))])
    from .deployment import Address, Deployment  # PyTriton is for Linux; other commands work elsewhere too

    click.echo(f"Loading {settings['model'] or 'the embedded model'} ...")
    with interruptible(), LLM(**settings) as llm, scratch_folder() as folder:
        deployment = Deployment(llm, Address(inner, grpc_port, http_port, metrics_port, tls), folder)
        console, parts = rich.console.Console(highlight=False), list[Child]()
        try:
            click.echo("Starting Triton, which takes some seconds ...")
            with console.status("Starting Triton"):
                # The service's log is for whoever keeps logs; it would only disturb a person at a terminal.
                parts.append(launch_api(api, folder / "api.log" if sys.stderr.isatty() else None))
                if ui_port is not None:
                    parts.append(launch_page(inner, ui_port, api.server, folder / "page.log"))
                deployment.start()
                for part in parts:
                    part.wait_until_up()
            if ui_port is not None:
                click.secho(f"Chat at {link(inner, ui_port)}", bold=True)
            address = link(host, api_port, "http" if tls is None else "https")
            click.echo(f"OpenAI's API at {address}/v1, described at {address}/docs")
            if inner != host:
                click.echo(f"Only that listens on {host}; the rest asks for no key (--open-to-all).")
            click.echo(f"Serving {llm.name} over gRPC at {inner}:{grpc_port}   (Ctrl-C ends it)")
            while deployment.is_alive():
                for part in parts:
                    part.insist()
                time.sleep(0.5)
            raise TritonchatError(f"the server stopped by itself; {folder / 'triton.log'} may say why.")
        except KeyboardInterrupt:
            click.echo("\nStopping; answers under way may end (Ctrl-C again to cut them off) ...")
        finally:
            deployment.stop()
            for part in parts:
                part.stop()
    click.echo("Stopped.")


def keys_in(file: Path) -> tuple[str, ...]:
    """The API keys of a file, one a line; what begins with # is none. Raises TritonchatError."""
    try:
        lines = [line.strip() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise TritonchatError(f"{file} cannot be read: {error}.") from error
    keys = tuple(line for line in lines if line and not line.startswith("#"))
    if not keys:
        raise TritonchatError(f"{file} holds no API key; it should have one a line.")
    return keys


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
