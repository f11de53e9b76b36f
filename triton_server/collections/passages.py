"""The passages of a file, cut into chunks for search. The same passages always give the same chunks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

CHARACTERS_PER_TOKEN = 3  # as which sizes are counted: English has four or five, code and numbers fewer
_WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True)
class Passage:
    """A part of a file that has a place of its own: a page, a section, a cell, a sheet's row, or all of it.

    Attributes:
        place: where it is, such as "page 3"; "": nothing more is known than the file.
        unit: what its lines are counted as: "line" or "row"; "": they are not counted.
        first: the number of its first line.
    """

    place: str
    text: str
    unit: str = ""
    first: int = 0


@dataclass(frozen=True)
class Chunk:
    """A text that is found as one, and where in its file it is, such as "page 3" or "Setup, lines 4-9"."""

    text: str
    place: str


@dataclass(frozen=True)
class Chunking:
    """How long chunks are at most, and how much of a chunk the next one begins with, in tokens."""

    size: int
    overlap: int

    def to_json(self) -> dict[str, Any]:
        """As it is kept with a file, and as clients of OpenAI's API see it."""
        sizes = {"max_chunk_size_tokens": self.size, "chunk_overlap_tokens": self.overlap}
        return {"type": "static", "static": sizes}


@dataclass(frozen=True)
class _Piece:
    """A line, or a part of a long one, with its number."""

    text: str
    line: int


def cut(passages: Iterable[Passage], chunking: Chunking) -> list[Chunk]:
    """Cut passages into chunks, at the ends of lines or words. No chunk has text of two places.

    Rows of a sheet that follow each other are one passage.
    """
    size, overlap = (count * CHARACTERS_PER_TOKEN for count in (chunking.size, chunking.overlap))
    chunks = []
    for passage in _join_rows(passages):
        for pieces in _group(list(_split(passage, size)), size, overlap):
            text = "".join(piece.text for piece in pieces).strip("\n")
            if text.strip():
                chunks.append(Chunk(text, _describe(passage, pieces)))
    return chunks


def join(passages: Iterable[Passage]) -> str:
    """The text of passages without their places; those of rows are lines."""
    return "\n\n".join(passage.text for passage in _join_rows(passages))


def halve(chunk: Chunk) -> list[Chunk]:
    """A chunk as two, for a model that takes fewer tokens than expected. Both keep the place."""
    words = _WORDS.findall(chunk.text)
    if len(words) > 1:
        middle = len(words) // 2
        halves = "".join(words[:middle]), "".join(words[middle:])
    else:
        middle = len(chunk.text) // 2
        halves = chunk.text[:middle], chunk.text[middle:]
    return [Chunk(text, chunk.place) for text in halves if text.strip()]


def _join_rows(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages, with each sheet's rows as one. Rows that are missing are empty lines, so they count."""
    place, first, lines = "", 0, list[str]()
    for passage in passages:
        if passage.unit != "row":
            yield passage
            continue
        gap = passage.first - first - len(lines)
        if not lines or place != passage.place or gap > 1:
            if lines:
                yield Passage(place, "\n".join(lines), "row", first)
            place, first, lines, gap = passage.place, passage.first, [], 0
        lines += [*[""] * gap, passage.text]
    if lines:
        yield Passage(place, "\n".join(lines), "row", first)


def _split(passage: Passage, size: int) -> Iterator[_Piece]:
    """The lines of a passage. Those longer than a chunk are cut at words, or where there are none."""
    for number, text in enumerate(passage.text.split("\n"), passage.first):
        line = f"{text}\n"
        if len(line) <= size:
            yield _Piece(line, number)
            continue
        part = ""
        for word in _WORDS.findall(line):
            while len(part) + len(word) > size:
                if not part:
                    part, word = word[:size], word[size:]
                yield _Piece(part, number)
                part = ""
            part += word
        if part:
            yield _Piece(part, number)


def _group(pieces: Sequence[_Piece], size: int, overlap: int) -> Iterator[Sequence[_Piece]]:
    """Pieces that are one chunk. A chunk begins with the last pieces of the one before, up to `overlap`."""
    start = 0
    while start < len(pieces):
        end, length = start, 0
        while end < len(pieces) and (end == start or length + len(pieces[end].text) <= size):
            length += len(pieces[end].text)
            end += 1
        yield pieces[start:end]
        if end == len(pieces):
            return
        back, kept = end, 0
        while back > start + 1 and kept + len(pieces[back - 1].text) <= overlap:
            back -= 1
            kept += len(pieces[back].text)
        # The piece that did not fit must come into the next chunk.
        while back < end and kept + len(pieces[end].text) > size:
            kept -= len(pieces[back].text)
            back += 1
        start = back


def _describe(passage: Passage, pieces: Sequence[_Piece]) -> str:
    if not passage.unit:
        return passage.place
    first, last = pieces[0].line, pieces[-1].line
    lines = f"{passage.unit} {first}" if first == last else f"{passage.unit}s {first}-{last}"
    return f"{passage.place}, {lines}" if passage.place else lines
