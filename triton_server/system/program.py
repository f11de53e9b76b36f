"""How a person calls this program."""

import shutil
import sys
from pathlib import Path

_NAME = "tritonchat"


def called() -> str:
    """What stands in front of a command to type: `tritonchat` where the shell finds this one, or its path.

    In a checkout, that is `.venv/bin/tritonchat`. Services run in `/`, and their messages are read elsewhere.
    """
    script = Path(sys.executable).with_name(_NAME)
    found = shutil.which(_NAME)
    if not script.is_file() or (found is not None and Path(found).resolve() == script.resolve()):
        return _NAME
    here = Path.cwd()
    is_short = script.is_relative_to(here) and here != Path(here.anchor)
    return str(script.relative_to(here) if is_short else script)
