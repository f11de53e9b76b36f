"""The bodies of llama.cpp's API: what this service reads of a completion, and what it answers.

Source: llama.cpp, tools/server/README.md and server-task.cpp.
"""

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema, model_validator

from model_core.requests.messages import FailFastList

from ...contract.request_fields import ModelFields
from ..body import Body
from ..request_body import LLAMA_CPP_NAMES, MAX_ANSWERS, GenerationBody, other_names

RANDOM_SEEDS = (-1, 2**32 - 1)  # llama.cpp's words for a random seed
_MAX_TIME_MS = 86400_000 * 7
_PART = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
_OBJECT = {"type": "object", "properties": {"prompt_string": {"type": "string"}}}
_ONE_PROMPT = [{"type": "string"}, {"type": "array", "items": _PART}, _OBJECT]
_Prompt = Annotated[
    Any, WithJsonSchema({"anyOf": [*_ONE_PROMPT, {"type": "array", "items": {"anyOf": _ONE_PROMPT}}]})
]
_Biases = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "array"}}]})
]
# Values that mean less than nothing there -> the value that has the same meaning here.
_LEAST = {"temperature": 0, "top_k": 0, "min_p": 0, "xtc_probability": 0, "top_n_sigma": 0}
_LARGEST = {"top_p": 1, "typical_p": 1, "xtc_threshold": 1}


class AnswerBody(GenerationBody, ModelFields):
    """How the answers to a request are made, by llama.cpp's names.

    What is missing has the defaults of this service and of the model, which /props tells.
    """

    model_config = other_names(
        {"n": "n_cmpl", "max_completion_tokens": "max_tokens"},
        **LLAMA_CPP_NAMES,
        n_probs="logprobs",
        return_tokens="return_token_ids",
    )

    stream: bool | None = Field(False, description="Send the answer as server-sent events, as it is made.")
    n_cmpl: int | None = Field(
        None, ge=1, le=MAX_ANSWERS, description="Answers to each prompt, whose seeds are seed, seed + 1, ..."
    )
    logit_bias: _Biases = Field(
        None,
        description="[[token, bias], ...], or an object. A token is an id, or a text, which stands for each "
        "of its tokens. A bias is a number from -100 to 100, or false for -100.",
    )
    samplers: FailFastList[str] | str | None = Field(
        None,
        description="The samplers that are used, by their names or their letters. Their order is fixed; "
        "another one is refused where it would matter.",
    )
    repeat_last_n: int | None = Field(
        None, ge=-1, description="Refused, unless it is -1 or there is no penalty: all tokens count."
    )
    n_indent: int | None = Field(
        None, ge=0, description="The answer ends at the first new line with less white space in front."
    )
    t_max_predict_ms: float | None = Field(
        None,
        le=_MAX_TIME_MS,
        description="The answer ends so many milliseconds after its first token, if it has a line end.",
    )
    timings_per_token: bool | None = Field(False, description="Let each event of a stream have timings.")
    response_fields: Annotated[FailFastList[str], Field(max_length=256)] | None = Field(
        None, description="Only these fields are answered; a/b is the field b of a."
    )

    @model_validator(mode="before")
    @classmethod
    def _read_values(cls, values: Any) -> Any:
        """Values of llama.cpp that stand for others here."""
        if not isinstance(values, dict):
            return values
        read = dict(values)
        for name in ("n_predict", "max_tokens", "max_completion_tokens"):
            if type(read.get(name)) is int and read[name] < 0:  # no limit but the context
                del read[name]
        if read.get("seed") in RANDOM_SEEDS:
            del read["seed"]
        for limits, choose in ((_LEAST, max), (_LARGEST, min)):
            for name in limits.keys() & read.keys():
                if type(read[name]) in (int, float):
                    read[name] = choose(read[name], limits[name])
        for name in ("n_probs", "logprobs"):
            if read.get(name) == 0:  # not even the token itself
                del read[name]
        if read.get("grammar") == "":
            del read["grammar"]
        if isinstance(read.get("stop"), list):
            read["stop"] = [string for string in read["stop"] if string != ""]
        return read


class CompletionBody(AnswerBody):
    """A text to continue, or several."""

    prompt: _Prompt = Field(
        description="A text; or a list of token ids and texts; or a list of several such prompts."
    )


class Extra(Body):
    """A part of another file."""

    text: str
    filename: str | None = Field(None, description="The path of the file.")


class InfillBody(AnswerBody):
    """A text to fill in between two others. It answers with what is in the middle."""

    input_prefix: str
    input_suffix: str
    input_extra: FailFastList[Extra] | None = Field(
        None, description="Parts of other files, which precede the prefix. The first ones may be left out."
    )
    prompt: str | None = Field("", description="Follows the prefix: what the current line has already.")


class Timings(BaseModel):
    """How long an answer took, in milliseconds, and rates in tokens per second."""

    cache_n: int = Field(description="Tokens of the prompt that were found in the prefix cache.")
    prompt_n: int = Field(description="Tokens of the prompt that were computed.")
    prompt_ms: float
    prompt_per_token_ms: float
    prompt_per_second: float
    predicted_n: int
    predicted_ms: float
    predicted_per_token_ms: float
    predicted_per_second: float


class Completed(BaseModel):
    """An answer: all of it, or the fields that the request names.

    Those to several prompts, or several to one, come in a list.
    """

    index: int | None = None
    content: str | None = None
    tokens: list[int] | None = Field(None, description="The ids of its tokens, with return_tokens.")
    id_slot: int | None = Field(None, description="-1: answers have no slots of their own.")
    stop: bool | None = None
    model: str | None = None
    tokens_predicted: int | None = None
    tokens_evaluated: int | None = Field(None, description="Tokens of the prompt.")
    generation_settings: dict[str, Any] | None = None
    prompt: str | None = Field(None, description="With special tokens, where it was made of tokens.")
    has_new_line: bool | None = None
    truncated: bool | None = Field(
        None, description="The context was too short for the prompt or the answer."
    )
    stop_type: str | None = Field(None, description="eos, word or limit.")
    stopping_word: str | None = None
    tokens_cached: int | None = Field(
        None, description="Tokens of the prompt that were found in the prefix cache."
    )
    timings: Timings | None = None
    completion_probabilities: list[dict[str, Any]] | None = None
    ignored_schema: list[str] | None = Field(
        None, description="Not llama.cpp's: the parts of JSON schemas that could not be enforced."
    )
