"""Prompts on the page: texts with a name that a person writes once and uses often, kept in the store.

`/name` in the message line offers them. `{{variables}}` in a text are asked for when it is used.
"""

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.library.passages import mention
from streamlit_client.shared.completion import Entry, begin_message
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_conversations, report_errors

KIND = "prompt"  # of the documents in the store; each is {"text": ...}
_MAX_NAME, _MAX_TEXT = 60, 20_000  # characters
_MAX_ABOUT = 50  # characters of a text in the list of the message line
_NAME, _TEXT = "new_prompt_name", "new_prompt_text"  # keys of fields
_HEIGHT = 120  # of a text, in pixels


def complete_prompts() -> list[Entry]:
    """The prompts that the message line offers. None while the server does not answer."""
    try:
        kept = list_prompts()
    except TritonchatError:
        return []
    return [Entry(name, " ".join(text.split())[:_MAX_ABOUT], text) for name, text in kept.items()]


def list_prompts() -> dict[str, str]:
    """The texts of the prompts, by their names. Raises TritonchatError."""
    return {name: value["text"] for name, value in get_conversations().list_documents(KIND).items()}


def show_prompts() -> None:
    """Show the prompts, and fields for a new one. Raises TritonchatError if the server does not answer."""
    st.markdown(
        "A prompt is a text that you use again. Type `/` and its name in the message line. What stands in "
        "double braces, as `{{language}}`, is asked for each time."
    )
    with st.form("new-prompt", border=False):
        st.text_input("Name of a new prompt", key=_NAME, max_chars=_MAX_NAME, placeholder="translate")
        st.text_area(
            "Text",
            key=_TEXT,
            max_chars=_MAX_TEXT,
            height=_HEIGHT,
            placeholder="Translate this into {{language}}: {{text}}",
        )
        st.form_submit_button("Keep the prompt", icon=":material/bookmark_add:", on_click=_add)
    for name, text in list_prompts().items():
        with st.expander(f"**/{escape(name)}**"):
            key = f"prompt-{name}"
            st.text_area(f"Text of {name}", text, key=key, max_chars=_MAX_TEXT, height=_HEIGHT)
            with st.container(horizontal=True):
                st.button(
                    "Save", icon=":material/save:", key=f"save-{name}", on_click=_save, args=[name, key]
                )
                st.button(
                    "Use it",
                    icon=":material/forum:",
                    key=f"use-{name}",
                    on_click=begin_message,
                    args=[text],
                )
                st.button(
                    f"Delete /{escape(name)}",
                    icon=":material/delete:",
                    key=f"drop-prompt-{name}",
                    on_click=_delete,
                    args=[name],
                )


def _add() -> None:
    name, text = mention(st.session_state[_NAME]), st.session_state[_TEXT]
    if not name or not text.strip():
        _say("A prompt needs a name of letters or digits, and a text.")
    elif report_errors(lambda: _put_new(name, text)):
        st.session_state[_NAME] = st.session_state[_TEXT] = ""


def _put_new(name: str, text: str) -> None:
    if name.casefold() in map(str.casefold, list_prompts()):
        raise TritonchatError(f"there is a prompt /{name} already.")
    get_conversations().put_document(KIND, name, {"text": text})


def _save(name: str, key: str) -> None:
    text = st.session_state[key]
    if not text.strip():
        _say("A prompt needs a text.")
    elif report_errors(lambda: get_conversations().put_document(KIND, name, {"text": text})):
        st.toast(f"/{escape(name)} is saved.", icon=":material/check:")


def _delete(name: str) -> None:
    report_errors(lambda: get_conversations().delete_document(KIND, name))


def _say(error: str) -> None:
    st.toast(error, icon=":material/error:", duration="long")
