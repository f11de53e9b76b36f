"""What a server consists of, from its settings: the parts, where each listens, and what each is told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import SecretStr

from model_core.errors import TritonchatError

from ..api.mcp_tools.config import check_config
from ..api.settings import ServiceSettings
from ..settings.server import ServerSettings
from ..system.hosts import LOOPBACK, browser_url, is_ipv6, is_loopback, join_port, reachable_address
from ..system.machine import has_pytriton
from ..tracing.export import check_packages
from .engine_elsewhere import EngineElsewhere, find_engine
from .page_login import read_login

_NO_PYTRITON = "which cannot run here because PyTriton is not installed"


@dataclass(frozen=True)
class ServerPlan:
    """The parts of a server.

    Attributes:
        settings: from which the plan was made, with full paths of certificates.
        internal_host: of what checks no key: Triton's ports, and the page without a login.
        service: what the HTTP service is told.
        elsewhere: the server that computes instead of the engine; None: there is none.
        page_url: under which people open the page; None: there is no page.
        lacks_triton: whether there is no Triton because PyTriton is not installed.
    """

    settings: ServerSettings
    internal_host: str
    service: ServiceSettings
    elsewhere: EngineElsewhere | None
    page_url: str | None = None
    lacks_triton: bool = False

    @property
    def page_host(self) -> str:
        """Where the page listens."""
        return self.internal_host if self.settings.login is None else self.settings.host

    def triton_ports(self) -> dict[str, int]:
        """The ports of Triton, or of the engine in its place, by their flags."""
        settings = self.settings
        http = {"--http-port": settings.http_port} if settings.triton_http else {}
        return {"--grpc-port": settings.grpc_port, "--metrics-port": settings.metrics_port, **http}

    def service_url(self) -> str:
        """The URL of the HTTP service in a browser."""
        scheme = "http" if self.settings.tls_cert is None else "https"
        return browser_url(self.settings.host, self.settings.api_port, scheme)


def make_plan(settings: ServerSettings, engine_flags: Sequence[str], has_page: bool) -> ServerPlan:
    """The parts for these settings. Raises TritonchatError if they contradict each other."""
    settings = settings.model_copy(update=_resolve_certificate(settings))
    if settings.otlp_endpoint is not None:
        check_packages()
    lacks_triton = not settings.no_triton and not has_pytriton()
    if lacks_triton:
        settings = settings.model_copy(update={"no_triton": True})
    if settings.no_triton and settings.triton_http:
        why = _NO_PYTRITON if lacks_triton else "which --no-triton leaves out"
        raise TritonchatError(
            f"--triton-http needs Triton, {why}; the HTTP service speaks the same protocol, at /v2."
        )
    elsewhere = find_engine(settings, engine_flags)
    # Triton's ports and the page check no key: other machines reach them only with --open-to-all.
    host = settings.host if settings.open_to_all or is_loopback(settings.host) else LOOPBACK
    if settings.triton_http and is_ipv6(host):
        raise TritonchatError(
            f"--triton-http is for IPv4 only, and --host is {host}; leave --triton-http out, or give another "
            "--host."
        )
    # A wrong login is named before a missing key: who may use the page is what somebody has just set.
    address = None if settings.login is None or not has_page else read_login(settings.login)
    service = _plan_service(settings, host)
    plan = ServerPlan(settings, host, service, elsewhere, lacks_triton=lacks_triton)
    if not has_page:
        return plan
    return replace(plan, page_url=address or browser_url(plan.page_host, settings.ui_port))


def _resolve_certificate(settings: ServerSettings) -> dict[str, Path]:
    if settings.tls_cert is not None and settings.tls_key is not None:
        return {"tls_cert": settings.tls_cert.resolve(), "tls_key": settings.tls_key.resolve()}
    if settings.tls_cert is not None or settings.tls_key is not None:
        raise TritonchatError("--tls-cert and --tls-key must be given together.")
    return {}


def _plan_service(settings: ServerSettings, internal_host: str) -> ServiceSettings:
    server = join_port(reachable_address(internal_host), settings.grpc_port)
    if settings.tls_cert is not None and settings.tls_key is not None:
        # Imported here because few servers need the library of certificates.
        from ..system.tls import TlsFiles

        server = TlsFiles(settings.tls_cert, settings.tls_key).url(server)
    if settings.mcp_config is not None:
        check_config(settings.mcp_config)
    file, streams = settings.api_key_file, settings.max_streams
    keys = () if file is None else read_keys(file)
    return settings.select(
        ServiceSettings,
        server=server,
        api_keys=settings.api_keys + tuple(map(SecretStr, keys)),
        api_key_file=None,
        max_streams=settings.max_concurrency + settings.max_queue if streams is None else streams,
        keeps_prefixes=settings.prefix_cache_disk is not None or settings.answer_cache is not None,
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
