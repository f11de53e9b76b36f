"""Log probabilities of the tokens of prompts: exact, whatever else is computed, in little memory."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from adapters import write_adapter
from paths import CHECKPOINTS, ROOT
from test_engine import submit

from model_core import LLM, SamplingParams, TritonchatError
from model_core.cache.memory import KVCache
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.requests.results import TokenLogprob

TEXT = "Once upon a time there was a little bear who lived in the woods. It liked honey, and it said: more! "


def expected_of(llm: LLM, ids: list[int], adapter: str | None = None) -> np.ndarray:
    """log softmax of the logits before each token but the first: float64 [tokens - 1, vocabulary]."""
    logits = llm.logits(ids[:-1], adapter).astype(np.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def check(entries: list[TokenLogprob], expected: np.ndarray, tokens: list[int], top: int) -> None:
    """Entries of tokens against the log probabilities before each of them: float64 [tokens, vocabulary]."""
    assert [entry.token_id for entry in entries] == tokens
    for entry, row in zip(entries, expected, strict=True):
        assert entry.logprob == pytest.approx(row[entry.token_id], abs=1e-4)
        assert entry.rank == 1 + np.count_nonzero(row > row[entry.token_id])
        assert (entry.rank == 1) == (int(row.argmax()) == entry.token_id)
        likeliest = np.argsort(-row, kind="stable")[:top]
        assert [token for token, _ in entry.top] == likeliest.tolist()
        assert [value for _, value in entry.top] == pytest.approx(row[likeliest], abs=1e-4)


@pytest.mark.parametrize("size", [1, 2, 17, 64, 65, 66, 600])
def test_they_are_those_of_the_logits(llm: LLM, size: int) -> None:
    ids = (llm.encode(TEXT) * 30)[:size]
    expected = expected_of(llm, ids) if size > 1 else np.zeros((0, 1))
    check(llm.log_probabilities(ids, top=3), expected, ids[1:], 3)


@pytest.mark.parametrize("weights", ["auto", "int8"])
@pytest.mark.parametrize("folder", ["llama-mqa-odd", "mistral-window", "lfm2", "rwkv7", "gemma3n", "cohere2"])
def test_they_are_those_of_the_logits_in_every_kind_of_family(folder: str, weights: str) -> None:
    ids = np.random.default_rng(0).integers(3, 60, 90).tolist()
    with LLM(CHECKPOINTS / folder, weights=weights) as llm:
        expected = expected_of(llm, ids)
        check(llm.log_probabilities(ids, top=2), expected, ids[1:], 2)
        check(llm.log_probabilities(ids, start=70), expected[69:], ids[70:], 0)


def test_text_is_scored_as_it_is_encoded(llm: LLM) -> None:
    ids = llm.encode(TEXT)
    assert llm.log_probabilities(TEXT) == llm.log_probabilities(ids)
    assert llm.log_probabilities(ids, start=len(ids)) == []
    for start in (0, -1, len(ids) + 1):
        with pytest.raises(InvalidRequest, match=f"start must be between 1 and {len(ids)}, not {start}"):
            llm.log_probabilities(ids, start=start)


def test_log_probabilities_of_an_answer_are_the_same_as_those_of_the_text_that_it_makes(llm: LLM) -> None:
    params = SamplingParams(max_tokens=40, logprobs=2, temperature=1, seed=4, ignore_eos=True)
    prompt = llm.encode(TEXT)
    answer = llm.generate(prompt, params)
    assert llm.log_probabilities(prompt + answer.token_ids, top=2, start=len(prompt)) == answer.logprobs


def test_asking_changes_no_answer(llm: LLM) -> None:
    prompts = [llm.encode(TEXT) * (1 + i % 5) for i in range(12)]
    params = SamplingParams(max_tokens=20, temperature=1.2, seed=5, logprobs=1, ignore_eos=True)
    asking = params.model_copy(update={"prompt_logprobs": 2})
    plain = llm.generate(prompts, params)
    mixed = llm.generate(prompts, [asking if i % 2 else params for i in range(12)])
    for number, (one, other) in enumerate(zip(plain, mixed, strict=True)):
        assert (one.token_ids, one.logprobs, one.text) == (other.token_ids, other.logprobs, other.text)
        assert (other.prompt_logprobs is not None) == bool(number % 2) and one.prompt_logprobs is None
    assert mixed[1].prompt_logprobs == llm.log_probabilities(prompts[1], top=2)


def test_cached_tokens_are_used_before_the_first_one_that_is_asked_for(llm: LLM) -> None:
    ids = llm.encode("A text that nobody else has asked about. " + TEXT * 4)
    start = len(ids) - 5
    cold = llm.log_probabilities(ids)
    computed = llm.engine.stats()["totals"]["computed_tokens"]
    assert llm.log_probabilities(ids, start=start) == cold[start - 1 :]
    assert llm.engine.stats()["totals"]["computed_tokens"] - computed == 6  # the token before them, too
    computed = llm.engine.stats()["totals"]["computed_tokens"]
    assert llm.log_probabilities(ids) == cold
    assert llm.engine.stats()["totals"]["computed_tokens"] - computed == len(ids)


def test_requests_that_are_preempted_keep_their_scores() -> None:
    with LLM(kv_cache_memory=1) as measuring:
        page = KVCache.bytes_per_page(measuring.model.kv_groups, measuring.kv_cache_dtype)
    params = SamplingParams(max_tokens=30, temperature=0, ignore_eos=True, prompt_logprobs=1)
    with LLM(kv_cache_memory=40 * page) as llm:
        prompts = [llm.encode(f"{i} {TEXT}")[:60] * 5 for i in range(4)]
        together = llm.generate(prompts, params)
        assert llm.engine.stats()["totals"]["preemptions"] > 0
        for prompt, completion in zip(prompts, together, strict=True):
            alone = llm.generate(prompt, params)
            assert completion.prompt_logprobs == alone.prompt_logprobs
            assert completion.token_ids == alone.token_ids


def test_drafts_do_not_disturb_them(llm: LLM) -> None:
    ids, params = llm.encode(TEXT) * 3, SamplingParams(max_tokens=30, temperature=0, prompt_logprobs=1)
    with LLM(speculate=8) as drafting:
        found, expected = drafting.generate(ids, params), llm.generate(ids, params)
        assert found.prompt_logprobs == expected.prompt_logprobs
        assert found.token_ids == expected.token_ids
        assert drafting.generate(ids, SamplingParams(max_tokens=0)).token_ids == []


def test_those_of_an_adapter_are_its_own(tmp_path: Path) -> None:
    ids = np.random.default_rng(1).integers(3, 60, 100).tolist()
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        write_adapter(llm, tmp_path / "adapter", rank=4)
        llm.load_adapter("it", tmp_path / "adapter")
        params = SamplingParams(max_tokens=0, prompt_logprobs=1)
        plain, adapted = llm.generate([ids, ids], params, adapter=[None, "it"])
        check(plain.prompt_logprobs, expected_of(llm, ids), ids[1:], 1)
        check(adapted.prompt_logprobs, expected_of(llm, ids, "it"), ids[1:], 1)
        assert adapted.prompt_logprobs == llm.log_probabilities(ids, top=1, adapter="it")


def test_an_answer_of_no_tokens_computes_the_prompt(llm: LLM) -> None:
    ids = llm.encode("Nothing shall follow this text. " + TEXT)
    completion = llm.generate(ids, SamplingParams(max_tokens=0, logprobs=1))
    assert (completion.text, completion.token_ids, completion.finish_reason) == ("", [], "length")
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (len(ids), 0)
    assert (completion.logprobs, completion.prompt_logprobs) == ([], None)
    assert llm.generate(ids, SamplingParams(max_tokens=1)).usage.cached_tokens == len(ids) - 1
    assert llm.chat([{"role": "user", "content": "Hi"}], SamplingParams(max_tokens=0)).text == ""
    assert llm.generate([5], SamplingParams(max_tokens=0, prompt_logprobs=3)).prompt_logprobs == []


def test_a_prompt_may_fill_the_context_if_nothing_follows() -> None:
    with LLM(max_context=32) as llm:
        assert len(llm.log_probabilities([5] * 32)) == 31
        with pytest.raises(PromptTooLong, match="32 tokens"):
            llm.log_probabilities([5] * 33)
        with pytest.raises(PromptTooLong, match="32 tokens"):
            llm.generate([5] * 32, SamplingParams(prompt_logprobs=1))


def test_a_request_that_is_cancelled_has_none(llm: LLM) -> None:
    receiver = submit(llm, [5] * 900, SamplingParams(max_tokens=0, prompt_logprobs=20), "scores")
    llm.engine.cancel("scores")
    completion = receiver.completion()
    assert completion.finish_reason == "cancelled" and completion.prompt_logprobs is None
    assert llm.engine.stats()["kv_pages"]["used"] == 0


def test_numbers_that_are_not_finite_are_reported() -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        llm.model.weights.head.data[:] = np.nan
        with pytest.raises(TritonchatError, match="not finite"):
            llm.log_probabilities([5, 6, 7])


# It prints how much more memory the scores have taken than the prompt alone, in MiB.
MEMORY = """
import re, sys
from pathlib import Path
from model_core import LLM, SamplingParams

def peak(params):
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    assert llm.generate([5] * 600, params).usage.prompt_tokens == 600
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

with LLM(sys.argv[1], kv_cache_memory=2**24) as llm:
    alone = peak(SamplingParams(max_tokens=0))
    print(peak(SamplingParams(max_tokens=0, prompt_logprobs=5)) - alone)
"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with few layers and a vocabulary of 152,000 tokens."""
    source, folder = CHECKPOINTS / "llama-tied-gqa", tmp_path_factory.mktemp("wide")
    stored = SafetensorsFolder(source)
    tensors = {name: stored[name] for name in stored}
    name = "model.embed_tokens.weight"
    tensors[name] = np.random.default_rng(0).standard_normal((152_000, tensors[name].shape[1]), np.float32)
    write_safetensors(folder / "model.safetensors", tensors)
    config = json.loads((source / "config.json").read_text())
    changes = {"vocab_size": 152_000, "max_position_embeddings": 1024}
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder


def test_a_large_vocabulary_takes_little_memory(wide: Path) -> None:
    """All logits of the prompt would be 365 MB, and those of one step 156 MB."""
    command = [sys.executable, "-c", MEMORY, wide]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 80
