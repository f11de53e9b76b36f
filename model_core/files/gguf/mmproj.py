"""Towers of vision in GGUF files of their own ("mmproj"), as llama.cpp's converter writes them.

Their fields and names become those of a folder in Hugging Face layout, which the families read. Sources:
llama.cpp's conversion/{qwenvl,qwen3vl,gemma,smolvlm,lfm2}.py, tools/mtmd/clip.cpp (limits of sizes), and
tools/mtmd/mtmd.cpp (which rows see each other both ways).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from .names import Place, Places
from .reader import GGUFFile
from .tower_source import FRAMES, TowerSource

_Config = dict[str, Any]
_Tower = tuple[_Config, _Config, Callable[[str], str | None]]  # config, processor, and names of tensors
_LAYER = re.compile(r"v\.blk\.(\d+)\.(.+)\.(weight|bias|(?:in|out)put_m(?:in|ax))")
_QWEN_WINDOW = 112  # pixels, where the file does not say it
_QWEN_ROWS = (8, 4096)  # of an image, at least and at most
_QWEN = {"attn_out": "attn.proj", "attn_qkv": "attn.qkv", "ln1": "norm1", "ln2": "norm2"}
_QWEN3_LAYER = _QWEN | {"ffn_up": "mlp.linear_fc1", "ffn_down": "mlp.linear_fc2"}
_QWEN25_LAYER = _QWEN | {
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_SIGLIP_LAYER = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_out": "self_attn.out_proj",
    "ln1": "layer_norm1",
    "ln2": "layer_norm2",
    "ffn_up": "mlp.fc1",
    "ffn_down": "mlp.fc2",
}
_GEMMA4_LAYER = {
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ln1": "input_layernorm",
    "attn_post_norm": "post_attention_layernorm",
    "ln2": "pre_feedforward_layernorm",
    "ffn_post_norm": "post_feedforward_layernorm",
}
_GEMMA4_PRODUCTS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_out": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_GEMMA4_PROJECTION = {"mm.input_projection.weight": "model.embed_vision.embedding_projection.weight"}
_GEMMA4_ROWS = 280  # of an image; files do not say it, and llama.cpp takes more of large ones
_ONE_WAY = (1536, 2560)  # hidden sizes of Gemma 4 E2B and E4B, in which rows of images see earlier ones alone
_SIGLIP = {
    "v.patch_embd": "embeddings.patch_embedding",
    "v.position_embd": "embeddings.position_embedding",
    "v.post_ln": "post_layernorm",
}


class Mmproj:
    """A file of a tower.

    Attributes:
        config, processor: as config.json and preprocessor_config.json of the model have them.
        out_size: the hidden size of the text model that it is for.
        text: config.json of the text model.
    """

    def __init__(self, path: Path, architecture: str, tokens: list[str], text: _Config) -> None:
        """`architecture`: of the text model. `tokens`: its vocabulary, empty if it is not known.

        text: the text model's config.json.

        Raises ModelError if the tower is not supported, or is for other text models.
        """
        self._file = GGUFFile(path)
        kind = self._get("clip.projector_type", self._get("clip.vision.projector_type", None))
        projector = _PROJECTORS.get(str(kind))
        if projector is None:
            known = ", ".join(_PROJECTORS)
            raise ModelError(f"{path} has a tower of the kind {shorten(kind)}; {known} are supported.")
        if architecture not in projector.architectures:
            known = ", ".join(projector.architectures)
            raise ModelError(f"{path} is for text models of the architecture {known}, not {architecture}.")
        if tokens and projector.row_token not in tokens:
            raise ModelError(
                f"{path} is for another text model: this one has no token {projector.row_token!r}."
            )
        self.text = text
        try:
            self.out_size = int(self.field("projection_dim"))
            self.config, self.processor, self._names = projector.read(self, architecture)
            self.processor |= {name: self.field(name).tolist() for name in ("image_mean", "image_std")}
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise ModelError(f"{path} cannot be understood: {shorten(str(error))}.") from error
        if tokens:
            self.config["image_token_id"] = tokens.index(projector.row_token)

    def field(self, name: str, default: Any = None) -> Any:
        """A field of the tower. Raises LookupError if it is missing, and there is no default."""
        value = self._get(f"clip.vision.{name}", default)
        if value is None:
            raise LookupError(f"clip.vision.{name} is missing")
        return value

    def sizes(self) -> _Config:
        """The sizes that all towers have, by the names of SigLIP."""
        return {
            "hidden_size": int(self.field("embedding_length")),
            "intermediate_size": int(self.field("feed_forward_length")),
            "num_hidden_layers": int(self.field("block_count")),
            "num_attention_heads": int(self.field("attention.head_count")),
            "patch_size": int(self.field("patch_size")),
            "image_size": int(self.field("image_size")),
        }

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a stored tensor. Raises LookupError if it is missing."""
        return self._file.entries[name].shape

    def has(self, name: str) -> bool:
        """Whether the file has a tensor."""
        return name in self._file.entries

    def open_tensors(self) -> TowerSource:
        """The weights. Raises ModelError."""
        places: Places = {}
        for name in self._file.entries:
            if (target := self._names(name)) is not None:
                places[target] = Place((name,))
        for name in [name for name in places if ".attn.q." in name]:
            parts = [places.pop(name.replace(".q.", f".{part}."), None) for part in "qkv"]
            if None not in parts:  # otherwise, the tensor is missing
                joined = tuple(part.names[0] for part in parts if part is not None)
                places[name.replace(".q.", ".qkv.")] = Place(joined)
        return TowerSource(self._file, places, self.config["model_type"] not in ("gemma3", "idefics3"))

    def _get(self, name: str, default: Any) -> Any:
        return self._file.metadata.get(name, default)


def _read_qwen3(m: Mmproj, architecture: str) -> _Tower:
    is_deep = [bool(flag) for flag in m.field("is_deepstack_layers", [])]
    deep = [layer for layer, flag in enumerate(is_deep) if flag]
    config, processor = _read_qwen(m)
    config["vision_config"] |= {
        "num_position_embeddings": (int(m.field("image_size")) // int(m.field("patch_size"))) ** 2,
        "deepstack_visual_indexes": deep,
        "hidden_act": "gelu_pytorch_tanh",
    }
    config["model_type"] = "qwen3_5" if architecture.startswith("qwen35") else "qwen3_vl"
    names = {
        "mm.0": "merger.linear_fc1",
        "mm.2": "merger.linear_fc2",
        "v.post_ln": "merger.norm",
        "v.patch_embd": "patch_embed.proj",
        "v.position_embd": "pos_embed",
    }
    for number, layer in enumerate(deep):
        for part, target in (("norm", "norm"), ("fc1", "linear_fc1"), ("fc2", "linear_fc2")):
            names[f"v.deepstack.{layer}.{part}"] = f"deepstack_merger_list.{number}.{target}"
    return config, processor, _namer("model.visual.", "blocks", names, _QWEN3_LAYER)


def _read_qwen25(m: Mmproj, _: str) -> _Tower:
    config, processor = _read_qwen(m)
    period = int(m.field("n_wa_pattern", 0))
    layers = range(config["vision_config"]["depth"])
    config["vision_config"] |= {
        "fullatt_block_indexes": [i for i in layers if not period or (i + 1) % period == 0],
        "window_size": int(m.field("window_size", _QWEN_WINDOW)),
        "hidden_act": "silu",
    }
    config["model_type"] = "qwen2_5_vl"
    names = {
        "mm.0": "merger.mlp.0",
        "mm.2": "merger.mlp.2",
        "v.post_ln": "merger.ln_q",
        "v.patch_embd": "patch_embed.proj",
    }
    layer = _QWEN25_LAYER | {f"attn_{part}": f"attn.{part}" for part in "qkv"}
    return config, processor, _namer("model.visual.", "blocks", names, layer)


def _read_qwen(m: Mmproj) -> tuple[_Config, _Config]:
    """What Qwen's towers have in common: config.json and preprocessor_config.json."""
    sizes, merge = m.sizes(), int(m.field("spatial_merge_size", 2))
    vision = {
        "depth": sizes["num_hidden_layers"],
        "num_heads": sizes["num_attention_heads"],
        "out_hidden_size": m.out_size,
        "spatial_merge_size": merge,
        **{name: sizes[name] for name in ("hidden_size", "intermediate_size", "patch_size")},
    }
    unit = (sizes["patch_size"] * merge) ** 2
    size = {
        "shortest_edge": int(m.field("image_min_pixels", _QWEN_ROWS[0] * unit)),
        "longest_edge": int(m.field("image_max_pixels", _QWEN_ROWS[1] * unit)),
    }
    return {"vision_config": vision}, {"size": size}


def _read_gemma3(m: Mmproj, _: str) -> _Tower:
    sizes = m.sizes()
    side = sizes["image_size"] // sizes["patch_size"] // int(m.field("projector.scale_factor", 4))
    config = _siglip_config(m, "gemma3") | {"mm_tokens_per_image": side**2}
    projector = "model.multi_modal_projector.mm_"
    whole = {
        "mm.input_projection.weight": f"{projector}input_projection_weight",
        "mm.soft_emb_norm.weight": f"{projector}soft_emb_norm.weight",
    }
    named = _namer("model.vision_tower.", "encoder.layers", _SIGLIP, _SIGLIP_LAYER)
    return config, {}, lambda name: whole.get(name) or named(name)


def _read_idefics3(m: Mmproj, _: str) -> _Tower:
    config = _siglip_config(m, "idefics3") | {"scale_factor": int(m.field("projector.scale_factor", 2))}
    tile = m.sizes()["image_size"]
    processor = {
        "size": {"longest_edge": int(m.field("preproc_image_size", 4 * tile))},
        "max_image_size": {"longest_edge": tile},
    }
    named = _namer("model.vision_model.", "encoder.layers", _SIGLIP, _SIGLIP_LAYER)
    projection = "model.connector.modality_projection.proj.weight"
    return config, processor, lambda name: projection if name == "mm.model.fc.weight" else named(name)


def _read_lfm2(m: Mmproj, _: str) -> _Tower:
    """Budgets and tiles are the family's: the file does not have them, and llama.cpp takes the same."""
    config = _siglip_config(m, "lfm2_vl")
    vision = config["vision_config"]
    vision["num_patches"] = m.shape("v.position_embd.weight")[0]
    config |= {
        "downsample_factor": int(m.field("projector.scale_factor", 2)),
        "projector_hidden_size": m.shape("mm.1.weight")[0],
        "projector_use_layernorm": m.has("mm.input_norm.weight"),
    }
    projector = "model.multi_modal_projector"
    whole = {
        f"mm.{part}.{ending}": f"{projector}.{target}.{ending}"
        for part, target in (("input_norm", "layer_norm"), ("1", "linear_1"), ("2", "linear_2"))
        for ending in ("weight", "bias")
    }
    named = _namer("model.vision_tower.", "encoder.layers", _SIGLIP, _SIGLIP_LAYER)
    return config, {}, lambda name: whole.get(name) or named(name)


def _read_gemma4(m: Mmproj, _: str) -> _Tower:
    sizes, head = m.sizes(), m.shape("v.blk.0.attn_q_norm.weight")[0]
    config, processor = _gemma4_config(m, m.out_size not in _ONE_WAY)
    config["vision_config"] |= {name: sizes[name] for name in sizes if name != "image_size"} | {
        "head_dim": head,
        "num_key_value_heads": m.shape("v.blk.0.attn_k.weight")[0] // head,
        "position_embedding_size": m.shape("v.position_embd.weight")[1],
        "use_clipped_linears": m.has("v.blk.0.attn_q.input_max"),
        "standardize": m.has("v.std_bias"),
        "rms_norm_eps": _read_eps(m),
    }
    config["model_type"] = "gemma4"
    tower = "model.vision_tower"
    whole = _GEMMA4_PROJECTION | {
        "v.patch_embd.weight": f"{tower}.patch_embedder.input_proj.weight",
        "v.position_embd.weight": f"{tower}.patch_embedder.position_embedding_table",
        "v.std_bias": f"{tower}.std_bias",
        "v.std_scale": f"{tower}.std_scale",
    }
    norms = _namer(f"{tower}.", "encoder.layers", {}, _GEMMA4_LAYER)
    limits = _namer(f"{tower}.", "encoder.layers", {}, _GEMMA4_PRODUCTS)

    def rename(name: str) -> str | None:
        product = limits(name)
        if product is not None and product.endswith(".weight"):
            product = f"{product.removesuffix('.weight')}.linear.weight"
        return whole.get(name) or product or norms(name)

    return config, processor, rename


def _read_gemma4_unified(m: Mmproj, _: str) -> _Tower:
    config, processor = _gemma4_config(m, True)
    config["vision_config"] |= {
        "patch_size": int(m.field("patch_size")),
        "mm_embed_dim": int(m.field("embedding_length")),
        "mm_posemb_size": m.shape("v.position_embd.weight")[1],
        "rms_norm_eps": _read_eps(m),
    }
    config["model_type"] = "gemma4_unified"
    embedder = "model.vision_embedder"
    parts = {"v.patch_embd": "patch_dense", "v.patch_norm.1": "patch_ln1", "v.patch_norm.2": "patch_ln2"}
    named = _namer(f"{embedder}.", "", parts | {"v.patch_norm.3": "pos_norm"}, {})
    whole = _GEMMA4_PROJECTION | {"v.position_embd.weight": f"{embedder}.pos_embedding"}
    return config, processor, lambda name: whole.get(name) or named(name)


def _gemma4_config(m: Mmproj, both_ways: bool) -> tuple[_Config, _Config]:
    """The text model's fields that the towers of Gemma 4 read, and the processor's."""
    known = ("sliding_window", "pad_token_id")
    text, rows = {"hidden_size": m.out_size}, _GEMMA4_ROWS
    text |= {name: m.text[name] for name in known if m.text.get(name) is not None}
    if both_ways:
        rows = min(rows, int(text.get("sliding_window", rows)))
    config = {
        "vision_config": {"pooling_kernel_size": int(m.field("projector.scale_factor", 3))},
        "text_config": text | {"use_bidirectional_attention": "vision" if both_ways else None},
    }
    return config, {"max_soft_tokens": rows}


def _read_eps(m: Mmproj) -> float:
    """What is added in norms, as config.json had it: files have it in float32."""
    return float(str(np.float32(m.field("attention.layer_norm_epsilon"))))


def _siglip_config(m: Mmproj, model_type: str) -> _Config:
    vision = m.sizes() | {"layer_norm_eps": _read_eps(m)}
    return {
        "model_type": model_type,
        "vision_config": vision,
        "text_config": {"hidden_size": m.out_size},
    }


def _namer(
    prefix: str, layers: str, names: Mapping[str, str], layer_names: Mapping[str, str]
) -> Callable[[str], str | None]:
    """From a name in the file to that in a folder; None for tensors that have none there."""

    def rename(name: str) -> str | None:
        if match := _LAYER.fullmatch(name):
            target = layer_names.get(match[2])
            return target and f"{prefix}{layers}.{match[1]}.{target}.{match[3]}"
        if name == FRAMES[1]:
            return name
        stem, _, ending = name.rpartition(".")
        return f"{prefix}{names[stem]}.{ending}" if stem in names else None

    return rename


@dataclass(frozen=True)
class _Projector:
    """A kind of towers.

    Attributes:
        read: the file, and the architecture of the text model -> the fields and names of a folder.
        row_token: of a row of an image in the prompt. architectures: of text models that it is for.
    """

    read: Callable[[Mmproj, str], _Tower]
    row_token: str
    architectures: tuple[str, ...]


# by clip.projector_type
_PROJECTORS = {
    "gemma3": _Projector(_read_gemma3, "<image_soft_token>", ("gemma3",)),
    "gemma4uv": _Projector(_read_gemma4_unified, "<|image|>", ("gemma4",)),
    "gemma4v": _Projector(_read_gemma4, "<|image|>", ("gemma4",)),
    "idefics3": _Projector(_read_idefics3, "<image>", ("llama",)),
    "lfm2": _Projector(_read_lfm2, "<image>", ("lfm2", "lfm2moe")),
    "qwen2.5vl_merger": _Projector(_read_qwen25, "<|image_pad|>", ("qwen2vl",)),
    "qwen3vl_merger": _Projector(
        _read_qwen3, "<|image_pad|>", ("qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe")
    ),
}
