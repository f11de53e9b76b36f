"""Encoders, decoders and rerankers compute what sentence-transformers computes (see make_embedders.py)."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import remote_encoders
from embedder_texts import QUERY, TEXTS
from paths import CHECKPOINTS

from model_core import LLM, EmbeddingParams, ScoreParams
from model_core.checks.file_values import read_json
from model_core.errors import InvalidRequest, ModelError, PromptTooLong
from model_core.families import ENCODERS, read_model_config, write_tape
from model_core.families.config import read_config, write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors
from model_core.kernels.sequences.attention import SEGMENT
from model_core.machine.exact_math import product
from model_core.model.whole_texts import TextInput, compute_texts
from model_core.reference import interpreter, operators
from model_core.tape.distances import RelativeScores
from model_core.tape.references import Span
from model_core.tape.tape import TYPES

EMBEDDERS = CHECKPOINTS.parent / "embedders"
ALL = sorted(EMBEDDERS.iterdir())
RERANKERS = [folder for folder in ALL if "scores" in np.load(folder / "expected.npz")]
OTHERS = [folder for folder in ALL if folder not in RERANKERS]
LATE = [folder for folder in ALL if folder.name.startswith("colbert")]  # which make no vector of a text
CUT_SCORES = ScoreParams(truncate=True)
CUT = EmbeddingParams(truncate=True)  # the longest text is too long for some of the models


def cosine(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sum(x * y, axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)


def test_every_encoder_has_a_checkpoint() -> None:
    assert {folder.name for folder in ALL} >= ENCODERS.keys()


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: folder.name)
def test_vectors_match_sentence_transformers(folder: Path) -> None:
    expected = np.load(folder / "expected.npz")
    with LLM(folder) as llm:
        vectors = llm.embed(TEXTS, CUT)
        # Logarithms of logits are small beside them, and beside their errors.
        tolerance = 3e-5 if folder.name.startswith("splade") else 1e-5
        np.testing.assert_allclose(
            vectors, expected["vectors"], atol=tolerance * np.abs(expected["vectors"]).max()
        )
        if "prompted" in expected:
            prompted = llm.embed(TEXTS, EmbeddingParams(prompt_name="query", truncate=True))
            np.testing.assert_allclose(prompted, expected["prompted"], atol=1e-5)
            assert np.array_equal(
                prompted, llm.embed(TEXTS, EmbeddingParams(prompt="Find this: ", truncate=True))
            )
            with pytest.raises(InvalidRequest, match="no prompt 'q'; it has document, query"):
                llm.embed(TEXTS, EmbeddingParams(prompt_name="q"))
    with LLM(folder, weights="int8") as llm:
        # Layers of random weights may double an error: one text may be far off.
        cosines = np.sort(cosine(llm.embed(TEXTS, CUT), expected["vectors"]))
        assert cosines[0] > 0.6 and cosines[1] > 0.9


@pytest.mark.parametrize("folder", RERANKERS, ids=lambda folder: folder.name)
def test_scores_match_sentence_transformers(folder: Path) -> None:
    expected, params = np.load(folder / "expected.npz")["scores"], ScoreParams(truncate=True)
    with LLM(folder) as llm:
        assert "score" in llm.describe()["tasks"]
        scores = llm.score(QUERY, TEXTS, params)
        assert scores.dtype == np.float32
        # In the question that a decoder answers, names of control tokens are text.
        same = [i for i, text in enumerate(TEXTS) if folder.name != "qwen3-reranker" or "<|" not in text]
        np.testing.assert_allclose(scores[same], expected[same], atol=2e-5 * max(1, expected.max() / 4))
        assert np.array_equal(scores[::-1], llm.score(QUERY, TEXTS[::-1], params))
        assert np.array_equal(scores[3:4], llm.score(QUERY, TEXTS[3:4], params))


@pytest.mark.parametrize("folder", ALL, ids=lambda folder: folder.name)
def test_bits_depend_neither_on_neighbours_nor_on_threads(folder: Path) -> None:
    found = []
    for threads in (1, 2):
        with LLM(folder, threads=threads) as llm:
            if folder in LATE:
                together = llm.score(QUERY, TEXTS, CUT_SCORES)
                alone = [llm.score(QUERY, [text], CUT_SCORES)[0] for text in TEXTS]
            else:
                together = llm.embed(TEXTS, CUT)
                alone = [llm.embed(text, CUT)[0] for text in TEXTS]
            assert np.array_equal(together, alone)
            found.append(together)
    assert np.array_equal(found[0], found[1])


def test_encoder_makes_no_text() -> None:
    with LLM(EMBEDDERS / "bert") as llm:
        assert llm.describe()["tasks"] == ["embed"]
        for ask in (llm.generate, llm.logits, llm.stream):
            with pytest.raises(InvalidRequest, match="makes no text, only embeddings or scores"):
                list(ask([1, 2]))
        with pytest.raises(InvalidRequest, match="makes no text"):
            llm.chat([{"role": "user", "content": "Hello"}])
        assert llm.engine.stats()["alive"]


def test_long_inputs_are_cut_between_special_tokens() -> None:
    with LLM(EMBEDDERS / "bert") as llm:
        tokens = llm.encode("word " * 200)
        with pytest.raises(PromptTooLong, match="the model takes at most 150; shorten it, or send truncate"):
            llm.embed("word " * 200)
        cut = [*tokens[:149], tokens[-1]]
        assert np.array_equal(llm.embed("word " * 200, EmbeddingParams(truncate=True)), llm.embed(cut))


@pytest.mark.parametrize(
    ("query", "documents", "params", "error"),
    [
        ("", ["a"], {}, "the query should be a text, and not empty"),
        ("a", ["b", ""], {}, r"documents\[1\] should be a text, and not empty"),
        ("a", [[1, 2]], {}, r"documents\[0\] should be a text, and not empty"),
        ("a", ["b " * 200], {}, r"documents\[0\] has \d+ tokens, but the model takes at most 150"),
        ("a", ["b"], {"instruction": "c"}, "takes no instruction"),
    ],
)
def test_impossible_scores_are_refused(query: str, documents: list, params: dict, error: str) -> None:
    with LLM(EMBEDDERS / "bert-reranker") as llm:
        with pytest.raises(InvalidRequest, match=error):
            llm.score(query, documents, ScoreParams(**params))
        assert llm.score("a", []).shape == (0,)
        assert llm.score("a", ["b " * 200], ScoreParams(truncate=True)).shape == (1,)


def test_classifier_of_many_labels_is_refused(tmp_path: Path) -> None:
    """Its labels are classes, and no scores."""
    for name in ("model.safetensors", "config.json"):
        data = (EMBEDDERS / "bert-reranker" / name).read_bytes()
        data = data.replace(b'"0": "LABEL_0"', b'"0": "LABEL_0", "1": "LABEL_1"')
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ModelError, match="a classifier of 2 labels is not supported; rerankers have one"):
        LLM(tmp_path)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_kernels_match_the_reference(name: str) -> None:
    folder, tokens = EMBEDDERS / name, np.random.default_rng(0).integers(0, 100, 90)
    tape = write_tape(read_model_config(folder, read_config(folder)))
    weights, sequence = interpreter.make_weight_reader(Checkpoint(folder)), interpreter.Sequence()
    sequence.begin(
        {
            buffer: operators.embed(np.zeros_like(tokens) if buffer == TYPES else tokens, weights(table))
            for buffer, table in tape.embeddings.items()
        }
    )
    for record in tape.records:
        interpreter.execute(record, weights, sequence)
    expected = sequence.get(tape.records[-1].y)[:, 0].mean(axis=0)
    with LLM(folder) as llm:
        vector = llm.embed(tokens.tolist(), EmbeddingParams(pooling="mean", normalize=False))[0]
    np.testing.assert_allclose(vector, expected, atol=1e-5 * np.abs(expected).max())


def test_alibi_in_long_texts(tmp_path: Path) -> None:
    """Their positions are in several segments, which threads share (see kernels/sequences/attention.py)."""
    folder = copy_without(tmp_path, "jina-bert-v2", max_position_embeddings=3 * SEGMENT)
    raw, source = read_config(folder), Checkpoint(folder)
    weights = {name: np.array(source[name]) for name in source.unread()}
    tokens = np.random.default_rng(0).integers(0, 100, 2 * SEGMENT + 301).tolist()
    expected = remote_encoders.hidden_states(raw, weights, tokens)
    found = []
    for threads in (1, 2):
        with LLM(folder, threads=threads) as llm:
            text = TextInput(tokens, range(len(tokens)))
            ((_, rows),) = compute_texts(llm.model, [text], llm.model.hidden_states, 2**28)
            found.append(rows)
    assert np.linalg.norm(found[0] - expected) < 2e-5 * np.linalg.norm(expected)  # 7e-6, as of 100 tokens
    assert np.array_equal(found[0], found[1])


def test_distances_of_deberta_in_long_texts(tmp_path: Path) -> None:
    """Their positions are in several segments. All farther than 40 tokens share a column on each side."""
    folder = copy_without(tmp_path, "deberta-v2", max_position_embeddings=3 * SEGMENT)
    tape = write_tape(read_model_config(folder, read_config(folder)))
    tokens = np.random.default_rng(0).integers(0, 100, 2 * SEGMENT + 301)
    weights, sequence = interpreter.make_weight_reader(Checkpoint(folder)), interpreter.Sequence()
    sequence.begin({"x": operators.embed(tokens, weights(tape.embedding))})
    for record in tape.records:
        interpreter.execute(record, weights, sequence)
    expected, found = sequence.get(tape.records[-1].y)[:, 0], []
    for threads in (1, 2):
        with LLM(folder, threads=threads) as llm:
            text = TextInput(tokens.tolist(), range(len(tokens)))
            ((_, rows),) = compute_texts(llm.model, [text], llm.model.hidden_states, 2**28)
            found.append(rows)
    assert np.linalg.norm(found[0] - expected) < 2e-5 * np.linalg.norm(expected)
    assert np.array_equal(found[0], found[1])


def test_distances_of_deberta_have_the_columns_of_transformers() -> None:
    """Of the published sizes. All 1023 columns were compared once; these are some of them."""
    relative = RelativeScores(Span("q", 0, 1), Span("k", 0, 1), 256, 128, 511)
    columns = relative.columns_of(512)
    by_distance = dict(zip(range(512, -512, -1), columns.tolist(), strict=True))  # own minus the other
    assert [by_distance[d] for d in (0, 1, -1, 128, -128)] == [256, 257, 255, 384, 128]
    assert [by_distance[d] for d in (129, 200, 300, 510, 511)] == [385, 425, 463, 511, 511]
    assert [by_distance[d] for d in (-129, -200, -300, -510, -511)] == [127, 87, 49, 1, 1]


def copy_without(tmp_path: Path, name: str, *files: str, **config: object) -> Path:
    """A copy of an embedder without some files, and with other fields in config.json."""
    folder = shutil.copytree(EMBEDDERS / name, tmp_path / name)
    for file in files:
        (folder / file).unlink()
    write_json(folder / "config.json", read_json(folder / "config.json") | config)
    return folder


def test_encoder_with_the_names_of_other_files(tmp_path: Path) -> None:
    """As bert-base-uncased was published: for another task, and with old names of norms."""
    folder = copy_without(tmp_path, "bert")
    source = Checkpoint(EMBEDDERS / "bert")
    tensors = {
        "bert."
        + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): (
            np.array(source[name])
        )
        for name in source.unread()
    }
    tensors["cls.predictions.bias"] = np.zeros(200, np.float32)
    write_safetensors(folder / "model.safetensors", tensors)
    with LLM(folder) as llm, LLM(EMBEDDERS / "bert") as original:
        assert np.array_equal(llm.embed(TEXTS, CUT), original.embed(TEXTS, CUT))


def test_decoder_that_names_its_answers_is_asked_in_qwens_words(tmp_path: Path) -> None:
    """A folder of Qwen3-Reranker, whose config.json says that it is one."""
    names = ("modules.json", "chat_template.jinja", "config_sentence_transformers.json")
    folder = copy_without(tmp_path, "qwen3-reranker", *names, classifier_from_token=["no", "yes"])
    with LLM(folder) as llm, LLM(EMBEDDERS / "qwen3-reranker") as original:
        assert llm.describe()["tasks"] == ["generate", "embed", "score"]
        assert np.array_equal(llm.score(QUERY, TEXTS), original.score(QUERY, TEXTS))
        params = ScoreParams(instruction="Find a cat")
        assert np.array_equal(llm.score(QUERY, TEXTS, params), original.score(QUERY, TEXTS, params))
        assert not np.allclose(llm.score(QUERY, TEXTS), llm.score(QUERY, TEXTS, params))


@pytest.mark.parametrize("answers", [["no"], ["no", "certainly"], "yes", [1, 2]])
def test_answers_that_are_no_tokens_are_named(tmp_path: Path, answers: object) -> None:
    folder = copy_without(tmp_path, "qwen3-reranker", "modules.json", classifier_from_token=answers)
    with pytest.raises(ModelError, match="classifier_from_token should be the tokens for no and yes"):
        LLM(folder)


def test_distilbert_of_another_task(tmp_path: Path) -> None:
    """As distilbert-base-uncased was published: with the head that fills in words."""
    folder = copy_without(tmp_path, "distilbert")
    source = Checkpoint(EMBEDDERS / "distilbert")
    stored = {name: np.array(source[name]) for name in source.unread()}
    tensors = {
        f"distilbert.{'' if name.startswith('embeddings') else 'transformer.'}{name}": value
        for name, value in stored.items()
    }
    tensors["vocab_projector.bias"] = np.zeros(200, np.float32)
    tensors["vocab_transform.weight"] = np.zeros((32, 32), np.float32)
    write_safetensors(folder / "model.safetensors", tensors)
    with LLM(folder) as llm, LLM(EMBEDDERS / "distilbert") as original:
        assert np.array_equal(llm.embed(TEXTS, CUT), original.embed(TEXTS, CUT))


def test_products_while_loading_are_summed_without_rounding() -> None:
    """So that BLAS gives the same bits in whatever order it sums: here columns are in another one."""
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((n, 777)) * 10.0 ** random.integers(-9, 9, (n, 1)) for n in (6, 50))
    x[1], order = 0, random.permutation(777)
    exact = product(x, y)
    assert np.array_equal(exact, product(x[:, order], y[:, order]))
    assert np.array_equal(exact[2:3], product(x[2:3], y))
    bounds = 777 * 2.0**-38 * np.abs(x).max(axis=1)[:, None] * np.abs(y).max(axis=1)
    assert (np.abs(exact - x @ y.T) <= bounds).all()
