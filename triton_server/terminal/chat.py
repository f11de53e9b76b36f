"""A conversation at a terminal: questions out, answers in, and the session of the service behind them."""

import contextlib
import random
import signal
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from model_core import TritonchatError

from .display import AnswerWriter, WaitingSign, figures, literal, writer_for
from .service import Service

_SHOWN_TURNS = 3  # of a session that somebody comes back to
_STOP_S = 2.0  # in which the service notices that an answer has broken off


class Chat:
    """A session of the service's, shown on a console.

    Attributes:
        session_id: None until there is something to keep.
        turns: how many questions of the session have an answer.
        unanswered: a question whose answer failed, for another try.
    """

    def __init__(
        self, service: Service, console: Console, system: str | None, parameters: dict[str, Any]
    ) -> None:
        self.service, self.console = service, console
        self.session_id: str | None = None
        self.system, self.parameters = system, dict(parameters)
        self.turns = 0
        self.unanswered: str | None = None

    def join(self, session_id: str) -> None:
        """Go on with a session, or begin one of this id.

        A system prompt and parameters that were chosen before become those of a new session.
        """
        session = self.service.session(session_id)
        if session is None:
            session = self.service.create(session_id, self.system, self.parameters)
        self._take(session)
        self.unanswered = None

    def leave(self) -> None:
        """Go on with another session, which the next question begins, with the same settings."""
        self.session_id, self.turns, self.unanswered = None, 0, None

    def record(self) -> dict[str, Any]:
        """The session as the service has it, with its turns."""
        session = None if self.session_id is None else self.service.session(self.session_id)
        if session is None:
            return {"id": None, "system": self.system, "parameters": self.parameters, "turns": []}
        self._take(session)
        return session

    def set_system(self, system: str | None) -> None:
        """Answer from now on with this system prompt, or without one."""
        if self.session_id is not None:
            self.service.change(self.session_id, system=system)
        self.system = system

    def set_parameters(self, changes: dict[str, Any]) -> None:
        """Answer from now on with these parameters; None takes one away."""
        if self.session_id is not None:
            self.service.change(self.session_id, parameters=changes)
        merged = {**self.parameters, **changes}
        self.parameters = {name: value for name, value in merged.items() if value is not None}

    def revert(self, to: int) -> None:
        """Go back to before question `to`, counted from 1."""
        if not 1 <= to <= self.turns:
            has = f"questions 1 to {self.turns}" if self.turns > 1 else f"{self.turns or 'no'} question"
            raise TritonchatError(f"there is no question {to} to go back to; the session has {has}.")
        self.service.revert(self.session_id, to)
        self.turns, self.unanswered = to - 1, None

    def pieces(self, question: str, **once: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """The answer as it comes, as `Service.answer`; `once` are parameters of this question alone."""
        if self.session_id is None:
            self._take(self.service.create(None, self.system, self.parameters))
        self.unanswered = question
        with contextlib.closing(self.service.answer(self.session_id, question, once)) as pieces:
            for text, details in pieces:
                if details:
                    self.turns, self.unanswered = details["turn"], None
                yield text, details

    def ask(self, question: str, **once: Any) -> str:
        """Show the answer to a question while it comes, and then what it took; what was shown.

        Ctrl-C ends the answer; what has come stays.
        """
        turns, said, details, failure = self.turns, "", {}, None
        writer, sign = AnswerWriter(self.console), WaitingSign(self.console)
        try:
            with answering(), contextlib.closing(self.pieces(question, **once)) as pieces:
                for text, details in pieces:  # noqa: B007 - the last one's count
                    sign.stop()
                    # Many models begin with a space, which is no indentation.
                    writer.write(text if said else text.lstrip())
                    said += text
        except KeyboardInterrupt:
            details = {}
        except TritonchatError as error:
            failure = error
        finally:
            sign.stop()
            writer.close()
        if failure is None:
            self.note(figures(details) if details else "stopped")
        if said and not details:
            self._catch_up(turns)
        if failure is not None:
            raise failure
        return said

    def retry(self) -> None:
        """Ask the last question again, for another answer unless a seed is set."""
        question, before = self.unanswered, None
        if question is None:
            turns = self.record()["turns"]
            if not turns:
                raise TritonchatError("there is no question yet to ask again.")
            question, before = turns[-1]["question"], turns[-1]["answer"]
            self.revert(len(turns))
        once = {} if "seed" in self.parameters else {"seed": random.randrange(2**31)}
        if self.ask(question, **once) == before:
            self.note("the same words again; `:set temperature 0.8` lets it choose others.")

    def show_turns(self, turns: Sequence[dict[str, Any]], first: int = 1) -> None:
        """Print turns of the session, as they were when they came."""
        for number, turn in enumerate(turns, first):
            if number > first:
                self.console.print()
            prompt = f"{number}> "
            self.console.print(Text(prompt, "bold", end=""), end="")
            self._write(turn["question"], margin=len(prompt))
            self._write(turn["answer"])
            if turn["finish_reason"] == "cancelled":
                self.note("stopped")

    def show_tail(self) -> None:
        """Print the last turns, for somebody who comes back."""
        turns = self.record()["turns"]
        hidden = max(0, len(turns) - _SHOWN_TURNS)
        if hidden:
            self.note(f"{hidden} earlier; :history shows all\n")
        self.show_turns(turns[hidden:], hidden + 1)

    def note(self, text: str) -> None:
        """A remark that is not the model's."""
        self.say(text, "dim")

    def complain(self, error: Exception) -> None:
        """Say what went wrong."""
        message = str(error)
        self.say(message[:1].upper() + message[1:], "red")

    def say(self, text: str, style: str = "") -> None:
        """Print a text as it is."""
        self.console.print(Text(literal(text), style))

    def _write(self, text: str, margin: int = 0) -> None:
        writer = AnswerWriter(self.console, margin)
        writer.write(text)
        writer.close()

    def _take(self, session: dict[str, Any]) -> None:
        self.session_id, self.turns = session["id"], len(session["turns"])
        self.system, self.parameters = session["system"], session["parameters"]

    def _catch_up(self, turns: int) -> None:
        """Learn what the service keeps of an answer that broke off, once it has noticed."""
        end = time.monotonic() + _STOP_S
        with contextlib.suppress(TritonchatError):  # the next question will say so
            while len(self.record()["turns"]) == turns and time.monotonic() < end:
                time.sleep(0.1)
        if self.turns > turns:
            self.unanswered = None


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """Let one Ctrl-C raise KeyboardInterrupt inside, and keep what is typed off the screen until later."""

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what follows has to be cleared up in peace
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    modes = termios.tcgetattr(sys.stdin) if sys.stdin.isatty() else None
    try:
        if modes is not None:
            silent = modes.copy()
            silent[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
        yield
    finally:
        if modes is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
        signal.signal(signal.SIGINT, before)


def answer_all(chat: Chat, questions: Iterable[str]) -> None:
    """Write the answers to questions, and nothing else: for scripts."""
    for question in questions:
        writer = writer_for(chat.console)
        try:
            for text, _ in chat.pieces(question):
                writer.write(text)
        finally:
            writer.close()
