"""Models with a vector for each token: what they score, and what is refused."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedder_texts import QUERY, TEXTS
from paths import CHECKPOINTS

from model_core import LLM, ScoreParams
from model_core.checks.file_values import read_json
from model_core.embeddings.late_interaction import LateInteraction, max_sim
from model_core.errors import InvalidRequest, ModelError, PromptTooLong
from model_core.families.config import write_json
from model_core.model.batch import BatchBuilder
from model_core.model.whole_texts import TextInput, compute_texts

EMBEDDERS = CHECKPOINTS.parent / "embedders"
CUT = ScoreParams(truncate=True)
SETTINGS = "config_sentence_transformers.json"


def test_the_best_products_are_added() -> None:
    query, document = np.float32([[1, 0], [0, 1], [-1, 0]]), np.float32([[0.5, 0.25], [-0.25, 0.75]])
    assert max_sim(query, document) == 0.5 + 0.75 + 0.25
    assert max_sim(query, document[:0]) == 0


def test_queries_are_filled_up_behind_a_prefix() -> None:
    late = LateInteraction(7, 8, 6, 9, filler=4, sees_filler=False, skipped=frozenset([5]))
    assert late.finish_query([1, 20, 2]) == ([1, 7, 20, 2, 4, 4], 2)
    assert late.finish_query([1, 20, 21, 22, 2]) == ([1, 7, 20, 21, 22, 2], 0)
    assert late.finish_document([1, 5, 2]) == [1, 8, 5, 2]
    assert late.counts([1, 8, 5, 2]).tolist() == [True, True, False, True]


def test_rows_to_which_none_attends_come_first() -> None:
    builder = BatchBuilder()
    builder.add([10, 11], 0, range(2))
    builder.add([20, 21, 22, 30, 31], 0, range(1, 5), unseen=2)
    batch = builder.build(np.zeros((1, 2, 1), np.int32))
    assert batch.tokens.tolist() == [10, 11, 30, 31, 20, 21, 22]
    assert batch.positions.tolist() == [0, 1, 3, 4, 0, 1, 2]
    assert batch.logit_rows.tolist() == [0, 1, 5, 6, 2, 3]
    assert batch.starts.tolist() == [0, 2, 7]
    assert batch.query_blocks(2).tolist() == [[0, 2, 0], [2, 2, 1], [4, 2, 1], [6, 1, 1]]


@pytest.mark.parametrize("unseen", [1, 3, 40])
def test_tokens_attend_to_none_that_is_unseen(unseen: int) -> None:
    """Those that are seen are computed as if they were alone, and the others as if each were the only one."""
    with LLM(EMBEDDERS / "bert") as llm:
        tokens = list(range(10, 27))
        others = [30 + i % 90 for i in range(unseen)]

        def compute(text: list[int], unseen: int) -> np.ndarray:
            texts = [TextInput(text, range(len(text)), unseen=unseen), TextInput([5, 6], range(2))]
            return next(compute_texts(llm.model, texts, llm.model.hidden_states, 2**26))[1]

        rows = compute([*tokens, *others], unseen)
        assert np.array_equal(rows[: len(tokens)], compute(tokens, 0))
        changed = compute([*tokens, *others[:-1], 99], unseen)
        assert np.array_equal(changed[:-1], rows[:-1])
        assert not np.allclose(changed[-1], rows[-1])
        assert not np.allclose(compute([*tokens, *others], 0)[0], rows[0])


def test_a_vector_of_a_text_is_refused() -> None:
    with LLM(EMBEDDERS / "colbert") as llm:
        assert llm.describe()["tasks"] == ["score"]
        assert llm.describe()["embedding"]["max_tokens"] == 150
        with pytest.raises(InvalidRequest, match="has a vector for each token, and makes none of a text"):
            llm.embed("A cat.")


def test_lengths_are_those_of_the_model() -> None:
    with LLM(EMBEDDERS / "colbert") as llm:
        with pytest.raises(
            PromptTooLong, match=r"documents\[1\] has \d+ tokens, but the model takes at most 149"
        ):
            llm.score(QUERY, ["A cat.", "cat " * 160])
        with pytest.raises(PromptTooLong, match=r"query has \d+ tokens, but the model takes at most 28"):
            llm.score("cat " * 40, ["A cat."])
        with pytest.raises(InvalidRequest, match="takes no instruction"):
            llm.score(QUERY, ["A cat."], ScoreParams(instruction="Find cats"))
        cut = llm.score("cat " * 40, ["cat " * 160], CUT)
        assert np.array_equal(cut, llm.score("cat " * 90, ["cat " * 170], CUT))
        assert llm.score(QUERY, []).shape == (0,)


def copy_with(tmp_path: Path, **fields: Any) -> Path:
    folder = shutil.copytree(EMBEDDERS / "colbert", tmp_path / "colbert")
    write_json(folder / SETTINGS, read_json(folder / SETTINGS) | fields)
    return folder


@pytest.mark.parametrize(
    "fields",
    [{"attend_to_expansion_tokens": True}, {"do_query_expansion": False}, {"skiplist_words": ["cat"]}],
)
def test_fields_change_scores(tmp_path: Path, fields: dict[str, Any]) -> None:
    with LLM(EMBEDDERS / "colbert") as llm:
        before = llm.score(QUERY, TEXTS, CUT)
    with LLM(copy_with(tmp_path, **fields)) as llm:
        assert np.abs(llm.score(QUERY, TEXTS, CUT) - before).max() > 1e-3


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"query_prefix": "[Z] "}, r"the tokenizer has no token '\[Z\] '"),
        ({"query_length": 0}, "query_length should be a whole number"),
        ({"query_length": 500}, "queries have 500 tokens, but the model takes fewer"),
        ({"skiplist_words": "the"}, "skiplist_words should be a list of texts"),
        ({"similarity_fn_name": "meanmaxsim"}, "similarity_fn_name is 'meanmaxsim'"),
        ({"another_field": 1}, "'another_field' is 1, which is not supported"),
        ({"prompts": {"query": "find: "}, "default_prompt_name": "query"}, "default_prompt_name is 'query'"),
    ],
)
def test_damaged_fields_are_named(tmp_path: Path, fields: dict[str, Any], error: str) -> None:
    with pytest.raises(ModelError, match=error):
        LLM(copy_with(tmp_path, **fields))
