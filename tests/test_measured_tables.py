"""Measured tables of the pages: each has a name, and what makes it, and says if it is older than its code."""

import re
import shlex
import sys

import pytest
from paths import ROOT

sys.path.append(str(ROOT / "benchmarks"))
from tables import pages
from tables.make import run_script
from tables.registry import TABLES

PAGE = "Before.\n\n<!-- table: one -->\n| a |\n| --- |\n| 1 |\n<!-- end: one -->\n\nAfter.\n"
NEW = "| a |\n| --- |\n| 2 |\n"


def test_each_mark_has_a_table_and_each_table_its_mark() -> None:
    marked = {
        (str(path.relative_to(ROOT)), name)
        for path in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
        for name in pages.marked_tables(path.read_text())
    }
    assert marked == {(table.page, table.name) for table in TABLES}
    for table in TABLES:
        pages.find_block((ROOT / table.page).read_text(), table.name)


def test_page_of_speed_has_no_other_tables() -> None:
    text = (ROOT / "docs" / "performance.md").read_text()
    for name in pages.marked_tables(text):
        start, end = pages.find_block(text, name)
        text = text[:start] + text[end:]
    assert not re.search(r"^\| ---", text, re.MULTILINE)


def test_commands_and_code_of_each_table_exist() -> None:
    for table in TABLES:
        assert table.commands, table.name
        for command in table.commands:
            assert (ROOT / shlex.split(command)[0]).is_file(), command
        pages.code_digest(table.code)


def test_table_is_written_with_its_stamp_and_marked_when_the_code_changes() -> None:
    assert pages.read_digest(PAGE, "one") is None
    page = pages.write_table(PAGE, "one", NEW, "benchmarks/all --only one", "2026-11-28, a machine", "abc123")
    assert page.startswith("Before.\n") and page.endswith("After.\n")
    assert NEW in page and "| 1 |" not in page
    assert pages.read_digest(page, "one") == "abc123"
    old = pages.set_mark(page, "one", is_old=True)
    assert "Older than the code." in old
    assert pages.set_mark(old, "one", is_old=True) == old
    assert pages.read_digest(old, "one") == "abc123"
    assert pages.set_mark(old, "one", is_old=False) == page
    again = pages.write_table(old, "one", NEW, "benchmarks/all --only one", "2026-11-29, a machine", "def456")
    assert pages.read_digest(again, "one") == "def456" and "Older" not in again


@pytest.mark.parametrize("page", ["", PAGE + PAGE, PAGE.replace("end: one", "end: two")])
def test_page_without_the_marks_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="marks of the table one"):
        pages.write_table(page, "one", NEW, "a", "b", "c")


def test_last_table_of_what_was_printed() -> None:
    assert pages.last_table(f"A machine\n\n| x |\n| --- |\n| 0 |\n\nThen:\n\n{NEW}\nLoad 1.0\n") == NEW
    for output in ("", "no table\n", "| a |\n| --- |\n"):
        with pytest.raises(ValueError, match="no table"):
            pages.last_table(output)


def test_digest_follows_the_files() -> None:
    first = pages.code_digest(("benchmarks/tables",))
    assert first == pages.code_digest(("benchmarks/tables",)) != pages.code_digest(("benchmarks/ladder.py",))
    with pytest.raises(ValueError, match="no files"):
        pages.code_digest(("benchmarks/none",))


@pytest.mark.parametrize("script", sorted({shlex.split(c)[0] for table in TABLES for c in table.commands}))
def test_script_of_a_table_starts(script: str) -> None:
    assert "usage:" in run_script([script, "--help"])
