"""Configurations of Qwen3-VL-2B-Instruct as its makers publish them, with other sizes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from model_core.checks.file_values import read_json

_SIZES = ("head_dim", "hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers")


def qwen3_vl_config(own: Mapping[str, Any], ids: Mapping[str, int], vocab_size: int) -> dict[str, Any]:
    """config.json. own: that of the checkpoint. ids: of control tokens."""
    text, tower = own["text_config"], own["vision_config"]
    return {
        "architectures": ["Qwen3VLForConditionalGeneration"],
        "image_token_id": ids["<|image_pad|>"],
        "model_type": "qwen3_vl",
        "text_config": {
            "attention_bias": False,
            "attention_dropout": 0.0,
            "bos_token_id": ids["<|endoftext|>"],
            "dtype": "bfloat16",
            "eos_token_id": ids["<|im_end|>"],
            "hidden_act": "silu",
            "initializer_range": 0.02,
            "max_position_embeddings": 262144,
            "model_type": "qwen3_vl_text",
            "num_key_value_heads": text["num_key_value_heads"],
            "rms_norm_eps": 1e-06,
            "rope_scaling": {
                "mrope_interleaved": True,
                "mrope_section": text["rope_parameters"]["mrope_section"],
                "rope_type": "default",
            },
            "rope_theta": 5000000,
            "tie_word_embeddings": True,
            "use_cache": True,
            "vocab_size": vocab_size,
            **{name: text[name] for name in _SIZES},
        },
        "tie_word_embeddings": True,
        "transformers_version": "4.57.0.dev0",
        "video_token_id": ids["<|video_pad|>"],
        # Transformers 5 calls its type qwen3_vl_vision, and adds rope_parameters.
        "vision_config": {k: v for k, v in tower.items() if k != "rope_parameters"}
        | {"model_type": "qwen3_vl"},
        "vision_end_token_id": ids["<|vision_end|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
    }


def qwen3_vl_processor(source: Path) -> dict[str, Any]:
    """preprocessor_config.json."""
    own = read_json(source / "preprocessor_config.json")
    return {
        "size": {"longest_edge": 16777216, "shortest_edge": own["size"]["shortest_edge"]},
        "patch_size": own["patch_size"],
        "temporal_patch_size": 2,
        "merge_size": own["merge_size"],
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "processor_class": "Qwen3VLProcessor",
        "image_processor_type": "Qwen2VLImageProcessorFast",
    }
