"""Fields that constrain the form of an answer.

None is supported yet. A request with one is refused: an answer in another form would break the client.
"""

from collections.abc import Mapping
from typing import Any

from .errors import ApiError

# vLLM's, llama.cpp's and other servers' names for schemas, grammars and bounds on tokens.
_CONSTRAINTS = {
    "structured_outputs",
    "structural_tag",
    "grammar",
    "json_schema",
    "regex",
    "choice",
    "allowed_token_ids",
    "bad_words",
    "min_tokens",
}


def refuse_constraints(fields: Mapping[str, Any] | None) -> None:
    """Raises ApiError if there is a constraint among `fields`, which are those that the schema lacks."""
    for name, value in (fields or {}).items():
        if value is not None and (name in _CONSTRAINTS or name.startswith("guided_")):
            raise ApiError(400, f"{name} is not supported yet; leave it out.", "unsupported", name)
