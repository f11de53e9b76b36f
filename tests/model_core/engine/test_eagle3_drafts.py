"""Drafts of an EAGLE-3 head save steps where they are right, and no draft changes an answer."""

from pathlib import Path

import numpy as np
import pytest
from eagle3_heads import LAYERS, VOCABULARY, WIDTH, make_head, write_deep, write_head
from held import held
from test_draft_model import UnknownCost
from test_engine import submit
from test_scheduler import assert_all_pages_are_released, content, ids, totals

from model_core import LLM, SamplingParams
from model_core.engine import drafter
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors


@pytest.fixture(autouse=True)
def drafts_seem_to_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafter, "StepCost", UnknownCost)


@pytest.fixture(scope="module")
def markov(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose next token depends on the last one alone: its layers add nothing."""
    folder = write_deep(tmp_path_factory.mktemp("markov"))
    source = Checkpoint(folder)
    tensors = {name: np.array(source[name]) for name in source.unread()}
    for layer in range(LAYERS):
        for name in ("self_attn.o_proj", "mlp.down_proj"):
            tensors[f"model.layers.{layer}.{name}.weight"][...] = 0
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


@pytest.fixture(scope="module")
def knowing(markov: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A head that knows what follows a token of the model, for all tokens but the last six.

    It attends to its own position, because a key equals the query there, and hands on the embedding in place
    of the hidden state that it was given.
    """
    tensors, config = make_head(nested=False)
    source, known = Checkpoint(markov), VOCABULARY - 6
    for name in tensors:
        if name.startswith("midlayer") and name.endswith("norm.weight"):
            tensors[name][...] = 1
    one, none = np.eye(WIDTH, dtype=np.float32), np.zeros((WIDTH, WIDTH), np.float32)
    for name, of_embedding, of_hidden in (("q", 8 * one, none), ("k", 8 * one, none), ("v", one, -one)):
        tensors[f"midlayer.self_attn.{name}_proj.weight"] = np.concatenate([of_embedding, of_hidden], 1)
    tensors["midlayer.self_attn.o_proj.weight"] = one
    tensors["midlayer.mlp.down_proj.weight"][...] = 0
    tensors["fc.weight"][...] = 0
    tensors["norm.weight"] = np.array(source["model.norm.weight"])
    tensors["lm_head.weight"] = np.array(source["lm_head.weight"])[:known]
    tensors["d2t"] = np.zeros(known, np.int64)
    shape = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": WIDTH}
    folder = tmp_path_factory.mktemp("knowing")
    return write_head(folder, tensors, config | shape | {"draft_vocab_size": known})


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_right_drafts_save_steps(markov: Path, knowing: Path, temperature: float) -> None:
    params = SamplingParams(max_tokens=91, temperature=temperature, seed=1, ignore_eos=True)
    with LLM(markov) as llm:
        expected = [content(llm.generate(ids(40), params)), content(llm.generate(ids(3), params))]
    with LLM(markov, draft_model=knowing) as llm:
        assert content(llm.generate(ids(40), params)) == expected[0]
        drafted, accepted, steps = (
            totals(llm)[name] for name in ("drafted_tokens", "accepted_tokens", "steps")
        )
        assert accepted == 91 - steps > (0 if temperature else 0.9 * drafted)
        assert steps < (91 if temperature else 25)  # the last tokens can be sampled, and not drafted
        assert content(llm.generate(ids(3), params)) == expected[1]
        assert_all_pages_are_released(llm)


@pytest.mark.parametrize("nested", [False, True])
def test_answers_are_the_same_with_wrong_drafts(tmp_path: Path, nested: bool) -> None:
    """Among many, with prefixes in common, and later turns."""
    folder = write_deep(tmp_path)
    head = write_head(tmp_path / "head", *make_head(nested, narrow=not nested))
    prompts = [ids(size, seed=size) for size in (1, 2, 15, 16, 17, 40, 100, 200)] * 2
    params = [
        SamplingParams(max_tokens=40, temperature=0.9 * (n % 2), seed=n, logprobs=1, ignore_eos=True)
        for n in range(len(prompts))
    ]
    with LLM(folder) as llm:
        alone = [content(llm.generate(p, own)) for p, own in zip(prompts, params, strict=True)]
    with LLM(folder, draft_model=head) as llm:
        with held(llm):
            receivers = [submit(llm, prompt, own) for prompt, own in zip(prompts, params, strict=True)]
        assert [content(receiver.completion()) for receiver in receivers] == alone
        assert totals(llm)["drafted_tokens"] > totals(llm)["accepted_tokens"]
        turns = [[*p, *a[0], 5, 6] for p, a in zip(prompts[:6], alone, strict=False)]
        again = [content(c) for c in llm.generate(turns, params[:6])]
        assert_all_pages_are_released(llm)
    with LLM(folder) as llm:
        assert [content(c) for c in llm.generate(turns, params[:6])] == again
