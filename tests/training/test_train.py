"""Training computes what it says, and an interrupted one goes on as if nothing had happened."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from model_core import LLM, SamplingParams
from model_core.hub import embedded_model

torch = pytest.importorskip("torch", reason="pip install -e '.[training]' to test the training")
pytest.importorskip("transformers")

from training import train as training  # noqa: E402
from training.muon import orthogonal  # noqa: E402
from training.soup import mean  # noqa: E402
from training.tokenizer import save_tokenizer  # noqa: E402

RECIPE = replace(training.FURTHER, steps=2, batch_tokens=256)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text in portions that are quickly made."""
    monkeypatch.setattr(training, "CHUNK", 32)


@pytest.mark.usefixtures("small_chunks")
def test_a_resumed_training_sees_the_same_text(tokenizer: Tokenizer) -> None:
    progress = training.Progress()
    whole = list(islice(training.batches(tokenizer, RECIPE, progress), 240))
    assert progress.chunk > 0  # so the end of a chunk was passed
    seen = training.Progress()
    first = list(islice(training.batches(tokenizer, RECIPE, seen), 140))
    rest = list(islice(training.batches(tokenizer, RECIPE, training.Progress(**vars(seen))), 100))
    assert all(
        torch.equal(a, b)
        for one, other in zip(whole, first + rest, strict=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.usefixtures("small_chunks")
def test_a_checkpoint_of_another_training_is_refused(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "SAVE_EVERY", 1)
    checkpoint = tmp_path / "training.checkpoint"
    training.train(tokenizer, replace(RECIPE, steps=1), checkpoint, embedded_model())
    with pytest.raises(ValueError, match="was begun as"):
        training.train(tokenizer, RECIPE, checkpoint)


@pytest.mark.usefixtures("small_chunks")
def test_some_of_the_start_is_kept(tokenizer: Tokenizer, tmp_path: Path) -> None:
    start = training.LlamaForCausalLM.from_pretrained(embedded_model(), dtype=torch.float32)
    before = start.model.norm.weight
    none, half = (
        training.train(tokenizer, replace(RECIPE, kept=kept), tmp_path / "none", embedded_model())[0]
        for kept in (0.0, 0.5)
    )
    assert not torch.equal(none.model.norm.weight, before)
    torch.testing.assert_close(half.model.norm.weight, (none.model.norm.weight + before) / 2)


def test_a_mean_lies_between_the_two(tokenizer: Tokenizer, tmp_path: Path) -> None:
    first, second, out = (tmp_path / name for name in ("first", "second", "mean"))
    for folder, factor in ((first, 1.0), (second, 3.0)):
        model = training.load_model(embedded_model())
        with torch.no_grad():
            model.model.norm.weight.fill_(factor)
        model.save_pretrained(folder)
        save_tokenizer(tokenizer, folder, training.CONTEXT)
    mean(first, second, 0.25, out)
    weight = training.load_model(out).model.norm.weight
    torch.testing.assert_close(weight, torch.full_like(weight, 1.5))
    with LLM(out) as llm:
        assert llm.generate(["Once"], SamplingParams(max_tokens=2))
    another = Tokenizer.from_str(tokenizer.to_str())
    another.add_tokens(["another"])
    save_tokenizer(another, second, training.CONTEXT)
    with pytest.raises(ValueError, match="different tokenizers"):
        mean(first, second, 0.25, out)


def test_new_layers_change_nothing_yet_and_then_learn(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = torch.tensor([tokenizer.encode("Once upon a time").ids])
    before = training.load_model(embedded_model())
    monkeypatch.setattr(training, "LAYERS", len(before.model.layers) + 2)
    more = training.load_model(embedded_model())
    assert len(more.model.layers) == more.config.num_hidden_layers == training.LAYERS
    torch.testing.assert_close(more(tokens).logits, before(tokens).logits)
    recipe = replace(RECIPE, kept=0.0)
    monkeypatch.setattr(training, "CHUNK", 32)
    trained, _ = training.train(tokenizer, recipe, tmp_path / "checkpoint", embedded_model())
    assert all(layer.mlp.down_proj.weight.abs().sum() > 0 for layer in trained.model.layers)


def test_a_token_weighs_by_its_place_in_the_answer(tokenizer: Tokenizer) -> None:
    model = training.build_model(tokenizer.get_vocab_size(), [2, 0], 0)
    tokens, ignored = torch.arange(100, 120).repeat(2, 1), training.IGNORED
    targets = torch.full((2, 20), ignored)
    targets[0, 2:18], targets[1, :4], targets[1, 5:9] = 7, 7, 7  # answers of 16, 4 and 4 tokens
    places = torch.cat((torch.arange(16), torch.arange(4), torch.arange(4))) + 1
    weights = (places + training.FIRST) ** -0.5
    wanted = targets != ignored
    losses = torch.nn.functional.cross_entropy(
        model(input_ids=tokens).logits[wanted], targets[wanted], reduction="none"
    )
    result = training.loss_of(model, (tokens, targets))
    torch.testing.assert_close(result, (losses * weights).sum() / weights.sum())


def test_attention_is_causal_attention() -> None:
    torch.manual_seed(0)
    length = training.STRETCH + 37
    query = torch.randn(2, 8, length, 48)
    key, value = torch.randn(2, 2, 2, length, 48)
    result, _ = training.attention(torch.nn.Identity(), query, key, value, None, 48**-0.5)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, enable_gqa=True
    )
    torch.testing.assert_close(result, wanted.transpose(1, 2))


@pytest.mark.parametrize("shape", [(3, 64, 200), (3, 200, 64)])
def test_updates_are_nearly_orthogonal(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(shape)
    result = orthogonal(matrices)
    sizes = torch.linalg.svdvals(result)
    assert sizes.min() > 0.6
    assert sizes.max() < 1.25
    u, _, vh = torch.linalg.svd(matrices, full_matrices=False)
    assert torch.einsum("bij,bik,bjk->bj", u, result, vh).min() > 0.6  # along the matrix's own directions


def test_the_learning_rate_rises_and_falls_to_nothing() -> None:
    recipe = training.Recipe(steps=1000, warmup=10)
    rates = [training.learning_rate(step, recipe) for step in range(1001)]
    assert rates[0] == recipe.learning_rate / 10
    assert max(rates) == rates[10] == recipe.learning_rate
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == 0
