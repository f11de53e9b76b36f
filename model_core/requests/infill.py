"""What a request says to fill in the middle of a text."""

from pydantic import BaseModel, ConfigDict, Field

from ..checks.request_values import Text
from .messages import FailFastList

MAX_SNIPPETS = 256


class Snippet(BaseModel):
    """A part of another file, which stands in front of the text."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    text: Text
    filename: Text | None = Field(None, max_length=1024, description="The path of its file.")


class InfillFields(BaseModel):
    """The text to fill in before, and what else the model is shown."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    suffix: Text | None = Field(
        None,
        description="Answer with what stands between the prompt, which must be text, and this text after it. "
        "The model's tokenizer must have the tokens for that.",
    )
    input_extra: FailFastList[Snippet] | None = Field(
        None,
        max_length=MAX_SNIPPETS,
        description="Parts of other files, each with its `text` and a `filename`, which precede the prompt. "
        "It needs a suffix. With truncation auto, the first of them are left out if all are too long, and "
        "then the beginning of the prompt and the end of the suffix.",
    )
