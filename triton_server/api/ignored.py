"""What a request asks for and this service leaves out.

Nothing is ignored without a word: headers of the response name it, such as X-Ignored-Tools, and so does the
request's line in the log.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Literal

from pydantic import BaseModel
from starlette.requests import HTTPConnection, Request
from starlette.types import Scope

from model_core.checks.request_values import shorten

from .body import list_left_out
from .errors import ApiError
from .field_rules import WITHOUT_EFFECT_INSIDE, find_unknown

Kind = Literal["tools", "items", "fields"]
HEADERS: dict[Kind, str] = {
    "tools": "X-Ignored-Tools",
    "items": "X-Ignored-Items",
    "fields": "X-Ignored-Fields",
}
_MAX_NAMES = 20
_NOT_IN_HEADERS = re.compile(r"[^\w.:\[\]-]", re.ASCII)
_MAX_LENGTH = 64


def ignore(request: HTTPConnection, kind: Kind, names: Iterable[str]) -> None:
    """Note what is left out of a request. Each name counts once."""
    short = [_NOT_IN_HEADERS.sub("?", name[:_MAX_LENGTH]) for name in names]
    if short:
        ignored = request.scope["state"].setdefault("ignored", {})
        ignored[kind] = list(dict.fromkeys([*ignored.get(kind, ()), *short]))[:_MAX_NAMES]


def check_fields(request: Request, body: BaseModel) -> None:
    """Look at the fields that a body and its parts lack, and note those that are not known.

    Raises ApiError for one that is refused, and with --strict-fields for one that is not known.
    """
    unknown = find_unknown(body.model_extra)
    inside = (path for path, name in list_left_out(body) if name not in WITHOUT_EFFECT_INSIDE)
    unknown += islice(inside, _MAX_NAMES)
    if unknown and request.app.state.settings.strict_fields:
        name = shorten(unknown[0])
        raise ApiError(400, f"this service has no field {name}.", "unknown_field", unknown[0][:_MAX_LENGTH])
    ignore(request, "fields", unknown)


def list_ignored(scope: Scope) -> dict[Kind, list[str]]:
    """What has been noted of a request."""
    ignored: dict[Kind, list[str]] = scope["state"].get("ignored", {})
    return ignored
