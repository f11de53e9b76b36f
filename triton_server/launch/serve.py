"""What `tritonchat serve` and `up` do: check, start all processes, and run until a signal."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from model_core.errors import TritonchatError

from ..api.process import launch_api
from ..api.settings import ServiceSettings
from ..engine.triton.process import EngineReport, EngineSettings, launch_engine, remove_leftovers
from ..settings.server import ServerSettings
from ..system.child_process import ChildProcess, launch
from ..system.folders import scratch_folder
from ..system.hosts import is_loopback, join_port
from ..system.machine import check_ports, check_python, check_triton, require
from ..system.program import called
from ..system.restarts import Restarts
from ..system.signals import signals_as_interrupts
from .engine_elsewhere import KEY_VARIABLE, VLLM
from .page_process import launch_page
from .plan import ServerPlan, make_plan
from .supervisor import Part, Supervisor

# Seconds that the engine gets to stop: first its running answers, then Triton.
ENGINE_GRACE_S = 90.0
VLLM_GRACE_S = 30.0  # when its answers have ended
_SECRETS = ("TRITONCHAT_API_KEY", "TRITONCHAT_DATABASE", KEY_VARIABLE)
_SHOW_CURSOR = "\033[?25h"  # ECMA-48, DECTCEM


def run_server(settings: ServerSettings, engine_flags: Sequence[str], has_page: bool) -> None:
    """Run the server until a signal. Restart each part that ends. `engine_flags`: of `find_engine`.

    Raises TritonchatError.
    """
    plan = make_plan(settings, engine_flags, has_page)
    for variable in [name for name in os.environ if name.upper() in _SECRETS]:  # not for Triton or the page
        del os.environ[variable]
    _check_machine(plan)
    warn_about_clear_text(plan.service)
    announce(plan)
    with scratch_folder() as folder, signals_as_interrupts():
        advice: ChildProcess | None = None
        supervisor = Supervisor([*_make_parts(plan, folder)], Restarts(folder))
        try:
            supervisor.start()
            _say_addresses(plan, EngineReport.read(folder).models)
            advice = _say_real_models(plan)
            supervisor.watch()
        except KeyboardInterrupt:
            click.echo("\nStopping after the running answers (Ctrl-C again cancels them) ...")
        finally:
            if advice is not None:
                advice.kill()
            supervisor.stop()
            remove_leftovers(folder)
            if sys.stderr.isatty():
                click.echo(_SHOW_CURSOR, nl=False, err=True)  # a killed part may have hidden it
    click.echo("Stopped.")


def _check_machine(plan: ServerPlan) -> None:
    """Raises TritonchatError if a port is taken, or this machine cannot run Triton."""
    page = {} if plan.page_url is None else {"--ui-port": plan.settings.ui_port}
    service = {"--api-port": plan.settings.api_port}
    if plan.settings.ollama_port is not None:
        service["--ollama-port"] = plan.settings.ollama_port
    ports = {**plan.triton_ports(), **page, **service}
    if len(set(ports.values())) < len(ports):
        raise TritonchatError(f"{', '.join(ports)} must be different ports.")
    require([check_python(), *check_triton(plan.settings.no_triton)])
    require(check_ports(plan.internal_host, plan.triton_ports()))
    require(check_ports(plan.page_host, page))
    require(check_ports(plan.settings.host, service))


def warn_about_clear_text(settings: ServiceSettings) -> None:
    """Say on standard error if API keys would cross a network unencrypted."""
    if settings.api_keys and settings.tls_cert is None and not is_loopback(settings.host):
        click.secho(
            f"API keys and conversations cross the network unencrypted on {settings.host}; give --tls-cert "
            "and --tls-key, unless a proxy in front of the service has TLS.",
            fg="yellow",
            err=True,
        )


def announce(plan: ServerPlan) -> None:
    """Say what takes a while, and what a person would not expect."""
    if plan.lacks_triton:
        click.echo(
            "PyTriton is not installed here (it exists for Linux on x86-64), so the engine answers gRPC "
            "itself, as with --no-triton."
        )
    if plan.elsewhere is not None:
        click.echo(f"Connecting to the engine at {plan.elsewhere.url} ...")
    elif plan.settings.keep_alive_s is None:
        models = [path for _, path in plan.settings.models] or ["the embedded model"]
        click.echo(f"Loading {', '.join(models)} ...")


def _make_parts(plan: ServerPlan, folder: Path) -> Iterator[Part]:
    """The processes in the order in which they are stopped, with their files in a folder."""
    engine = _engine_settings(plan, folder)
    yield Part("engine", lambda: launch_engine(engine), start_limit_s=None, grace_s=ENGINE_GRACE_S)
    service = plan.service.model_copy(update={"restarts_folder": str(folder)})
    # At a terminal, the service's log would disturb the person who reads there.
    log = folder / "api.log" if sys.stderr.isatty() else None
    yield Part("api", lambda: launch_api(service, log))
    if plan.page_url is not None:
        page = plan.page_host, plan.settings.ui_port, service.server, folder / "page.log", plan.settings.login
        tools = plan.settings
        yield Part("page", lambda: launch_page(*page, tools), grace_s=0.0)  # it has nothing to finish
    elsewhere = plan.elsewhere
    if elsewhere is not None and elsewhere.command is not None:
        yield Part(VLLM, elsewhere.launch, start_limit_s=None, grace_s=VLLM_GRACE_S)


def _engine_settings(plan: ServerPlan, folder: Path) -> EngineSettings:
    upstream = None
    if (elsewhere := plan.elsewhere) is not None:
        waits = elsewhere.command is not None
        upstream = {"url": elsewhere.url, "key": elsewhere.key, "waits": waits}
    return plan.settings.select(
        EngineSettings,
        models=plan.settings.models or ((None, None),),
        host=plan.internal_host,
        upstream=upstream,
        folder=folder,
    )


def _say_real_models(plan: ServerPlan) -> ChildProcess | None:
    """Say how to get another model than the embedded one; at a terminal, which ones fit this machine.

    Measuring takes some seconds, in a process of its own, for which nobody waits. It ends with this one.
    """
    if plan.elsewhere is not None or plan.settings.models:
        return None
    click.echo(
        f"This is the embedded model, which is tiny. `{called()} recommend` names real ones that fit here."
    )
    if not sys.stdout.isatty():
        return None
    return launch("recommend", [sys.executable, "-m", "triton_server", "recommend"], {}, None, bool)


def _say_addresses(plan: ServerPlan, models: list[str]) -> None:
    """Say where everything listens, to a person who reads on this machine."""
    settings = plan.settings
    if plan.page_url is not None:
        click.secho(f"Chat at {plan.page_url}", bold=True)
    url = plan.service_url()
    click.echo(f"OpenAI's API at {url}/v1, described at {url}/docs")
    if plan.internal_host != settings.host:
        has_open_page = plan.page_url is not None and settings.login is not None
        what = "this and the page listen" if has_open_page else "this listens"
        click.echo(f"Only {what} on {settings.host}; other ports check no key (--open-to-all).")
    where = join_port(plan.internal_host, settings.grpc_port)
    click.echo(f"Serving {', '.join(models)} over gRPC at {where}   (Ctrl-C ends it)")
