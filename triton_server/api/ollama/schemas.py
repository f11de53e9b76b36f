"""The bodies of Ollama's API, with the fields that this service reads.

Source: the types of the Python package `ollama` 0.6, and Ollama's docs/api.md.
"""

from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from model_core.checks.request_values import JsonObject
from model_core.requests.messages import FailFastList
from model_core.requests.sampling import MAX_LOGPROBS, SamplingFields

from ..body import Body, WholeBody
from ..errors import ERROR_RESPONSES
from ..field_rules import find_unknown
from ..openai.chat_answers import TokenLogprob
from ..request_body import other_names

_OTHER_NAMES = {"num_predict": "max_tokens", "repeat_penalty": "repetition_penalty"}
_NO_PENALTY = {"repeat_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0}


KEEP_ALIVE: Any = Field(None, description="Without effect: the server's --keep-alive counts.")


class CalledFunction(Body):
    """A function that the model called."""

    name: str
    arguments: JsonObject = Field(default_factory=dict)


class ToolCall(Body):
    """A call of a tool by the model. It has no id: results come in the order of the calls."""

    function: CalledFunction


class ChatMessage(Body):
    """A message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = ""
    thinking: str | None = Field(None, description="What the assistant thought before its answer.")
    tool_calls: FailFastList[ToolCall] | None = None
    tool_name: str | None = Field(None, description="The tool of which a tool message is the result.")
    images: FailFastList[str] | None = Field(None, description="In base64, for models that see.")


class ToolFunction(Body):
    """A function that the model may call."""

    name: str
    description: str | None = None
    parameters: JsonObject | None = Field(None, description="The JSON schema of its arguments.")


class Tool(Body):
    """A tool of the type function. There are no others."""

    type: Literal["function"] = "function"
    function: ToolFunction


class Options(SamplingFields, Body):
    """The sampling parameters by Ollama's names. Options of loading and memory have no effect.

    As in other bodies, unknown options are named, and those that change answers elsewhere are refused.
    """

    model_config = other_names(**_OTHER_NAMES)

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        left = {name: value for name, value in values.items() if value is not None}
        limit = left.get("num_predict")
        if type(limit) is int and limit < 0:  # there is no limit but the context's
            del left["num_predict"]
        known = {*cls.model_fields, *_OTHER_NAMES}
        if all(left.get(name, neutral) == neutral for name, neutral in _NO_PENALTY.items()):
            known.add("repeat_last_n")  # it has no effect
        find_unknown({name: value for name, value in left.items() if name not in known})
        return left


class AnswerRequest(WholeBody):
    """What the requests for a chat and for the answer to a prompt have in common."""

    model: str
    stream: bool | None = Field(True, description="Send the answer as lines of JSON, as it is made.")
    think: bool | Literal["low", "medium", "high"] | None = Field(
        None, description="Whether, or how much, the model reasons. The default is the model's."
    )
    format: Literal["", "json"] | JsonObject | None = Field(
        None, description="json: any JSON object; or the JSON schema of the answer."
    )
    options: Options | None = None
    keep_alive: float | str | None = KEEP_ALIVE
    logprobs: bool | None = Field(False, description="Report log probabilities.")
    top_logprobs: int | None = Field(
        None, ge=0, le=MAX_LOGPROBS, description="Alternatives for each token; it needs logprobs."
    )


class ChatRequest(AnswerRequest):
    """A conversation to answer; without messages, the model is loaded."""

    messages: FailFastList[ChatMessage] = Field(default_factory=list)
    tools: FailFastList[Tool] | None = None


class GenerateRequest(AnswerRequest):
    """A question to answer, or with `raw` a text to continue; without a prompt, the model is loaded."""

    prompt: str = ""
    system: str | None = Field(None, description="The system message.")
    raw: bool | None = Field(
        False, description="Continue the prompt as it is, as models without a chat template always do."
    )
    suffix: str | None = Field(
        None, description="Answer with what stands between the prompt and this text, with models of code."
    )
    template: str | None = Field(None, description="Refused, unless empty.")
    context: FailFastList[int] | None = Field(None, description="Refused, unless empty.")
    images: FailFastList[str] | None = Field(None, description="In base64, for models that see.")


class End(BaseModel):
    """An answer, or a part of one. What follows `done` comes with the last part."""

    model: str
    created_at: str
    logprobs: list[TokenLogprob] = Field([], description="Of the tokens of this part, if asked for.")
    done: bool
    done_reason: Literal["stop", "length", "load"] | None = None
    total_duration: int | None = Field(None, description="Nanoseconds, as the other durations.")
    load_duration: int | None = None
    prompt_eval_count: int | None = Field(None, description="Tokens of the prompt.")
    prompt_eval_duration: int | None = Field(None, description="Until the first token, with the queue.")
    eval_count: int | None = Field(None, description="Tokens of the answer.")
    eval_duration: int | None = None
    ignored_schema: list[str] = Field(
        [], description="Not Ollama's: the parts of JSON schemas that could not be enforced."
    )


class Answer(End):
    """An answer in a chat, or a part of one."""

    message: dict[str, Any]


class Generated(End):
    """The answer to a prompt, or a part of one."""

    response: str
    thinking: str | None = None


class ErrorBody(BaseModel):
    """An error in Ollama's form."""

    error: str


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {**response, "model": ErrorBody} for status, response in ERROR_RESPONSES.items()
}
