"""The page that compares: one question to two models, adapters or settings, answered next to each other."""

from typing import Any

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.turn_view import run_again
from streamlit_client.compare.answer_view import AnswerView
from streamlit_client.compare.comparison import SCORES, Comparison
from streamlit_client.compare.parting_view import show_parting
from streamlit_client.compare.side_settings import Choice, show_choice
from streamlit_client.messages.list_view import REDRAW_INTERVAL_S
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_error, describe_progress, format_statistics
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import fetch_stats, get_client, get_conversations

# The label and the icon of the button for each vote.
BUTTONS = {
    "left": ("Left is better", ":material/arrow_back:"),
    "right": ("Right is better", ":material/arrow_forward:"),
    "tie": ("Tie", ":material/balance:"),
    "both bad": ("Both are bad", ":material/thumb_down:"),
}
assert BUTTONS.keys() == SCORES.keys()
_LINE = "comparison_question"  # the key of the message line
_ASKED = "comparison_asked"  # in the session: questions that no run has asked yet
# Where Streamlit puts the columns below each other, an answer scrolls in a box, or the second one would move
# down while the first one grows.
STACKED_STYLE = """
<style>
@media (max-width: 640px) {
    [class*="st-key-answer-"] { flex: none; height: 45vh; overflow-y: auto; }
    [class*="st-key-answer-"] > * { flex-shrink: 0; }
}
</style>
"""


def main() -> None:
    """Draw the page, and show running answers until they end."""
    st.set_page_config(page_title="tritonchat: compare", page_icon="💬", layout="wide")
    get_conversations()  # first: it ends the run of a visitor who has to log in
    client = get_client()
    _, error = fetch_stats(client)
    comparison: Comparison | None = st.session_state.get("comparison")
    choice: Choice | None = None
    st.html(STACKED_STYLE)
    st.subheader("Compare", anchor=False)
    top = st.empty()  # or the choice would stay below the answers until they have ended
    if error is not None:
        with top.container():
            st.error(describe_error(error), icon=":material/cloud_off:")
            st.button("Retry", icon=":material/refresh:")
    elif comparison is None:
        with top.container():
            st.markdown("Ask two sides the same question, and say which answer is better.")
            choice = show_choice(st.session_state.models)
    is_running = comparison is not None and comparison.is_running
    show_actions(comparison, is_running)
    asked: list[str] = st.session_state.setdefault(_ASKED, [])
    written = st.chat_input(
        "Ask both sides", key=_LINE, disabled=error is not None, on_submit=note_question, args=[asked]
    )
    # A page that was restarted calls no function for what was written before.
    question = asked[-1] if asked else written
    if question and question.strip():
        if comparison is None:
            assert choice is not None  # the input is enabled
            comparison = Comparison(choice.sides, choice.parameters, choice.is_blind)
            st.session_state.comparison = comparison
        comparison.ask(client, question, st.session_state.models)
        asked.clear()
        st.rerun()
    if comparison is not None:
        for number, turns in enumerate(comparison.rounds):
            show_round(comparison, number, *turns)
        if is_running:
            run_again()  # both answers have ended: draw the buttons for them


# What a person can do. Streamlit calls these functions and then runs the script again.


def note_question(asked: list[str]) -> None:
    """Let a run ask what was written. A click right after it ends the run before it comes to the line.

    It also ends this function where that reads a value of the session, or sets one: to_dict() alone does not.
    """
    asked.append(st.session_state.to_dict()[_LINE])


def vote(comparison: Comparison, winner: str) -> None:
    """Keep a vote on the last round, and show the names of the sides from now on."""
    try:
        get_conversations().add_vote(comparison.describe_vote(winner))
    except TritonchatError as error:
        st.toast(f"Your vote could not be kept. {describe_error(error)}", icon=":material/error:")
    else:
        comparison.winner, comparison.has_names = winner, True


def start_new() -> None:
    """Start a new comparison, with the same choice as before."""
    st.session_state.pop("comparison").stop()


# What a person sees.


def show_actions(comparison: Comparison | None, is_running: bool) -> None:
    """Show buttons for the last round, above the input line."""
    # Always the same placeholders, or the input line would lose its text; see the chat page.
    placeholders = st.bottom.empty(), st.bottom.empty()
    if comparison is None:
        return
    with placeholders[is_running].container(horizontal=True, vertical_alignment="center"):
        st.button("New comparison", icon=":material/add_comment:", on_click=start_new)
        if is_running:
            st.space("stretch")
            st.button("Stop", icon=":material/stop_circle:", on_click=comparison.stop)
        elif comparison.can_vote:
            st.space("stretch")
            for winner, (label, icon) in BUTTONS.items():
                st.button(label, icon=icon, on_click=vote, args=[comparison, winner])
        elif comparison.winner is not None:
            st.caption(f"You voted: {BUTTONS[comparison.winner][0].lower()}.")


def show_round(comparison: Comparison, number: int, *turns: Turn) -> None:
    """Show a question and the answers of both sides. Returns when both have ended."""
    with st.chat_message("user", avatar=":material/person:"):
        st.text(turns[0].question)
    places: list[tuple[Turn, AnswerView, Any]] = []
    columns = st.columns(2, border=True)
    for place, column, side, turn in zip(("Left", "Right"), columns, comparison.sides, turns, strict=True):
        with column:
            name = f" · {escape(side.name)}" if comparison.has_names else ""
            st.markdown(f"**{place}**{name}")
            with st.container(key=f"answer-{number}-{place}"):
                places.append((turn, AnswerView(), st.empty()))
    while not all(turn.finished.is_set() for turn in turns):
        for turn, view, caption in places:
            turn.wait(REDRAW_INTERVAL_S / 2)
            view.draw(turn)
            # This call ends the run if the visitor has clicked or left; so it is made in every round.
            caption.caption(describe(comparison, turn))
    for turn, view, caption in places:
        view.draw(turn)
        if turn.error is None:
            caption.caption(describe(comparison, turn))
        else:
            caption.error(describe_error(turn.error), icon=":material/error:")
    show_parting(comparison, number)


def describe(comparison: Comparison, turn: Turn) -> str:
    """What an answer is doing, or its figures. As long as the names are hidden, nothing that tells them."""
    if turn.is_running:
        is_known = comparison.has_names or turn.progress is None
        return escape(describe_progress(turn)) if is_known else "loading …"
    return format_statistics(turn) if comparison.has_names else "The names are shown after your vote."


main()
