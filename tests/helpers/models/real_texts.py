"""Texts for tests with real models: of many languages and kinds, the same on every machine."""

import json
import random
from collections.abc import Iterator

from paths import DATA

_TEXTS = json.loads((DATA / "real" / "texts.json").read_text())
PROMPTS: list[str] = _TEXTS["prompts"]
SENTENCES: list[str] = _TEXTS["sentences"]


def texts(count: int = 400) -> Iterator[str]:
    """Some hundred texts: each piece alone, and pieces in a row."""
    pieces: list[str] = _TEXTS["pieces"]
    yield from pieces
    draw = random.Random(7)
    for _ in range(count - len(pieces)):
        joint = draw.choice(("", " ", "\n"))
        yield joint.join(draw.choice(pieces) for _ in range(draw.randint(2, 12)))
