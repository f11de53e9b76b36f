"""How many tokens the answers of an owner took, by time and model, from what the conversations keep.

An answer counts while its conversation is there. Its time is that of its question.
"""

from collections import defaultdict
from typing import Any

import sqlalchemy as sql

from .tables import Session, StoredTurn
from .transactions import Database

STEP_S = 900  # time zones differ by quarters of an hour
_COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens")


class UsageStore:
    """The usage of the conversations of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, owner: str, since: float) -> list[dict[str, Any]]:
        """The answers since a time, by quarter of an hour and model, the oldest first.

        Each entry has `time` (its begin, in seconds since 1970), `model` ("" if nobody knows), `answers`,
        `prompt_tokens`, `completion_tokens` and `cached_tokens`, which are a part of the prompt's. Raises
        StoreError.
        """
        query = (
            sql.select(StoredTurn.created, StoredTurn.usage, StoredTurn.parameters)
            .join(Session, Session.key == StoredTurn.session_key)
            .where(Session.owner == owner, Session.deleted.is_(None))
            .where(StoredTurn.created >= since, StoredTurn.usage.is_not(None))
        )
        found: dict[tuple[int, str], dict[str, int]] = defaultdict(
            lambda: dict.fromkeys(("answers", *_COUNTS), 0)
        )
        with self._database.reading() as transaction:
            for created, usage, parameters in transaction.execute(query):
                model = parameters.get("model")
                entry = found[int(created // STEP_S) * STEP_S, model if isinstance(model, str) else ""]
                entry["answers"] += 1
                for name in _COUNTS:
                    count = usage.get(name)
                    entry[name] += count if isinstance(count, int) else 0
        return [{"time": time, "model": model, **found[time, model]} for time, model in sorted(found)]
