"""Calls of tools, and the events that tell of them beside those of the answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model_core.requests.events import Event

from .config import Approval

OWN = ""  # instead of the label of a server: what this service does itself
_NO_WORDS = "the tool has failed"


@dataclass(frozen=True)
class Tool:
    """A tool of a server, as the server describes it."""

    name: str
    description: str | None
    schema: dict[str, Any]
    annotations: Mapping[str, Any] | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether the server says that it changes nothing."""
        return bool((self.annotations or {}).get("readOnlyHint"))


@dataclass(frozen=True)
class Offer:
    """A tool that a request lets the model call. `server` is the label of its server; "": this service."""

    server: str
    tool: Tool
    approval: Approval


@dataclass(frozen=True)
class Call:
    """A call of a tool. `arguments` is JSON as the model has written it.

    Attributes:
        index: counts the calls of the answer from 0.
        id: of the call, by which the model knows its result.
        round: counts the turns of the model in the answer, from 0.
        function: what the model calls the tool.
        approval_id: of the question that a person has answered with yes; None: there was none.
    """

    index: int
    id: str
    server: str
    name: str
    arguments: str
    round: int
    function: str
    approval_id: str | None = None


@dataclass(frozen=True)
class Failure:
    """Why a call has no result. `content` is what the tool itself has said; None: it has said nothing.

    `code` is that of JSON-RPC.
    """

    message: str
    content: list[dict[str, Any]] | None = None
    code: int = -32000

    def to_dict(self) -> dict[str, Any]:
        """As JSON, in the form of OpenAI's items."""
        if self.content is not None:
            return {"type": "mcp_tool_execution_error", "content": self.content}
        return {"type": "mcp_protocol_error", "code": self.code, "message": self.message}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Failure":
        """What `to_dict` has written, as far as the model reads it."""
        content = fields.get("content")
        if not isinstance(content, list):
            return cls(str(fields.get("message") or "the call has failed"))
        texts = [str(part["text"]) for part in content if isinstance(part, dict) and "text" in part]
        return cls("\n".join(texts) or _NO_WORDS, content)


@dataclass(frozen=True)
class Finding:
    """A text that a search of files has found. `number` is what the model calls it.

    `fields` are those of OpenAI's `results`, and `place`.
    """

    number: int
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What has come of a call: `output`, or `failure`.

    `findings`: of a search of files; `shows_findings`: whether its item has them.
    """

    output: str | None = None
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()
    shows_findings: bool = False

    @property
    def text(self) -> str:
        """What the model reads."""
        return self.output or "" if self.failure is None else f"Error: {self.failure.message}"


@dataclass(frozen=True)
class ToolsListed:
    """The tools of a server that the model may call."""

    server: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class CallStarted:
    """A call begins to run. Its end is told later; other calls may begin before."""

    call: Call


@dataclass(frozen=True)
class CallEnded:
    """A call has run, or could not."""

    call: Call
    result: Result


@dataclass(frozen=True)
class ApprovalAsked:
    """The model wants to make a call that a person must approve. It has not run."""

    call: Call


ToolEvent = ToolsListed | CallStarted | CallEnded | ApprovalAsked
AnyEvent = Event | ToolEvent
