"""A transformer engine in Python: files -> tensors -> tokens.

from model_core import LLM, SamplingParams
llm = LLM()
print(llm.chat([{"role": "user", "content": "Hello"}]).text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .embedding import EmbeddingParams, ScoreParams
    from .errors import TritonchatError
    from .llm import LLM
    from .request import Completion
    from .sampling import SamplingParams

__all__ = ["LLM", "Completion", "EmbeddingParams", "SamplingParams", "ScoreParams", "TritonchatError"]
_MODULES = {
    "LLM": "llm",
    "Completion": "request",
    "EmbeddingParams": "embedding",
    "SamplingParams": "sampling",
    "ScoreParams": "embedding",
    "TritonchatError": "errors",
}


def __getattr__(name: str) -> Any:
    """Import names on first use: a program that needs only the errors should not load the compiler."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
