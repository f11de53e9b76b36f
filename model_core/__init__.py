"""A transformer engine in Python: files -> tensors -> tokens.

from model_core import LLM, SamplingParams
llm = LLM()
print(llm.chat([{"role": "user", "content": "Hello"}]).text)
"""

from .errors import TritonchatError
from .llm import LLM
from .request import Completion
from .sampling import SamplingParams

__all__ = ["LLM", "Completion", "SamplingParams", "TritonchatError"]
