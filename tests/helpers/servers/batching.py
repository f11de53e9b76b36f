"""Batches of a service, with OpenAI's client."""

import json
from collections.abc import Sequence
from typing import Any

from openai import OpenAI
from openai.types import Batch
from support import wait_until

CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
ENDS = ("completed", "failed", "expired", "cancelled")


def to_line(custom_id: Any, body: Any, url: str = CHAT) -> dict[str, Any]:
    return {"custom_id": custom_id, "method": "POST", "url": url, "body": body}


def to_file(lines: Sequence[Any]) -> bytes:
    return "".join(
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) + "\n" for line in lines
    ).encode()


def begin(client: OpenAI, content: bytes, endpoint: Any = CHAT, **more: Any) -> Batch:
    file = client.files.create(file=("in.jsonl", content), purpose="batch")
    return client.batches.create(input_file_id=file.id, endpoint=endpoint, completion_window="24h", **more)


def end_of(client: OpenAI, batch: Batch) -> Batch:
    """The batch when it has ended."""
    found = [batch]

    def has_ended() -> bool:
        found[:] = [client.batches.retrieve(batch.id)]
        return found[0].status in ENDS

    wait_until(has_ended)
    return found[0]


def read(client: OpenAI, file_id: str | None) -> list[dict[str, Any]]:
    if file_id is None:
        return []
    return [json.loads(line) for line in client.files.content(file_id).text.splitlines()]
