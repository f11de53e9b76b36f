"""What a person may choose while writing a message: a list opens behind a mark such as "#".

`completion.js` is a component without a size, beside the one message line of a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from streamlit_client.shared.browser import NEW, WANTED

_FOLDER = Path(__file__).parent
# In the session: what the message line begins with, and whether the page is to lead there.
_BEGUN, _LEADS = "begun_message", "leads_to_chat"

_PART = st.components.v2.component("tritonchat_completion", js=(_FOLDER / "completion.js").read_text())


@dataclass(frozen=True)
class Entry:
    """Something to choose.

    Attributes:
        name: what stands behind the mark.
        about: a few words beside it.
        text: what takes the place of mark and name; None: both stay.
    """

    name: str
    about: str = ""
    text: str | None = None


def show_completion(entries: Mapping[str, Sequence[Entry]]) -> None:
    """Let the message line offer entries by their marks, and write into it what `begin_message` has asked."""
    st.html(_FOLDER / "completion.css")
    data = {
        "entries": {mark: [asdict(entry) for entry in some] for mark, some in entries.items()},
        "begun": st.session_state.get(_BEGUN, {"text": "", "number": 0}),
    }
    with st.container(key="completion-part"):
        _PART(key="completion", data=data)


def begin_message(text: str, is_new: bool = False) -> None:
    """Let the message line begin with a text, and the next run of another page lead to the chat.

    `is_new`: to a new one, not to that which was open last.
    """
    number = st.session_state.get(_BEGUN, {"number": 0})["number"] + 1
    st.session_state[_BEGUN] = {"text": text, "number": number}
    st.session_state[_LEADS] = True
    if is_new:
        st.session_state[WANTED] = NEW


def follow_message() -> None:
    """Lead to the chat if a message has begun. In each run: a click after it may end the one before."""
    if st.session_state.pop(_LEADS, False):
        st.switch_page("chat/chat.py")
