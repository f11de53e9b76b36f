"""Shows a plot of plots.py on a page."""

import streamlit as st

from streamlit_client.inspection.plots import Plot
from streamlit_client.shared.markdown import escape


def show_plot(title: str, plot: Plot) -> None:
    """Show a plot with its title above, and its figures in words below."""
    chart, words = plot
    st.subheader(title, anchor=False)
    st.altair_chart(chart)
    st.caption(escape(words))
