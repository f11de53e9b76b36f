"""Standard input as a prompt."""

import sys

from model_core.errors import InvalidRequest

STDIN = "-"


def prompt_or_input(prompt: str | None) -> str | None:
    """The prompt of a command line, or what comes as - or by a pipe. None where there is neither.

    Raises InvalidRequest where that is no text.
    """
    if prompt is not None and prompt != STDIN:
        return prompt
    if prompt is None and sys.stdin.isatty():
        return None
    text = decoded(sys.stdin.buffer.read(), "standard input").removesuffix("\n")
    return text if text or prompt == STDIN else None


def decoded(data: bytes, name: str) -> str:
    """UTF-8 as text. Raises InvalidRequest, which says `name`, where it is none."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{name} is not UTF-8.") from error
