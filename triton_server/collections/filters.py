"""Conditions on the attributes of files, in OpenAI's form.

Source: the types `ComparisonFilter` and `CompoundFilter` of the Python package `openai`.
"""

import operator
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

Value = str | float | bool
MAX_DEPTH = 8  # of conditions in conditions
MAX_VALUES = 256  # that a condition compares in all: it is tried on each file
_MAX_PARTS = 64


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


_ORDERS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}


class Comparison(_Part):
    """A condition on one attribute. A file without the attribute matches `ne` and `nin` alone."""

    type: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
    key: Annotated[str, Field(max_length=64)]
    value: str | float | bool | Annotated[list[str | float | bool], Field(max_length=_MAX_PARTS)]

    @model_validator(mode="after")
    def _check_value(self) -> "Comparison":
        if isinstance(self.value, list) != (self.type in ("in", "nin")):
            raise PydanticCustomError("filter", "needs a list for in and nin, and one value for the others")
        if self.type in ("gt", "gte", "lt", "lte") and not _is_number(self.value):
            raise PydanticCustomError("filter", "compares numbers with gt, gte, lt and lte")
        return self

    def matches(self, attributes: Mapping[str, Value]) -> bool:
        """Whether a file with these attributes meets it."""
        found, value = attributes.get(self.key), self.value
        if isinstance(value, list):
            return any(_equal(found, each) for each in value) == (self.type == "in")
        if self.type in ("eq", "ne"):
            return _equal(found, value) == (self.type == "eq")
        if not _is_number(found):
            return False
        return bool(_ORDERS[self.type](float(found or 0), float(value)))


class Compound(_Part):
    """Several conditions, of which all or any must be met."""

    type: Literal["and", "or"]
    filters: Annotated[list["Filter"], Field(min_length=1, max_length=_MAX_PARTS)]

    @model_validator(mode="after")
    def _check_depth(self) -> "Compound":
        if _depth(self) > MAX_DEPTH:
            raise PydanticCustomError(
                "filter", "has conditions within more than {d} others", {"d": MAX_DEPTH}
            )
        if _count_values(self) > MAX_VALUES:
            raise PydanticCustomError("filter", "compares more than {n} values", {"n": MAX_VALUES})
        return self

    def matches(self, attributes: Mapping[str, Value]) -> bool:
        """Whether a file with these attributes meets it."""
        met = (part.matches(attributes) for part in self.filters)
        return all(met) if self.type == "and" else any(met)


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return "Compound" if kind in ("and", "or") else "Comparison"


Filter = Annotated[
    Annotated[Comparison, Tag("Comparison")] | Annotated[Compound, Tag("Compound")], Discriminator(_kind)
]
Compound.model_rebuild()


def _depth(part: Comparison | Compound) -> int:
    return 1 + max(map(_depth, part.filters)) if isinstance(part, Compound) else 1


def _count_values(part: Comparison | Compound) -> int:
    if isinstance(part, Compound):
        return sum(map(_count_values, part.filters))
    return len(part.value) if isinstance(part.value, list) else 1


def _equal(found: Any, value: Any) -> bool:
    """Whether two values are the same; true is no number."""
    return isinstance(found, bool) == isinstance(value, bool) and found == value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
