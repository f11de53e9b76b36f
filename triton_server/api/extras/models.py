"""The models that are served: /v1/models, in the form of whose client asks, OpenAI's or Anthropic's.

llama.cpp has them at /models, too.
"""

from fastapi import APIRouter, Query, Request

from ..anthropic import models as anthropic
from ..anthropic.models import DEFAULT_LIMIT, MAX_LIMIT, AnthropicModel, AnthropicModelPage
from ..errors import ERROR_RESPONSES, MODELS_PATH, speaks_anthropic
from ..openai import models as openai
from ..openai.models import ModelEntry, ModelList

router = APIRouter(tags=["models"], responses=ERROR_RESPONSES)


@router.get(MODELS_PATH, response_model_exclude_none=True)
@router.get("/models", response_model_exclude_none=True, include_in_schema=False)
async def list_models(
    request: Request,
    limit: int = Query(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Anthropic's: models of a page."),
    after_id: str | None = Query(None, description="Anthropic's: the page that follows this model."),
    before_id: str | None = Query(None, description="Anthropic's: the page before this model."),
) -> ModelList | AnthropicModelPage:
    """The models that are served. With the header `anthropic-version`, they have Anthropic's form."""
    served = await request.app.state.served_models.list_models()
    if not speaks_anthropic(request.scope):
        return openai.list_models(served)
    query = request.query_params
    lifecycles = (*query.getlist("lifecycle"), *query.getlist("lifecycle[]"))
    return anthropic.list_page(served, limit, after_id, before_id, lifecycles)


@router.get(f"{MODELS_PATH}/{{name:path}}", response_model_exclude_none=True)
async def read_model(request: Request, name: str) -> ModelEntry | AnthropicModel:
    """A model that is served. With the header `anthropic-version`, it has Anthropic's form."""
    served = request.app.state.served_models
    await served.list_models()
    model = await served.resolve(name)
    return (
        anthropic.describe_model(model) if speaks_anthropic(request.scope) else openai.describe_model(model)
    )
