"""CTranslate2: int8 weights by row, and int8 arithmetic."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ctranslate2
import numpy as np
from ctranslate2.specs import common_spec, transformer_spec
from ctranslate2.specs.model_spec import LayerSpec
from making.checkpoints import read_config, read_tensors, to_float32

from . import SAMPLING, Generate, Prompts

QKV = [f"self_attn.{part}_proj" for part in "qkv"]
LAYER_PARTS = [
    *QKV,
    "input_layernorm",
    "post_attention_layernorm",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
]


def convert(checkpoint: Path, variant: str, folder: Path) -> None:
    """Fill the specification as the loaders of CTranslate2 do. Those would need PyTorch."""
    config = read_config(checkpoint)
    tensors = {name: np.array(to_float32(values)) for name, values in read_tensors(checkpoint)}
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        config["num_hidden_layers"],
        heads,
        activation=common_spec.Activation.SWISH,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=config["rope_theta"],
        num_heads_kv=kv_heads if kv_heads != heads else None,
        head_dim=config.get("head_dim", config["hidden_size"] // heads),
        sliding_window=config.get("sliding_window") or 0,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = tensors["model.embed_tokens.weight"]
    decoder.layer_norm.gamma = tensors["model.norm.weight"]
    decoder.projection.weight = tensors["lm_head.weight"]
    for i, layer in enumerate(decoder.layer):
        fill_layer(layer, {name: tensors[f"model.layers.{i}.{name}.weight"] for name in LAYER_PARTS})
    spec.register_vocabulary([f"t{i}" for i in range(config["vocab_size"])])
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "t1", "t2", "t0"
    spec.config.layer_norm_epsilon = config["rms_norm_eps"]
    spec.validate()
    spec.optimize(quantization=variant)
    spec.save(str(folder))


def fill_layer(layer: LayerSpec, tensors: dict[str, np.ndarray]) -> None:
    """Set the weights of a layer."""
    layer.self_attention.layer_norm.gamma = tensors["input_layernorm"]
    layer.ffn.layer_norm.gamma = tensors["post_attention_layernorm"]
    layer.self_attention.linear[0].weight = np.concatenate([tensors[name] for name in QKV])
    layer.self_attention.linear[1].weight = tensors["self_attn.o_proj"]
    layer.ffn.linear_0.weight = tensors["mlp.gate_proj"]
    layer.ffn.linear_0_noact.weight = tensors["mlp.up_proj"]
    layer.ffn.linear_1.weight = tensors["mlp.down_proj"]


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load a generator; each batch has all prompts."""
    generator = ctranslate2.Generator(
        str(folder), device="cpu", compute_type=variant, inter_threads=1, intra_threads=threads
    )

    def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
        how = {"sampling_topk": 1}
        if samples:
            temperature, top_p = SAMPLING["temperature"], SAMPLING["top_p"]
            how = {"sampling_topk": 0, "sampling_topp": top_p, "sampling_temperature": temperature}
        results = generator.generate_batch(
            [[f"t{token}" for token in prompt] for prompt in prompts],
            min_length=new_tokens,
            max_length=new_tokens,
            include_prompt_in_result=False,
            **how,
        )
        return [result.sequences_ids[0] for result in results]

    yield generate
