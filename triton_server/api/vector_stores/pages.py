"""Pages of lists."""

from typing import Any

from .schemas import Page


def page_of(items: list[Any], limit: int, *, is_end: bool = False) -> Page:
    """A page of a list, of whose items one more than `limit` was asked for; `is_end`: of its last ones."""
    data = items[-limit:] if is_end else items[:limit]
    first, last = (data[0].id, data[-1].id) if data else (None, None)
    return Page(data=data, first_id=first, last_id=last, has_more=len(items) > limit)
