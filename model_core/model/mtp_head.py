"""Whether the files of a model have an MTP head (families/mtp.py).

It imports no kernels: estimate.py counts the head for commands that run no model.
"""

import logging

from ..families import write_mtp_tape
from ..families.config import ModelConfig
from ..files.source import TensorSource, find_name
from ..tape.passes import head_products, products, vector_refs
from ..tape.tape import Tape

LOGGER = logging.getLogger(__name__)
# Where mtp_use_dedicated_embeddings is true, the head has these. Drafts from the model's would be wrong.
OWN_EMBEDDING = "mtp.embed_tokens.weight"


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
    has_own_embedding = OWN_EMBEDDING in source
    if not missing and not has_own_embedding:
        tape.kv_layers[:] = head.kv_layers
        return head
    if has_own_embedding:
        LOGGER.warning("The MTP head is not used, because it has an embedding of its own.")
    elif refs[0].name in source:
        LOGGER.warning("The MTP head is not used, because the files have no %s.", missing[0])
    return None
