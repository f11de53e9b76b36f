"""The page of votes: who has won how often, and a rating of each competitor."""

import json
from functools import partial
from typing import Any

import altair as alt
import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.compare.comparison import read_outcomes
from streamlit_client.compare.ratings import Outcome, Rating, rate
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_conversations
from triton_server.client.conversations import Conversations
from triton_server.conversations.rated import export_rated

_ROW = 32  # pixels of the plot for each competitor
_COLOR = "#3b6fd4"  # that of the page: it can be seen in both themes


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="tritonchat: votes", page_icon="💬", layout="centered")
    conversations = get_conversations()  # first: it ends the run of a visitor who has to log in
    st.subheader("Votes", anchor=False)
    try:
        votes = conversations.list_votes()
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
        return
    with_settings = st.toggle(
        "A model with other settings is another competitor",
        True,
        help="Without this, only votes on two different models count.",
    )
    ratings = rate_votes(read_outcomes(votes, with_settings))
    if ratings:
        show_table(ratings)
        show_plot(ratings)
    elif votes:
        st.info(
            f"You have voted {len(votes)} times, but never on two different sides, so nothing can be rated. "
            "Give the sides of “Compare” different models"
            + (" or settings." if with_settings else ", or count settings, too.")
        )
    else:
        st.info("There are no votes to count yet. They come from the page “Compare”.")
    show_exports(conversations, votes)


@st.cache_data(max_entries=20, show_spinner=False)
def rate_votes(outcomes: list[Outcome]) -> list[Rating]:
    """The same as `rate`, computed once for the same votes."""
    return rate(outcomes)


def show_table(ratings: list[Rating]) -> None:
    """Show how often each competitor has won, and its rating in words."""
    st.table(
        [
            {
                "Competitor": escape(rating.name),
                "Votes": rating.votes,
                "Won": rating.wins,
                "Tied": rating.ties,
                "Lost": rating.losses,
                "Rating": f"{rating.rating:.0f} ({rating.low:.0f} to {rating.high:.0f})",
            }
            for rating in ratings
        ]
    )


def show_plot(ratings: list[Rating]) -> None:
    """Plot the ratings with their intervals."""
    rows = [
        {"name": r.name, "rating": round(r.rating), "low": round(r.low), "high": round(r.high)}
        for r in ratings
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=300))
    )
    intervals = base.mark_rule(strokeWidth=2, color=_COLOR).encode(
        x=alt.X("low:Q", title="Rating", scale=alt.Scale(zero=False)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=_COLOR).encode(
        x="rating:Q", tooltip=["name:N", "rating:Q", "low:Q", "high:Q"]
    )
    st.altair_chart((intervals + points).properties(height=alt.Step(_ROW)))
    st.caption(
        "Ratings of the Bradley-Terry model on Elo's scale, with 95 % intervals: 400 points more are odds of "
        "10 to 1. The table above has the same numbers."
    )


def show_exports(conversations: Conversations, votes: list[dict[str, Any]]) -> None:
    """Show buttons that download what a person has rated."""
    with st.container(horizontal=True):
        st.download_button(
            "Votes as JSONL",
            "".join(json.dumps(vote, ensure_ascii=False) + "\n" for vote in votes),
            "votes.jsonl",
            "application/jsonl",
            icon=":material/download:",
            disabled=not votes,
        )
        st.download_button(
            "Answers with a thumb as JSONL",
            partial(collect_rated, conversations),
            "rated-answers.jsonl",
            "application/jsonl",
            icon=":material/thumbs_up_down:",
            help="The thumbs below the answers of the chat page.",
        )


def collect_rated(conversations: Conversations) -> str:
    """All answers with a thumb, in JSONL."""
    ids: list[str] = []
    found = conversations.list()
    while found:
        ids += [summary.id for summary in found]
        found = conversations.list(before=found[-1])
    return export_rated(conversations.get(conversation) for conversation in ids)


main()
