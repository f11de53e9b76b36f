"""Questions that the server does not have yet: those that wait for the end of an answer, and failed ones.

They are kept until they are answered or removed: when the visitor looks at another conversation, and, in this
process, when the browser loads the page again. A question that failed because the server was away is sent by
itself when the server is back.
"""

import secrets
import time
from collections import OrderedDict
from dataclasses import replace

import streamlit as st
from streamlit.elements.widgets.chat import ChatInputValue

from model_core.errors import ShuttingDown, TritonchatError
from streamlit_client.chat.attachments import check_images, count_tokens, read_files
from streamlit_client.chat.state import Chat
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.server import forget_temporary, get_client
from triton_server.contract.wire import ServerUnavailable

ADDRESS = "unsent"  # the parameter of the page's address with the name under which this process keeps them
_MAX_TABS = 200  # whose questions are kept; the oldest are forgotten
_MAX_RETRIES = 5  # without a success between them
_RETRY_S = 2.0  # between the first two of them; each pause is twice as long as the one before
_MAX_LABEL = 60  # characters of a question that waits
_LEFT = "unsent_chats"  # in the session: such conversations, in the order in which they were left
_COUNT = "line_count"  # in the session: of the lines besides the first one
_LINES = "line_keys"  # in the session: the keys of message lines, by the ids of conversations

# By the names in addresses: who has asked, the conversation that was shown, and those that were left.
_KEPT: OrderedDict[str, tuple[str, Chat, list[Chat]]] = OrderedDict()


def has_unsent(chat: Chat) -> bool:
    """Whether a conversation has questions that the server does not have."""
    return chat.pending is not None or bool(chat.waiting)


def leave(chat: Chat) -> None:
    """Keep the questions of a conversation which the visitor leaves, until `find_left` asks for it.

    A temporary one is gone.
    """
    if chat.is_temporary:
        chat.stop()
        forget_temporary(chat.id)
        return
    if chat.id is not None or not has_unsent(chat):  # else the next new one would have the same line
        st.session_state.setdefault(_LINES, {})[chat.id] = chat.key
    if has_unsent(chat):
        st.session_state.setdefault(_LEFT, []).append(chat)


def find_left(conversation: str | None) -> Chat | None:
    """The conversation with questions that the visitor has left; None: one that the store does not have."""
    left: list[Chat] = st.session_state.get(_LEFT, [])
    found = next((chat for chat in left if chat.id == conversation), None)
    if found is not None:
        left.remove(found)
    return found


def restore_line(chat: Chat) -> Chat:
    """The same conversation with the message line that it had, to which the browser knows the draft."""
    lines: dict[str | None, str] = st.session_state.get(_LINES, {})
    known = None if chat.is_temporary else lines.pop(chat.id, None)
    if known is None:
        st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
        known = str(st.session_state[_COUNT])
    chat.key = known
    return chat


def keep(chat: Chat) -> None:
    """Let the address name the questions of the conversations of a tab, so that a reload finds them."""
    name, left = st.session_state.get(ADDRESS), st.session_state.get(_LEFT, [])
    if chat.is_temporary:
        chat = Chat()  # a reload finds nothing of it
    if has_unsent(chat) or left:
        name = name or secrets.token_urlsafe(16)
        _KEPT[name] = (owner(), chat, list(left))
        _KEPT.move_to_end(name)
        if len(_KEPT) > _MAX_TABS:
            _KEPT.popitem(last=False)
        if st.query_params.get(ADDRESS) != name:
            st.query_params[ADDRESS] = name
        st.session_state[ADDRESS] = name
    elif name is not None:
        _KEPT.pop(st.session_state.pop(ADDRESS), None)
        st.query_params.pop(ADDRESS, None)


def find_kept() -> Chat | None:
    """The conversation whose questions the address names, for a browser that has loaded the page again."""
    name = st.query_params.get(ADDRESS)
    person, chat, left = _KEPT.get(name or "", (None, None, []))
    if chat is None or person != owner():
        st.query_params.pop(ADDRESS, None)
        return None
    st.session_state[ADDRESS] = name
    st.session_state.setdefault(_LEFT, []).extend(left)
    if not has_unsent(chat):
        return None
    # Another tab with the same address has the same questions, but its own place in the conversation.
    return replace(chat, key="0", waiting=list(chat.waiting), running=dict(chat.running))


def send_line(chat: Chat, key: str) -> None:
    """Send what was written. A click right after it ends the run before it comes to the line."""
    chat.is_line_sent = True
    send(chat, st.session_state[key])
    if st.session_state.chat is not chat:  # that click has shown another one
        leave(chat)


def send(chat: Chat, value: ChatInputValue) -> None:
    """Let this run send a text and files. A file that cannot be read is refused with a reason."""
    if not (value.text.strip() or value.files):
        return
    last = chat.last
    if last is not None and (not last.finished.is_set() or has_lost_server(last)):
        turn = chat.ask_later(value.text)
    else:
        turn = chat.ask(value.text)
    try:
        turn.attachments = read_files([(file.name, file.getvalue()) for file in value.files])
        check_images(turn.attachments, st.session_state.get("model"))
        count_tokens(turn.attachments, get_client(), st.session_state.get("model_name"))
    except TritonchatError as error:
        turn.fail(error)


def has_lost_server(turn: Turn) -> bool:
    """Whether a turn has failed because the server was away."""
    return turn.finished.is_set() and isinstance(turn.error, ServerUnavailable | ShuttingDown)


def waits_for_server(chat: Chat) -> bool:
    """Whether the last question is sent again by itself when the server is back."""
    last = chat.last
    can_retry = last is not None and has_lost_server(last) and not last.tool_calls
    return can_retry and chat.retries < _MAX_RETRIES


def send_what_waits(chat: Chat) -> None:
    """Send the first question that waits, if the answer before it has ended well. The server is there.

    What failed because the server was away is tried again instead, a few times, in longer and longer pauses:
    a server that has just started may answer this request, and not yet that one.
    """
    last, now = chat.last, time.monotonic()
    if last is not None and waits_for_server(chat):
        if now >= chat.next_retry:
            chat.next_retry = now + _RETRY_S * 2**chat.retries
            chat.retries += 1
            chat.retry(last)
    elif last is None or (last.finished.is_set() and last.error is None and last is not chat.pending):
        chat.retries, chat.next_retry = 0, 0.0
        if chat.waiting:
            chat.ask_waiting()


def show_waiting(chat: Chat) -> None:
    """Show the questions that wait. A click on one removes it."""
    if chat.waiting:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            for number, turn in enumerate(chat.waiting):
                words = " ".join(turn.question.split()) or turn.attachments[0].name
                label = words if len(words) <= _MAX_LABEL else words[: _MAX_LABEL - 1] + "…"
                st.button(
                    f":material/schedule: Waits: {escape(label)}",
                    icon=":material/close:",
                    icon_position="right",
                    help="It is sent after this answer. Click to remove it.",
                    key=f"waiting-{number}-{len(chat.waiting)}",
                    on_click=chat.waiting.remove,
                    args=[turn],
                )
