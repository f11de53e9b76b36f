"""Shows what an engine does, and how a model computes: numbers to everybody, texts only to who sent them."""

import base64
import io
import math
from dataclasses import asdict
from typing import Any

import numpy as np
from PIL import Image

from model_core import LLM
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.families.vision.parts import ImageSpan
from model_core.inspect.explain import AttentionMap, explain_prompt
from model_core.requests.sampling import SamplingParams

from ...contract.commands import ExplainChat, ExplainText
from ..models.model_slot import ModelSlot
from ..models.tokens import describe_token

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "typical_p")
_MAX_CHARACTERS = 8192  # of a text to explain: far more than its tokens can have
_DIGITS = 4  # of attention weights


def describe_live(slot: ModelSlot, with_tree: bool) -> dict[str, Any]:
    """What an engine does."""
    llm = slot.llm
    return {
        "model": slot.name,
        "state": slot.state,
        "engine": None if llm is None else llm.engine.live(with_tree),
        "histograms": slot.metrics.histograms(),
    }


def explain(llm: LLM, command: ExplainText | ExplainChat, adapter: str | None) -> dict[str, Any]:
    """How a model, changed by an adapter, computes a prompt. Raises TritonchatError."""
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; its prompts are token ids.", "model")
    images: tuple[ImageSpan, ...] = ()
    if isinstance(command, ExplainText):
        text = command.explain
        if len(text) > _MAX_CHARACTERS:
            raise PromptTooLong(
                f"explain reads at most {_MAX_CHARACTERS} characters, but the text has {len(text)}.",
                "explain",
            )
        tokens = llm.encode(text)
    else:
        prompt = llm.encode_chat(command.explain, command)
        text, tokens, images = prompt.text, prompt.token_ids, tuple(prompt.images)
    unknown = sorted(command.sampling.keys() - set(_SAMPLING))
    if unknown:
        raise InvalidRequest(
            f"sampling has {unknown[0][:40]!r}; it may have {', '.join(_SAMPLING)}.", "sampling"
        )
    params = SamplingParams(**command.sampling)
    explanation = explain_prompt(llm, tokens, command.layer, command.head, params, adapter, images)
    attention = explanation.attention
    return {
        "text": text,
        "tokens": [{"token_id": token, **describe_token(token, llm.tokenizer)} for token in tokens],
        "images": [_describe_image(span) for span in images],
        "tape": asdict(explanation.tape),
        "attention": None if attention is None else _describe_attention(attention),
        "next": [
            {**asdict(token), **describe_token(token.token_id, llm.tokenizer)}
            for token in explanation.next_tokens
        ],
        "candidates": explanation.candidates,
        "entropy": explanation.entropy,
    }


def _describe_image(span: ImageSpan) -> dict[str, Any]:
    """A part of an image as JSON: its rows in the prompt, how they lie on it, and what the encoder sees."""
    part, file = span.part, io.BytesIO()
    Image.fromarray(part.values).save(file, "JPEG", quality=80)
    height, width = part.values.shape[:2]
    # A row stands for a square of so many patches a side.
    side = math.isqrt(math.prod(part.grid) // part.rows)
    grid = [patches // max(1, side) for patches in part.grid]
    return {
        "start": span.start,
        "rows": part.rows,
        "grid": grid if math.prod(grid) == part.rows else None,
        "height": height,
        "width": width,
        "picture": f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}",
    }


def _describe_attention(attention: AttentionMap) -> dict[str, Any]:
    """An attention map as JSON: of each token the weights of the tokens up to the last that it attends to."""
    rows = np.round(attention.weights.astype(np.float64), _DIGITS)
    ends = [
        int(np.max(np.flatnonzero(row), initial=number)) + 1 if row.any() else 0
        for number, row in enumerate(rows)
    ]
    return {
        **{
            name: getattr(attention, name)
            for name in ("layer", "layers", "head", "heads", "kv_heads", "window")
        },
        "weights": [row[:end].tolist() for row, end in zip(rows, ends, strict=True)],
        "last": np.round(attention.last.astype(np.float64), _DIGITS).tolist(),
    }
