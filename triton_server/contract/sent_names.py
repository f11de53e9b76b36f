"""The names that a client has used for parts of a request, which other interfaces call otherwise."""

import re
from collections.abc import Mapping
from dataclasses import replace

from model_core.errors import TritonchatError
from model_core.requests.events import Done, Event

# The beginning of a field's path -> what the client called it. `[]` stands for any index, the same in both.
SentNames = Mapping[str, str]
_ENDS = re.compile(r"(?<=.)(?=[.\[]|\Z)", re.DOTALL)  # where a name in a path may end
_INDEX = re.compile(r"\[\d{1,9}\]")
_MAX_DIGITS = 9


def rename_field(path: str, names: SentNames) -> str:
    """The path of a field as the client has sent it. The longest name that fits counts."""
    longest = max(map(len, names), default=0)
    ends = [match.start() for match in _ENDS.finditer(path, 0, longest + _MAX_DIGITS + 1)]
    for end in reversed(ends):
        beginning = path[:end]
        if beginning in names:
            return names[beginning] + path[end:]
        for index in _INDEX.finditer(beginning):
            name = f"{beginning[: index.start()]}[]{beginning[index.end() :]}"
            if name in names:
                return names[name].replace("[]", index[0]) + path[end:]
    return path


def rename_error(error: Exception, names: SentNames) -> Exception:
    """The error with the client's name of the field: in `param`, and at the beginning of its sentence."""
    if not isinstance(error, TritonchatError) or error.param is None:
        return error
    # copy.copy would call the class, whose arguments may be others.
    renamed = type(error).__new__(type(error))
    renamed.__dict__.update(vars(error))
    renamed.param = rename_field(error.param, names)
    first, space, rest = str(error).partition(" ")
    renamed.args = (rename_field(first, names) + space + rest,)
    return renamed


def rename_event(event: Event, names: SentNames) -> Event:
    """The event; the parts of schemas that its usage names are called as the client has sent them."""
    if not isinstance(event, Done) or not event.usage.ignored_schema:
        return event
    ignored = tuple(rename_field(path, names) for path in event.usage.ignored_schema)
    return replace(event, usage=replace(event.usage, ignored_schema=ignored))
