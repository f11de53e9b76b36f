"""What a family does not handle is refused by name: fields of config.json, and tensors."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import CHECKPOINTS
from published_configs import PUBLISHED, published
from published_siblings import TRANSFORMERS_FIELDS

from model_core import LLM
from model_core.checks.file_values import Fields
from model_core.errors import ModelError
from model_core.families import FAMILIES, read_model_config
from model_core.families.config import read_config, write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors

FOLDERS = sorted(CHECKPOINTS.iterdir())
# Checkpoint, fields that change what is computed, in this family or another, and what the error names.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("llama-tied-gqa", {"clip_qkv": 8.0}, "clip_qkv"),
    ("llama-tied-gqa", {"use_qk_norm": True}, "use_qk_norm"),
    ("llama-tied-gqa", {"sliding_window": 512}, "sliding_window"),
    ("llama-tied-gqa", {"hidden_act": "quick_gelu"}, "hidden_act"),
    ("llama-tied-gqa", {"hidden_act": "relu2"}, "hidden_act"),
    ("llama-tied-gqa", {"num_local_experts": 8}, "num_local_experts"),
    ("llama-tied-gqa", {"logit_scale": 0.5}, "logit_scale"),
    ("llama-tied-gqa", {"quantization_config": {"quant_method": "eetq"}}, "'eetq' are not supported"),
    ("llama-tied-gqa", {"quantization": "int4"}, "quantization"),
    ("llama-tied-gqa", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "offset": 3}}, "offset"),
    ("llama-tied-gqa", {"rope_parameters": {"rope_type": "ntk"}}, "ntk"),
    ("mistral-full", {"attention_bias": True}, "attention_bias"),
    ("mistral-full", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
    ("olmo2", {"clip_qkv": 8.0}, "clip_qkv"),
    ("zamba2", {"use_long_context": True}, "use_long_context"),
    ("zamba2", {"layers_block_type": ["hybrid"]}, "layers_block_type should name .* each of 5 layers"),
    ("step3p5", {"swiglu_limits": [0, 0, 5, 7]}, "swiglu_limits has 5; only 0, 7 and 16"),
    ("step3p5", {"swiglu_limits_shared": [0, 0]}, "swiglu_limits_shared should be a list of 4 numbers"),
    ("step3p5", {"gating": "per-channel"}, "gating"),
    ("step3p5", {"query_pre_attn_scalar": 30}, "query_pre_attn_scalar"),
    ("step3p5", {"num_sliding_attention_heads": 5}, "4 or 5 heads do not divide among 2 KV heads"),
    ("minimax-m3", {"swiglu_limit": 10.0}, "swiglu_limit"),
    ("minimax-m3", {"sparse_attention_config": {"sparse_init_block": 1}}, "sparse_init_block"),
    ("minimax-m3", {"sparse_attention_config": {"sparse_stride": 1}}, "sparse_stride"),
    ("muse-glimmer", {"layer_rope_theta": [0, 50.0, 100.0, 100.0, 0]}, "layer_rope_theta should be 0 or 100"),
    ("hy-v4", {"swiglu_limit": 7.0}, "swiglu_limit"),
    ("hy-v4", {"hc_mult": 17}, "hc_mult"),
    ("glm5-next", {"index_kpool_always_select_tail": False}, "index_kpool_always_select_tail"),
    ("glm5-next", {"linear_attn_config": {"safe_gates": True}}, "safe_gates"),
    ("smollm3", {"no_rope_layers": [1, 1, 1]}, "no_rope_layers"),
    ("lfm2", {"layer_types": ["conv", "full_attention", "mamba"]}, "layer_types should name .* or conv"),
    ("qwen3-next", {"layer_types": ["full_attention"]}, "layer_types should name .* each of 3 layers"),
    ("granitemoehybrid", {"layer_types": 3}, "layer_types should name mamba"),
    ("nemotron-h", {"layers_block_type": ["conv"] * 4}, "layers_block_type should name mamba"),
    ("nemotron-h", {"mlp_hidden_act": "silu"}, "mlp_hidden_act"),
    ("nemotron-h", {"attention_bias": True}, "attention_bias"),
    ("nemotron-h", {"time_step_limit": [0.001, 0.1]}, "time_step_limit is .* only 0 to infinity"),
    ("nemotron-h-experts", {"n_shared_experts": 2}, "n_shared_experts"),
    ("nemotron-h-experts", {"n_group": 3}, "chosen from 2 of 3 groups"),
    ("mamba2", {"num_heads": 7}, "64 columns do not divide into 7 Mamba heads"),
    ("mamba2", {"intermediate_size": 48}, "intermediate_size"),
    ("mamba", {"hidden_act": "gelu"}, "hidden_act"),
    ("mamba", {"ssm_cfg": {"layer": "Mamba2"}}, "ssm_cfg"),
    ("jamba", {"attn_layer_offset": 3}, "attn_layer_offset should be a whole number below"),
    ("jamba", {"sliding_window": 8}, "sliding_window"),
    ("bamba", {"attn_layer_indices": [3]}, "attn_layer_indices should be a list of layers from 0 to 2"),
    ("gemma2", {"use_bidirectional_attention": True}, "use_bidirectional_attention"),
    ("llama-tied-gqa", {"use_bidirectional_attention": True}, "use_bidirectional_attention"),
    ("llama-tied-gqa", {"is_causal": None}, "is_causal should be true or false, not None"),
    ("llama-tied-gqa", {"architectures": ["LlamaBiModel"]}, 'LlamaBiModel.* add "is_causal": false'),
    ("lfm2", {"is_causal": False}, "is_causal is false, which is not supported .* recurrent layers"),
    ("qwen3_5", {"is_causal": False}, "is_causal is false, which is not supported .* recurrent layers"),
    ("gemma3n", {"altup_active_idx": 3}, "altup_active_idx"),
    ("gemma3n", {"altup_active_idx": 0.5}, "altup_active_idx"),
    ("gemma3n", {"activation_sparsity_pattern": [0.6, 0.0, 0.3]}, "activation_sparsity_pattern"),
    ("gemma3n", {"activation_sparsity_pattern": [0.6, 0.0, 0.3, 1.0]}, "activation_sparsity_pattern"),
    ("gemma3n", {"intermediate_size": [48, 40, 48]}, "intermediate_size"),
    ("gemma3n", {"num_kv_shared_layers": 3}, "num_kv_shared_layers"),
    ("gemma3n", {"num_kv_shared_layers": 4}, "num_kv_shared_layers"),
    ("gemma3n", {"hidden_activation": "silu_glu"}, "hidden_activation"),
    ("gemma4", {"use_bidirectional_attention": "audio"}, "use_bidirectional_attention"),
    ("gemma4", {"per_layer_config": {"1": {"sliding_window": 3}}}, "per_layer_config"),
    ("gemma4", {"vocab_size_per_layer_input": 32}, "vocab_size_per_layer_input"),
    ("gemma4", {"num_kv_shared_layers": 5}, "num_kv_shared_layers"),
    ("phi3", {"full_attn_mod": 2}, "full_attn_mod"),
    ("phi3", {"lm_head_bias": True}, "lm_head_bias"),
    ("qwen2-biases", {"dual_chunk_attention_config": {"chunk_size": 1024}}, "dual_chunk_attention_config"),
    ("granite", {"position_embedding_type": "nope"}, "position_embedding_type"),
    ("hunyuan", {"use_cla": True}, "use_cla"),
    ("cohere", {"use_qk_norm": True}, "use_qk_norm"),
    ("cohere2", {"use_qk_norm": True}, "use_qk_norm"),
    ("cohere2", {"use_parallel_block": False}, "use_parallel_block"),
    ("starcoder2", {"hidden_act": "quick_gelu"}, "quick_gelu"),
    ("gpt2", {"scale_attn_weights": False}, "scale_attn_weights"),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention"),
    ("gpt-neox", {"hidden_act": "quick_gelu"}, "quick_gelu"),
    ("internlm2", {"rope_scaling": {"type": "ntk"}}, "ntk"),
    ("baichuan", {"num_key_value_heads": 2}, "num_key_value_heads"),
    ("minicpm", {"mup_denominator": 40}, "mup_denominator"),
    ("minicpm", {"sparse_config": {"topk": 64}}, "sparse_config"),
    ("chatglm", {"add_bias_linear": True}, "add_bias_linear"),
    ("chatglm", {"multi_query_attention": False}, "multi_query_attention"),
    ("exaone", {"activation_function": "gelu"}, "activation_function"),
    ("falcon", {"new_decoder_architecture": True, "parallel_attn": False}, "do not fit"),
    ("falcon", {"num_ln_in_parallel_attn": 2}, "do not fit new_decoder_architecture"),
    ("falcon-two-norms", {"num_kv_heads": 4}, "do not divide among 4"),
    ("gptj", {"rotary_dim": None}, "rotary_dim"),
    ("gptj", {"tie_word_embeddings": True}, "tie_word_embeddings"),
    ("codegen", {"n_head": 6}, "4 groups"),
    ("gpt-bigcode", {"scale_attn_weights": False}, "scale_attn_weights"),
    ("opt", {"activation_function": "quick_gelu"}, "quick_gelu"),
    ("bloom", {"apply_residual_connection_post_layernorm": True}, "post_layernorm"),
    ("bloom", {"is_causal": False}, "is_causal is false, which is not supported for a model with ALiBi"),
    ("mpt", {"attn_config": {"clip_qkv": 6.0}}, "clip_qkv"),
    ("mpt", {"attn_config": {"alibi": False}}, "alibi"),
    ("mpt", {"attn_config": {"rope": False}}, "rope"),
    ("mpt", {"attn_config": 3}, "attn_config should be an object"),
    ("mpt", {"norm_type": "rmsnorm"}, "norm_type"),
    ("hunyuan", {"use_qk_norm": False}, "use_qk_norm"),
    ("nemotron", {"hidden_act": "silu"}, "hidden_act"),
    ("nemotron", {"layer_norm_eps": 1e-5}, "layer_norm_eps"),
    ("nanochat", {"hidden_act": "gelu"}, "hidden_act"),
    ("nanochat", {"mlp_bias": True}, "mlp_bias"),
    ("deepseek-v2", {"norm_topk_prob": True}, "norm_topk_prob"),
    ("deepseek-v2", {"topk_method": "noaux_tc"}, "topk_method"),
    ("deepseek-v2", {"scoring_func": "sigmoid"}, "scoring_func"),
    ("deepseek-v2", {"moe_layer_freq": 2}, "moe_layer_freq"),
    ("deepseek-v3", {"scoring_func": "softmax"}, "scoring_func"),
    ("deepseek-v3", {"mlp_bias": True}, "mlp_bias"),
    ("deepseek-v3", {"num_key_value_heads": 2}, "num_key_value_heads"),
    ("deepseek-v3", {"qk_rope_head_dim": 7}, "qk_rope_head_dim"),
    ("deepseek-v3", {"partial_rotary_factor": 0.5}, "partial_rotary_factor"),
    ("glm4-moe-lite", {"mlp_layer_types": ["dense", "sparse"]}, "mlp_layer_types"),
    ("glm4-moe-lite", {"mlp_layer_types": 3}, "mlp_layer_types"),
    # Values that are not there, but count.
    ("llama-tied-gqa", {"use_qk_norm": False}, "use_qk_norm"),
    ("llama-tied-gqa", {"norm_topk_prob": False}, "norm_topk_prob"),
    ("llama-tied-gqa", {"use_bidirectional_attention": False}, "use_bidirectional_attention"),
    ("llama-tied-gqa", {"rope": 0}, "rope"),
    ("llama-tied-gqa", {"pruned_heads": {"0": [1]}}, "pruned_heads .* only {} is supported"),
    ("llama-tied-gqa", {"no_repeat_ngram_size": 3}, "no_repeat_ngram_size"),
    ("llama-tied-gqa", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "offset": 0}}, "offset"),
    ("llama-tied-gqa", {"rope_parameters": {"rope_type": "default", "scaled": False}}, "scaled"),
    ("llama-tied-gqa", {"text_config": 0}, "text_config"),
    ("gemma3", {"rope_parameters": {"full_attention": {"scaled": None}}}, "scaled"),
    ("gemma3", {"rope_parameters": {"full_attention": {}, "chunked_attention": {}}}, "chunked_attention"),
    ("gemma4", {"rope_parameters": {"full_attention": {}, "chunked_attention": {}}}, "chunked_attention"),
    ("llama-tied-gqa", {"rope_parameters": False}, "rope_parameters should be an object, not False"),
    ("llama-tied-gqa", {"rope_parameters": None, "rope_scaling": 0}, "rope_scaling should be an object"),
    ("qwen2-biases", {"attention_bias": False}, "attention_bias"),
    ("qwen3", {"use_qk_norm": False}, "use_qk_norm"),
    ("mixtral", {"norm_topk_prob": False}, "norm_topk_prob"),
    ("gpt2", {"rope_theta": 0}, "rope_theta"),
    ("starcoder2", {"attention_bias": False}, "attention_bias"),
    ("ernie4-5", {"attention_bias": False}, "attention_bias"),
    ("baichuan", {"rope_theta": 10000.0}, "rope_theta"),
    ("ernie4-5-moe", {"use_bias": True}, "use_bias"),
    ("ernie4-5-moe", {"moe_gate": "top2"}, "moe_gate"),
    ("apertus", {"post_norm": True}, "post_norm"),
    ("phi", {"qk_layernorm": True}, "qk_layernorm"),
    ("phimoe", {"num_experts_per_tok": 3}, "num_experts_per_tok"),
    ("llama4", {"num_experts_per_tok": 2}, "num_experts_per_tok"),
    ("llama4", {"attention_chunk_size": None}, "attention_chunk_size is null"),
    ("llama4", {"is_causal": False}, "attends in chunks"),
    ("hunyuan-moe", {"moe_topk": [3, 2]}, "moe_topk"),
    ("kimi-linear", {"linear_attn_config": {"gate_lower_bound": -5.0}}, "gate_lower_bound"),
    ("kimi-linear", {"linear_attn_config": {"full_attn_layers": [1], "kda_layers": [2]}}, "once"),
    ("cohere2-moe", {"expert_selection_fn": "top2"}, "expert_selection_fn 'top2' is not supported"),
    ("cohere2-moe", {"shared_expert_combination_strategy": "max"}, "combination_strategy 'max'"),
    ("solar-open", {"first_k_dense_replace": 1}, "first_k_dense_replace"),
    ("mimo-v2", {"hybrid_layer_pattern": [0, 1, 2]}, "hybrid_layer_pattern should have 0 or 1"),
    ("mimo-v2", {"hybrid_layer_pattern": [0, 1, 0]}, "hybrid_layer_pattern and layer_types differ"),
    ("mimo-v2", {"swa_head_dim": 12}, "swa_head_dim"),
    ("mimo-v2", {"n_shared_experts": 1}, "n_shared_experts"),
    ("olmo-hybrid", {"rope_parameters": None}, "rope_parameters should have rope_theta"),
    ("olmo-hybrid", {"linear_num_value_heads": 6}, "linear_num_value_heads is 6, but only 3"),
    ("flex-olmo", {"clip_qkv": 8.0}, "clip_qkv"),
    ("hy-v3", {"route_norm": False}, "route_norm"),
    ("hy-v3", {"expert_hidden_dim": 24}, "expert_hidden_dim is 24, but only 20"),
    ("mellum", {"use_sliding_window": False}, "use_sliding_window"),
    ("kimi-linear", {"mla_use_output_gate": True}, "mla_use_output_gate"),
    ("hunyuan-moe", {"num_shared_expert": [2, 2]}, "num_shared_expert"),
    ("lfm3", {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, "rope_"),
    ("lfm3", {"layer_types": ["conv", "linear_attention", "conv", "conv"]}, "should name .* or conv"),
    ("mistral4", {"n_group": 2}, "n_group is 2"),
    ("mistral4", {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 1.0}}, "make 8 of 20"),
    ("mistral4", {"qk_nope_head_dim": 13, "qk_head_dim": None}, "qk_nope_head_dim is 13, but queries"),
    ("afmoe", {"score_func": "softmax"}, "score_func"),
    ("afmoe", {"route_norm": False}, "route_norm"),
    ("afmoe", {"num_expert_groups": 2}, "num_expert_groups"),
    ("exaone-moe", {"is_moe_layer": [True] * 4}, "is_moe_layer"),
    ("exaone-moe", {"scoring_func": "softmax"}, "scoring_func"),
]


def test_every_family_has_a_checkpoint() -> None:
    assert {read_config(folder)["model_type"] for folder in FOLDERS} == set(FAMILIES)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_field_of_transformers_is_read_or_known(folder: Path) -> None:
    """The files have all fields of the configuration classes of Transformers."""
    raw = read_config(folder)
    fields = Fields(raw)
    FAMILIES[raw["model_type"]].read_config(fields)
    assert not fields.unread()


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files_are_accepted(tmp_path: Path, name: str) -> None:
    read_model_config(tmp_path, published(name))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_field_that_no_family_knows_is_refused_whatever_its_value(folder: Path) -> None:
    for value in (None, False, 0, 0.0, "", [], {}, True, 1):
        with pytest.raises(ModelError, match=f"'use_new_norm' is {re.escape(repr(value))}, .* remove it"):
            read_model_config(folder, read_config(folder) | {"use_new_norm": value})


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_file_may_also_have_all_fields_of_transformers(tmp_path: Path, name: str) -> None:
    read_model_config(tmp_path, TRANSFORMERS_FIELDS | published(name))


@pytest.mark.parametrize(
    ("name", "theta"),
    [("smollm3", 2e6), ("mixtral", 1e6), ("lfm2", 1e6), ("olmo3", 5e5), ("llama-mqa-odd", 1e4)],
)
def test_bases_of_rope_that_files_leave_out(tmp_path: Path, name: str, theta: float) -> None:
    raw = read_config(CHECKPOINTS / name)
    del raw["rope_parameters"]
    config = read_model_config(tmp_path, raw)
    assert {rope.theta for rope in config.ropes if rope is not None} == {theta}


def test_epsilon_must_be_there(tmp_path: Path) -> None:
    raw = read_config(CHECKPOINTS / "qwen3")
    del raw["rms_norm_eps"]
    with pytest.raises(ModelError, match="rms_norm_eps"):
        read_model_config(tmp_path, raw)


def test_gemma3_has_defaults(tmp_path: Path) -> None:
    """All that gemma-3-4b-it has in its text_config."""
    sizes = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34}
    scaling = {"factor": 8.0, "rope_type": "linear"}
    text = sizes | {"model_type": "gemma3_text", "rope_scaling": scaling, "sliding_window": 1024}
    config = read_model_config(tmp_path, text)
    assert (config.vocab_size, config.heads, config.kv_heads, config.head_dim) == (262208, 8, 4, 256)
    assert [rope.factor for rope in config.ropes[4:6]] == [1.0, 8.0]


def test_lfm3_has_defaults(tmp_path: Path) -> None:
    """Layer 0 convolves; of each four, one attends to a window, and one to everything with half of a head."""
    config = read_model_config(tmp_path, published("LFM3-1.7B"))
    assert [rope and (rope.kind, rope.theta, rope.partial) for rope in config.ropes[:7]] == [
        *(None, None, ("proportional", 1e6, 0.5), None),
        *(("default", 1e4, 1.0), None, ("proportional", 1e6, 0.5)),
    ]
    assert config.windows[:7] == (None, None, None, None, 256, None, None)


@pytest.mark.parametrize(("name", "fields", "expected"), REFUSED, ids=str)
def test_field_that_changes_the_computation_is_refused(
    tmp_path: Path, name: str, fields: dict[str, Any], expected: str
) -> None:
    source = CHECKPOINTS / name
    write_json(tmp_path / "config.json", read_config(source) | fields)
    (tmp_path / "model.safetensors").symlink_to(source / "model.safetensors")
    with pytest.raises(ModelError, match=expected):
        LLM(tmp_path)


def test_fields_around_a_text_config_do_not_reach_the_text_model(tmp_path: Path) -> None:
    text = read_config(CHECKPOINTS / "gemma3")
    outer = {"model_type": "gemma3", "mm_tokens_per_image": 256, "tie_word_embeddings": True}
    write_json(tmp_path / "config.json", outer | {"text_config": text})
    assert read_config(tmp_path) == {**text, "tie_word_embeddings": True}


def write_with(tmp_path: Path, name: str, **fields: Any) -> Path:
    """A copy of a checkpoint with one more tensor, and other fields."""
    source = CHECKPOINTS / "llama-tied-gqa"
    checkpoint = Checkpoint(source)
    tensors = {entry: np.array(checkpoint[entry]) for entry in checkpoint.unread()}
    write_safetensors(tmp_path / "model.safetensors", tensors | {name: np.ones(8, np.float32)})
    write_json(tmp_path / "config.json", read_config(source) | fields)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "model.layers.0.self_attn.q_norm.weight",
        "model.layers.1.self_attn.q_proj.bias",
        "model.layers.2.self_attn.q_proj.weight",
        "model.layers.0.mlp.experts.3.gate_proj.weight",
        "lm_head.bias",
        "score.weight",
    ],
)
def test_tensor_that_nobody_reads_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=name):
        LLM(write_with(tmp_path, name))


@pytest.mark.parametrize(
    "name",
    [
        "model.layers.0.self_attn.rotary_emb.inv_freq",
        "model.layers.0.attention.masked_bias",
        "model.vision_tower.blocks.0.attn.weight",
        "multi_modal_projector.linear_1.weight",
        "model.audio_tower.layers.0.weight",
        "mtp.layers.0.weight",
    ],
)
def test_known_leftovers_are_left_out(tmp_path: Path, name: str) -> None:
    LLM(write_with(tmp_path, name)).close()


def test_layers_that_predict_several_tokens_are_left_out(tmp_path: Path) -> None:
    name = "model.layers.2.eh_proj.weight"
    LLM(write_with(tmp_path, name, num_nextn_predict_layers=1)).close()


def test_keys_of_layers_that_share_them_are_left_out(tmp_path: Path) -> None:
    """Some files of Gemma 4 have matrices for keys that are never computed."""
    source = Checkpoint(CHECKPOINTS / "gemma4")
    tensors = {name: np.array(source[name]) for name in source.unread()}
    for name in ("k_proj", "v_proj", "k_norm"):
        tensors[f"model.layers.5.self_attn.{name}.weight"] = np.ones((2, 2), np.float32)
    write_safetensors(tmp_path / "model.safetensors", tensors)
    write_json(tmp_path / "config.json", read_config(CHECKPOINTS / "gemma4"))
    expected = np.load(CHECKPOINTS / "gemma4" / "expected.npz")
    with LLM(tmp_path, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < 1e-5 * np.linalg.norm(expected["logits"])


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("starcoder3", "'starcoder3', which is not supported, but starcoder2 is; `tritonchat recommend`"),
        ("whisper", "'whisper', which is not supported; `tritonchat recommend`"),
        ("deepseek_v4", "not supported, because its layers attend to keys that are compressed"),
        (None, "None, which is not supported; `tritonchat recommend`"),
    ],
)
def test_an_unknown_family_is_refused_with_those_that_are_spelled_alike(
    tmp_path: Path, family: str | None, expected: str
) -> None:
    with pytest.raises(ModelError, match=expected):
        read_model_config(tmp_path, {"model_type": family})
