"""The sizes of published models, which docs/models.md has a table of: the newest ones of each maker.

Names, and which model_type is whose, are those of the configuration classes of Transformers 5.24.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PublishedModel:
    """A model on the hub.

    Attributes:
        maker: who has published it.
        name: on the hub.
        fields_of: the key of published_configs.PUBLISHED whose other fields it has; None: what it computes is
            of no family here, and nothing is known but its model_type.
        sizes: fields of config.json that replace those.
        billions: of parameters of its text model, as its maker says; a check of the sizes.
        stored: how its matrices are stored: "bfloat16", "fp8", or of experts alone "mxfp4" or "int4".
        sees: whether the model also sees or hears, so that its text model is all that loads.
    """

    maker: str
    name: str
    fields_of: str | None = None
    sizes: dict[str, Any] = field(default_factory=dict)
    billions: float = 0.0
    stored: str = "bfloat16"
    sees: bool = False


def sizes_of(
    hidden: int, inner: int, layers: int, heads: int, kv_heads: int, vocabulary: int, **more: Any
) -> dict[str, Any]:
    """The fields of config.json that say how large a model is."""
    return {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "vocab_size": vocabulary,
        **more,
    }


def _unknown(maker: str, name: str, model_type: str) -> PublishedModel:
    return PublishedModel(maker, name, None, {"model_type": model_type})


def _layers(count: int, full: int, other: str = "sliding_attention") -> list[str]:
    """The types of layers, every `full`-th of which has full attention."""
    return ["full_attention" if (i + 1) % full == 0 else other for i in range(count)]


_MOST_LAYERS = {"max_position_embeddings": 131072}
_GEMMA4 = {"layer_types": _layers(35, 5), "num_kv_shared_layers": 20, "vocab_size_per_layer_input": 262144}
_GEMMA4_31B = {
    "layer_types": _layers(60, 6),
    "num_kv_shared_layers": 0,
    "hidden_size_per_layer_input": 0,
    "attention_k_eq_v": True,
    "num_global_key_value_heads": 4,
    "use_double_wide_mlp": False,
}
NEWEST = [
    _unknown("Alibaba", "Qwen/Qwen4-Exp", "qwen4_exp_text"),
    PublishedModel(
        "Alibaba",
        "Qwen/Qwen3.6-27B",
        "Qwen3.6-27B",
        sizes_of(
            5120,
            17408,
            64,
            24,
            4,
            248320,
            linear_num_value_heads=48,
            tie_word_embeddings=False,
            layer_types=None,
        ),
        26.9,
        sees=True,
    ),
    PublishedModel(
        "Alibaba",
        "Qwen/Qwen3.6-35B-A3B",
        "Qwen3.6-35B-A3B",
        {
            **sizes_of(2048, 512, 40, 16, 2, 248320, tie_word_embeddings=False, layer_types=None),
            **{"num_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 512},
            **{"shared_expert_intermediate_size": 512, "linear_num_value_heads": 32},
        },
        34.7,
        sees=True,
    ),
    PublishedModel(
        "Google",
        "google/gemma-4-31B-it",
        "gemma-4-E2B-it",
        sizes_of(5376, 21504, 60, 32, 16, 262144, **_GEMMA4_31B),
        30.7,
        sees=True,
    ),
    PublishedModel(
        "Google",
        "google/gemma-4-E2B-it",
        "gemma-4-E2B-it",
        sizes_of(1536, 6144, 35, 8, 1, 262144, **_GEMMA4),
        4.65,
        sees=True,
    ),
    PublishedModel(
        "OpenAI",
        "openai/gpt-oss-20b",
        "gpt-oss-20b",
        sizes_of(2880, 2880, 24, 64, 8, 201088, tie_word_embeddings=False, layer_types=_layers(24, 2)),
        20.9,
        stored="mxfp4",
    ),
    PublishedModel(
        "Mistral AI",
        "mistralai/Mistral-Small-4-119B-2603",
        "Mistral-Small-4-119B-2603",
        billions=119.0,
        stored="fp8",
        sees=True,
    ),
    PublishedModel(
        "Mistral AI",
        "mistralai/Ministral-3-3B-Instruct-2512",
        "Ministral-3-3B",
        sizes_of(3072, 9216, 26, 32, 8, 131072, head_dim=128, max_position_embeddings=262144),
        3.4,
        stored="fp8",
        sees=True,
    ),
    PublishedModel("Meta", "meta-models/Muse-Glimmer-30B", "Muse-Glimmer-30B", billions=27.9, sees=True),
    PublishedModel(
        "Meta",
        "meta-llama/Llama-3.2-1B-Instruct",
        "Llama-3.2-1B-Instruct",
        sizes_of(2048, 8192, 16, 32, 8, 128256, **_MOST_LAYERS),
        1.24,
    ),
    PublishedModel(
        "Microsoft",
        "microsoft/Phi-4-mini-instruct",
        "Phi-4-mini-instruct",
        sizes_of(
            *(3072, 8192, 32, 24, 8, 200064),
            rope_scaling={"long_factor": [2.0] * 48, "short_factor": [1.0] * 48, "type": "longrope"},
        ),
        3.84,
    ),
    _unknown("DeepSeek", "deepseek-ai/DeepSeek-V4-Flash-Base", "deepseek_v4"),
    PublishedModel(
        "DeepSeek",
        "deepseek-ai/DeepSeek-V3.1",
        "DeepSeek-V3",
        sizes_of(7168, 18432, 61, 128, 128, 129280, tie_word_embeddings=False, num_nextn_predict_layers=0),
        671.0,
        stored="fp8",
    ),
    PublishedModel("Z.ai", "zai-org/GLM-5.3-Flash", "GLM-5.3-Flash", billions=320.0, sees=True),
    PublishedModel(
        "Z.ai",
        "zai-org/GLM-4.7-Flash",
        "GLM-4.7-Flash",
        sizes_of(2048, 10240, 47, 20, 20, 154880, tie_word_embeddings=False, num_nextn_predict_layers=0),
        29.9,
    ),
    PublishedModel("MiniMax", "MiniMaxAI/MiniMax-M3", "MiniMax-M3", billions=427.0, sees=True),
    PublishedModel(
        "MiniMax", "MiniMaxAI/MiniMax-M2.5", "MiniMax-M2", {"tie_word_embeddings": False}, 228.7, stored="fp8"
    ),
    PublishedModel(
        "Moonshot AI",
        "moonshotai/Kimi-K2.6",
        "Kimi-K2.5",
        sizes_of(
            *(7168, 18432, 61, 64, 64, 163840),
            **{"n_routed_experts": 384, "first_k_dense_replace": 1, "moe_intermediate_size": 2048},
            tie_word_embeddings=False,
            num_nextn_predict_layers=0,
        ),
        1026.0,
        stored="int4",
        sees=True,
    ),
    PublishedModel("LG AI Research", "LGAI-EXAONE/K-EXAONE-236B-A23B", "K-EXAONE-236B-A23B", billions=236.0),
    PublishedModel(
        "LG AI Research",
        "LGAI-EXAONE/EXAONE-4.0-1.2B",
        "EXAONE-4.0-1.2B",
        sizes_of(2048, 4096, 30, 32, 8, 102400, layer_types=["full_attention"] * 30),
        1.28,
    ),
    PublishedModel("Tencent", "tencent/Hy4-preview", "Hy4-preview", billions=770.0),
    PublishedModel("Tencent", "tencent/Hy3-preview", "Hy3", sizes_of(4096, 13312, 80, 64, 8, 120832), 295.0),
    PublishedModel(
        "Tencent",
        "tencent/Hunyuan-7B-Instruct",
        "Hunyuan-7B-Instruct",
        sizes_of(4096, 14336, 32, 32, 8, 128167),
        7.5,
    ),
    _unknown("Baidu", "baidu/ERNIE-4.5-21B-A3B-PT", "ernie4_5_moe"),
    PublishedModel(
        "Baidu", "baidu/ERNIE-4.5-0.3B-PT", "ERNIE-4.5-0.3B-PT", sizes_of(1024, 3072, 18, 16, 2, 103424), 0.36
    ),
    PublishedModel(
        "ByteDance",
        "ByteDance-Seed/Seed-OSS-36B-Instruct",
        "Seed-OSS-36B-Instruct",
        sizes_of(5120, 27648, 64, 80, 8, 155136, tie_word_embeddings=False),
        36.2,
    ),
    _unknown("Cohere", "CohereLabs/command-a-plus-05-2026", "cohere2_moe"),
    PublishedModel(
        "Cohere",
        "CohereLabs/c4ai-command-r7b-12-2024",
        "c4ai-command-r7b-12-2024",
        sizes_of(4096, 14336, 32, 32, 8, 256000, head_dim=128, layer_types=_layers(32, 4)),
        8.03,
    ),
    _unknown("NVIDIA", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron_h"),
    PublishedModel(
        "Ai2",
        "allenai/Olmo-Hybrid-7B",
        "Olmo-Hybrid-7B",
        sizes_of(3840, 11008, 32, 30, 30, 100352, layer_types=_layers(32, 4, "linear_attention")),
        7.4,
    ),
    PublishedModel(
        "Ai2",
        "allenai/Olmo-3-7B-Instruct",
        "Olmo-3-7B-Instruct",
        sizes_of(4096, 11008, 32, 32, 32, 100278, tie_word_embeddings=False, layer_types=_layers(32, 4)),
        7.3,
    ),
    PublishedModel(
        "IBM",
        "ibm-granite/granite-4.0-micro",
        "granite-4.0-micro",
        sizes_of(2560, 8192, 40, 40, 8, 100352, layer_types=["attention"] * 40),
        3.4,
    ),
    PublishedModel("Liquid AI", "LiquidAI/LFM3-1.7B", "LFM3-1.7B", billions=1.7),
    PublishedModel(
        "Liquid AI",
        "LiquidAI/LFM2-8B-A1B",
        "LFM2-8B-A1B",
        sizes_of(
            *(2048, 7168, 24, 32, 8, 65536),
            layer_types=["full_attention" if i in (2, 6, 10, 14, 18, 21) else "conv" for i in range(24)],
        ),
        8.34,
    ),
    PublishedModel(
        "TII",
        "tiiuae/Falcon-H1-0.5B-Instruct",
        "Falcon-H1-0.5B-Instruct",
        sizes_of(1024, 2048, 36, 8, 2, 32784, tie_word_embeddings=False),
        0.52,
    ),
    PublishedModel(
        "Hugging Face",
        "HuggingFaceTB/SmolLM3-3B",
        "SmolLM3-3B",
        sizes_of(
            *(2048, 11008, 36, 16, 4, 128256),
            layer_types=["full_attention"] * 36,
            no_rope_layers=[int((i + 1) % 4 != 0) for i in range(36)],
        ),
        3.08,
    ),
    PublishedModel("Arcee AI", "arcee-ai/Trinity-Mini", "Trinity-Mini", billions=26.0),
    PublishedModel(
        "Arcee AI",
        "arcee-ai/AFM-4.5B",
        "AFM-4.5B",
        sizes_of(2560, 18432, 36, 20, 4, 128005, tie_word_embeddings=False),
        4.62,
    ),
    PublishedModel("StepFun", "stepfun-ai/Step-3.7-Flash", "Step-3.7-Flash", billions=196.0, sees=True),
    PublishedModel("Xiaomi", "XiaomiMiMo/MiMo-V2-Flash", "MiMo-V2-Flash", billions=309.0, stored="fp8"),
    PublishedModel(
        "JetBrains",
        "JetBrains/Mellum2-12B-A2.5B-Base",
        "Mellum2-12B-A2.5B-Base",
        sizes_of(2304, 7168, 28, 32, 4, 98304, layer_types=_layers(28, 4), mlp_layer_types=["sparse"] * 28),
        12.0,
    ),
    PublishedModel(
        "Upstage",
        "upstage/Solar-Open-100B",
        "Solar-Open-100B",
        sizes_of(4096, 10240, 48, 64, 8, 196608),
        102.6,
    ),
]
