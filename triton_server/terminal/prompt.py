"""The input line: editing keys, history, completion, messages of several lines."""

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from model_core.errors import TritonchatError

from ..system.folders import data_folder
from .chat import Chat
from .commands import CommandCompleter, ExitRequested, parse_command, run_command

# In vi mode Escape is a key and the start of key sequences. After this time it counts as the key.
_VI_ESCAPE_S = 0.2


def interact(chat: Chat, vi: bool) -> None:
    """Read lines and handle them until the person ends the program."""
    prompt = _create_prompt(chat, vi)
    while True:
        try:
            chat.console.print()
            draft, chat.draft = chat.draft, ""
            line = prompt.prompt([("bold", f"{chat.turn_count + 1}> ")], default=draft)
        except KeyboardInterrupt:
            if not prompt.default_buffer.text:
                chat.print_note("Ctrl-D or :exit leaves.")
            continue
        except EOFError:
            return
        try:
            _handle_line(chat, line)
        except ExitRequested:
            return
        except TritonchatError as error:
            chat.print_error(error)
        except KeyboardInterrupt:
            chat.print_note("stopped")


def _handle_line(chat: Chat, line: str) -> None:
    command = parse_command(line)
    if command is not None:
        run_command(chat, *command)
    elif line.strip():
        chat.ask(line.strip())


def _create_prompt(chat: Chat, vi: bool) -> PromptSession:
    prompt: PromptSession = PromptSession(
        multiline=True,
        key_bindings=_create_key_bindings(),
        editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
        cursor=ModalCursorShapeConfig() if vi else None,
        history=_open_history(),
        completer=CommandCompleter(chat),
        complete_while_typing=Condition(lambda: get_app().current_buffer.text.startswith(":")),
        complete_in_thread=True,  # the completion of session ids asks the service
        prompt_continuation=lambda width, line, wraps: " " * width,
        enable_suspend=True,
    )
    if vi:
        prompt.app.timeoutlen = prompt.app.ttimeoutlen = _VI_ESCAPE_S
    return prompt


def _create_key_bindings() -> KeyBindings:
    bindings = KeyBindings()
    is_writing = has_focus(DEFAULT_BUFFER)  # not while searching the history, where Enter selects

    @bindings.add("enter", filter=is_writing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.is_cursor_at_the_end and buffer.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @bindings.add("escape", "enter", filter=is_writing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings


def _open_history() -> History:
    """Return the history of lines: a file that only the user may read, or memory if it cannot be opened."""
    path = data_folder() / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.read_bytes()
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
