"""A conversation in a terminal: it prints questions and answers of a session of the HTTP service."""

import contextlib
import signal
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from model_core.errors import TritonchatError, capitalize_sentence
from model_core.requests.events import Text as AnswerText

from ..conversations.tree import Conversation
from .display import (
    AnswerWriter,
    WaitingIndicator,
    describe_truncation,
    escape_control_characters,
    format_statistics,
)
from .printer import AnswerPrinter
from .service import Parts, ServiceClient

_SESSION_PARAMETERS = {"truncation": "auto"}  # of new sessions, where the person sets no others
_RECENT_TURNS = 3  # that are printed when a person continues a session
_CANCEL_WAIT_S = 2.0  # how long the service may take to notice that an answer was cancelled


class Chat:
    """A session of the HTTP service, printed on a console.

    Attributes:
        session_id: None until the session exists, which is when the first question is asked.
        system: the system prompt; None for none.
        parameters: those of the session's answers.
        turn_count: how many questions of the session have an answer.
        failed_question: the last question if its answer failed, so that `retry` can ask it again.
        draft: what the next input line begins with.
        listed: the ids of the conversations that were listed last.
    """

    def __init__(
        self, service: ServiceClient, console: Console, system: str | None, parameters: dict[str, Any]
    ) -> None:
        self.service, self.console = service, console
        self.session_id: str | None = None
        self.system, self.parameters = system, dict(parameters)
        self.turn_count = 0
        self.failed_question: str | None = None
        self.draft = ""
        self.listed: list[str] = []

    def open_session(self, session_id: str) -> None:
        """Continue the session with this id, or create it.

        A new session gets the present system prompt and parameters.
        """
        session = self.service.get_session(session_id)
        if session is None:
            session = self._create_session(session_id)
        self._use_session(session)
        self.failed_question = None

    def start_new_session(self) -> None:
        """Leave the session. The next question creates a new one with the same system prompt and settings."""
        self.session_id, self.turn_count, self.failed_question = None, 0, None

    def load_session(self) -> dict[str, Any]:
        """Return the session as the service stores it, with its turns."""
        session = None if self.session_id is None else self.service.get_session(self.session_id)
        if session is None:
            return {"id": None, "system": self.system, "parameters": self.parameters, "turns": []}
        self._use_session(session)
        return session

    def set_system(self, system: str | None) -> None:
        """Change the system prompt for the next answers; None removes it."""
        if self.session_id is not None:
            self.service.update_session(self.session_id, system=system)
        self.system = system

    def set_parameters(self, changes: dict[str, Any]) -> None:
        """Change parameters for the next answers; the value None removes a parameter."""
        if self.session_id is not None:
            self.service.update_session(self.session_id, parameters=changes)
        merged = {**self.parameters, **changes}
        self.parameters = {name: value for name, value in merged.items() if value is not None}

    @property
    def model(self) -> str | None:
        """The model of the next answers; None for the service's default."""
        return self.parameters.get("model")

    def set_model(self, name: str) -> None:
        """Change the model for the next answers. Raises TritonchatError for one that the service lacks."""
        names = [model["id"] for model in self.service.list_models()]
        if name not in names:
            raise TritonchatError(f"there is no model {name}; there are {', '.join(names)}.")
        self.set_parameters({"model": name})

    def revert(self, question_number: int) -> None:
        """Remove this question, counted from 1, and all that follow it."""
        self._check_question(question_number)
        assert self.session_id is not None
        self.service.revert_session(self.session_id, question_number)
        self.turn_count, self.failed_question = question_number - 1, None

    def load_conversation(self) -> Conversation:
        """Return the session with all its branches. Raises TritonchatError if nothing has been asked."""
        if self.session_id is None:
            raise TritonchatError("nothing has been asked yet.")
        return self.service.get_conversation(self.session_id)

    def branch_before(self, question_number: int) -> str:
        """Go back to before a question, counted from 1, and keep it as a branch. Returns the question."""
        self._check_question(question_number)
        turn = self.load_conversation().path()[question_number - 1]
        self.choose_head(turn.parent)
        return turn.question

    def choose_head(self, turn: int | None) -> None:
        """Go on after a turn of any branch."""
        if self.session_id is not None:
            self.service.choose_head(self.session_id, turn)
            self.load_session()
        self.failed_question = None

    def stream_answer(self, question: str) -> Parts:
        """Yield the answer as `ServiceClient` does. Creates the session if there is none yet."""
        if self.session_id is None:
            self._use_session(self._create_session(None))
        assert self.session_id is not None
        self.failed_question = question
        with contextlib.closing(self.service.stream_answer(self.session_id, question)) as parts:
            for part, details in parts:
                if details:
                    self.turn_count, self.failed_question = details["turn"], None
                yield part, details

    def ask(self, question: str) -> str:
        """Print the answer to a question while it arrives, then its statistics. Returns the answer's text.

        Ctrl-C cancels the answer; the text that has arrived stays on the screen and in the session.
        """
        turn_count, answer, details, failure = self.turn_count, "", dict[str, Any](), None
        printer = AnswerPrinter(self.console)
        indicator = WaitingIndicator(self.console, self._describe_loading)
        try:
            with interrupt_once(), contextlib.closing(self.stream_answer(question)) as parts:
                for part, details in parts:  # noqa: B007 - the details of the last part are used below
                    indicator.stop()
                    printer.print(part)
                    answer += part.text if isinstance(part, AnswerText) else ""
        except KeyboardInterrupt:
            details = {}
        except TritonchatError as error:
            failure = error
        finally:
            indicator.stop()
            printer.close()
        if failure is None:
            if note := describe_truncation(details):
                self.print_note(note)
            self.print_note(format_statistics(details) if details else "stopped")
        if answer and not details:
            self._wait_for_stored_turn(turn_count)
        if failure is not None:
            raise failure
        return answer

    def retry(self) -> None:
        """Ask the last question again; the other answer is kept as a branch.

        The answer may differ, unless a seed is set.
        """
        question, previous_answer = self.failed_question, None
        if question is None:
            turns = self.load_session()["turns"]
            if not turns:
                raise TritonchatError("there is no question yet to ask again.")
            question, previous_answer = turns[-1]["question"], turns[-1]["answer"]
            self.branch_before(len(turns))
        if self.ask(question) == previous_answer:
            self.print_note("the same words again; `:set temperature 0.8` lets it choose others.")

    def print_turns(self, turns: Sequence[dict[str, Any]], first_number: int = 1) -> None:
        """Print turns of the session in the form in which they were first shown."""
        for number, turn in enumerate(turns, first_number):
            if number > first_number:
                self.console.print()
            prompt = f"{number}> "
            self.console.print(Text(prompt, "bold", end=""), end="")
            self._print_wrapped(turn["question"], margin=len(prompt))
            self._print_wrapped(turn["answer"])
            if turn["finish_reason"] == "cancelled":
                self.print_note("stopped")

    def print_recent_turns(self) -> None:
        """Print the last turns, for a person who continues a session."""
        turns = self.load_session()["turns"]
        hidden_count = max(0, len(turns) - _RECENT_TURNS)
        if hidden_count:
            self.print_note(f"{hidden_count} earlier; :history shows all\n")
        self.print_turns(turns[hidden_count:], hidden_count + 1)

    def print_note(self, text: str) -> None:
        """Print a message of the program, in another style than the model's answers."""
        self.print_text(text, "dim")

    def print_error(self, error: Exception) -> None:
        """Print the message of an error."""
        self.print_text(capitalize_sentence(str(error)), "red")

    def print_text(self, text: str, style: str = "") -> None:
        """Print a text without wrapping or markup; control characters are made visible."""
        self.console.print(Text(escape_control_characters(text), style))

    def _check_question(self, number: int) -> None:
        if not 1 <= number <= self.turn_count:
            count = self.turn_count
            has = f"questions 1 to {count}" if count > 1 else f"{count or 'no'} question"
            raise TritonchatError(f"there is no question {number} to go back to; the session has {has}.")

    def _describe_loading(self) -> str:
        """That the model is to be loaded, and how far it is; "" if it need not be, or nobody knows."""
        model = self.model
        progress = self.service.read_progress(model)
        if progress in (None, 1.0):
            return ""
        return f"loading {escape_control_characters(model or 'the model')}, {progress:.0%}"

    def _print_wrapped(self, text: str, margin: int = 0) -> None:
        writer = AnswerWriter(self.console, margin)
        writer.write(text)
        writer.close()

    def _create_session(self, session_id: str | None) -> dict[str, Any]:
        return self.service.create_session(
            session_id, self.system, {**_SESSION_PARAMETERS, **self.parameters}
        )

    def _use_session(self, session: dict[str, Any]) -> None:
        self.session_id, self.turn_count = session["id"], len(session["turns"])
        self.system, self.parameters = session["system"], session["parameters"]

    def _wait_for_stored_turn(self, previous_count: int) -> None:
        """Wait until the service has stored the part of a cancelled answer that arrived."""
        end = time.monotonic() + _CANCEL_WAIT_S
        with contextlib.suppress(TritonchatError):  # the next question reports the same error
            while len(self.load_session()["turns"]) == previous_count and time.monotonic() < end:
                time.sleep(0.1)
        if self.turn_count > previous_count:
            self.failed_question = None


@contextlib.contextmanager
def interrupt_once() -> Iterator[None]:
    """Raise KeyboardInterrupt for the first Ctrl-C in the block; ignore more. Do not echo what is typed."""

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would interrupt the cleanup
        raise KeyboardInterrupt

    previous_handler = signal.signal(signal.SIGINT, interrupt)
    modes = termios.tcgetattr(sys.stdin) if sys.stdin.isatty() else None
    try:
        if modes is not None:
            no_echo = modes.copy()
            no_echo[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, no_echo)
        yield
    finally:
        if modes is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
        signal.signal(signal.SIGINT, previous_handler)


def print_answers(chat: Chat, questions: Iterable[str]) -> None:
    """Print the answers to questions and nothing else. Scripts use this."""
    for question in questions:
        printer = AnswerPrinter(chat.console)
        try:
            for part, _ in chat.stream_answer(question):
                printer.print(part)
        finally:
            printer.close()
