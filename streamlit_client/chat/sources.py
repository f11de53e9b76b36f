"""The passages that are found for a question, and the collections that it may name."""

from model_core.errors import TritonchatError
from model_core.llm.description import ModelDescription
from streamlit_client.library.collection_list import get_collections
from streamlit_client.library.passages import find_mentions, find_passages, mention
from streamlit_client.messages.list_data import passages_of
from streamlit_client.shared.completion import Entry
from streamlit_client.shared.conversation import Turn


def add_passages(turn: Turn, model: ModelDescription | None) -> None:
    """Give a question the passages of the collections that it names. One that has some keeps them.

    Raises TritonchatError.
    """
    if find_mentions(turn.question) and not passages_of(turn):
        context = None if model is None else model["max_context"]
        turn.attachments = [*turn.attachments, *find_passages(turn.question, get_collections(), context)]


def complete_mentions() -> list[Entry]:
    """The collections that a question may name. None while the server does not answer."""
    try:
        found = get_collections().list()
    except TritonchatError:
        return []
    return [Entry(mention(each.name), f"{sum(each.files.values())} files") for each in found]
