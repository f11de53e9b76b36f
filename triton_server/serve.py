"""What `tritonchat serve` and `up` do: check, start all processes, and run until a signal."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from model_core.errors import TritonchatError

from .api.process import launch_api
from .api.settings import ServiceSettings
from .child_process import ChildProcess
from .engine.process import EngineReport, EngineSettings, launch_engine, remove_leftovers
from .engine_elsewhere import KEY_VARIABLE, VLLM, find_engine
from .folders import data_folder, scratch_folder
from .hosts import LOOPBACK, browser_url, is_loopback, reachable_address
from .machine import check_libpython, check_ports, check_python, check_system, require
from .page_login import read_login
from .page_process import launch_page
from .restarts import Restarts
from .signals import signals_as_interrupts
from .supervisor import Part, Supervisor

# Seconds that the engine gets to stop: first its running answers, then Triton.
ENGINE_GRACE_S = 90.0
VLLM_GRACE_S = 30.0  # when its answers have ended
_SHOW_CURSOR = "\033[?25h"  # ECMA-48, DECTCEM


def run_server(
    *,
    models: tuple[tuple[str | None, str | None], ...],
    engine: str | None,
    engine_python: Path | None,
    engine_flags: tuple[str, ...],
    keep_alive_s: float | None,
    adapters: tuple[tuple[str, str], ...],
    allow_adapter_loading: bool,
    saved_prompts_disk: int,
    allow_saving_prompts: bool,
    prefix_cache_disk: int | None,
    ui_port: int | None,
    login: Path | None,
    host: str,
    grpc_port: int,
    triton_http: bool,
    http_port: int,
    metrics_port: int,
    api_port: int,
    api_key_file: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    **settings: Any,
) -> None:
    """Run the server until a signal, with the page if `ui_port` is given. Restart each part that ends.

    `login` is the file of `page_login.read_login`. With it, the page listens on `host`, too.
    `engine`, `engine_python` and `engine_flags` are those of `find_engine`.
    `models`, `keep_alive_s`, `adapters` and `allow_adapter_loading` are those of `EngineSettings`; no models
    stand for the embedded one. The flags of prompts and of the prefix cache are those of `PromptFlags`.
    `settings` are those of the HTTP service and of the LLMs. Raises TritonchatError.
    """
    if (tls_cert is None) != (tls_key is None):
        raise TritonchatError("--tls-cert and --tls-key must be given together.")
    tls = None
    if tls_cert is not None and tls_key is not None:
        from .tls import TlsFiles  # imported here because few servers need the library of certificates

        tls = TlsFiles(tls_cert, tls_key)
    elsewhere = find_engine(engine, engine_python, engine_flags, models)
    # Triton's ports and the page check no key: other machines reach them only with --open-to-all.
    internal_host = host if settings["open_to_all"] or is_loopback(host) else LOOPBACK
    page_host = internal_host if login is None else host
    page_address = "" if ui_port is None else browser_url(page_host, ui_port)
    if login is not None:
        page_address = read_login(login)
    grpc = f"{reachable_address(internal_host)}:{grpc_port}"
    service = {name: settings.pop(name) for name in ServiceSettings.model_fields if name in settings}
    service["keeps_prefixes"] = prefix_cache_disk is not None
    if service["max_streams"] is None:  # as many as the engine accepts
        service["max_streams"] = settings["max_concurrency"] + settings["max_queue"]
    service["api_keys"] += () if api_key_file is None else read_keys(api_key_file)
    if tls is not None:
        service |= {"tls_certificate": str(tls.certificate.resolve()), "tls_key": str(tls.key.resolve())}
    api = ServiceSettings(host=host, port=api_port, server=grpc if tls is None else tls.url(grpc), **service)

    for secret in ("TRITONCHAT_API_KEY", "TRITONCHAT_DATABASE", KEY_VARIABLE):  # not for Triton or the page
        os.environ.pop(secret, None)
    ports = {"grpc_port": grpc_port, "metrics_port": metrics_port}
    if triton_http:
        ports["http_port"] = http_port
    page_ports = {} if ui_port is None else {"ui_port": ui_port}
    all_ports = {**ports, **page_ports, "api_port": api_port}
    if len(set(all_ports.values())) < len(all_ports):
        raise TritonchatError(f"{', '.join(port_flags(all_ports))} must be different ports.")
    require([check_python(), check_system(), check_libpython()])
    require(check_ports(internal_host, port_flags(ports)))
    require(check_ports(page_host, port_flags(page_ports)))
    require(check_ports(host, port_flags({"api_port": api_port})))

    warn_about_clear_text(api)

    models = models or ((None, None),)
    if elsewhere is not None:
        click.echo(f"Connecting to the engine at {elsewhere.url} ...")
    elif keep_alive_s is None:
        click.echo(f"Loading {', '.join(path or 'the embedded model' for _, path in models)} ...")
    with scratch_folder() as folder, signals_as_interrupts():
        engine_settings = EngineSettings(
            models=list(models),
            keep_alive_s=keep_alive_s,
            adapters=list(adapters),
            allow_adapter_loading=allow_adapter_loading,
            prompts={
                "folder": str(data_folder() / "prompts"),
                "max_bytes": saved_prompts_disk,
                "allows_saving": allow_saving_prompts,
                "max_cache_bytes": prefix_cache_disk,
                "cache_expiry_s": min(filter(None, (api.session_expiry_s, api.response_expiry_s)), default=0),
            },
            upstream=None
            if elsewhere is None
            else {"url": elsewhere.url, "key": elsewhere.key, "waits": elsewhere.command is not None},
            llm=settings,
            host=internal_host,
            grpc_port=grpc_port,
            http_port=http_port if triton_http else None,
            metrics_port=metrics_port,
            tls_certificate=api.tls_certificate,
            tls_key=api.tls_key,
            folder=str(folder),
            database=api.database and api.database.get_secret_value(),
            max_sessions=api.max_sessions,
            max_session_bytes=api.max_session_bytes,
        )
        # At a terminal, the service's log would disturb the person who reads there.
        api_log = folder / "api.log" if sys.stderr.isatty() else None
        parts = [
            Part(
                "engine", lambda: launch_engine(engine_settings), start_limit_s=None, grace_s=ENGINE_GRACE_S
            ),
            Part("api", lambda: launch_api(api.model_copy(update={"restarts_folder": str(folder)}), api_log)),
        ]
        if ui_port is not None:
            page_log = folder / "page.log"

            def start_page() -> ChildProcess:
                return launch_page(page_host, ui_port, api.server, page_log, login)

            parts.append(Part("page", start_page, grace_s=0.0))  # without an engine, it has nothing to finish
        if elsewhere is not None and elsewhere.command is not None:
            parts.append(Part(VLLM, elsewhere.launch, start_limit_s=None, grace_s=VLLM_GRACE_S))
        supervisor = Supervisor(parts, Restarts(folder))
        try:
            supervisor.start()
            if ui_port is not None:
                click.secho(f"Chat at {page_address}", bold=True)
            address = browser_url(host, api_port, "http" if tls is None else "https")
            click.echo(f"OpenAI's API at {address}/v1, described at {address}/docs")
            if internal_host != host:
                what = "this listens" if login is None else "this and the page listen"
                click.echo(f"Only {what} on {host}; other ports check no key (--open-to-all).")
            names = ", ".join(EngineReport.read(folder).models)
            click.echo(f"Serving {names} over gRPC at {internal_host}:{grpc_port}   (Ctrl-C ends it)")
            supervisor.watch()
        except KeyboardInterrupt:
            click.echo("\nStopping after the running answers (Ctrl-C again cancels them) ...")
        finally:
            supervisor.stop()
            remove_leftovers(folder)
            if sys.stderr.isatty():
                click.echo(_SHOW_CURSOR, nl=False, err=True)  # a killed part may have hidden it
    click.echo("Stopped.")


def warn_about_clear_text(settings: ServiceSettings) -> None:
    """Say on standard error if API keys would cross a network unencrypted."""
    if settings.api_keys and settings.tls_certificate is None and not is_loopback(settings.host):
        click.secho(
            f"API keys and conversations cross the network unencrypted on {settings.host}; give --tls-cert "
            "and --tls-key, unless a proxy in front of the service has TLS.",
            fg="yellow",
            err=True,
        )


def read_keys(file: Path) -> tuple[str, ...]:
    """Read API keys from a file, one a line; lines that begin with # are comments. Raises TritonchatError."""
    try:
        lines = [line.strip() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise TritonchatError(f"{file} cannot be read: {error}.") from error
    keys = tuple(line for line in lines if line and not line.startswith("#"))
    if not keys:
        raise TritonchatError(f"{file} holds no API key; it should have one a line.")
    return keys


def port_flags(ports: dict[str, int]) -> dict[str, int]:
    """The ports by their flags on the command line: `grpc_port` becomes `--grpc-port`."""
    return {"--" + name.replace("_", "-"): port for name, port in ports.items()}
