"""Which tables are older than the code of which their figures are."""

from .pages import ROOT, code_digest, marked_tables, read_digest
from .registry import TABLES, Table


def is_old(table: Table) -> bool | None:
    """Whether the code has changed since the table was made; None if nobody knows of which code it is."""
    digest = read_digest((ROOT / table.page).read_text(), table.name)
    return None if digest is None else digest != code_digest(table.code)


def explain_ages(page: str) -> str:
    """A page with a sentence below each table whose figures are older than the code, or may be."""
    tables = {table.name: table for table in TABLES}
    for name in marked_tables(page):
        age, end = is_old(tables[name]), f"<!-- end: {name} -->"
        if age is False:
            continue
        words = (
            "*The code has changed since.*"
            if age
            else "*It is not known of which version these figures are.*"
        )
        page = page.replace(end, f"\n{words}\n\n{end}")
    return page
