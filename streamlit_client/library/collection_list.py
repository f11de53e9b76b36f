"""Collections of files on the page: make one, drop files into it, see how far they are, remove them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.library.passages import mention
from streamlit_client.shared.completion import begin_message
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.server import get_client
from triton_server.client.collections import Collection, Collections, File
from triton_server.collections.embedder import read_embedder
from triton_server.collections.plain_text import clean_name
from triton_server.collections.store import COMPLETED, FAILED, IN_PROGRESS

MAX_MEBIBYTES = 20  # of a file
_OPEN = "open_collection"  # in the session: the id of the one that was changed last
_NAME = "collection_name"  # the key of the field
# In the session: what was wrong with a name, that a file was removed, and the id of what may be deleted.
_PROBLEM, _IS_CHANGED, _DOOMED = "collection_problem", "collection_changed", "doomed_collection"
_MAX_NAME = 60  # characters
_LOOK_AGAIN_S = 1.0  # at files that are being read
_NO_EMBEDDER = (
    "No model of this server embeds files. Start it with a small one beside the one that answers: "
    "`--model sentence-transformers/all-MiniLM-L6-v2`."
)
_STATES = {
    IN_PROGRESS: ":material/hourglass_top: being read",
    COMPLETED: ":material/check: ready",
    FAILED: ":material/error:",
}


def show_collections() -> None:
    """Show the collections. Raises TritonchatError if the server does not answer."""
    collections = get_collections()
    found = collections.list()
    st.markdown(
        "Files in a collection are searched for what fits a question. Name a collection in a question, as in "
        "`#handbook`, and the passages that were found stand under the answer."
    )
    if lacks_embedder(get_client().stats()["models"]):
        st.info(_NO_EMBEDDER, icon=":material/info:")
    else:
        form = st.form("new-collection", border=False, clear_on_submit=True)
        with form.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of a new collection", key=_NAME, max_chars=_MAX_NAME, placeholder="handbook")
            st.form_submit_button(
                "Make a collection",
                icon=":material/create_new_folder:",
                on_click=create,
                args=[collections, found],
            )
        if _PROBLEM in st.session_state:
            st.error(st.session_state.pop(_PROBLEM))
    for collection in reversed(found):  # a new one stands where it was made
        show_collection(collections, collection)


def get_collections() -> Collections:
    """The visitor's collections."""
    return get_client().collections(owner())


def lacks_embedder(models: list[dict[str, Any]]) -> bool:
    """Whether no model embeds. Nobody knows that while one was never loaded."""
    return all(
        entry["description"] is not None
        and read_embedder(entry["name"], entry["description"], entry["fingerprint"]) is None
        for entry in models
    )


def create(collections: Collections, known: list[Collection]) -> None:
    """Make a collection of the name that was written, and let the next run show it."""
    wanted = mention(st.session_state[_NAME])
    if not wanted:
        st.session_state[_PROBLEM] = "A collection needs a name of letters or digits."
    elif wanted.casefold() in (mention(each.name).casefold() for each in known):
        st.session_state[_PROBLEM] = f"There is a collection #{escape(wanted)} already."
    else:
        try:
            st.session_state[_OPEN] = collections.create(wanted).id
        except TritonchatError as error:
            st.session_state[_PROBLEM] = escape(str(error))


def show_collection(collections: Collections, collection: Collection) -> None:
    """Show a collection: its files, a place to drop more, and how far they are."""
    counts, name = collection.files, mention(collection.name)
    total = sum(counts.values())
    about = "empty" if not total else f"{counts[COMPLETED]} of {total} files ready"
    with st.expander(f"**#{escape(name)}** · {about}", expanded=st.session_state.get(_OPEN) == collection.id):
        number = st.session_state.setdefault("collection_uploads", 0)
        files = st.file_uploader(
            f"Files for {name}",
            accept_multiple_files=True,
            max_upload_size=MAX_MEBIBYTES,
            key=f"files-{collection.id}-{number}",
            label_visibility="collapsed",
        )
        st.caption("PDF with text, docx, xlsx, ipynb, Markdown, code and other text.")
        if files:
            send(collections, collection, [(file.name, file.getvalue()) for file in files])
        is_busy = bool(counts[IN_PROGRESS])
        st.fragment(show_files, run_every=_LOOK_AGAIN_S if is_busy else None)(collection, is_busy)
        with st.container(horizontal=True):
            if counts[COMPLETED]:
                key = f"ask-{collection.id}"
                st.button(
                    "Ask about it",
                    icon=":material/forum:",
                    key=key,
                    on_click=begin_message,
                    args=[f"#{name} ", True],
                )
            st.button(
                "Delete",
                icon=":material/delete:",
                key=f"drop-{collection.id}",
                on_click=_ask_whether,
                args=[collection],
            )
        if st.session_state.get(_DOOMED) == collection.id:
            st.caption("Its files are removed from this server. Answers keep the passages that they had.")
            st.button(
                f"Delete #{escape(name)}",
                type="primary",
                key=f"sure-{collection.id}",
                on_click=_delete,
                args=[collection],
            )


def send(collections: Collections, collection: Collection, files: list[tuple[str, bytes]]) -> None:
    """Send files to the server, with a bar, and show the collection again."""
    bar = st.progress(0.0)
    for number, (name, data) in enumerate(files):
        name = clean_name(name)
        bar.progress(number / len(files), f":small[Sending {escape(name)}]")
        if not _report(partial(collections.add_file, collection, name, data)):
            break
    st.session_state[_OPEN] = collection.id
    st.session_state["collection_uploads"] += 1  # a new uploader has no files
    st.rerun()


def show_files(collection: Collection, was_busy: bool) -> None:
    """Show the files of a collection with their states. While some are being read, this is drawn again."""
    try:
        files = get_collections().list_files(collection.id)
    except TritonchatError as error:
        st.error(escape(str(error)))
        return
    left = sum(file.status == IN_PROGRESS for file in files)
    if was_busy != bool(left) or st.session_state.pop(_IS_CHANGED, False):
        st.rerun()  # all of the page, whose heading has the number of files
    if left:
        done = len(files) - left
        st.progress(done / len(files), f":small[{done} of {len(files)} files are read]")
    for file in files:
        show_file(collection, file)


def show_file(collection: Collection, file: File) -> None:
    """Show a file: its name, how far it is or why it has failed, and a button that removes it."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        state = _STATES.get(file.status, file.status)
        st.markdown(f"{escape(file.name)} :small[{state} {escape(file.error or '')}]", width="stretch")
        st.button(
            f"Remove {escape(file.name)}",
            icon=":material/close:",
            type="tertiary",
            help="Remove",
            key=f"delete-{collection.id}-{file.id}",
            on_click=_delete,
            args=[collection, file],
        )


# What a person does. Streamlit calls these functions before it runs the script again: a run may end before it
# comes to the button.


def _ask_whether(collection: Collection) -> None:
    """Let the next run ask whether a collection is to be deleted; or if it did, no longer."""
    is_asked = st.session_state.get(_DOOMED) == collection.id
    st.session_state[_OPEN], st.session_state[_DOOMED] = collection.id, None if is_asked else collection.id


def _delete(collection: Collection, file: File | None = None) -> None:
    """Remove a file of a collection; None: all of it."""
    st.session_state[_OPEN], st.session_state[_IS_CHANGED] = collection.id, file is not None
    kept = get_collections()
    _report(lambda: kept.delete_file(collection.id, file.id) if file else kept.delete(collection.id))


def _report(act: Callable[[], Any]) -> bool:
    """Do something, and show its error for a moment if it fails. Whether it has succeeded."""
    try:
        act()
    except TritonchatError as error:
        st.toast(escape(str(error)), icon=":material/error:", duration="long")
        return False
    return True
