"""The line to write on: editing keys, history, completion, messages of several lines."""

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from model_core import TritonchatError

from ..folders import data_folder
from .chat import Chat
from .commands import CommandCompleter, Leave, parsed, run

# In vi mode Escape is a key of its own, and who presses it does not want to wait for what it may begin.
_VI_ESCAPE_S = 0.2


def interact(chat: Chat, vi: bool) -> None:
    """Talk until the person leaves."""
    prompt = _prompt(chat, vi)
    while True:
        try:
            chat.console.print()
            line = prompt.prompt([("bold", f"{chat.turns + 1}> ")])
        except KeyboardInterrupt:
            if not prompt.default_buffer.text:
                chat.note("Ctrl-D or :exit leaves.")
            continue
        except EOFError:
            return
        try:
            _obey(chat, line)
        except Leave:
            return
        except TritonchatError as error:
            chat.complain(error)
        except KeyboardInterrupt:
            chat.note("stopped")


def _obey(chat: Chat, line: str) -> None:
    command = parsed(line)
    if command is not None:
        run(chat, *command)
    elif line.strip():
        chat.ask(line.strip())


def _prompt(chat: Chat, vi: bool) -> PromptSession:
    prompt: PromptSession = PromptSession(
        multiline=True,
        key_bindings=_bindings(),
        editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
        cursor=ModalCursorShapeConfig() if vi else None,
        history=_history(),
        completer=CommandCompleter(chat),
        complete_while_typing=Condition(lambda: get_app().current_buffer.text.startswith(":")),
        complete_in_thread=True,  # one of the completions asks the server
        prompt_continuation=lambda width, line, wraps: " " * width,
        enable_suspend=True,
    )
    if vi:
        prompt.app.timeoutlen = prompt.app.ttimeoutlen = _VI_ESCAPE_S
    return prompt


def _bindings() -> KeyBindings:
    bindings = KeyBindings()
    writing = has_focus(DEFAULT_BUFFER)  # and not searching, where Enter means something else

    @bindings.add("enter", filter=writing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.is_cursor_at_the_end and buffer.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @bindings.add("escape", "enter", filter=writing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings


def _history() -> History:
    """What was written before, in a file that nobody else may read; in memory where there can be none."""
    path = data_folder() / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.read_bytes()
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
