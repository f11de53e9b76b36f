"""Fields of a model's JSON files that need not be read: they do not change what is computed.

Every other field that nobody reads is refused by name, whatever its value: `false` can change a computation
as `true` can. What a single family knows beyond this stands in its file, as `expect` and `ignore`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class KnownFields:
    """The fields of a kind of file that need not be read.

    Attributes:
        harmless: names of fields that may have any value, as a regular expression.
        neutral: name -> the value with which a field changes nothing. It may also be null.
    """

    harmless: re.Pattern[str]
    neutral: Mapping[str, Any] = field(default_factory=dict)

    def allow(self, name: str, value: Any) -> bool:
        """Whether a field changes nothing."""
        if name in self.neutral:
            return value is None or value == self.neutral[name]
        return bool(self.harmless.fullmatch(name))


# config.json of any family. Sources: the configuration classes of Transformers 4.5 to 5.24, published models.
MODEL = KnownFields(
    re.compile(
        """
        # What the file is, and what wrote it.
        _.* | architectures | auto_map | model_type | name_or_path | .*_version | unsloth.* | is_llama_config
        | transformers\\.js_config | custom_pipelines | finetuning_task | problem_type | task_specific_params
        | keys_to_ignore_at_inference | attribute_map | base_config_key | sub_configs.*
        | extra_(config_)?files
        # How the model is stored and run.
        | (torch_)?dtype | quantization_config | use_bfloat16 | torchscript | xla_device | residual_in_fp32
        | (attn|cache|experts)_implementation | use_cache | use_(mamba_)?kernels | chunk_size_feed_forward
        | pretraining_tp | base_model_\\w+_plan | return_dict | num_logits_to_keep
        | output_(attentions|hidden_states|router_logits) | tf_legacy_loss | output_past
        | ignore_keys_at_rope_validation
        # Tokens and their limits.
        | .*_token_ids? | .*_token_index | tokenizer_class | add_(bos|eos)_token | (unpadded|org)_vocab_size
        | seq_length | max_sequence_length | model_max_length
        # Training.
        | .*(dropout|_pdrop|layerdrop)(_prob)? | initializer_.* | init_std | rescale_prenorm_residual
        | .*loss_(coef|alpha|weight|scaling_factor) | loss_type | router_jitter_noise | gradient_checkpointing
        | seq_aux | predict_special_tokens | n_special
        # Layers that predict several tokens at once.
        | num_(nextn_predict|mtp)_layers
        # Scores of rerankers and classifiers. Those that are supported are read by other files.
        | sentence_transformers | sbert_ce_default_activation_function | classifier_from_token
        | is_original_qwen3_reranker | id2label | label2id | num_labels | summary_.*
        # Fields of families that have them, without meaning in others that write them.
        | is_decoder | max_window_layers | use_mrope
        # Whether tokens see later ones, where a model makes embeddings.
        | is_causal
        # Defaults of sampling and beam search, which older files have here.
        | do_sample | temperature | top_[kp] | typical_p | (max|min)_length | num_beams | num_beam_groups
        | repetition_penalty | diversity_penalty | length_penalty | early_stopping | num_return_sequences
        | return_dict_in_generate | output_scores | remove_invalid_values
        """,
        re.VERBOSE,
    ),
    {
        # Biases of the head, and caps of scores and logits.
        "lm_head_bias": False,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "clip_qkv": None,
        # Windows and positions.
        "sliding_window": None,
        "use_sliding_window": False,
        "rope_interleaved": False,
        "rope_parameters": None,
        "rope_scaling": None,
        "dual_chunk_attention_config": None,
        "per_layer_config": {},
        # Of models with encoder and decoder.
        "is_encoder_decoder": False,
        "add_cross_attention": False,
        "cross_attention_hidden_size": None,
        "tie_encoder_decoder": False,
        "pruned_heads": {},
        # Sampling that is not supported.
        "bad_words_ids": None,
        "suppress_tokens": None,
        "begin_suppress_tokens": None,
        "encoder_no_repeat_ngram_size": 0,
        "exponential_decay_length_penalty": None,
        "no_repeat_ngram_size": 0,
        "prefix": None,
        # Quantization of MLX: model_files.py reads what is there.
        "quantization": None,
    },
)
# params.json of Mistral's own layout, and the objects in it. Sources: mistral-inference, vLLM's reader.
MISTRAL = KnownFields(
    re.compile("dtype|max_batch_size|vision_encoder|multimodal|.*_version"), {"lora": None, "qk_norm": False}
)
MISTRAL_PART = KnownFields(re.compile("expert_(model_)?parallel|qscheme_act"), {"route_every_n": 1})
# rope_scaling and rope_parameters. rope.py reads or ignores the others by name.
ROPE = KnownFields(
    re.compile("finetuned"),
    {"factor": 1.0, "attn_factor": 1.0, "ext_factor": 1.0, "extrapolation_factor": 1.0},
)
# rope_parameters with one description for each type of layers.
LAYER_ROPES = KnownFields(re.compile("(?!)"))
# adapter_config.json. Sources: LoraConfig of PEFT 0.3 to 0.21, published adapters.
ADAPTER = KnownFields(
    re.compile(
        """
        _.* | peft_version | unsloth.* | auto_mapping | base_model_name_or_path | revision | task_type
        # Which modules it changes is in the names of its tensors.
        | target_modules | exclude_modules | layers_to_transform | layers_pattern | modules_to_save
        # How it was trained, or how PEFT computes.
        | inference_mode | lora_dropout | fan_in_fan_out | merge_weights | runtime_config | lora_dtype
        | (corda|eva|loftq|lora_ga|megatron)_config | megatron_core | qalora_group_size | loraplus_lr_ratio
        | lorap_lr_ratio
        """,
        re.VERBOSE,
    ),
    {
        "arrow_config": None,
        "enable_lora": None,
        "ensure_weight_tying": False,
        "kasa_config": None,
        "layer_replication": None,
        "monteclora_config": None,
        "trainable_token_indices": None,
        "use_bdlora": None,
        "velora_config": None,
    },
)
# quantization_config, of any method. Sources: the quantization classes of Transformers 4.30 to 5.24, AutoAWQ,
# AutoGPTQ, GPTQModel, AutoRound, compressed-tensors 0.20, ModelOpt, published models.
QUANTIZATION = KnownFields(
    re.compile(
        """
        quant_method | method | .*_version | version | producer | provider | quantization_status | meta
        # What is quantized, and how, is in the names, types and shapes of the tensors.
        | (q_)?group_size | w_bit | weight_bits | zero_point | sym | desc_act | static_groups | lm_head
        | quant_lm_head | modules_(to_not|to)_convert | modules_in_block_to_quantize | ignore(d_layers)?
        | exclude_modules | dynamic | extra_config | fmt | scale_(fmt|dtype) | config_groups
        | global_compression_ratio | packing_format | tritonchat_head
        # Of activations and of keys and values, which are not quantized here.
        | activation_(scheme|scale_ub) | act_.* | kv_cache_.*
        # How the codes were found.
        | damp_.* | true_sequential | mse | tokenizer | dataset | model_(name_or_path|file_base_name|seqlen)
        | block_name_to_quantize | module_name_preceding_first_block | (train_)?(batch_size|bs) | pad_token_id
        | cache_block_outputs | to_quant_block_names | quant_block_list | iters | (minmax_)?lr | nsamples
        | seqlen | gradient_accumulate_steps | enable_\\w+ | amp | (low_gpu|low_cpu)_mem_usage | gptaq | foem
        | hessian.* | hyb_act | v2(_alpha)? | fail_?safe.* | fallback | moe | preprocessors | smooth(er)?
        | parallel_packing | pack_impl | offload_to_disk(_path)? | calibration_.* | compute_device_filter
        | auto_forward_data_parallel | (dense_|moe_)?vram_strategy(_devices)? | gc_mode | device
        | wait_for_submodule_finalizers
        # How others compute with them.
        | backend | use_cuda_fp16 | (use|disable)_exllama(v2)? | exllama_config | max_input_length | do_fuse
        | _?load_in_[48]bit | bnb_4bit_\\w+ | llm_int8_(threshold|skip_modules|enable_fp32_cpu_offload)
        | fuse_max_seq_len | modules_to_fuse | run_compressed | dequantize | use_optimized_inference
        """,
        re.VERBOSE,
    ),
    {
        "adapter": None,
        "data_type": "int",
        "expert_dtype": None,
        "is_marlin_format": False,
        "mock_quantization": False,
        "moe_quant_algo": None,
        "moe_sparsity_config": None,
        "pack_dtype": "int32",
        "quantized_layers": None,
        "rotation": None,
        "sparsity_config": None,
        "super_bits": None,
        "super_group_size": None,
        "transform_config": None,
    },
)
# A group of modules in config_groups of compressed-tensors and of ModelOpt.
SCHEME = KnownFields(re.compile("targets|weights|(input|output)_activations|format"))
# The weights of such a group. Their types are those of the tensors.
SCHEME_WEIGHTS = KnownFields(
    re.compile(
        "num_bits|group_size|block_structure|type|symmetric|strategy|actorder|(scale|zp)_dtype|observer(_kwargs)?"
    ),
    {"dynamic": False},
)
# Fields of a GGUF file that begin with its architecture, without it. Source: llama.cpp's list (gguf 0.19).
GGUF = KnownFields(
    re.compile(
        """
        # Sizes and counts, which are those of the tensors.
        (\\w+\\.)?\\w*(length|count|rank|size)(_\\w+)? | dense_\\d_feat_(in|out)
        | rope\\.dimension_sections | tensor_data_layout | classifier\\.output_labels | decoder_start_token_id
        # Whether tokens see later ones, and what an embedding is made of.
        | attention\\.causal | pooling_type
        # Of other norms, and of ways of scaling that the file does not use.
        | attention\\.(layer_norm(_rms)?|group_norm)_(epsilon|groups)
        | rope\\.scaling\\.(finetuned|attn_factor|yarn_(attn_factor|beta_fast|beta_slow))
        # Of images and sounds.
        | (vision|audio|mm)\\..*
        """,
        re.VERBOSE,
    ),
    {
        "attention.clamp_kqv": 0.0,
        "attention.max_alibi_bias": 0.0,
        "attention.sliding_window": 0,
        "attention.temperature_scale": 0.0,
        "attn_logit_softcapping": 0.0,
        "embedding_scale": 1.0,
        "expert_count": 0,
        "expert_gating_func": 1,  # softmax
        "expert_group_count": 1,
        "expert_group_used_count": 1,
        "expert_shared_count": 0,
        "expert_weights_norm": True,
        "expert_weights_scale": 1.0,
        "final_logit_softcapping": 0.0,
        "leading_dense_block_count": 0,
        "logit_scale": 0.0,
        "n_deepstack_layers": 0,
        "nextn_predict_layers": 0,
        "rescale_every_n_layers": 0,
        "residual_scale": 1.0,
        "rope.scale_linear": 1.0,
        "rope.scaling.yarn_ext_factor": 1.0,
        "rope.scaling.yarn_log_multiplier": 0.0,
        "router_logit_softcapping": 0.0,
        "ssm.dt_b_c_rms": False,
        "swin_norm": False,
    },
)
# generation_config.json. Source: GenerationConfig of Transformers 4.30 to 5.24.
GENERATION = KnownFields(
    re.compile(
        """
        _.* | transformers_version | .*_token_ids? | is_assistant
        # A request has limits of its own.
        | max_length | max_new_tokens | max_time | min_length
        # What is computed, in which way, and what is returned.
        | use_cache | (max_)?cache_\\w+ | max_cache_len | return_\\w+ | output_\\w+ | remove_invalid_values
        | low_memory | prefill_chunk_size | (disable_)?compile(_config)? | continuous_batching_config
        | renormalize_logits
        # Drafts of an assistant, which change no token.
        | num_assistant_\\w+ | assistant_\\w+ | target_lookbehind | prompt_lookup_num_tokens
        | max_matching_ngram_size | speculation_type | use_mtp
        # Of beam search.
        | num_beams | num_beam_groups | num_return_sequences | early_stopping | length_penalty
        | diversity_penalty
        """,
        re.VERBOSE,
    ),
    {
        "bad_words_ids": None,
        "begin_suppress_tokens": None,
        "constraints": None,
        "dola_layers": None,
        "encoder_no_repeat_ngram_size": 0,
        "encoder_repetition_penalty": 1.0,
        "epsilon_cutoff": 0.0,
        "eta_cutoff": 0.0,
        "exponential_decay_length_penalty": None,
        "force_words_ids": None,
        "forced_decoder_ids": None,
        "frequency_penalty": 0.0,
        "generation_kwargs": {},
        "guidance_scale": None,
        "min_new_tokens": 0,
        "no_repeat_ngram_size": 0,
        "penalty_alpha": None,
        "presence_penalty": 0.0,
        "sequence_bias": None,
        "stop_strings": None,
        "suppress_tokens": None,
        "token_healing": False,
        "top_h": None,
        "typical_p": 1.0,
        "watermarking_config": None,
    },
)
# config.json of sentence-transformers' modules Pooling, Dense and SpladePooling (embeddings/settings.py).
POOLING = KnownFields(re.compile("(word_)?embedding_dimension|pooling_mode(_\\w+)?|include_prompt"))
DENSE = KnownFields(
    re.compile("(in|out)_features|bias|activation_function|use_residual|module_(in|out)put_name")
)
SPARSE_POOLING = KnownFields(
    re.compile("pooling_strategy|activation_function|(word_)?embedding_dimension|chunk_size")
)
# config_sentence_transformers.json of a model that scores by the vectors of all tokens (PyLate 1).
LATE_INTERACTION = KnownFields(
    re.compile("__version__|_.*|model_type|prompts|truncate_dim|trust_remote_code"),
    {"similarity_fn_name": "MaxSim"},
)
