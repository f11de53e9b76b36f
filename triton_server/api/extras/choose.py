"""POST /v1/choose: which of some answers would the model give?"""

from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from model_core.errors import InvalidRequest
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.choices import ChoiceFields
from model_core.requests.messages import FailFastList, PromptFields
from model_core.requests.sampling import SamplingFields

from ...contract import request_fields
from ...contract.request_fields import CacheFields, fields_of_request
from ..body import WholeBody
from ..errors import ERROR_RESPONSES
from ..generation import stream_answers, wait_until_accepted
from ..ignored import check_fields
from ..openai.chat import ChatMessage, name_messages, parse_messages
from ..openai.completions import TokenIds
from ..openai.fields import PromptTokensDetails

router = APIRouter(prefix="/v1", tags=["choose"], responses=ERROR_RESPONSES)


class ChooseRequest(PromptFields, CacheFields, ChoiceFields, WholeBody):
    """A conversation, or a raw prompt, and answers to choose from."""

    model: str = Field("default", description="The name of a model (see /v1/models); default: the first one.")
    messages: FailFastList[ChatMessage] | None = Field(None, description="A conversation to answer.")
    prompt: str | TokenIds | None = Field(None, description="Instead of messages: a text to continue.")
    continue_final_message: bool | None = Field(
        False, description="The choices continue the last message instead of answering it."
    )
    timeout_s: float | None = SamplingFields.model_fields["timeout_s"]  # type: ignore[assignment]  # a field


class RankedChoice(BaseModel):
    """How likely an answer is."""

    object: Literal["choice"]
    index: int
    text: str
    rank: int = Field(description="1 for the likeliest; of equal ones the first.")
    perplexity: float = Field(description="exp of the mean of -log(probability) over the tokens.")
    calibrated_perplexity: float | None = Field(
        description="The perplexity, divided by that after a prompt that says nothing; with calibrate."
    )
    logprob: float = Field(description="The log probability of the whole answer.")
    tokens: list[str]
    token_ids: list[int]
    token_logprobs: list[float]


class ChooseUsage(BaseModel):
    """The tokens of a request: the prompt once, and all answers."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails


class ChoiceList(BaseModel):
    """The answers in the order of the request."""

    object: Literal["list"]
    model: str
    data: list[RankedChoice]
    usage: ChooseUsage


@router.post("/choose")
async def choose(request: Request, body: ChooseRequest) -> ChoiceList:
    """Tell how likely the model would give each of some answers."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model)
    answer = AnswerParts()
    async for _, event in await wait_until_accepted(stream_answers(request, [parse(body)])):
        answer.add(event)
    usage = answer.done.usage
    return ChoiceList(
        object="list",
        model=model.name,
        data=[_render_choice(index, choice) for index, choice in enumerate(answer.choices or ())],
        usage=ChooseUsage(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.prompt_tokens + usage.completion_tokens,
            prompt_tokens_details=PromptTokensDetails(
                cached_tokens=usage.cached_tokens, image_tokens=usage.image_tokens
            ),
        ),
    )


def parse(body: ChooseRequest) -> request_fields.Request:
    """The request. Raises ApiError or InvalidRequest."""
    if body.choices is None:
        raise InvalidRequest("choices is missing.", "choices")
    if (body.messages is None) == (body.prompt is None):
        raise InvalidRequest("send either messages or prompt.", "messages")
    prompt: Any = body.prompt
    if body.messages is not None:
        prompt = parse_messages(body.messages)
    fields = fields_of_request(body) | {"messages": prompt}
    return request_fields.Request.of(fields, name_messages(body.messages or ()))


def _render_choice(index: int, choice: dict[str, Any]) -> RankedChoice:
    tokens = choice["tokens"]
    names = ("text", "rank", "perplexity", "calibrated_perplexity", "logprob")
    return RankedChoice(
        object="choice",
        index=index,
        **{name: choice[name] for name in names},
        tokens=[token["token"] for token in tokens],
        token_ids=[token["token_id"] for token in tokens],
        token_logprobs=[token["logprob"] for token in tokens],
    )
