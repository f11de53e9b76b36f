"""A whole request for embeddings or scores: what can be asked, once for all interfaces.

It travels over gRPC as two tensors (tensors.py): the field `texts`, and all other fields that are set as
`parameters`.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from model_core.checks.request_values import StrictModel, Text
from model_core.errors import InvalidRequest
from model_core.requests.embedding import EmbeddingFields, EmbeddingParams, ScoreFields, ScoreParams
from model_core.requests.messages import FailFastList, Message

from .request_fields import MAX_REQUEST_ID_LENGTH, CacheFields, ModelFields, TraceFields, separate_images

MAX_INPUTS = 2048  # of a request, as in OpenAI's API
_LIMITS = Field(min_length=1, max_length=MAX_INPUTS)


def _kind_of_texts(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else None
    return "Messages" if isinstance(first, dict) else "TokenIds" if isinstance(first, list) else "Texts"


class EmbeddingRequest(EmbeddingFields, ScoreFields, CacheFields, ModelFields, TraceFields, StrictModel):
    """Texts, and what is wanted of them. Raises InvalidRequest with the name of a wrong field."""

    texts: Annotated[
        Annotated[FailFastList[Text], _LIMITS, Tag("Texts")]
        | Annotated[FailFastList[FailFastList[int]], _LIMITS, Tag("TokenIds")]
        | Annotated[FailFastList[Message], Tag("Messages")],
        Discriminator(_kind_of_texts),
    ] = Field(description="The inputs: texts, or lists of token ids; or the messages of one conversation.")
    query: Text | FailFastList[Text] | None = Field(
        None,
        description="Score the texts for this query instead of embedding them. A list has a query for each.",
    )
    request_id: str | None = Field(
        None, min_length=1, max_length=MAX_REQUEST_ID_LENGTH, description="Names the request for `cancel`."
    )

    def embedding_params(self) -> EmbeddingParams:
        """The parameters of embeddings among the fields."""
        return EmbeddingParams(**{name: getattr(self, name) for name in EmbeddingParams.model_fields})

    def score_params(self) -> ScoreParams:
        """The parameters of scores among the fields."""
        return ScoreParams(**{name: getattr(self, name) for name in ScoreParams.model_fields})

    def inputs(self) -> list[Any]:
        """The inputs; a conversation is one."""
        return [self.texts] if isinstance(self.texts[0], Message) else list(self.texts)

    def queries(self) -> list[str]:
        """The query of each text; none for embeddings."""
        if self.query is None:
            return []
        return [self.query] * len(self.texts) if isinstance(self.query, str) else list(self.query)

    @model_validator(mode="after")
    def _separate_images(self) -> "EmbeddingRequest":
        messages = [item for item in self.texts if isinstance(item, Message)]
        separate_images(messages, self.cache_salt, "texts")
        return self

    @model_validator(mode="after")
    def _check_query(self) -> "EmbeddingRequest":
        if self.query is None:
            return self
        if not isinstance(self.texts[0], str):
            raise InvalidRequest("scores need texts, not token ids, messages or images.", "texts")
        count = len(self.queries())
        if count != len(self.texts):
            raise InvalidRequest(
                f"query has {count} texts for {len(self.texts)} documents; send one, or as many.",
                "query",
            )
        foreign = self.model_fields_set & (EmbeddingFields.model_fields.keys() - ScoreFields.model_fields)
        if foreign:
            raise InvalidRequest(f"{min(foreign)} is for embeddings, not for scores.", min(foreign))
        return self
