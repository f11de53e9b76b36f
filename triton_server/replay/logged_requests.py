"""Requests of a log of receipts, as lines of a batch."""

from datetime import datetime
from pathlib import Path

from model_core.errors import TritonchatError

from ..api.batches.lines import BatchLine
from ..receipts.canonical import open_content
from ..receipts.log import read_log
from .answers import prepare_body
from .request_lines import Found, set_models, to_line

_SHOWN = ("return_token_ids", "logprobs", "prompt_logprobs")  # what an answer shows; a comparison asks itself
WITHOUT_CONTENT = "receipts have only a hash of their request"
NOT_COMPARABLE = "requests have what cannot be compared, such as suffix or echo"


def read_logged(folder: Path, since: float = 0.0) -> Found:
    """The requests in a log whose answers have ended since then, in seconds since 1970.

    Raises TritonchatError if there is no log.
    """
    lines: list[BatchLine] = []
    names: list[str] = []
    left_out = {WITHOUT_CONTENT: 0, NOT_COMPARABLE: 0}
    has_adapters = False
    for line in read_log(folder):
        receipt = line.receipt
        if receipt is None:
            continue
        try:
            if since and _read_time(receipt["time"]) < since:
                continue
            content = receipt["request"].get("content")
            if content is None:
                left_out[WITHOUT_CONTENT] += 1
                continue
            fields = {name: value for name, value in open_content(content).items() if name not in _SHOWN}
            found = to_line(str(line.number), fields, int(receipt["seed"]))
            prepare_body(found, "")
        except (ValueError, TypeError, KeyError, TritonchatError):  # or anything that somebody has signed
            left_out[NOT_COMPARABLE] += 1
            continue
        lines.append(found)
        names.append(receipt["model"]["name"])
        has_adapters |= "adapter" in receipt["model"]["made_of"]
    if has_adapters or len(set(names)) > 1:  # else the name of the only model may be another one elsewhere
        set_models(lines, names)
    return Found(lines, left_out)


def _read_time(text: str) -> float:
    """The time of a receipt in seconds since 1970. Raises ValueError."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        raise ValueError("a time has no zone")
    return time.timestamp()
