"""Fields of requests that this service does not have: what has no effect, and what is refused.

A field of another service that changes an answer there is refused by its name, unless it has the value that
changes nothing. Fields that nobody here knows are ignored, and the response names them (ignored.py).
"""

from collections.abc import Mapping
from typing import Any

from .errors import unsupported

# No answer depends on them anywhere, or they only say how fast or for whom it is made.
WITHOUT_EFFECT = {
    # OpenAI's
    *("metadata", "user", "store", "service_tier", "prompt_cache_key", "prompt_cache_retention"),
    "prompt_cache_options",
    *("safety_identifier", "client_metadata", "prediction", "max_tool_calls"),
    # Anthropic's
    *("cache_control", "betas", "inference_geo"),
    # vLLM's and SGLang's
    *("priority", "request_id", "rid", "detokenize", "spaces_between_special_tokens", "kv_transfer_params"),
    *("stream_interval", "data_parallel_rank"),
    # llama.cpp's
    *("cache_prompt", "id_slot", "slot_id", "n_keep", "n_discard", "timings_per_token", "return_progress"),
    *("dynatemp_exponent", "adaptive_decay", "response_fields", "n_cache_reuse", "t_max_prompt_ms"),
    *("sse_ping_interval", "backend_sampling", "speculative.type", "speculative.n_max", "speculative.n_min"),
    "speculative.p_min",
}
# The same inside messages, contents, tools and other parts: what services add to answers that come back.
WITHOUT_EFFECT_INSIDE = {
    *("id", "status", "index", "created_at", "created_by", "object", "model", "metadata", "phase", "caller"),
    *("annotations", "citations", "logprobs", "signature", "encrypted_content", "data", "namespace"),
    *("cache_control", "prompt_cache_breakpoint", "provider_specific_fields", "include_obfuscation"),
    *("defer_loading", "allowed_callers", "eager_input_streaming"),
    "time",  # of llama.vim's parts of other files
    # Options of Ollama for loading and memory, and those that are refused unless they change nothing.
    *("num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep", "numa", "low_vram"),
    *("f16_kv", "use_mmap", "use_mlock", "vocab_only", "embedding_only", "logits_all"),
    *("penalize_newline", "tfs_z"),
}
_LATER = "this service does not have it; leave it out"
# Field -> the values that change nothing, and what to do instead.
REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    # OpenAI's
    "audio": ((), "answers are text; leave it out"),
    "best_of": ((1,), "send n, and choose yourself"),
    "echo": ((False,), "only raw prompts are repeated; leave it out"),
    "suffix": (("",), "texts are continued at their end only; leave it out"),
    "moderation": ((), "this service does not judge texts; leave it out"),
    "personality": ((), "say it in the messages"),
    "web_search_options": ((), "this service does not search the web; leave it out"),
    # vLLM's and SGLang's
    "chat_template": ((), "chats take it, if the server is started with --allow-request-templates"),
    "custom_logit_processor": ((), _LATER),
    "documents": (([],), "put them into the messages"),
    "early_stopping": ((False,), "there is no beam search; leave it out"),
    "include_reasoning": ((True,), "the reasoning comes in a field of its own; leave it out"),
    "length_penalty": ((1, 0), "there is no beam search; leave it out"),
    "logits_processors": (([],), _LATER),
    "no_stop_trim": ((False,), "send include_stop_str_in_output"),
    "return_hidden_states": ((False,), _LATER),
    "skip_special_tokens": ((True,), "special tokens are never in the text; return_token_ids reports them"),
    "stop_regex": (("", []), "send stop"),
    "truncate_prompt_tokens": ((), 'send truncation: "auto", or for embeddings truncate'),
    "use_beam_search": ((False,), "ask for n answers"),
    # Ollama's, which has most of them in its own bodies
    "format": (("",), "send response_format"),
    "options": (({},), "send temperature and its like at the top of the body"),
    # llama.cpp's and those of clients for it
    "adaptive_target": ((-1,), "send min_p"),
    "dynatemp_range": ((0,), _LATER),
    "grammar_lazy": ((False,), "send response_format or tools"),
    "image_data": (([],), "send images as parts of messages to /v1/chat/completions"),
    "lora": (([],), "name the adapter as the model"),
    "min_keep": ((0, 1), _LATER),
    "n_cmpl": ((1,), "send n"),
    "n_indent": ((0,), _LATER),
    "penalize_newline": ((True,), "penalties count all tokens; leave it out"),
    "penalize_nl": ((True,), "penalties count all tokens; leave it out"),
    "post_sampling_probs": ((False,), _LATER),
    "preserved_tokens": (([],), "special tokens are never in the text; return_token_ids reports them"),
    "repeat_last_n": ((-1,), "penalties count the whole text; leave it out"),
    "samplers": (([],), "the order is fixed; leave it out"),
    "smoothing_factor": ((0,), _LATER),
    "t_max_predict_ms": ((0, -1), "send timeout_s"),
    "tfs_z": ((1,), "send min_p"),
    "top_a": ((0,), "send min_p"),
}
_CONSTRAINTS = "guided_"  # an answer that does not obey one would break the client


def find_unknown(fields: Mapping[str, Any] | None) -> list[str]:
    """The names that nobody here knows, of `fields`, which are those that a body lacks.

    Raises ApiError for a field that is refused.
    """
    unknown = []
    for name, value in (fields or {}).items():
        if value is None or name in WITHOUT_EFFECT:
            continue
        if name == "structural_tag" or name.startswith(_CONSTRAINTS):
            raise unsupported(name, f"{name} is not supported; leave it out.")
        if name not in REFUSED:
            unknown.append(name)
            continue
        neutral, hint = REFUSED[name]
        if not any(value == each for each in neutral):
            raise unsupported(name, f"{name} is not supported: {hint}.")
    return unknown
