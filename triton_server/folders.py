"""Where things of the user's are kept."""

import os
from pathlib import Path


def data_folder() -> Path:
    """The user's data folder for this program (XDG Base Directory Specification). It need not exist."""
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".local" / "share") / "tritonchat"
