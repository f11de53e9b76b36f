"""How a model is loaded: every setting of `LLM`, with its default."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..checks.flags import ARITHMETIC, KV_CACHE_DTYPES, check_weights
from ..errors import ModelError
from ..images.limits import DEFAULT_LIMITS


@dataclass(frozen=True)
class LLMSettings:
    """The settings of a model. Raises ModelError for a wrong one.

    Attributes:
        revision: a branch, tag or commit of a model on the hub; None: the branch main.
        weights: auto (as stored), float32, bfloat16, float16, int8, mixed or int4 (rounded while
            loading; see model/presets.py for the last two).
        arithmetic: float32: exact, and slower. int8: products with integer weights round activations to 8
            bits. bfloat16: products with bfloat16 weights round them to bfloat16, which needs AVX-512 BF16 or
            AMX. auto: bfloat16 where the processor has it and the model has no integer weights, else int8.
        portable: compute with float weights as on every other processor, to the bit. With integer weights
            that is always so.
        threads: threads for the arithmetic; None: all cores this process may use, one for a tiny model.
        chat_template: a file with a chat template (Jinja2) that is taken instead of the model's; or the name
            of one of its templates, such as "tool_use".
        allow_request_templates: whether requests may bring chat templates of their own (`chat_template`).
        max_context: positions a request may have, up to the model's own limit; None: this limit. Of LongRoPE,
            the limit is the original one, or what its factors for long texts allow if more is asked for.
        kv_cache_memory: bytes of KV memory; None: a quarter of the memory that is free.
        kv_cache_dtype: float32; or float16 or int8, with half or a quarter of the memory; or int16, with
            about that of float16, whose products are those of integers: as exact, and faster with AVX-512
            VNNI. auto: int16; with arithmetic float32, float32.
        max_concurrency: requests computed together.
        max_queue: requests that may wait beyond those.
        step_time_s: seconds that a step aims at in which running answers get a token and prompts a chunk;
            changes no answer.
        speculate: draft up to this many tokens ahead from the request's own text; changes no answer.
        draft_model: a small model of the same vocabulary, given as the model is. It drafts tokens that the
            model then checks; changes no answer. It takes a part of `kv_cache_memory`.
        no_mtp: do not draft with the model's MTP head (multi-token prediction). It is used where the files
            have one, no `draft_model` is given, and drafts save time; changes no answer.
        max_image_pixels: of an image in a conversation, before it is resized for the model.
        max_image_bytes: of the file of such an image.
        mmproj: the file of the tower of vision of a GGUF model (llama.cpp's mmproj); None: one beside the
            model, if there is one.
        adapters: name -> folder, for `load_adapter`.
    """

    revision: str | None = None
    weights: str = "auto"
    arithmetic: str = "auto"
    portable: bool = False
    threads: int | None = None
    chat_template: Path | None = None
    allow_request_templates: bool = False
    max_context: int | None = None
    kv_cache_memory: int | None = None
    kv_cache_dtype: str = "auto"
    max_concurrency: int = 64
    max_queue: int = 256
    step_time_s: float = 0.15
    speculate: int = 0
    draft_model: str | Path | None = None
    no_mtp: bool = False
    max_image_pixels: int = DEFAULT_LIMITS.pixels
    max_image_bytes: int = DEFAULT_LIMITS.bytes
    mmproj: Path | None = None
    adapters: Mapping[str, str | Path] | None = None

    @property
    def uses_mtp(self) -> bool:
        """Whether an MTP head is loaded where there is one."""
        return not self.no_mtp and self.draft_model is None

    def __post_init__(self) -> None:
        if self.arithmetic not in ARITHMETIC:
            raise ModelError(f"arithmetic '{self.arithmetic}' is not known; {', '.join(ARITHMETIC)} are.")
        if self.kv_cache_dtype not in ("auto", *KV_CACHE_DTYPES):
            raise ModelError(
                f"the KV cache cannot be '{self.kv_cache_dtype}', only auto, {', '.join(KV_CACHE_DTYPES)}."
            )
        check_weights(self.weights)
