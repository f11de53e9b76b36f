"""Formulas in answers: all that models write are found, and prices and code are none."""

import re

import pytest
from formula_answers import ANSWERS, FormulaAnswer

from streamlit_client.shared.markdown import escape, sanitize

CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
FORMULA = re.compile(r"(?<!\\)\$\$(.*?)(?<!\\)\$\$", re.DOTALL)


def _without_prefixes(formula: str) -> str:
    """The formula without what lists and quotes have in front of its lines."""
    return "\n".join(line.strip("> ").strip() for line in formula.split("\n")).strip()


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.answer[:25])
def test_formulas_of_answers(answer: FormulaAnswer) -> None:
    markdown = sanitize(answer.answer)
    found = [_without_prefixes(match) for match in FORMULA.findall(CODE.sub("", markdown))]
    assert found == [_without_prefixes(formula) for formula in answer.formulas]


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "from 5$ to 6$",
        "$HOME and $PATH",
        "$HOME/$USER:$PATH",
        "$a = $b + $c",
        "($a,$b)",
        "US$5$",
        "$5 (US$)",
        "$20k in 2020, then in total $",
        "$ x$",
        "$x $",
        r"\$x\$",
        r"$x\$",
        "$the lazy dog$",
        "$" * 7,
        "$x" + "y" * 600 + "$",
        r"\begin{align} x",
        r"\begin{document}x\end{document}",
        r"\begin{align}x\end{aligned}",
    ],
)
def test_what_is_no_formula_stays_text(text: str) -> None:
    assert not FORMULA.search(sanitize(text))
    if "\\" not in text:
        assert sanitize(text) == escape(text)


@pytest.mark.parametrize("part", ["$a", "$a{", "{$a ", "\\begin{align}", "\\begin{align}\n", "\\[", "\\("])
def test_many_beginnings_without_ends_take_little_time(part: str) -> None:
    """By the square of the length, this would take longer than a test may."""
    assert not FORMULA.search(sanitize(part * (15_000 // len(part))))
