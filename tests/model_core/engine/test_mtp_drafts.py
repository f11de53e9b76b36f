"""Drafts of an MTP head save steps where they are right, and no draft changes an answer."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from test_draft_model import UnknownCost
from test_engine import submit
from test_scheduler import assert_all_pages_are_released, content, ids, llm_with_pages, totals

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache
from model_core.engine import drafter, head_drafts
from model_core.families.config import read_config, write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors
from model_core.model.batch import Batch

FOLDERS = ["qwen3_5-mtp", "qwen3_5-moe-mtp", "glm4-moe-mtp", "deepseek-v3-mtp"]


@pytest.fixture(autouse=True)
def drafts_seem_to_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafter, "StepCost", UnknownCost)


@pytest.fixture(scope="module")
def markov(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A model whose next token depends on the last one alone, and whose head knows how.

    Its layers add nothing, and the head projects the embedding of the next token to where the model has it.
    """
    source = Checkpoint(CHECKPOINTS / "qwen3_5-mtp")
    tensors = {name: np.array(source[name]) for name in source.unread()}
    for name, array in tensors.items():
        if name.endswith(("o_proj.weight", "out_proj.weight", "down_proj.weight")):
            array[...] = 0
    size = tensors["mtp.norm.weight"].size
    tensors["mtp.fc.weight"] = np.concatenate([np.eye(size), np.zeros((size, size))], 1).astype(np.float32)
    tensors["mtp.norm.weight"] = tensors["model.norm.weight"]
    tensors["mtp.pre_fc_norm_embedding.weight"][...] = 0  # and 1 is added
    # What follows a token is another one, and not itself.
    mixed = np.random.default_rng(0).standard_normal(tensors["model.embed_tokens.weight"].shape)
    tensors["lm_head.weight"] = mixed.astype(np.float32)
    folder = tmp_path_factory.mktemp("markov")
    write_safetensors(folder / "model.safetensors", tensors)
    config = read_config(CHECKPOINTS / "qwen3_5-mtp") | {"tie_word_embeddings": False}
    write_json(folder / "config.json", config)
    yield folder


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_right_drafts_save_steps(markov: Path, temperature: float) -> None:
    params = SamplingParams(max_tokens=91, temperature=temperature, seed=1, ignore_eos=True)
    with LLM(markov, no_mtp=True) as llm:
        expected = [content(llm.generate(ids(40), params)), content(llm.generate(ids(3), params))]
        assert llm.model.draft_head is None
    with LLM(markov) as llm:
        assert content(llm.generate(ids(40), params)) == expected[0]
        drafted, accepted, steps = (
            totals(llm)[name] for name in ("drafted_tokens", "accepted_tokens", "steps")
        )
        assert accepted == 91 - steps > 0.9 * drafted
        assert steps < 25  # nine tokens each, but where the next page is not there yet
        assert content(llm.generate(ids(3), params)) == expected[1]
        assert_all_pages_are_released(llm)


@pytest.mark.parametrize("folder", FOLDERS)
def test_answers_are_the_same_with_wrong_drafts(folder: str) -> None:
    """Among many, in little memory, with prefixes in common, and later turns."""
    prompts = [ids(size, seed=size) for size in (1, 2, 15, 16, 17, 40, 100, 200)] * 2
    params = [
        SamplingParams(max_tokens=40, temperature=0.9 * (n % 2), seed=n, logprobs=1, ignore_eos=True)
        for n in range(len(prompts))
    ]
    with LLM(CHECKPOINTS / folder, no_mtp=True) as llm:
        alone = [content(llm.generate(p, own)) for p, own in zip(prompts, params, strict=True)]
    with llm_with_pages(CHECKPOINTS / folder, 45) as llm:
        with held(llm):
            receivers = [submit(llm, prompt, own) for prompt, own in zip(prompts, params, strict=True)]
        assert [content(receiver.completion()) for receiver in receivers] == alone
        assert totals(llm)["drafted_tokens"] > totals(llm)["accepted_tokens"]
        assert totals(llm)["preemptions"] > 0
        turns = [[*p, *a[0], 5, 6] for p, a in zip(prompts[:6], alone, strict=False)]
        again = [content(c) for c in llm.generate(turns, params[:6])]
        assert_all_pages_are_released(llm)
    with LLM(CHECKPOINTS / folder, no_mtp=True) as llm:
        assert [content(c) for c in llm.generate(turns, params[:6])] == again


def test_later_turn_finds_the_keys_of_the_head(markov: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a request leaves in the cache is complete: the head's keys of each position are there."""
    monkeypatch.setattr(head_drafts, "MOST_PENDING", 1000)  # nothing is computed before it is wanted
    params = SamplingParams(max_tokens=1, temperature=0.0)
    with LLM(markov, kv_cache_dtype="float32") as llm:
        caches: list[KVCache] = []
        forward = llm.model.forward_for_drafts

        def note(batch: Batch, cache: KVCache) -> tuple[np.ndarray, np.ndarray]:
            caches.append(cache)
            return forward(batch, cache)

        llm.model.forward_for_drafts = note
        llm.generate(ids(64), params)
        layer = len(llm.model.tape.kv_layers) - 1
        group = next(n for n, g in enumerate(caches[0].groups) if layer in g.layers)
        keys = caches[0].arrays(group)["keys"][caches[0].groups[group].layers.index(layer)]
        assert np.count_nonzero(np.abs(keys).sum(axis=(1, 2))) == 64


@pytest.mark.parametrize("folder", ["qwen3_5-mtp", "glm4-moe-mtp"])
def test_passes_of_the_head_are_as_small_as_steps(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all requests draft at once after a pause; and requests that end together share a pass."""
    monkeypatch.setattr(head_drafts, "STEP_TOKENS", 48)
    params = SamplingParams(max_tokens=30, temperature=0.0, ignore_eos=True)
    with LLM(CHECKPOINTS / folder) as llm:
        head, source, passes, ended = llm.model.draft_head, llm.engine.draft_source, [], []
        forward, finish = head.forward_for_drafts, source.finish

        def note(batch: Batch, cache: KVCache) -> tuple[np.ndarray, np.ndarray]:
            passes.append(len(batch.tokens))
            return forward(batch, cache)

        head.forward_for_drafts = note
        source.finish = lambda sequences: ended.append(len(sequences)) or finish(sequences)
        with held(llm):
            receivers = [submit(llm, ids(10, seed=n), params) for n in range(12)]
        for receiver in receivers:
            receiver.completion()
        assert 12 < max(passes) <= 48
        assert max(ended) > 1 and sum(ended) == 12
        assert_all_pages_are_released(llm)


def test_failed_drafts_end_no_answer(markov: Path) -> None:
    params = SamplingParams(max_tokens=60, temperature=0.7, seed=0, ignore_eos=True)
    with LLM(markov, no_mtp=True) as llm:
        expected = content(llm.generate(ids(20), params))
    with LLM(markov) as llm:
        head = llm.model.draft_head
        forward, calls = head.forward_for_drafts, []

        def spoil(batch: Batch, cache: KVCache) -> tuple[np.ndarray, np.ndarray]:
            calls.append(len(batch.tokens))
            if len(calls) % 3 == 0:
                raise MemoryError("no more")
            logits, handed_on = forward(batch, cache)
            return logits * np.float32(np.nan) if len(calls) % 3 == 1 else logits, handed_on

        head.forward_for_drafts = spoil
        assert content(llm.generate(ids(20), params)) == expected
        assert len(calls) > 2
        assert_all_pages_are_released(llm)


def test_cancelled_requests_leave_nothing(markov: Path) -> None:
    choose = random.Random(0)
    with LLM(markov, max_concurrency=4) as llm:
        params = SamplingParams(max_tokens=100, temperature=0.5, seed=0, ignore_eos=True)
        receivers = []
        for number in range(30):
            receivers.append(submit(llm, ids(choose.randint(1, 60), seed=number), params, str(number)))
            if number % 2:
                llm.engine.cancel(str(choose.randint(0, number)))
        for receiver in receivers:
            receiver.completion()
        assert_all_pages_are_released(llm)
