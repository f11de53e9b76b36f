"""What the page does in the browser where Streamlit ends: the focus, the side bar of phones.

`browser.js` is a component without a size. It listens to the whole page, so each page shows it once.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_FOLDER = Path(__file__).parent
_FOCUS, _SAID = "browser_focus", "browser_said"  # in the session

LINE = "[data-testid=stChatInputTextArea]"  # where a person writes
WANTED = "wanted_chat"  # in the session: the id of a conversation that was chosen, until it is open
NEW = ""  # instead of the id: a new conversation

_PART = st.components.v2.component("tritonchat_browser", js=(_FOLDER / "browser.js").read_text())


def show_browser_part() -> None:
    """Let the browser do what was asked for since the last run. Call it before a running answer is shown."""
    st.html(_FOLDER / "browser.css")
    data = {
        "focus": st.session_state.get(_FOCUS, {"selector": LINE, "always": False, "number": 0}),
        "said": st.session_state.get(_SAID, {"text": "", "number": 0}),
    }
    with st.container(key="browser-part"):
        _PART(key="browser", data=data)


def move_focus(selector: str = LINE, always: bool = False) -> None:
    """Move the focus to an element with the next run. `always`: also on a phone, where a keyboard opens."""
    number = st.session_state.get(_FOCUS, {"number": 0})["number"] + 1
    st.session_state[_FOCUS] = {"selector": selector, "always": always, "number": number}


def is_history_navigation() -> bool:
    """Whether this run shows the address to which the browser has gone back or forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def say_answer(text: str) -> None:
    """Tell who does not see it that an answer has ended, with the next run.

    Screen readers read the text. A tab that is hidden says in its title that an answer is ready.
    """
    number = st.session_state.get(_SAID, {"number": 0})["number"] + 1
    st.session_state[_SAID] = {"text": text, "number": number}
