"""Model families: each is a file with two functions, and has a line in FAMILIES or ENCODERS.

`read_config(raw)` turns the fields of config.json into a ModelConfig. A field that nobody reads is refused,
so a model never loads and then computes something else.

`write_tape(t, c)` writes what one step computes to the tape t, in the words of the paper. It is called once,
while a model loads. A call such as

    h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")

writes one record: the norm of the rows of x, with the weights of this name, into the buffer "h". What "h"
held before is overwritten. It returns the columns that it writes (a Span). x is always the hidden states, h
their norm, and p the beginning of a layer's names. Start with llama.py; parts.py has what most families
share. operators.py says what each operation computes.

tests/make_checkpoints.py makes a tiny model of each family, and what Transformers computes with it.
"""

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ..config import ModelConfig, read_label_count
from ..dense import Classifier, ClassifierLayer
from ..errors import ModelError
from ..fields import Fields, shorten
from ..passes import drop_head
from ..records import WeightRef
from ..tape import Tape
from . import (
    bert,
    cohere2,
    deepseek,
    ernie4_5,
    exaone4,
    falcon_h1,
    gemma,
    gemma3n,
    gemma4,
    glm4,
    glm4_moe,
    gpt2,
    gpt_neox,
    gpt_oss,
    granite,
    granitemoe,
    granitemoehybrid,
    hunyuan,
    lfm2,
    llama,
    ministral3,
    mistral,
    mixtral,
    modernbert,
    nomic_bert,
    olmo2,
    olmo3,
    phi3,
    qwen2,
    qwen3,
    qwen3_moe,
    qwen3_next,
    rwkv7,
    smollm3,
    stablelm,
    starcoder2,
    xlm_roberta,
)

# model_type in config.json -> the module with `read_config` and `write_tape`
FAMILIES: dict[str, ModuleType] = {
    "cohere2": cohere2,
    "deepseek_v2": deepseek,
    "deepseek_v3": deepseek,
    "ernie4_5": ernie4_5,
    "exaone4": exaone4,
    "falcon_h1": falcon_h1,
    "gemma2": gemma,
    "gemma3_text": gemma,
    "gemma3n_text": gemma3n,
    "gemma4_text": gemma4,
    "gemma4_unified_text": gemma4,
    "glm4": glm4,
    "glm4_moe": glm4_moe,
    "glm4_moe_lite": deepseek,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "granite": granite,
    "granitemoe": granitemoe,
    "granitemoehybrid": granitemoehybrid,
    "hunyuan_v1_dense": hunyuan,
    "lfm2": lfm2,
    "lfm2_moe": lfm2,
    "llama": llama,
    "ministral3": ministral3,
    "mistral": mistral,
    "mixtral": mixtral,
    "olmo2": olmo2,
    "olmo3": olmo3,
    "phi3": phi3,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "qwen3_5_text": qwen3_next,
    "qwen3_moe": qwen3_moe,
    "qwen3_next": qwen3_next,
    "rwkv7": rwkv7,
    "smollm3": smollm3,
    "stablelm": stablelm,
    "starcoder2": starcoder2,
}
# The same for encoders, which make embeddings and scores, but no text.
ENCODERS: dict[str, ModuleType] = {
    "bert": bert,
    "modernbert": modernbert,
    "nomic_bert": nomic_bert,
    "roberta": xlm_roberta,
    "xlm-roberta": xlm_roberta,
}
_ALL = FAMILIES | ENCODERS


def read_model_config(path: Path, raw: dict[str, Any]) -> ModelConfig:
    """The configuration of a model from the fields of its config.json. `path` is named in errors.

    Raises ModelError if the family, or a field that can change what the model computes, is not supported.
    """
    family = raw.get("model_type")
    if not isinstance(family, str) or family not in _ALL:
        raise ModelError(
            f"{path} says that the model is of the family {shorten(family)}; "
            f"{', '.join(sorted(_ALL))} are supported."
        )
    fields = Fields(raw)
    try:
        config = _ALL[family].read_config(fields)
        fields.check_all_read()
        return replace(config, labels=read_label_count(raw))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ModelError(f"{path} cannot be understood: {shorten(str(error))}.") from error


def write_tape(config: ModelConfig) -> Tape:
    """The tape of the operations that a model computes."""
    tape = Tape()
    _ALL[config.family].write_tape(tape, config)
    if config.labels and tape.classifier is None:  # a decoder, whose last token gives the score
        layer = ClassifierLayer(WeightRef("score.weight", (1, config.hidden_size)))
        tape.records, tape.classifier = drop_head(tape.records), Classifier("last", (layer,))
    return tape
