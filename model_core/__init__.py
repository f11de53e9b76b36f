"""A transformer engine in Python: files -> tensors -> tokens. Nothing here knows servers or networks.

from model_core import LLM, SamplingParams
llm = LLM()
print(llm.chat([{"role": "user", "content": "Hello"}]).text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import TritonchatError
    from .llm.llm import LLM
    from .requests.embedding import EmbeddingParams, ScoreParams
    from .requests.results import Completion
    from .requests.sampling import SamplingParams

__all__ = ["LLM", "Completion", "EmbeddingParams", "SamplingParams", "ScoreParams", "TritonchatError"]
_MODULES = {
    "LLM": "llm.llm",
    "Completion": "requests.results",
    "EmbeddingParams": "requests.embedding",
    "SamplingParams": "requests.sampling",
    "ScoreParams": "requests.embedding",
    "TritonchatError": "errors",
}


def __getattr__(name: str) -> Any:
    """Import names on first use: a program that needs only the errors should not load the compiler."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
