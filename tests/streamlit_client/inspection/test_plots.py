"""The plots, and the sentences below them, which say the same to those who do not see them."""

import pytest

from streamlit_client.inspection.plots import (
    place_prefixes,
    plot_attention,
    plot_heads,
    plot_next,
    plot_pages,
    plot_profile,
    plot_steps,
    plot_throughput,
    plot_times,
    plot_tree,
)

STEP = {"sequences": 2, "tokens": 4, "answer_tokens": 2, "schedule": 0.001, "model": 0.008, "choose": 0.001}


def prefix(parent: int, tokens: int, hits: int = 0, **changes: int) -> dict[str, int | bool]:
    kept = {"parent": parent, "tokens": tokens, "pages": 1, "hits": hits, "users": 0, "hidden": 0}
    return {**kept, "is_pinned": False, **changes}


def test_throughput_leaves_out_the_present_second() -> None:
    seconds = [{"age": age, "tokens": 150, "answer_tokens": 50} for age in range(10)]
    chart, words = plot_throughput(seconds)
    assert chart.to_dict()["mark"]["type"] == "area"
    assert "45 tokens of answers and 90 of prompts a second" in words  # nine of ten seconds
    assert plot_throughput([])[1].startswith("In the last ten seconds 0 tokens")


def test_steps_are_divided() -> None:
    chart, words = plot_steps([STEP, STEP])
    assert words.startswith("The last 2 steps took 10.00 ms on average: 80% the model")
    assert "2.0 requests and 4.0 tokens" in words
    assert len(chart.data) == 6
    assert plot_steps([])[1] == "No step has been computed yet."
    plot_steps([])[0].to_dict()


@pytest.mark.parametrize(
    ("buckets", "words"),
    [
        (
            [(0.001, 3), (0.01, 1), (None, 0)],
            "Of 4 requests, half had a wait of at most 1 ms, and 95 % of at most 10 ms",
        ),
        ([(0.5, 0), (2.5, 1), (None, 0)], "One request has ended, with a wait of at most 2.5 s."),
        ([(1.0, 0), (None, 2)], "half had a wait of more than the last limit"),
        ([(1.0, 0), (None, 0)], "No request has ended yet, so there is no wait."),
    ],
)
def test_times_have_quantiles(buckets: list[tuple[float | None, int]], words: str) -> None:
    chart, said = plot_times(buckets, "wait")
    assert words in said
    assert chart.to_dict()["encoding"]["y"]["title"] == "requests"


def test_pages_add_up() -> None:
    words = plot_pages({"used": 3, "cached": 1000, "free": 21, "total": 1024})[1]
    assert words == "Of 1,024 pages: 3 in use by requests, 1,000 kept for requests to come, 21 free."


def test_prefixes_are_placed_beside_those_that_follow_them() -> None:
    prefixes = [prefix(-1, 64), prefix(-1, 16), prefix(0, 32), prefix(0, 48), prefix(3, 5)]
    rows = place_prefixes(prefixes)
    places = [(row["start"], row["end"], row["top"], row["bottom"]) for row in rows]
    assert places == [(0, 64, 0, 2), (0, 16, 2, 3), (64, 96, 0, 1), (64, 112, 1, 2), (112, 117, 1, 2)]


def test_tree_in_words() -> None:
    prefixes = [prefix(-1, 64, 7, users=2, is_pinned=True), prefix(0, 32, 1, hidden=3)]
    chart, words = plot_tree({"prefixes": prefixes, "hidden": 2})
    assert words == (
        "2 prefixes with 96 tokens, and 5 more that are not drawn. The one that was found most often has 64 "
        "tokens and was found 7 times; 1 are in use, 1 belong to saved prompts."
    )
    assert chart.to_dict()["height"] < 100


def test_profile_in_words() -> None:
    parts = [
        {"name": "linear qkv", "seconds": 0.003, "least_seconds": 0.002, "limit": "memory"},
        {"name": "attend", "seconds": 0.001, "least_seconds": 0.0, "limit": ""},
    ]
    profile = {
        "operations": parts,
        "seconds": 0.004,
        "threads": 2,
        "bandwidth": 2e10,
        "operations_per_second": 1e12,
    }
    words = plot_profile(profile)[1]
    assert words.startswith("The step took 4.00 ms with 2 threads; memory (20.0 GB/s) and arithmetic (1,000 ")
    assert words.endswith(
        "queries, keys, values took the longest, 75% of the time; its limit is bandwidth of memory."
    )


def test_attention_in_words() -> None:
    labels = ["1 a", "2 <b>", "3 c"]
    chart, words = plot_attention([[1.0], [0.25, 0.75], [0.2, 0.1, 0.7]], labels)
    assert words == "The last token, “3 c”, looks 70% at “3 c”, 20% at “1 a”, 10% at “2 <b>”."
    assert len(chart.data) == 6
    assert len(plot_attention([[1.0], [0.25, 0.75], [0.2, 0.1, 0.7]], labels, first=1)[0].data) == 3
    words = plot_heads([[0.1, 0.9, 0.0], [1.0, 0.0, 0.0]], labels)[1]
    assert words == "The last token looks most, of its heads: head 0 at “2 <b>”, head 1 at “1 a”."


def test_next_tokens_in_words() -> None:
    tokens = [{"logprob": -0.5, "probability": 0.9}, {"logprob": -2.0, "probability": 0.1}]
    words = plot_next(tokens, ["1 x", "2 y"])[1]
    assert words == "The likeliest next token is “1 x”: 61% for the model, 90% as it is sampled."
