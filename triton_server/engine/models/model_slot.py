"""A model of the server: loaded when a request needs it, unloaded when no request has needed it for long."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal

from model_core import LLM
from model_core.errors import InvalidRequest, ModelUnavailable, ShuttingDown, TritonchatError
from model_core.llm.description import ModelDescription
from model_core.machine.memory import return_freed_memory

from .local_engine import LocalEngine, require_llm
from .metrics import ModelMetrics
from .protocol import ModelEngine
from .slot_adapters import SlotAdapters
from .slot_prompts import SlotPrompts

LOGGER = logging.getLogger(__name__)

RETRY_S = 10.0  # so long after it failed to load, a request may try again
PRELOAD_S = 10.0  # so long a model that was loaded by a command waits for its first request at least
State = Literal["unloaded", "loading", "ready", "failed"]
# Loads a model, and calls the function with the part that is loaded, from 0 to 1.
Loader = Callable[[Callable[[float], None]], ModelEngine]


class ModelSlot:
    """The place of one model. Its methods may be called from any thread.

    Attributes:
        name: of the model.
        description: that of `ModelEngine.describe`, from the first time on that the model is loaded.
        metrics: of all the time, loaded or not.
        adapters: those that requests may choose. prompts: those that are saved.
        keep_alive_s: unload the model when it was idle for so many seconds; None: never.
        idle_since: when it was last used, as `time.monotonic()`.
    """

    def __init__(
        self,
        name: str,
        load: Loader,
        keep_alive_s: float | None = None,
        adapters: SlotAdapters | None = None,
        prompts: SlotPrompts | None = None,
    ) -> None:
        self.name, self.metrics, self.keep_alive_s = name, ModelMetrics(), keep_alive_s
        self.adapters = adapters or SlotAdapters({})
        self.prompts = prompts
        self.description: ModelDescription | None = None
        self.idle_since = 0.0
        self._load = load
        self._lock = threading.RLock()  # guards the fields below
        self._future: Future[ModelEngine] | None = None  # of the loaded model; None while it is unloaded
        self._users = 0  # who use the model or wait for it
        self._progress, self._failure_time = 0.0, 0.0
        self._timer: threading.Timer | None = None  # that unloads the model
        self._is_closing = False

    @property
    def engine(self) -> ModelEngine | None:
        """The engine of the model, if it is loaded."""
        future = self._future
        if future is None or not future.done() or future.exception() is not None:
            return None
        return future.result()

    @property
    def llm(self) -> LLM | None:
        """The model, if it is loaded in this process."""
        engine = self.engine
        return engine.llm if isinstance(engine, LocalEngine) else None

    @property
    def state(self) -> State:
        """What the model is at the moment."""
        future = self._future
        if future is None or not future.done():
            return "unloaded" if future is None else "loading"
        return "ready" if future.exception() is None else "failed"

    def describe_state(self) -> dict[str, Any]:
        """Its name, its `state`, its `progress` while it is loaded, and the `error` where it failed.

        `unloads_in_s`: seconds until it is unloaded, unless it is used again.
        """
        future, state = self._future, self.state
        summary: dict[str, Any] = {"name": self.name, "state": state}
        if state == "loading":
            summary["progress"] = self._progress
        if state == "ready" and self.keep_alive_s is not None:
            idle_s = time.monotonic() - self.idle_since if self._is_idle() else 0.0
            summary["unloads_in_s"] = max(0.0, self.keep_alive_s - idle_s)
        if state == "failed" and future is not None:
            summary["error"] = str(future.exception())
        return summary

    def fingerprint(self, adapter: str | None = None) -> str | None:
        """That of the engine; None if it is not known, because the model or the adapter is not loaded."""
        try:
            return None if self.engine is None else self.engine.fingerprint(adapter)
        except InvalidRequest:
            return None

    def made_of(self, adapter: str | None = None) -> dict[str, Any] | None:
        """What the fingerprint is made of; None as `fingerprint`."""
        try:
            return None if self.engine is None else self.engine.made_of(adapter)
        except InvalidRequest:
            return None

    def stats(self) -> dict[str, Any]:
        """That of the engine. While the model is not loaded, only `running` and `waiting`."""
        engine, loaders = self.engine, int(self.state == "loading")
        return {"running": 0, "waiting": self._users - loaders} if engine is None else engine.stats()

    def acquire(self) -> Future[ModelEngine]:
        """Use the model until `release`; load it if that is necessary.

        The future may raise ModelUnavailable. Raises ShuttingDown, and then there is nothing to release.
        """
        with self._lock:
            if self._is_closing:
                raise _shutting_down()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self.state == "failed" and time.monotonic() > self._failure_time + RETRY_S:
                self._future = None
            if self._future is None:
                self._future, self._progress = Future(), 0.0
                self._users += 1
                threading.Thread(
                    target=self._run_load, args=[self._future], name=f"load-{self.name}", daemon=True
                ).start()
            self._users += 1
            return self._future

    def release(self) -> None:
        """Use the model no more."""
        with self._lock:
            self._users -= 1
            self.idle_since = time.monotonic()
            if self._is_idle() and self.keep_alive_s is not None:
                self._timer = threading.Timer(self.keep_alive_s, self._end_keeping)
                self._timer.daemon = True
                self._timer.start()

    def unload_if_idle(self) -> bool:
        """Close the model and give its memory back, unless it is in use. Whether it was done."""
        with self._lock:
            if not self._is_idle():
                return False
            engine, self._future = self.engine, None
            self.metrics.close()
        assert engine is not None
        self._close_engine(engine)
        del engine
        return_freed_memory()
        return True

    def load_in_background(self) -> Future[ModelEngine]:
        """Load the model if it is not loaded, for a request that will come soon. Raises ShuttingDown."""

        def release_later(_: Future[ModelEngine]) -> None:
            timer = threading.Timer(PRELOAD_S, self.release)
            timer.daemon = True
            timer.start()

        future = self.acquire()
        future.add_done_callback(release_later)
        return future

    def close(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give the others `grace_s` seconds to end, and close the engine.

        Requests that wait for the model are refused, too.
        """
        with self._lock:
            self._is_closing = True
            if self._timer is not None:
                self._timer.cancel()
            if self._future is not None and not self._future.done():
                self._future.set_exception(_shutting_down())
        if self.engine is not None:
            self._close_engine(self.engine, grace_s)

    def _close_engine(self, engine: ModelEngine, grace_s: float = 0.0) -> None:
        engine.close(grace_s)
        if self.prompts is not None:
            self.prompts.close(require_llm(engine))

    def _set_progress(self, progress: float) -> None:
        self._progress = progress

    def _run_load(self, future: Future[ModelEngine]) -> None:
        """Load the model in a thread of its own, which is one of its users until then."""
        try:
            engine = self._load(self._set_progress)
            if self.prompts is not None:
                self.prompts.open(self, require_llm(engine))
            engine.fingerprint(None)  # computes it now, so that no answer waits for it
            self._end_loading(future, engine)
        except BaseException as error:  # whatever it is, those who wait must hear of it
            if not isinstance(error, TritonchatError):
                LOGGER.exception("%s could not be loaded", self.name)
            reason = str(error) if isinstance(error, TritonchatError) else f"{type(error).__name__}: {error}."
            # A new error, without the traceback of the other, which holds what was loaded.
            failure = ModelUnavailable(f"{self.name} could not be loaded: {reason}", "model")
            self._end_loading(future, failure)

    def _end_loading(self, future: Future[ModelEngine], result: ModelEngine | ModelUnavailable) -> None:
        with self._lock:
            if future.done():  # the server is stopping
                return None if isinstance(result, ModelUnavailable) else result.close()
            if isinstance(result, ModelUnavailable):
                self._failure_time = time.monotonic()
                future.set_exception(result)
            else:
                self.description = result.describe()
                self.metrics.open(result, self.description)
                future.set_result(result)
        self.release()

    def _is_idle(self) -> bool:
        return not self._users and self.state == "ready" and not self._is_closing

    def _end_keeping(self) -> None:
        """Unload the model at the end of its time, unless a request has come just before."""
        if threading.current_thread() is self._timer:
            self.unload_if_idle()


def _shutting_down() -> ShuttingDown:
    return ShuttingDown("the server is stopping and takes no new requests.")
