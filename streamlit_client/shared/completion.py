"""What a person may choose while writing a message: a list opens behind a mark such as "#".

`completion.js` is a component without a size, beside the one message line of a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent
_BEGUN = "begun_message"  # in the session

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


def begin_message(text: str) -> None:
    """Let the message line begin with a text when the chat is shown next."""
    number = st.session_state.get(_BEGUN, {"number": 0})["number"] + 1
    st.session_state[_BEGUN] = {"text": text, "number": number}
