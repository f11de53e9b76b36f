"""The families of models, a file each: its configuration, and the tape that computes it.

Nothing here reads weights or computes. A family has two functions, and a line in FAMILIES or ENCODERS.

`read_config(raw)` turns the fields of config.json into a ModelConfig. A field that nobody reads is refused,
so a model never loads and then computes something else.

`write_tape(t, c)` writes what one step computes to the tape t, in the words of the paper. It is called once,
while a model loads. A call such as

    h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")

writes one record: the norm of the rows of x, with the weights of this name, into the buffer "h". What "h"
held before is overwritten. It returns the columns that it writes (a Span). x is always the hidden states, h
their norm, and p the beginning of a layer's names. Start with llama.py; parts.py has what most families
share. operators.py says what each operation computes.

tests/helpers/makers/make_checkpoints.py makes a tiny model of each family, and what Transformers computes
with it.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from ..checks.file_values import Fields, expect, read_flag, shorten
from ..errors import ModelError
from ..tape.classifier import Classifier, ClassifierLayer
from ..tape.passes import attend_both_ways, drop_head
from ..tape.references import WeightRef
from ..tape.tape import Tape
from .config import WORD_LOGITS, ModelConfig, read_label_count
from .dense import (
    apertus,
    arcee,
    bitnet,
    cohere2,
    exaone4,
    glm4,
    nanochat,
    nemotron,
    olmo2,
    olmo3,
    stablelm,
    starcoder2,
)
from .encoders import (
    bert,
    deberta_v2,
    distilbert,
    eurobert,
    jina_v3,
    modernbert,
    mpnet,
    new,
    nomic_bert,
    xlm_roberta,
)
from .experts import (
    afmoe,
    dots1,
    ernie4_5_moe,
    exaone_moe,
    flex_olmo,
    glm4_moe,
    gpt_oss,
    granitemoe,
    hunyuan_moe,
    hy_v3,
    llama4,
    minimax_m2,
    minimax_m3,
    mixtral,
    olmoe,
    phimoe,
    qwen2_moe,
    qwen3_moe,
)
from .gemma import gemma, gemma1, gemma3n, gemma4
from .gpts import bloom, falcon, gpt2, gpt_bigcode, gpt_neox, gptj, mpt, opt, phi
from .latent import deepseek, deepseek_sparse, hy_v4, mistral4
from .llama import (
    baichuan,
    ernie4_5,
    exaone,
    glm,
    granite,
    hunyuan,
    internlm2,
    internlm3,
    llama,
    minicpm,
    ministral3,
    mistral,
    phi3,
    qwen2,
    qwen3,
    seed_oss,
    smollm3,
)
from .recurrent import (
    bamba,
    falcon_h1,
    glm5_next,
    granitemoehybrid,
    jamba,
    kimi_linear,
    lfm2,
    lfm3,
    mamba1,
    mamba2,
    nemotron_h,
    olmo_hybrid,
    qwen3_next,
    rwkv7,
    zamba2,
)
from .windowed import cohere2_moe, mellum, mimo_v2, muse_glimmer, step3p5

# model_type in config.json -> the module with `read_config` and `write_tape`
FAMILIES: dict[str, ModuleType] = {
    "afmoe": afmoe,
    "apertus": apertus,
    "arcee": arcee,
    "baichuan": baichuan,
    "bamba": bamba,
    "bitnet": bitnet,
    "bloom": bloom,
    "chatglm": glm,
    "codegen": gptj,
    "cohere": cohere2,
    "cohere2": cohere2,
    "cohere2_moe": cohere2_moe,
    "deepseek_v2": deepseek,
    "deepseek_v3": deepseek,
    "deepseek_v32": deepseek_sparse,
    "dots1": dots1,
    "ernie4_5": ernie4_5,
    "ernie4_5_moe": ernie4_5_moe,
    "exaone": exaone,
    "exaone4": exaone4,
    "exaone_moe": exaone_moe,
    "falcon": falcon,
    "falcon_h1": falcon_h1,
    "falcon_mamba": mamba1,
    "flex_olmo": flex_olmo,
    "gemma": gemma1,
    "gemma2": gemma,
    "gemma3_text": gemma,
    "gemma3n_text": gemma3n,
    "gemma4_text": gemma4,
    "gemma4_unified_text": gemma4,
    "glm": glm,
    "glm4": glm4,
    "glm4_moe": glm4_moe,
    "glm4_moe_lite": deepseek,
    "glm5_next_text": glm5_next,
    "glm_moe_dsa": deepseek_sparse,
    "gpt2": gpt2,
    "gpt_bigcode": gpt_bigcode,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "gptj": gptj,
    "granite": granite,
    "granitemoe": granitemoe,
    "granitemoehybrid": granitemoehybrid,
    "hunyuan_v1_dense": hunyuan,
    "hunyuan_v1_moe": hunyuan_moe,
    "hy_v3": hy_v3,
    "hy_v4": hy_v4,
    "internlm2": internlm2,
    "internlm3": internlm3,
    "jais2": nemotron,
    "jamba": jamba,
    "kimi_linear": kimi_linear,
    "lfm2": lfm2,
    "lfm2_moe": lfm2,
    "lfm3": lfm3,
    "llama": llama,
    "llama4_text": llama4,
    "mamba": mamba1,
    "mamba2": mamba2,
    "mellum": mellum,
    "mimo_v2_flash": mimo_v2,
    "minicpm": minicpm,
    "minimax_m2": minimax_m2,
    "minimax_m3_vl_text": minimax_m3,
    "ministral3": ministral3,
    "mistral": mistral,
    "mistral4": mistral4,
    "mixtral": mixtral,
    "mpt": mpt,
    "muse_glimmer_text": muse_glimmer,
    "nanochat": nanochat,
    "nemotron": nemotron,
    "nemotron_h": nemotron_h,
    "olmo2": olmo2,
    "olmo3": olmo3,
    "olmo_hybrid": olmo_hybrid,
    "olmoe": olmoe,
    "opt": opt,
    "phi": phi,
    "phi3": phi3,
    "phimoe": phimoe,
    "qwen2": qwen2,
    "qwen2_moe": qwen2_moe,
    "qwen2_5_vl_text": qwen2,
    "qwen2_vl_text": qwen2,
    "qwen3": qwen3,
    "qwen3_5_moe_text": qwen3_next,
    "qwen3_5_text": qwen3_next,
    "qwen3_moe": qwen3_moe,
    "qwen3_next": qwen3_next,
    "qwen3_vl_moe_text": qwen3_moe,
    "qwen3_vl_text": qwen3,
    "rwkv7": rwkv7,
    "seed_oss": seed_oss,
    "smollm3": smollm3,
    "solar_open": glm4_moe,
    "stablelm": stablelm,
    "starcoder2": starcoder2,
    "step3p5": step3p5,
    "zamba2": zamba2,
}
# The same for encoders, which make embeddings and scores, but no text.
ENCODERS: dict[str, ModuleType] = {
    "bert": bert,
    "deberta-v2": deberta_v2,
    "distilbert": distilbert,
    "eurobert": eurobert,
    "gte": new,
    "jina_embeddings_v3": jina_v3,
    "modernbert": modernbert,
    "mpnet": mpnet,
    "new": new,
    "nomic_bert": nomic_bert,
    "roberta": xlm_roberta,
    "xlm-roberta": xlm_roberta,
}
_ALL = FAMILIES | ENCODERS
# What families that are known compute, and nothing here does.
_MISSING = {"deepseek_v4": "layers attend to keys that are compressed from several tokens"}
# Embedders made of decoders: LlamaBiModel, LlamaBidirectionalModel, MistralEncoderModel.
_BOTH_WAYS = re.compile(r"\w+(Bi(directional\w*|Model|For[A-Z]\w*)|EncoderModel)")


def read_model_config(path: Path, raw: dict[str, Any]) -> ModelConfig:
    """The configuration of a model from the fields of its config.json. `path` is named in errors.

    Raises ModelError if the family, or a field that can change what the model computes, is not supported.
    """
    family = raw.get("model_type")
    if not isinstance(family, str) or family not in _ALL:
        missing = _MISSING.get(family) if isinstance(family, str) else None
        near = name_near(family, _ALL) if missing is None else f", because its {missing}"
        raise ModelError(
            f"{path} says that the model is of the family {shorten(family)}, which is not supported{near}; "
            "`tritonchat recommend` names models that run here."
        )
    fields = Fields(raw)
    try:
        config = _ALL[family].read_config(fields)
        if family in ENCODERS:
            expect(fields, is_causal=False)
        elif not read_flag(fields, "is_causal", True):
            config = replace(config, is_causal=False)
        if config.is_causal and family in FAMILIES:
            _check_class(raw)
        if fields.get(WORD_LOGITS):
            config = _with_word_logits(config, fields)
        fields.check_all_read()
        return replace(config, labels=read_label_count(raw))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ModelError(f"{path} cannot be understood: {shorten(str(error))}.") from error


def _with_word_logits(config: ModelConfig, fields: Fields) -> ModelConfig:
    """The configuration of a model whose last hidden states are the logits of words. Raises ModelError."""
    expect(fields, tie_word_embeddings=True)
    if not hasattr(_ALL[config.family], "write_word_logits"):
        known = ", ".join(name for name, module in _ALL.items() if hasattr(module, "write_word_logits"))
        raise ModelError(f"SPLADE of the family {config.family} is not supported; {known} are.")
    return replace(config, has_word_logits=True)


def name_near(name: object, names: Iterable[str]) -> str:
    """The end of a clause that refuses `name`: those of `names` that are spelled almost like it."""
    near = get_close_matches(name, names, 3) if isinstance(name, str) else []
    return f", but {' and '.join(near)} {'is' if len(near) == 1 else 'are'}" if near else ""


def _check_class(raw: dict[str, Any]) -> None:
    """Raises ModelError if code of the model's makers lets its tokens attend to those after them."""
    names = raw.get("architectures")
    name = str(names[0]) if isinstance(names, list) and names else ""
    if _BOTH_WAYS.fullmatch(name):
        raise ModelError(
            f"architectures is {shorten(name)}, a class whose tokens attend to those after them; if it does "
            'not differ otherwise, add "is_causal": false to the file.'
        )


def write_mtp_tape(config: ModelConfig, tape: Tape) -> Tape | None:
    """The tape of the MTP head of a model, None if models of its family have none (see mtp.py).

    Its KV layers are those of the model's own `tape`, whose pages both share, and a further one.
    """
    write = getattr(_ALL[config.family], "write_mtp_tape", None)
    if write is None or not config.is_causal or config.labels:
        return None
    head = Tape(kv_layers=[*tape.kv_layers])
    write(head, config)
    return head


def write_tape(config: ModelConfig) -> Tape:
    """The tape of the operations that a model computes.

    Raises ModelError if tokens should attend to all others, and layers are recurrent.
    """
    tape = Tape()
    _ALL[config.family].write_tape(tape, config)
    if config.has_word_logits:
        _ALL[config.family].write_word_logits(tape, config)
    if not config.is_causal:
        attend_both_ways(tape)
    if config.labels and tape.classifier is None:  # a decoder, whose last token gives the score
        layer = ClassifierLayer(WeightRef("score.weight", (1, config.hidden_size)))
        tape.records, tape.classifier = drop_head(tape.records), Classifier("last", (layer,))
    return tape
