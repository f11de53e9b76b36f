"""The answers of a request to choose from; choose.py says how likely each is."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ..checks.request_values import StrictModel, check_text

MAX_CHOICES = 128


def _list_to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_AnswerText = Annotated[str, Field(min_length=1), AfterValidator(check_text)]
_Answers = Annotated[
    tuple[_AnswerText, ...],
    Field(fail_fast=True, min_length=1, max_length=MAX_CHOICES),
    BeforeValidator(_list_to_tuple),
]


class ChoiceFields(BaseModel):
    """Answers to choose from."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    choices: _Answers | None = Field(
        None,
        description="Answers to choose from, instead of generating one: the text is the one that the model "
        f"would most likely give. At most {MAX_CHOICES}.",
    )
    calibrate: bool | None = Field(
        False,
        description="Rank `choices` by how much likelier the prompt makes them, so that an answer that is "
        "likely anyway has no advantage.",
    )


class Choices(ChoiceFields, StrictModel):
    """Answers to choose from. Raises InvalidRequest for a wrong value."""
