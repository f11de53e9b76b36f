"""GGUF files of Ollama's own converter: fields and tensors get the names that llama.cpp's gives them.

Source: what Ollama does before it hands such files to llama.cpp (llama-ollama-compat.cpp).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .reader import GGUFFile

_EPSILON = "attention.layer_norm_rms_epsilon"
_LONG_CONTEXT = 131072


@dataclass(frozen=True)
class _Dialect:
    """How files of an architecture differ.

    Attributes:
        architecture: the name that llama.cpp has for it.
        marks: fields, and beginnings of names of tensors, of which such a file has one; none: all files are
            such.
        fields: name -> name in llama.cpp's files, without the architecture.
        defaults: values of fields that are left out.
        tensors: a part of a name of tensors -> that in llama.cpp's files.
        pre: the way to split texts (tokenizer.ggml.pre), which these files do not say.
    """

    architecture: str
    marks: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, str] = field(default_factory=dict)
    pre: str | None = None


_DIALECTS = {
    "gemma3": _Dialect(
        "gemma3",
        ("rope.global.freq_base", "rope.local.freq_base", "mm.tokens_per_image", "v."),
        {"rope.global.freq_base": "rope.freq_base", "rope.local.freq_base": "rope.freq_base_swa"},
        {_EPSILON: 1e-6},
    ),
    "gptoss": _Dialect(
        "gpt-oss",
        defaults={"rope.scaling.type": "yarn"},
        tensors={
            ".attn_out.": ".attn_output.",
            ".ffn_norm.": ".post_attention_norm.",
            ".attn_sinks": ".attn_sinks.weight",
        },
        pre="gpt-4o",
    ),
    "mistral3": _Dialect(
        "mistral3",
        ("rope.scaling.beta_fast", "rope.scaling.mscale_all_dim", "rope.scaling_beta", "v."),
        {
            "rope.scaling.beta_fast": "rope.scaling.yarn_beta_fast",
            "rope.scaling.beta_slow": "rope.scaling.yarn_beta_slow",
            "rope.scaling.mscale_all_dim": "rope.scaling.yarn_log_multiplier",
            "rope.scaling_beta": "attention.temperature_scale",
        },
        pre="tekken",
    ),
    "olmo3": _Dialect("olmo2"),
    "qwen25vl": _Dialect("qwen2vl", fields={"rope.mrope_section": "rope.dimension_sections"}),
}


def adopt_names(file: GGUFFile) -> None:
    """Change the metadata and the names of tensors of a file, if Ollama's converter has written it."""
    name = file.metadata.get("general.architecture")
    dialect = _DIALECTS.get(name) if isinstance(name, str) else None
    if dialect is None or not _is_marked(file, f"{name}.", dialect.marks):
        return
    fields = {key: key.removeprefix(f"{name}.") for key in file.metadata if key.startswith(f"{name}.")}
    own = {dialect.fields.get(part, part): file.metadata.pop(key) for key, part in fields.items()}
    tensors = {_rename(key, dialect.tensors): entry for key, entry in file.entries.items()}
    own = {**dialect.defaults, **own}
    context = own.get("context_length")
    if dialect.architecture == "gemma3" and isinstance(context, int) and context >= _LONG_CONTEXT:
        own = {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0, **own}  # as all such models have it
    experts = tensors.get("blk.0.ffn_gate_exps.weight")
    if dialect.architecture == "gpt-oss" and experts is not None and len(experts.shape) == 3:
        own.setdefault("expert_feed_forward_length", experts.shape[1])
    file.metadata["general.architecture"] = dialect.architecture
    file.metadata |= {f"{dialect.architecture}.{part}": value for part, value in own.items()}
    pre = file.metadata.get("tokenizer.ggml.pre", "default")
    if dialect.pre is not None and isinstance(pre, str) and pre == "default":
        file.metadata["tokenizer.ggml.pre"] = dialect.pre
    file.entries.clear()
    file.entries |= tensors


def _is_marked(file: GGUFFile, prefix: str, marks: tuple[str, ...]) -> bool:
    if not marks:
        return True
    has_field = any(f"{prefix}{mark}" in file.metadata for mark in marks)
    has_tensor = any(name.startswith(mark) for mark in marks if mark.endswith(".") for name in file.entries)
    return has_field or has_tensor or (prefix == "gemma3." and f"{prefix}{_EPSILON}" not in file.metadata)


def _rename(name: str, parts: Mapping[str, str]) -> str:
    """The name of a tensor, which has one of the parts at most."""
    for part, own in parts.items():
        if part in name and own not in name:
            return name.replace(part, own)
    return name
