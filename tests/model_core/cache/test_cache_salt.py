"""Neither token counts nor times tell what is in prompts with another cache salt."""

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from test_engine import Receiver
from test_page_pool import CopyRecorder, PoolSequence, text
from test_scheduler import PARAMS, assert_all_pages_are_released, content, ids, totals

from model_core import LLM, Completion, SamplingParams
from model_core.cache.memory import PAGE, KVCache
from model_core.cache.page_pool import PagePool, SequencePages
from model_core.engine.job import Job
from model_core.model.batch import Batch

DIGITS = range(20, 30)  # the token ids that stand for them
ONE_TOKEN = SamplingParams(max_tokens=1)


@pytest.fixture
def tiny() -> LLM:
    with LLM(CHECKPOINTS / "llama-bfloat16") as loaded:
        yield loaded


def submit(llm: LLM, prompt: list[int], salt: str, params: SamplingParams = ONE_TOKEN) -> Receiver:
    receiver = Receiver()
    llm.engine.submit(Job(prompt, params.with_defaults(llm.defaults), cache_salt=salt), receiver)
    return receiver


def ask(llm: LLM, prompt: list[int], salt: str, params: SamplingParams = ONE_TOKEN) -> Completion:
    return submit(llm, prompt, salt, params).completion()


def recover_secret(llm: LLM, beginning: list[int], salt: str) -> list[int]:
    """The digits behind `beginning` that `cached_tokens` reveals to requests with this salt."""
    known: list[int] = []
    while len(known) < 6:
        for digit in DIGITS:
            guess = [*beginning, *known, digit]
            if ask(llm, [*guess, 1], salt).usage.cached_tokens >= len(guess):
                known.append(digit)
                break
        else:
            return known
    return known


def test_secret_cannot_be_recovered_with_another_salt(tiny: LLM) -> None:
    beginning, secret = ids(24), [23, 29, 20, 24, 21, 27]
    ask(tiny, [*beginning, *secret, *ids(30, seed=1)], "owner")
    assert recover_secret(tiny, beginning, "stranger") == []
    assert recover_secret(tiny, beginning, "") == []
    assert recover_secret(tiny, beginning, "owner") == secret  # so the attack works


def test_requests_do_not_wait_for_pages_of_another_salt(tiny: LLM) -> None:
    steps: list[int] = []
    forward = tiny.model.forward

    def note_sizes(batch: Batch, cache: KVCache) -> np.ndarray:
        steps.append(len(batch.tokens))
        return forward(batch, cache)

    tiny.model.forward = note_sizes
    for salts, sizes in ((("a", "b"), [200]), (("c", "c"), [100, 1])):
        steps.clear()
        with held(tiny):  # so that they come at once
            receivers = [submit(tiny, ids(100), salt) for salt in salts]
        for receiver in receivers:
            receiver.completion()
        assert steps == sizes


def test_answers_are_the_same_with_every_salt(tiny: LLM) -> None:
    prompt = ids(100)
    cold = [ask(tiny, prompt, salt, PARAMS) for salt in ("", "a", "b")]
    computed = totals(tiny)["computed_tokens"]
    warm = [ask(tiny, prompt, salt, PARAMS) for salt in ("", "a", "b")]
    assert [c.usage.cached_tokens for c in cold + warm] == [0] * 3 + [99] * 3
    assert len({str(content(c)) for c in cold + warm}) == 1
    assert computed == 3 * (100 + 29)
    assert totals(tiny)["computed_tokens"] == computed + 3 * (1 + 29)
    assert_all_pages_are_released(tiny)


def test_evicted_salts_take_no_memory() -> None:
    pool = PagePool(CopyRecorder(8))
    for number in range(100):
        holder = PoolSequence(pool, text(2 * PAGE, number))
        holder.pages = SequencePages(holder.pages.table, str(number))
        holder.compute().release()
    assert [node.salt for node in pool.root.children] == ["96", "97", "98", "99"]
    assert (pool.used_pages, pool.cached_pages, pool.free_pages) == (0, 8, 0)
    failed = PoolSequence(pool, text(PAGE))
    failed.pages = SequencePages(failed.pages.table, "failed")
    failed.start()
    failed.release()
    assert "failed" not in [node.salt for node in pool.root.children]
