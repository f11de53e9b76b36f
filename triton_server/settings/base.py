"""How a setting is stated, where its value comes from, and how a process hands settings on to another."""

import json
import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from inspect import get_annotations
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.config import JsonDict
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
    YamlConfigSettingsSource,
)

from model_core.errors import TritonchatError

from .values import NewFile

_PREFIX = "TRITONCHAT_"
Kind = TypeVar("Kind", bound="Settings")
Source = PydanticBaseSettingsSource


def setting(
    default: Any, *, key: str | None = None, shown: str = "", is_rare: bool = False, **more: Any
) -> Any:
    """A field of Settings that is more than a type and a default. The text below it is its help.

    Args:
        default: as a person would write it.
        key: its name for people, with underscores; by default that of the field.
        shown: what None, the default, stands for.
        is_rare: most people never need it, so that it is only in --help-all.
        more: of pydantic's Field, such as ge, gt and le.
    """
    extra: JsonDict = {"shown": shown, "is_rare": is_rare}
    return Field(default, alias=key, json_schema_extra=extra, **more)


class Settings(BaseModel):
    """A group of settings, or several. Keys and passwords are never printed.

    Attributes:
        section: under which --help has those that a class states itself.
    """

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        use_attribute_docstrings=True,
        extra="forbid",
        validate_default=True,
        hide_input_in_errors=True,
        validate_by_name=True,
        validate_by_alias=True,
    )
    section: ClassVar[str] = "Options"

    def select(self, kind: type[Kind], **more: Any) -> Kind:
        """Settings of another kind: what both have, and `more`."""
        own = {name: getattr(self, name) for name in kind.model_fields if name in type(self).model_fields}
        return kind(**{**own, **more})

    def to_environment(self) -> dict[str, str]:
        """The environment variable for another process. Other users could read a command line."""
        return {_process_variable(type(self)): json.dumps(self.model_dump(), default=_to_text)}

    @classmethod
    def from_environment(cls: type[Kind], environment: MutableMapping[str, str] = os.environ) -> Kind:
        """Read what another process wrote by `to_environment`, and remove it from the environment."""
        return cls.model_validate_json(environment.pop(_process_variable(cls)))

    @classmethod
    def read_values(cls, environment: Mapping[str, str]) -> dict[str, Any]:
        """What another process was told, unchecked: its files need not be there for this one."""
        return json.loads(environment[_process_variable(cls)])


def _process_variable(kind: type[Settings]) -> str:
    return f"{_PREFIX}{kind.__name__.removesuffix('Settings').upper()}_SETTINGS"


def _to_text(value: Any) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


class CommandSettings(Settings, BaseSettings):
    """Settings of a command: those that are given, else those of variables, else defaults."""

    # By name, a variable would be read that no page lists and that nobody removes for other processes.
    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_prefix_target="all",
        env_ignore_empty=True,
        enable_decoding=False,
        validate_by_name=False,
    )


class FileSettings(CommandSettings):
    """Settings of a command that a file can hold, too. Variables come before it."""

    config: NewFile | None = None
    """Read settings from this file, in TOML or YAML, such as max-context = 4096. Flags and variables come
    first."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: Source,
        env_settings: Source,
        dotenv_settings: Source,
        file_secret_settings: Source,
    ) -> tuple[Source, ...]:
        """The sources, of which the first that has a value counts."""
        given = init_settings()
        file = given.get("config") or env_settings().get("config")
        values = {} if file is None else read_file(Path(file))
        return init_settings, env_settings, InitSettingsSource(settings_cls, values)


def read_file(file: Path) -> dict[str, Any]:
    """The values in a file, of YAML if its name says so, else of TOML, by keys. Raises TritonchatError."""
    is_yaml = file.suffix in (".yaml", ".yml")
    source = YamlConfigSettingsSource if is_yaml else TomlConfigSettingsSource
    try:
        file.stat()  # the sources take a missing file for an empty one
        values = source(FileSettings, file).init_kwargs
    except Exception as error:  # each format has errors of its own
        raise TritonchatError(f"{file} cannot be read: {' '.join(str(error).split())}.") from error
    return {str(key).replace("-", "_"): value for key, value in values.items()}


@dataclass(frozen=True)
class Setting:
    """A setting for people.

    Attributes:
        key: its name, with underscores.
        section: its part of --help.
        schema: its JSON schema.
        shown, is_rare: as in `setting`.
    """

    key: str
    section: str
    schema: Mapping[str, Any]
    shown: str = ""
    is_rare: bool = False

    @property
    def flag(self) -> str:
        """Its flag; without --, its name in a file."""
        return "--" + self.key.replace("_", "-")

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return _PREFIX + self.key.upper()

    @property
    def help(self) -> str:
        """What it means, in one line."""
        return " ".join(self.schema["description"].split())

    @property
    def default(self) -> str:
        """What holds if nobody gives it, for people; empty: nothing."""
        value = self.schema["default"]
        return self.shown or ("" if value in (None, []) or value is False else str(value))


@cache
def list_settings(kind: type[Settings]) -> Mapping[str, Setting]:
    """All settings of a kind by their keys, in the order of its groups."""
    schemas = kind.model_json_schema()["properties"]
    found = {}
    for group in kind.__mro__:
        for name in get_annotations(group):
            if issubclass(group, Settings) and (field := kind.model_fields.get(name)) is not None:
                key, extra = field.alias or name, cast(dict[str, Any], field.json_schema_extra or {})
                found[key] = Setting(key, group.section, schemas[key], **extra)
    return found


def explain(kind: type[Settings], error: ValidationError, given: Mapping[str, Any]) -> str:
    """What is wrong, in a sentence that names the place: a flag of those `given`, a variable, or the file."""
    first = error.errors()[0]
    key, message = str(first["loc"][0]), first["msg"].removeprefix("Value error, ")
    known = list_settings(kind)
    file = given.get("config") or os.environ.get(f"{_PREFIX}CONFIG")
    if key not in known:
        near = ", ".join(one.replace("_", "-") for one in get_close_matches(key, known, 3, cutoff=0.4))
        return f"{file}: there is no setting {key.replace('_', '-')}; near names: {near or 'none'}."
    if key in given:
        place = known[key].flag
    elif known[key].variable in {name.upper() for name, value in os.environ.items() if value}:
        place = known[key].variable
    else:
        place = f"{key.replace('_', '-')} in {file}"
    return f"Invalid value for {place}: {message.rstrip('.')}."
