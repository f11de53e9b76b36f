"""A GGUF file as a model: configuration, tensors and tokenizer."""

import logging
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
from .mmproj import Mmproj
from .names import Place, find_places, split_joined
from .ollama import adopt_names
from .reader import GGUFFile
from .selection import list_towers
from .source import DENSE_NAMES, GGUFSource
from .tokenizer import open_tokenizer

LOGGER = logging.getLogger(__name__)


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
        """The tower in `file`, or else in the first file beside the model that has one for it.

        None if there is none. Files that were only found and cannot be used are left out, with a warning.
        Raises ModelError if `file` cannot be used.
        """
        if file is not None:
            return self._open_tower(file)
        for found in list_towers(self.path):
            try:
                return self._open_tower(found)
            except ModelError as error:
                LOGGER.warning("%s is left out: %s", found, error)
        return None

    def _open_tower(self, file: Path) -> Mmproj:
        """The tower in a file. Raises ModelError if it is none for this model."""
        tokens = self._file.metadata.get("tokenizer.ggml.tokens")
        architecture = str(self._file.metadata["general.architecture"])
        tower = Mmproj(file, architecture, tokens if isinstance(tokens, list) else [], self.config)
        if tower.out_size != self.config.get(
            "hidden_size"
        ):  # which older families, without towers, call n_embd
            raise ModelError(f"{file} is the tower of another model than {self.path}.")
        if tower.config["model_type"] == "gemma4_unified":
            # The file of the text model does not say it. Texts alone are computed the same.
            self.config["model_type"] = "gemma4_unified_text"
        return tower

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
