"""Flags of the command line for the form of an answer."""

import json
from pathlib import Path
from typing import Any

import click

from model_core.requests.form import Form

from .flags import FILE, combine_options

_FLAGS = {
    "json_schema": click.option(
        "--json-schema", metavar="FILE", type=FILE, help="JSON that is valid under the schema in this file."
    ),
    "json_object": click.option(
        "--json-object", is_flag=True, help=Form.model_fields["json_object"].description
    ),
    "regex": click.option("--regex", help=Form.model_fields["regex"].description),
    "choice": click.option("--choice", multiple=True, help="One of these texts. It is repeated for each."),
    "grammar": click.option(
        "--grammar", metavar="FILE", type=FILE, help="Text of the grammar in this file: Lark or GBNF."
    ),
}
form_options = combine_options(*_FLAGS.values())


def take_form(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Remove the flags of the form from the settings; return what they say as fields of Form.

    Raises click's errors for a file that is not as it should be.
    """
    given = {name: value for name in _FLAGS if (value := settings.pop(name))}
    if not given:
        return None
    if len(given) > 1:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        raise click.UsageError(f"{flags} cannot be used together.")
    ((name, value),) = given.items()
    if name == "choice":
        value = list(value)
    elif isinstance(value, Path):
        value = _read_file(value, is_json=name == "json_schema")
    return {name: value}


def _read_file(path: Path, is_json: bool) -> Any:
    """The text or the JSON in a file."""
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if is_json else text
    except (OSError, ValueError, RecursionError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}.") from error
