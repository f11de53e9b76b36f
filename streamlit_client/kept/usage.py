"""How many tokens a person's answers took, by day and model, as a plot and in words."""

import time
from collections import defaultdict
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

import altair as alt
import streamlit as st

from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_conversations

DAYS = {"30 days": 30, "90 days": 90, "a year": 365}
_DAY_S = 86_400
_HEIGHT = 260  # pixels
_UNKNOWN = "unknown"  # the model of an answer from a file of another program
_SUMS = ("answers", "prompt_tokens", "completion_tokens", "cached_tokens")


def show_usage(zone: tzinfo | None) -> None:
    """Show the usage of the last days. `zone`: the visitor's. Raises TritonchatError."""
    span = st.segmented_control("Time", list(DAYS), default="30 days", key="usage-span", required=True)
    days = DAYS[span or "30 days"]
    entries = get_conversations().usage(time.time() - days * _DAY_S)
    if not entries:
        st.caption("No answer of this time is kept.")
        return
    by_day = sum_by(entries, lambda entry: (find_day(entry, zone), entry["model"] or _UNKNOWN))
    st.altair_chart(plot(by_day, days, datetime.now(zone).date()))
    by_model = sum_by(entries, lambda entry: entry["model"] or _UNKNOWN)
    st.table(
        {
            "Model": [escape(model) for model in by_model],
            "Answers": [f"{sums['answers']:,}" for sums in by_model.values()],
            "Tokens in": [f"{sums['prompt_tokens']:,}" for sums in by_model.values()],
            "of these cached": [f"{sums['cached_tokens']:,}" for sums in by_model.values()],
            "Tokens out": [f"{sums['completion_tokens']:,}" for sums in by_model.values()],
        },
        hide_index=True,
    )
    st.caption("The answers of your conversations that are kept here. Deleted ones do not count.")


def find_day(entry: dict[str, Any], zone: tzinfo | None) -> date:
    """The day of an entry, where the visitor is."""
    return datetime.fromtimestamp(entry["time"], zone).date()


def sum_by(entries: list[dict[str, Any]], find_key: Any) -> dict[Any, dict[str, int]]:
    """The sums of the entries with the same key, in the order of the keys."""
    sums: dict[Any, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_SUMS, 0))
    for entry in entries:
        for name in _SUMS:
            sums[find_key(entry)][name] += entry[name]
    return {key: sums[key] for key in sorted(sums)}


def plot(by_day: dict[tuple[date, str], dict[str, int]], days: int, today: date) -> alt.Chart:
    """Bars of the tokens of each day, with a colour for each model."""
    rows = [
        {
            "day": f"{day:%Y-%m-%d}T00:00:00",
            "model": model,
            "tokens": sums["prompt_tokens"] + sums["completion_tokens"],
            "answers": sums["answers"],
        }
        for (day, model), sums in by_day.items()
    ]
    first = today - timedelta(days=days)
    domain = [{"year": each.year, "month": each.month, "date": each.day} for each in (first, today)]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("yearmonthdate(day):T", title=None, scale=alt.Scale(domain=domain)),
            y=alt.Y("sum(tokens):Q", title="tokens in and out", stack="zero"),
            color=alt.Color("model:N", title=None, legend=alt.Legend(orient="top", labelLimit=300)),
            tooltip=[
                alt.Tooltip("yearmonthdate(day):T", title="day"),
                "model:N",
                alt.Tooltip("sum(tokens):Q", title="tokens", format=","),
                alt.Tooltip("sum(answers):Q", title="answers", format=","),
            ],
        )
        .properties(height=_HEIGHT)
    )
