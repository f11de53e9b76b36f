"""Calls of the model as items of OpenAI's Responses API, and back."""

import json
from dataclasses import dataclass
from typing import Any

from model_core.requests.messages import complete_object


@dataclass(frozen=True)
class CallForm:
    """How a client knows the calls of a tool.

    Attributes:
        kind: the type of their items.
        name, namespace: of the tool.
    """

    kind: str
    name: str
    namespace: str | None = None

    @property
    def is_streamed(self) -> bool:
        """Whether an item can be begun before the call is complete."""
        return self.kind in _TEXT_FIELDS


# The field of an item that has what the model writes.
_TEXT_FIELDS = {"function_call": "arguments", "custom_tool_call": "input"}
CALL_KINDS = (*_TEXT_FIELDS, "shell_call", "local_shell_call", "apply_patch_call")


def start_item(form: CallForm, call_id: str) -> dict[str, Any]:
    """The fields of the item of a call that begins."""
    if not form.is_streamed:
        return {"call_id": call_id}
    namespace = {} if form.namespace is None else {"namespace": form.namespace}
    return {"call_id": call_id, "name": form.name, **namespace, _TEXT_FIELDS[form.kind]: ""}


def fill_item(kind: str, text: str) -> dict[str, Any]:
    """The fields of the item of a call that has ended. `text`: its arguments, or a custom tool's input."""
    if kind in _TEXT_FIELDS:
        return {_TEXT_FIELDS[kind]: text}
    fields = complete_object(text)
    if kind == "apply_patch_call":
        return {"operation": _read_operation(fields)}
    limits = {
        name: fields[name] for name in ("timeout_ms", "max_output_length") if _is_count(fields.get(name))
    }
    if kind == "shell_call":
        limits.setdefault("timeout_ms", None)
        limits.setdefault("max_output_length", None)
        return {"action": {"commands": _read_strings(fields.get("commands")), **limits}}
    env, folder = fields.get("env"), fields.get("working_directory")
    action: dict[str, Any] = {
        "type": "exec",
        "command": _read_strings(fields.get("command")),
        "env": {str(k): str(v) for k, v in env.items()} if isinstance(env, dict) else {},
        "timeout_ms": limits.get("timeout_ms"),
        "user": None,
        "working_directory": folder if isinstance(folder, str) else None,
    }
    return {"action": action}


def write_arguments(kind: str, fields: dict[str, Any]) -> str:
    """The arguments of a command or a patch, from its `action` or `operation`, as the model wrote them."""
    kept = {name: value for name, value in fields.items() if value is not None}
    if kind == "local_shell_call":
        kept.pop("type", None)
    return json.dumps(kept, ensure_ascii=False)


def _read_operation(fields: dict[str, Any]) -> dict[str, Any]:
    path, diff = fields.get("path"), fields.get("diff")
    kind = fields.get("type") if fields.get("type") in ("create_file", "delete_file") else "update_file"
    operation = {"type": kind, "path": path if isinstance(path, str) else ""}
    return (
        operation if kind == "delete_file" else {**operation, "diff": diff if isinstance(diff, str) else ""}
    )


def _read_strings(value: Any) -> list[str]:
    """A list of strings; models at times write one without a list."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
