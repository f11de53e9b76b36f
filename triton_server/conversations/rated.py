"""Answers with a thumb up or down, as examples for training."""

import json
from collections.abc import Iterable

from .tree import Conversation


def export_rated(conversations: Iterable[Conversation]) -> str:
    """All rated answers in JSONL: the format of unpaired preferences that TRL's KTO trainer reads.

    `prompt` has the messages before the answer, `completion` has the answer, and `label` tells whether it is
    good. `parameters` are those of its request, with model and seed.
    """
    lines = []
    for conversation in conversations:
        for turn in conversation.turns:
            if turn.rating:
                *prompt, answer = conversation.messages(turn.id)
                example = {
                    "prompt": prompt,
                    "completion": [answer],
                    "label": turn.rating > 0,
                    "parameters": turn.parameters,
                    "conversation": conversation.id,
                    "turn": turn.id,
                }
                lines.append(json.dumps(example, ensure_ascii=False) + "\n")
    return "".join(lines)
