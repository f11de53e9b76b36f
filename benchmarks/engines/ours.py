"""The engine of this project, in process, with its default settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from making.checkpoints import read_config

from model_core import LLM, SamplingParams

from . import SAMPLING, Generate, Prompts


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load the engine with weights of this type, or with those of a folder or file that are quantized.

    `variant` is WEIGHTS or WEIGHTS/ARITHMETIC.
    """
    file = folder / "model.gguf"
    path = file if file.is_file() else folder
    is_quantized = path == file or "quantization_config" in read_config(folder)
    weights, _, arithmetic = variant.partition("/")
    weights = "auto" if is_quantized else weights
    with LLM(path, weights=weights, arithmetic=arithmetic or "auto", threads=threads) as llm:

        def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
            how = SAMPLING if samples else {"temperature": 0}
            params = SamplingParams(max_tokens=new_tokens, ignore_eos=True, **how)
            return [list(completion.token_ids) for completion in llm.generate(prompts, params)]

        yield generate
