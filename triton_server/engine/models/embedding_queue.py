"""Computes the texts of many requests for embeddings and scores together, in one thread.

A slice has texts of all waiting requests for one model, one of each in turn, so that a short request does not
wait for the end of a long one. A step of many tokens takes as long as dozens of steps of a chat. So after
each step running chats get as much time as it has taken: however many texts wait, they have half of the time.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager

import numpy as np

from model_core.cache.memory import KVCache
from model_core.embeddings.embedder import Embedder, PreparedTexts
from model_core.engine.pixel_memory import PixelMemory
from model_core.errors import QueueFull, RequestCancelled, ShuttingDown, TritonchatError
from model_core.model.batch import Batch
from model_core.model.whole_texts import STEP_TOKENS

LOGGER = logging.getLogger(__name__)

SLICE_TOKENS = 4 * STEP_TOKENS


class EmbeddingTask:
    """A request. `future` gets the vectors of its texts: float32 [texts, width].

    `names`: by which it can be cancelled. `embedder`, `prepared`: its model and texts, once it is started.
    """

    embedder: Embedder
    prepared: PreparedTexts

    def __init__(self, names: Collection[str]) -> None:
        self.names = frozenset(names)
        self.future: Future[np.ndarray] = Future()
        self.taken = 0  # texts that are computed or in the slice that is
        self.vectors: list[np.ndarray] = []  # of the first texts

    def can_join(self, other: "EmbeddingTask") -> bool:
        """Whether texts of both can be in a step."""
        return self.embedder is other.embedder and self.prepared.step == other.prepared.step


class EmbeddingQueue:
    """Requests that wait for their vectors. Its methods may be called from any thread."""

    def __init__(self, max_tasks: int, are_chats_running: Callable[[], bool]) -> None:
        self._max_tasks, self._are_chats_running = max_tasks, are_chats_running
        self._condition = threading.Condition()  # guards the fields below
        self._tasks: list[EmbeddingTask] = []  # that have not ended
        self._started: deque[EmbeddingTask] = deque()  # those of them that are started
        self._computing: set[EmbeddingTask] = set()  # whose rows of images are in use
        self._encoding: EmbeddingTask | None = None  # whose images the encoder was asked for
        self._pixels = PixelMemory()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="embeddings", daemon=True)
        self._thread.start()

    @contextmanager
    def open(self, names: Collection[str]) -> Iterator[EmbeddingTask]:
        """A request, to be started, from now on until the block ends. Raises QueueFull or ShuttingDown."""
        with self._condition:
            if self._is_closing:
                raise ShuttingDown("the server is stopping and takes no new requests.")
            if len(self._tasks) >= self._max_tasks:
                raise QueueFull(
                    f"{len(self._tasks)} requests for embeddings are waiting, and the limit is "
                    f"{self._max_tasks} (--max-queue); try again in a moment."
                )
            task = EmbeddingTask(names)
            self._tasks.append(task)
        try:
            yield task
        finally:
            with self._condition:
                self._end(task, _cancelled())

    def start(self, task: EmbeddingTask, embedder: Embedder, prepared: PreparedTexts) -> None:
        """Compute the texts of a request when it is its turn, unless it was cancelled.

        Raises QueueFull if there is no room for its images.
        """
        if embedder.encoder is not None:
            embedder.encoder.listen(self._wake)
        with self._condition:
            if task in self._tasks:
                self._pixels.check(prepared.spans)
                self._pixels.add(task, prepared.spans)
                task.embedder, task.prepared = embedder, prepared
                self._started.append(task)
                self._condition.notify_all()

    def cancel(self, name: str) -> bool:
        """Cancel the requests of this name. False if there is none."""
        with self._condition:
            tasks = [task for task in self._tasks if name in task.names]
            for task in tasks:
                self._end(task, _cancelled())
        return bool(tasks)

    def count(self) -> int:
        """The number of requests that have not ended."""
        with self._condition:
            return len(self._tasks)

    def cancel_all(self) -> None:
        """Cancel all requests."""
        with self._condition:
            for task in list(self._tasks):
                self._end(task, _cancelled())

    def close(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give the others `grace_s` seconds to end, and end the thread."""
        with self._condition:
            self._is_closing = True
            self._condition.wait_for(lambda: not self._tasks, grace_s)
            for task in list(self._tasks):
                self._end(task, ShuttingDown("the server is stopping."))
            self._condition.notify_all()
        self._thread.join()

    def _end(self, task: EmbeddingTask, result: np.ndarray | BaseException) -> None:
        """End a task if it has not ended. The caller holds the lock."""
        if task in self._tasks:
            self._tasks.remove(task)
            if task in self._started:
                self._started.remove(task)
                self._pixels.remove(task)
                if task not in self._computing:
                    task.prepared.release()
            if task is self._encoding:
                self._encoding = None
            if isinstance(result, BaseException):
                task.future.set_exception(result)
            else:
                task.future.set_result(result)
            self._condition.notify_all()

    def _wake(self) -> None:
        """See that an image is encoded. The encoder's thread calls it."""
        with self._condition:
            self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                parts: list[tuple[EmbeddingTask, int]] = []
                while not parts:
                    if self._is_closing and not self._tasks:
                        return
                    parts = self._take_slice()
                    if not parts:
                        self._condition.wait()
            self._compute(parts)
            with self._condition:
                for task in self._computing - set(self._tasks):
                    task.prepared.release()
                self._computing.clear()

    def _take_slice(self) -> list[tuple[EmbeddingTask, int]]:
        """The texts to compute next: their tasks and places. The caller holds the lock."""
        ready, parts, tokens = self._find_ready(), list[tuple[EmbeddingTask, int]](), 0
        if not ready:
            return []
        first = ready[0]
        tasks = deque(task for task in ready if task.can_join(first))
        while tasks:
            task = tasks.popleft()
            length = len(task.prepared.texts[task.taken].tokens)
            if parts and tokens + length > SLICE_TOKENS:
                break
            parts.append((task, task.taken))
            task.taken += 1
            tokens += length
            if task.taken < len(task.prepared.texts):
                tasks.append(task)
        self._started.remove(first)
        self._started.append(first)
        self._computing = {task for task, _ in parts}
        return parts

    def _find_ready(self) -> list[EmbeddingTask]:
        """The started requests that need not wait for images. Ends one whose images cannot be encoded.

        The caller holds the lock.
        """
        ready = []
        for task in list(self._started):
            if not task.prepared.images:
                ready.append(task)
                continue
            if self._encoding is None:
                self._encoding = task
            if task is not self._encoding:
                continue
            images = task.prepared.images.values()
            if all([each.are_encoded() for each in images]):
                ready.append(task)
            error = next((each.error for each in images if each.error is not None), None)
            if error is not None:
                self._fail(task, error)
        return ready

    def _compute(self, parts: Sequence[tuple[EmbeddingTask, int]]) -> None:
        """Compute a slice. If that fails, compute its texts one by one, so that each has its own error."""
        first, done = parts[0][0], 0

        def step(batch: Batch, cache: KVCache) -> np.ndarray:
            start = time.monotonic()
            rows = first.prepared.step(batch, cache)
            if self._are_chats_running():
                time.sleep(time.monotonic() - start)
            return rows

        texts = [task.prepared.texts[place] for task, place in parts]
        try:
            for rows in first.embedder.compute_rows(texts, step):
                self._add(parts[done][0], rows)
                done += 1
        except Exception as error:
            if len(parts) == 1:
                self._fail(first, error)
            else:
                for part in parts[done:]:
                    if not part[0].future.done():
                        self._compute([part])

    def _add(self, task: EmbeddingTask, rows: np.ndarray) -> None:
        """Add the vector of a task's next text."""
        if task.future.done():
            return
        try:
            task.vectors.append(task.prepared.finish(len(task.vectors), rows))
        except Exception as error:
            self._fail(task, error)
            return
        if len(task.vectors) == len(task.prepared.texts):
            with self._condition:
                self._end(task, np.stack(task.vectors))

    def _fail(self, task: EmbeddingTask, error: BaseException) -> None:
        if not isinstance(error, TritonchatError):
            LOGGER.exception("Embeddings failed")
        with self._condition:
            self._end(task, error)


def _cancelled() -> RequestCancelled:
    return RequestCancelled("the request was cancelled.")
