"""The command `tritonchat chat`, for a person at a terminal and for scripts."""

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from model_core.errors import TritonchatError

from ..options.flags import option, parameter_option
from ..system.stdin import decode_text, read_prompt

if TYPE_CHECKING:
    from .chat import Chat

EXIT_REFUSED, EXIT_UNAVAILABLE = 1, 3


@click.command()
@click.argument("question", required=False)
@option(
    "--server",
    envvar="TRITONCHAT_API_URL",
    default="127.0.0.1:8080",
    help="URL of the HTTP service; https://... for TLS.",
)
@option("--api-key", help="The key, if the service needs one; safer in the environment.")
@click.option("--model", metavar="NAME", help="The model that answers, if the server has several.")
@option("--id", "session_id", metavar="ID", help="Continue the session of this id, or create it.")
@option("--system", metavar="TEXT", help="System prompt: what the model should know before the conversation.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, such as temperature=0.7; may be repeated.",
)
@parameter_option("enable_thinking", "--think/--no-think")
@parameter_option("reasoning_budget")
@option("--vi", is_flag=True, help="Edit with the keys of vi, not of emacs.")
def chat(
    question: str | None,
    server: str,
    api_key: str | None,
    session_id: str | None,
    system: str | None,
    settings: tuple[str, ...],
    vi: bool,
    **parameters: bool | int | str | None,
) -> None:
    """Chat with a running server. `tritonchat up` starts one.

    With QUESTION it answers this question and ends; - reads the question from standard input. Without, and if
    input or output is not a terminal, each line of the input is a question, and only the answers are printed.

    Exit status: 1 if a request was refused, 3 if no server answers, 130 after Ctrl-C.
    """
    from .chat import Chat  # imported here because other commands need no HTTP client
    from .display import escape_control_characters, open_console
    from .service import ServiceClient, ServiceError

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with ServiceClient(server, api_key) as service:
            given: dict[str, Any] = {name: v for name, v in parameters.items() if v is not None}
            given |= map(_parse_setting, settings)
            conversation = Chat(service, open_console(), system, given)
            if session_id is not None:
                chosen_parameters = conversation.parameters
                conversation.open_session(session_id)
                if system is not None and system != conversation.system:
                    conversation.set_system(system)
                if chosen_parameters:
                    conversation.set_parameters(chosen_parameters)
            if question is None and sys.stdin.isatty() and sys.stdout.isatty():
                _run_interactive(conversation, vi)
            else:
                _run_script(conversation, _read_questions(question), keep_session=session_id is not None)
    except ServiceError as error:
        click.secho(f"tritonchat: {escape_control_characters(str(error))}", fg="red", err=True)
        sys.exit(EXIT_UNAVAILABLE if error.status in (0, 503) else EXIT_REFUSED)


def _run_interactive(conversation: "Chat", vi: bool) -> None:
    from .prompt import interact
    from .service import DEFAULT_URL

    service = conversation.service
    model = conversation.model or service.list_models()[0]["id"]
    conversation.print_note(f"{model} at {service.url}   (:help lists commands, Ctrl-D leaves)")
    if conversation.turn_count:
        conversation.console.print()
        conversation.print_recent_turns()
    interact(conversation, vi)
    if conversation.turn_count:
        server_flag = "" if service.url == DEFAULT_URL else f" --server {service.url}"
        conversation.print_note(f"To continue: tritonchat chat --id {conversation.session_id}{server_flag}")


def _run_script(conversation: "Chat", questions: Iterator[str], keep_session: bool) -> None:
    from .chat import print_answers

    try:
        print_answers(conversation, questions)
    finally:
        if conversation.session_id is not None and not keep_session:  # the person does not know its id
            with suppress(TritonchatError):
                conversation.service.delete_session(conversation.session_id)


def _read_questions(question: str | None) -> Iterator[str]:
    texts: Iterable[str | None]
    if question is not None:
        texts = (read_prompt(question),)
    else:
        lines = enumerate(sys.stdin.buffer, 1)
        texts = (decode_text(line, f"line {number} of standard input") for number, line in lines)
    return (text.strip() for text in texts if text and text.strip())


def _parse_setting(text: str) -> tuple[str, Any]:
    from .commands import parse_parameter

    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set takes NAME=VALUE, as in --set temperature=0.7, not {text}.")
    return name, parse_parameter(name, value)
