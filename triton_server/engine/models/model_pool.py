"""The models of the server, by name, and how they share the machine.

They compute in turns: a step of one model, with all threads, then a step of the next one that has requests.
Each has an equal part of the KV memory. Where they are unloaded when they are idle, a model that lacks memory
lets those be unloaded that were idle for the longest time.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from model_core import LLM
from model_core.errors import InvalidRequest, ModelError, ModelNotFound, NotAllowed
from model_core.hub import is_on_this_machine, model_name
from model_core.machine.fair_lock import Turns
from model_core.machine.resources import available_memory
from model_core.model.estimate import ModelTooLarge

from ...contract.tensors import CHAT, CHAT_STREAM, DEFAULT_MODEL, EMBED
from .added_models import AddedModel, read_added, write_added
from .local_engine import LocalEngine
from .metrics import render_metrics
from .model_slot import ModelSlot
from .protocol import ModelEngine
from .slot_adapters import SlotAdapters
from .slot_prompts import PromptFlags, SlotPrompts
from .vllm_metrics import render_vllm_metrics

# Names of Triton's models are in paths of sockets, which have at most 107 characters.
MAX_SUFFIX = 40
_ADVICE = "give it another name, as in --model other=PATH."


class ModelPool:
    """The models of a server. The first one answers requests that name none.

    Attributes:
        slots: the models.
        suffixes: of the names of their Triton models: "" for the first, "-NAME" for the others.
        max_queue: requests to a model that may wait.
        allows_loading: whether clients may load and drop adapters.
        allows_getting: whether they may let it download and load other models.
    """

    def __init__(
        self,
        slots: Sequence[ModelSlot],
        max_queue: int = 256,
        allows_loading: bool = False,
        make_slot: Callable[[str, str | None], ModelSlot] | None = None,
    ) -> None:
        """`make_slot` makes those of `add`. Raises ModelError for names that clash."""
        self.allows_getting = False
        self._make_slot = make_slot
        self._lock = threading.Lock()  # guards the models that were added
        self._folder: Path | None = None
        self._added: dict[str, AddedModel] = {}
        self.slots, self.max_queue, self.allows_loading = tuple(slots), max_queue, allows_loading
        self._by_name = {slot.name: slot for slot in slots}
        self.suffixes = ["", *(_triton_suffix(slot.name) for slot in slots[1:])]
        for number, slot in enumerate(slots):
            if slot.name in [other.name for other in slots[:number]]:
                raise ModelError(f"two models have the name {slot.name}; {_ADVICE}")
            if self.suffixes[number] in self.suffixes[:number]:
                raise ModelError(f"the name {slot.name} is too similar to that of another model; {_ADVICE}")
            if number and slot.name == DEFAULT_MODEL:
                raise ModelError(f"{DEFAULT_MODEL} stands for the first model; {_ADVICE}")
            for name in slot.adapters.folders:
                if name in self._by_name or name == DEFAULT_MODEL:
                    raise ModelError(f"the adapter {name} has the name of a model; give it another one.")

    def find_first(self, task: str) -> ModelSlot:
        """The first model that has a task of ModelDescription.tasks; the first of all if none has it.

        One that was never loaded may have it, so that what is loaded at the moment does not decide.
        """
        slots = (s for s in self.slots if s.description is None or task in s.description["tasks"])
        return next(slots, self.slots[0])

    def resolve_model(self, name: str | None, default: ModelSlot) -> ModelSlot:
        """The model that a request names, or whose adapter; `default` if it names none.

        Raises ModelNotFound.
        """
        if name is None:
            return default
        slot = default if name == DEFAULT_MODEL else self._by_name.get(name) or self._find_parent(name)
        if slot is None:
            adapters = [adapter for slot in self.slots for adapter in slot.adapters.folders]
            names = ", ".join([*self._by_name, *adapters])
            raise ModelNotFound(
                f"there is no model {name[:100]!r} here; this server has {names}, and the first one is "
                f"called {DEFAULT_MODEL}, too.",
                "model",
            )
        return slot

    def _find_parent(self, adapter: str) -> ModelSlot | None:
        return next((slot for slot in self.slots if adapter in slot.adapters.folders), None)

    def add(self, path: str, weights: str | None) -> ModelSlot:
        """Serve one more model, by its path as its name; the first one's Triton models take its requests.

        Raises NotAllowed.
        """
        if path in self._by_name:
            return self._by_name[path]
        if self._make_slot is None:
            raise NotAllowed("this server loads no other models.")
        slot = self._make_slot(path, weights)
        self._by_name[path] = slot
        self.slots = (*self.slots, slot)
        return slot

    def load_more(self, model: AddedModel) -> None:
        """Add a model and load it in the background, now and after a crash. Raises NotAllowed."""
        slot = self.add(model.path, model.weights)
        self._keep_added(replace(model, was_loaded=False))

        def note(loaded: Future[ModelEngine]) -> None:
            if not loaded.cancelled() and loaded.exception() is None:
                self._keep_added(replace(model, was_loaded=True))

        slot.load_in_background().add_done_callback(note)

    def restore_added(self, folder: Path) -> None:
        """Load what an earlier process of this server has added and loaded, and write into its folder."""
        self._folder = folder
        for model in read_added(folder):
            if model.was_loaded:
                self.load_more(model)

    def _keep_added(self, model: AddedModel) -> None:
        with self._lock:
            self._added[model.path] = model
            if self._folder is not None:
                write_added(self._folder, [*self._added.values()])

    def has_model(self, name: str) -> bool:
        """Whether a model has this name, loaded or not."""
        return name in self._by_name

    def load_adapter(self, slot: ModelSlot, name: str, folder: str) -> str:
        """Load an adapter for a model: "ready", or "loading" for a while; see SlotAdapters.load."""
        self._check_loading()
        if name in self._by_name or name == DEFAULT_MODEL or self._find_parent(name) not in (None, slot):
            raise InvalidRequest(f"the name {name[:100]!r} is that of a model; give the adapter another one.")
        return slot.adapters.load(slot, name, folder)

    def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter. Raises ModelNotFound or NotAllowed."""
        self._check_loading()
        slot = self._find_parent(name)
        if slot is None:
            raise ModelNotFound(f"there is no adapter {name[:100]!r} here.")
        slot.adapters.drop(slot, name)

    def forget(self, salt: str) -> None:
        """Delete what the prefix caches have of a cache salt."""
        for slot in self.slots:
            if slot.prompts is not None:
                slot.prompts.forget(slot.llm, salt)

    def _check_loading(self) -> None:
        if not self.allows_loading:
            raise NotAllowed(
                "adapters are loaded and dropped only by a server that was started with "
                "--allow-adapter-loading."
            )

    def load_all(self) -> None:
        """Load the models, one after the other. Raises ModelError if none of them could be loaded."""
        errors = []
        for slot in self.slots:
            error = slot.acquire().exception()
            slot.release()
            if error is not None:
                errors.append(str(error))
        if len(errors) == len(self.slots):
            raise ModelError(" ".join(errors))
        for message in errors:
            click.secho(f"tritonchat: {message}", fg="yellow", err=True)

    def unload_one(self) -> bool:
        """Unload the model that was idle for the longest time. False if there is none to unload."""
        slots = [slot for slot in self.slots if slot.keep_alive_s is not None]
        return any(slot.unload_if_idle() for slot in sorted(slots, key=lambda slot: slot.idle_since))

    def is_alive(self) -> bool:
        """Whether the engines of all models that are loaded run."""
        return all(engine.stats()["alive"] for engine in self._engines())

    def find_fault(self) -> str | None:
        """Why a model that is loaded accepts no requests at the moment; None if all do."""
        return next((fault for engine in self._engines() if (fault := engine.find_fault())), None)

    def _engines(self) -> list[ModelEngine]:
        """Those of the models that are loaded."""
        return [engine for slot in self.slots if (engine := slot.engine) is not None]

    def is_running(self) -> bool:
        """Whether an engine has requests."""
        return any(slot.stats()["running"] for slot in self.slots)

    def describe(self) -> list[dict[str, Any]]:
        """For each model its name and state, the names of its Triton models, and its description.

        Then the same for each adapter, with its model as `parent`.
        """
        slots = self.slots  # to which another thread may add one
        models = [
            {
                **slot.describe_state(),
                "triton_models": [name + suffix for name in (CHAT, CHAT_STREAM, EMBED)]
                if suffix is not None
                else [],
                "description": slot.description,
                "fingerprint": slot.fingerprint(),
            }
            for slot, suffix in zip_longest(slots, self.suffixes)
        ]
        return models + [
            {**model, "name": name, "parent": slot.name, "fingerprint": slot.fingerprint(name)}
            for model, slot in zip(models, slots, strict=True)
            for name in list(slot.adapters.folders)
        ]

    def render_metrics(self) -> str:
        """The metrics of all models, in Prometheus' text format, under our names and under vLLM's."""
        models = {slot.name: slot.metrics for slot in self.slots}
        return render_metrics(models) + render_vllm_metrics(models)

    def close(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give the others `grace_s` seconds to end, and close the engines."""
        threads = [threading.Thread(target=slot.close, args=[grace_s]) for slot in self.slots]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def create_pool(
    models: Sequence[tuple[str | None, str | None]],
    keep_alive_s: float | None,
    llm_settings: Mapping[str, Any],
    adapters: Sequence[tuple[str, str]] = (),
    allows_loading: bool = False,
    prompts: PromptFlags | None = None,
) -> ModelPool:
    """The pool for models that are given by name (None: its own) and path (None: the embedded model).

    `llm_settings` are arguments of LLM, the same for all models; a `revision` is for those on the hub alone,
    and `mmproj` for the first one.
    `adapters` of the first model: names and folders. allows_loading: see ModelPool. `prompts`: where they
    keep prompts, None: nowhere. Raises ModelError for wrong names.
    """
    turns, settings = Turns(), dict(llm_settings)
    if len(models) > 1:
        memory = settings["kv_cache_memory"] or available_memory() // 4
        settings["kv_cache_memory"] = memory // len(models)

    is_local = {path: path is None or is_on_this_machine(path) for _, path in models}

    def create_slot(
        name: str, path: str | None, adapters: SlotAdapters, weights: str | None = None
    ) -> ModelSlot:
        own = dict(settings) | ({} if weights is None else {"weights": weights})
        if path not in is_local or (is_local[path] and not all(is_local.values())):
            own["revision"] = None  # if all are on this machine, it is refused
        if path != models[0][1]:
            own["mmproj"] = None

        def load(on_progress: Callable[[float], None]) -> LocalEngine:
            while True:
                try:
                    llm = LLM(path, **own, adapters=dict(adapters.folders), on_progress=on_progress)
                except ModelTooLarge:
                    if not pool.unload_one():
                        raise
                else:
                    llm.name, llm.model.turns = name, turns
                    if llm.draft_model is not None:
                        llm.draft_model.model.turns = turns
                    if llm.model.draft_head is not None:
                        llm.model.draft_head.turns = turns
                    if llm.engine.encoder is not None:
                        llm.engine.encoder.tower.share(turns, llm.model.threads)
                    return LocalEngine(llm)

        saved = None if prompts is None else SlotPrompts(prompts, name)
        return ModelSlot(name, load, keep_alive_s, adapters, saved)

    folders = [dict(adapters), *({} for _ in models[1:])]
    slots = [
        create_slot(name or model_name(path), path, SlotAdapters(its))
        for (name, path), its in zip(models, folders, strict=True)
    ]
    pool = ModelPool(
        slots,
        settings["max_queue"],
        allows_loading,
        lambda path, weights: create_slot(path, path, SlotAdapters({}), weights),
    )
    return pool


def _triton_suffix(name: str) -> str:
    """The end of the names of a model's Triton models: its name, without owner and .gguf."""
    name = name.rpartition("/")[2].removesuffix(".gguf")
    return f"-{re.sub(r'[^A-Za-z0-9._-]', '-', name)}"[:MAX_SUFFIX]
