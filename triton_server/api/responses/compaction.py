"""Items of the type compaction: a summary that stands for what came before it.

OpenAI's are encrypted, and say nothing here. This service's hold the summary as text in base64, so they can
be read wherever a conversation goes on.
"""

import base64
import binascii
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from model_core.requests.messages import Message

COMPACTION = "compaction"
ASK = (
    "Summarize our conversation so far, so that it can go on from the summary alone: what was asked, what "
    "was decided and found out, names and numbers that matter, and what is still to be done."
)
SUMMARY_TOKENS = 1024  # at most, unless the request says otherwise
_MARK = "tritonchat:"


def write_compaction(summary: str) -> dict[str, Any]:
    """The item with a summary."""
    content = _MARK + base64.b64encode(summary.encode()).decode()
    return {"id": f"cmp_{secrets.token_hex(24)}", "type": COMPACTION, "encrypted_content": content}


def read_compaction(item: Mapping[str, Any]) -> str:
    """The summary in an item, as the model is told it; "" if the item is another service's."""
    content = item.get("encrypted_content")
    if not isinstance(content, str) or not content.startswith(_MARK):
        return ""
    try:
        summary = base64.b64decode(content.removeprefix(_MARK), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return f"Summary of the conversation so far:\n{summary}"


def list_questions(messages: Iterable[Any]) -> list[dict[str, Any]]:
    """The items of what the user has said in a conversation: its texts, without images."""
    return [
        {
            "id": f"msg_{secrets.token_hex(24)}",
            "type": "message",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_text", "text": message.text}],
        }
        for message in messages
        if isinstance(message, Message) and message.role == "user"
    ]
