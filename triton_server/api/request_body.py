"""What the bodies of requests for answers have in common."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import AliasChoices, AliasGenerator, ConfigDict, model_validator

from model_core.requests.sampling import draw_seed

from ..contract.request_fields import CacheFields, ReceiptFields, Request
from .body import Body
from .errors import ApiError, unsupported
from .form_fields import FormFields

# llama.cpp's names.
LLAMA_CPP_NAMES = MappingProxyType({"n_predict": "max_tokens", "repeat_penalty": "repetition_penalty"})
MAX_ANSWERS = 128  # to one request: n, times the number of prompts


def other_names(fallbacks: Mapping[str, str] | None = None, /, **names: str) -> ConfigDict:
    """The configuration of a body whose fields have other names, too: other name = field.

    The other name takes precedence; those in `fallbacks` do not.
    """
    before, after = _invert(names), _invert(fallbacks or {})

    def choose_names(field: str) -> AliasChoices | str:
        choices = (*before.get(field, []), field, *after.get(field, []))
        return AliasChoices(*choices) if len(choices) > 1 else field

    def describe_names(schema: dict[str, Any]) -> None:
        properties = schema["properties"]
        for field in before.keys() | after.keys():
            names_of_field = [*before.get(field, []), field, *after.get(field, [])]
            first = names_of_field[0]
            for other in names_of_field[1:]:
                properties[other] = properties[first] | {
                    "description": f"Another name of {first}, which takes precedence."
                }

    return ConfigDict(
        alias_generator=AliasGenerator(validation_alias=choose_names), json_schema_extra=describe_names
    )


def _invert(names: Mapping[str, str]) -> dict[str, list[str]]:
    """For each field, its other names."""
    others: dict[str, list[str]] = {}
    for other, field in names.items():
        others.setdefault(field, []).append(other)
    return others


class GenerationBody(FormFields, CacheFields, ReceiptFields, Body):
    """The sampling parameters in a body. What it does not know, it keeps (ignored.check_fields)."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, values: Any) -> Any:
        # Clients send null for what is not set. A null under one name must not hide a value under another.
        if isinstance(values, dict):
            is_unlimited = values.get("n_predict") == -1  # llama.cpp's word for no limit
            return {
                name: value
                for name, value in values.items()
                if value is not None and not (is_unlimited and name == "n_predict")
            }
        return values

    def refuse_prompt_logprobs(self) -> None:
        """Raises ApiError if the request asks for what its form of answer has no place for."""
        if self.prompt_logprobs is not None:
            raise unsupported(
                "prompt_logprobs", "this form of answer has no place for prompt_logprobs; leave it out."
            )

    def refuse_receipt(self) -> None:
        """Raises ApiError if the request asks for what its form of answer has no place for."""
        if self.receipt:
            raise unsupported("receipt", "this form of answer has no place for a receipt; leave it out.")


def repeat(requests: list[Request], n: int | None = None) -> list[Request]:
    """`n` requests of each, with seeds that differ by one. Raises ApiError if these are too many."""
    n = n or 1
    if n * len(requests) > MAX_ANSWERS:
        raise ApiError(400, f"n times the prompts must be at most {MAX_ANSWERS}.", "invalid_request", "n")
    seed = requests[0].seed
    if seed is None:
        drawn = draw_seed()
        return [request.draw(drawn + i) for request in requests for i in range(n)]
    return [request.model_copy(update={"seed": seed + i}) for request in requests for i in range(n)]
