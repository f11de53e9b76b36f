"""Validation with pydantic, and its errors as one sentence for the person who sent the value."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from ..errors import InvalidRequest

# Parts of pydantic's paths that name one type of several, not a field.
_TYPE_NAME = re.compile(r"str|int|[A-Z]\w*|.*\[.*\].*")
# pydantic's types of errors: what the value must be
_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "string_unicode": "a string of valid Unicode",
    "string_too_short": "a string of {min_length} or more characters",
    "string_too_long": "a string of {max_length} or fewer characters",
    "string_pattern_mismatch": "a string of the form {pattern}",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "literal_error": "{expected}",
    "too_short": "a list of {min_length} or more",
    "too_long": "a list of {max_length} or fewer",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
}

MAX_DEPTH = 100  # of objects and lists in JSON, because what reads it recurses


def check_text(text: str) -> str:
    """The text, if it is valid Unicode. Raises PydanticCustomError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticCustomError(
            "half_character", "has half of a surrogate pair, which stands for no character"
        ) from None
    return text


def check_json(value: Any) -> Any:
    """The value, if it is JSON and not nested too deeply. Raises PydanticCustomError."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            part
            for nested in level
            if isinstance(nested, dict | list)
            for part in (nested.values() if isinstance(nested, dict) else nested)
        ]
    if level:
        raise PydanticCustomError("too_deep", "is nested more than {depth} deep", {"depth": MAX_DEPTH})
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PydanticCustomError("not_json", "is not JSON: {error}", {"error": str(error)}) from None
    check_text(text)
    return value


Text = Annotated[str, AfterValidator(check_text)]  # JSON can escape what is no Unicode
JsonObject = Annotated[dict[str, Any], AfterValidator(check_json)]


class StrictModel(BaseModel):
    """A frozen model with exact types. A wrong value raises InvalidRequest; null stands for a missing one."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _raise_invalid_request(cls, values: Any, validate: ModelWrapValidatorHandler) -> Any:
        if isinstance(values, dict):
            known = cls.model_fields
            values = {name: v for name, v in values.items() if v is not None or name not in known}
        try:
            return validate(values)
        except ValidationError as error:
            raise InvalidRequest(*explain(error.errors(), cls.model_fields)) from None


def shorten(value: Any) -> str:
    """A value as text short enough for an error message."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def explain(
    errors: Sequence[Mapping[str, Any]],
    fields: Mapping[str, FieldInfo],
    base: str = "",
    show: Callable[[Any], str] = shorten,
) -> tuple[str, str | None]:
    """The sentence for pydantic's `errors`, and the path of the field that it is about: `messages[0].role`.

    `fields` are those of the model, for complete ranges. Paths begin with `base`. If several fields are
    wrong, the sentence is about the one with the longest path. `show` writes the wrong value.
    """
    # For a field of several types there is an error for each; the longest path is the most exact.
    first = max(errors, key=lambda error: len(error["loc"]))
    path = _join_path(base, first["loc"])
    kind, value = first["type"], show(first["input"])
    if kind == "extra_forbidden":
        similar = get_close_matches(str(first["loc"][-1]), fields, 1)
        hint = f"; the nearest name is {similar[0]}" if similar else ""
        return f"unknown parameter {path!r}{hint}.", path
    if kind == "missing":
        return f"{path or 'the body'} is missing.", path or None
    same_field = [error for error in errors if _join_path(base, error["loc"]) == path]
    expected = dict.fromkeys(_describe_expected(error, fields) for error in same_field)
    if None in expected:
        return f"{path} {first['msg']}." if path else f"{first['msg']}.", path or None
    return f"{path or 'the body'} must be {' or '.join(map(str, expected))}, not {value}.", path or None


def _describe_expected(error: Mapping[str, Any], fields: Mapping[str, FieldInfo]) -> str | None:
    """What the value must be; None for an error whose message says it."""
    name = error["loc"][-1] if error["loc"] else ""
    if error["type"] in ("greater_than_equal", "less_than_equal") and name in fields:
        low, high = find_range(fields[name])
        # A route may have another limit for a field of the same name. (pydantic writes 2.0 for a limit of 2.)
        low = low if error["ctx"].get("ge", low) == low else error["ctx"]["ge"]
        high = high if error["ctx"].get("le", high) == high else error["ctx"]["le"]
        if low is not None and high is not None:
            return f"between {low} and {high}"
    expected = _EXPECTED.get(error["type"])
    return None if expected is None else expected.format(**error.get("ctx", {}))


def find_range(field: FieldInfo) -> tuple[Any, Any]:
    """The lowest and the highest value of a field, None where there is no limit."""
    low = next((item.ge for item in field.metadata if hasattr(item, "ge")), None)
    high = next((item.le for item in field.metadata if hasattr(item, "le")), None)
    return low, high


def value_type(annotation: Any) -> Any:
    """The type in an annotation, without None and without what Annotated adds."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        return value_type(kinds[0]) if len(kinds) == 1 else annotation
    return value_type(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def _join_path(base: str, parts: Sequence[str | int]) -> str:
    path = base
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not _TYPE_NAME.fullmatch(part):
            path += f".{part}" if path else part
    return path
