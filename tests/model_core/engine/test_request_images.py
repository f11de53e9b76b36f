"""Images in requests: what others see of them, what is kept, and what is refused."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import CHECKPOINTS
from seeing import Seen
from seeing_folders import SEEING, add_chat

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.errors import InvalidRequest, NotFinite
from model_core.images.image import Pixels, make_pixels
from model_core.llm.jobs import complete_jobs


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    folder = SEEING / "qwen3-vl"
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**25) as llm:
        yield Seen(llm, folder)


@pytest.fixture(scope="module")
def chatting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    with LLM(add_chat("qwen3-vl", tmp_path_factory.mktemp("chat")), kv_cache_memory=2**25) as llm:
        yield llm


def picture(seed: int, height: int = 24, width: int = 32) -> Pixels:
    return make_pixels(np.random.default_rng(seed).integers(256, size=(height, width, 3), dtype=np.uint8))


def ask(*parts: str | Pixels) -> list[dict[str, Any]]:
    content = [
        {"type": "text", "text": part} if isinstance(part, str) else {"type": "image", "pixels": part}
        for part in parts
    ]
    return [{"role": "user", "content": content}]


def test_the_prefix_cache_tells_images_apart(seen: Seen) -> None:
    """Both prompts have the same token ids."""
    llm = seen.llm
    assert llm.vision is not None

    def complete(seed: int) -> tuple[list[int], int]:
        image = llm.vision.prepare(picture(seed))
        ids = [7, 8, 61, *[60] * image.tokens, 62, *range(20)]
        params = SamplingParams(max_tokens=8, temperature=0, ignore_eos=True).with_defaults(llm.defaults)
        (completion,) = complete_jobs(
            llm.engine, [Job(ids, params, images=llm.vision.find_spans(ids, [image]))]
        )
        return completion.token_ids, completion.usage.cached_tokens

    first, cached = complete(1)
    other, cached_of_other = complete(2)
    assert (cached, cached_of_other) == (0, 3)  # what is before the image
    assert first != other
    assert complete(1) == (first, 3 + 12 + 1 + 19)


def test_evicted_rows_are_encoded_again(seen: Seen) -> None:
    encoder = seen.llm.engine.encoder
    assert encoder is not None
    (first,) = complete_jobs(seen.llm.engine, [seen.job()])
    seen.llm.engine.pages.forget("")
    before = encoder.encoded
    (again,) = complete_jobs(seen.llm.engine, [seen.job()])
    assert (again.token_ids, again.usage.cached_tokens) == (first.token_ids, 0)
    assert encoder.encoded == before  # the rows were kept
    seen.llm.engine.pages.forget("")
    encoder.forget("")
    (once_more,) = complete_jobs(seen.llm.engine, [seen.job()])
    assert once_more.token_ids == first.token_ids
    assert encoder.encoded == before + 3


def test_preempted_requests_give_the_same_answers(seen: Seen) -> None:
    """There is memory for about two of them."""
    with LLM(seen.folder, arithmetic="float32", kv_cache_memory=100_000) as llm:
        small = Seen(llm, seen.folder)
        completions = complete_jobs(llm.engine, [small.job() for _ in range(6)])
        assert llm.engine.stats()["totals"]["preemptions"]
        assert {tuple(c.token_ids) for c in completions} == {tuple(seen.expected["greedy"].tolist())}
        llm.engine.check()


def test_a_failing_tower_fails_its_request_alone(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    llm, encoder = seen.llm, seen.llm.engine.encoder
    assert encoder is not None and llm.vision is not None

    def fail(*_: object) -> np.ndarray:
        raise NotFinite()

    monkeypatch.setattr(encoder.tower, "encode", fail)
    image = llm.vision.prepare(picture(3))
    ids = [5, 61, *[60] * image.tokens, 62, 6]
    params = SamplingParams(max_tokens=4, temperature=0).with_defaults(llm.defaults)
    job = Job(ids, params, images=llm.vision.find_spans(ids, [image]))
    with pytest.raises(NotFinite):
        complete_jobs(llm.engine, [job])
    (text,) = complete_jobs(llm.engine, [Job([1, 2, 3], params)])
    assert text.error is None
    llm.engine.check()


def test_a_cancelled_request_stops_its_tower(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    llm, encoder = seen.llm, seen.llm.engine.encoder
    assert encoder is not None and llm.vision is not None
    encode, begun, ended = encoder.tower.encode, threading.Event(), threading.Event()

    def encode_when_cancelled(part: Any, pace: Any) -> np.ndarray:
        begun.set()
        while pace.is_wanted():
            pass
        try:
            return encode(part, pace)
        finally:
            ended.set()

    monkeypatch.setattr(encoder.tower, "encode", encode_when_cancelled)
    image = llm.vision.prepare(picture(4))
    ids, deltas = [5, 61, *[60] * image.tokens, 62, 6], list[Any]()
    params = SamplingParams(max_tokens=4, temperature=0).with_defaults(llm.defaults)
    before = encoder.encoded
    job = Job(ids, params, images=llm.vision.find_spans(ids, [image]))
    request_id = llm.engine.submit(job, deltas.append)
    assert begun.wait(60)
    assert llm.engine.cancel(request_id)
    assert ended.wait(60)
    assert encoder.encoded == before


def test_what_cannot_be_is_refused(seen: Seen) -> None:
    llm = seen.llm
    with pytest.raises(InvalidRequest, match="images have no log probabilities"):
        complete_jobs(llm.engine, [seen.job(prompt_logprobs=1)])
    misplaced = Job(seen.prompt[:20], seen.job().params, images=seen.spans)
    with pytest.raises(InvalidRequest, match="not in the prompt"):
        complete_jobs(llm.engine, [misplaced])
    with LLM(CHECKPOINTS / "llama-tied-gqa", kv_cache_memory=2**22) as blind:
        assert blind.vision is None
        with pytest.raises(InvalidRequest, match="sees no images"):
            complete_jobs(blind.engine, [seen.job()])


def test_a_conversation_with_images(chatting: LLM) -> None:
    """Each placeholder becomes the rows of its image, and text that spells one stays text."""
    image, other = picture(5), picture(6, 16, 16)
    prompt = chatting.encode_chat(ask("a", image, "is <|image_pad|> it ", other))
    assert [(span.end - span.start, span.part.grid) for span in prompt.images] == [
        (12, (6, 8)),
        (4, (4, 4)),
    ]
    assert prompt.token_ids.count(60) == 16
    assert "is <|image_pad|> it " in prompt.text
    params = SamplingParams(max_tokens=6, temperature=0, ignore_eos=True)
    first = chatting.chat(ask("a", image, "b"), params)
    second = chatting.chat(ask("a", other, "b"), params)
    again = chatting.chat(ask("a", image, "b"), params)
    assert first.token_ids == again.token_ids != second.token_ids
    assert again.usage.cached_tokens == first.usage.prompt_tokens - 1
    assert "".join(chatting.stream_chat(ask("a", image, "b"), params)) == first.text


def test_conversations_that_cannot_be_seen_are_refused(chatting: LLM, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="too narrow"):
        chatting.encode_chat(ask(picture(7, 2, 500)))
    with (
        LLM(add_chat("qwen3-vl", tmp_path), allow_request_templates=True, kv_cache_memory=2**22) as llm,
        pytest.raises(InvalidRequest, match="has written 0 images"),
    ):
        llm.chat(ask("a", picture(8)), chat_template="{{ messages[0].role }}")
    with LLM(kv_cache_memory=2**22) as blind, pytest.raises(InvalidRequest, match="sees no images"):
        blind.chat(ask(picture(9)))


@pytest.mark.parametrize("settings", [{"speculate": 8}, {"draft_model": SEEING / "qwen3-vl"}])
def test_drafts_change_no_answer(seen: Seen, settings: dict[str, Any]) -> None:
    """A draft model sees no images, and drafts for texts beside."""
    with LLM(seen.folder, arithmetic="float32", kv_cache_memory=2**25, **settings) as llm:
        drafting = Seen(llm, seen.folder)
        text = Job([3, 4, 3, 4, 3, 4], seen.job().params)
        answers = complete_jobs(llm.engine, [drafting.job(), text, drafting.job()])
        (alone,) = complete_jobs(seen.llm.engine, [Job([3, 4, 3, 4, 3, 4], seen.job().params)])
        expected = seen.expected["greedy"].tolist()
        assert [answer.token_ids for answer in answers] == [expected, alone.token_ids, expected]
        assert llm.engine.stats()["totals"]["drafted_tokens"]
        llm.engine.check()


def test_choices_about_an_image(chatting: LLM) -> None:
    first, second = (chatting.choose(ask(picture(seed), "is it"), ["a b", "c"]) for seed in (10, 11))
    assert [choice.rank for choice in first] in ([1, 2], [2, 1])
    assert first[0].logprob != second[0].logprob
    again = chatting.choose(ask(picture(10), "is it"), ["a b", "c"])
    assert [choice.logprob for choice in again] == [choice.logprob for choice in first]


def test_rows_are_shared_within_a_cache_salt(seen: Seen) -> None:
    encoder = seen.llm.engine.encoder
    assert encoder is not None

    def count_encoded(salt: str) -> int:
        before = encoder.encoded
        seen.llm.engine.pages.forget(salt)
        complete_jobs(seen.llm.engine, [replace(seen.job(), cache_salt=salt)])
        return encoder.encoded - before

    assert [count_encoded(salt) for salt in ("mine", "other", "mine", "other", "mine/part")] == [
        3,
        3,
        0,
        0,
        3,
    ]
    encoder.forget("mine")
    assert [count_encoded(salt) for salt in ("other", "mine", "mine/part")] == [0, 3, 3]
