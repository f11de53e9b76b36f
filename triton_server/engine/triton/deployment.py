"""Starts, restarts and stops NVIDIA Triton, with the models of the contract, by PyTriton."""

import itertools
import logging
import os
import re
import secrets
import threading
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path

import psutil
from pytriton.client.warnings import NotSupportedTimeoutWarning
from pytriton.model_config import DynamicBatcher, ModelConfig, QueuePolicy, Tensor
from pytriton.triton import TRITON_ACCESS_HEADER, Triton, TritonConfig, TritonSecurityConfig
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError

from ...contract.tensors import CHAT, CHAT_STREAM, EMBED, READY
from ...contract.wire import KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS
from ...receipts.signer import ReceiptSigner
from ...system.hosts import LOOPBACK, free_port, is_ipv6, reachable_address
from ...system.machine import expose_libpython
from ...tracing.spans import TRACEPARENT
from ..commands.conversation_commands import ConversationCommands
from ..models.answer_cache import AnswerCache
from ..models.model_pool import ModelPool
from ..serving.address import Address
from ..serving.inference import Inference
from ..serving.models import TensorSpec, list_models
from .backend_reports import BackendReports, install_backend_model
from .leftovers import find_full_disk, remove_model_copies, remove_shared_memory
from .model_watch import MAX_FAILURES, ModelWatch
from .process_list import list_processes

LOGGER = logging.getLogger(__name__)

START_ATTEMPTS = 4
# Triton gives the process of a model so many seconds to start; its default of 30 is short on a busy machine.
MODEL_START_S = 120
# Triton gets at most so many seconds to stop. It needs all of them if its Python backend has lost a request.
EXIT_TIMEOUT_S = 10
_START_POLL_S = 0.05
# The APIs of Triton that only PyTriton may use.
MANAGEMENT_APIS = ("shared-memory", "model-repository", "trace", "logging")
ALL_APIS_BUT_HEALTH = (*MANAGEMENT_APIS, "inference", "metadata", "model-config", "statistics")
# How long Triton waits for more requests to fill a batch. Any model that is faster with batches takes longer
# for one token.
BATCH_DELAY_US = 2000


class Deployment:
    """A Triton that serves models. Call `start`; `restart` after a fault; `drain`, then `stop`."""

    def __init__(
        self,
        pool: ModelPool,
        address: Address,
        folder: Path,
        grace_s: float = 20.0,
        conversations: ConversationCommands | None = None,
        receipts: ReceiptSigner | None = None,
        answers: AnswerCache | None = None,
    ) -> None:
        """`folder` is for Triton's working files and `triton.log`; its path is short, for sockets lie in it.

        `grace_s` is how many seconds `drain` gives the running answers. `conversations` are by default
        those of this user. `receipts`, `answers`: see Inference.
        """
        self._pool, self._address, self._folder, self._grace_s = pool, address, folder, grace_s
        self._inference = Inference(
            pool, self.health, conversations or ConversationCommands(), receipts, answers
        )
        self._workspaces = (folder / f"triton-{number}" for number in itertools.count(1))
        self._workspace = folder
        self._processes: dict[psutil.Process, str] = {}  # Triton's, and what each runs
        self._is_draining = False
        self._model_watch: ModelWatch | None = None
        self._triton: Triton | None = None
        self._reports: BackendReports | None = None

    def start(self) -> None:
        """Start Triton and wait until its models are ready. Raises TritonchatError if it does not come up.

        On a busy machine, a process of Triton's may take longer than PyTriton waits for it. So there are a
        few attempts.
        """
        expose_libpython()
        # Send tensors to PyTriton in messages. By default they go through shared memory, which takes two more
        # processes for each of Triton's, is made for megabytes, and remains when a process is killed.
        os.environ["PYTRITON_NO_TENSORSTORE"] = "1"
        # For PyTriton's gRPC client: a proxy cannot reach a server on this machine.
        os.environ.update(no_grpc_proxy=reachable_address(self._address.host))
        warnings.filterwarnings("ignore", category=NotSupportedTimeoutWarning)
        for attempt in range(1, START_ATTEMPTS + 1):
            self._workspace, self._model_watch = next(self._workspaces), None
            self._triton = self.bind_models(self._workspace)
            self._reports = BackendReports(self._workspace, self._inference.cancel_call)
            try:
                _run(self._triton)
                self._processes = find_processes(self._workspace)
                streams = [CHAT_STREAM + suffix for suffix in self._pool.suffixes]
                others = [name + suffix for suffix in self._pool.suffixes for name in (CHAT, EMBED)]
                self._model_watch = ModelWatch(self._address.url(), self._reports, streams, others)
                return
            except Exception as error:
                self._kill_triton()
                self._clean_up()
                if attempt == START_ATTEMPTS:
                    log = self._folder / "triton.log"
                    reason = str(error).partition("\n")[0]
                    if full := find_full_disk(self._workspace):
                        reason = f"the disk of {full} is full"
                    raise TritonchatError(f"Triton did not start ({reason}); {log} may say more.") from error
                LOGGER.info("Triton did not start; there is another attempt", exc_info=True)

    def bind_models(self, workspace: Path) -> Triton:
        """A Triton with the models of the contract, not running yet."""
        address, token = self._address, secrets.token_urlsafe(32)
        # PyTriton manages Triton over HTTP if that is on, else over gRPC, for which it knows neither TLS nor
        # IPv6. It then has an HTTP port that only this machine may reach.
        http_port, is_internal = address.http_port, address.tls is not None or is_ipv6(address.host)
        if http_port is None and is_internal:
            http_port = free_port()
        # Triton's HTTP server marks IPv6 addresses so, and its gRPC server as URLs do.
        plain_host = f"ipv6:{address.host}" if is_ipv6(address.host) else address.host
        triton = Triton(
            config=TritonConfig(
                allow_http=http_port is not None,
                # Triton's HTTP has no TLS. Where TLS is wanted, only this machine may reach it.
                http_address=LOOPBACK if is_internal else address.host,
                http_port=http_port,
                http_restricted_api=_restriction(
                    MANAGEMENT_APIS if address.http_port else ALL_APIS_BUT_HEALTH, token
                ),
                grpc_address=f"[{address.host}]" if is_ipv6(address.host) else address.host,
                grpc_port=address.grpc_port,
                grpc_restricted_protocol=_restriction(MANAGEMENT_APIS, token),
                grpc_keepalive_time=KEEPALIVE_MS,
                grpc_keepalive_timeout=KEEPALIVE_TIMEOUT_MS,
                # By default, gRPC closes connections of clients that ping more often than every five minutes.
                grpc_http2_min_recv_ping_interval_without_data=KEEPALIVE_MS // 2,
                grpc_use_ssl=address.tls is not None,
                grpc_server_cert=address.tls and address.tls.certificate,
                grpc_server_key=address.tls and address.tls.key,
                metrics_address=plain_host,
                metrics_port=address.metrics_port,
                allow_gpu_metrics=False,
                exit_timeout_secs=EXIT_TIMEOUT_S,
                grpc_header_forward_pattern=TRACEPARENT,  # backend_reports.py reads it
                log_file=self._folder / "triton.log",
            ),
            # By default, PyTriton would restrict the same APIs for HTTP and gRPC.
            security_config=TritonSecurityConfig(access_token=token, restricted_endpoints=[]),
            workspace=workspace,
        )
        triton._triton_server_config["backend_config"].append(f"python,stub-timeout-seconds={MODEL_START_S}")
        # Otherwise Triton starts each model twice, first to ask for what its configuration may lack: nothing.
        triton._triton_server_config["strict_model_config"] = True
        batcher = DynamicBatcher(
            max_queue_delay_microseconds=BATCH_DELAY_US,
            default_queue_policy=QueuePolicy(max_queue_size=max(1, self._pool.max_queue)),
        )
        for model in list_models(self._pool, self._inference):
            if model.is_stream:
                config = ModelConfig(batching=False, decoupled=True)
            else:
                waits = batcher if model.may_wait else DynamicBatcher()
                config = ModelConfig(max_batch_size=model.max_rows, batcher=waits)
            inputs, outputs = map(_to_tensors, (model.inputs, model.outputs))
            triton.bind(model.name, model.answer, inputs=inputs, outputs=outputs, config=config)
        install_backend_model(triton)
        return triton

    def health(self) -> str:
        """contract.READY, or the reason why no requests are accepted."""
        if self._is_draining:
            return "the server is stopping"
        if fault := self._pool.find_fault():
            return fault
        unresponsive = None if self._model_watch is None else self._model_watch.unresponsive_model()
        return self._find_dead_process() or (f"{unresponsive} does not answer" if unresponsive else READY)

    def is_engine_alive(self) -> bool:
        """Whether the engines of all models that are loaded run."""
        return self._pool.is_alive()

    def find_fault(self) -> str | None:
        """The fault of Triton that only `restart` can repair, in a few words; None if there is none."""
        assert self._triton is not None and self._model_watch is not None  # it has been started
        dead_process = self._find_dead_process()
        if dead_process is not None:
            return dead_process
        if not self._triton.is_alive():
            return "Triton, or a thread that serves its models, ended"
        unresponsive = self._model_watch.unresponsive_model(MAX_FAILURES)
        return f"{unresponsive} does not answer" if unresponsive else None

    def _find_dead_process(self) -> str | None:
        """A process of Triton's that has died, in a few words; None if there is none."""
        dead = (name for process, name in self._processes.items() if _has_died(process))
        return next((f"{name}'s process died" for name in dead), None)

    def restart(self) -> None:
        """Replace Triton by a new one for the same models. Running answers are cancelled.

        Raises TritonchatError if it does not come up.
        """
        self._kill_triton()  # a process that still runs holds the ports
        self._inference.cancel_all()
        self._inference.flush()
        self._clean_up()
        self.start()

    def drain(self) -> None:
        """Refuse new requests, and give the running answers `grace_s` seconds to end."""
        self._is_draining = True
        self._inference.drain(self._grace_s)

    def stop(self) -> None:
        """Stop the engines and Triton; running answers are cut off."""
        self._is_draining = True
        self._inference.close()
        self._clean_up()
        # Triton ends the models' processes when it has sent all responses. After that, it only waits.
        models = [process for process, name in self._processes.items() if name != "Triton"]
        psutil.wait_procs(models, EXIT_TIMEOUT_S)
        self._kill_triton()

    def _clean_up(self) -> None:
        """Let PyTriton stop Triton, in a thread: it takes seconds, also to notice processes that have ended.

        It cannot harm a next Triton, which has another token and another workspace.
        """
        parts = (self._triton, self._reports, self._model_watch)
        threading.Thread(target=_stop_triton, args=parts, name="stop-triton", daemon=True).start()

    def _kill_triton(self) -> None:
        """Kill Triton's processes that still run, and remove what they leave."""
        for process in find_processes(self._workspace):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        remove_shared_memory(os.getpid())
        remove_model_copies(self._workspace)


def _to_tensors(specs: Iterable[TensorSpec]) -> list[Tensor]:
    return [
        Tensor(name=spec.name, dtype=spec.dtype, shape=spec.dims, optional=spec.is_optional) for spec in specs
    ]


def _restriction(apis: Sequence[str], token: str) -> str:
    """Triton's setting for APIs that need a token."""
    return f"{','.join(apis)}:{TRITON_ACCESS_HEADER}={token}"


def _has_died(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _run(triton: Triton) -> None:
    """Start Triton, and wait until it serves its models. Raises whatever PyTriton does.

    PyTriton does not notice that a Triton which it waits for has ended. So this looks at the process itself,
    and raises TritonchatError. (PyTriton's `is_alive` would stop Triton, and wait for `connect`.)
    """
    triton._run_server()  # not in the thread below: Triton ends with the thread that has started it
    process = psutil.Process(triton._triton_server._tritonserver_running_cmd.pid)
    connected: Future[None] = Future()

    def connect() -> None:
        try:
            triton.connect()
        except Exception as error:
            connected.set_exception(error)
        else:
            connected.set_result(None)

    threading.Thread(target=connect, name="start-triton", daemon=True).start()
    while not wait([connected], timeout=_START_POLL_S).done:
        if _has_died(process):
            raise TritonchatError("its process died")
    connected.result()


def _stop_triton(triton: Triton | None, reports: BackendReports | None, models: ModelWatch | None) -> None:
    if models is not None:
        models.stop()
    if triton is not None:
        try:
            triton.stop()
        except InferenceServerException:
            # The next Triton may answer already, and refuses to unload the models of the old one.
            for model in triton._model_manager.models:
                model.clean()
    if reports is not None:
        reports.close()


def find_processes(workspace: Path) -> dict[psutil.Process, str]:
    """The processes whose program lies in Triton's workspace, each with "Triton" or the name of its model."""
    processes, workspace = {}, workspace.resolve()
    for process in list_processes():
        with suppress(psutil.Error):
            if Path(process.exe()).is_relative_to(workspace):
                instances = (re.fullmatch(r"([\w.-]+)_0_\d+", argument) for argument in process.cmdline())
                processes[process] = next((instance[1] for instance in instances if instance), "Triton")
    return processes
