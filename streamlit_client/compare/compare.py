"""The page that compares: one question to two models, adapters or settings, answered next to each other."""

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.turn_view import run_again
from streamlit_client.compare.comparison import SCORES, Comparison
from streamlit_client.compare.parting_view import show_parting
from streamlit_client.compare.side_answers import describe_nameless, describe_side
from streamlit_client.compare.side_settings import Choice, show_choice
from streamlit_client.messages.list_data import describe_question
from streamlit_client.messages.list_view import Feed, follow, show_list
from streamlit_client.shared.descriptions import describe_error, describe_progress
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
# down while the first one grows. Elsewhere all lists scroll with the page, so none has a button for that.
STYLE = """
<style>
[class*="st-key-answer-"] .tc-avatar, .tc-list .tc-latest { display: none; }
[class*="st-key-answer-"] .tc-message { padding: 0; }
@media (max-width: 640px) {
    [class*="st-key-answer-"] { flex: none; height: 45vh; overflow-y: auto; }
    [class*="st-key-answer-"] > * { flex-shrink: 0; }
    [class*="st-key-answer-"] .tc-latest { display: inline-grid; }
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
    st.html(STYLE)
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
        feeds: list[Feed] = []
        for number in range(len(comparison.rounds)):
            feeds = show_round(comparison, number)
        if is_running:
            if feeds:
                follow(*feeds)
            run_again()  # an answer has ended: show its end, and after both the buttons for them


# What a person can do. Streamlit calls these functions and then runs the script again.


def note_question(asked: list[str]) -> None:
    """Let a run ask what was written. A click right after it ends the run before it comes to the line."""
    asked.append(st.session_state[_LINE])


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


def show_round(comparison: Comparison, number: int) -> list[Feed]:
    """Show a question and the answers of both sides. Returns the feeds of those that run."""
    turns, chat = comparison.rounds[number], f"{comparison.key}-{number}"
    show_list(
        f"{chat}-question",
        [describe_question(turns[0].question)],
        place=f"question-{number}",
        label=f"Question {number + 1}",
    )
    feeds = []
    columns = st.columns(2, border=True)
    for place, column, side, turn in zip(("Left", "Right"), columns, comparison.sides, turns, strict=True):
        with column:
            name = f" · {escape(side.name)}" if comparison.has_names else ""
            st.markdown(f"**{place}**{name}")
            with st.container(key=f"answer-{number}-{place}"):
                shown = describe_side(turn, comparison.has_names)
                show_list(
                    f"{chat}-{place}", [shown], place=f"{place.lower()}-{number}", label=f"{place} side"
                )
        if shown["is_running"]:
            say = describe_progress if comparison.has_names else describe_nameless
            feeds.append(Feed(f"{chat}-{place}", turn, say))
    show_parting(comparison, number)
    return feeds


main()
