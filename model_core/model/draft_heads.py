"""Finds heads that draft for a model: its own MTP head (families/mtp.py), or one of EAGLE-3 (eagle3.py).

It imports no kernels: estimate.py counts an MTP head for commands that run no model.
"""

import logging
from dataclasses import dataclass, replace

import numpy as np

from ..errors import ModelError
from ..families import write_mtp_tape
from ..families.config import ModelConfig
from ..families.eagle3 import D2T, read_eagle3_config, write_eagle3_tape
from ..files.checkpoint import Checkpoint
from ..files.model_files import ModelFiles
from ..files.source import TensorSource, find_name
from ..tape.passes import head_products, products, vector_refs
from ..tape.tape import Tape

LOGGER = logging.getLogger(__name__)
# Where mtp_use_dedicated_embeddings is true, the head has these. Drafts from the model's would be wrong.
_MTP_EMBEDDING = "mtp.embed_tokens.weight"
_EAGLE3_EMBEDDING = "embed_tokens.weight"


def find_mtp_tape(config: ModelConfig, tape: Tape, source: TensorSource) -> Tape | None:
    """The tape of the MTP head that the files have; None if they have none, or one that is not read.

    Its KV layer becomes one of the model's tape.
    """
    head = write_mtp_tape(config, tape)
    if head is None:
        return None
    refs = [weight for product in products(head.records) for weight in product.weights]
    refs += [weight for product in head_products(head.records) for weight in product.weights]
    missing = [
        ref.name for ref in (*refs, *vector_refs(head.records)) if find_name(source, ref) not in source
    ]
    has_own_embedding = _MTP_EMBEDDING in source
    if not missing and not has_own_embedding:
        tape.kv_layers[:] = head.kv_layers
        return head
    if has_own_embedding:
        LOGGER.warning("The MTP head is not used, because it has an embedding of its own.")
    elif refs[0].name in source:
        LOGGER.warning("The MTP head is not used, because the files have no %s.", missing[0])
    return None


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
    has_embedding, layer = _EAGLE3_EMBEDDING in source, config.layer
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
