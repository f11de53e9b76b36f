"""Write the page of the commands from their table.

python docs/write_commands.py > docs/commands.md
"""

import json
from inspect import cleandoc

from model_core.requests.messages import ChatFields
from triton_server.contract.commands import COMMANDS, Command
from triton_server.contract.parameters import describe_type
from triton_server.conversations.commands import STORE_COMMANDS

INTRODUCTION = """# Commands over gRPC

The Triton model `chat_control` takes a command as its input `command`, JSON in UINT8, and its output `result`
is a JSON object. One key is the name of the command, and its value is what the command is about; the other
keys are further fields: `{"stats": true, "model": "big"}`. A field that is missing or null has its default.
An unknown command or field, and a value of another type, is refused: the result is then
`{"error": {"type", "message", "param"}}`.

`ChatClient` and `AsyncChatClient` have the commands as methods. `python docs/write_commands.py >
docs/commands.md` has written this page from `triton_server/contract/commands.py`.
"""
CHAT = "A conversation may also have the [parameters of conversations](parameters.md#conversations)."


def render_page() -> str:
    """The page docs/commands.md."""
    sections = [render(name, command) for name, command in COMMANDS.items()]
    sections.insert([*COMMANDS].index("conversations") + 1, render_store())
    return "\n".join([INTRODUCTION, *sections])


def render_store() -> str:
    """The commands of the store, with their fields and what the result has."""
    rows = ["| command of the store | fields | result |", "| --- | --- | --- |"]
    for name, command in STORE_COMMANDS.items():
        fields = ", ".join(f"`{field}`" for field in command.fields[0].model_fields if field != "owner")
        rows.append(f"| `{name}` | {fields} | `{command.answer or command.done}` |")
    return "\n".join(rows) + "\n"


def render(name: str, command: Command) -> str:
    """The section about a command: what it does, and a row for each field."""
    fields = command.fields[0]
    schemas = fields.model_json_schema()["properties"]
    rows = ["| field | value | default | meaning |", "| --- | --- | --- | --- |"]
    for field in sorted(schemas, key=name.__ne__):  # its name first
        schema, default = schemas[field], fields.model_fields[field].get_default(call_default_factory=True)
        kind = (
            describe_type(schema).replace("True", "true") if schema.keys() & {"type", "anyOf", "enum"} else ""
        )
        kind += " or list of messages" if field == name and len(command.fields) > 1 else ""
        is_given = fields.model_fields[field].is_required() or default is None
        value = "" if is_given else f"`{json.dumps(default)}`"
        rows.append(f"| `{field}` | {kind} | {value} | {schema.get('description', '')} |")
    parts = [f"## {name}", cleandoc(fields.__doc__ or ""), "\n".join(rows)]
    if any(issubclass(kind, ChatFields) for kind in command.fields):
        parts.append(CHAT)
    if command.answer is not None:
        parts.append(f"The answer is in the field `{command.answer}` of the result.")
    if command.done is not None:
        parts.append(f"The result has `{command.done}`, which is true.")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(render_page(), end="")
