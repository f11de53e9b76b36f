"""Saved prompts by name: they outlast the process, have a bound on the disk, and damage none."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from paths import CHECKPOINTS
from test_cache_salt import ask
from test_prompt_files import flip, pinned_pages
from test_scheduler import assert_all_pages_are_released, content, ids, small_llm, totals

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache
from model_core.errors import InvalidRequest, PromptNotFound, StorageError
from model_core.model.batch import Batch
from model_core.prompts import fingerprint
from model_core.prompts.saved import SavedPrompts

PARAMS = SamplingParams(max_tokens=10, temperature=0.9, seed=5, logprobs=3, ignore_eos=True)


@contextmanager
def serving(folder: Path, family: str = "llama-bfloat16", **flags: int) -> Iterator[tuple[LLM, SavedPrompts]]:
    """A model with the prompts in a folder, as after a restart. Prompts to compute again are so at once."""
    pages = flags.get("pages")
    with small_llm(pages, family) if pages else LLM(CHECKPOINTS / family) as llm:
        saved = SavedPrompts(folder, flags.get("max_bytes", 2**30))
        again: list[threading.Thread] = []

        def save_again(name: str, source: str) -> None:
            thread = threading.Thread(target=save, args=(llm, saved, name, int(source)))
            thread.start()
            again.append(thread)

        saved.open(llm.prompts, save_again)
        yield llm, saved
        for thread in again:
            thread.join()


def save(llm: LLM, saved: SavedPrompts, name: str, seed: int = 0) -> dict:
    """Save a prompt. The sources of these tests are seeds."""
    return saved.save(llm.prompts, name, ids(100, seed), str(seed))


@pytest.mark.parametrize("family", ["llama-bfloat16", "rwkv7"])
def test_prompts_come_back_after_a_restart(tmp_path: Path, family: str) -> None:
    with serving(tmp_path, family) as (llm, saved):
        save(llm, saved, "first")
        save(llm, saved, "second", seed=1)
    with LLM(CHECKPOINTS / family) as llm:
        cold = [ask(llm, ids(110, seed), "a", PARAMS) for seed in (0, 1)]
    with serving(tmp_path, family) as (llm, saved):
        assert {prompt["name"] for prompt in saved.list()} == {"first", "second"}
        assert totals(llm)["computed_tokens"] == 0
        warm = [ask(llm, ids(110, seed), salt, PARAMS) for seed, salt in ((0, "a"), (1, "b"))]
        assert [answer.usage.cached_tokens for answer in warm] == [96, 96]
        assert [content(answer) for answer in warm] == [content(answer) for answer in cold]


@pytest.mark.parametrize(
    ("family", "name", "cached"), [("llama-bfloat16", "of-120", 99), ("rwkv7", "of-80", 64)]
)
def test_longest_prompt_is_taken(tmp_path: Path, family: str, name: str, cached: int) -> None:
    with serving(tmp_path, family) as (llm, saved):
        for length in (40, 80, 120):
            saved.save(llm.prompts, f"of-{length}", ids(length), "0")
    with serving(tmp_path, family) as (llm, saved):
        assert ask(llm, ids(100), "").usage.cached_tokens == cached
        assert next(prompt["name"] for prompt in saved.list()) == name
        assert ask(llm, ids(200), "").usage.cached_tokens == 112


@pytest.mark.parametrize(("family", "cached"), [("llama-bfloat16", 70), ("gemma3", 16), ("lfm2", 0)])
def test_parts_of_prompts_are_taken(tmp_path: Path, family: str, cached: int) -> None:
    beginnings = [*ids(70), *ids(40, seed=1)], [*ids(16), *ids(90, seed=1)]
    with LLM(CHECKPOINTS / family) as llm:
        cold = [ask(llm, prompt, "", PARAMS) for prompt in beginnings]
    with serving(tmp_path, family) as (llm, saved):
        saved.save(llm.prompts, "prompt", ids(180), "")
    with serving(tmp_path, family) as (llm, saved):
        # One page of eleven is not worth it; the first request finds it as the second has computed it.
        answers = [ask(llm, prompt, "", PARAMS) for prompt in reversed(beginnings)][::-1]
        assert [answer.usage.cached_tokens for answer in answers] == [cached, 0]
        assert [content(answer) for answer in answers] == [content(answer) for answer in cold]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "/etc/passwd", "../a", "a" * 101, "a" * 300, ".hidden", "a\0b", "a\n", "ä", "-a"],
)
def test_wrong_names_are_refused(tmp_path: Path, name: str) -> None:
    with serving(tmp_path / "prompts") as (llm, saved):
        with pytest.raises(InvalidRequest, match="cannot be the name of a saved prompt: a name has 1 to 100"):
            save(llm, saved, name)
        with pytest.raises(PromptNotFound, match="there is no saved prompt"):
            saved.show(name)
        with pytest.raises(PromptNotFound, match="there is no saved prompt"):
            saved.delete(llm.prompts, name)
        assert totals(llm)["requests"] == 0
    assert list(tmp_path.iterdir()) == []


def test_prompts_of_lost_pages_are_read_again(tmp_path: Path) -> None:
    with serving(tmp_path, pages=16) as (llm, saved):
        save(llm, saved, "prompt")
        llm.generate(ids(236, seed=3), SamplingParams(max_tokens=2))  # takes nearly all pages
        assert pinned_pages(llm) == 0
        assert ask(llm, ids(101), "").usage.cached_tokens == 96
        assert pinned_pages(llm) == 6


def test_oldest_unused_prompts_make_room(tmp_path: Path) -> None:
    with serving(tmp_path) as (llm, saved):
        size = save(llm, saved, "0")["bytes"]
    with serving(tmp_path, max_bytes=3 * size + 500) as (llm, saved):
        for number in (1, 2):
            save(llm, saved, str(number), seed=number)
        for number in (0, 1, 2):
            os.utime(tmp_path / f"{number}.safetensors", (number, number))
        ask(llm, ids(110), "")  # uses 0
        save(llm, saved, "3", seed=3)
        assert {prompt["name"] for prompt in saved.list()} == {"0", "2", "3"}
        assert sorted(os.listdir(tmp_path)) == [f"{name}.safetensors" for name in "023"]
        save(llm, saved, "3", seed=4)  # needs no further room
        assert {prompt["name"] for prompt in saved.list()} == {"0", "2", "3"}
    with serving(tmp_path, max_bytes=size // 2) as (llm, saved):
        with pytest.raises(StorageError, match=r"the prompt takes .* and --saved-prompts-disk allows"):
            save(llm, saved, "large")
        assert len(saved.list()) == 3


def test_deleted_prompts_are_gone(tmp_path: Path) -> None:
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
        saved.delete(llm.prompts, "prompt")
        assert saved.list() == [] and os.listdir(tmp_path) == []
        with pytest.raises(PromptNotFound, match="there is no saved prompt 'prompt'"):
            saved.show("prompt")
        assert_all_pages_are_released(llm)


def test_prompt_is_deleted_while_it_is_used(tmp_path: Path) -> None:
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
    with LLM(CHECKPOINTS / "llama-bfloat16") as llm:
        cold = ask(llm, ids(110), "", PARAMS)
    with serving(tmp_path) as (llm, saved):
        forward = llm.model.forward

        def delete_first(batch: Batch, cache: KVCache) -> object:
            if saved.list():
                saved.delete(llm.prompts, "prompt")
            return forward(batch, cache)

        llm.model.forward = delete_first
        answer = ask(llm, ids(110), "", PARAMS)
        assert (content(answer), answer.usage.cached_tokens) == (content(cold), 96)
        assert_all_pages_are_released(llm)


def damage_end(path: Path) -> None:
    flip(path, path.stat().st_size - 100)


@pytest.mark.parametrize(
    "damage", [damage_end, lambda path: os.truncate(path, path.stat().st_size - 1)], ids=["flipped", "cut"]
)
def test_damaged_prompts_are_computed_again(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "prompt.safetensors"
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
        right = path.read_bytes()
    with serving(tmp_path) as (llm, saved):
        damage(path)
        answer = ask(llm, ids(110), "")
        assert answer.error is None
    assert f"The saved prompt prompt is computed again: {path} is damaged" in caplog.text
    assert path.read_bytes()[-4000:-8] == right[-4000:-8]
    with serving(tmp_path) as (llm, saved):
        assert ask(llm, ids(110), "").usage.cached_tokens == 96


def test_prompts_of_another_arithmetic_are_computed_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
    monkeypatch.setattr(fingerprint, "SEMANTICS", fingerprint.SEMANTICS + 1)
    with serving(tmp_path) as (llm, saved):
        ask(llm, ids(110), "")
    assert "The saved prompt prompt is computed again" in caplog.text


def test_prompts_of_another_model_are_computed_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
    with serving(tmp_path, "llama-float16") as (llm, saved):
        ask(llm, ids(110), "")
    assert "The saved prompt prompt is computed again" in caplog.text
    assert "was computed by another model" in caplog.text
    with serving(tmp_path, "llama-float16") as (llm, saved):
        assert ask(llm, ids(110), "").usage.cached_tokens == 96


def test_files_without_a_header_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "wrong.safetensors").write_bytes(b"wrong")
    with serving(tmp_path) as (llm, saved):
        assert saved.list() == []
        assert f"{tmp_path / 'wrong.safetensors'} is damaged" in caplog.text
        save(llm, saved, "wrong")  # it takes the place of the file
        assert len(saved.list()) == 1


def test_many_requests_read_a_prompt_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as (llm, saved):
        save(llm, saved, "prompt")
    with serving(tmp_path) as (llm, saved):
        reads, read = [], llm.prompts.pages.read

        def count(*args: object, **options: object) -> bool:
            reads.append(args)
            return read(*args, **options)

        monkeypatch.setattr(llm.prompts.pages, "read", count)
        answers = []

        def ask_with(salt: str) -> None:
            answers.append(ask(llm, ids(110), salt))

        threads = [threading.Thread(target=ask_with, args=(str(n),)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(reads) == 1
        assert [answer.usage.cached_tokens for answer in answers] == [96] * 8


def test_saves_of_one_name_at_once_leave_one_prompt(tmp_path: Path) -> None:
    with serving(tmp_path) as (llm, saved):
        threads = [threading.Thread(target=save, args=(llm, saved, "prompt", seed)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(saved.list()) == 1 and os.listdir(tmp_path) == ["prompt.safetensors"]
    with serving(tmp_path) as (llm, saved):
        seed = int(saved.show("prompt")["source"])
        assert ask(llm, ids(110, seed), "").usage.cached_tokens == 96
