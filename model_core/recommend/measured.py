"""What was last measured of this machine, kept in the user's cache folder."""

import json
import os
import platform
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import platformdirs

from .speed import Machine


def store_machine(machine: Machine) -> None:
    """Keep the limits of this machine, for programs that do not measure; where there is such a folder."""
    with suppress(OSError, RuntimeError):  # no home, or one that cannot be written
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps({"host": _host(), **asdict(machine)}))
        new.replace(file)


def read_machine() -> Machine | None:
    """The limits of this machine as they were last measured; None if they were not."""
    try:
        stored = json.loads(_file().read_text())
        if stored.pop("host") != _host():  # the folder of a user may be that of several machines
            return None
        machine = Machine(**stored)
        return machine if all(type(limit) is float and limit > 0 for limit in stored.values()) else None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _file() -> Path:
    return platformdirs.user_cache_path("tritonchat", appauthor=False) / "machine.json"


def _host() -> str:
    return f"{platform.node()}, {os.cpu_count()} processors"
