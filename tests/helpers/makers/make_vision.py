"""Make the tiny models that see of `tests/data/vision`, and what Transformers computes with them.

    PYTHONPATH=tests/helpers/models python tests/helpers/makers/make_vision.py [--only N ...]

Each variant is a folder in Hugging Face layout (random weights, no tokenizer) with an `expected.npz`:

    image_N   uint8 [height, width, 3]       of sizes that need no resizing
    rows_N    float32 [parts, rows, width]   what the tower computes of it, and what DeepStack adds later
    prompt    int64 [T]                      token ids, with those of images
    logits    float32 [T, vocab]             of the prompt with all images, in float32 arithmetic
    greedy    int64 [40]                     the greedy continuation, end-of-sequence tokens ignored

Needs PyTorch and Transformers 5; the tests themselves only read the files.
"""

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from make_checkpoints import (
    BASE,
    DELTA_NET,
    DELTA_NET_EXPERTS,
    GEMMA,
    GEMMA4,
    LFM2,
    MIN_DISTINCT,
    MIN_MARGIN,
    NEW_TOKENS,
    ROPE,
    WIDER_LOCALLY,
    initialize,
)
from transformers import AutoConfig, AutoModelForImageTextToText, PreTrainedModel
from transformers.utils import logging

MAX_SEEDS = 200
IMAGE, START, END = 60, 61, 62  # token ids
TOKENS = {"image_token_id": IMAGE, "vision_start_token_id": START, "vision_end_token_id": END}
SECTIONS = {"mrope_section": [2, 2, 2]}
QWEN_TOWER = {
    "depth": 4,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_heads": 2,
    "out_hidden_size": 32,
    "num_position_embeddings": 25,
    "patch_size": 4,
}
MEAN, STD = np.float32([0.48145466, 0.4578275, 0.40821073]), np.float32([0.26862954, 0.26130258, 0.27577711])


@dataclass
class Inputs:
    """What Transformers gets of an image: its inputs, and the token ids that stand for it."""

    fields: dict[str, torch.Tensor]
    ids: list[int]


@dataclass
class Variant:
    """A model that sees.

    `sizes`: of images, of squares of one colour with sides of `grain` pixels. `read`: makes inputs. `rows`:
    asks the tower for its rows.
    """

    model_type: str
    text: dict[str, Any]
    vision: dict[str, Any]
    sizes: tuple[tuple[int, int], ...]
    read: Callable[["Variant", np.ndarray], Inputs]
    rows: Callable[[PreTrainedModel, Inputs], np.ndarray]
    outer: dict[str, Any]
    processor: dict[str, Any]  # preprocessor_config.json
    std: float = 0.3
    grain: int = 1


def read_qwen(variant: Variant, image: np.ndarray) -> Inputs:
    """Patches in blocks of merged ones, of two equal frames, and the grid."""
    size, merge = variant.vision["patch_size"], 2
    pixels = torch.from_numpy((image.astype(np.float32) / 255 - MEAN) / STD).permute(2, 0, 1)
    rows, columns = image.shape[0] // size, image.shape[1] // size
    blocks = pixels.reshape(3, rows // merge, merge, size, columns // merge, merge, size)
    patches = blocks.permute(1, 4, 2, 5, 0, 3, 6).unsqueeze(5).expand(-1, -1, -1, -1, -1, 2, -1, -1)
    fields = {
        "pixel_values": patches.reshape(rows * columns, -1),
        "image_grid_thw": torch.tensor([[1, rows, columns]]),
    }
    return Inputs(fields, [START, *[IMAGE] * (rows * columns // merge**2), END])


def rows_of_qwen(model: PreTrainedModel, inputs: Inputs) -> np.ndarray:
    """The merged rows, and those of DeepStack."""
    output = model.model.visual(inputs.fields["pixel_values"], grid_thw=inputs.fields["image_grid_thw"])
    deep = getattr(output, "deepstack_features", None) or []
    return torch.stack([output.pooler_output, *deep]).numpy()


SMALL_IMAGES = {"size": {"shortest_edge": 16, "longest_edge": 65536}, "patch_size": 4, "merge_size": 2}
QWEN = {"read": read_qwen, "rows": rows_of_qwen, "outer": TOKENS, "processor": SMALL_IMAGES}
MIXED = {"rope_parameters": ROPE | SECTIONS | {"mrope_interleaved": True}, "head_dim": 12}
# Two images are larger than a window.
QWEN_2_5_TOWER = {
    "depth": 3,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_heads": 2,
    "out_hidden_size": 32,
    "patch_size": 4,
    "window_size": 112,
    "fullatt_block_indexes": [1],
}
DELTA = {name: value for name, value in DELTA_NET.items() if name != "rope_parameters"}
DELTA |= {
    "rope_parameters": ROPE
    | {"partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1], "mrope_interleaved": True}
}
SIGLIP = {
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "patch_size": 4,
}


def read_tiles(variant: Variant, image: np.ndarray) -> Inputs:
    """A square image, or a row of square tiles and the whole."""
    side = variant.vision["image_size"]
    tiles = [image[:, i : i + side] for i in range(0, image.shape[1], side)]
    pixels = torch.from_numpy(np.stack(tiles).astype(np.float32) / 127.5 - 1).permute(0, 3, 1, 2)
    ids = [token for _ in tiles for token in (START, *[IMAGE] * variant.outer["rows"], END)]
    return Inputs({"pixel_values": pixels}, ids)


def rows_of_gemma(model: PreTrainedModel, inputs: Inputs) -> np.ndarray:
    """The projected rows, as the text model takes them: it multiplies other embeddings by a root."""
    rows = model.model.get_image_features(inputs.fields["pixel_values"]).pooler_output
    return rows.reshape(1, -1, rows.shape[-1]).numpy() * np.float32(rows.shape[-1] ** -0.5)


def rows_of_idefics(model: PreTrainedModel, inputs: Inputs) -> np.ndarray:
    """The projected rows of all tiles."""
    rows = model.model.get_image_features(inputs.fields["pixel_values"][None]).pooler_output
    return torch.cat(rows)[None].numpy()


def read_merged(variant: Variant, image: np.ndarray) -> Inputs:
    """Patches of pixels with their channels, and their columns and rows."""
    size = variant.vision["patch_size"] * variant.vision["pooling_kernel_size"]
    rows, columns = image.shape[0] // size, image.shape[1] // size
    pixels = torch.from_numpy(image.astype(np.float32) / 255).reshape(rows, size, columns, size, 3)
    places = [[column, row] for row in range(rows) for column in range(columns)]
    fields = {
        "pixel_values": pixels.permute(0, 2, 1, 3, 4).reshape(1, rows * columns, -1),
        "image_position_ids": torch.tensor([places]),
    }
    return Inputs(fields, [START, *[IMAGE] * (rows * columns), END])


def rows_of_gemma4(model: PreTrainedModel, inputs: Inputs) -> np.ndarray:
    """As those of Gemma 3."""
    rows = torch.cat(list(model.model.get_image_features(**inputs.fields).pooler_output))
    return rows[None].numpy() * np.float32(rows.shape[-1] ** -0.5)


def read_small(variant: Variant, image: np.ndarray) -> Inputs:
    """The same, of small patches, which are pooled later."""
    size, pool = variant.vision["patch_size"], variant.vision["pooling_kernel_size"]
    rows, columns = image.shape[0] // size, image.shape[1] // size
    pixels = torch.from_numpy(image.astype(np.float32) / 255).reshape(rows, size, columns, size, 3)
    places = [[column, row] for row in range(rows) for column in range(columns)]
    fields = {
        "pixel_values": pixels.permute(0, 2, 1, 3, 4).reshape(1, rows * columns, -1),
        "image_position_ids": torch.tensor([places]),
    }
    return Inputs(fields, [START, *[IMAGE] * (rows * columns // pool**2), END])


def read_naflex(variant: Variant, image: np.ndarray) -> Inputs:
    """Patches of pixels with their channels, and the grid; others of them are padded."""
    size, merge = variant.vision["patch_size"], variant.outer["downsample_factor"]
    rows, columns = image.shape[0] // size, image.shape[1] // size
    pixels = torch.from_numpy(image.astype(np.float32) / 127.5 - 1).reshape(rows, size, columns, size, 3)
    patches = torch.zeros(1, LFM2_PATCHES, 3 * size**2)
    patches[0, : rows * columns] = pixels.permute(0, 2, 1, 3, 4).reshape(rows * columns, -1)
    fields = {
        "pixel_values": patches,
        "pixel_attention_mask": (torch.arange(LFM2_PATCHES) < rows * columns).int()[None],
        "spatial_shapes": torch.tensor([[rows, columns]]),
    }
    return Inputs(fields, [START, *[IMAGE] * (rows * columns // merge**2), END])


def rows_of_lfm2(model: PreTrainedModel, inputs: Inputs) -> np.ndarray:
    """The projected rows."""
    return torch.cat(list(model.model.get_image_features(**inputs.fields).pooler_output))[None].numpy()


LFM2_PATCHES = 320  # of the largest image
# A table of 6 by 6 positions: sides of images are longer, shorter, or as long.
LFM2_VARIANT = {
    "model_type": "lfm2_vl",
    "vision": SIGLIP | {"num_hidden_layers": 2, "num_patches": 36, "vision_use_head": False},
    "sizes": ((16, 16), (40, 24), (16, 304)),  # the last with enough rows for a place to go on from
    "read": read_naflex,
    "rows": rows_of_lfm2,
    "outer": {"image_token_id": IMAGE, "downsample_factor": 2, "projector_hidden_size": 24},
    "processor": {"encoder_patch_size": 4, "tile_size": 32, "min_image_tokens": 1, "max_image_tokens": 80},
}
GEMMA4_TOWER = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "pooling_kernel_size": 3,
    "patch_size": 2,
    "position_embedding_size": 40,
}
GEMMA4_VARIANT = {
    "sizes": ((18, 24), (18, 24)),
    "read": read_small,
    "rows": rows_of_gemma4,
    "outer": {"image_token_id": IMAGE, "boi_token_id": START, "eoi_token_id": END, "audio_config": None},
    "processor": {"max_soft_tokens": 12, "patch_size": 2, "pooling_kernel_size": 3, "do_normalize": False},
}
VARIANTS = {
    "gemma4-small": Variant("gemma4", GEMMA4, GEMMA4_TOWER | {"use_clipped_linears": True}, **GEMMA4_VARIANT),
    "gemma4-large": Variant(
        "gemma4",
        GEMMA4 | {"sliding_window": 12, "use_bidirectional_attention": "vision"},
        GEMMA4_TOWER | {"standardize": True},
        **GEMMA4_VARIANT,
    ),
    "gemma4-unified": Variant(
        "gemma4_unified",
        GEMMA4
        | {
            "num_kv_shared_layers": 0,
            "use_double_wide_mlp": False,
            "hidden_size_per_layer_input": 0,
            "sliding_window": 12,
            "use_bidirectional_attention": "vision",
        },
        {"patch_size": 2, "pooling_kernel_size": 3, "mm_embed_dim": 24, "mm_posemb_size": 12}
        | {"output_proj_dims": 24},
        ((18, 24), (18, 24)),
        read_merged,
        rows_of_gemma4,
        {"image_token_id": IMAGE, "boi_token_id": START, "eoi_token_id": END, "audio_config": None},
        {"max_soft_tokens": 12, "patch_size": 2, "pooling_kernel_size": 3, "do_normalize": False},
    ),
    "gemma3": Variant(
        "gemma3",
        GEMMA
        | {
            "num_hidden_layers": 6,
            "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
            "rope_parameters": WIDER_LOCALLY,
            "head_dim": 8,
            "query_pre_attn_scalar": 8,
        },
        SIGLIP | {"image_size": 24, "vision_use_head": False},
        ((24, 24), (24, 24)),
        read_tiles,
        rows_of_gemma,
        {
            "image_token_id": IMAGE,
            "boi_token_id": START,
            "eoi_token_id": END,
            "mm_tokens_per_image": 9,
            "rows": 9,
        },
        {"size": {"height": 24, "width": 24}},
    ),
    "idefics3": Variant(
        "idefics3",
        {"model_type": "llama"},
        SIGLIP | {"image_size": 24},
        ((24, 24), (24, 24)),
        read_tiles,
        rows_of_idefics,
        {"image_token_id": IMAGE, "scale_factor": 3, "rows": 4},
        {"size": {"longest_edge": 24}, "max_image_size": {"longest_edge": 24}},
    ),
    "smolvlm": Variant(
        "smolvlm",
        {"model_type": "llama"},
        SIGLIP | {"image_size": 16},
        ((16, 16), (16, 16)),
        read_tiles,
        rows_of_idefics,
        {"image_token_id": IMAGE, "scale_factor": 2, "rows": 4},
        {"size": {"longest_edge": 16}, "max_image_size": {"longest_edge": 16}},
    ),
    # The converter to GGUF takes towers of three layers or more, with patches of 16 pixels.
    "lfm2-vl": Variant(
        text=LFM2 | {"model_type": "lfm2", "conv_L_cache": 4},
        **LFM2_VARIANT
        | {
            "vision": LFM2_VARIANT["vision"] | {"patch_size": 16, "num_patches": 16, "num_hidden_layers": 3},
            "sizes": ((32, 64), (64, 96), (64, 1056)),
            "processor": {"min_image_tokens": 1, "tile_size": 64},
            "grain": 4,
        },
    ),
    # Without a norm in the projector.
    "lfm2_5-vl": Variant(
        text=LFM2 | {"model_type": "lfm2"},
        **LFM2_VARIANT | {"outer": LFM2_VARIANT["outer"] | {"projector_use_layernorm": False}},
    ),
    "qwen2_5-vl": Variant(
        "qwen2_5_vl",
        {"rope_parameters": ROPE | {"mrope_section": [2, 1, 1]}},
        QWEN_2_5_TOWER,
        ((8, 8), (120, 24), (16, 136)),
        **QWEN,
    ),
    "qwen3_5": Variant(
        "qwen3_5",
        DELTA | {"linear_num_value_heads": 2},
        QWEN_TOWER | {"depth": 2},
        ((8, 8), (64, 72)),  # after 65 tokens, a prompt has a place from where another can go on
        **QWEN,
    ),
    "qwen3_5-moe": Variant(
        "qwen3_5_moe",
        DELTA | DELTA_NET_EXPERTS | {"rope_parameters": DELTA["rope_parameters"]},
        QWEN_TOWER | {"depth": 1},
        ((72, 64), (16, 8)),
        **QWEN,
    ),
    "qwen3-vl": Variant(
        "qwen3_vl",
        MIXED | {"num_hidden_layers": 3},
        QWEN_TOWER | {"deepstack_visual_indexes": [0, 2]},
        ((8, 8), (16, 40), (56, 24)),
        **QWEN,
    ),
}


def random_model(variant: Variant, seed: int) -> PreTrainedModel:
    """A model whose weights are all random."""
    torch.manual_seed(seed)
    text = BASE | variant.text
    outer = {name: value for name, value in variant.outer.items() if name != "rows"}
    fields = {"text_config": text, "vision_config": variant.vision, **outer}
    model = AutoModelForImageTextToText.from_config(AutoConfig.for_model(variant.model_type, **fields))
    initialize(model, variant.std)
    for name, buffer in model.named_buffers():
        if re.search(r"(in|out)put_m(in|ax)$", name):  # limits of products
            buffer.fill_(random_limit(name))
        elif re.search(r"std_(bias|scale)$", name):
            torch.nn.init.uniform_(buffer, 0.5, 1.5)
    return model.float().eval()


def random_limit(name: str) -> float:
    """So near that it clips a part of the numbers."""
    limit = float(torch.empty(()).uniform_(0.8, 1.5))
    return -limit if name.endswith("min") else limit


def join_images(model_type: str, images: list[Inputs], ids: list[int]) -> dict[str, torch.Tensor]:
    """The inputs of a prompt with all images."""
    fields = {name: torch.cat([image.fields[name] for image in images]) for name in images[0].fields}
    tokens = torch.tensor([ids])
    if model_type in ("idefics3", "smolvlm"):  # a batch of lists of tiles
        return {"input_ids": tokens, "pixel_values": fields["pixel_values"][None]}
    if model_type == "lfm2_vl":
        return fields | {"input_ids": tokens}
    types = "token_type_ids" if model_type == "gemma3" else "mm_token_type_ids"
    return fields | {"input_ids": tokens, types: (tokens == IMAGE).int()}


def logits(model: PreTrainedModel, images: list[Inputs], ids: list[int]) -> np.ndarray:
    """Float32 [T, vocab]."""
    with torch.inference_mode():
        return (
            model(**join_images(model.config.model_type, images, ids), use_cache=False)
            .logits[0]
            .float()
            .numpy()
        )


def make(name: str, variant: Variant, out: Path) -> None:
    """Try seeds until one gives a clear and varied greedy path."""
    for seed in range(MAX_SEEDS):
        model, random = random_model(variant, seed), np.random.default_rng(seed)
        squares = [[side // variant.grain for side in size] for size in variant.sizes]
        pixels = [random.integers(256, size=(*size, 3), dtype=np.uint8) for size in squares]
        pixels = [image.repeat(variant.grain, axis=0).repeat(variant.grain, axis=1) for image in pixels]
        images = [variant.read(variant, image) for image in pixels]
        prompt: list[int] = []
        for image in images:
            prompt += [*random.integers(IMAGE, size=4).tolist(), *image.ids]
        prompt += random.integers(IMAGE, size=5).tolist()
        tokens, margin = list(prompt), np.inf
        for _ in range(NEW_TOKENS):
            last = logits(model, images, tokens)[-1]
            second, first = np.sort(last)[-2:]
            margin = min(margin, float(first - second))
            tokens.append(int(last.argmax()))
            if tokens[-1] == IMAGE or margin < MIN_MARGIN:
                margin = 0.0
                break
        greedy = tokens[len(prompt) :]
        if margin < MIN_MARGIN or len(set(greedy)) < MIN_DISTINCT:
            continue
        with torch.inference_mode():
            rows = [variant.rows(model, image) for image in images]
        results = {f"image_{i}": image for i, image in enumerate(pixels)}
        results |= {f"rows_{i}": image for i, image in enumerate(rows)}
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / name
            model.save_pretrained(folder)
            (folder / "preprocessor_config.json").write_text(json.dumps(variant.processor, indent=2) + "\n")
            np.savez_compressed(
                folder / "expected.npz",
                prompt=np.int64(prompt),
                logits=logits(model, images, prompt),
                greedy=np.int64(greedy),
                **results,
            )
            shutil.rmtree(out / name, ignore_errors=True)
            shutil.move(folder, out / name)
        size = sum(path.stat().st_size for path in (out / name).iterdir())
        print(f"{name:20} seed {seed:3}  {size:7,} bytes  top-2 margin {margin:.4f}")
        return
    raise SystemExit(f"{name}: none of {MAX_SEEDS} seeds gives a clear and varied greedy path")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[2] / "data" / "vision")
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums in one order, however many cores there are
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    for name in arguments.only:
        make(name, VARIANTS[name], arguments.out)


if __name__ == "__main__":
    main()
