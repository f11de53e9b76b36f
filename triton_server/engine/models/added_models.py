"""The models that a server has got while it runs, in a file of its folder.

The engine's next process reads it after a crash, and `tritonchat rm` to see what is in use.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

_FILE = "added-models.json"


@dataclass(frozen=True)
class AddedModel:
    """A model by its place. `weights`: the type to which they are rounded, None: as other models.

    One that is not `was_loaded` yet may have killed the process that loaded it: the next one leaves it out.
    """

    path: str
    weights: str | None
    was_loaded: bool = False


def read_added(folder: Path) -> list[AddedModel]:
    """What was written into the folder; nothing if there is no file. Raises OSError if it cannot be read."""
    try:
        return [AddedModel(**entry) for entry in json.loads((folder / _FILE).read_text())]
    except FileNotFoundError:
        return []


def write_added(folder: Path, models: Sequence[AddedModel]) -> None:
    """Write them, atomically: the process may be killed at any time."""
    new = folder / f"{_FILE}.new"
    new.write_text(json.dumps([asdict(model) for model in models]))
    new.replace(folder / _FILE)
