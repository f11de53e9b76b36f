"""The form of an answer: what its text must look like."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ..checks.request_values import JsonObject, Text, check_text

# llguidance's options for JSON. Between its parts is nothing, a space, or a line break with an indentation.
# JSON allows any amount of white space, but then a model may write it without end.
WHITESPACE = r" |\n[ \t]{0,32}"
MAX_GRAMMAR_LENGTH = 2**17  # in characters

_SOURCES = ("json_schema", "json_object", "regex", "choice", "grammar")
_Source = Annotated[str, Field(max_length=MAX_GRAMMAR_LENGTH), AfterValidator(check_text)]


class Form(BaseModel):
    """The form of an answer. Exactly one of the fields is given."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    json_schema: JsonObject | bool | None = Field(
        None, description="JSON that is valid under this schema (draft 2020-12)."
    )
    json_object: Literal[True] | None = Field(None, description="Any JSON object.")
    regex: _Source | None = Field(
        None, description="Text that this regular expression (in Rust's syntax) matches as a whole."
    )
    choice: Annotated[list[Text], Field(fail_fast=True, min_length=1)] | None = Field(
        None, description="One of these texts."
    )
    grammar: _Source | None = Field(
        None,
        description="Text of this grammar: Lark with the rule `start`, or GBNF (with `::=`) with the rule "
        "`root`.",
    )

    strict: bool = Field(
        True,
        description="Refuse a JSON schema of which a part cannot be enforced, instead of leaving the part "
        "out. Then usage.ignored_schema names it.",
    )

    @model_validator(mode="after")
    def _check_one_is_given(self) -> "Form":
        given = [name for name in _SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            known = ", ".join(_SOURCES)
            raise PydanticCustomError(
                "form", "must have exactly one of {known}, not {count}", {"known": known, "count": len(given)}
            )
        return self

    @property
    def source(self) -> tuple[str, Any]:
        """The name and the value of the field that is given."""
        return next((name, value) for name, value in self if name in _SOURCES and value is not None)
