"""Shows a plot of plots.py on a page."""

import streamlit as st

from streamlit_client.inspection.plots import Plot
from streamlit_client.shared.markdown import escape


def show_plot(title: str, plot: Plot, fills_page: bool = True) -> None:
    """Show a plot with its title above, and its figures in words below. `fills_page`: from side to side."""
    chart, words = plot
    st.subheader(title, anchor=False)
    st.altair_chart(chart, width="stretch" if fills_page else "content")
    st.caption(escape(words))
