"""The engine of this project, in process, with its default settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from model_core import LLM, SamplingParams
from model_core.checks.flags import WEIGHTS

from . import SAMPLING, Generate, Prompts


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load the engine with weights of this type, or with those of the folder or file as they are.

    `variant` is WEIGHTS, WEIGHTS/ARITHMETIC or WEIGHTS/ARITHMETIC/KV, where WEIGHTS may also be FILE or name
    a format, and KV is the type of the KV cache.
    """
    file = folder / "model.gguf"
    path = file if file.is_file() else folder
    weights, arithmetic, cache = (*variant.split("/"), "auto", "auto")[:3]
    settings = {"arithmetic": arithmetic, "kv_cache_dtype": cache, "threads": threads}
    with LLM(path, weights=weights if weights in WEIGHTS else "auto", **settings) as llm:

        def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
            how = SAMPLING if samples else {"temperature": 0}
            params = SamplingParams(max_tokens=new_tokens, ignore_eos=True, **how)
            return [list(completion.token_ids) for completion in llm.generate(prompts, params)]

        yield generate
