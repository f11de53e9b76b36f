"""What this program can use, and does not bring along."""

from importlib.metadata import requires


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra of pyproject.toml.

    It names them, because it must work wherever this program comes from: a checkout or a wheel.
    """
    parted = (line.partition(";") for line in requires("tritonchat") or ())
    names = [name.strip() for name, _, marker in parted if f'extra == "{extra}"' in marker.replace("'", '"')]
    return " ".join(["pip install", *(f"'{name}'" for name in names)])
