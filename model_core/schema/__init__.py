"""JSON schemas of forms and of tools, made ready for every grammar in one place.

Nothing here knows tokens.
"""

from .numbers import needs_text
from .patterns import string_pattern
from .prepared import PreparedSchema, prepare_schema

__all__ = [
    "PreparedSchema",
    "needs_text",
    "prepare_schema",
    "string_pattern",
]
