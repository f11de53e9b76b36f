"""A model in the store of another program."""

from dataclasses import dataclass
from pathlib import Path

OLLAMA, LM_STUDIO, LLAMA_CPP = "ollama:", "lmstudio:", "llama.cpp:"  # what names in the stores begin with


@dataclass(frozen=True)
class StoredModel:
    """A model in the store of another program.

    Attributes:
        name: as `--model` takes it, with the prefix of the store, such as "ollama:llama3.2:latest".
        path: its .gguf file, the first one of several, or its folder; None if it cannot be read.
        size: bytes on the disk.
        ignored: what that program keeps with it and is not used here, in words.
        problem: a sentence that says why it cannot be read; None if it can.
    """

    name: str
    path: Path | None
    size: int
    ignored: tuple[str, ...] = ()
    problem: str | None = None
