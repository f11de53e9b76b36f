"""Reads and writes tables between the marks of a page, with the code of which their figures are.

A stamp below a table names its command, day and machine, and a digest of the files that the table speaks of.
If they have another digest now, the table is older than the code.
"""

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_STAMP = re.compile(r"^\*Made by .*; code `([0-9a-f]+)`\..*\*$", re.MULTILINE)
_OLD = " Older than the code."


def find_block(page: str, name: str) -> tuple[int, int]:
    """Where the text between the marks of a table begins and ends. Raises ValueError."""
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page should have the marks of the table {name} once.")
    return page.index(begin) + len(begin), page.index(end)


def marked_tables(page: str) -> list[str]:
    """The names of the tables of a page, in their order."""
    return re.findall(r"^<!-- table: ([\w-]+) -->$", page, re.MULTILINE)


def last_table(output: str) -> str:
    """The last Markdown table of what a command has printed. Raises ValueError."""
    tables = re.findall(r"(?:^\|.*\|[ ]*\n)+", output, re.MULTILINE)
    if not tables or tables[-1].count("\n") < 3:
        raise ValueError("the command has printed no table.")
    return str(tables[-1])


def code_digest(paths: tuple[str, ...]) -> str:
    """A digest of the files at these paths, which git knows; a folder stands for all in it.

    Raises ValueError for a path without files.
    """
    digest = hashlib.sha256()
    for path in paths:
        listed = subprocess.run(
            ["git", "ls-files", "-z", path], cwd=ROOT, capture_output=True, text=True, check=True
        )
        names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
        if not names:
            raise ValueError(f"{path} has no files.")
        for name in sorted(names):
            digest.update(f"{name}\0".encode() + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return digest.hexdigest()[:10]


def write_table(page: str, name: str, table: str, command: str, when: str, code: str) -> str:
    """The page with another table. `when`: the day and the machine."""
    start, end = find_block(page, name)
    return f"{page[:start]}{table}\n*Made by `{command}`, {when}; code `{code}`.*\n{page[end:]}"


def read_digest(page: str, name: str) -> str | None:
    """The digest in the stamp of a table; None for a table without one."""
    start, end = find_block(page, name)
    stamp = _STAMP.search(page, start, end)
    return None if stamp is None else stamp[1]


def set_mark(page: str, name: str, is_old: bool) -> str:
    """The page with a stamp that says whether the table is older than the code."""
    start, end = find_block(page, name)
    block = page[start:end].replace(f"{_OLD}*\n", "*\n")
    if is_old:
        block = _STAMP.sub(lambda stamp: f"{stamp[0][:-1]}{_OLD}*", block)
    return page[:start] + block + page[end:]
