"""The program that reads the text of a file, in its own process with limits.

A PDF file is a program of its kind: its streams may unpack to any size, and its parts may refer to each other
in circles. A docx or xlsx file is an archive, which may unpack to any size, too. `parsing.py` starts this
process for one file. The request is a line with the kind of the file, and the file; the reply is a JSON
object: {"passages": [[place, text, unit, first], ...]} as in `passages.Passage`, or {"error": a sentence
without its subject}.
"""

import io
import json
import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[2:]

import logging
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from model_core.machine.limited_program import serve
from triton_server.collections.plain_text import CONTROL, MAX_CHARACTERS, clean_text, decode

MEMORY = 1024 * 2**20  # bytes of address space
TIME_LIMIT_S = 20.0  # of processor time, for a whole file; 100 pages of a PDF file take about 2 s
MAX_PAGES = 1000
MAX_PLACE = 300  # characters
MAX_LEVEL = 9  # of headings, as in docx
MAX_UNPACKED = 2**28  # bytes of an archive
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_Passages = Iterator[tuple[str, str, str, int]]


class _Unreadable(Exception):
    """Why a file has no text: a sentence without its subject."""


def read(kind: str, data: bytes) -> dict[str, Any]:
    """The passages of a file, or its error."""
    passages, size, former = [], 0, ""
    try:
        for place, text, unit, first in _READERS[kind](data):
            place = place if len(place) <= MAX_PLACE else f"{place[: MAX_PLACE - 1]}…"
            is_joined = unit == "row" and place == former  # rows of a sheet are one passage in the end
            size += len(text) + (len(place) if text.strip() and not is_joined else 0)
            former = place
            if size > MAX_CHARACTERS:
                return {"error": f"has more than {MAX_CHARACTERS:,} characters of text and headings"}
            if clean_text(text).strip():
                passages.append((place, text, unit, first))
    except _Unreadable as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"needs more than {MEMORY >> 20} MiB of memory"}
    except Exception:  # the libraries raise whatever damaged files let fail in them
        return {"error": f"is damaged, or no {_NAMES[kind]} file"}
    if not passages:
        return {"error": "has no text, only images" if kind == "pdf" else "is empty"}
    return {"passages": passages}


def _read_pdf(data: bytes) -> _Passages:
    import pypdf
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _Unreadable("is protected by a password")
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise _Unreadable(f"has {count} pages; {MAX_PAGES} are the limit")
        for number, page in enumerate(reader.pages, 1):
            yield f"page {number}", page.extract_text().strip(), "", 0
    except (FileNotDecryptedError, DependencyError):
        raise _Unreadable("is protected by a password") from None


def _read_docx(data: bytes) -> _Passages:
    import docx
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    _check_archive(data)
    document = docx.Document(io.BytesIO(data))
    headings: list[str] = []
    lines: list[str] = []
    # All that stands in the body, in content controls, insertions, nested tables and boxes, too.
    for row in document.element.body.iter(qn("w:p"), qn("w:tr")):
        if row.tag == qn("w:tr"):
            if next(row.iterancestors(qn("w:tr")), None) is None:  # else it is in a cell that was read
                cells = (cell for cell in row.iter(qn("w:tc")) if next(cell.iterancestors(qn("w:tr"))) is row)
                lines.append("\t".join(" ".join(_join_texts(cell).split()) for cell in cells))
            continue
        if next(row.iterancestors(qn("w:tr"), qn("w:p")), None) is not None:
            continue
        paragraph, text = Paragraph(row, document), _join_texts(row)
        name = (paragraph.style.name if paragraph.style is not None else None) or ""
        name = "Heading 1" if name == "Title" else name
        level = name.removeprefix("Heading ") if name.startswith("Heading ") else ""
        if text and level.isdecimal():
            yield _section(headings), "\n".join(lines), "", 0
            headings, lines = [*headings[: max(0, min(int(level), MAX_LEVEL) - 1)], text], []
        lines.append(text)
    yield _section(headings), "\n".join(lines), "", 0


def _join_texts(element: Any) -> str:
    """The text of a part of a docx file, without what was deleted from it."""
    from docx.oxml.ns import qn

    signs = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:p": "\n", "w:noBreakHyphen": "-"}
    marks = {qn(name): sign for name, sign in signs.items()}
    # A box stands in the file twice, the second time for old programs, and so does what was moved.
    left_out = f"{_COMPATIBILITY}Fallback", qn("w:moveFrom"), qn("w:tabs")
    texts = []
    for part in element.iter(qn("w:t"), *marks):
        if next(part.iterancestors(*left_out), None) is None:
            texts.append(marks.get(part.tag, part.text or ""))
    return "".join(texts).strip()


def _read_xlsx(data: bytes) -> _Passages:
    import openpyxl

    _check_archive(data)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # a file may say that a sheet has more cells than it has
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells = ["" if value is None else str(value) for value in row]
            if any(cells):
                yield f"sheet {sheet.title}", "\t".join(cells).rstrip().replace("\n", " "), "row", number


def _read_notebook(data: bytes) -> _Passages:
    """Cells of a Jupyter notebook, format 4 (nbformat.readthedocs.io), with what they have printed."""
    for number, cell in enumerate(json.loads(data.decode("utf-8-sig"))["cells"], 1):
        parts = [_join(cell["source"])]
        for output in cell.get("outputs", ()):
            parts.append(_join(output.get("text") or output.get("data", {}).get("text/plain") or ""))
        yield f"cell {number}", "\n".join(filter(str.strip, parts)), "", 0


def _read_markdown(data: bytes) -> _Passages:
    headings: list[str] = []
    lines: list[str] = []
    first, fence = 1, ""
    for number, line in enumerate(_read_lines(data), 1):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        level = len(line) - len(line.lstrip("#"))
        if not fence and 1 <= level <= 6 and line[level:].startswith(" ") and line[level:].strip():
            yield _section(headings), "\n".join(lines), "line", first
            headings, lines, first = [*headings[: level - 1], line[level:].strip(" #")], [], number
        lines.append(line)
    yield _section(headings), "\n".join(lines), "line", first


def _read_text(data: bytes) -> _Passages:
    yield "", "\n".join(_read_lines(data)), "line", 1


def _read_lines(data: bytes) -> list[str]:
    text = decode(data)
    if CONTROL.search(text):
        raise _Unreadable("is no text; text, Markdown, code, PDF, docx, xlsx and ipynb files can be read")
    if len(text) > MAX_CHARACTERS:
        raise _Unreadable(f"has more than {MAX_CHARACTERS:,} characters of text")
    return text.removesuffix("\n").split("\n")


def _check_archive(data: bytes) -> None:
    """Raises _Unreadable for an archive that unpacks to too much; it cannot be more than it says."""
    size = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(data)).infolist())
    if size > MAX_UNPACKED:
        raise _Unreadable(f"unpacks to {size >> 20} MiB; {MAX_UNPACKED >> 20} are the limit")


def _section(headings: list[str]) -> str:
    return " > ".join(heading[:100] for heading in headings)


def _join(text: Any) -> str:
    """A text of a notebook, which may be a list of its lines."""
    return text if isinstance(text, str) else "".join(text)


_READERS: dict[str, Callable[[bytes], _Passages]] = {
    "pdf": _read_pdf,
    "docx": _read_docx,
    "xlsx": _read_xlsx,
    "ipynb": _read_notebook,
    "markdown": _read_markdown,
    "text": _read_text,
}
_NAMES = {"pdf": "PDF", "ipynb": "Jupyter", "text": "text", "markdown": "text"} | {
    name: name for name in ("docx", "xlsx")
}


def _handle(request: bytes) -> bytes:
    kind, _, data = request.partition(b"\n")
    return json.dumps(read(kind.decode(), data)).encode("ascii")  # halves of surrogate pairs, too


if __name__ == "__main__":
    logging.disable()
    serve(_handle, MEMORY, lambda _: TIME_LIMIT_S)
