"""Files as passages, passages as chunks, vectors as whole numbers, and conditions on attributes."""

import io
import json
import zipfile

import docx
import numpy as np
import openpyxl
import pytest
from pydantic import TypeAdapter, ValidationError

from model_core.errors import InvalidRequest
from triton_server.collections import parse_program, vectors
from triton_server.collections.filters import MAX_DEPTH, MAX_VALUES, Filter
from triton_server.collections.parse_program import MAX_PLACE, read
from triton_server.collections.parsing import MAX_MEBIBYTES, read_passages
from triton_server.collections.passages import Chunk, Chunking, Passage, cut, halve

FILTER: TypeAdapter = TypeAdapter(Filter)


def test_no_word_is_lost_and_no_chunk_is_too_long() -> None:
    lines = [f"line {number} " + "word " * (number % 40) + "x" * (7 * number % 900) for number in range(200)]
    text = "\n".join(lines)
    for size, overlap in ((100, 0), (100, 50), (254, 50)):
        chunks = cut([Passage("", text, "line", 1)], Chunking(size, overlap))
        assert max(len(chunk.text) for chunk in chunks) <= 3 * size
        joined = "\n".join(chunk.text for chunk in chunks)
        assert all(f"line {number} " in joined for number in range(200))
        assert joined.count("x") >= text.count("x")
        assert chunks == cut([Passage("", text, "line", 1)], Chunking(size, overlap))
    assert cut([Passage("", "a\nb", "line", 1)], Chunking(100, 50)) == [Chunk("a\nb", "lines 1-2")]


def test_chunks_have_the_place_of_their_passage() -> None:
    rows = [Passage("sheet A", f"row {number}", "row", number) for number in (1, 2, 4, 900)]
    found = cut([Passage("page 1", "one"), Passage("page 2", "two"), *rows], Chunking(100, 0))
    assert [(chunk.place, chunk.text) for chunk in found] == [
        ("page 1", "one"),
        ("page 2", "two"),
        ("sheet A, rows 1-4", "row 1\nrow 2\n\nrow 4"),
        ("sheet A, row 900", "row 900"),
    ]
    assert [half.text for half in halve(Chunk("one two three four", "x"))] == ["one two ", "three four"]
    assert [half.text for half in halve(Chunk("abcd", "x"))] == ["ab", "cd"]


def test_places_are_short_and_count_as_text() -> None:
    long = "".join(f"{'#' * (number % 6 + 1)} {'x' * 200}\n" for number in range(12))
    places = [place for place, *_ in read("markdown", long.encode())["passages"]]
    assert max(map(len, places)) == MAX_PLACE
    many = "".join(f"# {'x' * 100}\ny\n" for _ in range(11_000))  # 1.1 million characters, and their places
    assert "text and headings" in read("markdown", many.encode())["error"]


def test_name_of_a_sheet_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_program, "MAX_CHARACTERS", 1000)
    book = openpyxl.Workbook()
    book.active.title = "a" * 31
    for number in range(100):
        book.active.append([number])
    file = io.BytesIO()
    book.save(file)
    assert len(read("xlsx", file.getvalue())["passages"]) == 100


def test_text_of_control_characters_alone_is_none() -> None:
    notebook = json.dumps({"cells": [{"source": "\u0001"}]}).encode()
    assert read("ipynb", notebook) == {"error": "is empty"}


def test_all_that_stands_in_the_body_of_a_docx_file_is_read() -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    document, data, changed = docx.Document(), io.BytesIO(), io.BytesIO()
    document.add_heading("Deep", 5)
    document.add_paragraph("MARK")
    document.save(data)
    body = (
        f"<w:sdt><w:sdtContent><w:p>{run.format('control')}</w:p></w:sdtContent></w:sdt>"
        f"<w:p><w:ins w:id='1' w:author='a'>{run.format('inserted')}</w:ins>"
        "<w:del w:id='2' w:author='a'><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run.format('outer')}</w:p><w:tbl><w:tr><w:tc><w:p>{run.format('inner')}</w:p>"
        f"</w:tc></w:tr></w:tbl><w:p/></w:tc><w:tc><w:p>{run.format('beside')}</w:p></w:tc></w:tr></w:tbl>"
    )
    with zipfile.ZipFile(data) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            if name == "word/document.xml":
                part = part.replace(b"<w:p><w:r><w:t>MARK</w:t></w:r></w:p>", body.encode())
            target.writestr(name, part)
    ((place, text, _, _),) = read("docx", changed.getvalue())["passages"]
    assert (place, text.split("\n")) == ("Deep", ["Deep", "control", "inserted", "outer inner\tbeside"])


def test_headings_of_markdown_are_not_those_of_its_code() -> None:
    text = "# A\n```sh\n# no heading\n```\n## B\ntext\n# C\n"
    places = [(place, first) for place, _, _, first in read("markdown", text.encode())["passages"]]
    assert places == [("A", 1), ("A > B", 5), ("C", 7)]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("large.txt", bytes((MAX_MEBIBYTES + 1) * 2**20), "64 are the limit"),
        ("binary.txt", bytes(range(256)), "is no text"),
        ("broken.docx", b"PK\3\4", "is damaged, or no docx file"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_passages(name, data)
    assert str(caught.value).startswith(f"{name} ") and reason in str(caught.value)


@pytest.mark.parametrize("dimensions", [8, 384, 4096])
def test_scores_are_exact_in_whatever_order_they_are_added(dimensions: int) -> None:
    random = np.random.default_rng(dimensions)
    floats = random.standard_normal((200, dimensions)).astype(np.float32)
    floats[7] = floats[3]
    rows = vectors.unpack(vectors.pack(list(vectors.quantize(floats))), dimensions)
    query = vectors.quantize(floats[3:4]).astype(np.float32)
    hits = vectors.scan(rows, query, 200)
    exact = rows.astype(np.int64) @ query[0].astype(np.int64)
    assert np.abs(exact).max() < 2**24
    assert [hit.score for hit in hits] == [vectors.to_score(float(exact[hit.row])) for hit in hits]
    assert [hit.row for hit in hits[:2]] == [3, 7]  # of equal ones the first
    order = random.permutation(dimensions)
    assert vectors.scan(rows[:, order], query[:, order], 200) == hits
    assert vectors.scan(rows, query, 5) == hits[:5]
    allowed = np.arange(200) % 2 == 0
    assert vectors.scan(rows, query, 200, allowed) == [hit for hit in hits if hit.row % 2 == 0]
    cosines = floats @ floats[3] / (np.linalg.norm(floats, axis=1) * np.linalg.norm(floats[3]))
    assert max(abs(hit.score - cosines[hit.row]) for hit in hits) < 0.005


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"type": "eq", "key": "a", "value": 1}, True),
        ({"type": "eq", "key": "a", "value": True}, False),  # a flag is no number
        ({"type": "ne", "key": "missing", "value": "x"}, True),
        ({"type": "gt", "key": "a", "value": 0.5}, True),
        ({"type": "lte", "key": "b", "value": 5}, False),
        ({"type": "in", "key": "b", "value": ["x", "y"]}, True),
        ({"type": "nin", "key": "b", "value": ["x"]}, False),
        ({"type": "and", "filters": [{"type": "eq", "key": "a", "value": 1}] * 2}, True),
    ],
)
def test_conditions_on_attributes(condition: dict, expected: bool) -> None:
    assert FILTER.validate_python(condition).matches({"a": 1, "b": "x"}) is expected


def test_wrong_conditions_are_refused() -> None:
    deep: dict = {"type": "eq", "key": "a", "value": 1}
    for _ in range(MAX_DEPTH):
        deep = {"type": "or", "filters": [deep]}
    for wrong in (
        deep,
        {"type": "in", "key": "a", "value": 1},
        {"type": "gt", "key": "a", "value": "x"},
        {"type": "and", "filters": []},
        {"type": "or", "filters": [{"type": "in", "key": "a", "value": [0] * 64}] * (MAX_VALUES // 64 + 1)},
    ):
        with pytest.raises(ValidationError):
            FILTER.validate_python(wrong)
