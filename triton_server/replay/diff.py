"""Compares the answers of two models, or servers, to the same requests, token by token."""

import asyncio
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from model_core.errors import InvalidRequest, TritonchatError

from ..api.batches.lines import BatchLine
from ..receipts.canonical import to_canonical
from .answers import (
    COMPLETIONS,
    ComparedAnswer,
    Token,
    prepare_body,
    read_answer,
    read_failure,
    read_score,
    score_body,
)
from .sides import Side

_AT_ONCE = 8  # requests
Judge = Callable[[str, str], bool]  # whether two texts mean the same


@dataclass(frozen=True)
class Parting:
    """The first place where two answers differ.

    Attributes:
        place: of the token, counted from 0.
        before: the text of the last tokens that both have.
        texts: what each has there; empty at the end of an answer.
        probabilities: of the token of A, and of the token of B, each under A and under B; None: unknown.
    """

    place: int
    before: str
    texts: tuple[str, str]
    probabilities: tuple[tuple[float | None, float | None], tuple[float | None, float | None]]


@dataclass(frozen=True)
class Comparison:
    """Two answers to a request.

    Attributes:
        custom_id: of the request. prompt: what it asks, in short.
        a, b: the answers.
        equal: whether clients get the same bytes.
        same: whether they mean the same, as far as there is a judge; equal ones do.
        parting: None where all tokens are the same.
        divergence: the mean KL divergence of B from A along the common beginning, in nats a token, as far as
            the likeliest tokens show: at most the true one. None if it is not known.
    """

    custom_id: str
    prompt: str
    a: ComparedAnswer
    b: ComparedAnswer
    equal: bool
    same: bool
    parting: Parting | None
    divergence: float | None


@dataclass(frozen=True)
class Summary:
    """All comparisons together. Means are over requests for which there is a value."""

    requests: int
    equal: float
    same: float
    failed_a: int
    failed_b: int
    divergence: float | None
    first_difference: float | None
    perplexity_a: float | None
    perplexity_b: float | None


async def compare_all(
    sides: tuple[tuple[Side, str | None], tuple[Side, str | None]],
    lines: Sequence[BatchLine],
    judge: Judge | None,
    on_answer: Callable[[], object] = lambda: None,
) -> list[Comparison]:
    """Let both sides answer all requests. Each comes with the name of its model; None: as a request says.

    Raises TritonchatError for a request that cannot be compared. One that a side refuses is an answer, too.
    """
    bodies = [[prepare_body(line, model) for line in lines] for _, model in sides]
    slots = [asyncio.Semaphore(_AT_ONCE) for _ in sides]

    async def ask(number: int, line: BatchLine, body: Mapping[str, Any]) -> ComparedAnswer:
        async with slots[number]:
            try:
                return read_answer(line.url, await sides[number][0].post(line.url, body))
            except TritonchatError as error:
                if error.status in (0, 401, 404):  # then all others fail, too
                    raise
                return read_failure(error, number)
            finally:
                on_answer()

    tasks = [
        asyncio.gather(ask(0, line, bodies[0][n]), ask(1, line, bodies[1][n])) for n, line in enumerate(lines)
    ]
    answers = await asyncio.gather(*tasks)
    found = [compare(line, a, b, judge) for line, (a, b) in zip(lines, answers, strict=True)]
    pairs = zip(found, zip(*bodies, strict=True), strict=True)
    return await asyncio.gather(*(_complete(each, sides, slots, asked) for each, asked in pairs))


async def _complete(
    each: Comparison,
    sides: tuple[tuple[Side, str | None], tuple[Side, str | None]],
    slots: Sequence[asyncio.Semaphore],
    asked: Sequence[Mapping[str, Any]],
) -> Comparison:
    """Ask for probabilities at the parting that are not known, where ids of tokens mean the same.

    `asked`: the bodies that both have got.
    """
    parting, answers = each.parting, (each.a, each.b)
    if parting is None or each.a.ids is None or each.b.ids is None:
        return each
    (ids_a, start), (ids_b, start_b) = each.a.ids, each.b.ids
    shared = start + parting.place
    if start != start_b or ids_a[:shared] != ids_b[:shared]:
        return each

    async def find(number: int, other: int) -> float | None:
        """The probability of the token of one side under the other."""
        known, ids = parting.probabilities[number][other], (ids_a, ids_b)[number]
        if known is not None or shared >= len(ids):
            return known
        side, _ = sides[other]
        body = score_body(answers[other], parting.place, ids[shared], asked[other]["model"])
        try:
            async with slots[other]:
                logprob = read_score(await side.post(COMPLETIONS, body or {}), ids[shared])
        except TritonchatError:  # a server that gives no probabilities of prompts
            return None
        return None if logprob is None else math.exp(logprob)

    (a_in_a, _), (_, b_in_b) = parting.probabilities
    a_in_b, b_in_a = await asyncio.gather(find(0, 1), find(1, 0))
    return replace(each, parting=replace(parting, probabilities=((a_in_a, a_in_b), (b_in_a, b_in_b))))


def compare(line: BatchLine, a: ComparedAnswer, b: ComparedAnswer, judge: Judge | None) -> Comparison:
    """Compare two answers to a request."""
    shared = min(len(a.tokens), len(b.tokens))
    place = next((n for n in range(shared) if a.tokens[n].key != b.tokens[n].key), shared)
    parting = None
    if place < max(len(a.tokens), len(b.tokens)) and not (a.failed or b.failed):
        parting = _describe(a.tokens, b.tokens, place)
    contexts = min(place + 1, shared)  # at the parting, too, both have seen the same
    divergences = [_find_divergence(a.tokens[n].top, b.tokens[n].top) for n in range(contexts)]
    known = [value for value in divergences if value is not None]
    equal = a.content == b.content and parting is None
    same = equal or bool(judge is not None and not (a.failed or b.failed) and judge(a.text, b.text))
    return Comparison(
        line.custom_id, _shorten(line.body), a, b, equal, same, parting, fmean(known) if known else None
    )


def summarize(comparisons: Sequence[Comparison]) -> Summary:
    """All comparisons, of which there is one at least, together."""
    partings = [each.parting.place for each in comparisons if each.parting is not None]
    return Summary(
        len(comparisons),
        fmean(each.equal for each in comparisons),
        fmean(each.same for each in comparisons),
        sum(each.a.failed for each in comparisons),
        sum(each.b.failed for each in comparisons),
        _mean([each.divergence for each in comparisons]),
        fmean(partings) if partings else None,
        _mean([each.a.perplexity for each in comparisons]),
        _mean([each.b.perplexity for each in comparisons]),
    )


def judge_json(a: str, b: str) -> bool:
    """Whether two texts are the same JSON value."""
    try:
        return to_canonical(json.loads(a)) == to_canonical(json.loads(b))  # for Python, true is 1
    except (ValueError, RecursionError, InvalidRequest):
        return False


def make_regex_judge(pattern: str) -> Judge:
    """Whether the first match in two texts is the same, or its first group if there is one."""
    compiled = re.compile(pattern, re.DOTALL)

    def find(text: str) -> str | None:
        match = compiled.search(text)
        return None if match is None else match[1] if compiled.groups else match[0]

    return lambda a, b: (found := find(a)) is not None and found == find(b)


def _describe(a: Sequence[Token], b: Sequence[Token], place: int) -> Parting:
    here = [tokens[place] if place < len(tokens) else None for tokens in (a, b)]

    def find(token: Token | None) -> tuple[float | None, float | None]:
        """The probability of a token under A and under B."""
        if token is None:
            return None, None
        values = [
            None if own is None else own.logprob if own.key == token.key else own.top.get(token.key)
            for own in here
        ]
        under_a, under_b = (None if value is None else math.exp(value) for value in values)
        return under_a, under_b

    before = "".join(token.text for token in a[max(0, place - 8) : place])
    texts = tuple("" if token is None else token.text for token in here)
    return Parting(place, before, (texts[0], texts[1]), (find(here[0]), find(here[1])))


def _find_divergence(a: Mapping[Any, float], b: Mapping[Any, float]) -> float | None:
    """KL(A || B) over the tokens that both list, and all others as one; None if there are none.

    Joining outcomes makes it smaller, never larger (the data processing inequality).
    """
    keys = a.keys() & b.keys()
    if not keys:
        return None
    total, rest_a, rest_b = 0.0, 1.0, 1.0
    for key in keys:
        p = math.exp(a[key])
        total += p * (a[key] - b[key])
        rest_a, rest_b = rest_a - p, rest_b - math.exp(b[key])
    if rest_a > 1e-6 and rest_b > 1e-6:
        total += rest_a * math.log(rest_a / rest_b)
    return max(0.0, total)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shorten(body: Mapping[str, Any]) -> str:
    """What a request asks: its prompt, or its last message."""
    messages = body.get("messages")
    asked = body.get("prompt")
    if isinstance(messages, list) and messages and isinstance(messages[-1], dict):
        asked = messages[-1].get("content")
    return asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False)
