"""The fingerprint of what answers depend on, as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from .digest import digest

_PREFIX = "fp_"  # as OpenAI writes a `system_fingerprint`


def make_fingerprint(parts: Mapping[str, Any]) -> str:
    """The fingerprint of what `LLM.made_of` says.

    It is the same for all that are the same JSON: the order of members, and 1.0 instead of 1, are not told
    apart, since receipts (RFC 8785) do not keep them.
    """
    return _PREFIX + digest(json.dumps(_make_whole(parts), sort_keys=True, default=repr))


def _make_whole(value: Any) -> Any:
    """The value, with whole numbers that are floats as integers."""
    if isinstance(value, Mapping):
        return {name: _make_whole(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_make_whole, value))
    return int(value) if isinstance(value, float) and value.is_integer() else value
