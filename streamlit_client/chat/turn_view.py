"""The turns of a conversation: the list of messages, and below it what Streamlit draws for some of them."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import streamlit as st

from streamlit_client.chat.answer_tokens import show_answer_tokens
from streamlit_client.chat.receipt_view import show_receipt
from streamlit_client.chat.state import Chat
from streamlit_client.chat.tool_calls import show_calls
from streamlit_client.chat.turn_actions import act_on_list
from streamlit_client.messages.list_data import Surroundings, describe_turn
from streamlit_client.messages.list_view import REDRAW_INTERVAL_S, Feed, follow, show_list
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.markdown import escape
from triton_server.client.conversations import Conversations
from triton_server.conversations import tree

_MAX_QUESTION = 60  # characters of one that is quoted
# Gives the results of tools, by the ids of their calls, to the model.
SendResults = Callable[[Turn, dict[str, str]], None]


def show_turns(
    chat: Chat,
    turns: list[Turn],
    conversations: Conversations,
    send_results: SendResults,
    is_opening: bool = False,
) -> None:
    """Show the turns of a chat. Returns when the last answer has ended, if it runs.

    is_opening: whether it is the first run of a tab.
    """
    last = turns[-1]
    is_running = not last.finished.is_set()
    show_list(
        chat.key,
        [
            describe_turn(turn, around)
            for turn, around in zip(turns, find_surroundings(chat, turns), strict=True)
        ],
        chat.edit,
        partial(act_on_list, chat, conversations),
    )
    if is_running:
        follow(Feed(chat.key, last), is_opening=is_opening)
        return  # another run shows the whole of it
    if last.tool_calls and not show_calls(chat, last, send_results):
        show_result_form(last, send_results)
    for turn in turns:
        is_rest = turn is not last
        if turn.text and turn.id is not None and chat.looks_at == turn.id:
            show_beside(turn, is_rest, show_answer_tokens, chat)
        if turn.receipt is not None and chat.shows_receipt == turn.id:
            show_beside(turn, is_rest, show_receipt, chat)


def find_surroundings(chat: Chat, turns: list[Turn]) -> list[Surroundings]:
    """What the list has to know beside each turn."""
    names = [entry["name"] for entry in st.session_state.get("models", ())]
    stored = {} if chat.stored is None else {turn.id: turn for turn in chat.stored.turns}
    children: dict[int | None, list[tree.Turn]] = {}
    for each in stored.values():
        children.setdefault(each.parent, []).append(each)
    known = [None if turn.id is None else stored.get(turn.id) for turn in turns]
    return [
        Surroundings(names) if each is None else _describe_place(names, each, children[each.parent])
        for each in known
    ]


def _describe_place(models: list[str], turn: tree.Turn, siblings: list[tree.Turn]) -> Surroundings:
    earlier = (each for each in siblings if each.id < turn.id and each.question == turn.question)
    is_repeated = bool(turn.answer) and any(each.answer == turn.answer for each in earlier)
    return Surroundings(models, [each.id for each in siblings], turn.rating, is_repeated)


def run_again() -> NoReturn:
    """Run the script again after what it has drawn was sent. Streamlit drops what still waits for that."""
    time.sleep(REDRAW_INTERVAL_S)  # it sends a hundred times a second
    st.rerun()


def show_beside(turn: Turn, names_question: bool, show: Callable[[Chat, Turn], None], chat: Chat) -> None:
    """Show something of a turn below the list; with its question, unless that stands right above."""
    if names_question and turn.question:
        words = " ".join(turn.question.split())
        words = words if len(words) <= _MAX_QUESTION else words[: _MAX_QUESTION - 1] + "…"
        st.caption(f"The answer to “{escape(words)}”")
    show(chat, turn)


def show_result_form(turn: Turn, send_results: SendResults) -> None:
    """Show a field for the result of each call. After they are sent, the model goes on."""
    missing: list[Any] = [call for call in turn.tool_calls if call.id not in turn.results]
    if not missing or turn.id is None:
        return
    keys = {call.id: f"result-{turn.id}-{call.id}" for call in missing}
    with st.form(f"results-{turn.id}", border=False):
        for number, call in enumerate(missing, 1):
            label = "Result" if len(missing) == 1 else f"Result of call {number}"
            st.text_area(label, key=keys[call.id], height=68)

        def send() -> None:
            send_results(turn, {name: st.session_state[key] for name, key in keys.items()})

        label = "Send the result" if len(missing) == 1 else "Send the results"
        st.form_submit_button(label, icon=":material/send:", on_click=send)
