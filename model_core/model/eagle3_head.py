"""Opens the files of an EAGLE-3 head (families/eagle3.py) for the model that it drafts for.

It imports no kernels: estimate.py counts the head for commands that run no model.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..errors import ModelError
from ..families.config import ModelConfig
from ..families.eagle3 import D2T, read_eagle3_config, write_eagle3_tape
from ..files.checkpoint import Checkpoint
from ..files.model_files import ModelFiles
from ..tape.tape import Tape

OWN_EMBEDDING = "embed_tokens.weight"


@dataclass(frozen=True)
class Eagle3Head:
    """A head that was not loaded yet.

    Attributes:
        config: of the head, whose vocabulary is what it can draft.
        layers: the layers of the model whose inputs it reads.
        token_ids: the tokens of its logits, int64 [logits]; None: those of the model.
    """

    files: ModelFiles
    config: ModelConfig
    tape: Tape
    source: Checkpoint
    layers: tuple[int, ...]
    token_ids: np.ndarray | None
    has_embedding: bool


def open_eagle3_head(files: ModelFiles, model: ModelConfig, tape: Tape) -> Eagle3Head:
    """The head in `files`. Its KV layer becomes one of the model's `tape`.

    Raises ModelError if the head is damaged, or was made for another model.
    """
    path = files.named("config.json")
    config = read_eagle3_config(path, files.config, model)
    source = Checkpoint(files.path, files.config.get("quantization_config"))
    has_embedding, layer = OWN_EMBEDDING in source, config.layer
    layers = config.layers_of(model)
    width = len(layers) * model.hidden_size
    if "fc.weight" in source and source.shape("fc.weight") != (layer.hidden_size, width):
        raise ModelError(
            f"{path}: the head was made for another model: its matrix fc has the shape "
            f"{source.shape('fc.weight')}, and this model needs {(layer.hidden_size, width)}."
        )
    if not has_embedding and layer.hidden_size != model.hidden_size:
        raise ModelError(
            f"{path}: the head has a hidden size of {layer.hidden_size}, the model one of "
            f"{model.hidden_size}, and the head has no embedding of its own; take a complete copy of it."
        )
    head = Tape(kv_layers=[*tape.kv_layers])
    write_eagle3_tape(head, config, width, has_embedding)
    head.unused |= {"t2d", D2T}
    tape.kv_layers[:] = head.kv_layers
    own = replace(layer, vocab_size=config.vocab_size)
    token_ids = _read_token_ids(source, config.vocab_size, model)
    return Eagle3Head(files, own, head, source, layers, token_ids, has_embedding)


def _read_token_ids(source: Checkpoint, count: int, model: ModelConfig) -> np.ndarray | None:
    """The tokens of the logits of a head."""
    if D2T not in source:
        if count == model.vocab_size:
            return None
        raise ModelError(
            f"{source.path_of('lm_head.weight')} has no {D2T}, which says what tokens its {count} logits are "
            "of; take a complete copy of the head."
        )
    offsets = source.stored[D2T]
    if offsets.dtype.kind not in "iu" or offsets.shape != (count,):
        raise ModelError(
            f"{source.path_of(D2T)}: {D2T} should be {count} whole numbers, but is {offsets.dtype} "
            f"{offsets.shape}."
        )
    tokens = offsets.astype(np.int64) + np.arange(count)
    if tokens.min() < 0 or tokens.max() >= model.vocab_size or len(np.unique(tokens)) != count:
        raise ModelError(
            f"{source.path_of(D2T)}: {D2T} names tokens that are not in the vocabulary of the model, or one "
            "twice; take the head that was trained for this model."
        )
    return tokens
