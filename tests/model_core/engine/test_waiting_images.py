"""Requests with images that are not encoded yet hold no places of the engine, and keep nobody waiting."""

import threading
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from seeing import SlowTower
from seeing_folders import SEEING

from model_core import LLM, SamplingParams
from model_core.engine import request_images
from model_core.engine.job import Job
from model_core.engine.request_images import RequestImages
from model_core.engine.waiting import MAX_ASKED, WaitingRequests
from model_core.errors import NotFinite
from model_core.images.image import make_pixels
from model_core.llm.jobs import complete_jobs
from model_core.requests.results import Completion, Delta

PLACES = 16


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    with LLM(SEEING / "qwen3-vl", kv_cache_memory=2**25, max_concurrency=PLACES) as llm:
        yield llm


@pytest.fixture
def tower(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowTower]:
    assert llm.engine.encoder is not None
    for cache in (llm.engine.pages, llm.engine.encoder):
        cache.forget("")
    tower = SlowTower(llm.engine.encoder, monkeypatch)
    yield tower
    tower.opened.set()
    assert not llm.engine.stats()["waiting"]
    llm.engine.check()


def make_job(llm: LLM, seed: int, **fields: Any) -> Job:
    """A prompt with two images."""
    assert llm.vision is not None
    images = [
        llm.vision.prepare(make_pixels(np.full((8, 8, 3), shade, np.uint8))) for shade in (seed, seed + 99)
    ]
    ids = [seed, *(token for image in images for token in (61, *[60] * image.tokens, 62)), 6]
    params = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True).with_defaults(llm.defaults)
    return Job(ids, params, images=llm.vision.find_spans(ids, images), **fields)


def make_text(llm: LLM, **fields: Any) -> Job:
    return Job([1, 2, 3], SamplingParams(max_tokens=4, temperature=0).with_defaults(llm.defaults), **fields)


class Sent:
    """A request under way. `order`: the numbers of those that have ended, as they have."""

    def __init__(self, llm: LLM, job: Job, number: int, order: list[int]) -> None:
        self.ended, self.completion, self._number, self._order = threading.Event(), None, number, order
        self.id = llm.engine.submit(job, self._take)

    def _take(self, delta: Delta) -> None:
        if delta.completion is not None:
            self.completion = delta.completion
            self._order.append(self._number)
            self.ended.set()

    def wait(self) -> Completion:
        assert self.ended.wait(60)
        assert self.completion is not None
        return self.completion


@pytest.mark.parametrize("clients", [False, True])
def test_texts_do_not_wait_for_a_slow_encoder(llm: LLM, tower: SlowTower, clients: bool) -> None:
    order: list[int] = []
    names = [{"client": f"client {number % 3}"} if clients else {} for number in range(PLACES)]
    sent = [Sent(llm, make_job(llm, number, **names[number]), number, order) for number in range(PLACES)]
    assert tower.begun.wait(60)
    texts = [Sent(llm, make_text(llm, **names[number % 4]), -1, []) for number in range(2 * PLACES)]
    assert len({tuple(text.wait().token_ids) for text in texts}) == 1
    assert order == [] and llm.engine.stats()["running"] == 0
    tower.opened.set()
    answers = [each.wait().token_ids for each in sent]
    for client in range(3 if clients else 1):  # those of a client keep their order
        own = [number for number in order if not clients or number % 3 == client]
        assert own == sorted(own)
    for number, answer in enumerate(answers):
        assert complete_jobs(llm.engine, [make_job(llm, number)])[0].token_ids == answer


def test_the_encoder_is_asked_for_few_at_a_time(llm: LLM, tower: SlowTower) -> None:
    encoder: Any = llm.engine.encoder
    sent = [Sent(llm, make_job(llm, number), number, []) for number in range(5)]
    assert tower.begun.wait(60)
    complete_jobs(llm.engine, [make_text(llm)])  # steps, in which more could be asked for
    assert len(encoder._wanted) == 2  # the first images of two requests
    for each in sent[:4]:
        assert llm.engine.cancel(each.id)
        assert each.wait().finish_reason == "cancelled"
    complete_jobs(llm.engine, [make_text(llm)])
    tower.opened.set()
    assert len(sent[4].wait().token_ids) == 4
    assert not encoder._wanted


def test_a_new_client_is_asked_for_beside_those_that_have_no_place() -> None:
    waiting, encoded = WaitingRequests(), set[Any]()

    def add(client: str) -> Any:
        request: Any = Mock(job=Mock(client=client))
        waiting.add(request, needs_encoding=True)
        return request

    waiting.running["busy"] = 7
    busy = [add("busy") for _ in range(3)]
    assert waiting.first(lambda each: each in encoded) is None and waiting.asked == busy[:MAX_ASKED]
    encoded.update(busy)
    new = [add("new"), add("newer")]
    assert waiting.first(lambda each: each in encoded) is busy[0]  # for which the free place is not
    assert waiting.asked == [*busy[:MAX_ASKED], new[0]]
    encoded.update(new)
    assert waiting.first(lambda each: each in encoded) is new[0]


def test_a_request_starts_when_its_first_images_are_encoded(
    llm: LLM, tower: SlowTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_images, "_ROWS_AHEAD", 1)
    expected = complete_whole(llm, tower)
    images = RequestImages(make_job(llm, 3).images, make_job(llm, 3).prompt, llm.engine.encoder)
    assert images.may_begin(0) and images.may_begin(10**6)
    assert complete_jobs(llm.engine, [make_job(llm, 3)])[0].token_ids == expected


def complete_whole(llm: LLM, tower: SlowTower) -> list[int]:
    tower.opened.set()
    return complete_jobs(llm.engine, [make_job(llm, 3)])[0].token_ids


def test_a_second_question_does_not_wait_for_others(llm: LLM, tower: SlowTower) -> None:
    """Its images are in whole pages of the prefix cache."""
    tower.opened.set()
    first = make_job(llm, 1)
    longer = Job([*first.prompt, *range(20)], first.params, images=first.images)
    (before,) = complete_jobs(llm.engine, [longer])
    tower.opened.clear()
    tower.begun.clear()
    slow = [Sent(llm, make_job(llm, number), number, []) for number in range(20, 24)]
    assert tower.begun.wait(60)
    encoder: Any = llm.engine.encoder
    encoder.forget("")
    (again,) = complete_jobs(llm.engine, [longer])
    assert again.token_ids == before.token_ids and again.usage.cached_tokens
    tower.opened.set()
    for each in slow:
        each.wait()


def test_a_request_whose_images_fail_ends_while_it_waits(
    llm: LLM, tower: SlowTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert llm.engine.encoder is not None

    def fail(*_: object) -> np.ndarray:
        raise NotFinite()

    monkeypatch.setattr(llm.engine.encoder.tower, "encode", fail)
    sent = [Sent(llm, make_job(llm, number), number, []) for number in range(30, 34)]
    for each in sent:
        assert isinstance(each.wait().error, NotFinite)
