"""A whole request: what can be asked, once for all interfaces.

Every interface makes `Request`s of what it receives. They travel over gRPC as two tensors (tensors.py): the
field `messages`, and all other fields that are set as `parameters`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Discriminator, Field, PrivateAttr, Tag, model_validator

from model_core.checks.request_values import StrictModel
from model_core.errors import InvalidRequest
from model_core.requests.choices import ChoiceFields
from model_core.requests.infill import InfillFields
from model_core.requests.messages import MESSAGES, ChatFields, FailFastList, ImageUrlPart, Message
from model_core.requests.sampling import SamplingFields, SamplingParams

from ..tracing.spans import TRACEPARENT_PATTERN, is_traceparent
from .sent_names import SentNames, rename_error
from .tensors import Prompt

MAX_REQUEST_ID_LENGTH = 128
# A proxy says in this header that it has drawn the seed of a request, because the client has given none.
DRAWN_SEED_HEADER = "X-Seed-Drawn"
MAX_NAME_LENGTH = 128  # of cache_salt and client
MAX_IMAGES = 256  # of a conversation: each costs time before the engine knows whether it has room


def check_image_count(count: int, param: str) -> None:
    """Raises InvalidRequest for more images than a request may have in a field of it."""
    if count > MAX_IMAGES:
        raise InvalidRequest(f"{param} has {count} images; at most {MAX_IMAGES} are allowed.", param)


def _kind_of_prompt(value: Any) -> str:
    if isinstance(value, str):
        return "Text"
    is_ids = isinstance(value, list) and bool(value) and all(type(token) is int for token in value)
    return "TokenIds" if is_ids else "Messages"


def separate_images(messages: Sequence[Message], salt: str | None, param: str) -> None:
    """Let what is kept of the images be shared with those of the same salt only. Raises InvalidRequest.

    `param`: the name of the messages.
    """
    parts = [part for message in messages for part in message.images]
    check_image_count(len(parts), param)
    for part in parts:
        if isinstance(part, ImageUrlPart):
            part.separate(salt or "")


class CacheFields(BaseModel):
    """How a request uses the prefix cache."""

    cache_salt: str | None = Field(
        "",
        max_length=MAX_NAME_LENGTH,
        description="Only requests with the same salt share cached prefixes and images, so `cached_tokens` "
        "does not reveal what other users have asked.",
    )


class EchoFields(BaseModel):
    """What the text of an answer begins with."""

    echo: bool | None = Field(
        False,
        description="Let the text begin with the prompt, which must be a raw one. Then `logprobs` begin with "
        "those of its tokens.",
    )


class AnswerCacheFields(BaseModel):
    """How a request uses the server's cache of answers."""

    answer_cache: Literal["off", "greedy"] | None = Field(
        None,
        description="off: neither take the answer from the cache of the server (--answer-cache) nor keep it "
        "there; greedy: only if it does not depend on the seed. By default answers to requests with a seed "
        "are taken and kept, and others if they do not depend on it.",
    )
    joins: bool | None = Field(
        None,
        description="Wait for an equal request that is computed just now, and get its answer as a whole "
        "(--answer-cache). By default, streams do not, and requests for whole answers do.",
    )


class ReceiptFields(BaseModel):
    """Whether an answer comes with a receipt."""

    receipt: bool | Literal["whole"] | None = Field(
        None,
        description="Let the answer have a signed receipt; whole: with the request and the token ids of the "
        "answer, so that anybody can compute it again. The default is that of the server (--receipts).",
    )


# The sender of the requests of batches, which make room for those of people. No API key can have this name.
BATCH_CLIENT = "(batches)"


class ModelFields(BaseModel):
    """Which model answers."""

    model: str | None = Field(
        None, description="The name of a model of the server. By default, the first one answers."
    )


def _check_traceparent(text: str) -> str:
    if not is_traceparent(text):
        raise ValueError("it names no span: version ff, and ids of zeros alone, are not valid")
    return text


class TraceFields(BaseModel):
    """Where the times of a request are told."""

    traceparent: Annotated[str, AfterValidator(_check_traceparent)] | None = Field(
        None,
        pattern=TRACEPARENT_PATTERN,
        description="The span that this is a part of, as W3C's Trace Context writes it (--otlp-endpoint).",
    )


class Request(
    SamplingFields,
    ChatFields,
    InfillFields,
    CacheFields,
    ModelFields,
    EchoFields,
    ReceiptFields,
    AnswerCacheFields,
    ChoiceFields,
    TraceFields,
    StrictModel,
):
    """A prompt and the parameters of its answer. Raises InvalidRequest with the name of a wrong field."""

    messages: Annotated[
        Annotated[str, Tag("Text")]
        | Annotated[FailFastList[int], Tag("TokenIds")]
        | Annotated[FailFastList[Message], Tag("Messages")],
        Discriminator(_kind_of_prompt),
    ] = Field(description="A conversation, or a raw prompt to continue: text or token ids.")
    request_id: str | None = Field(
        None, min_length=1, max_length=MAX_REQUEST_ID_LENGTH, description="Names the request for `cancel`."
    )
    client: str | None = Field(
        "",
        max_length=MAX_NAME_LENGTH,
        description="The sender, who may be one of many behind a proxy. Clients share the engine fairly.",
    )
    acknowledge: bool | None = Field(
        False, description="Let a stream begin with a response that says that the engine has accepted it."
    )
    feed: str | None = Field(
        "",
        max_length=MAX_NAME_LENGTH,
        description="The name of an open feed, which is to carry the pieces of a stream.",
    )
    count_only: bool | None = Field(
        False,
        description="Count the tokens of the prompt. The answer is empty, and `usage` has their number.",
    )

    _sent_names: SentNames = PrivateAttr(default_factory=dict)
    _has_drawn_seed: bool = PrivateAttr(False)

    @property
    def has_drawn_seed(self) -> bool:
        """Whether the service has drawn the seed, because the client has given none."""
        return self._has_drawn_seed

    def draw(self, seed: int) -> "Request":
        """The same request with a seed that was drawn for it."""
        request = self.model_copy(update={"seed": seed})
        request._has_drawn_seed = True
        return request

    @property
    def sent_names(self) -> SentNames:
        """What the client has called fields of other names, for errors."""
        return self._sent_names

    @classmethod
    def of(cls, fields: Mapping[str, Any], names: SentNames) -> "Request":
        """A request, of whose fields the client has called some otherwise, as errors then do, too."""
        try:
            request = cls(**fields)
        except InvalidRequest as error:
            raise rename_error(error, names) from None
        return request.named(names)

    def named(self, names: SentNames) -> "Request":
        """The request of a client that has called some fields otherwise."""
        renamed = self.model_copy()
        renamed._sent_names = names
        return renamed

    @property
    def is_chat(self) -> bool:
        """Whether the prompt is a conversation."""
        return bool(self.messages) and isinstance(self.messages[0], Message)

    @property
    def has_images(self) -> bool:
        """Whether the conversation has images."""
        return any(isinstance(item, Message) and bool(item.images) for item in self.messages)

    def sampling_params(self) -> SamplingParams:
        """The sampling parameters among the fields. An echo with `logprobs` needs those of the prompt."""
        fields = {name: getattr(self, name) for name in SamplingParams.model_fields}
        if self.echo and self.logprobs is not None and self.prompt_logprobs is None:
            fields["prompt_logprobs"] = self.logprobs
        return SamplingParams(**fields)

    def prompt(self) -> Prompt:
        """`messages` as JSON."""
        messages: Any = self.messages
        return MESSAGES.dump_python(messages, mode="json", exclude_unset=True) if self.is_chat else messages

    def parameters(self) -> dict[str, Any]:
        """The other fields that are set, as JSON."""
        return self.model_dump(mode="json", exclude={"messages"}, exclude_unset=True)

    @model_validator(mode="after")
    def _check_infill(self) -> "Request":
        if self.suffix is None:
            if not self.messages:
                raise InvalidRequest("messages is empty.", "messages")
            if self.input_extra is not None:
                raise InvalidRequest("input_extra needs a suffix.", "input_extra")
        elif not isinstance(self.messages, str):
            raise InvalidRequest("a suffix needs a prompt that is text, in front of it.", "suffix")
        elif self.echo or self.choices is not None:
            other = "echo" if self.echo else "choices"
            raise InvalidRequest(f"suffix and {other} cannot be combined.", other)
        return self

    @model_validator(mode="after")
    def _check_messages(self) -> "Request":
        if self.continue_final_message and not self.is_chat:
            raise InvalidRequest(
                "continue_final_message needs messages; a raw prompt is always continued.",
                "continue_final_message",
            )
        if self.continue_final_message and self.add_generation_prompt:
            raise InvalidRequest(
                "continue_final_message and add_generation_prompt cannot both be true.",
                "continue_final_message",
            )
        return self

    @model_validator(mode="after")
    def _separate_images(self) -> "Request":
        messages = [item for item in self.messages if isinstance(item, Message)]
        separate_images(messages, self.cache_salt, "messages")
        return self

    @model_validator(mode="after")
    def _check_echo(self) -> "Request":
        if self.echo and self.is_chat:
            raise InvalidRequest("echo needs a raw prompt; messages are not repeated.", "echo")
        if self.echo and self.form is not None:
            raise InvalidRequest("echo and form cannot be combined: a prompt has no form.", "echo")
        return self

    @model_validator(mode="after")
    def _check_tools(self) -> "Request":
        if self.tools and not self.is_chat:
            raise InvalidRequest("tools need messages; a raw prompt is only continued.", "tools")
        if not self.tools and self.tool_choice not in ("auto", "none"):
            raise InvalidRequest("tool_choice is only allowed when tools are given.", "tool_choice")
        return self


def fields_of_request(body: BaseModel) -> dict[str, Any]:
    """The fields of Request that a body in another form sets under the same name."""
    names = type(body).model_fields.keys() & body.model_fields_set & Request.model_fields.keys()
    return {name: getattr(body, name) for name in names}
