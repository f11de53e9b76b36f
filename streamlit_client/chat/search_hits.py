"""Where a conversation has the words of a search."""

import re

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.shared.markdown import escape
from triton_server.client.conversations import Conversations
from triton_server.conversations.tree import Conversation, Summary

MAX_HITS = 10  # conversations whose places are looked for; the list can have more
_BEFORE, _AFTER = 25, 45  # characters around a word


@st.cache_data(max_entries=1000, show_spinner=False)
def fetch_hit(_conversations: Conversations, owner: str, summary: Summary, search: str) -> str:
    """The place of a found conversation as Markdown; empty if it is the title alone, or cannot be read.

    `owner` is that of `_conversations`, so that nobody gets what was read for another person.
    """
    try:
        return find_hit(_conversations.get(summary.id), search)
    except TritonchatError:
        return ""


def find_hit(conversation: Conversation, search: str) -> str:
    """The place of a search in a conversation as Markdown, its first word in bold; empty without any."""
    words = [re.compile(re.escape(word), re.IGNORECASE) for word in search.split()]
    texts = [" ".join(f"{turn.question} {turn.answer}".split()) for turn in conversation.turns]
    best = max(texts, key=lambda text: sum(bool(word.search(text)) for word in words), default="")
    found = next((match for word in words if (match := word.search(best))), None)
    if found is None:
        return ""
    begin, end = max(0, found.start() - _BEFORE), found.end() + _AFTER
    before, after = best[begin : found.start()], best[found.end() : end]
    marks = "…" * (begin > 0), "…" * (end < len(best))
    return f"{marks[0]}{escape(before)}**{escape(found[0])}**{escape(after)}{marks[1]}"
