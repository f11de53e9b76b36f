"""A GGUF file as a model: configuration, tensors and tokenizer."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ...chat.chat_tokenizer import ChatTokenizer
from ...errors import ModelError
from ...families.config import read_label_count
from ...tape.classifier import Dense
from .architectures.encoders import ENCODERS
from .architectures.table import find_architecture
from .blocks import BLOCKS
from .config import is_reranker, read_direction, read_generation_config, read_pooling
from .metadata import Metadata
from .mmproj import Mmproj, find_mmproj
from .names import Place, find_places, split_joined
from .ollama import adopt_names
from .reader import GGUFFile
from .source import DENSE_NAMES, GGUFSource
from .tokenizer import open_tokenizer


class GGUFModel:
    """What model_files.ModelFiles needs of a GGUF file.

    Attributes:
        path: the file, or the first of several.
        config: as config.json has it.
        generation_config: as generation_config.json has it.
        pooling, asks: see model_files.ModelFiles.
    """

    def __init__(self, path: Path) -> None:
        """`path`: any file of a model. Raises ModelError."""
        self._file = GGUFFile(path)
        self.path = self._file.path
        adopt_names(self._file)
        try:
            metadata = Metadata(self._file)
            self._architecture = find_architecture(metadata)
            self.config: dict[str, Any] = self._architecture.read_config(metadata)
            is_encoder = metadata.architecture in ENCODERS
            self.config |= read_direction(metadata, is_encoder)
            self.pooling = read_pooling(metadata, read_label_count(self.config) > 0)
            self.asks = is_reranker(metadata) and not is_encoder
            self._values = self._architecture.read_values(metadata)
            metadata.check_all_read()
            self.generation_config = read_generation_config(metadata)
        except ModelError as error:
            raise ModelError(f"{self.path}: {error}") from error

    @property
    def main_type(self) -> str:
        """The type of the blocks that take the most bytes, such as "Q4_K"."""
        sizes: Counter[str] = Counter()
        for entry in self._file.entries.values():
            sizes[BLOCKS[entry.type].name] += entry.end - entry.start
        return sizes.most_common(1)[0][0] if sizes else ""

    def open_tensors(self) -> GGUFSource:
        """The weights."""
        stored = {name: entry.shape[0] for name, entry in self._file.entries.items()}
        places = find_places(stored, self._architecture.names)
        places |= {name: Place((), value=value) for name, value in self._values.items()}
        shapes = {name: entry.shape for name, entry in self._file.entries.items()}
        try:
            split_joined(places, shapes, self._architecture.names, self.config)
        except ModelError as error:
            raise ModelError(f"{self.path}: {error}") from error
        self._architecture.adapt(places, self.config)
        return GGUFSource(self._file, places)

    def find_tower(self, file: Path | None) -> Mmproj | None:
        """The tower in a file, or else in one beside the model; None if there is none. Raises ModelError."""
        size = self.config.get("hidden_size")  # older families have another name for it, and no towers
        found = file or (find_mmproj(self.path, int(size)) if size is not None else None)
        if found is None:
            return None
        tower = Mmproj(found, str(self._file.metadata["general.architecture"]), self._tokens())
        if tower.out_size != size:
            raise ModelError(f"{found} is the tower of another model than {self.path}.")
        return tower

    def _tokens(self) -> list[str]:
        return list(self._file.metadata.get("tokenizer.ggml.tokens", ()))

    def read_dense(self) -> tuple[Dense, ...]:
        """The layers behind the pooled hidden states (EmbeddingGemma). Raises ModelError."""
        source = self.open_tensors()
        names = [name for name in DENSE_NAMES if name in source]
        return tuple(Dense(source[name].astype(np.float32)) for name in names)

    def has_chat_template(self) -> bool:
        """Whether the file has a chat template."""
        return "tokenizer.chat_template" in self._file.metadata

    def open_tokenizer(self, max_context: int, template_file: Path | None = None) -> ChatTokenizer | None:
        """The tokenizer, None if the file has none. Raises ModelError."""
        return open_tokenizer(self._file.metadata, self.path, max_context, template_file)
