"""Removes what a Triton leaves on the machine when it is killed; one that stops by itself leaves nothing.

And knows where it needs room.
"""

import json
import shutil
from contextlib import suppress
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")
_MODEL_COPIES = Path("/tmp")  # fixed in Triton, which does not read TMPDIR here


_ROOM = 2**20  # bytes


def find_full_disk(workspace: Path) -> Path | None:
    """Which folder that Triton writes to has a full disk; its own errors do not say that."""
    folders = (workspace.parent, _MODEL_COPIES)
    return next((folder for folder in folders if shutil.disk_usage(folder).free < _ROOM), None)


def remove_shared_memory(pid: int) -> None:
    """Remove the shared memory of killed Tritons that the process `pid` had started."""
    for segment in _SHARED_MEMORY.glob(f"pytrtion{pid}-*"):  # PyTriton spells it so
        segment.unlink(missing_ok=True)


def remove_model_copies(workspace: Path) -> None:
    """Remove the copies that a killed Triton had made of the models of a workspace."""
    path = json.dumps(str(workspace.resolve()))  # among the parameters of each model's configuration
    for configuration in _MODEL_COPIES.glob("folder??????/config.pbtxt"):
        with suppress(OSError, UnicodeDecodeError):  # another Triton's, which is being written or removed
            if path in configuration.read_text():
                shutil.rmtree(configuration.parent, ignore_errors=True)
