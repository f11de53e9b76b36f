"""What a search of files has found, as the model reads it, and the marks by which an answer cites it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..mcp_tools.calls import Finding

_MARK = re.compile(r"\[(\d{1,5})\]")


def read_queries(arguments: str) -> list[str]:
    """The queries in the arguments of a call, which may be cut off or wrong: then there are none."""
    try:
        query = json.loads(arguments)["query"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [query] if isinstance(query, str) and query.strip() else []


def tell_findings(findings: Sequence[Finding]) -> str:
    """What the model is told of a search."""
    if not findings:
        return "Nothing was found."
    parts = []
    for finding in findings:
        name, place = finding.fields.get("filename"), finding.fields.get("place")
        where = f"{name}, {place}" if place else name
        parts.append(f"[{finding.number}] {where}:\n{finding.fields.get('text') or ''}")
    return "\n\n".join(parts)


def list_citations(text: str, findings: Mapping[int, Finding]) -> list[dict[str, Any]]:
    """An annotation for each mark such as [2] in a text that names a result. `index` is where it stands."""
    found = ((match.start(), findings.get(int(match[1]))) for match in _MARK.finditer(text))
    return [
        {
            "type": "file_citation",
            "index": place,
            "file_id": finding.fields["file_id"],
            "filename": finding.fields["filename"],
            "place": finding.fields["place"],
        }
        for place, finding in found
        if finding is not None
    ]
