"""Read-only links: copies of conversations, as they were when the link was made.

A copy belongs to an owner of its own, whom only the link names, and a person has a document for each link. So
who has a link reads the copy and nothing else, and what the person does later does not change it.
"""

import re
import secrets
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import ConversationNotFound, DocumentNotFound
from triton_server.conversations.tree import Conversation

KIND = "link"  # of the documents; each has the id of its conversation as its name
_TOKEN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Link:
    """What names a copy, and when that was made, in seconds since 1970."""

    token: str
    created: float


def find_link(conversations: Conversations, conversation: str) -> Link | None:
    """The link to a conversation; None if it has none."""
    with suppress(DocumentNotFound):
        return Link(**conversations.get_document(KIND, conversation))
    return None


def make_link(client: ChatClient, conversations: Conversations, shown: Conversation) -> None:
    """Make a link to what is shown of a conversation, or let the one that it has lead to that.

    The copy has no other branches and no system prompt. Raises SessionsFull at the limits of the server.
    """
    known = find_link(conversations, shown.id)
    token = secrets.token_hex(16) if known is None else known.token
    copies = _copies(client, token)
    before = copies.list()
    turns = [] if shown.head is None else shown.path(shown.head)
    copies.add(replace(shown, turns=turns, system=None, parameters={}))
    conversations.put_document(KIND, shown.id, asdict(Link(token, time.time())))
    for copy in before:
        copies.delete(copy.id)


def remove_link(client: ChatClient, conversations: Conversations, conversation: str) -> None:
    """Remove the link to a conversation, if it has one, and its copy."""
    link = find_link(conversations, conversation)
    if link is not None:
        copies = _copies(client, link.token)
        for copy in copies.list():
            copies.delete(copy.id)
        conversations.delete_document(KIND, conversation)


def read_link(client: ChatClient, token: str) -> Conversation:
    """The copy to which a link leads. Raises ConversationNotFound."""
    copies = _copies(client, token) if _TOKEN.fullmatch(token) else None
    newest = copies.list(limit=1) if copies is not None else []
    if copies is None or not newest:
        raise ConversationNotFound("the link may have been removed.")
    return copies.get(newest[0].id)


def _copies(client: ChatClient, token: str) -> Conversations:
    return client.conversations(f"link:{token}")
