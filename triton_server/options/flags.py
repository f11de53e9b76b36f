"""Flags of the command line: those of settings, and of the parameters of requests."""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from model_core.requests.sampling import MAX_TOKEN_COUNT, SamplingFields

from ..contract.parameters import properties
from ..settings.base import CommandSettings, Setting, explain, list_settings
from .sections import SettingOption

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
Kind = TypeVar("Kind", bound=CommandSettings)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_TYPES: dict[str, tuple[Any, Any]] = {
    "integer": (click.INT, click.IntRange),
    "number": (click.FLOAT, click.FloatRange),
}


class Readable(click.ParamType):
    """The type of values that `read` makes of a text; it raises ValueError with a sentence."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self._read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._read(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def option(flag: str, *names: str, **attributes: Any) -> Decorator:
    """Declare a flag that an environment variable can set too: --max-context is TRITONCHAT_MAX_CONTEXT.

    `names` and `attributes` are the parameters of `click.option`.
    """
    variable = "TRITONCHAT_" + flag.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(
        flag, *names, **{"envvar": variable, "show_envvar": True, "show_default": True, **attributes}
    )


def combine_options(*decorators: Decorator) -> Decorator:
    """Combine several options into one decorator. --help lists them in this order."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def setting_flags(kind: type[CommandSettings], *keys: str) -> Decorator:
    """Declare the flags of settings by their keys, or of all, and give a command these `settings`."""
    known = list_settings(kind)
    flags = combine_options(*(_declare(known[key]) for key in keys or known))

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(**values: Any) -> Any:
            given = {key: values.pop(key) for key in keys or known}
            return command(settings=make_settings(kind, given), **values)

        return flags(run)

    return decorate


def make_settings(kind: type[Kind], flags: Mapping[str, Any]) -> Kind:
    """The settings for the values of flags, None or () where a flag is not given. Raises click.UsageError."""
    given = {key: value for key, value in flags.items() if value not in (None, ())}
    try:
        return kind(**given)
    except ValidationError as error:
        raise click.UsageError(explain(kind, error, given), click.get_current_context(silent=True)) from None


def _declare(setting: Setting) -> Decorator:
    attributes = _read_schema(setting.schema)
    return click.option(
        setting.flag,
        setting.key,
        cls=SettingOption,
        setting=setting,
        default=None,
        help=setting.help,
        **attributes,
    )


def parameter_option(name: str, flag: str = "") -> Decorator:
    """Declare the flag of a request's parameter, with its type, range and description. None: not given."""
    schema, flag = properties()[name], flag or "--" + name.replace("_", "-")
    attributes = _read_schema(schema)
    if "multiple" in attributes:
        return click.option(flag, help=f"{schema['description']} It may be repeated.", **attributes)
    return option(flag, name, default=None, help=schema["description"], **attributes)


def _read_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of `click.option` for values under a JSON schema."""
    kind = value_schema(schema)
    if kind["type"] == "array":
        return {**_read_schema(kind["items"]), "multiple": True}
    if kind["type"] == "boolean":
        return {"is_flag": True}
    if "enum" in kind:
        return {"type": click.Choice(kind["enum"])}
    plain, ranged = _TYPES.get(kind["type"], (click.STRING, None))
    low, high = kind.get("minimum", kind.get("exclusiveMinimum")), kind.get("maximum")
    # Limits that only guard against overflow would fill a line of --help.
    low, high = (None if limit is None or abs(limit) >= MAX_TOKEN_COUNT else limit for limit in (low, high))
    if low is not None or high is not None:
        plain = ranged(low, high, min_open="exclusiveMinimum" in kind)
    return {"type": plain, "metavar": kind.get("metavar")}


def value_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema without null; of one value or a list, that of the list."""
    return [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"][-1]


def _has_flag(name: str) -> bool:
    # A text on a terminal has no log probabilities.
    kind = value_schema(properties()[name]).get("type", "object")
    return kind != "object" and not name.endswith("logprobs")


SAMPLING_FLAGS = list(filter(_has_flag, SamplingFields.model_fields))
sampling_options = combine_options(*map(parameter_option, SAMPLING_FLAGS))
