"""The base of all parts of requests' bodies."""

import functools
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

from model_core.checks.request_values import Text

_Name = Annotated[Text, Field(max_length=64)]  # the limits are OpenAI's
_Value = Annotated[Text, Field(max_length=512)]
Metadata = Annotated[dict[_Name, _Value], Field(max_length=16, description="At most 16 names with texts.")]


class Body(BaseModel):
    """A part of a request's body. Unknown fields are left out, and named (ignored.check_fields)."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    _left_out: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="wrap")
    @classmethod
    def _note_unknown(cls, values: Any, handler: ModelWrapValidatorHandler["Body"]) -> "Body":
        body = handler(values)
        if isinstance(values, dict) and cls.model_config.get("extra") != "allow":
            unknown = values.keys() - _list_names(cls)
            if unknown:
                left_out = (name for name in values if name in unknown and values[name] not in _EMPTY)
                body._left_out = tuple(left_out)
        return body


class WholeBody(Body):
    """The body of a request. Unknown fields are kept, and named (ignored.check_fields)."""

    model_config = ConfigDict(extra="allow")


_EMPTY: tuple[Any, ...] = (None, "", [], {})  # they say nothing
_PLAIN = frozenset((type(None), bool, int, float, str))  # most values; they have no fields


def list_left_out(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The unknown fields inside a body: of each its path, such as messages[0].mood, and its name."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if type(item) not in _PLAIN:
                yield from list_left_out(item, f"{path}[{index}]")
    elif isinstance(value, Body):
        prefix = f"{path}." if path else ""
        for name in value._left_out:
            yield f"{prefix}{name}", name
        for name, part in vars(value).items():
            if type(part) not in _PLAIN:
                yield from list_left_out(part, f"{prefix}{type(value).model_fields[name].alias or name}")


@functools.cache
def _list_names(kind: type[Body]) -> frozenset[str]:
    """The names that the fields of a class have in bodies."""
    names: set[str] = set()
    for name, field in kind.model_fields.items():
        alias = field.validation_alias or field.alias or name
        names |= set(map(str, alias.choices)) if isinstance(alias, AliasChoices) else {str(alias)}
    return frozenset(names)
