"""What a request asks for and this service leaves out.

Nothing is ignored without a word: headers of the response name it, such as X-Ignored-Tools, and so does the
request's line in the log.
"""

import re
from collections.abc import Iterable
from typing import Literal

from starlette.requests import HTTPConnection
from starlette.types import Scope

Kind = Literal["tools", "items"]
HEADERS: dict[Kind, str] = {"tools": "X-Ignored-Tools", "items": "X-Ignored-Items"}
_MAX_NAMES = 20
_NOT_IN_HEADERS = re.compile(r"[^\w.:\[\]-]", re.ASCII)
_MAX_LENGTH = 64


def ignore(request: HTTPConnection, kind: Kind, names: Iterable[str]) -> None:
    """Note what is left out of a request. Each name counts once."""
    short = [_NOT_IN_HEADERS.sub("?", name[:_MAX_LENGTH]) for name in names]
    if short:
        ignored = request.scope["state"].setdefault("ignored", {})
        ignored[kind] = list(dict.fromkeys([*ignored.get(kind, ()), *short]))[:_MAX_NAMES]


def list_ignored(scope: Scope) -> dict[Kind, list[str]]:
    """What has been noted of a request."""
    ignored: dict[Kind, list[str]] = scope["state"].get("ignored", {})
    return ignored
