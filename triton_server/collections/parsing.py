"""The text of a file with its places, read by a process with limits."""

import json
from pathlib import PurePath

from model_core.errors import InvalidRequest
from model_core.machine.limited_process import LimitedProcess, ProcessEnded, TooSlow

from . import parse_program
from .passages import Passage
from .plain_text import clean_text

MAX_MEBIBYTES = 64  # of one file
_KINDS = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".xlsx": "xlsx",
    ".ipynb": "ipynb",
    ".md": "markdown",
    ".markdown": "markdown",
}


def find_kind(name: str, data: bytes) -> str:
    """How a file is read: as its name ends, or a PDF file as it begins; else as text."""
    if data[:1024].lstrip().startswith(b"%PDF"):
        return "pdf"
    return _KINDS.get(PurePath(name).suffix.lower(), "text")


def read_passages(name: str, data: bytes) -> list[Passage]:
    """Read a file. Raises InvalidRequest with one sentence if it has no text, or cannot be read."""
    if len(data) > MAX_MEBIBYTES * 2**20:
        raise refuse(name, f"has {len(data) / 2**20:.0f} MiB; {MAX_MEBIBYTES} are the limit")
    process = None
    try:
        process = LimitedProcess(parse_program.__file__)
        reply = json.loads(process.request(f"{find_kind(name, data)}\n".encode() + data))
    except TooSlow:
        raise refuse(name, f"takes longer than {parse_program.TIME_LIMIT_S:g} s to read") from None
    except (ProcessEnded, OSError):
        raise refuse(name, "cannot be read: the process that reads it has ended") from None
    finally:
        if process is not None:
            process.end()
    if "error" in reply:
        raise refuse(name, reply["error"])
    return [
        Passage(clean_text(place), clean_text(text), unit, first)
        for place, text, unit, first in reply["passages"]
    ]


def refuse(name: str, reason: str) -> InvalidRequest:
    """The error for a file: a sentence of its name and a reason."""
    return InvalidRequest(f"{name} {reason}.", "files")
