"""What a model sees of a picture: the parts that become tokens, and which of them a token looks at."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from streamlit_client.inspection.plots import COLOR, Plot
from streamlit_client.inspection.show_plot import show_plot
from streamlit_client.shared.markdown import escape

_WIDTH, _MAX_HEIGHT = 360, 480  # pixels of a plot
_SHOWN = 3  # parts in words


def say_pictures(images: Sequence[Mapping[str, Any]]) -> str:
    """How a picture becomes tokens."""
    image, count = images[0], len(images)
    rows = sum(image["rows"] for image in images)
    parts = f"{count} parts of it, {rows} tokens together" if count > 1 else f"{rows} of these tokens"
    words = (
        f"The picture is {parts}. Each stands for a square of pixels, and its row of numbers comes from the "
        "encoder of the model, and from no vocabulary."
    )
    if image["grid"] is None:
        return words
    down, across = image["grid"]
    size = f"{image['width']} x {image['height']} pixels"
    square = f"{image['width'] // across} x {image['height'] // down}"
    what = "The first part is seen" if count > 1 else "The model sees it"
    return f"{words} {what} in {size}, as {across} x {down} squares of {square} pixels."


def show_pictures(
    images: Sequence[Mapping[str, Any]],
    attention: Mapping[str, Any],
    labels: Sequence[str],
) -> None:
    """Show which parts of a picture a token of the text behind it looks at. `labels`: of all tokens."""
    end = images[-1]["start"] + images[-1]["rows"]
    behind = list(range(end, len(labels)))
    if not behind:
        return
    token = st.select_slider(
        "The token that looks at the picture",
        behind,
        behind[-1],
        format_func=lambda number: escape(labels[number]),
        key=f"explain_looks_{len(labels)}",
    )
    weights = attention["weights"][token]
    for number, image in enumerate(images, 1):
        own = weights[image["start"] : image["start"] + image["rows"]]
        part = f", part {number} of {len(images)}" if len(images) > 1 else ""
        if image["grid"] is not None:
            show_plot(f"What “{labels[token]}” looks at{part}", plot_picture(image, own), fills_page=False)


def plot_picture(image: Mapping[str, Any], weights: Sequence[float]) -> Plot:
    """A picture with its squares, which are the lighter the more a token looks at them."""
    down, across = image["grid"]
    height = min(_MAX_HEIGHT, round(_WIDTH * image["height"] / image["width"]))
    width = min(_WIDTH, round(height * image["width"] / image["height"]))
    largest = max(weights, default=0) or 1
    squares = [
        {
            "column": index % across + 1,
            "row": index // across + 1,
            "left": index % across,
            "right": index % across + 1,
            "top": index // across,
            "bottom": index // across + 1,
            "weight": weight,
            "shade": 0.75 * (1 - weight / largest),
        }
        for index, weight in enumerate(weights)
    ]
    size = {"width": alt.expr("width"), "height": alt.expr("height")}  # of the plot, as the page lets it be
    picture = (
        alt.Chart(pd.DataFrame([{"url": image["picture"]}]))
        .mark_image(**size, align="left", baseline="top", aspect=False)
        .encode(x=alt.value(0), y=alt.value(0), url="url:N")
    )
    axis: dict[str, Any] = {"axis": None}
    cells = (
        alt.Chart(pd.DataFrame(squares))
        .mark_rect(color="black", stroke=COLOR, strokeWidth=0.5, strokeOpacity=0.6)
        .encode(
            x=alt.X("left:Q", scale=alt.Scale(domain=[0, across], nice=False), **axis),
            x2="right:Q",
            y=alt.Y("top:Q", scale=alt.Scale(domain=[0, down], nice=False, reverse=True), **axis),
            y2="bottom:Q",
            fillOpacity=alt.FillOpacity("shade:Q", scale=None),
            tooltip=["column:Q", "row:Q", alt.Tooltip("weight:Q", format=".2%")],
        )
    )
    best = sorted(range(len(weights)), key=lambda index: -weights[index])[:_SHOWN]
    places = ", ".join(f"{weights[i]:.1%} at column {i % across + 1}, row {i // across + 1}" for i in best)
    words = f"{sum(weights):.0%} of its attention is for this picture of {across} x {down} squares: {places}."
    return (picture + cells).properties(width=width, height=height), words
