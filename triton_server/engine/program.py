"""What `python -m triton_server.engine` does: serve models, through Triton or without, as settings say."""

import errno
import logging
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich.console

from model_core import TritonchatError
from model_core.errors import is_memory_refusal
from model_core.machine.memory import freeze_objects

from ..conversations.limits import SessionLimits
from ..receipts.signer import ReceiptSigner
from ..settings.server import LLM_SETTINGS
from ..system.child_process import GIVE_UP_STATUS
from ..system.folders import data_folder
from ..system.restarts import MAX_RESTARTS, RESTART_WINDOW_S, Restarts
from ..system.signals import signals_as_event, signals_as_interrupts
from ..system.tls import TlsFiles
from ..tracing.export import exported_spans
from .commands.conversation_commands import ConversationCommands
from .kserve.server import GrpcServer
from .models.answer_cache import AnswerCache
from .models.model_pool import ModelPool, create_pool
from .models.slot_prompts import PromptFlags
from .serving.address import Address
from .triton.process import EngineReport, EngineSettings
from .upstream.pool import create_upstream_pool

if TYPE_CHECKING:
    from .triton.deployment import Deployment

_WATCH_S = 0.5


class RestartLimitReached(TritonchatError):
    """Triton broke so often that another start of the engine would not help."""


def main() -> None:
    """Serve until SIGTERM or SIGINT; a second signal cuts the running answers off."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # PyTriton warns when Triton ends by a signal, but every Triton ends so.
    logging.getLogger("pytriton").setLevel(logging.ERROR)
    settings = EngineSettings.from_environment()
    try:
        with signals_as_event() as interrupted, exported_spans(settings.otlp_endpoint, "engine"):
            serve(settings, interrupted)
    except TritonchatError as error:
        _report_error(settings.folder, str(error))
        sys.exit(GIVE_UP_STATUS if isinstance(error, RestartLimitReached) else 1)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            place = error.filename or settings.folder
            _report_error(settings.folder, f"the disk of {place} is full; the engine needs some room there.")
        elif is_memory_refusal(error):
            _report_error(settings.folder, f"the system refuses memory to the engine: {error}.")
        else:
            raise
        sys.exit(1)


def _report_error(folder: Path, error: str) -> None:
    """Say why the engine ends: to the parent, or in the output if the disk has no room for that."""
    try:
        EngineReport(error=error).write(folder)
    except OSError:
        click.echo(error, err=True)


def serve(settings: EngineSettings, interrupted: threading.Event) -> None:
    """Load the models and serve them until a signal. Raises TritonchatError."""
    folder, tls = settings.folder, None
    if settings.tls_cert is not None and settings.tls_key is not None:
        tls = TlsFiles(settings.tls_cert, settings.tls_key)
    http_port = settings.http_port if settings.triton_http else None
    address = Address(settings.host, settings.grpc_port, http_port, settings.metrics_port, tls)
    pool = _create_pool(settings)
    if settings.keep_alive_s is None:
        pool.load_all()
    limits = SessionLimits(settings.max_sessions, settings.max_session_bytes)
    database = None if settings.database is None else settings.database.get_secret_value()
    conversations = ConversationCommands(database, limits)
    conversations.load_modules()
    receipts = _create_signer(settings, database)
    answers = create_answer_cache(settings)
    try:
        if settings.no_triton:
            server = GrpcServer(
                pool, address, conversations=conversations, receipts=receipts, answers=answers
            )
            _serve_alone(server, pool, folder, interrupted)
        else:
            # Imported here because PyTriton is not installed everywhere.
            from .triton.deployment import Deployment

            deployment = Deployment(
                pool, address, folder, conversations=conversations, receipts=receipts, answers=answers
            )
            _serve_with_triton(deployment, pool, folder, interrupted)
    finally:
        receipts.close()
        if answers is not None:
            answers.close()


def _serve_alone(server: GrpcServer, pool: ModelPool, folder: Path, interrupted: threading.Event) -> None:
    """Answer gRPC in this process until a signal. Raises TritonchatError, after which it must be replaced."""
    with _stopped_at_end(server):
        server.start()
        _report_start(pool, folder)
        while not interrupted.wait(_WATCH_S):
            _check_engine(server)
            if fault := server.find_fault():
                raise TritonchatError(f"{fault}; the output above may say why.")


def _serve_with_triton(
    deployment: "Deployment", pool: ModelPool, folder: Path, interrupted: threading.Event
) -> None:
    """Serve through Triton until a signal. Raises as serve_until_signal."""
    click.echo("Starting Triton ...")
    # PyTriton prints the output of Triton's processes, which is needed only to find a fault.
    with (
        (folder / "triton-output.log").open("a") as output,
        redirect_stdout(output),
        _stopped_at_end(deployment),
    ):
        with rich.console.Console(stderr=True).status("Starting Triton"):
            deployment.start()
        _report_start(pool, folder)
        serve_until_signal(deployment, Restarts(folder), folder / "triton.log", interrupted)


@contextmanager
def _stopped_at_end(server: "GrpcServer | Deployment") -> Iterator[None]:
    """Stop it at the end, after the running answers, or at once at a signal."""
    try:
        yield
    finally:
        with signals_as_interrupts(), suppress(KeyboardInterrupt):
            server.drain()
        server.stop()


def _report_start(pool: ModelPool, folder: Path) -> None:
    """Say that the models are served, and load those that were added before the engine died."""
    freeze_objects()
    EngineReport(models=[slot.name for slot in pool.slots]).write(folder)
    pool.restore_added(folder)


def _check_engine(server: "GrpcServer | Deployment") -> None:
    if not server.is_engine_alive():
        raise TritonchatError("the engine stopped by itself; the output above may say why.")


def create_answer_cache(settings: EngineSettings) -> AnswerCache | None:
    """The cache of answers; None if there is to be none. Then what an earlier server has kept is deleted."""
    folder = data_folder() / "answers"
    if settings.answer_cache is None:
        shutil.rmtree(folder, ignore_errors=True)  # nobody else would
        return None
    expiries = settings.session_expiry_s, settings.response_expiry_s
    return AnswerCache(folder, settings.answer_cache, min(filter(None, expiries), default=0))


def _create_signer(settings: EngineSettings, database: str | None) -> ReceiptSigner:
    """Where answers get receipts. Raises TritonchatError if their log cannot be written."""

    def find_folder() -> Path:
        from ..conversations.database import database_folder  # slow to import, and most servers need no key

        return database_folder(database)

    log = settings.receipt_log, settings.receipt_content
    return ReceiptSigner(find_folder, settings.receipts, *log)


def _create_pool(settings: EngineSettings) -> ModelPool:
    """The models, of which none is loaded. Raises TritonchatError."""
    if settings.upstream is not None:
        limits = settings.max_concurrency, settings.max_queue
        return create_upstream_pool(settings.models, *limits, **settings.upstream)
    expiries = settings.session_expiry_s, settings.response_expiry_s
    prompts = PromptFlags(
        folder=str(data_folder() / "prompts"),
        max_bytes=settings.saved_prompts_disk,
        allows_saving=settings.allow_saving_prompts,
        max_cache_bytes=settings.prefix_cache_disk,
        cache_expiry_s=min(filter(None, expiries), default=0),
    )
    llm = settings.model_dump(include=LLM_SETTINGS)
    adapters = settings.adapters, settings.allow_adapter_loading
    pool = create_pool(settings.models, settings.keep_alive_s, llm, *adapters, prompts)
    pool.allows_getting = settings.allow_pull
    return pool


def serve_until_signal(
    deployment: "Deployment", restarts: Restarts, log: Path, interrupted: threading.Event
) -> None:
    """Restart Triton whenever it is broken, until a signal.

    Raises TritonchatError if the engine has stopped or Triton does not come up, and RestartLimitReached if
    Triton breaks too often.
    """
    while not interrupted.wait(_WATCH_S):
        _check_engine(deployment)
        fault = deployment.find_fault()
        if fault is not None:
            delay_s = restarts.add("triton")
            if delay_s is None:
                times = f"more than {MAX_RESTARTS} times within {RESTART_WINDOW_S:.0f} s"
                raise RestartLimitReached(f"{fault}, {times}; {log} may say why.")
            click.echo(f"{fault}; Triton is started again.", err=True)
            interrupted.wait(delay_s)
            deployment.restart()
