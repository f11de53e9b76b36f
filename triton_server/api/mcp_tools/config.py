"""The file of --mcp-config: which MCP servers there are, and what may run without being asked for.

It has the form of Claude Desktop, `mcpServers`, or that of VS Code, `servers`. `approval` and `tools` are
this service's own.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from model_core.checks.request_values import explain
from model_core.errors import TritonchatError

from ...system.extras import install_command

Approval = Literal["always", "never"]
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,63}")
_VARIABLE = re.compile(r"\$\{env:(\w+)\}")
# VS Code's other variables: they ask a person, or name a folder of the editor.
_OF_EDITORS = re.compile(r"\$\{(input:|workspaceFolder|userHome|cwd|command:|config:)[^}]*\}")
_HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER_VALUE = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_HTTP_TYPES = ("http", "streamable-http", "streamableHttp", "streamable_http")
_REFUSED = {"envFile": "write its variables into env", "sandboxEnabled": "start the sandbox as the command"}
# For editors and their people; no call depends on them.
_WITHOUT_EFFECT = {"gallery", "description", "icon", "name", "version", "dev", "metadata"}


class _Tool(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    approval: Approval


class _Server(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    type: str | None = None
    command: str | None = Field(None, min_length=1)
    args: list[str] = []
    env: dict[str, str | int | float | bool] = {}
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = {}
    disabled: bool = False
    approval: Approval | None = None
    tools: dict[str, _Tool] = {}


class _File(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    mcpServers: dict[str, _Server] | None = None
    servers: dict[str, _Server] | None = None


@dataclass(frozen=True)
class ServerEntry:
    """An MCP server of the file.

    Attributes:
        label: what requests call it.
        command: the program with its arguments; None: the server is at `url`.
        environment: of the program, besides what every server gets.
        folder: where the program runs; None: where this service does.
        url, headers: of a server that is reached over HTTP.
        approval: what the file says of its tools; None: nothing.
        approvals: what it says of single tools.
        ignored: the names of fields that have no effect here.
    """

    label: str
    command: tuple[str, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    approval: Approval | None = None
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    def approval_of(self, tool: str) -> Approval | None:
        """What the file says of a tool."""
        return self.approvals.get(tool, self.approval)


def check_config(file: Path) -> None:
    """Raises TritonchatError if the file is wrong, or the package that speaks to its servers is missing."""
    if read_config(file) and find_spec("mcp") is None:
        raise TritonchatError(f"--mcp-config needs more packages: {install_command('mcp')}")


def read_config(file: Path, environment: Mapping[str, str] = os.environ) -> list[ServerEntry]:
    """The servers of a file, without those that are disabled.

    `${env:NAME}` in it stands for a variable of `environment`. Raises TritonchatError with what is wrong, and
    never with a value, which may be a secret.
    """
    try:
        value = json.loads(file.read_text())
        parsed = _File.model_validate(value)
    except ValidationError as error:
        message, _ = explain(error.errors(), {}, show=lambda _: "the value")
        raise TritonchatError(f"{file}: {message}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise TritonchatError(f"{file} cannot be read as JSON, which has no comments: {error}.") from error
    if (parsed.mcpServers is None) == (parsed.servers is None):
        raise TritonchatError(f'{file} must have either "mcpServers" or "servers".')
    servers = parsed.mcpServers if parsed.mcpServers is not None else parsed.servers or {}
    return [
        _make_entry(f"{file}: the server {label[:80]!r}", label, server, environment)
        for label, server in servers.items()
        if not server.disabled
    ]


def _make_entry(place: str, label: str, server: _Server, environment: Mapping[str, str]) -> ServerEntry:
    if not _LABEL.fullmatch(label):
        raise TritonchatError(f"{place} needs a name of letters, digits, spaces, dots, _, / and -.")
    for name, value in (server.model_extra or {}).items():
        if name in _REFUSED and value:
            raise TritonchatError(f"{place} has {name}, which is not supported; {_REFUSED[name]}.")
    ignored = [name for name in server.model_extra or {} if name not in _REFUSED]
    fields: dict[str, Any] = {
        "label": label,
        "approval": server.approval,
        "approvals": {name: tool.approval for name, tool in server.tools.items()},
        "ignored": tuple(name for name in ignored if name not in _WITHOUT_EFFECT),
    }
    if (server.command is None) == (server.url is None):
        raise TritonchatError(f"{place} must have either a command or a url.")

    def fill(text: str) -> str:
        return _fill(place, text, environment)

    if server.command is not None:
        if server.type not in (None, "stdio"):
            raise TritonchatError(f"{place} has a command, so its type can only be stdio.")
        values = {name: _write_value(value) for name, value in server.env.items()}
        return ServerEntry(
            command=(fill(server.command), *map(fill, server.args)),
            environment={name: fill(value) for name, value in values.items()},
            folder=None if server.cwd is None else fill(server.cwd),
            **fields,
        )
    if server.type not in (None, *_HTTP_TYPES):
        raise TritonchatError(f"{place} has a url, so its type can only be http: streamable HTTP.")
    url = fill(server.url or "")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise TritonchatError(f"{place} needs a url that begins with http:// or https://.")
    headers = {name: fill(value) for name, value in server.headers.items()}
    for name, value in headers.items():
        # The library would tell the value in its error.
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            wrong = "characters that headers cannot have, such as the end of a line"
            raise TritonchatError(f"{place} has the header {name[:80]!r} with {wrong}.")
    return ServerEntry(url=url, headers=headers, **fields)


def _write_value(value: str | int | float | bool) -> str:
    """A variable as text; numbers and words of JSON stay as the file has them."""
    return value if isinstance(value, str) else json.dumps(value)


def _fill(place: str, text: str, environment: Mapping[str, str]) -> str:
    """A text with the values of variables. Raises TritonchatError for one that is not set."""
    if found := _OF_EDITORS.search(text):
        raise TritonchatError(f"{place} has {found[0]}, which only an editor knows; write ${{env:NAME}}.")

    def look_up(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise TritonchatError(f"{place} needs the variable {match[1]}, which is not set.")
        return environment[match[1]]

    return _VARIABLE.sub(look_up, text)
