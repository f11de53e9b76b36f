"""How models write tool calls: one file for each way. `recognize` finds that of a model.

Nothing here runs a tool, or knows tokens.
"""

import re

from .deepseek import DEEPSEEK_V3, DEEPSEEK_V31
from .format import ToolFormat, Tools
from .functionary import FUNCTIONARY, FUNCTIONARY_32
from .gemma import FUNCTION_GEMMA, GEMMA4
from .gigachat import GIGACHAT3, GIGACHAT31
from .harmony import HARMONY
from .hermes import HERMES, INTERNLM, PHI4
from .kimi import KIMI
from .listed import APERTUS, APRIEL, COMMAND, FUNCTOOLS, GRANITE, NEMOTRON
from .llama3 import LLAMA3
from .mistral import MISTRAL, MISTRAL_LIST
from .plain import PLAIN, XLAM, describe_tools
from .pythonic import LFM2, OLMO3, PYTHONIC
from .solar import SOLAR
from .tags.atem import ATEM
from .tags.dsml import DSML, DSML_V4, GCML
from .tags.glm import GLM
from .tags.hunyuan import HY3, HY4, find_hunyuan
from .tags.kimi_k3 import KIMI_K3
from .tags.minicpm import MINICPM5
from .tags.minimax import MINIMAX
from .tags.minimax_m3 import MINIMAX_M3
from .tags.qwen_coder import QWEN_CODER
from .tags.seed_oss import SEED_OSS

__all__ = ["FORMATS", "PLAIN", "ToolFormat", "Tools", "describe_tools", "recognize"]

# The first one that a template uses is the model's.
FORMATS = (
    HARMONY,
    ATEM,
    MISTRAL,
    MISTRAL_LIST,
    DEEPSEEK_V3,
    DEEPSEEK_V31,
    DSML,
    DSML_V4,
    GCML,
    GIGACHAT31,
    GIGACHAT3,
    SOLAR,
    KIMI,
    KIMI_K3,
    MINIMAX,
    MINIMAX_M3,
    HY3,
    HY4,
    MINICPM5,
    GEMMA4,
    FUNCTION_GEMMA,
    LFM2,
    OLMO3,
    COMMAND,
    APERTUS,
    NEMOTRON,
    APRIEL,
    PHI4,
    FUNCTOOLS,
    INTERNLM,
    GRANITE,
    GLM,
    SEED_OSS,
    QWEN_CODER,
    FUNCTIONARY,
    FUNCTIONARY_32,
    HERMES,
    XLAM,
    PYTHONIC,
    LLAMA3,
)


def recognize(template: str) -> ToolFormat:
    """The way in which a model with this chat template writes tool calls.

    A model whose template does not take tools, or writes them in an unknown way, gets them in words: PLAIN.
    """
    has_channels = HARMONY.is_used_by(template) or ATEM.is_used_by(template)
    if not re.search(r"\btools\b", template) and not has_channels:
        return PLAIN
    if hunyuan := find_hunyuan(template):  # whose tags may have a suffix
        return hunyuan
    return next((tool_format for tool_format in FORMATS if tool_format.is_used_by(template)), PLAIN)
