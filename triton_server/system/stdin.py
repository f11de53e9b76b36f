"""Read a prompt from standard input."""

import sys

from model_core.errors import InvalidRequest

STDIN_ARGUMENT = "-"


def read_prompt(prompt: str | None) -> str | None:
    """Return the prompt of the command line, or read it from standard input if it is - or input is a pipe.

    None if there is neither. Raises InvalidRequest if the input is not UTF-8.
    """
    if prompt is not None and prompt != STDIN_ARGUMENT:
        return prompt
    if prompt is None and sys.stdin.isatty():
        return None
    text = decode_text(sys.stdin.buffer.read(), "standard input").removesuffix("\n")
    return text if text or prompt == STDIN_ARGUMENT else None


def decode_text(data: bytes, name: str) -> str:
    """Decode UTF-8. Raises InvalidRequest, with `name` in its message, if the data is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{name} is not UTF-8.") from error
