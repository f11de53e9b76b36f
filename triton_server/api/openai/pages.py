"""Pages of lists, in OpenAI's form."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class PageQuery(BaseModel):
    """What part of a list is asked for: after or before the item with an id."""

    limit: int = Field(20, ge=1, le=100)
    order: Literal["asc", "desc"] = "desc"
    after: str | None = None
    before: str | None = None

    @property
    def is_end(self) -> bool:
        """Whether the items are the last ones before a place, and not the first ones after it."""
        return self.before is not None and self.after is None


def page_of(items: list[Any], limit: int, *, is_end: bool = False) -> dict[str, Any]:
    """The fields of a page of a list, of whose items one more than `limit` was asked for.

    `is_end`: see PageQuery.
    """
    data = items[-limit:] if is_end else items[:limit]
    first, last = (data[0].id, data[-1].id) if data else (None, None)
    return {"data": data, "first_id": first, "last_id": last, "has_more": len(items) > limit}
