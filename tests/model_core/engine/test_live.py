"""What an engine says about itself while it computes."""

import threading
import time
from dataclasses import asdict
from typing import Any

import pytest
from test_page_pool import CopyRecorder, PoolSequence, text

from model_core import LLM, SamplingParams
from model_core.cache.page_pool import PagePool
from model_core.engine.job import Job
from model_core.engine.snapshot import Prefix, label_request, list_prefixes
from model_core.engine.step_log import KEPT_STEPS, StepLog
from model_core.requests.results import Delta


@pytest.fixture
def pool() -> PagePool:
    return PagePool(CopyRecorder(64))


def test_step_is_divided_into_its_parts() -> None:
    log, now = StepLog(), time.monotonic()
    log.record((now - 6, now - 5, now - 2, now), 2, 7, 3)
    read = log.read()
    (step,) = read["steps"]
    assert step == {
        "sequences": 2, "tokens": 7, "answer_tokens": 3,
        "schedule": pytest.approx(1), "model": pytest.approx(3), "choose": pytest.approx(2),
    }  # fmt: skip
    (second,) = read["seconds"]
    assert second == {
        "age": second["age"], "steps": 1, "tokens": 7, "answer_tokens": 3, "busy": pytest.approx(6),
    }  # fmt: skip


def test_log_is_bounded() -> None:
    log = StepLog()
    for _ in range(2 * KEPT_STEPS):
        log.record((time.monotonic(),) * 4, 1, 1, 0)
    read = log.read()
    assert len(read["steps"]) == KEPT_STEPS
    assert sum(second["steps"] for second in read["seconds"]) == 2 * KEPT_STEPS


def test_tree_joins_pages_in_a_row_and_counts_hits(pool: PagePool) -> None:
    shared = text(64)
    PoolSequence(pool, shared + text(33, 1)).compute().release()
    second = PoolSequence(pool, shared + text(20, 2))
    assert list_prefixes(pool)[0][0].tokens == 97
    second.acquire_prefix()
    second.compute()
    prefixes, hidden = list_prefixes(pool)
    assert hidden == 0
    trunk, *branches = prefixes
    assert trunk == Prefix(-1, 64, 4, 1, 1, False)
    assert sorted((b.tokens, b.hits, b.users, b.parent) for b in branches) == [(20, 0, 1, 0), (33, 0, 0, 0)]
    # What nobody was found with 16 tokens of is another part than what was.
    third = PoolSequence(pool, [*shared[:16], 5, 6])
    third.acquire_prefix()
    parts = list_prefixes(pool)[0]
    assert [(p.tokens, p.hits) for p in parts[:2]] == [(16, 2), (48, 1)]
    second.release(), third.release()
    assert sum(p.pages for p in list_prefixes(pool)[0]) == pool.cached_pages


def test_tree_knows_saved_prompts(pool: PagePool) -> None:
    saved = PoolSequence(pool, text(33)).compute()
    saved.release()
    pin = PoolSequence(pool, [*text(32), 0])
    pin.acquire_prefix()
    pool.pins.add("manual", pin.pages)
    prefixes = list_prefixes(pool)[0]
    assert [(p.tokens, p.is_pinned) for p in prefixes] == [(32, True), (1, False)]


def test_tree_is_bounded_and_shows_what_is_found_most(pool: PagePool) -> None:
    for seed in range(30):
        PoolSequence(pool, text(17, seed)).compute().release()
    for _ in range(3):
        favourite = PoolSequence(pool, text(17, 7))
        favourite.acquire_prefix()
        favourite.release()
    prefixes, hidden = list_prefixes(pool, max_nodes=4)
    assert len(prefixes) == 4 and prefixes[0].hits == 3
    assert hidden + sum(p.hidden for p in prefixes) + len(prefixes) >= 30
    few, left = list_prefixes(pool, max_visits=10)
    assert len(few) <= 10 and left == 20
    assert list_prefixes(PagePool(CopyRecorder(4))) == ([], 0)


def test_engine_shows_its_requests_without_texts(llm: LLM) -> None:
    seen: list[dict[str, Any]] = []
    ended = threading.Event()

    def on_delta(delta: Delta) -> None:
        if not seen and delta.text:
            seen.append(llm.engine.live(with_tree=True))
        if delta.completion is not None:
            ended.set()

    params = SamplingParams(max_tokens=50, ignore_eos=True).with_defaults(llm.defaults)
    prompt = llm.encode("Secretly the moon is made of cheese and nobody may know of this at all")
    request = llm.engine.submit(Job(prompt, params), on_delta)
    assert ended.wait(60)
    (live,) = seen
    (shown,) = live["requests"]
    assert live["running"] == 1 and live["waiting"] == 0
    assert shown["label"] == label_request(request) != request
    assert shown["prompt_tokens"] == len(prompt)
    assert 0 < shown["answer_tokens"] <= 50
    assert shown["kv_pages"] == -(-shown["computed_tokens"] // 16)
    assert live["kv_pages"]["used"] >= shown["kv_pages"]
    assert "cheese" not in str(live) and str(prompt[3:6])[1:-1] not in str(live)
    after = llm.engine.live()
    assert after["requests"] == [] and "tree" not in after
    assert after["steps"][-1]["sequences"] == 1
    assert sum(second["answer_tokens"] for second in after["seconds"]) >= 49
    assert set(asdict(Prefix(-1, 0, 0, 0, 0, False))) == set(live["tree"]["prefixes"][0])
