"""`tritonchat chat` on the command line: at a terminal, or in a pipe."""

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from model_core import TritonchatError

from ..options import option
from ..stdin import decoded, prompt_or_input

if TYPE_CHECKING:
    from .chat import Chat

REFUSED, AWAY = 1, 3


@click.command()
@click.argument("question", required=False)
@option(
    "--server",
    envvar="TRITONCHAT_API_URL",
    default="127.0.0.1:8080",
    help="URL of the HTTP service; https://... for TLS.",
)
@option("--api-key", help="Where the service asks for one; safer in the environment.")
@option("--id", "session_id", metavar="ID", help="Come back to this session, or begin one of this name.")
@option("--system", metavar="TEXT", help="What the model should know before the conversation begins.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, such as temperature=0.7; may be repeated.",
)
@option("--vi", is_flag=True, help="Keys of vi instead of those of emacs.")
def chat(
    question: str | None,
    server: str,
    api_key: str | None,
    session_id: str | None,
    system: str | None,
    settings: tuple[str, ...],
    vi: bool,
) -> None:
    """Chat with a running server. `tritonchat up` starts one.

    With QUESTION it answers that and ends; - takes all of standard input as the question. Where that is no
    terminal, or the output goes elsewhere, each line of it is a question, and only answers are printed.

    Ends with 1 where something was refused, 3 where no server answers, 130 after Ctrl-C.
    """
    from .chat import Chat  # only now, for other commands need no HTTP client
    from .display import literal, open_console
    from .service import Service, ServiceError

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with Service(server, api_key) as service:
            conversation = Chat(service, open_console(), system, dict(map(_setting, settings)))
            if session_id is not None:
                chosen = conversation.parameters
                conversation.join(session_id)
                if system is not None and system != conversation.system:
                    conversation.set_system(system)
                if chosen:
                    conversation.set_parameters(chosen)
            if question is None and sys.stdin.isatty() and sys.stdout.isatty():
                _at_terminal(conversation, vi)
            else:
                _answer(conversation, _questions(question), keep=session_id is not None)
    except ServiceError as error:
        click.secho(f"tritonchat: {literal(str(error))}", fg="red", err=True)
        sys.exit(AWAY if error.status in (0, 503) else REFUSED)


def _at_terminal(conversation: "Chat", vi: bool) -> None:
    from .prompt import interact
    from .service import DEFAULT_URL

    service = conversation.service
    conversation.note(f"{service.model()} at {service.url}   (:help lists commands, Ctrl-D leaves)")
    if conversation.turns:
        conversation.console.print()
        conversation.show_tail()
    interact(conversation, vi)
    if conversation.turns:
        where = "" if service.url == DEFAULT_URL else f" --server {service.url}"
        conversation.note(f"To come back: tritonchat chat --id {conversation.session_id}{where}")


def _answer(conversation: "Chat", questions: Iterator[str], keep: bool) -> None:
    from .chat import answer_all

    try:
        answer_all(conversation, questions)
    finally:
        if conversation.session_id is not None and not keep:  # nobody could know its id
            with suppress(TritonchatError):
                conversation.service.delete(conversation.session_id)


def _questions(question: str | None) -> Iterator[str]:
    if question is not None:
        given = (prompt_or_input(question),)
    else:
        lines = enumerate(sys.stdin.buffer, 1)
        given = (decoded(line, f"line {number} of standard input") for number, line in lines)
    return (text.strip() for text in given if text and text.strip())


def _setting(text: str) -> tuple[str, Any]:
    from .commands import parameter

    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set takes NAME=VALUE, as in --set temperature=0.7, not {text}.")
    return name, parameter(name, value)
