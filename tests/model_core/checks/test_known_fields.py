"""Fields of a model's other files that nobody knows are refused by name, whatever their value."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from adapters import save_adapter
from paths import CHECKPOINTS
from test_adapter_files import factors

from model_core.adapters.peft import read_adapter
from model_core.embeddings.settings import read_embedding_settings
from model_core.errors import ModelError
from model_core.families.config import write_json
from model_core.files.model_files import open_model_files
from model_core.files.quantized import open_format
from model_core.files.safetensors import SafetensorsFolder
from model_core.model.generation_defaults import read_generation_defaults

VALUES: tuple[Any, ...] = (None, False, 0, "", [], {}, True)
# adapter_config.json as PEFT, and what others made of it, write it.
ADAPTERS: dict[str, dict[str, Any]] = {
    "PEFT 0.2": {
        "base_model_name_or_path": "huggyllama/llama-7b",
        "bias": "none",
        "enable_lora": None,
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "lora_alpha": 16,
        "lora_dropout": 0.05,
        "merge_weights": False,
        "modules_to_save": None,
        "target_modules": ["q_proj"],
        "task_type": "CAUSAL_LM",
    },
    "PEFT 0.21": {
        "alora_invocation_tokens": None,
        "alpha_pattern": {},
        "arrow_config": None,
        "auto_mapping": None,
        "base_model_name_or_path": "Qwen/Qwen3-0.6B",
        "bias": "none",
        "corda_config": None,
        "ensure_weight_tying": False,
        "eva_config": None,
        "exclude_modules": None,
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "kasa_config": None,
        "layer_replication": None,
        "layers_pattern": None,
        "layers_to_transform": None,
        "loftq_config": {},
        "lora_alpha": 16,
        "lora_bias": False,
        "lora_dropout": 0,
        "lora_ga_config": None,
        "megatron_config": None,
        "megatron_core": "megatron.core",
        "modules_to_save": None,
        "monteclora_config": None,
        "peft_version": "0.21.2",
        "qalora_group_size": 16,
        "rank_pattern": {},
        "revision": None,
        "target_modules": ["q_proj"],
        "target_parameters": None,
        "task_type": "CAUSAL_LM",
        "trainable_token_indices": None,
        "use_bdlora": None,
        "use_dora": False,
        "use_qalora": False,
        "use_rslora": False,
        "velora_config": None,
    },
}
_MODELOPT_SCHEME = {"dynamic": False, "num_bits": 8, "type": "float"}
# quantization_config of published models, and as programs write it.
QUANTIZED: dict[str, dict[str, Any]] = {
    "Qwen2.5-7B-Instruct-GPTQ-Int4": {
        "quant_method": "gptq",
        "batch_size": 1,
        "bits": 4,
        "block_name_to_quantize": None,
        "cache_block_outputs": True,
        "damp_percent": 0.01,
        "dataset": None,
        "desc_act": False,
        "exllama_config": {"version": 1},
        "group_size": 128,
        "max_input_length": None,
        "model_seqlen": None,
        "module_name_preceding_first_block": None,
        "modules_in_block_to_quantize": None,
        "pad_token_id": None,
        "sym": True,
        "tokenizer": None,
        "true_sequential": True,
        "use_cuda_fp16": False,
        "use_exllama": True,
    },
    "AutoGPTQ": {
        "quant_method": "gptq",
        "bits": 4,
        "damp_percent": 0.1,
        "desc_act": True,
        "group_size": 128,
        "is_marlin_format": False,
        "model_file_base_name": "model",
        "model_name_or_path": None,
        "static_groups": False,
        "sym": True,
        "true_sequential": True,
    },
    "GPTQModel": {
        "quant_method": "gptq",
        "bits": 4,
        "checkpoint_format": "gptq",
        "desc_act": False,
        "dynamic": None,
        "group_size": 128,
        "lm_head": False,
        "meta": {"damp_percent": 0.05, "mse": 0.0, "quantizer": ["gptqmodel:2.0.0"], "uri": "https://"},
        "pack_dtype": "int32",
        "sym": True,
    },
    "AutoRound": {
        "quant_method": "gptq",
        "amp": True,
        "autoround_version": "0.5.1",
        "batch_size": 8,
        "bits": 4,
        "block_name_to_quantize": None,
        "damp_percent": 0.01,
        "data_type": "int",
        "dataset": "NeelNanda/pile-10k",
        "desc_act": False,
        "enable_minmax_tuning": True,
        "enable_norm_bias_tuning": False,
        "enable_quanted_input": True,
        "gradient_accumulate_steps": 1,
        "group_size": 128,
        "iters": 200,
        "low_gpu_mem_usage": False,
        "lr": 0.005,
        "minmax_lr": 0.005,
        "nsamples": 128,
        "provider": "auto-round",
        "scale_dtype": "torch.float16",
        "seqlen": 512,
        "sym": True,
        "to_quant_block_names": None,
        "true_sequential": False,
    },
    "Qwen2.5-7B-Instruct-AWQ": {
        "quant_method": "awq",
        "bits": 4,
        "group_size": 128,
        "modules_to_not_convert": None,
        "version": "gemm",
        "zero_point": True,
    },
    "AWQ by Transformers": {
        "quant_method": "awq",
        "backend": "autoawq",
        "bits": 4,
        "do_fuse": False,
        "exllama_config": None,
        "fuse_max_seq_len": None,
        "group_size": 128,
        "modules_to_fuse": None,
        "modules_to_not_convert": None,
        "version": "gemm",
        "zero_point": True,
    },
    "DeepSeek-V3": {
        "quant_method": "fp8",
        "activation_scheme": "dynamic",
        "fmt": "e4m3",
        "weight_block_size": [128, 128],
    },
    "Devstral-Small-2-24B-Instruct": {
        "quant_method": "fp8",
        "activation_scheme": "static",
        "dequantize": False,
        "modules_to_not_convert": ["lm_head"],
        "weight_block_size": None,
    },
    "FBGEMM": {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0, "modules_to_not_convert": []},
    "ModelOpt": {
        "quant_method": "modelopt",
        "config_groups": {
            "group_0": {"input_activations": _MODELOPT_SCHEME, "weights": _MODELOPT_SCHEME, "targets": []}
        },
        "ignore": ["lm_head"],
        "kv_cache_scheme": _MODELOPT_SCHEME,
        "producer": {"name": "modelopt", "version": "0.31.0"},
        "quant_algo": "FP8",
    },
    # of its hf_quant_config.json, with fewer layers
    "Qwen3.6-35B-A3B-NVFP4": {
        "quant_method": "modelopt",
        "exclude_modules": ["mtp*", "mtp.layers.0*"],
        "kv_cache_quant_algo": "FP8",
        "quant_algo": "MIXED_PRECISION",
        "quantized_layers": {
            "model.language_model.layers.0.mlp.experts": {"quant_algo": "W4A16_NVFP4", "group_size": 16},
            "model.language_model.layers.3.self_attn.q_proj": {"quant_algo": "FP8"},
        },
    },
    "DeepSeek-V3.2-REAP-345B-W3A16": {
        "quant_method": "auto-round",
        "autoround_version": "0.9.4",
        "bits": 3,
        "data_type": "int",
        "group_size": 128,
        "packing_format": "auto_round:auto_gptq",
        "sym": True,
    },
    "Qwen3.5-122B-A10B-int4-AutoRound": {
        "quant_method": "auto-round",
        "bits": 4,
        "extra_config": {"model.language_model.layers.0.mlp.shared_expert_gate": {"bits": 16}},
        "group_size": 128,
        "packing_format": "auto_round:auto_gptq",
        "sym": True,
    },
    "Kimi-K2-Thinking": {
        "quant_method": "compressed-tensors",
        "config_groups": {
            "group_0": {
                "input_activations": None,
                "output_activations": None,
                "targets": ["Linear"],
                "weights": {
                    "actorder": None,
                    "block_structure": None,
                    "dynamic": False,
                    "group_size": 32,
                    "num_bits": 4,
                    "observer": "minmax",
                    "observer_kwargs": {},
                    "strategy": "group",
                    "symmetric": True,
                    "type": "int",
                },
            }
        },
        "format": "pack-quantized",
        "ignore": ["lm_head"],
        "kv_cache_scheme": None,
        "quantization_status": "compressed",
    },
    "compressed-tensors 0.20": {
        "quant_method": "compressed-tensors",
        "config_groups": {
            "group_0": {
                "format": "mxfp4-pack-quantized",
                "input_activations": None,
                "output_activations": None,
                "targets": ["Linear"],
                "weights": {
                    "num_bits": 4,
                    "scale_dtype": "torch.uint8",
                    "type": "float",
                    "zp_dtype": None,
                },
            }
        },
        "format": "mxfp4-pack-quantized",
        "global_compression_ratio": None,
        "ignore": [],
        "kv_cache_scheme": None,
        "moe_sparsity_config": None,
        "quantization_status": "compressed",
        "sparsity_config": {},
        "transform_config": {},
        "version": "0.20.0",
    },
    "gpt-oss-20b": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]},
}


def open_quantized(settings: dict[str, Any]) -> None:
    stored = SafetensorsFolder(CHECKPOINTS / "llama-tied-gqa", "model.safetensors")
    open_format(settings, Path("config.json"), stored)


@pytest.mark.parametrize("name", QUANTIZED)
def test_published_ways_of_quantizing_are_known_and_other_fields_refused(name: str) -> None:
    open_quantized(QUANTIZED[name])
    for value in VALUES:
        with pytest.raises(ModelError, match="'has_new_zeros' is"):
            open_quantized(QUANTIZED[name] | {"has_new_zeros": value})


@pytest.mark.parametrize("level", ["group", "weights"])
def test_unknown_fields_of_a_group_of_compressed_tensors_are_refused(level: str) -> None:
    group: dict[str, Any] = {"targets": ["Linear"], "weights": {"num_bits": 4, "group_size": 32}}
    (group if level == "group" else group["weights"])["is_shifted"] = False
    with pytest.raises(ModelError, match="'is_shifted' is False"):
        open_quantized({"quant_method": "compressed-tensors", "config_groups": {"group_0": group}})


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("GPTQModel", {"rotation": "hadamard"}),
        ("GPTQModel", {"pack_dtype": "int16"}),
        ("DeepSeek-V3", {"expert_dtype": "fp4"}),
        ("compressed-tensors 0.20", {"moe_sparsity_config": {"experts": 2}}),
    ],
    ids=str,
)
def test_other_values_of_known_fields_are_refused(name: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=f"{next(iter(fields))} is .* is supported"):
        open_quantized(QUANTIZED[name] | fields)


@pytest.mark.parametrize("name", ADAPTERS)
def test_published_adapters_are_known_and_other_fields_refused(tmp_path: Path, name: str) -> None:
    config = {"r": 2, "peft_type": "LORA", **ADAPTERS[name]}
    read_adapter(save_adapter(tmp_path / "known", factors(), **config))
    for value in VALUES:
        folder = save_adapter(tmp_path / "unknown", factors(), **config, use_new_scale=value)
        with pytest.raises(ModelError, match="'use_new_scale' is"):
            read_adapter(folder)


# generation_config.json as Transformers writes all of it, and what others add.
GENERATION: dict[str, Any] = {
    "_from_model_config": True,
    "assistant_confidence_threshold": 0.4,
    "begin_suppress_tokens": None,
    "bos_token_id": 1,
    "cache_implementation": "hybrid",
    "disable_compile": False,
    "do_sample": True,
    "early_stopping": False,
    "epsilon_cutoff": 0.0,
    "eos_token_id": [2],
    "forced_bos_token_id": None,
    "guidance_scale": None,
    "length_penalty": 1.0,
    "max_length": 4096,
    "max_new_tokens": 2048,
    "min_p": 0.0,
    "no_repeat_ngram_size": 0,
    "num_assistant_tokens_schedule": "constant",
    "output_attentions": False,
    "pad_token_id": 0,
    "presence_penalty": 0.0,
    "prompt_lookup_num_tokens": None,
    "renormalize_logits": False,
    "repetition_penalty": 1.05,
    "return_dict_in_generate": False,
    "stop_strings": None,
    "temperature": 0.7,
    "token_healing": False,
    "top_k": 20,
    "top_p": 0.8,
    "transformers_version": "4.57.3",
    "typical_p": 1.0,
    "use_cache": True,
}


def copy_llama(folder: Path) -> Path:
    return shutil.copytree(CHECKPOINTS / "llama-tied-gqa", folder / "model")


def test_defaults_of_sampling_that_are_not_supported_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = copy_llama(tmp_path)
    write_json(folder / "generation_config.json", GENERATION)
    read_generation_defaults(open_model_files(folder))
    assert not caplog.messages
    write_json(
        folder / "generation_config.json", GENERATION | {"no_repeat_ngram_size": 3, "new_penalty": False}
    )
    read_generation_defaults(open_model_files(folder))
    assert ["'no_repeat_ngram_size' is 3" in caplog.text, "'new_penalty' is False" in caplog.text] == [
        True
    ] * 2


def test_unknown_fields_of_pooling_are_refused(tmp_path: Path) -> None:
    folder = copy_llama(tmp_path)
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = {
        "include_prompt": True,
        "pooling_mode_cls_token": False,
        "pooling_mode_lasttoken": False,
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
        "pooling_mode_mean_tokens": True,
        "pooling_mode_weightedmean_tokens": False,
        "word_embedding_dimension": 32,
    }
    for fields in (pooling, {"embedding_dimension": 32, "include_prompt": True, "pooling_mode": "mean"}):
        write_json(folder / "1_Pooling" / "config.json", fields)
        assert read_embedding_settings(open_model_files(folder), None, True, 32).pooling == "mean"
        for value in VALUES:
            write_json(folder / "1_Pooling" / "config.json", fields | {"skips_first": value})
            with pytest.raises(ModelError, match=r"1_Pooling.*'skips_first' is"):
                read_embedding_settings(open_model_files(folder), None, True, 32)
