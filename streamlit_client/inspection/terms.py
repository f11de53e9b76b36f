"""The words of a transformer, explained where they stand on the page."""

import re
from dataclasses import dataclass
from inspect import cleandoc

import streamlit as st


@dataclass(frozen=True)
class Term:
    """A word that needs an explanation.

    Attributes:
        name: how it is called.
        marks: a regular expression of what stands in sentences that use it.
        text: what it is, as Markdown with formulas, indented as this file is.
    """

    name: str
    marks: str
    text: str


# In the order in which a reader meets them.
TERMS = (
    Term(
        "embedding",
        r"Look up the row",
        r"""
        The vector that stands for a token. The model has learned one for each token of its
        vocabulary. Tokens that are used alike have similar vectors.
        """,
    ),
    Term(
        "norm",
        r"root mean square|the mean of each row",
        r"""
        Brings the numbers of a row to a common size, so that no layer has to deal with very large
        or small ones. RMSNorm ([Zhang and Sennrich 2019](https://arxiv.org/abs/1910.07467))
        divides by the root mean square: $y_i = w_i\, x_i / \sqrt{\tfrac{1}{n}\sum_j x_j^2 +
        \varepsilon}$, with learned $w$.
        """,
    ),
    Term(
        "matrix product",
        r"by the matrix",
        r"""
        Each output is a sum of all inputs, each times a learned weight: $y_i = \sum_j W_{ij}\,
        x_j$. Nearly all weights of a model, and nearly all of its time, are in these products.
        """,
    ),
    Term(
        "query, key, value",
        r"\bkeys\b|\bqueries\b|\bquery\b",
        r"""
        Three vectors that attention makes of each row. A query says what a token looks for, a key
        what a token offers, and a value what it hands over if it is chosen. Keys and values are
        kept for the tokens that follow: that is the KV cache.
        """,
    ),
    Term(
        "head",
        r"\bheads?\b",
        r"""
        Attention is computed several times side by side, each time with a part of the numbers.
        Each of these heads can look for something else: one for the word before, another for the
        subject of the sentence. Heads may share keys and values, which saves memory.
        """,
    ),
    Term(
        "RoPE",
        r"Rotate\b",
        r"""
        Tells attention where tokens stand. Pairs of numbers of queries and keys are turned by an
        angle that grows with the position, slowly for some pairs and fast for others. The product
        of a query and a key then depends on their distance ([Su et al.
        2021](https://arxiv.org/abs/2104.09864)).
        """,
    ),
    Term(
        "softmax",
        r"softmax",
        r"""
        Makes shares of scores: $p_i = e^{s_i} / \sum_j e^{s_j}$. All are positive and sum to 1. A
        score that is larger by 1 gets 2.7 times the share.
        """,
    ),
    Term(
        "attention",
        r"\bAttend\b",
        r"""
        Each token compares its query with the keys of the tokens before it, $s_j = q \cdot k_j /
        \sqrt{d}$, makes shares of the scores by softmax, and takes that mixture of their values
        ([Vaswani et al. 2017](https://arxiv.org/abs/1706.03762)). This is the only place where
        rows of different tokens meet.
        """,
    ),
    Term(
        "residual connection",
        r"residual connection",
        r"""
        What a part of a layer has computed is added to the row, and does not replace it. So each
        part only needs to say what changes, and a model can have many layers.
        """,
    ),
    Term(
        "SiLU",
        r"\bsilu\b",
        r"""
        A curve that lets large numbers through and holds negative ones back: $\mathrm{silu}(x) =
        x / (1 + e^{-x})$. Without such a curve, all layers together could be one matrix.
        """,
    ),
    Term(
        "GELU",
        r"\bgelu\b|gelu_",
        r"""
        A curve that lets large numbers through and holds negative ones back: $\mathrm{gelu}(x) =
        x\,\Phi(x)$, with the share of a normal distribution below $x$. Without such a curve, all
        layers together could be one matrix.
        """,
    ),
    Term(
        "gate and up projections",
        r"gate the second half|silu of the first|gelu of the first",
        r"""
        The MLP of a layer, in which a model keeps much of what it knows, widens each row twice.
        The gate projection goes through a curve and decides how much of the up projection passes
        ([Shazeer 2020](https://arxiv.org/abs/2002.05202)). The down projection narrows the result
        again.
        """,
    ),
    Term(
        "experts",
        r"\bexperts\b",
        r"""
        Several MLPs of which each row uses only a few. Scores choose them. The model has the
        knowledge of all, and costs the time of a few.
        """,
    ),
    Term(
        "state",
        r"Update the state",
        r"""
        What a recurrent layer remembers of all tokens before, in a fixed number of numbers.
        Attention keeps the keys and values of each token instead.
        """,
    ),
    Term(
        "logits",
        r"scores of all tokens of the vocabulary|score for each token",
        r"""
        One score for each token of the vocabulary. The larger it is, the likelier the token comes
        next. Softmax makes probabilities of them.
        """,
    ),
    Term(
        "temperature",
        r"temperature",
        r"""
        Logits are divided by it before softmax: $p_i \propto e^{s_i / T}$. Below 1, the likeliest
        tokens get more; at 0, the likeliest is always taken. Above 1, unlikely ones get a chance.
        """,
    ),
    Term(
        "top p",
        r"top p",
        r"""
        Only the likeliest tokens that together reach this probability may be drawn ([Holtzman et
        al. 2019](https://arxiv.org/abs/1904.09751)).
        """,
    ),
    Term(
        "bits",
        r"\bbits\b",
        r"""
        How unsure the model is: the entropy $-\sum_i p_i \log_2 p_i$. One bit is as unsure as a
        coin, ten bits as a choice among 1,024 equally likely tokens.
        """,
    ),
)


def find_terms(text: str) -> list[Term]:
    """The words that a text uses."""
    return [term for term in TERMS if re.search(term.marks, text)]


def show_terms(text: str, key: str) -> None:
    """Show a button for each word that a text uses, which opens what it means. `key`: unique on the page."""
    terms = find_terms(text)
    if not terms:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"terms-{key}"):
        st.caption("What is", width="content")
        for term in terms:
            with st.popover(term.name, type="tertiary"):
                st.markdown(cleandoc(term.text))
