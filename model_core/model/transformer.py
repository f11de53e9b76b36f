"""A model with its weights in memory: token ids in, logits or hidden states out.

A tape (tape.py) lists its operations. It is bound to the weights (bind.py) and run by kernels/interpreter.py,
in the memory of step_buffers.py.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType

import numpy as np
from numba.core.dispatcher import Dispatcher

from ..adapters.table import NO_SLOT, AdapterTable, find_runs
from ..cache.memory import PAGE, KVCache
from ..cache.states import StateCache
from ..errors import InvalidRequest, NotFinite
from ..families.config import ModelConfig
from ..kernels.interpreter import Operation, profile_tape, run_tape
from ..kernels.sequences.attention import MAX_QUERY_ROWS
from ..kernels.team import Team
from ..machine.fair_lock import Turns
from ..reference.operators import embed
from ..sampling.prompt_logprobs import StepScores
from ..tape.operations import Attend
from ..tape.passes import find_hidden_states, is_of_all_rows
from ..tape.references import Span
from ..tape.tape import TYPES, Tape
from ..weights.matrix import KINDS, Matrix
from .batch import Batch
from .bind import bind
from .loaded_weights import LoadedWeights
from .program import Profile
from .rope_table import place_rows
from .step_buffers import StepBuffers

# Rows of logits in memory at a time, of those that are only reduced: 39 MB for a vocabulary of 152,000.
SCORED_ROWS = 64
Visits = Mapping[int, Callable[[np.ndarray], None]]  # see Transformer.forward


class Transformer:
    """A model with its weights in memory. Any thread may compute steps; one runs at a time.

    `turns` is held during a step, and goes to the thread that has waited longest: models that share a machine
    share it. `step_s` is how many seconds the last step of `forward` took, once its turn had come.
    `draft_head` drafts further tokens, where the model was loaded with one: an MTP or EAGLE-3 head.
    """

    def __init__(
        self,
        config: ModelConfig,
        tape: Tape,
        weights: LoadedWeights,
        arithmetic: str = "int8",
        parts: int = 0,
        draft_head: "Transformer | None" = None,
        token_ids: np.ndarray | None = None,
    ) -> None:
        """Bind a tape to its weights.

        Args:
            weights: of the tape.
            arithmetic: what products with integer weights multiply: activations rounded to "int8", or in
                "float32" as they are.
            parts: in bfloat16 of activations that bfloat16 weights multiply; 0: they multiply float32.
            draft_head: drafts for the model.
            token_ids: of a head, the tokens that its logits are of, int [logits]; None: all tokens.
        """
        self.config, self.tape, self.weights, self.records = config, tape, weights, weights.records
        self.turns: AbstractContextManager = Turns()
        self.step_s = 0.0
        self.draft_head, self.token_ids = draft_head, token_ids
        self.has_head = weights.head is not None
        self.hidden = find_hidden_states(self.records)
        self._hands_on_all_rows = tape.handed_on is not None and is_of_all_rows(self.records, tape.handed_on)
        self.is_causal = tape.is_causal
        self._program = bind(tape, weights, config.max_context, arithmetic, parts)
        self.adapters = AdapterTable(self._program.tensors)
        self.kv_groups = self._program.kv_groups
        self._instructions = self._program.instructions  # of the step
        self._last_rows = int(np.argmax(self._program.instructions["for_logit_rows"]))
        attends = [record for record in self.records if isinstance(record, Attend)]
        self._query_group = max((a.q.heads // tape.kv_layers[a.layer].kv_heads for a in attends), default=1)
        self._profile: Profile | None = None
        self._lock = threading.Lock()
        self._team = Team(1)
        self.set_threads(1)

    def __del__(self) -> None:
        if hasattr(self, "_team"):  # its threads wait for calls, also those of a model that nobody uses
            self._team.close()

    def check_makes_text(self) -> None:
        """Raises InvalidRequest if the model makes embeddings or scores alone."""
        if not self.has_head:
            why = "" if self.config.is_causal else ", since is_causal is false in its configuration"
            raise InvalidRequest(
                f"this model makes no text, only embeddings or scores{why}; load a model for generation."
            )

    def set_threads(self, threads: int) -> None:
        """Let `threads` threads compute a step, the caller among them. The previous helper threads end."""
        with self._lock:
            team = Team(threads)
            self._team.close()
            self._team = team
            self._buffers = StepBuffers(self._program, self._query_group, self._team)
        if self.draft_head is not None:
            self.draft_head.set_threads(threads)

    @property
    def rounds_activations(self) -> bool:
        """Whether there are products that multiply activations in int8."""
        return bool(self._program.instructions["matrix"]["rounding"].any())

    @property
    def arithmetic(self) -> str:
        """The type to which products round activations: int8 if any does, else bfloat16, or float32."""
        if self.rounds_activations:
            return "int8"
        return "bfloat16" if self.activation_parts == 1 else "float32"

    @property
    def arithmetic_kind(self) -> int:
        """The same as a kind of kernels/layout.py."""
        return KINDS[self.arithmetic]

    @property
    def activation_parts(self) -> int:
        """The bfloat16 parts of activations that products multiply; 0 if there are no such products."""
        return int(self._program.instructions["matrix"]["parts"].max())

    @property
    def threads(self) -> int:
        """The number of threads that compute a step."""
        return self._team.threads

    def create_cache(self, sequences: int, positions: int, dtype: str) -> tuple[KVCache, np.ndarray]:
        """KV memory for sequences of so many positions, with page tables for a Batch.

        Raises OSError, ValueError or OverflowError if it is too much.
        """
        shape = (len(self.kv_groups), sequences, -(-positions // PAGE))
        tables = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
        states = StateCache(self.tape.states, sequences) if self.tape.states else None
        return KVCache(self.kv_groups, tables.size, dtype, states), tables

    def run_kernel(self, kernel: Dispatcher, *args: np.ndarray) -> None:
        """Call kernel(thread, threads, team, *args) in all threads that compute a step (Team.run)."""
        with self._lock:
            self._team.run(kernel, self._team.address, *args)

    def embed(self, tokens: np.ndarray, buffer: str = "x") -> np.ndarray:
        """Token ids int [tokens] -> the rows of an embedding, float32 [tokens, width] (operators.embed)."""
        table = self.weights.embeddings.get(buffer)
        if table is None:
            table = self.weights.head  # they are tied
        assert table is not None
        if not isinstance(table, Matrix):
            return embed(tokens, table)
        tokens = np.where(tokens < self.tape.embeddings[buffer].rows, tokens, 0)
        rows = table.unpack_rows(tokens) if table.is_rotated else table.rows(tokens)
        return rows[:, : table.inputs]

    @contextmanager
    def profile(self) -> Iterator[Profile]:
        """Measure where the time of steps goes, for as long as the context lasts."""
        with self._lock:
            self._profile = profile = Profile(np.zeros(len(self._program.instructions), np.int64))
        try:
            yield profile
        finally:
            with self._lock:
                self._profile = None
            profile.operations = self.operation_names

    def profile_step(self, batch: Batch, cache: KVCache) -> np.ndarray:
        """The seconds of each instruction of one step, float64 [instructions], whatever other threads do.

        The step is computed as by `forward`, and its logits are thrown away.
        """
        with self.turns, self._lock:
            outer, self._profile = self._profile, Profile(np.zeros(len(self._program.instructions), np.int64))
            try:
                self._compute_logits(batch, cache)
                measured = self._profile
            finally:
                self._profile = outer
        return measured.cycles * (measured.seconds / max(1, int(measured.cycles.sum())))

    @property
    def sources(self) -> list[int]:
        """For each instruction, to which of `records` it belongs."""
        return self._program.sources

    @property
    def operation_names(self) -> list[str]:
        """What each instruction does. Products are told apart by the buffers that they write."""
        buffers = list(self._program.buffers)
        names = []
        for instruction in self._program.instructions:
            name = Operation(instruction["op"]).name.lower()
            names.append(f"{name} {buffers[instruction['y']]}" if name == "linear" else name)
        return names

    def forward(self, batch: Batch, cache: KVCache, visits: Visits = MappingProxyType({})) -> np.ndarray:
        """Compute the tokens of a batch, write their keys and values, and return the logits.

        float32 [len(batch.logit_rows), vocabulary]. The bits of a row do not depend on the rest of the batch.
        The recurrent states in the batch's slots go on. `batch.scores` reduces the logits of its rows, at
        most SCORED_ROWS at a time. `visits` are called, by the numbers of records up to the last attention,
        with the rows that a record reads, before it is computed: float32 [tokens, width], those of `q` or
        `x`; later records have only rows that need logits. Raises NotFinite if the scores of experts are not
        finite; other numbers that are not become logits.
        """
        with self.turns, self._lock:
            return self._forward(batch, cache, visits)

    def visit_inputs(self, batch: Batch, cache: KVCache, visits: Visits) -> None:
        """As `forward`, for `visits` alone: no logits are computed. A visit may write weights of its record.

        The batch must take the logits of all tokens.
        """
        with self.turns, self._lock:
            self._step(batch, cache, self._program.head, visits)

    def forward_for_drafts(self, batch: Batch, cache: KVCache) -> tuple[np.ndarray, np.ndarray]:
        """As `forward`, and what goes to a head that drafts (Tape.handed_on): float32 [rows, hidden size]."""
        span = self.tape.handed_on
        assert span is not None
        rows = len(batch.tokens if self._hands_on_all_rows else batch.logit_rows)
        with self.turns, self._lock:
            logits = self._forward(batch, cache)
            return logits, self._rows(span, rows)

    def hidden_states(self, batch: Batch, cache: KVCache) -> np.ndarray:
        """As `forward`, but returns the last hidden states, after the final norm, and computes no logits.

        float32 [len(batch.logit_rows), hidden size].
        """
        with self.turns, self._lock:
            self._step(batch, cache, self._program.head)
            return self._rows(self.hidden, len(batch.logit_rows))

    def _forward(self, batch: Batch, cache: KVCache, visits: Visits = MappingProxyType({})) -> np.ndarray:
        """See `forward`. The caller holds the lock."""
        start = time.perf_counter()
        logits = self._compute_logits(batch, cache, visits)
        if batch.scores is not None and batch.scores.rows:
            self._score(batch, cache, batch.scores)
        self.step_s = time.perf_counter() - start
        return logits

    def _compute_logits(
        self, batch: Batch, cache: KVCache, visits: Visits = MappingProxyType({})
    ) -> np.ndarray:
        """Run all instructions, and return the logits."""
        assert self.weights.head is not None
        logits = np.empty((len(batch.logit_rows), self.weights.head.n), np.float32)
        self._buffers.set_logits(logits)
        self._step(batch, cache, len(self._program.instructions), visits)
        return logits[:, : self.config.vocab_size]

    def _step(self, batch: Batch, cache: KVCache, count: int, visits: Visits = MappingProxyType({})) -> None:
        """Run the first `count` instructions for a batch. The caller holds the lock."""
        states = cache.states if self.tape.states else None
        _arrays = self._begin_step(batch, states)  # alive until the end
        start = 0
        for number in sorted(visits):
            at, read = self._program.sources.index(number), vars(self.records[number])
            self._run_tape(cache, slice(start, at))
            visits[number](self._rows(read.get("q") or read["x"], len(batch.tokens)))
            start = at
        self._run_tape(cache, slice(start, count))
        if self._profile is not None:
            self._profile.steps += 1
        if states and batch.state_slots is not None:
            states.finish(batch.state_slots, batch.positions + 1)
        elif states:
            states.finish(batch.slots, batch.positions[batch.starts[1:] - 1] + 1)

    def _rows(self, span: Span, count: int) -> np.ndarray:
        """A copy of the first rows of a span: float32 [count, width]."""
        return self._buffers.floats[span.buffer][:count, span.columns].copy()

    def _begin_step(self, batch: Batch, states: StateCache | None) -> dict[str, np.ndarray]:
        """Fill the buffers and the record of a step. The arrays must stay in memory during the step."""
        buffers, tokens = self._buffers, len(batch.tokens)
        buffers.grow(tokens, int(batch.positions.max()) + 1)
        for name, embedding in self.tape.embeddings.items():
            ids = batch.types if name == TYPES else batch.tokens
            ids = np.zeros(tokens, np.int32) if ids is None else ids
            buffers.floats[name][:tokens, : embedding.shape[1]] = self.embed(ids, name)
        for name, width in self.tape.inputs.items():
            buffers.floats[name][:tokens, :width] = batch.inputs[name]
        self._set_adapters(batch)
        self._instructions, rope_rows = place_rows(self._program.instructions, self._program.ropes, batch)
        self._give_rows(batch)
        self._set_logit_rows(batch, batch.logit_rows)
        blocks = batch.query_blocks(max(1, MAX_QUERY_ROWS // self._query_group))
        step = buffers.step
        arrays = {
            "positions": batch.positions,
            "rope_rows": rope_rows,
            "sequences": batch.sequences,
            "blocks": blocks,
            "page_tables": batch.page_tables,
            "starts": batch.starts,
        }
        if states:
            step["states"], step["state_row"] = states.memory.ctypes.data, states.memory.strides[0]
            states.begin(batch.slots, batch.positions[batch.starts[:-1]])
            arrays["slots"] = states.rows(batch.slots)
            if batch.state_slots is not None:
                arrays["state_slots"] = states.rows(batch.state_slots)
        step["state_slots"] = 0
        for name, array in arrays.items():
            step[name] = array.ctypes.data
        step["tokens"], step["block_count"] = tokens, len(blocks)
        step["page_tables_group"], step["page_tables_row"] = batch.page_tables.strides[:2]
        step["sequence_count"] = len(batch.starts) - 1
        return arrays

    def _score(self, batch: Batch, cache: KVCache, scores: StepScores) -> None:
        """Compute the logits of rows of the last step that are only reduced, a few at a time."""
        assert self.weights.head is not None
        rows = np.array(scores.rows, np.int32)
        logits = np.empty((min(len(rows), SCORED_ROWS), self.weights.head.n), np.float32)
        self._buffers.set_logits(logits)
        for first in range(0, len(rows), SCORED_ROWS):
            part = rows[first : first + SCORED_ROWS]
            self._set_logit_rows(batch, part)
            self._run_tape(cache, slice(self._last_rows, None))
            scores.reduce(logits[: len(part), : self.config.vocab_size], first)

    def compile_steps(self, cache: KVCache) -> None:
        """Compile the kernel of steps, which else the first step does."""
        with self._lock:
            self._run_tape(cache, slice(0))

    def _run_tape(self, cache: KVCache, part: slice) -> None:
        """Run some instructions of the tape."""
        try:
            self._run_part_of_tape(cache, part)
        except ZeroDivisionError as error:  # the sum of the scores of experts that are no numbers
            raise NotFinite() from error

    def _run_part_of_tape(self, cache: KVCache, part: slice) -> None:
        step, records = self._buffers.step, self._buffers.records
        arguments = (step, self._instructions[part], records, cache.records, self.adapters.factors)
        if self._profile is None:
            return self._team.run(run_tape, *arguments)
        cycles = self._profile.cycles[part]
        self._team.compile(profile_tape, *arguments, cycles)  # before its time is measured
        start = time.perf_counter()
        self._team.run(profile_tape, *arguments, cycles)
        self._profile.seconds += time.perf_counter() - start

    def _set_logit_rows(self, batch: Batch, rows: np.ndarray) -> None:
        """Let the step compute the logits of these rows. They must stay in memory during the step."""
        step = self._buffers.step
        step["logit_rows"], step["logit_row_count"] = rows.ctypes.data, len(rows)
        runs = None
        if batch.adapters is not None and batch.adapters.max() != NO_SLOT:
            runs = find_runs(batch.adapters[batch.sequences[rows]])
        self._buffers.set_runs("logit_run", runs)

    def _give_rows(self, batch: Batch) -> None:
        """Prepare a step for the rows of images, and for bounds of attention. They outlive the step."""
        step, given, rows = self._buffers.step, batch.given, batch.given_rows
        step["bounds"] = 0 if batch.bounds is None else batch.bounds.ctypes.data
        step["given"] = 0 if given is None else given.ctypes.data
        if given is not None and rows is not None:
            step["given_part"], step["given_row"] = given.strides[:2]
            step["given_rows"] = rows.ctypes.data
            places = np.flatnonzero(rows >= 0)
            self._buffers.floats["x"][places, : given.shape[2]] = given[0, rows[places]]

    def _set_adapters(self, batch: Batch) -> None:
        """Prepare a step for the adapters of its sequences: their runs of rows, and their embeddings."""
        if batch.adapters is None or batch.adapters.max() == NO_SLOT:
            return self._buffers.set_runs("run", None)
        slots = batch.adapters.repeat(np.diff(batch.starts))
        runs, columns = find_runs(slots), 0
        for first, count, slot in runs.tolist():
            if slot != NO_SLOT:
                adapter, rows = self.adapters.at(slot), slice(first, first + count)
                columns = max(columns, adapter.columns)
                for name, change in adapter.tables.items():
                    target = self._buffers.floats[name][rows, : self.tape.embeddings[name].shape[1]]
                    target[...] = change.apply(batch.tokens[rows], target)
        self._buffers.set_runs("run", runs)
        self._buffers.grow_low_rank(columns)
