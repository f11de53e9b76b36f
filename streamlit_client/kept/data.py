"""The page of all that a person keeps: how much was used, and one file of everything."""

from collections import Counter
from datetime import datetime
from functools import partial

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.kept.archive import MAX_BYTES, add, write
from streamlit_client.kept.usage import show_usage
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.people import find_zone
from streamlit_client.shared.server import get_conversations

_UPLOAD, _REPORT = "archive_number", "archive_report"  # in the session
_KINDS = ("conversation", "folder", "preset", "prompt")


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="tritonchat: data", page_icon="💬", layout="centered")
    get_conversations()  # first: it ends the run of a visitor who has to log in
    st.subheader("Usage", anchor=False)
    try:
        show_usage(find_zone())
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
    show_archive()


def show_archive() -> None:
    """Show the export of everything, and the import."""
    st.subheader("Everything in one file", anchor=False)
    st.markdown(
        "The file has your conversations with all branches, your folders, presets and prompts. "
        "An import adds them to those that are here, and replaces nothing."
    )
    st.download_button(
        "Export everything",
        partial(write, get_conversations()),
        f"tritonchat-{datetime.now(find_zone()):%Y-%m-%d}.jsonl",
        "application/jsonl",
        icon=":material/download:",
        on_click="ignore",
    )
    key = f"archive-{st.session_state.setdefault(_UPLOAD, 0)}"  # a new uploader has no file
    st.file_uploader(
        "Import such a file",
        "jsonl",
        key=key,
        max_upload_size=MAX_BYTES >> 20,
        on_change=import_file,  # a callback is not interrupted by a click
        args=[key],
    )
    for text, is_error in st.session_state.pop(_REPORT, []):
        (st.error if is_error else st.success)(text)


def import_file(key: str) -> None:
    """Add what a file has, and let the next run say what that was."""
    file, added = st.session_state[key], Counter[str]()
    if file is None:
        return
    report = st.session_state[_REPORT] = []
    try:
        add(get_conversations(), file.getvalue(), added)
    except TritonchatError as error:
        report.append((describe_error(error), True))
    if not report or added.total():
        counts = [f"{added[kind]:,} {kind}{'s' * (added[kind] != 1)}" for kind in _KINDS if added[kind]]
        report.append((f"Added: {', '.join(counts) or 'nothing that was not here'}.", False))
    st.session_state[_UPLOAD] += 1


main()
