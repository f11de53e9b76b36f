"""The engine page: what the server computes at the moment, and where its time goes.

It shows sizes and counts, and nobody's text. The server is asked once a second, however many pages are open.
"""

from typing import Any

import pandas as pd
import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.inspection import plots
from streamlit_client.inspection.show_plot import show_plot
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.server import fetch_stats, get_client
from streamlit_client.shared.settings import chosen_model, show_models

LOADS = ("one answer", "eight answers", "a prompt")
FAST_S, SLOW_S = 1.0, 5.0  # from one look at the server to the next
REQUESTS_HEIGHT = 200  # of the table of running requests, in pixels


def main() -> None:
    """Draw the page. Its parts draw themselves again while it is live."""
    st.set_page_config(page_title="tritonchat: engine", page_icon="💬", layout="wide")
    st.title("Engine", anchor=False)
    owner()  # shows a stranger the login, and nothing else
    client = get_client()
    _, error = fetch_stats(client, with_embedders=True)
    with st.sidebar:
        show_models()
    if error is not None:
        st.error(describe_error(error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
        return
    model, description = chosen_model()["name"], chosen_model()["description"]
    if description is not None and description["engine"] is not None:
        st.info(f"{escape(model)} is computed by another server, whose engine cannot be seen here.")
        return
    is_live = st.toggle("Live", True, key="engine_live", help="Ask the server each second, and draw again.")
    st.fragment(show_load, run_every=FAST_S if is_live else None)(model)
    st.fragment(show_memory, run_every=SLOW_S if is_live else None)(model)
    show_profile(model)


@st.cache_data(ttl=0.8 * FAST_S, show_spinner=False)
def fetch_live(server: str, model: str, with_tree: bool) -> dict[str, Any]:
    """What the engine of a model does. All visitors share the answer for a moment. Raises TritonchatError."""
    return get_client().live(model, with_tree)


def show_load(model: str) -> None:
    """Show how fast the engine is, its requests and its steps."""
    live = read_live(model)
    if live is None:
        return
    engine = live["engine"]
    seconds = [second for second in engine["seconds"] if 0 < second["age"] <= 10]
    pages = engine["kv_pages"]
    figures = {
        "Answer tokens/s": f"{sum(s['answer_tokens'] for s in seconds) / 10:,.0f}",
        "Requests running": f"{engine['running']:,}",
        "Requests waiting": f"{engine['waiting']:,}",
        "KV memory in use": f"{pages['used'] / max(1, pages['total']):.0%}",
        "Time computing": f"{min(1.0, sum(s['busy'] for s in seconds) / 10):.0%}",
    }
    for column, (name, value) in zip(st.columns(len(figures)), figures.items(), strict=True):
        column.metric(name, value)
    left, right = st.columns(2)
    with left:
        show_plot("Tokens a second", plots.plot_throughput(engine["seconds"]))
    with right:
        show_plot("Time of the last steps", plots.plot_steps(engine["steps"]))
    show_requests(engine)


def show_memory(model: str) -> None:
    """Show the distributions of times, and the memory of keys and values."""
    live = read_live(model, with_tree=True)
    if live is None:
        return
    engine, histograms = live["engine"], live["histograms"]
    left, right = st.columns(2)
    with left:
        show_plot("Time to first token", plots.plot_times(histograms["first_token"], "time to first token"))
    with right:
        show_plot("Time between tokens", plots.plot_times(histograms["token"], "time between tokens"))
    show_plot("Memory of keys and values", plots.plot_pages(engine["kv_pages"]))
    st.caption(
        f"{engine['prefix_hits_tokens']:,} tokens of prompts were found in the prefix cache since the start."
    )
    if engine["tree"]["prefixes"]:
        show_plot("The prefix cache", plots.plot_tree(engine["tree"]))
    else:
        st.subheader("The prefix cache", anchor=False)
        st.caption("It is empty: no request has left anything in it yet.")


def read_live(model: str, with_tree: bool = False) -> dict[str, Any] | None:
    """What the engine does; None if it cannot be shown, and then the page says why."""
    try:
        live = fetch_live(get_client().url, model, with_tree)
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/cloud_off:")
        return None
    if live["engine"] is None:
        st.info(f"{escape(model)} is {live['state']}. It is loaded with the first message to it.")
        return None
    return live


def show_requests(engine: dict[str, Any]) -> None:
    """Show the running requests, by labels that only who sent them can recognize."""
    st.subheader("Running requests", anchor=False)
    with st.container(height=REQUESTS_HEIGHT, border=False):  # so that what follows does not move
        if engine["requests"]:
            show_request_table(engine)
        else:
            st.caption("None at the moment.")


def show_request_table(engine: dict[str, Any]) -> None:
    """Show a row for each running request."""
    rows = [
        {
            "request": request["label"],
            "seconds": request["seconds"],
            "prompt": request["prompt_tokens"],
            "of it cached": request["cached_tokens"],
            "answer": request["answer_tokens"],
            "KV pages": request["kv_pages"],
        }
        for request in engine["requests"]
    ]
    most = max(1, *(row["KV pages"] for row in rows))
    columns = {
        "seconds": st.column_config.NumberColumn(format="%.1f"),
        "KV pages": st.column_config.ProgressColumn(format="%d", min_value=0, max_value=most),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns)
    if engine["running"] > len(rows):
        st.caption(f"The first {len(rows)} of {engine['running']:,} are shown.")


def show_profile(model: str) -> None:
    """Show where a step's time goes, when the person asks for it."""
    st.subheader("Anatomy of a step", anchor=False)
    st.markdown(
        "The server computes a step of random tokens, beside the requests, and compares the time of each "
        "operation with what the machine allows: memory must give each weight once, and each product takes "
        "its multiplications and additions."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        load = st.selectbox("A step of", LOADS, key="engine_load", width=220)
        if st.button("Measure", icon=":material/timer:", key="engine_measure") and load is not None:
            measure(model, load)
    profile = st.session_state.get("engine_profile")
    if profile is None or profile["model"] != model:
        return
    show_plot(f"A step of {profile['load']}", plots.plot_profile(profile))
    rows = [
        {
            "operation": plots.name_operation(part["name"]),
            "how many": part["count"],
            "milliseconds": 1000 * part["seconds"],
            "possible": 1000 * part["least_seconds"],
            "share of the step": part["seconds"] / max(profile["seconds"], 1e-12),
            "limit": part["limit"],
        }
        for part in profile["operations"]
    ]
    columns = {
        "milliseconds": st.column_config.NumberColumn(format="%.3f"),
        "possible": st.column_config.NumberColumn(format="%.3f"),
        "share of the step": st.column_config.NumberColumn(format="percent"),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns)


def measure(model: str, load: str) -> None:
    """Let the server measure a step, and keep the result in the session."""
    try:
        with st.spinner("Measuring; the first time takes a while …"):
            profile = get_client().profile(load, model)
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/error:")
    else:
        st.session_state.engine_profile = {**profile, "model": model}


main()
