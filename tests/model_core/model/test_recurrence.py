"""Recurrent layers: the operations match their papers, and nothing around a request changes its bits."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from support import wait_until
from test_draft_model import UnknownCost
from test_engine import Receiver, submit
from test_scheduler import assert_all_pages_are_released, content, ids, llm_with_pages, totals
from test_tape import Reference

from model_core import LLM, SamplingParams
from model_core.cache import reserve, states
from model_core.cache.memory import PAGE, KVCache
from model_core.cache.reserve import LOGGER
from model_core.cache.states import StateCache
from model_core.engine import drafter, scheduler
from model_core.engine.job import Job
from model_core.errors import NoMemory, TritonchatError
from model_core.kernels.pointwise import Function
from model_core.kernels.team import Team
from model_core.model import transformer
from model_core.model.batch import Batch, BatchBuilder
from model_core.reference import operators

PARAMS = SamplingParams(max_tokens=20, temperature=0.9, seed=5, logprobs=3, ignore_eos=True)
FAMILIES = [
    "lfm2-biases",
    "qwen3-next",
    "rwkv7",
    "granitemoehybrid",
    "nemotron-h-experts",
    "mamba-biases",
    "jamba-dense",
]
NO_PAGES = ("rwkv7", "mamba-biases")


def tiny_llm(folder: str | Path, requests: int = 8, pages: int = 200, **settings: int) -> LLM:
    """A tiny model with states for so many requests, and so many pages of KV memory."""
    return llm_with_pages(CHECKPOINTS / folder, pages, max_concurrency=requests, **settings)


def run(llm: LLM, pieces: list[list[int]], slots: int = 1, slot: int = 0) -> np.ndarray:
    """Logits of one sequence that is computed in pieces."""
    count, parts, first = sum(map(len, pieces)), [], 0
    groups, states = llm.model.kv_groups, StateCache(llm.model.tape.states, slots)
    shape = (len(groups), 1, -(-count // PAGE))
    cache = KVCache(groups, int(np.prod(shape)), llm.kv_cache_dtype, states)
    table = np.arange(cache.pages, dtype=np.int32).reshape(shape)
    for piece in pieces:
        builder = BatchBuilder()
        builder.add(piece, first, range(first, first + len(piece)))
        parts.append(llm.model.forward(builder.build(table, np.int32([slot])), cache))
        first += len(piece)
    return np.concatenate(parts)


def random_inputs(tokens: int, heads: int, keys: int, values: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = dict.fromkeys("abkr", (tokens, heads, keys)) | {"v": (tokens, heads, values)}
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    inputs["k"] /= np.linalg.norm(inputs["k"], axis=-1, keepdims=True)
    inputs["w"] = rng.random((tokens, heads, keys), np.float32)
    inputs["state"] = rng.standard_normal((heads, keys, values)).astype(np.float32)
    return inputs


def test_scan_is_the_recurrence_of_three_papers() -> None:
    tokens, heads, keys, values = 19, 2, 8, 6
    x = random_inputs(tokens, heads, keys, values)
    k, v, r, w, one = x["k"], x["v"], x["r"], x["w"], np.ones_like(x["w"])
    alpha, beta, a = w[..., :1], w[..., 1:2], np.abs(x["a"]) / (1 + np.abs(x["a"]))
    cases = {
        # Yang et al., 2024, arXiv:2412.06464, equation 10
        "gated delta net": (
            lambda t, h: alpha[t, h] * (np.eye(keys) - beta[t, h] * np.outer(k[t, h], k[t, h])),
            lambda t, h: beta[t, h] * np.outer(v[t, h], k[t, h]),
            (alpha * one, k, alpha * beta * k, beta * v, k, r),
        ),
        # Peng et al., 2025, arXiv:2503.14456, equation 16
        "RWKV-7": (
            lambda t, h: np.diag(w[t, h]) - np.outer(k[t, h], a[t, h] * k[t, h]),
            lambda t, h: np.outer(v[t, h], x["b"][t, h]),
            (w, k, a * k, v, x["b"], r),
        ),
        # Dao and Gu, 2024, arXiv:2405.21060, equation 1
        "Mamba-2": (
            lambda t, h: alpha[t, h] * np.eye(keys),
            lambda t, h: beta[t, h] * np.outer(v[t, h], k[t, h]),
            (alpha * one, None, None, beta * v, k, r),
        ),
    }
    for transition, addition, inputs in cases.values():
        state, expected = x["state"].transpose(0, 2, 1).astype(np.float64), np.empty((tokens, heads, values))
        for t in range(tokens):
            for h in range(heads):
                state[h] = state[h] @ transition(t, h) + addition(t, h)
                expected[t, h] = state[h] @ r[t, h]
        y, new = operators.scan(*inputs, x["state"])
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(new, state.transpose(0, 2, 1), rtol=1e-5, atol=1e-5)


def test_selective_scan_is_the_recurrence_of_mamba() -> None:
    """Gu and Dao, 2023, arXiv:2312.00752, equations 2 and 4, with B discretized as dt B."""
    tokens, columns, keys = 19, 5, 4
    rng = np.random.default_rng(0)
    dt, x = rng.random((tokens, columns)), rng.standard_normal((tokens, columns))
    b, c = rng.standard_normal((2, tokens, keys))
    a, state = rng.random((columns, keys)) * 4, rng.standard_normal((columns, keys))
    given, expected = np.float32(state.T), np.empty((tokens, columns))
    inputs = [np.float32(array) for array in (dt, dt * x, b, c, a)]
    for t in range(tokens):
        for i in range(columns):
            state[i] = np.diag(np.exp(-dt[t, i] * a[i])) @ state[i] + dt[t, i] * b[t] * x[t, i]
            expected[t, i] = c[t] @ state[i]
    y, new = operators.selective_scan(*inputs, given)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(new, state.T, rtol=1e-5, atol=1e-5)


def test_kernels_and_operators_have_the_same_functions() -> None:
    assert [function.name.lower() for function in Function] == list(operators.FUNCTIONS)


@pytest.mark.parametrize("folder", FAMILIES)
def test_bits_do_not_depend_on_how_a_sequence_is_cut(folder: str) -> None:
    tokens = ids(70)
    with LLM(CHECKPOINTS / folder, threads=2) as llm:
        expected = run(llm, [tokens])
        assert np.array_equal(expected, llm.logits(tokens))
        for cuts in ([1], [16, 32], [1, 2, 3, 4], [7, 8, 9, 39], list(range(1, 70))):
            pieces = [tokens[i:j] for i, j in zip([0, *cuts], [*cuts, 70], strict=True)]
            assert np.array_equal(run(llm, pieces), expected)
        llm.model.set_threads(1)
        assert np.array_equal(run(llm, [tokens], slots=3, slot=2), expected)


@pytest.mark.parametrize("folder", FAMILIES)
def test_answers_are_the_same_alone_and_among_others(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [ids(size, seed=size) for size in (1, 2, 15, 16, 17, 40, 100)]
    with tiny_llm(folder) as llm:
        alone = [content(llm.generate(prompt, PARAMS)) for prompt in prompts]
        again = [content(completion) for completion in llm.generate(prompts, PARAMS)]
        assert again == alone
        with held(llm):
            equal = [submit(llm, prompts[5], PARAMS) for _ in range(8)]
        assert all(content(receiver.completion()) == alone[5] for receiver in equal)
        assert_all_pages_are_released(llm)
    monkeypatch.setattr(scheduler, "STEP_TOKENS", 24)
    with tiny_llm(folder, requests=3) as llm:
        assert [content(completion) for completion in llm.generate(prompts, PARAMS)] == alone


@pytest.mark.parametrize("folder", [name for name in FAMILIES if name not in NO_PAGES])
def test_preempted_requests_answer_the_same(folder: str) -> None:
    prompts = [ids(30, seed=seed) for seed in range(4)]
    params = PARAMS.model_copy(update={"max_tokens": 40})
    with tiny_llm(folder) as llm:
        expected = [content(completion) for completion in llm.generate(prompts, params)]
    with tiny_llm(folder, pages=10) as llm:
        assert [content(completion) for completion in llm.generate(prompts, params)] == expected
        assert totals(llm)["preemptions"] > 0


@pytest.mark.parametrize("folder", FAMILIES)
def test_cancelled_requests_leave_nothing_in_their_slots(folder: str) -> None:
    choose = random.Random(0)
    prompts = [ids(choose.randint(1, 60), seed=seed) for seed in range(30)]
    with tiny_llm(folder, requests=2, max_queue=60) as llm:
        expected = [content(completion) for completion in llm.generate(prompts, PARAMS)]
    with tiny_llm(folder, requests=2, max_queue=60) as llm:
        receivers: list[Receiver] = []
        for number, prompt in enumerate(prompts):
            receivers.append(submit(llm, prompt, PARAMS, str(number)))
            if number % 3 == 0:
                llm.engine.cancel(str(choose.randint(0, number)))
        completions = [receiver.completion() for receiver in receivers]
        for completion, alone in zip(completions, expected, strict=True):
            if completion.finish_reason == "cancelled":
                assert completion.token_ids == alone[0][: len(completion.token_ids)]
            else:
                assert content(completion) == alone
        wait_until(lambda: not llm.engine.stats()["running"])
        assert llm.engine.stats()["kv_bytes_used"] == 0


def test_step_that_fails_midway_never_gives_wrong_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    left = 0  # steps until one fails at its end; negative: none does

    class FailingTeam(Team):
        def run(self, *args: Any) -> None:
            nonlocal left
            super().run(*args)
            left -= 1
            if left == 0:
                raise MemoryError("no more")

    monkeypatch.setattr(transformer, "Team", FailingTeam)
    with tiny_llm("lfm2") as llm:
        expected = content(llm.generate(ids(9), PARAMS))
        left = 5
        with held(llm):
            receivers = [submit(llm, ids(9), PARAMS) for _ in range(2)]
        for receiver in receivers:
            completion = receiver.completion()
            assert isinstance(completion.error, TritonchatError)
            assert completion.token_ids == expected[0][: len(completion.token_ids)]
        assert content(llm.generate(ids(9), PARAMS)) == expected


@pytest.mark.parametrize("folder", FAMILIES)
def test_states_after_drafts_are_taken_back(folder: str) -> None:
    """A step with drafts, of which some are accepted, leaves the states of the tokens alone."""
    tokens, wrong = ids(40), ids(4, seed=9)
    with LLM(CHECKPOINTS / folder, threads=2) as llm:
        expected = llm.logits(tokens)
        states = StateCache(llm.model.tape.states, 2, drafts=4)
        shape = (len(llm.model.kv_groups), 1, 3 * 64 // PAGE)
        cache = KVCache(llm.model.kv_groups, int(np.prod(shape)), llm.kv_cache_dtype, states)
        table, first = np.arange(cache.pages, dtype=np.int32).reshape(shape), 0
        for sure, accepted in ((5, 0), (1, 3), (2, 1), (1, 4), (7, 2), (1, 0), (3, 4)):
            end = first + sure
            drafts = [*tokens[end : end + accepted], *wrong[accepted:]]
            builder = BatchBuilder()
            builder.add([*tokens[first:end], *drafts], first, range(first, end + 4))
            slots = np.int32([1] * sure + list(states.draft_slots))
            logits = llm.model.forward(builder.build(table, np.int32([1]), state_slots=slots), cache)
            right = sure + accepted
            assert np.array_equal(logits[:right], expected[first : first + right])
            if accepted:
                states.accept(1, states.draft_slots[accepted - 1])
            first += right
        assert first == 34


@pytest.mark.parametrize("folder", FAMILIES)
def test_drafts_change_no_answer(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right and wrong ones, beside others, with copies of states within answers and in later turns."""
    monkeypatch.setattr(states, "SNAPSHOT_INTERVAL", 32)
    monkeypatch.setattr(drafter, "StepCost", UnknownCost)
    params = PARAMS.model_copy(update={"max_tokens": 70, "temperature": 0.5})
    prompts = [[5, 6, 7, 8] * 8, ids(40), [9, 9, 9, 9], *(ids(size, seed=size) for size in (3, 20, 33))]
    with tiny_llm(folder) as llm:
        first = llm.generate(prompts, params)
        turns = [[*p, *c.token_ids, 5, 6] for p, c in zip(prompts, first, strict=True)]
        second = llm.generate(turns, params)
    with tiny_llm(folder, speculate=6) as llm:
        drafted = llm.generate(prompts, params)
        assert [content(c) for c in drafted] == [content(c) for c in first]
        again = llm.generate(turns, params)
        assert [content(c) for c in again] == [content(c) for c in second]
        cached = [c.usage.cached_tokens for c in again]
        assert cached == [c.usage.cached_tokens for c in second]  # no copy was missed
        assert totals(llm)["drafted_tokens"] > totals(llm)["accepted_tokens"] > 0
        assert_all_pages_are_released(llm)


def test_states_take_a_part_of_the_memory(caplog: pytest.LogCaptureFixture) -> None:
    with LLM(CHECKPOINTS / "lfm2", max_concurrency=3, kv_cache_memory=2**20) as llm:
        sizes, caches, forward = [], [], llm.model.forward

        def measured(batch: Batch, cache: KVCache) -> np.ndarray:
            sizes.append(llm.engine.stats()["kv_bytes_used"])
            caches.append(cache)
            return forward(batch, cache)

        llm.model.forward = measured
        llm.generate(ids(5), PARAMS)
        cache = caches[0]
        assert len(cache.states.memory) == 3 + len(cache.states.snapshot_slots)
        used = cache.states.memory.nbytes + cache.pages * cache.page_bytes
        assert 2**20 - cache.page_bytes < used <= 2**20
        slot_bytes = cache.states.slot_bytes
        assert min(sizes) == slot_bytes + cache.page_bytes
    with (
        caplog.at_level("WARNING", LOGGER.name),
        LLM(CHECKPOINTS / "lfm2", kv_cache_memory=9 * slot_bytes) as llm,
    ):
        assert llm.engine.limits.max_concurrency == 4
    assert "Only 4 requests" in caplog.text
    with pytest.raises(NoMemory, match="--kv-cache-memory"):
        LLM(CHECKPOINTS / "lfm2", kv_cache_memory=slot_bytes)


def test_weights_of_every_type_run() -> None:
    """Rounding random weights changes the experts that some tokens choose, and so their logits by much."""
    random = np.random.default_rng(0)
    for folder in FAMILIES:
        for weights, bound in (("bfloat16", 0.05), ("int8", 0.2)):
            texts = [ids(40)]
            if (folder, weights) == ("nemotron-h-experts", "int8"):  # in one text, it is a matter of chance
                texts += [random.integers(0, 60, 40).tolist() for _ in range(5)]
            expected = np.concatenate([Reference(CHECKPOINTS / folder).logits([t]) for t in texts])
            with LLM(CHECKPOINTS / folder, weights=weights) as llm:
                found = np.concatenate([llm.logits(tokens) for tokens in texts])
            assert np.linalg.norm(found - expected) < bound * np.linalg.norm(expected)


@pytest.mark.parametrize("folder", FAMILIES)
def test_prefix_is_taken_up_to_a_snapshot(folder: str) -> None:
    prompt = ids(100)
    cases = {  # what follows the first tokens of the prompt -> tokens that are found
        (100, ()): 96,
        (97, (1, 2, 3)): 96,
        (96, (1,)): 96,
        (96, ()): 0,  # the last token is never found, and no state is known before it
        (95, (1, 2, 3)): 0,
        (50, ()): 0,
    }
    for (length, rest), found in cases.items():
        other = [*prompt[:length], *rest]
        with tiny_llm(folder) as llm:
            cold = llm.generate(other, PARAMS)
        with tiny_llm(folder) as llm:
            assert llm.generate(prompt, PARAMS).usage.cached_tokens == 0
            warm = llm.generate(other, PARAMS)
            assert (cold.usage.cached_tokens, warm.usage.cached_tokens) == (0, found)
            assert content(warm) == content(cold)
            assert_all_pages_are_released(llm)


@pytest.mark.parametrize("folder", FAMILIES)
def test_snapshots_are_taken_at_an_interval_during_answers_too(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "SNAPSHOT_INTERVAL", 32)
    params = PARAMS.model_copy(update={"max_tokens": 60})
    with tiny_llm(folder) as llm:
        first = llm.generate(ids(20), params)
        conversation = [*ids(20), *first.token_ids, 7, 8, 9]
        second = llm.generate(conversation, params)
        assert second.usage.cached_tokens == 64
    with tiny_llm(folder) as llm:
        assert content(llm.generate(conversation, params)) == content(second)


def test_requests_with_other_salts_do_not_share_states() -> None:
    with tiny_llm("lfm2") as llm:
        for salt, found in (("a", 0), ("b", 0), ("a", 96)):
            receiver = Receiver()
            params = PARAMS.with_defaults(llm.defaults)
            llm.engine.submit(Job(ids(100), params, cache_salt=salt), receiver)
            assert receiver.completion().usage.cached_tokens == found


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("folder", FAMILIES)
def test_answers_are_the_same_whatever_is_evicted(
    folder: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few pages, few snapshots, common beginnings, cancelled requests and failed steps."""
    choose = random.Random(seed)
    beginnings = [ids(size, seed=size) for size in (64, 70, 130, 200)]
    prompts = [
        choose.choice(beginnings)[: choose.randint(1, 200)] + ids(choose.randint(0, 30), seed=number % 5)
        for number in range(60)
    ]
    all_params = [
        PARAMS.model_copy(update={"seed": number, "max_tokens": choose.randint(1, 30)})
        for number in range(60)
    ]
    with tiny_llm(folder, pages=400) as llm:
        alone = [
            content(llm.generate(prompt, params)) for prompt, params in zip(prompts, all_params, strict=True)
        ]
    monkeypatch.setattr(states, "SNAPSHOT_INTERVAL", 48)
    monkeypatch.setattr(reserve, "MAX_SNAPSHOTS", 5)
    monkeypatch.setattr(scheduler, "STEP_TOKENS", 60)
    receivers: list[Receiver] = []
    with tiny_llm(folder, requests=12, pages=60, max_queue=100) as llm:
        forward = llm.model.forward

        def fail_now_and_then(batch: Batch, cache: KVCache) -> np.ndarray:
            if len(batch.starts) > 2 and failures.random() < 0.1:
                raise MemoryError("no more")  # then each sequence is computed alone
            return forward(batch, cache)

        failures = random.Random(seed)
        llm.model.forward = fail_now_and_then
        for number, (prompt, params) in enumerate(zip(prompts, all_params, strict=True)):
            receivers.append(submit(llm, prompt, params, str(number)))
            if choose.random() < 0.2:
                llm.engine.cancel(str(choose.randint(max(0, number - 8), number)))
        finished = 0
        for receiver, expected in zip(receivers, alone, strict=True):
            completion = receiver.completion()
            if completion.finish_reason == "cancelled":
                assert completion.token_ids == expected[0][: len(completion.token_ids)]
            else:
                assert content(completion) == expected
                finished += 1
        wait_until(lambda: not llm.engine.stats()["running"])
        assert finished > 20
        assert totals(llm)["prefix_hits_tokens"] > 0
        assert_all_pages_are_released(llm)
