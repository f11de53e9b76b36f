"""What this program can use, and does not bring along."""

import importlib.util
import sys
from importlib.metadata import requires
from pathlib import Path


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra of pyproject.toml where this program runs.

    It names them, because this program may come from a checkout or a wheel, and is on no index.
    """
    parted = (line.partition(";") for line in requires("tritonchat") or ())
    names = [name.strip() for name, _, marker in parted if f'extra == "{extra}"' in marker.replace("'", '"')]
    return _install(" ".join(f"'{name}'" for name in names))


def _install(packages: str, prefix: str = sys.prefix) -> str:
    """The command for an environment: of pipx, with a pip of its own, or made by uv."""
    if Path(prefix, "pipx_metadata.json").exists():
        return f"pipx inject tritonchat {packages}"
    if importlib.util.find_spec("pip") is not None:
        return f"{Path(prefix, 'bin', 'python')} -m pip install {packages}"
    return f"uv pip install {packages} --python {prefix}"
