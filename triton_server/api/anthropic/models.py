"""The models that are served, in Anthropic's form.

Source: platform.claude.com/docs/en/api/models/list, and the types of the Python package `anthropic` 2.12.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timezone
from typing import Literal

from pydantic import BaseModel, Field

from ..errors import ApiError
from ..served_models import ModelInfo

DEFAULT_LIMIT, MAX_LIMIT = 20, 1000


class AnthropicModel(BaseModel):
    """A model that is served."""

    type: Literal["model"] = "model"
    id: str
    display_name: str
    created_at: str = Field(description="When the server started.")
    lifecycle: Literal["active"] = "active"
    max_input_tokens: int | None = Field(
        None,
        description="Tokens of prompt and answer together, once the model was loaded for the first time.",
    )
    max_tokens: int | None = Field(
        None, description="The same: an answer may have as many as the prompt leaves."
    )


class AnthropicModelPage(BaseModel):
    """A page of the models. The ids are those of its first and its last model."""

    data: list[AnthropicModel]
    has_more: bool
    first_id: str | None = None
    last_id: str | None = None


def describe_model(model: ModelInfo) -> AnthropicModel:
    """One of them."""
    length = None if model.description is None else model.description["max_context"]
    return AnthropicModel(
        id=model.name,
        display_name=model.name,
        created_at=datetime.fromtimestamp(model.start_time, timezone.utc).isoformat().replace("+00:00", "Z"),
        max_input_tokens=length,
        max_tokens=length,
    )


def list_page(
    models: Sequence[ModelInfo],
    limit: int,
    after_id: str | None = None,
    before_id: str | None = None,
    lifecycles: Collection[str] = (),
) -> AnthropicModelPage:
    """The models after or before one of them. All are active, so others of `lifecycles` have none.

    Raises ApiError if there is no such model.
    """
    chosen = list(models) if not lifecycles or "active" in lifecycles else []
    names = [model.name for model in models]
    for param, name in (("after_id", after_id), ("before_id", before_id)):
        if name is not None and name not in names:
            raise ApiError(400, f"{param} names no model: {name[:100]!r}.", "invalid_request", param)
    if before_id is not None:
        rest = chosen[: names.index(before_id)]
        page, has_more = rest[-limit:], len(rest) > limit
    else:
        rest = chosen if after_id is None else chosen[names.index(after_id) + 1 :]
        page, has_more = rest[:limit], len(rest) > limit
    data = [describe_model(model) for model in page]
    first, last = (data[0].id, data[-1].id) if data else (None, None)
    return AnthropicModelPage(data=data, has_more=has_more, first_id=first, last_id=last)
