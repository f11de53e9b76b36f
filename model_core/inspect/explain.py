"""One step of one prompt, made visible: its tokens, the tape in words, attention, and the next token.

The model computes the prompt in memory of its own, as it would in a request, between the steps of others.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..adapters.table import NO_SLOT
from ..cache.memory import PAGE, KVCache
from ..engine.request_images import RequestImages
from ..errors import InvalidRequest, NotFinite, PromptTooLong
from ..families.vision.parts import ImageSpan, count_rows
from ..llm.llm import LLM
from ..machine.all_finite import all_finite
from ..model.batch import STEP_TOKENS, Batch, BatchBuilder
from ..model.logits import check_length
from ..reference.operators import attention_weights
from ..requests.sampling import FilledParams, SamplingParams
from ..sampling.methods import TokenChooser, find_largest, log_of_sum
from ..tape.operations import Attend
from ..tape.references import WeightRef
from .tape_words import TapeWords, describe_tape, find_attends

MAX_TOKENS = 256  # of text
MAX_ROWS = 1280  # of images: a picture for SmolVLM has 17 tiles of 64
TOP_TOKENS = 20


@dataclass(frozen=True)
class AttentionMap:
    """The attention of one head of a layer.

    Attributes:
        layer: of the model. layers: those that attend.
        head: the one of `weights`. heads: how many the layer has, and `kv_heads` with keys of their own.
        window: the positions that the layer attends to, None for all.
        weights: float32 [tokens, tokens], of each token (row) to each token. A row sums to 1, or to less
            where there is an attention sink. Rows before the end of the last image are 0: those are computed
            in steps of their own, and not shown.
        last: float32 [heads, tokens], of the last token with each head.
    """

    layer: int
    layers: list[int]
    head: int
    heads: int
    kv_heads: int
    window: int | None
    weights: np.ndarray
    last: np.ndarray


@dataclass(frozen=True)
class NextToken:
    """A token that may come next: its log probability, and its probability as it is sampled, 0 if never."""

    token_id: int
    logprob: float
    probability: float


@dataclass(frozen=True)
class Explanation:
    """A step of a prompt.

    Attributes:
        attention: None if no layer attends.
        next_tokens: the likeliest, the likeliest first.
        candidates: how many tokens can be sampled. entropy: of the distribution before sampling, in bits.
    """

    tape: TapeWords
    attention: AttentionMap | None
    next_tokens: list[NextToken]
    candidates: int
    entropy: float


def explain_prompt(
    llm: LLM,
    tokens: Sequence[int],
    layer: int = 0,
    head: int = 0,
    params: SamplingParams | None = None,
    adapter: str | None = None,
    images: Sequence[ImageSpan] = (),
) -> Explanation:
    """Explain the step that computes a prompt and gives its next token.

    Where `layer` does not attend, the attention is that of the next one that does; `head` is clipped.
    `params`: how the next token is sampled. `images`: of the prompt, which are encoded in their turn. Raises
    InvalidRequest, PromptTooLong or NotFinite.
    """
    model = llm.model
    if not model.has_head:
        raise InvalidRequest("this model makes no text; explain needs a model for generation.", "model")
    if not tokens:
        raise InvalidRequest("the prompt is empty.", "explain")
    rows = count_rows(images)
    if rows > MAX_ROWS:
        raise PromptTooLong(
            f"explain takes images of at most {MAX_ROWS} tokens, but these have {rows}; send a smaller one.",
            "explain",
        )
    if (count := len(tokens) - rows) > MAX_TOKENS:
        raise PromptTooLong(
            f"explain takes at most {MAX_TOKENS} tokens, but the prompt has {count}; shorten it.", "explain"
        )
    check_length(tokens, llm.engine.limits.max_context)
    params = (params or SamplingParams()).with_defaults(llm.defaults)
    places = find_attends(model.records)
    number, place = next((p for p in places if p[1] >= layer), places[-1] if places else (None, layer))
    seen = _encode(llm, tokens, images)
    loaded = model.adapters.acquire(adapter)
    try:
        cache, tables = model.create_cache(1, len(tokens), llm.kv_cache_dtype)
        adapters = np.array([NO_SLOT if loaded is None else loaded.slot], np.int32)

        def build(first: int, end: int) -> Batch:
            builder = BatchBuilder()
            builder.add(tokens[first:end], first, range(len(tokens) - 1, end))
            if seen is not None:
                builder.sights[0] = seen.sight(first, end)
            return builder.build(tables, adapters=adapters)

        first = 0
        while seen is not None and first < seen.end:  # in steps, between which others compute theirs
            end = seen.find_end(first, min(first + STEP_TOKENS, seen.end))
            model.forward(build(first, end), cache)
            first = end
        batch = build(first, len(tokens))
        if number is None:
            logits, attention = model.forward(batch, cache), None
        else:
            record = model.records[number]
            found: list[np.ndarray] = []
            assert isinstance(record, Attend)
            logits = model.forward(batch, cache, {number: found.append})
            queries = found[0].reshape(len(batch.tokens), record.q.heads, record.q.size)
            keys = _read_keys(cache, record, batch, len(tokens))
            attention = _attend(llm, number, place, [p for _, p in places], head, queries, keys)
    finally:
        model.adapters.release(loaded)
    if not all_finite(logits):
        raise NotFinite()
    next_tokens, candidates, entropy = _describe_next(logits[0], params)
    tape = describe_tape(model.tape, place, len(tokens))
    return Explanation(tape, attention, next_tokens, candidates, entropy)


def _encode(llm: LLM, tokens: Sequence[int], images: Sequence[ImageSpan]) -> RequestImages | None:
    """The images of a prompt, encoded; None: there are none. Raises what encoding raises."""
    encoder = llm.engine.encoder
    if not images or encoder is None:
        return None
    salt = secrets.token_hex(16)  # nobody else gets these rows
    seen = RequestImages(images, tokens, encoder, salt)
    try:
        seen.wait()
    except BaseException:
        seen.release()
        raise
    finally:
        encoder.forget(salt)
    return seen


def _attend(
    llm: LLM,
    number: int,
    layer: int,
    layers: list[int],
    head: int,
    queries: np.ndarray,
    keys: np.ndarray,
) -> AttentionMap:
    """The attention weights of a record, from the queries of the last tokens and the keys of all."""
    record = llm.model.records[number]
    assert isinstance(record, Attend)

    def read(ref: WeightRef) -> np.ndarray:
        return ref.read(llm.model.weights.vectors[ref])

    sinks = record.sinks and read(record.sinks)
    distances = record.distances
    added = None if distances is None else distances.read_rows(read, keys.shape[1])
    heads = queries.shape[1]
    head = min(head, heads - 1)
    one, own = slice(head, head + 1), head * len(keys) // heads  # the head, and its keys
    settings = (record.window, record.softcap)
    (weights,) = attention_weights(
        queries[:, one],
        keys[own : own + 1],
        record.scale,
        *settings,
        None if sinks is None else sinks[one],
        record.ahead,
        None if added is None else added[one],
    )
    last = attention_weights(queries[-1:], keys, record.scale, *settings, sinks, record.ahead, added)[:, 0]
    length = keys.shape[1]
    weights, last = (
        np.pad(each, [(0, 0), (length - each.shape[1], 0)]) for each in (weights, last)
    )  # windows
    first = length - len(weights)
    if record.is_chunked:
        assert record.window is not None
        weights = _leave_out_other_chunks(weights, record.window, first)
        last = _leave_out_other_chunks(last[:, None], record.window, length - 1)[:, 0]
    weights = np.pad(weights, [(first, 0), (0, 0)])
    return AttentionMap(layer, layers, head, heads, len(keys), record.window, weights, last)


def _leave_out_other_chunks(weights: np.ndarray, size: int, first: int) -> np.ndarray:
    """The weights [..., tokens, tokens] from the token `first` on, of positions in its own chunk alone."""
    chunks = np.arange(weights.shape[-1]) // size
    kept = np.where(chunks[first:, None] == chunks, weights, 0)
    return kept / kept.sum(axis=-1, keepdims=True)


def _read_keys(cache: KVCache, record: Attend, batch: Batch, length: int) -> np.ndarray:
    """The keys that it attends to: float32 [kv_heads, length, size]."""
    layer = record.layer
    number, group = next((n, group) for n, group in enumerate(cache.groups) if layer in group.layers)
    arrays, pages = cache.arrays(number), batch.page_tables[number, 0]
    index = group.layers.index(layer)
    keys = arrays["keys"][index, pages].astype(np.float32)  # [pages, kv_heads, size, PAGE]
    if keys.ndim == 5:  # as words, of which pairs stay together
        keys = keys.swapaxes(3, 4).reshape(*keys.shape[:2], -1, PAGE)[:, :, : record.q.size]
    if "key_scales" in arrays:
        keys *= arrays["key_scales"][index, pages][:, :, None]
    joined = keys.transpose(1, 0, 3, 2).reshape(keys.shape[1], -1, keys.shape[2])
    return joined[:, :length]


def _describe_next(logits: np.ndarray, params: FilledParams) -> tuple[list[NextToken], int, float]:
    """The likeliest next tokens; how many can be sampled; the entropy in bits."""
    log_sum = log_of_sum(logits)
    chances = TokenChooser(params).distribution(logits)
    top = [
        NextToken(int(token), float(logits[token]) - log_sum, float(chances[token]))
        for token in find_largest(logits, min(TOP_TOKENS, len(logits)))
    ]
    logprobs = logits.astype(np.float64) - log_sum
    entropy = -float(np.sum(np.exp(logprobs) * logprobs)) / np.log(2)
    return top, int(np.count_nonzero(chances)), max(0.0, entropy)
