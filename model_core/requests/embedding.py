"""What can be asked of embeddings and scores, and what comes back.

Each parameter is described once, in `EmbeddingFields` or `ScoreFields`. All interfaces take its type, range,
default and description from there.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ..checks.request_values import JsonObject, StrictModel, Text

MAX_DIMENSIONS = 2**20
TRUNCATE = Field(
    False, description="Cut inputs that are longer than the model allows. By default they are refused."
)


class ConversationFields(BaseModel):
    """How a conversation to embed becomes tokens. What is missing or null has its default."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    add_generation_prompt: bool | None = Field(
        None,
        description="Let a conversation end where an answer begins. The default is the checkpoint's, or "
        "false.",
    )
    continue_final_message: bool | None = Field(
        False, description="Let a conversation end with the text of its last message, which is not closed."
    )
    add_special_tokens: bool | None = Field(
        None,
        description="Let the tokenizer add its special tokens to a conversation, beside those of the chat "
        "template. The default is the checkpoint's, or false.",
    )
    chat_template_kwargs: JsonObject | None = Field(
        None, description="Variables for the chat template of a conversation, as in chats."
    )


class EmbeddingFields(ConversationFields):
    """How texts become vectors. What is missing or null has its default, which is often the checkpoint's."""

    pooling: Literal["mean", "cls", "last"] | None = Field(
        None,
        description="Which hidden states are the vector of a text: the mean of all tokens, those of the "
        "first token (cls), or those of the last. The default is the model's.",
    )
    normalize: bool | None = Field(
        None, description="Scale vectors to the length 1. The default is the model's."
    )
    dimensions: int | None = Field(
        None,
        ge=1,
        le=MAX_DIMENSIONS,
        description="Keep only so many numbers of each vector, the first ones, and scale the rest to the "
        "length 1 again if vectors are normalized. For models that were trained for it (Matryoshka).",
    )
    prompt: Text | None = Field(
        None,
        description="A text that is put before each input that is text, such as 'query: '. A conversation "
        "begins with it as the message of the system.",
    )
    prompt_name: Text | None = Field(
        None,
        description="The name of one of the model's own prompts, such as 'query'. It may have a default.",
    )
    truncate: bool | None = TRUNCATE


class EmbeddingParams(EmbeddingFields, StrictModel):
    """The parameters of a request for embeddings: EmbeddingFields' as attributes, which do not change.

    Raises InvalidRequest, whose `param` is the name, for an unknown name or a wrong value.
    """


class ScoreFields(BaseModel):
    """How documents are scored. What is missing or null has its default."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    instruction: Text | None = Field(
        None,
        description="What the query looks for, for rerankers that are asked in words, such as "
        "Qwen3-Reranker. The default is a web search.",
    )
    truncate: bool | None = TRUNCATE


class ScoreParams(ScoreFields, StrictModel):
    """The parameters of a request for scores: ScoreFields' as attributes, which do not change.

    Raises InvalidRequest, whose `param` is the name, for an unknown name or a wrong value.
    """


@dataclass(frozen=True)
class Embeddings:
    """Vectors float32 [inputs, dimensions], and how many tokens each input has, special ones included.

    `image_tokens`: how many of them are rows of images.
    """

    vectors: np.ndarray
    prompt_tokens: list[int]
    image_tokens: list[int]


@dataclass(frozen=True)
class Scores:
    """A score for each document, float32 [documents], and how many tokens each has with its query."""

    scores: np.ndarray
    prompt_tokens: list[int]
