"""What the bodies of requests for answers have in common."""

from typing import Any

from pydantic import (
    AliasChoices,
    AliasGenerator,
    ConfigDict,
    model_validator,
)

from model_core.requests.sampling import draw_seed

from ..contract.request_fields import CacheFields, Request
from .body import Body
from .errors import ApiError, unsupported
from .form_fields import FormFields, refuse_unknown_constraints

MAX_ANSWERS = 128  # to one request: n, times the number of prompts


def other_names(**names: str) -> ConfigDict:
    """The configuration of a body whose fields have other names, too: other name = field.

    The other name takes precedence.
    """
    others = {field: other for other, field in names.items()}

    def choose_names(field: str) -> AliasChoices | str:
        return AliasChoices(others[field], field) if field in others else field

    def describe_names(schema: dict[str, Any]) -> None:
        for other, field in names.items():
            schema["properties"][field] = schema["properties"][other] | {
                "description": f"Another name of {other}, which takes precedence."
            }

    return ConfigDict(
        alias_generator=AliasGenerator(validation_alias=choose_names), json_schema_extra=describe_names
    )


class GenerationBody(FormFields, CacheFields, Body):
    """The sampling parameters in a body. What it does not know, it keeps, to refuse constraints."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, values: Any) -> Any:
        # Clients send null for what is not set. A null under one name must not hide a value under another.
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if value is not None}
        return values

    def refuse_constraints(self) -> None:
        """Raises ApiError if the request constrains the answer in a way that is not supported."""
        refuse_unknown_constraints(self.model_extra)

    def refuse_prompt_logprobs(self) -> None:
        """Raises ApiError if the request asks for what its form of answer has no place for."""
        if self.prompt_logprobs is not None:
            raise unsupported(
                "prompt_logprobs", "this form of answer has no place for prompt_logprobs; leave it out."
            )


def repeat(requests: list[Request], n: int | None = None) -> list[Request]:
    """`n` requests of each, with seeds that differ by one. Raises ApiError if these are too many."""
    n = n or 1
    if n * len(requests) > MAX_ANSWERS:
        raise ApiError(400, f"n times the prompts must be at most {MAX_ANSWERS}.", "invalid_request", "n")
    seed = draw_seed() if requests[0].seed is None else requests[0].seed
    return [request.model_copy(update={"seed": seed + i}) for request in requests for i in range(n)]
