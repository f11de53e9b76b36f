"""The program that reads the text of a PDF file, in its own process with limits.

A PDF file is a program of its kind: its streams may unpack to any size, and its parts may refer to each other
in circles. `attachments.py` starts this process for one file. The request is the file; the reply is a JSON
object: {"text": that of all pages}, or {"error": a sentence without its subject}.
"""

import io
import json
import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[2:]

import logging
from typing import Any

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from model_core.machine.limited_program import serve

MEMORY = 1024 * 2**20  # bytes of address space
TIME_LIMIT_S = 20.0  # of processor time, for a whole file; 100 pages of text take about 2 s
MAX_PAGES = 1000
MAX_CHARACTERS = 2_000_000


def read_pdf(data: bytes) -> dict[str, Any]:
    """The text of a file, or its error."""
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"error": "is protected by a password"}
        count = len(reader.pages)
        if count > MAX_PAGES:
            return {"error": f"has {count} pages; {MAX_PAGES} are the limit"}
        texts: list[str] = []
        for page in reader.pages:
            texts.append(page.extract_text().strip())
            if sum(map(len, texts)) > MAX_CHARACTERS:
                return {"error": f"has more than {MAX_CHARACTERS:,} characters of text"}
    except (FileNotDecryptedError, DependencyError):
        return {"error": "is protected by a password"}
    except MemoryError:
        return {"error": f"needs more than {MEMORY >> 20} MiB of memory"}
    except (PyPdfError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return {"error": "is damaged, or no PDF file"}  # pypdf raises all of these for damaged files
    text = "\n\n".join(filter(None, texts))
    if not text:
        return {"error": "has no text, only images"}
    return {"text": text}


def _handle(request: bytes) -> bytes:
    return json.dumps(read_pdf(request)).encode("ascii")  # halves of surrogate pairs, too


if __name__ == "__main__":
    logging.disable()
    serve(_handle, MEMORY, lambda _: TIME_LIMIT_S)
