"""The passages that were found for a question: where they come from, and how they stand under the answer."""

import re

import streamlit as st

from model_core.errors import TritonchatError
from model_core.llm.description import ModelDescription
from streamlit_client.library.collection_list import get_collections
from streamlit_client.library.passages import find_mentions, find_passages, mention
from streamlit_client.shared.completion import Entry
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.markdown import escape
from triton_server.conversations.tree import Attachment

_MARK = re.compile(r"\[(\d{1,3})\]")
_MAX_LABEL = 40  # characters of a file's name


def add_passages(turn: Turn, model: ModelDescription | None) -> None:
    """Give a question the passages of the collections that it names. One that has some keeps them.

    Raises TritonchatError.
    """
    if find_mentions(turn.question) and not passages_of(turn):
        context = None if model is None else model["max_context"]
        turn.attachments = [*turn.attachments, *find_passages(turn.question, get_collections(), context)]


def passages_of(turn: Turn) -> list[Attachment]:
    """The passages that were found for a question, in the order of their numbers."""
    return [file for file in turn.attachments if file.place is not None]


def show_sources(turn: Turn) -> None:
    """Show the passages of an answer by their numbers. Each opens; those that the answer cites are marked."""
    passages = passages_of(turn)
    if not passages:
        return
    cited = {int(number) for number in _MARK.findall(turn.text)}
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption("Sources", width="content")
        for number, passage in enumerate(passages, 1):
            name = passage.name if len(passage.name) <= _MAX_LABEL else f"{passage.name[: _MAX_LABEL - 1]}…"
            where = f"{name} · {passage.place}" if passage.place else name
            icon = ":material/format_quote:" if number in cited else None
            with st.popover(f"{number} {escape(where)}", icon=icon, type="tertiary"):
                st.caption(f"{escape(passage.name)} {escape(passage.place or '')}")
                st.text(passage.text)


def complete_mentions() -> list[Entry]:
    """The collections that a question may name. None while the server does not answer."""
    try:
        found = get_collections().list()
    except TritonchatError:
        return []
    return [Entry(mention(each.name), f"{sum(each.files.values())} files") for each in found]
