r"""Answers with formulas, as models write them, and with dollars that are none.

Of each: the answer, its formulas as KaTeX gets them, and texts that a person must read in it.
"""

from typing import NamedTuple


class FormulaAnswer(NamedTuple):
    """An answer; `formulas` in their order; `texts` as they are shown."""

    answer: str
    formulas: list[str]
    texts: list[str]


ANSWERS = [
    FormulaAnswer(
        r"""The roots of \(ax^2 + bx + c = 0\) are given by the **quadratic formula**:

\[
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
\]

Here \(b^2 - 4ac\) is the *discriminant*.""",
        ["ax^2 + bx + c = 0", r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}", "b^2 - 4ac"],
        ["quadratic formula", "Here"],
    ),
    FormulaAnswer(
        r"""Expand step by step:
\begin{align}
(a+b)^2 &= (a+b)(a+b) \\
        &= a^2 + 2ab + b^2 \label{eq:square}
\end{align}
which is what we wanted.""",
        ["\\begin{align}\n(a+b)^2 &= (a+b)(a+b) \\\\\n&= a^2 + 2ab + b^2 \n\\end{align}"],
        ["Expand step by step:", "which is what we wanted."],
    ),
    FormulaAnswer(
        r"""1. **Base case**: for $n = 1$ both sides are $1$.
2. **Step**: assume $\sum_{k=1}^{n} k = \frac{n(n+1)}{2}$. Then
   $$
   \sum_{k=1}^{n+1} k = \frac{(n+1)(n+2)}{2}
   $$
3. So it holds for all $n \in \mathbb{N}$. $\blacksquare$""",
        [
            "n = 1",
            "1",
            r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}",
            r"\sum_{k=1}^{n+1} k = \frac{(n+1)(n+2)}{2}",
            r"n \in \mathbb{N}",
            r"\blacksquare",
        ],
        ["Base case", "So it holds for all"],
    ),
    FormulaAnswer(
        "It costs $5 and $6, so $11 in all; **$10**/**$20** with tax, 5$ or 6$ elsewhere, US$7 or A$8.",
        [],
        ["$5 and $6, so $11 in all; $10/$20 with tax, 5$ or 6$ elsewhere, US$7 or A$8."],
    ),
    FormulaAnswer(
        "The price went from $1,000 to $2,500 (about 150%), or $3.50/month, $5 per seat (US$) and 3$ more.",
        [],
        ["from $1,000 to $2,500 (about 150%), or $3.50/month, $5 per seat (US$) and 3$ more."],
    ),
    FormulaAnswer(
        "If each costs $5 and you buy $n$ of them, you pay $5n$ dollars: for $n = 3$ that is $15, not $20.",
        ["n", "5n", "n = 3"],
        ["costs $5 and you buy", "that is $15, not $20."],
    ),
    FormulaAnswer(
        "Set `$x = 5` in PHP, or $HOME/$USER and $PATH in a shell:\n\n```bash\necho $a \\(x\\) \\[y\\]\n"
        "\\begin{align} $$z$$\n```\n\nInline `$a$`, `\\(b\\)` and `$$c$$` stay, too.",
        [],
        [
            "$x = 5",
            "$HOME/$USER and $PATH",
            "echo $a \\(x\\) \\[y\\]",
            "Inline $a$, \\(b\\) and $$c$$ stay",
        ],
    ),
    FormulaAnswer(
        r"""| Function | Derivative |
|---|---|
| $x^n$ | \(n x^{n-1}\) |
| $\sin(x)$ | $\cos(x)$ |
| $e^{x_1} * e^{x_2}$ | costs $3 |""",
        ["x^n", "n x^{n-1}", r"\sin(x)", r"\cos(x)", "e^{x_1} * e^{x_2}"],
        ["costs $3"],
    ),
    FormulaAnswer(
        r"""Let $\mathbf{A} = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$. Its determinant is
$\det \mathbf{A} = 1 \cdot 4 - 2 \cdot 3 = -2$, so the inverse exists:
\begin{equation*}
\mathbf{A}^{-1} = -\frac{1}{2} \begin{pmatrix} 4 & -2 \\ -3 & 1 \end{pmatrix}
\end{equation*}""",
        [
            r"\mathbf{A} = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            r"\det \mathbf{A} = 1 \cdot 4 - 2 \cdot 3 = -2",
            "\\begin{equation*}\n\\mathbf{A}^{-1} = -\\frac{1}{2} "
            "\\begin{pmatrix} 4 & -2 \\\\ -3 & 1 \\end{pmatrix}\n\\end{equation*}",
        ],
        ["Its determinant is"],
    ),
    FormulaAnswer(
        r"""The softmax of a vector $z$ is \[\sigma(z)_i = \frac{e^{z_i}}{\sum_{j} e^{z_j}}\] for the $i$-th
entry, and the loss is $\mathcal{L} = -\log p_{y}$, with $p_y \in (0, 1]$ and $\|z\|_2 < \infty$.""",
        [
            "z",
            r"\sigma(z)_i = \frac{e^{z_i}}{\sum_{j} e^{z_j}}",
            "i",
            r"\mathcal{L} = -\log p_{y}",
            r"p_y \in (0, 1]",
            r"\|z\|_2 < \infty",
        ],
        ["-th", "entry, and the loss is"],
    ),
    FormulaAnswer(
        r"""> **Theorem.** For every $\varepsilon > 0$ there is a $\delta > 0$ with
> $$|x - a| < \delta \implies |f(x) - L| < \varepsilon.$$

- \begin{cases} x & \text{if $x > 0$} \\ -x & \text{otherwise} \end{cases}
- 质量 $m$和速度$v$。""",
        [
            r"\varepsilon > 0",
            r"\delta > 0",
            r"|x - a| < \delta \implies |f(x) - L| < \varepsilon.",
            r"\begin{cases} x & \text{if $x > 0$} \\ -x & \text{otherwise} \end{cases}",
            "m",
            "v",
        ],
        ["Theorem.", "质量"],
    ),
    FormulaAnswer(
        r"""Then \begin{align*} a &= b \\ c &= d \end{align*} holds, and
\(\begin{gather} x \\ y \end{gather}\). Chemists write $\mathrm{H_2O}$;
$2^{10} = 1024$; $\text{speed} = \text{distance} / \text{time}$.""",
        [
            r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
            r"\begin{gathered} x \\ y \end{gathered}",
            r"\mathrm{H_2O}",
            "2^{10} = 1024",
            r"\text{speed} = \text{distance} / \text{time}",
        ],
        ["Then", "holds, and", "Chemists write"],
    ),
    FormulaAnswer(
        r"An answer that still comes: \begin{align} a &= b, and $x^2 + \(y, \[z and $$w",
        [],
        [r"\begin{align} a &= b, and $x^2 + (y, [z and $$w"],  # as CommonMark reads what is no formula
    ),
    FormulaAnswer(
        "# The $O(n \\log n)$ bound\n\nUse **$k$** pivots, *$m_1$* and [a link to $5](https://a.b/c_$d$_e).",
        [r"O(n \log n)", "k", "m_1"],
        ["bound", "a link to $5"],
    ),
]
