"""Commands of the terminal: lines that begin with a colon and do not go to the model."""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import rich.table
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from rich.text import Text

from model_core import TritonchatError
from model_core.checks.request_values import StrictModel
from model_core.requests.messages import PromptFields
from model_core.requests.sampling import SamplingFields

from ..contract.parameters import describe_parameter
from ..contract.request_fields import ModelFields
from ..conversations.exchange import to_json, to_jsonl, to_markdown
from ..conversations.tree import Conversation, make_title
from .chat import Chat
from .display import escape_control_characters

# A command is a colon and a word. `:)` and `:D` are messages.
_COMMAND = re.compile(r":([a-z][a-z_]+)(?:\s+(.*))?", re.DOTALL)
UNSET = "-"  # as a value: remove the setting

KEY_HELP = (
    ("Alt-Enter, or \\ Enter", "new line in the message; pasted lines are one message, too"),
    ("Ctrl-C", "cancels the answer, or clears the line"),
    ("Ctrl-D", "ends the program; --id continues the session"),
    ("Up, Ctrl-R", "earlier messages; search in them"),
)


class Parameters(SamplingFields, PromptFields, ModelFields, StrictModel):
    """The parameters of a session."""


# The terminal cannot show log probabilities.
_PARAMETER_NAMES = [name for name in Parameters.model_fields if not name.endswith("logprobs")]


@dataclass(frozen=True)
class Command:
    """A command: the function that runs it, with its argument as text, and what :help prints about it."""

    function: Callable[[Chat, str], None]
    argument: str  # its name for :help; "" for a command that has none
    description: str


class ExitRequested(Exception):
    """The person wants to end the program."""


def parse_command(line: str) -> tuple[str, str] | None:
    """Return the name and the argument of a command; None if the line is a message."""
    match = _COMMAND.fullmatch(line.strip()) if line.startswith(":") else None
    return None if match is None else (match[1], (match[2] or "").strip())


def run_command(chat: Chat, name: str, argument: str) -> None:
    """Run a command. Raises TritonchatError if it fails, ExitRequested for :exit."""
    command = COMMANDS.get(name)
    if command is None:
        raise TritonchatError(
            f"there is no command :{name}; :help lists them, and a message may begin with a space."
        )
    if argument and not command.argument:
        raise TritonchatError(f":{name} takes no argument.")
    command.function(chat, argument)


def parse_parameter(name: str, value: str) -> Any:
    """Parse the value of a parameter. Raises InvalidRequest if it is invalid."""
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value
    if name == "stop" and not isinstance(parsed, list):
        parsed = parsed if isinstance(parsed, str) else value  # a stop text may look like a number
    Parameters(**{_check_parameter_name(name): parsed})
    return parsed


def _check_parameter_name(name: str) -> str:
    """Return `name` if a parameter has it. Raises TritonchatError if none has."""
    if name not in _PARAMETER_NAMES:
        raise TritonchatError(f"there is no parameter {name}; there are {', '.join(_PARAMETER_NAMES)}.")
    return name


def _help(chat: Chat, _: str) -> None:
    table = rich.table.Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, command in COMMANDS.items():
        table.add_row(Text(f":{name} {command.argument}", no_wrap=True), Text(command.description))
    table.add_row()
    for key, description in KEY_HELP:
        table.add_row(Text(key), Text(description))
    chat.console.print(table)


def _history(chat: Chat, _: str) -> None:
    turns = chat.load_session()["turns"]
    if not turns:
        return chat.print_note("Nothing has been asked yet.")
    chat.print_turns(turns)


def _revert_to(chat: Chat, argument: str) -> None:
    if not argument.isdecimal():
        raise TritonchatError("say before which question to go back, as in `:revert_to 2`.")
    chat.revert(int(argument))
    chat.print_note(f"Back to before question {int(argument)}.")


def _retry(chat: Chat, _: str) -> None:
    chat.retry()


def _system(chat: Chat, argument: str) -> None:
    if argument:
        chat.set_system(None if argument == UNSET else argument)
    if chat.system is None:
        return chat.print_note("No system prompt.")
    chat.print_text(chat.system)


def _set(chat: Chat, argument: str) -> None:
    name, _, given = argument.partition(" ")
    if given.strip() == UNSET:
        chat.set_parameters({_check_parameter_name(name): None})
    elif given:
        chat.set_parameters({name: parse_parameter(name, given.strip())})
    for listed in [_check_parameter_name(name)] if name else _PARAMETER_NAMES:
        value = json.dumps(chat.parameters[listed]) if listed in chat.parameters else "not set"
        chat.print_text(f"{listed:<26} {value}")
    if name and not given:
        chat.print_note(describe_parameter(name))


def _model(chat: Chat, argument: str) -> None:
    if argument:
        chat.set_model(argument)
    table = rich.table.Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for number, model in enumerate(chat.service.list_models()):
        is_used = model["id"] == chat.model if chat.model else number == 0
        name = Text(escape_control_characters(model["id"]), "bold" if is_used else "")
        state = Text(escape_control_characters(str(model.get("error") or model.get("state", ""))))
        table.add_row("*" if is_used else "", name, state)
    chat.console.print(table)


def _edit(chat: Chat, argument: str) -> None:
    number, _, text = argument.partition(" ")
    if not number.isdecimal():
        raise TritonchatError("say which question to change, as in `:edit 2`, or `:edit 2 Its new text`.")
    question = chat.branch_before(int(number))
    if text.strip():
        chat.ask(text.strip())
    else:
        chat.draft = question
        chat.print_note("Change the question and press Enter; `:branch` lists the others.")


def _branch(chat: Chat, argument: str) -> None:
    conversation = chat.load_conversation()
    parents = {turn.parent for turn in conversation.turns}
    ends = [turn for turn in conversation.turns if turn.id not in parents]
    if argument:
        if not argument.isdecimal() or not 1 <= int(argument) <= len(ends):
            raise TritonchatError(f"there is no branch {argument}; `:branch` lists them.")
        chat.choose_head(ends[int(argument) - 1].id)
        return chat.print_recent_turns()
    if not ends:
        return chat.print_note("Nothing has been asked yet.")
    table = _open_table("branch", "questions", "the last one")
    for number, turn in enumerate(ends, 1):
        question = Text(escape_control_characters(make_title(turn.question)))
        style = "bold" if turn.id == conversation.head else ""
        table.add_row(str(number), str(len(conversation.path(turn.id))), question, style=style)
    chat.console.print(table)


def _export(chat: Chat, argument: str) -> None:
    if not chat.turn_count:
        raise TritonchatError("there is nothing to save yet.")
    path = Path(argument or Path(f"{chat.session_id}.md").name).expanduser()
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise TritonchatError(f"{path} must end in .md, .json or .jsonl, which chooses the format.")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(write(chat.load_conversation()))
    except FileExistsError:
        raise TritonchatError(f"{path} exists already; save to another file.") from None
    except OSError as error:
        raise TritonchatError(f"{path} cannot be written ({error.strerror}).") from error
    chat.print_note(f"Saved to {path}.")


def _new(chat: Chat, argument: str) -> None:
    if argument:
        chat.open_session(argument)
        return chat.print_recent_turns()
    previous_id = chat.session_id
    chat.start_new_session()
    hint = "" if previous_id is None else f" `:new {previous_id}` goes back to the other."
    chat.print_note(f"A new session.{hint}")


def _list(chat: Chat, argument: str) -> None:
    found = chat.service.list_conversations(argument)
    if not found:
        return chat.print_note("No conversation has these words." if argument else "There is none yet.")
    chat.listed = [summary.id for summary in found]
    table = _open_table("", "questions", "last used", "id", "title")
    for number, summary in enumerate(found, 1):
        updated = datetime.fromtimestamp(summary.updated).strftime("%Y-%m-%d %H:%M")
        texts = (Text(escape_control_characters(text)) for text in (summary.id, summary.title))
        style = "bold" if summary.id == chat.session_id else ""
        table.add_row(str(number), str(summary.turns), updated, *texts, style=style)
    chat.console.print(table)


def _open(chat: Chat, argument: str) -> None:
    if not chat.listed:
        chat.listed = [summary.id for summary in chat.service.list_conversations()]
    if not argument.isdecimal() or not 1 <= int(argument) <= len(chat.listed):
        raise TritonchatError("say the number of a conversation in `:list`, as in `:open 1`.")
    chat.open_session(chat.listed[int(argument) - 1])
    chat.print_recent_turns()


def _open_table(*columns: str) -> rich.table.Table:
    table = rich.table.Table(box=None, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column == "questions" else "left", overflow="fold")
    return table


def _exit(chat: Chat, _: str) -> None:
    raise ExitRequested


COMMANDS = {
    "help": Command(_help, "", "this list"),
    "history": Command(_history, "", "the conversation so far"),
    "revert_to": Command(_revert_to, "N", "go back to before question N, and remove it"),
    "retry": Command(_retry, "", "ask the last question again; :branch goes back to the other answer"),
    "edit": Command(_edit, "N [TEXT]", "change question N, and keep what was said as a branch"),
    "branch": Command(_branch, "[N]", "list the branches, or go to one"),
    "system": Command(_system, "[TEXT]", "show or set the system prompt; - for none"),
    "set": Command(_set, "[NAME VALUE]", "show, explain or set a parameter; - for its default"),
    "model": Command(_model, "[NAME]", "list the models of the server, or choose one"),
    "export": Command(_export, "[FILE]", "write it as .md, as .json with all branches, or as .jsonl"),
    "new": Command(_new, "[ID]", "start a session, or continue the one with this id"),
    "list": Command(_list, "[WORDS]", "list the conversations, or those that have these words"),
    "open": Command(_open, "N", "continue conversation N of the list"),
    "exit": Command(_exit, "", "end the program"),
}


_WRITERS: dict[str, Callable[[Conversation], str]] = {
    ".md": to_markdown,
    ".json": to_json,
    ".jsonl": lambda conversation: to_jsonl([conversation]),
}


class CommandCompleter(Completer):
    """Completes commands and their arguments. Messages get no completions."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._ids: list[str] = []
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions at the cursor."""
        text = document.text_before_cursor
        if not text.startswith(":") or "\n" in text:
            return
        name, space, argument = text[1:].partition(" ")
        if not space:
            for known, command in COMMANDS.items():
                if known.startswith(name):
                    yield Completion(known, -len(name), display=f":{known}", display_meta=command.description)
        elif name == "set":
            for known in _PARAMETER_NAMES:
                if known.startswith(argument):
                    meta = Parameters.model_fields[known].description
                    yield Completion(known + " ", -len(argument), display=known, display_meta=meta)
        elif name in ("new", "model"):
            if not argument:  # ask the service once a line, not at every key
                service = self._chat.service
                with suppress(TritonchatError):
                    entries = service.list_sessions() if name == "new" else service.list_models()
                    self._ids = [entry["id"] for entry in entries]
            for known in self._ids:
                if known.startswith(argument):
                    yield Completion(known, -len(argument))
        elif name == "export":
            yield from self._paths.get_completions(Document(argument), complete_event)
