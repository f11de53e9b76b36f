"""The commands {"live": ...}, {"profile": ...} and {"explain": ...} of `chat_control` (contract.py).

They show what an engine does, and how a model computes: numbers for everybody, texts only to who sent them.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from model_core import LLM
from model_core.errors import InvalidRequest, PromptTooLong, QueueFull
from model_core.explain import AttentionMap, explain_prompt
from model_core.messages import ChatFields, FailFastList, Message
from model_core.sampling import SamplingParams
from model_core.step_profile import profile_step
from model_core.validation import StrictModel, Text

from ..vocabulary import ModelFields
from .local_engine import require_llm
from .model_pool import ModelPool
from .model_slot import ModelSlot
from .request_parser import check_model_name
from .tokens import describe_token

# Such a command takes up to a second, and computes between the steps of requests.
MAX_WAITING = 16
_COMMANDS = {"live", "profile", "explain"}
_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "typical_p")
_MAX_CHARACTERS = 8192  # of a text to explain: far more than its tokens can have
_DIGITS = 4  # of attention weights


class _Live(ModelFields, StrictModel):
    live: Literal[True]
    tree: bool = False


class _Profile(ModelFields, StrictModel):
    profile: Text


class _Explain(ModelFields, StrictModel):
    layer: int = Field(0, ge=0)
    head: int = Field(0, ge=0)
    sampling: dict[str, Any] = Field(default_factory=dict)


class _ExplainText(_Explain):
    explain: Annotated[Text, Field(min_length=1)]


class _ExplainChat(_Explain, ChatFields):
    explain: Annotated[FailFastList[Message], Field(min_length=1)]


class Inspection:
    """Runs the commands, those that compute one after the other in a thread; loads the model if need be."""

    def __init__(self, pool: ModelPool) -> None:
        self._pool, self._waiting = pool, 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="inspection")

    @staticmethod
    def has(command: Any) -> bool:
        """Whether this is one of the commands."""
        return isinstance(command, dict) and not command.keys().isdisjoint(_COMMANDS)

    async def run(self, command: Mapping[str, Any]) -> str:
        """The result of a command, as JSON. Raises TritonchatError."""
        name = check_model_name(command.get("model"))
        slot = self._pool.resolve_model(name, self._pool.slots[0])
        if "live" in command:
            return json.dumps(_describe_live(slot, _Live(**command)))
        if "profile" in command:
            load = _Profile(**command).profile
            return await self._compute(slot, lambda llm: asdict(profile_step(llm, load)))
        adapter = name if name in slot.adapters.folders else None
        return await self._compute(slot, lambda llm: _explain(llm, command, adapter))

    async def _compute(self, slot: ModelSlot, function: Callable[[LLM], dict[str, Any]]) -> str:
        if self._waiting >= MAX_WAITING:
            raise QueueFull(
                f"{self._waiting} others wait for a profile or an explanation; try again in a moment."
            )
        model = slot.acquire()
        self._waiting += 1
        try:
            llm = require_llm(await asyncio.shield(asyncio.wrap_future(model)))
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, lambda: json.dumps(function(llm)))
        finally:
            self._waiting -= 1
            slot.release()


def _describe_live(slot: ModelSlot, command: _Live) -> dict[str, Any]:
    llm = slot.llm
    return {
        "model": slot.name,
        "state": slot.state,
        "engine": None if llm is None else llm.engine.live(command.tree),
        "histograms": slot.metrics.histograms(),
    }


def _explain(llm: LLM, command: Mapping[str, Any], adapter: str | None) -> dict[str, Any]:
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    if isinstance(command["explain"], str):
        fields: _ExplainText | _ExplainChat = _ExplainText(**command)
        text = fields.explain
        if len(text) > _MAX_CHARACTERS:
            raise PromptTooLong(
                f"explain reads at most {_MAX_CHARACTERS} characters, but the text has {len(text)}.",
                "explain",
            )
        tokens = llm.encode(text)
    else:
        fields = _ExplainChat(**command)
        prompt = llm.encode_chat(fields.explain, fields)
        text, tokens = prompt.text, prompt.token_ids
    unknown = sorted(fields.sampling.keys() - set(_SAMPLING))
    if unknown:
        raise InvalidRequest(
            f"sampling has {unknown[0][:40]!r}; it may have {', '.join(_SAMPLING)}.", "sampling"
        )
    params = SamplingParams(**fields.sampling)
    explanation = explain_prompt(llm, tokens, fields.layer, fields.head, params, adapter)
    attention = explanation.attention
    return {
        "text": text,
        "tokens": [{"token_id": token, **describe_token(token, llm.tokenizer)} for token in tokens],
        "tape": asdict(explanation.tape),
        "attention": None if attention is None else _describe_attention(attention),
        "next": [
            {**asdict(token), **describe_token(token.token_id, llm.tokenizer)}
            for token in explanation.next_tokens
        ],
        "candidates": explanation.candidates,
        "entropy": explanation.entropy,
    }


def _describe_attention(attention: AttentionMap) -> dict[str, Any]:
    """An attention map as JSON: of each token the weights of the tokens up to the last that it attends to."""
    rows = np.round(attention.weights.astype(np.float64), _DIGITS)
    ends = [int(np.max(np.flatnonzero(row), initial=number)) + 1 for number, row in enumerate(rows)]
    return {
        **{
            name: getattr(attention, name)
            for name in ("layer", "layers", "head", "heads", "kv_heads", "window")
        },
        "weights": [row[:end].tolist() for row, end in zip(rows, ends, strict=True)],
        "last": np.round(attention.last.astype(np.float64), _DIGITS).tolist(),
    }
