"""Read and check values of a checkpoint's JSON files. Callers add the name of the file to the errors."""

import re
from collections.abc import Mapping
from reprlib import Repr
from typing import Any

from .errors import ModelError

_repr = Repr()
_repr.maxstring = 120
# A value of a file as text for an error message: short, on one line, with escapes for unprintable characters.
shorten = _repr.repr

# Fields of config.json that do not change what a model computes, in any family.
_HARMLESS = re.compile(
    """
    _.* | architectures | auto_map | model_type | (torch_)?dtype | name_or_path | .*_version | unsloth.*
    | quantization_config | transformers\\.js_config | tokenizer_class | is_llama_config | use_bfloat16
    | (attn|cache)_implementation | use_cache | use_(mamba_)?kernels | torchscript | residual_in_fp32
    | .*_token_ids? | .*_token_index | (unpadded|org)_vocab_size | seq_length | max_sequence_length
    | .*(dropout|_pdrop|layerdrop)(_prob)? | initializer_.* | init_std | rescale_prenorm_residual | seq_aux
    | .*loss_(coef|alpha|weight|scaling_factor) | router_jitter_noise | gradient_checkpointing
    | sentence_transformers | sbert_ce_default_activation_function | classifier_from_token
    | is_original_qwen3_reranker | num_nextn_predict_layers | pretraining_tp | return_dict(_in_generate)?
    | output_(attentions|hidden_states|router_logits)
    | id2label | label2id | num_labels | problem_type | finetuning_task | task_specific_params | summary_.*
    | is_decoder | chunk_size_feed_forward | num_logits_to_keep | max_window_layers | use_mrope
    | do_sample | temperature | top_[kp] | typical_p | (max|min)_length | num_beams | repetition_penalty
    """,
    re.VERBOSE,
)


class Fields(dict[str, Any]):
    """A JSON object that notes which of its fields are read, by `get` or `[]`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The field `name`, or the default."""
        self._read.add(name)
        return super().get(name, default)

    def unread(self) -> list[str]:
        """The names of fields that nobody has read, and that may change what a model computes."""
        return [name for name in self if name not in self._read and not _HARMLESS.fullmatch(name)]

    def check_all_read(self) -> None:
        """Raises ModelError if a field that nobody has read is more than null, false, 0 or empty."""
        for name in self.unread():
            if value := super().get(name):
                raise ModelError(
                    f"{shorten(name)} is {shorten(value)}, which is not supported. If it does not change "
                    "what the model computes, remove it from the file."
                )


def expect(raw: Mapping[str, Any], **values: Any) -> None:
    """Raises ModelError for a field that is neither missing nor null, and has another value than here."""
    for name, value in values.items():
        if (actual := raw.get(name)) is not None and actual != value:
            raise ModelError(f"{name} is {shorten(actual)}, but only {shorten(value)} is supported.")


def ignore(raw: Mapping[str, Any], *names: str) -> None:
    """Note fields that do not change what a model of this family computes."""
    for name in names:
        raw.get(name)


def read_size(
    raw: Mapping[str, Any], name: str, default: int | None = None, max_value: int = 2**31 - 1
) -> int:
    """A positive whole number up to `max_value`. Raises ModelError if it is anything else."""
    value = raw.get(name)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= max_value:
        raise ModelError(f"{name} should be a whole number from 1 to {max_value}, not {shorten(value)}.")
    return value


def read_number(
    raw: Mapping[str, Any],
    name: str,
    default: float | None,
    min_value: float = -1e12,
    max_value: float = 1e12,
) -> float:
    """A number from `min_value` to `max_value`. Raises ModelError if it is anything else.

    With the default None, it must be there.
    """
    value = raw.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not min_value <= value <= max_value:
        raise ModelError(
            f"{name} should be a number from {min_value:g} to {max_value:g}, not {shorten(value)}."
        )
    return float(value)
