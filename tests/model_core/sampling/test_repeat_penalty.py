"""The penalty of repeats (DRY), against its definition."""

from collections.abc import Sequence

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest
from model_core.hub import embedded_model
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.breakers import NO_BREAKERS, BreakerFinder, Breakers
from model_core.sampling.dry import RepeatPenalty
from model_core.text.tokenizer import Tokenizer

VOCABULARY = 12


def fill(**params: object) -> SamplingParams:
    return SamplingParams(**{"dry_multiplier": 0.8} | params).with_defaults(GenerationDefaults())


def find_end(text: list[int], position: int, breakers: Breakers) -> int | None:
    """The place after the longest breaker that begins at a token."""
    ends = [position + 1] if breakers.is_whole(text[position]) else []
    for tail in breakers.tails.get(text[position], ()):
        end = position + 1 + len(tail)
        ends += [end] if tuple(text[position + 1 : end]) == tail else []
    return max(ends, default=None)


def reference_penalties(text: list[int], params: SamplingParams, breakers: Breakers) -> np.ndarray:
    """The penalties of the next token by their definition, in float64 and quadratic time."""
    penalties = np.zeros(VOCABULARY)
    if params.dry_penalty_last_n >= 0:
        text = text[len(text) - min(len(text), params.dry_penalty_last_n) :]
    limit = len(text)
    for position in reversed(range(len(text))):
        if (end := find_end(text, position, breakers)) is not None:
            limit = len(text) - end
            break
    for place in range(1, len(text)):
        repeat = 0
        while repeat < min(place, limit) and text[place - 1 - repeat] == text[-1 - repeat]:
            repeat += 1
        beyond = repeat - params.dry_allowed_length
        if beyond >= 0 and not breakers.is_whole(text[place]):
            penalty = params.dry_multiplier * np.float64(np.float32(params.dry_base)) ** beyond
            penalties[text[place]] = max(penalties[text[place]], penalty)
    return penalties


def make_breakers(random: np.random.Generator) -> Breakers:
    whole, tails = np.zeros(VOCABULARY, bool), {}
    whole[random.integers(0, VOCABULARY, random.integers(0, 2))] = True
    for token in random.integers(0, VOCABULARY, random.integers(0, 3)).tolist():
        tails[token] = tuple(
            tuple(random.integers(0, 3, random.integers(1, 4)).tolist()) for _ in range(random.integers(1, 3))
        )
    return Breakers(whole, tails)


@pytest.mark.parametrize("variety", [1, 2, 4, VOCABULARY])
def test_penalties_are_as_defined(variety: int) -> None:
    random, penalized = np.random.default_rng(variety), 0
    for _ in range(15):
        breakers = make_breakers(random) if random.random() < 0.7 else NO_BREAKERS
        text = random.integers(0, variety, random.integers(1, 60)).tolist()
        params = fill(
            dry_multiplier=random.choice([0.8, 3.0]),
            dry_base=random.choice([1.0, 1.75, 4.0]),
            dry_allowed_length=int(random.integers(0, 5)),
            dry_penalty_last_n=int(random.choice([-1, 1, 7, 30])),
        )
        start = int(random.integers(1, len(text) + 1))
        penalty = RepeatPenalty(params, text[:start], breakers)
        for size in range(start, len(text) + 1):
            logits = np.zeros(VOCABULARY, np.float32)
            penalty.apply(logits)
            expected = reference_penalties(text[:size], params, breakers)
            np.testing.assert_allclose(-logits, expected, rtol=1e-6)
            penalized += np.count_nonzero(logits)
            if size < len(text):
                penalty.add(text[size])
    assert penalized > 100


def test_penalty_grows_with_the_repeat_and_stays_finite() -> None:
    penalty = RepeatPenalty(fill(dry_base=4.0, dry_multiplier=100.0), [5, 3] * 2000, NO_BREAKERS)
    logits = np.zeros(VOCABULARY, np.float32)
    penalty.apply(logits)
    assert np.flatnonzero(logits).tolist() == [5]
    assert np.isfinite(logits).all() and logits[5] == np.finfo(np.float32).min


def test_time_is_proportional_to_the_text() -> None:
    """With a comparison of each place from its start, this would take minutes."""
    for text in ([1] * 300_000, ([1] * 999 + [2]) * 300):
        penalty = RepeatPenalty(fill(), text, NO_BREAKERS)
        for token in (1, 1, 2):
            penalty.add(token)
            penalty.apply(np.zeros(VOCABULARY, np.float32))


def test_breakers_are_found_in_tokens_and_over_them() -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    size = 1 + max(tokenizer.encode_inside("".join(map(chr, range(32, 127)))))
    names = tokenizer.all_token_bytes(size)
    breakers = BreakerFinder(tokenizer, size).find((":", "qx"))
    assert [name for token, name in enumerate(names) if breakers.is_whole(token)] == [
        name for name in names if b":" in name or b"qx" in name
    ]
    rest = tuple(tokenizer.encode_inside("x"))
    heads = {token for token, name in enumerate(names) if name.endswith(b"q")}
    assert heads and breakers.tails == dict.fromkeys(heads, (rest,))


def test_no_repeat_reaches_over_a_breaker() -> None:
    def penalized(breakers: Breakers) -> list[int]:
        logits = np.zeros(VOCABULARY, np.float32)
        RepeatPenalty(fill(), [1, 2, 9, 3, 4, 1, 2, 9, 3], breakers).apply(logits)
        return np.flatnonzero(logits).tolist()

    whole = np.arange(VOCABULARY) == 9
    assert (penalized(NO_BREAKERS), penalized(Breakers(whole, {}))) == ([4], [])
    assert penalized(Breakers(np.zeros(0, bool), {2: ((9,),)})) == []
    assert penalized(Breakers(np.zeros(0, bool), {2: ((7,),)})) == [4]


def count_repeats(tokens: Sequence[int]) -> int:
    triples = list(zip(tokens, tokens[1:], tokens[2:], strict=False))
    return len(triples) - len(set(triples))


def test_answers_repeat_less_and_have_the_same_bytes_beside_others(llm: LLM) -> None:
    prompt = "The sun is big. The sun is warm. The sun is big. The sun is warm."
    plain = SamplingParams(max_tokens=40, temperature=0)
    asked = plain.model_copy(update={"dry_multiplier": 5.0, "dry_sequence_breakers": ()})
    alone = [llm.generate(prompt, params).token_ids for params in (plain, asked)]
    together = [answer.token_ids for answer in llm.generate([prompt] * 4, [plain, asked] * 2)]
    assert together == alone * 2
    assert count_repeats(alone[1]) < count_repeats(alone[0])


def test_breakers_without_a_tokenizer_are_refused() -> None:
    refusal = pytest.raises(InvalidRequest, match=r"dry_sequence_breakers need a tokenizer.*send \[\]")
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        with refusal as raised:
            llm.generate([1, 2], SamplingParams(dry_multiplier=1))
        answer = llm.generate(
            [1, 2], SamplingParams(dry_multiplier=1, dry_sequence_breakers=[], max_tokens=2)
        )
    assert raised.value.param == "dry_sequence_breakers" and len(answer.token_ids) == 2
