"""Plots of the pages about the engine and the model, each with its figures in a sentence.

The sentences are for people who do not see the plots; they stand below them for everybody.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

HEIGHT = 280
COLOR = "#3b6fd4"  # of marks whose opacity has a meaning; it can be seen on white and on black
# Parts of a step: the name in the server's statistics, and what it is called here.
STEP_PARTS = {"model": "the model", "choose": "choosing and sending", "schedule": "scheduling"}
Plot = tuple[alt.Chart | alt.LayerChart, str]


def plot_throughput(seconds: Sequence[Mapping[str, Any]]) -> Plot:
    """Tokens of each of the last two minutes' seconds, without the present one, which goes on."""
    by_age = {second["age"]: second for second in seconds if second["age"] > 0}
    nothing = {"tokens": 0, "answer_tokens": 0}
    rates = [(age, _split(by_age.get(age, nothing))) for age in range(1, 121)]
    rows = [
        {"seconds ago": -age, "tokens": tokens, "of": label}
        for age, pair in rates
        for tokens, label in zip(pair, ("answers", "prompts"), strict=True)
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_area()
        .encode(
            x=alt.X("seconds ago:Q", title="seconds ago", scale=alt.Scale(domain=[-120, -1], nice=False)),
            y=alt.Y(
                "tokens:Q",
                title="tokens a second",
                stack="zero",
                scale=alt.Scale(domain=[0, max(10, *(sum(pair) for _, pair in rates))]),
            ),
            color=alt.Color("of:N", title=None, legend=alt.Legend(orient="top")),
            tooltip=["seconds ago:Q", "of:N", "tokens:Q"],
        )
    )
    answers, prompts = (sum(pair[part] for age, pair in rates if age <= 10) / 10 for part in (0, 1))
    peak = max(pair[0] for _, pair in rates)
    words = (
        f"In the last ten seconds {answers:,.0f} tokens of answers and {prompts:,.0f} of prompts a second; "
        f"the best second of the last two minutes had {peak:,} tokens of answers."
    )
    return _size(chart), words


def _split(second: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens of answers, and of prompts. A step computes about as many tokens of answers as it adds."""
    made = second["answer_tokens"]
    return made, max(0, second["tokens"] - made)


def plot_steps(steps: Sequence[Mapping[str, Any]]) -> Plot:
    """The parts of the last steps' times, the newest at the right."""
    rows = [
        {"step": number - len(steps), "milliseconds": 1000 * step[name], "part": label, "order": order,
         "requests": step["sequences"], "tokens": step["tokens"]}
        for number, step in enumerate(steps)
        for order, (name, label) in enumerate(STEP_PARTS.items())
    ]  # fmt: skip
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar(size=2)
        .encode(
            x=alt.X("step:Q", title="step, the newest at the right", scale=alt.Scale(nice=False)),
            y=alt.Y("milliseconds:Q", title="milliseconds", stack="zero"),
            color=alt.Color(
                "part:N", title=None, sort=list(STEP_PARTS.values()), legend=alt.Legend(orient="top")
            ),
            order="order:Q",
            tooltip=["part:N", "milliseconds:Q", "requests:Q", "tokens:Q"],
        )
    )
    if not steps:
        return _size(chart), "No step has been computed yet."
    total = sum(step[name] for step in steps for name in STEP_PARTS)
    parts = ", ".join(
        f"{sum(step[name] for step in steps) / max(total, 1e-9):.0%} {label}"
        for name, label in STEP_PARTS.items()
    )
    words = (
        f"The last {len(steps)} steps took {1000 * total / len(steps):.2f} ms on average: {parts}. A step "
        f"computed {_mean(steps, 'sequences'):.1f} requests and {_mean(steps, 'tokens'):.1f} tokens."
    )
    return _size(chart), words


def plot_times(buckets: Sequence[Sequence[Any]], what: str) -> Plot:
    """A histogram of times: pairs of upper limits in seconds, None for the last, and counts."""
    labels = [f"≤ {format_seconds(limit)}" if limit is not None else "more" for limit, _ in buckets]
    rows = [
        {"time": label, "requests": count, "order": order}
        for order, (label, (_, count)) in enumerate(zip(labels, buckets, strict=True))
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar()
        .encode(
            x=alt.X("time:N", title=what, sort=labels, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("requests:Q", title="requests", axis=alt.Axis(tickMinStep=1)),
            tooltip=["time:N", "requests:Q"],
        )
    )
    count = sum(number for _, number in buckets)
    if not count:
        return _size(chart), f"No request has ended yet, so there is no {what}."
    half, most = (_quantile(buckets, share) for share in (0.5, 0.95))
    if count == 1:
        return _size(chart), f"One request has ended, with a {what} of {half}."
    words = f"Of {count:,} requests, half had a {what} of {half}, and 95 % of {most}."
    return _size(chart), words


def plot_pages(pages: Mapping[str, int]) -> Plot:
    """The pages of KV memory by what they hold."""
    names = {"used": "in use by requests", "cached": "kept for requests to come", "free": "free"}
    rows = [
        {"what": label, "pages": pages[name], "order": n} for n, (name, label) in enumerate(names.items())
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar()
        .encode(
            x=alt.X("pages:Q", title="pages of 16 tokens", stack="zero"),
            color=alt.Color(
                "what:N",
                title=None,
                sort=list(names.values()),
                # Free memory is no warning, so it is not red.
                scale=alt.Scale(domain=list(names.values()), range=["#0068c9", "#83c9ff", "#9a9a9a"]),
                legend=alt.Legend(orient="top", labelLimit=300),
            ),
            order="order:Q",
            tooltip=["what:N", "pages:Q"],
        )
        .properties(height=190, width="container")
    )
    words = ", ".join(f"{pages[name]:,} {label}" for name, label in names.items())
    return chart, f"Of {pages['total']:,} pages: {words}."


def plot_tree(tree: Mapping[str, Any]) -> Plot:
    """The tree of the prefix cache, from the left: each prefix as wide as it has tokens."""
    prefixes, hidden = tree["prefixes"], tree["hidden"]
    rows = place_prefixes(prefixes)
    base = alt.Chart(pd.DataFrame(rows)).encode(
        x=alt.X("start:Q", title="tokens from the beginning"),
        x2="end:Q",
        y=alt.Y("top:Q", title=None, axis=None, scale=alt.Scale(reverse=True)),
        y2="bottom:Q",
        tooltip=["tokens:Q", "pages:Q", "hits:Q", "users:Q", "saved:N"],
    )
    chart = base.mark_rect(color=COLOR, stroke="gray", strokeWidth=0.5).encode(
        opacity=alt.Opacity("hits:Q", scale=alt.Scale(type="sqrt", domainMin=0, range=[0.1, 1]))
    )
    lines = max((row["bottom"] for row in rows), default=1)
    more = hidden + sum(prefix["hidden"] for prefix in prefixes)
    tokens = sum(prefix["tokens"] for prefix in prefixes)
    best = max(prefixes, key=lambda prefix: prefix["hits"], default=None)
    words = f"{len(prefixes)} prefixes with {tokens:,} tokens"
    if more:
        words += f", and {more:,} more that are not drawn"
    if best is not None:
        pinned = sum(prefix["is_pinned"] for prefix in prefixes)
        in_use = sum(prefix["users"] > 0 for prefix in prefixes)
        words += (
            f". The one that was found most often has {best['tokens']:,} tokens and was found "
            f"{best['hits']:,} times; {in_use} are in use, {pinned} belong to saved prompts"
        )
    return chart.properties(height=min(700, 70 + 22 * lines), width="container"), words + "."


def place_prefixes(prefixes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Where the prefixes are drawn: `start` and `end` in tokens, `top` and `bottom` in lines.

    A prefix is as high as all that follow it together; one that nothing follows has one line.
    """
    children: dict[int, list[int]] = {}
    for index, prefix in enumerate(prefixes):
        children.setdefault(prefix["parent"], []).append(index)
    heights = [0] * len(prefixes)
    for index in range(len(prefixes) - 1, -1, -1):  # a parent precedes its children
        heights[index] = max(1, sum(heights[child] for child in children.get(index, ())))
    rows: list[dict[str, Any]] = []
    tops: dict[int, int] = {-1: 0}  # where the next child of each is drawn
    for index, prefix in enumerate(prefixes):
        parent = prefix["parent"]
        start, top = rows[parent]["end"] if parent >= 0 else 0, tops[parent]
        tops[parent] = top + heights[index]
        tops[index] = top
        rows.append(
            {
                "start": start,
                "end": start + prefix["tokens"],
                "top": top,
                "bottom": top + heights[index],
                "saved": "yes" if prefix["is_pinned"] else "no",
                **{name: prefix[name] for name in ("tokens", "pages", "hits", "users")},
            }
        )
    return rows


def plot_profile(profile: Mapping[str, Any]) -> Plot:
    """The time of each kind of operation of a step, and what the machine allows."""
    rows = [
        {"operation": name_operation(part["name"]), "milliseconds": 1000 * seconds, "which": which}
        for part in profile["operations"]
        for which, seconds in (("measured", part["seconds"]), ("possible", part["least_seconds"]))
    ]
    order = [name_operation(part["name"]) for part in profile["operations"]]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar()
        .encode(
            y=alt.Y("operation:N", title=None, sort=order, axis=alt.Axis(labelLimit=260)),
            yOffset=alt.YOffset("which:N", sort=["measured", "possible"]),
            x=alt.X("milliseconds:Q", title="milliseconds in a step"),
            color=alt.Color(
                "which:N", title=None, sort=["measured", "possible"], legend=alt.Legend(orient="top")
            ),
            tooltip=["operation:N", "which:N", "milliseconds:Q"],
        )
        .properties(height=60 + 28 * len(order), width="container")
    )
    least = sum(part["least_seconds"] for part in profile["operations"])
    first = profile["operations"][0]
    limit = {"memory": "bandwidth of memory", "arithmetic": "arithmetic"}.get(first["limit"], "neither")
    bandwidth, rate = profile["bandwidth"] / 1e9, profile["operations_per_second"] / 1e9
    share = first["seconds"] / max(profile["seconds"], 1e-12)
    words = (
        f"The step took {1000 * profile['seconds']:.2f} ms with {_count(profile['threads'], 'thread')}; "
        f"memory ({bandwidth:.1f} GB/s) and arithmetic ({rate:,.0f} billion operations/s) allow "
        f"{1000 * least:.2f} ms. {name_operation(first['name'])} took the longest, "
        f"{share:.0%} of the time; its limit is {limit}."
    )
    return chart, words


def name_operation(name: str) -> str:
    """What a kind of operation is called here."""
    operation, _, buffer = name.partition(" ")
    return {
        "linear logits": "products: scores of the vocabulary",
        "linear qkv": "products: queries, keys, values",
        "linear x": "products: back to the hidden states",
        "linear inner": "products: the MLP's first half",
        "attend": "attention",
        "experts": "experts",
        "scan": "recurrent states",
        "conv": "convolutions",
        "quantize": "rounding for products",
        "norm": "norms",
        "rope": "rotary positions",
        "write_kv": "writing keys and values",
    }.get(name, f"products: {buffer}" if operation == "linear" else name.replace("_", " "))


def plot_attention(weights: Sequence[Sequence[float]], labels: Sequence[str], first: int = 0) -> Plot:
    """A map of attention: rows look at columns, both from the token `first` on. All labels differ."""
    rows = [
        {"token": labels[row], "looks at": labels[column], "weight": weight}
        for row in range(first, len(weights))
        for column, weight in enumerate(weights[row])
        if column >= first
    ]
    order = list(labels[first:])
    chart = _map(rows, "token", order).encode(y=alt.Y("token:N", sort=order))
    last = weights[-1]
    best = sorted(range(len(last)), key=lambda index: -last[index])[:3]
    words = ", ".join(f"{last[index]:.0%} at “{labels[index]}”" for index in best)
    return chart, f"The last token, “{labels[-1]}”, looks {words}."


def plot_heads(last: Sequence[Sequence[float]], labels: Sequence[str]) -> Plot:
    """What the last token looks at with each head of a layer. All labels differ."""
    rows = [
        {"head": head, "looks at": labels[column], "weight": weight}
        for head, row in enumerate(last)
        for column, weight in enumerate(row)
    ]
    chart = _map(rows, "head", list(labels)).encode(y=alt.Y("head:O"))
    targets = [max(range(len(row)), key=row.__getitem__) for row in last]
    words = ", ".join(f"head {head} at “{labels[target]}”" for head, target in enumerate(targets[:8]))
    return chart, f"The last token looks most, of its heads: {words}{' …' if len(last) > 8 else ''}."


def _map(rows: Sequence[Mapping[str, Any]], by: str, order: Sequence[str]) -> alt.Chart:
    """A map of weights from 0 to 1, with a square for each."""
    return (
        alt.Chart(pd.DataFrame(rows))
        .mark_rect(color=COLOR)
        .encode(
            x=alt.X("looks at:N", sort=order, axis=alt.Axis(labelAngle=-90)),
            opacity=alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 1])),
            tooltip=[f"{by}:N", "looks at:N", alt.Tooltip("weight:Q", format=".1%")],
        )
        .properties(height=110 + 16 * len({row[by] for row in rows}), width="container")
    )


def plot_next(tokens: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> Plot:
    """The likeliest next tokens: as the model gives them, and as they are sampled."""
    rows = [
        {"token": label, "probability": probability, "which": which}
        for label, token in zip(labels, tokens, strict=True)
        for which, probability in (
            ("the model", math.exp(token["logprob"])),
            ("sampling", token["probability"]),
        )
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar()
        .encode(
            y=alt.Y("token:N", title=None, sort=list(labels)),
            yOffset=alt.YOffset("which:N", sort=["the model", "sampling"]),
            x=alt.X("probability:Q", title="probability", axis=alt.Axis(format="%")),
            color=alt.Color(
                "which:N", title=None, sort=["the model", "sampling"], legend=alt.Legend(orient="top")
            ),
            tooltip=["token:N", "which:N", alt.Tooltip("probability:Q", format=".1%")],
        )
        .properties(height=80 + 18 * len(labels), width="container")
    )
    first = tokens[0]
    words = (
        f"The likeliest next token is “{labels[0]}”: {math.exp(first['logprob']):.0%} for the model, "
        f"{first['probability']:.0%} as it is sampled."
    )
    return chart, words


def format_seconds(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:g} s"
    return f"{1000 * seconds:g} ms"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _quantile(buckets: Sequence[Sequence[Any]], share: float) -> str:
    """Below which limit this share of a histogram is."""
    total, below = sum(count for _, count in buckets), 0
    for limit, count in buckets:
        below += count
        if below >= share * total:
            return "more than the last limit" if limit is None else f"at most {format_seconds(limit)}"
    return ""


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return sum(row[name] for row in rows) / len(rows)


def _size(chart: alt.Chart) -> alt.Chart:
    return chart.properties(height=HEIGHT, width="container")
