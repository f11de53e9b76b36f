"""How much an owner may store, and how it is counted."""

import json
from dataclasses import dataclass
from typing import Any

_ROW_BYTES = 256  # estimated size of a row without its texts


@dataclass(frozen=True)
class SessionLimits:
    """How many sessions an owner may have, and their total size in bytes. 0: no limit.

    The same limits hold for responses, for conversations of items, for documents, and for votes, each by
    themselves.
    """

    sessions: int = 0
    bytes: int = 0


def measure(*values: Any) -> int:
    """The estimated bytes of a row with these texts and parameters. The migrations count in the same way."""
    texts = (json.dumps(value, ensure_ascii=False) for value in values if value is not None)
    return _ROW_BYTES + sum(len(text.encode()) for text in texts)
