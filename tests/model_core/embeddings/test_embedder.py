"""Embeddings of decoders: the same bits however they are computed, and what is refused."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM, EmbeddingParams, SamplingParams
from model_core.checks.file_values import read_json
from model_core.errors import InvalidRequest, ModelError, NoMemory, PromptTooLong, TritonchatError
from model_core.families.config import write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors
from model_core.kernels.sequences.attention import SEGMENT
from model_core.model.batch import STEP_TOKENS

DECODER, EMBEDDERS = CHECKPOINTS / "qwen3", CHECKPOINTS.parent / "embedders"


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    """The embedded model, which has no files of sentence-transformers."""
    with LLM(threads=2) as llm:
        yield llm


def random_inputs(vocab_size: int, *lengths: int) -> list[list[int]]:
    random = np.random.default_rng(3)
    return [random.integers(0, vocab_size, length).tolist() for length in lengths]


def read_all(folder: Path) -> dict[str, np.ndarray]:
    """All tensors of a checkpoint."""
    source = Checkpoint(folder)
    return {name: np.array(source[name]) for name in source.unread()}


def test_decoder_takes_the_last_token_and_normalizes(llm: LLM) -> None:
    tokens = llm.encode("Once upon a time")
    vectors = llm.embed(["Once upon a time", tokens])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, llm.describe()["embedding"]["dimensions"])
    assert np.array_equal(vectors[0], vectors[1])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert np.array_equal(llm.embed("Once upon a time"), vectors[:1])


def test_hidden_states_are_those_that_give_logits() -> None:
    tokens = list(range(20))
    with LLM(DECODER, arithmetic="float32") as llm:
        hidden = llm.embed(tokens, EmbeddingParams(normalize=False))[0]
        head = llm.model.weights.head.rows(np.arange(llm.model.config.vocab_size))[:, : len(hidden)]
        np.testing.assert_allclose(head @ hidden, llm.logits(tokens)[-1], rtol=1e-4, atol=1e-5)


def test_poolings_and_dimensions() -> None:
    tokens = list(range(30))
    with LLM(DECODER) as llm:
        first, mean, last = (
            llm.embed(tokens, EmbeddingParams(pooling=pooling, normalize=False))[0]
            for pooling in ("cls", "mean", "last")
        )
        every = [llm.embed(tokens[:count], EmbeddingParams(normalize=False))[0] for count in range(1, 31)]
        assert np.array_equal(first, every[0]) and np.array_equal(last, every[-1])
        np.testing.assert_allclose(mean, np.mean(every, axis=0), rtol=1e-5, atol=1e-6)
        short = llm.embed(tokens, EmbeddingParams(dimensions=5))[0]
        np.testing.assert_allclose(short, last[:5] / np.linalg.norm(last[:5]), rtol=1e-5)
        assert np.array_equal(llm.embed(tokens, EmbeddingParams(dimensions=5, normalize=False))[0], last[:5])


@pytest.mark.parametrize("name", ["qwen3", "mistral-window", "rwkv7", "gemma3n"])
@pytest.mark.parametrize("pooling", ["mean", "last"])
def test_vector_depends_on_its_input_alone(name: str, pooling: str) -> None:
    """Alone or with others, in one step or several, on one thread or two."""
    folder, params, found = CHECKPOINTS / name, EmbeddingParams(pooling=pooling), []
    for threads in (1, 2):
        with LLM(folder, threads=threads) as llm:
            inputs = random_inputs(llm.model.config.vocab_size, 1, 70, 17, 100, 2, 33)
            together = llm.embed_inputs(inputs, params)
            assert together.prompt_tokens == [1, 70, 17, 100, 2, 33]
            assert np.array_equal(together.vectors[::-1], llm.embed(inputs[::-1], params))
            alone = [llm.embed_inputs([tokens], params).vectors[0] for tokens in inputs]
            assert np.array_equal(together.vectors, alone)
            found.append(together.vectors)
    assert np.array_equal(found[0], found[1])


def test_long_inputs_take_several_steps(llm: LLM) -> None:
    """A decoder sees the tokens of earlier steps, and the mean is over all."""
    tokens = random_inputs(500, STEP_TOKENS + SEGMENT // 4)[0]
    pages = [EmbeddingParams(pooling=pooling, normalize=False) for pooling in ("mean", "last")]
    mean, last = (llm.embed_inputs([[7], tokens, [8, 9]], params).vectors for params in pages)
    assert np.array_equal(last[1], llm.embed(tokens, pages[1])[0])
    assert np.array_equal(mean[1], llm.embed(tokens, pages[0])[0])
    assert not np.allclose(last[1], llm.embed(tokens[STEP_TOKENS:], pages[1])[0])


def test_threads_embed_while_answers_are_made(llm: LLM) -> None:
    inputs = random_inputs(500, 60, 5, 130)
    expected, params = llm.embed(inputs), SamplingParams(max_tokens=60, ignore_eos=True, seed=1)
    answer = llm.generate("Once", params).token_ids
    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.extend(llm.embed(inputs) for _ in range(5))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    answers = llm.generate(["Once"] * 3, params)
    for thread in threads:
        thread.join()
    assert len(found) == 15 and all(np.array_equal(vectors, expected) for vectors in found)
    assert all(completion.token_ids == answer for completion in answers)


@pytest.mark.parametrize(
    ("inputs", "params", "error", "param"),
    [
        ([""], {}, "input[0] is an empty text", "input[0]"),
        (["a", []], {}, "input[1] has no tokens", "input[1]"),
        ([[5, 10**6]], {}, "input[0] has a token outside the model's vocabulary", "input[0]"),
        ([[-1]], {}, "input[0] has a token outside the model's vocabulary", "input[0]"),
        ([[1.5]], {}, "input[0] should be a text, token ids or a conversation", "input[0]"),
        ([[1], {"a": 1}], {}, "input[1] should be a text, token ids or a conversation", "input[1]"),
        (["a \ud800"], {}, "half of a surrogate pair", None),
        (["a"], {"pooling": "max"}, "pooling must be 'mean', 'cls' or 'last', not 'max'", "pooling"),
        (["a"], {"dimensions": 0}, "dimensions must be between 1 and", "dimensions"),
        (["a"], {"dimensions": 4096}, "dimensions is 4096, but the model's vectors have", "dimensions"),
        (["a"], {"prompt_name": "q"}, "the model has no prompt 'q'; it has none", "prompt_name"),
        (["a"], {"prompt_name": "q", "prompt": "a"}, "exclude each other", "prompt"),
        (["a"], {"normalise": True}, "the nearest name is normalize", "normalise"),
    ],
)
def test_impossible_inputs_are_refused(
    llm: LLM, inputs: list[Any], params: dict[str, Any], error: str, param: str | None
) -> None:
    with pytest.raises(InvalidRequest) as raised:
        llm.embed(inputs, EmbeddingParams(**params))
    assert error in str(raised.value) and str(raised.value).count(". ") == 0
    assert param is None or raised.value.param == param


def test_no_inputs_have_no_vectors(llm: LLM) -> None:
    assert llm.embed([]).shape == (0, llm.describe()["embedding"]["dimensions"])


def test_inputs_that_are_too_long_are_refused_or_cut(llm: LLM) -> None:
    limit = llm.describe()["embedding"]["max_tokens"]
    tokens = random_inputs(500, limit + 1)[0]
    with pytest.raises(PromptTooLong, match=f"has {limit + 1} tokens, but the model takes at most {limit}"):
        llm.embed([tokens])
    found = llm.embed_inputs([tokens, "word " * limit], EmbeddingParams(truncate=True))
    assert np.array_equal(found.vectors[0], llm.embed(tokens[:limit])[0])
    assert found.prompt_tokens == [limit, limit]


def test_keys_and_values_of_long_inputs_have_a_bound() -> None:
    with LLM(kv_cache_memory=2**20) as llm:
        with pytest.raises(NoMemory, match=r"needs . MiB for its keys and values, but only 1 MiB"):
            llm.embed([[5], [5] * (STEP_TOKENS + 1)])
        llm.embed([5] * STEP_TOKENS)


def test_numbers_that_are_not_finite_are_reported(tmp_path: Path) -> None:
    shutil.copytree(DECODER, tmp_path / "model")
    tensors = read_all(DECODER)
    tensors["model.norm.weight"] = np.full(32, 3e38, np.float32)
    write_safetensors(tmp_path / "model" / "model.safetensors", tensors)
    with (
        LLM(tmp_path / "model") as llm,
        pytest.raises(TritonchatError, match=r"not finite for input\[0\]"),
    ):
        llm.embed([[1], [2]])


def without_head(tmp_path: Path, **config: Any) -> Path:
    """A decoder as models for embeddings are stored: without head, and without the prefix of its tensors."""
    folder = tmp_path / "model"
    source = read_all(CHECKPOINTS / "llama-untied-mha")
    tensors = {name.removeprefix("model."): tensor for name, tensor in source.items()}
    del tensors["lm_head.weight"]
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", tensors)
    write_json(folder / "config.json", read_json(CHECKPOINTS / "llama-untied-mha" / "config.json") | config)
    return folder


def test_decoder_without_head_makes_only_embeddings(tmp_path: Path) -> None:
    folder, tokens = without_head(tmp_path, architectures=["LlamaModel"]), list(range(9))
    with LLM(CHECKPOINTS / "llama-untied-mha") as llm:
        expected = llm.embed(tokens)
    with LLM(folder) as llm:
        assert llm.describe()["tasks"] == ["embed"]
        assert np.array_equal(llm.embed(tokens), expected)
        for ask in (llm.generate, llm.logits):
            with pytest.raises(InvalidRequest, match="makes no text, only embeddings or scores"):
                ask(tokens)
        with pytest.raises(InvalidRequest, match="makes no text"):
            llm.chat([{"role": "user", "content": "Hello"}])
        with pytest.raises(InvalidRequest, match="does not score documents"):
            llm.score("a", ["b"])


NOT_CAUSAL = "makes no text, only embeddings or scores, since is_causal is false in its configuration"


def copy_both_ways(tmp_path: Path, name: str) -> Path:
    """A copy of a checkpoint whose tokens attend to those after them."""
    folder = shutil.copytree(CHECKPOINTS / name, tmp_path / name)
    write_json(folder / "config.json", read_json(folder / "config.json") | {"is_causal": False})
    return folder


@pytest.mark.parametrize("name", ["llama-untied-mha", "llama-tied-gqa", "gemma2"])
def test_decoder_that_is_not_causal_makes_only_embeddings(name: str, tmp_path: Path) -> None:
    """Also where a head is stored, which is left out."""
    tokens, first = list(range(9)), EmbeddingParams(pooling="cls")
    with LLM(copy_both_ways(tmp_path, name)) as llm:
        assert llm.describe()["tasks"] == ["embed"]
        assert llm.describe()["embedding"]["pooling"] == "mean"
        assert not np.allclose(llm.embed(tokens, first), llm.embed([*tokens[:-1], 20], first), atol=0.01)
        for ask in (llm.generate, llm.logits, llm.log_probabilities):
            with pytest.raises(InvalidRequest, match=NOT_CAUSAL):
                ask(tokens)
        with pytest.raises(InvalidRequest, match=NOT_CAUSAL):
            llm.chat([{"role": "user", "content": "Hello"}])


def test_long_text_that_is_not_causal_is_one_step(tmp_path: Path) -> None:
    folder = copy_both_ways(tmp_path, "llama-untied-mha")
    length = {"max_position_embeddings": 2 * STEP_TOKENS}
    write_json(folder / "config.json", read_json(folder / "config.json") | length)
    tokens, params = random_inputs(64, STEP_TOKENS + 40)[0], EmbeddingParams(pooling="cls", normalize=False)
    with LLM(folder) as llm:
        vectors = llm.embed([tokens, [*tokens[:-1], tokens[-1] ^ 1]], params)
    assert not np.array_equal(vectors[0], vectors[1])


def test_draft_model_must_be_causal(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="makes no text, so it cannot draft"):
        LLM(CHECKPOINTS / "llama-untied-mha", draft_model=copy_both_ways(tmp_path, "llama-untied-mha"))


def test_decoder_that_should_have_a_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no tensor lm_head"):
        LLM(without_head(tmp_path, architectures=["LlamaForCausalLM"]))


MODULES = [
    {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
    for number, (path, kind) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling")])
]
POOLING = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}


DENSE = {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}


def write_modules(tmp_path: Path, **files: Any) -> Path:
    """A decoder with files of sentence-transformers. `files`: their contents, by names without `.json`."""
    folder = tmp_path / "model"
    shutil.copytree(DECODER, folder)
    (folder / "1_Pooling").mkdir()
    contents = {"modules": MODULES, "1_Pooling/config": POOLING} | files
    for name, value in contents.items():
        (folder / f"{name}.json").parent.mkdir(exist_ok=True)
        write_json(folder / f"{name}.json", value)
    return folder


def test_largest_context_of_an_embedder_is_that_of_its_inputs(tmp_path: Path) -> None:
    folder = shutil.copytree(EMBEDDERS / "bert", tmp_path / "bert")
    for limit in (10, 10**6):
        write_json(folder / "sentence_bert_config.json", {"max_seq_length": limit})
        with LLM(folder) as llm:
            description = llm.describe()
            expected = min(limit, llm.model.config.max_context)
            assert description["max_context"] == description["embedding"]["max_tokens"] == expected
            assert llm.engine.limits.max_context == expected


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"modules": {}}, r"modules.json is damaged: it should hold a JSON list"),
        ({"modules": [{"path": ""}]}, "a module should have a type and a path"),
        ({"modules": [*MODULES, MODULES[1] | {"path": "../x"}]}, "a module outside the model folder"),
        ({"modules": [MODULES[0] | {"path": "0_Transformer"}, MODULES[1]]}, "Transformer in '0_Transformer'"),
        ({"sentence_bert_config": {"transformer_task": "fill-mask"}}, "transformer_task is 'fill-mask'"),
        ({"1_Pooling/config": []}, r"1_Pooling.config.json is damaged: it should hold a JSON object"),
        ({"1_Pooling/config": {"pooling_mode": "max"}}, "the pooling is 'max', but only one of"),
        ({"1_Pooling/config": {"pooling_mode_max_tokens": True}}, "the pooling is 'pooling_mode_max_tokens'"),
        ({"1_Pooling/config": POOLING | {"pooling_mode_cls_token": True}}, "'.*mean.*' and '.*cls.*', but"),
        ({"1_Pooling/config": {}}, "the pooling is none, but"),
        ({"1_Pooling/config": POOLING | {"include_prompt": False}}, "include_prompt"),
        ({"sentence_bert_config": {"max_seq_length": -1}}, "sentence_bert_config.json: max_seq_length"),
        ({"config_sentence_transformers": {"prompts": ["a"]}}, "prompts should be an object of texts"),
        ({"config_sentence_transformers": {"default_prompt_name": "q"}}, "which is none of its prompts"),
        (
            {
                "modules": [*MODULES, DENSE],
                "2_Dense/config": {"in_features": 7, "out_features": 3},
            },
            "in_features is 7, but its input has 32 numbers",
        ),
        (
            {"modules": [*MODULES, DENSE], "2_Dense/config": {"module_input_name": "token_embeddings"}},
            r"2_Dense.config.json: module_input_name is 'token_embeddings', but only 'sentence_embedding'",
        ),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, files: dict[str, Any], error: str) -> None:
    with pytest.raises(ModelError, match=error):
        LLM(write_modules(tmp_path, **files))


@pytest.mark.parametrize(
    "kinds",
    [
        "Transformer",  # of no cross encoder
        "Transformer Dense Normalize",
        "Transformer pylate.models.Dense.Dense Pooling",
        "Transformer Pooling pylate.models.Dense.Dense",
        "custom_st.Transformer Pooling",
        "Transformer Normalize Pooling",
        "Transformer Dense Pooling",
        "Transformer Pooling Normalize Dense",
        "Transformer Pooling Pooling",
        "Transformer Pooling WordWeights",
        "Transformer Pooling LogitScore",
        "Pooling",
        "StaticEmbedding",
        "Router Pooling",
        "",
    ],
)
def test_list_of_modules_that_is_not_computed_is_named(tmp_path: Path, kinds: str) -> None:
    modules = [
        {
            "path": f"{number}_" if number else "",
            "type": kind if "." in kind else f"sentence_transformers.{kind}",
        }
        for number, kind in enumerate(kinds.split())
    ]
    found = ", ".join(kinds.split())
    with pytest.raises(
        ModelError, match=rf"modules\.json lists the modules '{found}', which are not supported"
    ):
        LLM(write_modules(tmp_path, modules=modules))


def test_missing_pooling_is_named(tmp_path: Path) -> None:
    folder = write_modules(tmp_path)
    shutil.rmtree(folder / "1_Pooling")
    with pytest.raises(ModelError, match=r"1_Pooling.config.json cannot be read"):
        LLM(folder)
