"""What a person can say to the terminal instead of to the model: lines that begin with a colon."""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import rich.table
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from rich.text import Text

from model_core import SamplingParams, TritonchatError

from .chat import Chat
from .display import literal

# A smiley is no command, and neither is anything else that a colon and a word do not begin.
_COMMAND = re.compile(r":([a-z][a-z_]+)(?:\s+(.*))?", re.DOTALL)
NOTHING = "-"  # instead of a value: none
_PARAMETERS = [f.name for f in fields(SamplingParams) if f.name != "logprobs"]  # which have no place here

KEYS = (
    ("Alt-Enter, or \\ Enter", "a new line in the message; pasted lines stay together too"),
    ("Ctrl-C", "stops the answer, or clears the line"),
    ("Ctrl-D", "leaves; --id comes back"),
    ("Up, Ctrl-R", "earlier messages; search them"),
)


@dataclass(frozen=True)
class Command:
    """A command: what it does with a chat and what stands behind its name."""

    run: Callable[[Chat, str], None]
    argument: str
    about: str


class Leave(Exception):
    """The person wants to go."""


def parsed(line: str) -> tuple[str, str] | None:
    """The name and the argument of a command; None for a line that is a message."""
    match = _COMMAND.fullmatch(line.strip()) if line.startswith(":") else None
    return None if match is None else (match[1], (match[2] or "").strip())


def run(chat: Chat, name: str, argument: str) -> None:
    """Do what a command says. Raises TritonchatError where it cannot be done, Leave to go."""
    command = COMMANDS.get(name)
    if command is None:
        raise TritonchatError(
            f"there is no command :{name}; :help lists them, and a message may begin with a space."
        )
    if argument and not command.argument:
        raise TritonchatError(f":{name} takes nothing behind it.")
    command.run(chat, argument)


def parameter(name: str, value: str) -> Any:
    """What a person wrote as the value of a parameter. Raises InvalidRequest where it cannot be one."""
    try:
        meant = json.loads(value)
    except ValueError:
        meant = value
    if name == "stop" and not isinstance(meant, list):
        meant = meant if isinstance(meant, str) else value  # a number may well be a text
    SamplingParams.from_dict({_known(name): meant})
    return meant


def _known(name: str) -> str:
    """The name of a parameter. Raises TritonchatError for any other."""
    if name not in _PARAMETERS:
        raise TritonchatError(f"there is no parameter {name}; there are {', '.join(_PARAMETERS)}.")
    return name


def _help(chat: Chat, _: str) -> None:
    table = rich.table.Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, command in COMMANDS.items():
        table.add_row(Text(f":{name} {command.argument}", no_wrap=True), Text(command.about))
    table.add_row()
    for key, about in KEYS:
        table.add_row(Text(key), Text(about))
    chat.console.print(table)


def _history(chat: Chat, _: str) -> None:
    turns = chat.record()["turns"]
    if not turns:
        return chat.note("Nothing has been asked yet.")
    chat.show_turns(turns)


def _revert_to(chat: Chat, argument: str) -> None:
    if not argument.isdecimal():
        raise TritonchatError("say before which question to go back, as in `:revert_to 2`.")
    chat.revert(int(argument))
    chat.note(f"Back to before question {int(argument)}.")


def _retry(chat: Chat, _: str) -> None:
    chat.retry()


def _system(chat: Chat, argument: str) -> None:
    if argument:
        chat.set_system(None if argument == NOTHING else argument)
    if chat.system is None:
        return chat.note("No system prompt.")
    chat.say(chat.system)


def _set(chat: Chat, argument: str) -> None:
    name, _, value = argument.partition(" ")
    if value.strip() == NOTHING:
        chat.set_parameters({_known(name): None})
    elif value:
        chat.set_parameters({name: parameter(name, value.strip())})
    for shown in [_known(name)] if name else _PARAMETERS:
        value = json.dumps(chat.parameters[shown]) if shown in chat.parameters else "not set"
        chat.say(f"{shown:<18} {value}")


def _save(chat: Chat, argument: str) -> None:
    session = chat.record()
    if not session["turns"]:
        raise TritonchatError("there is nothing to save yet.")
    path = Path(argument or Path(f"{session['id']}.md").name).expanduser()
    writers = {".json": as_json, ".md": as_markdown, ".txt": as_markdown}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise TritonchatError(f"{path} should end in .md or .json, which says what it is to be.")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(write(session))
    except FileExistsError:
        raise TritonchatError(f"{path} exists already; save to another file.") from None
    except OSError as error:
        raise TritonchatError(f"{path} cannot be written ({error.strerror}).") from error
    chat.note(f"Saved to {path}.")


def _new(chat: Chat, argument: str) -> None:
    if argument:
        chat.join(argument)
        return chat.show_tail()
    left = chat.session_id
    chat.leave()
    chat.note("A new session." if left is None else f"A new session; `:new {left}` goes back to the other.")


def _sessions(chat: Chat, _: str) -> None:
    sessions = chat.service.sessions()
    if not sessions:
        return chat.note("There is no session yet.")
    table = rich.table.Table(box=None, padding=(0, 2, 0, 0))
    for column in ("session", "questions", "last used"):
        table.add_column(column, justify="right" if column == "questions" else "left", overflow="fold")
    for session in sessions:
        used = datetime.fromisoformat(session["updated"].replace("Z", "+00:00")).astimezone()
        style = "bold" if session["id"] == chat.session_id else ""
        shown = Text(literal(session["id"]))
        table.add_row(shown, str(session["questions"]), f"{used:%Y-%m-%d %H:%M}", style=style)
    chat.console.print(table)


def _exit(chat: Chat, _: str) -> None:
    raise Leave


COMMANDS = {
    "help": Command(_help, "", "this"),
    "history": Command(_history, "", "the conversation so far"),
    "revert_to": Command(_revert_to, "N", "go back to before question N"),
    "retry": Command(_retry, "", "ask the last question again"),
    "system": Command(_system, "[TEXT]", "show or set the system prompt; - for none"),
    "set": Command(_set, "[NAME VALUE]", "show or set a parameter; - for the model's own choice"),
    "save": Command(_save, "[FILE]", "write the conversation as .md or .json"),
    "new": Command(_new, "[ID]", "begin a session, or go on with that of an id"),
    "sessions": Command(_sessions, "", "the sessions there are"),
    "exit": Command(_exit, "", "leave"),
}


def as_json(session: dict[str, Any]) -> str:
    """A session as the service has it."""
    return json.dumps(session, ensure_ascii=False, indent=2) + "\n"


def as_markdown(session: dict[str, Any]) -> str:
    """A session for people to read."""
    parts = [f"# {session['id']}"]
    if session["system"] is not None:
        parts += ["## System prompt", session["system"].strip()]
    for number, turn in enumerate(session["turns"], 1):
        parts += [f"## Question {number}", turn["question"].strip(), f"## Answer {number}"]
        parts.append(turn["answer"].strip())
    return "\n\n".join(parts) + "\n"


class CommandCompleter(Completer):
    """Completes commands and what stands behind them; messages are left alone."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._ids: list[str] = []
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may stand at the cursor."""
        text = document.text_before_cursor
        if not text.startswith(":") or "\n" in text:
            return
        name, space, argument = text[1:].partition(" ")
        if not space:
            for known, command in COMMANDS.items():
                if known.startswith(name):
                    yield Completion(known, -len(name), display=f":{known}", display_meta=command.about)
        elif name == "set":
            for known in _PARAMETERS:
                if known.startswith(argument):
                    yield Completion(known + " ", -len(argument), display=known)
        elif name == "new":
            if not argument:  # once a line is enough
                with suppress(TritonchatError):
                    self._ids = [session["id"] for session in self._chat.service.sessions()]
            for known in self._ids:
                if known.startswith(argument):
                    yield Completion(known, -len(argument))
        elif name == "save":
            yield from self._paths.get_completions(Document(argument), complete_event)
