"""What `explain` shows is what the model computes: tokens, attention, the next token, the tape in words."""

from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS
from seeing import Seen
from seeing_folders import SEEING
from test_tape import Reference

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, NotFinite, PromptTooLong
from model_core.inspect.explain import MAX_ROWS, MAX_TOKENS, Explanation, explain_prompt
from model_core.inspect.tape_words import TapeWords, describe_tape
from model_core.reference import interpreter, operators
from model_core.tape.operations import Attend

FOLDERS = sorted(CHECKPOINTS.iterdir())
NEUTRAL = SamplingParams(temperature=1, top_k=0, top_p=1, min_p=0)


def reference_attention(folder: Path, tokens: list[int]) -> list[np.ndarray]:
    """The weights [heads, tokens, tokens] of each operation of attention, from the NumPy interpreter.

    In float64: in float32, NumPy's sums differ by processor, by more than kernels may.
    """
    model, sequence, weights = Reference(folder), interpreter.Sequence(), []
    tables = model.tape.embeddings.items()
    embedded = {name: operators.embed(np.array(tokens), model.weights(table)) for name, table in tables}
    sequence.begin({name: rows.astype(np.float64) for name, rows in embedded.items()})
    for record in model.tape.records:
        if isinstance(record, Attend):
            keys = sequence.keys[record.layer].transpose(1, 0, 2)
            sinks = record.sinks and model.weights(record.sinks)
            added = record.distances and record.distances.read_rows(model.weights, keys.shape[1])
            settings = (record.scale, record.window, record.softcap, sinks, record.ahead, added)
            shares = operators.attention_weights(sequence.get(record.q), keys, *settings)
            if record.is_chunked:
                chunks = sequence.positions // record.window
                shares *= chunks[:, None] == chunks
                shares /= shares.sum(axis=-1, keepdims=True)
            weights.append(shares)
        interpreter.execute(record, model.weights, sequence)
    return weights


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_attention_is_that_of_the_reference(folder: Path) -> None:
    """Two of three prompts: some layers enlarge the rounding of float32 with some tokens. NumPy's weights of
    gemma4 in float32 and in float64 differ by 1.5e-5 with the first prompt, and by 2e-6 to 8e-6 with others.
    """
    largest = []
    with LLM(folder, arithmetic="float32") as llm:
        for seed in range(3):
            tokens = np.random.default_rng(seed).integers(0, 60, 40).tolist()
            expected, errors = reference_attention(folder, tokens), [0.0]
            shown = explain_prompt(llm, tokens, params=NEUTRAL)
            assert (shown.attention is None) == (not expected)
            layers = [] if shown.attention is None else shown.attention.layers
            for layer, weights in zip(layers, expected, strict=True):
                head = len(weights) - 1
                attention = explain_prompt(llm, tokens, layer, head).attention
                assert attention is not None
                assert (attention.layer, attention.head, attention.heads) == (layer, head, len(weights))
                pairs = ((attention.weights, weights[head]), (attention.last, weights[:, -1]))
                errors += [np.abs(np.subtract(ours, its)).max() for ours, its in pairs]
            largest.append(np.max(errors))
        logits = llm.logits(tokens)[-1]
    assert np.median(largest) < 2e-5
    assert np.max(largest) < 4e-5
    best = shown.next_tokens[0]
    assert best.token_id == int(np.argmax(logits))
    chances = operators.softmax(logits.astype(np.float64))
    assert np.exp(best.logprob) == pytest.approx(chances.max(), rel=1e-4)
    assert best.probability == pytest.approx(chances.max(), rel=1e-4)
    assert shown.candidates == np.count_nonzero(chances.astype(np.float32))
    assert shown.entropy == pytest.approx(-np.sum(chances * np.log2(chances)), rel=1e-3)


@pytest.mark.parametrize("weights", ["int8", "bfloat16"])
@pytest.mark.parametrize("kv_cache_dtype", ["float32", "float16", "int16", "int8"])
def test_attention_with_other_types_is_close(weights: str, kv_cache_dtype: str) -> None:
    tokens = list(range(5, 45))
    with LLM(weights="float32", arithmetic="float32") as llm:
        exact = explain_prompt(llm, tokens, 3, 2).attention
    with LLM(weights=weights, kv_cache_dtype=kv_cache_dtype) as llm:
        close = explain_prompt(llm, tokens, 3, 2).attention
    assert exact is not None and close is not None
    assert np.abs(exact.weights - close.weights).max() < 0.1
    np.testing.assert_allclose(close.weights.sum(axis=1), 1, rtol=1e-4)
    assert np.count_nonzero(np.triu(close.weights, 1)) == 0  # nobody looks ahead


def test_sampling_shows_what_can_be_drawn(llm: LLM) -> None:
    tokens = llm.encode("Once upon a time")

    def shown(**changes: float) -> Explanation:
        return explain_prompt(llm, tokens, params=NEUTRAL.model_copy(update=changes))

    greedy = shown(temperature=0)
    assert greedy.candidates == 1 and greedy.next_tokens[0].probability == 1
    assert {token.probability for token in greedy.next_tokens[1:]} == {0}
    assert shown(top_k=3).candidates == 3
    assert sum(token.probability for token in shown(top_k=3).next_tokens) == pytest.approx(1)
    nucleus = shown(top_p=0.5)
    kept = [token for token in nucleus.next_tokens if token.probability]
    assert len(kept) == nucleus.candidates
    assert sum(np.exp(token.logprob) for token in kept) >= 0.5
    hot, cold = shown(temperature=2), shown(temperature=0.5)
    assert hot.next_tokens[0].probability < cold.next_tokens[0].probability
    assert hot.entropy == cold.entropy  # of the model, whatever is drawn
    drawn = {
        llm.generate(tokens, SamplingParams(max_tokens=1, temperature=2, top_k=3, seed=seed)).token_ids[0]
        for seed in range(20)
    }
    assert drawn <= {token.token_id for token in shown(top_k=3).next_tokens[:3]}


def test_explaining_changes_no_answer(llm: LLM) -> None:
    params = SamplingParams(max_tokens=40, temperature=0.8, seed=3, ignore_eos=True)
    expected = llm.generate("A little dog", params).token_ids
    stream, tokens = llm.stream("A little dog", params), llm.encode("Once upon a time")
    text = next(stream)
    for layer in range(6):
        explain_prompt(llm, tokens, layer)
    text += "".join(stream)
    assert text == llm.tokenizer.decode(expected)


def test_wrong_prompts_are_refused(llm: LLM) -> None:
    with pytest.raises(PromptTooLong, match="at most 256 tokens, but the prompt has 257"):
        explain_prompt(llm, [1] * (MAX_TOKENS + 1))
    with pytest.raises(InvalidRequest, match="empty"):
        explain_prompt(llm, [])
    with pytest.raises(InvalidRequest, match="no adapter"):
        explain_prompt(llm, [1], adapter="nobody")
    assert explain_prompt(llm, [1] * MAX_TOKENS).attention is not None
    assert explain_prompt(llm, [1], 2**60, 2**60).attention.layer == 5  # the last one


def test_numbers_that_are_not_finite_are_refused() -> None:
    with LLM() as llm:
        llm.model.weights.head.data[...] = np.float32("nan").astype(llm.model.weights.head.data.dtype)
        with pytest.raises(NotFinite):
            explain_prompt(llm, [1, 2])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_operation_has_words(folder: Path) -> None:
    tape = Reference(folder).tape
    for layer in (0, 1, 99):
        words = describe_tape(tape, layer, 7)
        steps = words.begin + words.inside + words.end
        assert all(step.words.endswith(".") and step.words[0].isupper() for step in steps)
        assert all(step.shape[1] > 0 and step.shape[0] in (1, 7) for step in steps)
        assert words.begin[0].operation == "embed"
        assert 0 <= words.layer < words.layers
        assert words.inside
        assert any("scores of all tokens" in step.words for step in words.end)
    assert words.layer == words.layers - 1


def test_words_of_a_layer_read_like_the_paper(llm: LLM) -> None:
    words: TapeWords = describe_tape(llm.model.tape, 2, 9)
    assert words.layers == 6
    operations = [step.operation for step in words.inside]
    attention = ["norm", "linear", "rope", "rope", "write_kv", "attend", "linear", "add"]
    assert operations == [*attention, "norm", "linear", "gate", "linear", "add"]
    assert [step.operation for step in words.end] == ["take_rows", "norm", "linear"]
    attend = words.inside[5]
    assert attend.words.startswith("Attend with 8 heads of 48, which share 2 heads of keys")
    assert attend.shape == (9, 384)
    assert words.inside[1].weights == tuple(f"model.layers.self_attn.{x}_proj.weight" for x in "qkv")
    assert words.end[-1].shape == (1, 3072)


@pytest.mark.parametrize("name", ["qwen3-vl", "gemma3"])
def test_images_are_seen_as_in_an_answer(name: str) -> None:
    with LLM(SEEING / name, arithmetic="float32", kv_cache_memory=2**25) as llm:
        seen = Seen(llm, SEEING / name)
        shown = explain_prompt(llm, seen.prompt, params=NEUTRAL, images=seen.spans)
        assert shown.next_tokens[0].token_id == seen.expected["greedy"][0]
        assert shown.attention is not None
        layers = [explain_prompt(llm, seen.prompt, n, images=seen.spans) for n in shown.attention.layers]
        maps = [layer.attention for layer in layers if layer.attention is not None]
        for span in seen.spans:
            assert not any(each.weights[span.start : span.end].any() for each in maps)
            assert any(each.last[:, span.start : span.end].any() for each in maps)  # but for narrow windows
        for each in maps:
            np.testing.assert_allclose(each.last.sum(axis=1), 1, atol=1e-5)
            np.testing.assert_allclose(each.last[each.head], each.weights[-1], atol=1e-6)
        with pytest.raises(PromptTooLong, match=f"at most {MAX_ROWS} tokens"):
            explain_prompt(llm, seen.prompt * 100, images=seen.spans * 100)
