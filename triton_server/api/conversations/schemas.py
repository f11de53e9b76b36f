"""The bodies of requests and responses of OpenAI's Conversations API."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from model_core.requests.messages import FailFastList

from ...conversations.tables import ItemConversation
from ..body import Metadata, WholeBody
from ..responses.item_schemas import Item

MAX_NEW_ITEMS = 20  # OpenAI's limits


class NewConversation(WholeBody):
    """A conversation to create."""

    metadata: Metadata | None = None
    items: Annotated[FailFastList[Item], Field(max_length=MAX_NEW_ITEMS)] | None = Field(
        None, description="Its first items."
    )


class ConversationChanges(WholeBody):
    """What is changed of a conversation."""

    metadata: Metadata | None = Field(description="Replaces what there was; null: nothing.")


class NewItems(WholeBody):
    """Items to add to a conversation."""

    items: Annotated[FailFastList[Item], Field(min_length=1, max_length=MAX_NEW_ITEMS)]


class ConversationBody(BaseModel):
    """A conversation, without its items."""

    id: str
    object: Literal["conversation"] = "conversation"
    created_at: int
    metadata: dict[str, Any]

    @classmethod
    def of(cls, stored: ItemConversation) -> "ConversationBody":
        """A stored conversation as clients see it."""
        return cls(id=stored.id, created_at=int(stored.created), metadata=stored.labels)


class DeletedConversation(BaseModel):
    """What is left of a removed conversation."""

    id: str
    object: Literal["conversation.deleted"] = "conversation.deleted"
    deleted: Literal[True] = True
