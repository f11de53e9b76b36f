"""Steps of prompts with images: what an image that is computed as a whole needs, and what images may hold."""

import bisect
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from model_core.cache.memory import KVCache, KVGroup
from model_core.cache.reserve import Limits
from model_core.engine.job import Job
from model_core.engine.pixel_memory import PixelMemory
from model_core.engine.request_images import RequestImages
from model_core.engine.scheduler import Scheduler
from model_core.engine.sequence import Sequence
from model_core.errors import NoMemory, QueueFull
from model_core.families.vision.parts import ImagePart, ImageSpan
from model_core.requests.sampling import SamplingParams
from model_core.tape.operations import KVLayer

GROUPS = [KVGroup(KVLayer(1, 8, 8, window), (layer,)) for layer, window in enumerate([None] + [1024] * 5)]


class Encoded:
    """An encoder that has the rows of all images."""

    config = SimpleNamespace(sees_both_ways=True, filler_id=0)

    def find(self, part: ImagePart, salt: str, owner: object) -> np.ndarray:
        return np.zeros((1, part.rows, 8), np.float32)

    def leave(self, owner: object) -> None:
        pass


def make_part(rows: int, side: int = 1) -> ImagePart:
    return ImagePart(np.zeros((side, side, 3), np.uint8), (1, 1), b"x" * 32, rows, None, rows)


def ask(rows: int, start: int = 2041) -> Sequence:
    """A request with an image of so many rows at a place of its prompt."""
    prompt, encoder = [5] * (start + rows + 3), Encoded()
    job = Job(prompt, SamplingParams(), images=(ImageSpan(start, make_part(rows)),))
    images = RequestImages(job.images, prompt, encoder)  # type: ignore[arg-type]
    return Sequence("a", job, 1, sampler=None, text_stream=None, on_delta=lambda delta: None, images=images)


def make_scheduler(pages: int) -> Scheduler:
    cache = KVCache(GROUPS, pages)
    return Scheduler(cache, Limits(65536, 4, 10, cache.pages * cache.page_bytes))


def schedule_all(sequence: Sequence, pages: int) -> int:
    """Let a scheduler with so many pages compute a request alone. Returns the steps."""
    scheduler = make_scheduler(pages)
    scheduler.add(sequence)
    for step in range(100):
        if sequence.computed_tokens == len(sequence.tokens):
            return step
        work = scheduler.schedule()
        assert work, "nothing is computed, and nobody else runs"
        scheduler.commit(work)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("rows", [1, 256, 280, 900])
def test_what_was_accepted_is_computed(rows: int) -> None:
    """With the fewest pages with which a request is accepted."""

    def is_accepted(pages: int) -> bool:
        try:
            make_scheduler(pages).check_room(ask(rows))
        except NoMemory:
            return False
        return True

    fewest = bisect.bisect_left(range(2000), True, key=is_accepted)
    assert schedule_all(ask(rows), fewest) > 1


def test_images_of_many_requests_fill_the_server() -> None:
    memory = PixelMemory(max_bytes=1000)
    large, small, other = ([ImageSpan(0, make_part(4, side))] for side in (20, 10, 17))
    memory.check(large)  # of 1200 bytes: it is the only one
    memory.add("first", large)
    with pytest.raises(QueueFull, match="images of the requests"):
        memory.check(small)
    memory.check(large)  # the same takes no more
    memory.add("second", large)
    memory.remove("first")
    assert memory.bytes == 1200
    for _ in range(2):
        memory.remove("second")
    assert memory.bytes == 0
    memory.add("third", [*small, *small])
    assert memory.bytes == 300
    with pytest.raises(QueueFull):
        memory.check(other)
    memory.remove("third")
    memory.check([])
    assert memory.bytes == 0


def test_requests_that_leave_hold_no_images() -> None:
    scheduler: Any = make_scheduler(900)
    running, waiting = ask(280), ask(900)
    scheduler.add(running)
    scheduler.commit(scheduler.schedule())
    scheduler.add(waiting)
    assert scheduler._pixels.bytes == 6
    for sequence in (waiting, running, running):
        scheduler.remove(sequence)
    assert scheduler._pixels.bytes == 0
