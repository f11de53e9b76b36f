"""What leads out of the open conversation and into others: a read-only link, export and import."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.chat_list import open_conversation
from streamlit_client.chat.state import Chat
from streamlit_client.kept.links import find_link, make_link, remove_link
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.people import find_zone, has_login
from streamlit_client.shared.server import get_client, get_conversations, report_errors
from triton_server.contract.image_bytes import MAX_IMAGES_BYTES
from triton_server.conversations import exchange
from triton_server.conversations.tree import Conversation

_UPLOAD = "import_number"  # a new uploader has no file
_MENU = "sharing"


def show_sharing(chat: Chat) -> None:
    """Show the menu of link, export and import. What is in it is made only while it is open."""
    menu = st.popover(
        "Share, export, import",
        icon=":material/import_export:",
        width="stretch",
        key=_MENU,
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        if chat.stored is not None and chat.stored.turns:
            shown = replace(chat.stored, head=chat.head)
            if not chat.is_temporary:
                show_link(shown)
            show_export(shown)
        number = st.session_state.setdefault(_UPLOAD, 0)
        st.file_uploader(
            "Import conversations",
            ["md", "json", "jsonl"],
            key=f"import-{number}",
            max_upload_size=(exchange.MAX_FILE_BYTES + MAX_IMAGES_BYTES) >> 20,
            help="Markdown or JSON that was exported here, or JSONL as OpenAI's fine-tuning has it.",
            on_change=_import,
            args=[f"import-{number}"],
        )
        if "import_error" in st.session_state:
            st.error(st.session_state.pop("import_error"))


def show_link(shown: Conversation) -> None:
    """Show the read-only link to a conversation, or a button that makes one."""
    client, conversations = get_client(), get_conversations()
    update = partial(make_link, client, conversations, shown)
    readers = "log in here" if has_login() else "reach this page"
    link = find_link(conversations, shown.id)
    if link is None:
        st.caption(f"A link lets those who {readers} read what is shown now, with its files.")
        st.button("Make a read-only link", icon=":material/link:", on_click=_change_link, args=[update])
        return
    made = datetime.fromtimestamp(link.created, find_zone())
    st.caption(f"Those who {readers} can read the conversation as it was on {made:%d %B %Y, %H:%M}:")
    st.code(f"{(st.context.url or '').rstrip('/')}/link?id={link.token}", language=None, wrap_lines=True)
    with st.container(horizontal=True):
        st.button("Update the link", icon=":material/refresh:", on_click=_change_link, args=[update])
        remove = partial(remove_link, client, conversations, shown.id)
        st.button("Remove the link", icon=":material/link_off:", on_click=_change_link, args=[remove])


def show_export(conversation: Conversation) -> None:
    """Show a button for each format."""
    name = re.sub(r"[^\w-]+", "-", conversation.title).strip("-")[:50] or "conversation"
    st.caption("Export this conversation. JSON has all branches; the others have what is shown.")
    formats = {
        "Markdown": (f"{name}.md", exchange.to_markdown(conversation), "text/markdown"),
        "JSON": (f"{name}.json", exchange.to_json(conversation), "application/json"),
        "JSONL of OpenAI": (f"{name}.jsonl", exchange.to_jsonl([conversation]), "application/jsonl"),
    }
    for label, (file_name, content, mime) in formats.items():
        st.download_button(
            label, content.encode(), file_name, mime, icon=":material/download:", on_click="ignore"
        )


def _change_link(change: Callable[[], None]) -> None:
    report_errors(change)


def _import(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    try:
        found = exchange.read_file(file.name, file.getvalue())
        conversations = get_conversations()
        stored = [conversations.add(conversation) for conversation in found]
    except TritonchatError as error:
        st.session_state.import_error = describe_error(error)
        return
    st.session_state[_UPLOAD] += 1
    st.session_state[_MENU] = False  # it would lie over the conversation
    open_conversation(stored[-1].id)
    st.toast(f"{len(stored)} imported", icon=":material/check:")
