"""Raw prompts in OpenAI's form: the bodies of /v1/completions."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Text
from model_core.requests.infill import InfillFields
from model_core.requests.messages import FailFastList

from ...contract.request_fields import EchoFields, Request, fields_of_request
from ..errors import ApiError, unsupported
from ..request_body import LLAMA_CPP_NAMES, other_names, repeat
from ..stream_response import to_json
from .fields import Choice, Completion, OpenAIFields, VllmPromptLogprobs
from .render import AnswerFormat, LogprobEntries, Part, count_characters

DEFAULT_MAX_TOKENS = 16  # as with OpenAI
TokenIds = Annotated[FailFastList[int], Field(min_length=1)]


class CompletionRequest(OpenAIFields, InfillFields, EchoFields):
    """A text to continue, or several: as text or as token ids. Without max_tokens, it gets 16 tokens."""

    model_config = other_names({**LLAMA_CPP_NAMES, "n_probs": "logprobs"})

    prompt: str | FailFastList[str] | TokenIds | FailFastList[TokenIds]
    best_of: int | None = Field(None, description="Refused, unless it is n.")


class CompletionLogprobs(BaseModel):
    """Log probabilities of the tokens of a text, and their offsets in it, in characters.

    With echo, the first token is that of the prompt, which has none.
    """

    tokens: list[str]
    token_logprobs: list[float | None]
    top_logprobs: list[dict[str, float] | None]
    text_offset: list[int]


class CompletionChoice(Choice):
    """One of the continuations."""

    text: str
    logprobs: CompletionLogprobs | None
    prompt_token_ids: list[int] | None = Field(
        None, description="Not OpenAI's: of the prompt, with return_token_ids."
    )
    prompt_logprobs: VllmPromptLogprobs | None = Field(
        None, description="Not OpenAI's: of the prompt, in vLLM's form, with prompt_logprobs."
    )


class TextCompletion(Completion):
    """The continuations of a text."""

    object: Literal["text_completion"]
    choices: list[CompletionChoice]


def parse(body: CompletionRequest) -> list[Request]:
    """The requests for the continuations of all prompts. Raises ApiError or InvalidRequest."""
    if body.best_of is not None and body.best_of != (body.n or 1):
        raise unsupported("best_of", "best_of is not supported; leave it out.")
    prompt, fields = body.prompt, {"max_tokens": DEFAULT_MAX_TOKENS, **fields_of_request(body)}
    if not body.suffix:  # clients send an empty one for none
        fields.pop("suffix", None)
        if not prompt or (not isinstance(prompt, str) and not all(item != "" for item in prompt)):
            raise ApiError(400, "the prompt is empty.", "invalid_request", "prompt")
    is_batch = not isinstance(prompt, str) and not all(isinstance(token, int) for token in prompt)
    prompts: Any = prompt if is_batch else [prompt]
    first, *others = prompts
    request = Request.of({**fields, "messages": first}, {**body.sent_names, "messages": "prompt"})
    return repeat([request, *(request.model_copy(update={"messages": other}) for other in others)], body.n)


def _render_choice(answer: AnswerParts) -> dict[str, Any]:
    return {"text": answer.text}


def _render_part(part: Part) -> bytes:
    # The answers to raw prompts are not divided into reasoning, text and calls.
    return b',"text":%b' % to_json(part.text if isinstance(part, Text) else "").encode()


def _render_logprobs(
    entries: LogprobEntries, offset: int, label: Callable[[dict[str, Any]], str] | None = None
) -> dict[str, Any]:
    offsets, label = [], label or _render_label
    for entry in entries:
        offsets.append(offset)
        offset += count_characters(entry)
    return {
        "tokens": [label(entry) for entry in entries],
        "token_logprobs": [entry["logprob"] for entry in entries],
        "top_logprobs": [_render_alternatives(entry, label) for entry in entries],
        "text_offset": offsets,
    }


def _render_alternatives(
    entry: dict[str, Any], label: Callable[[dict[str, Any]], str]
) -> dict[str, float] | None:
    """The likeliest tokens at a position and, as with OpenAI, the token itself even if it is none of these.

    Several tokens may have the same text; then the likeliest of them counts.
    """
    if entry["logprob"] is None:
        return None
    alternatives = sorted((*entry["top_logprobs"], entry), key=lambda other: other["logprob"])
    return {label(other): other["logprob"] for other in alternatives}


def _render_label(entry: dict[str, Any]) -> str:
    """The text of a token. If the token is a part of a character: its bytes, in OpenAI's form."""
    if "bytes" not in entry:
        return entry["token"]
    return "bytes:" + "".join(f"\\x{byte:02x}" for byte in entry["bytes"])


FORMAT = AnswerFormat(
    id_prefix="cmpl-",
    body=TextCompletion,
    object_name="text_completion",
    event_object_name="text_completion",
    first_fields=b',"text":""',
    last_fields=b',"text":""',
    render_part=_render_part,
    render_choice=_render_choice,
    render_logprobs=_render_logprobs,
    has_one_prompt=False,
)
