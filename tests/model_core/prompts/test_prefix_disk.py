"""The prefix cache on disk: conversations go on after a restart, for their owner alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from paths import CHECKPOINTS
from support import wait_until
from test_cache_salt import ask
from test_prompt_files import flip
from test_scheduler import PARAMS, assert_all_pages_are_released, content, ids, small_llm

from model_core import LLM
from model_core.prompts.prefix_disk import PrefixDisk


@contextmanager
def running(
    folder: Path, family: str = "llama-bfloat16", is_killed: bool = False, pages: int = 0, **limits: float
) -> Iterator[tuple[LLM, PrefixDisk]]:
    """A model with its prefix cache on disk, until it is stopped or killed."""
    with small_llm(pages, family) if pages else LLM(CHECKPOINTS / family) as llm:
        disk = PrefixDisk(folder, int(limits.get("max_bytes", 2**30)), limits.get("expiry_s", 0))
        disk.open(llm.prompts)
        yield llm, disk
    if not is_killed:
        disk.close(llm.prompts)


@pytest.mark.parametrize("family", ["llama-bfloat16", "gemma3", "lfm2", "rwkv7"])
def test_conversation_goes_on_after_a_restart(tmp_path: Path, family: str) -> None:
    first = ids(120)
    with LLM(CHECKPOINTS / family) as llm:
        answers = [ask(llm, first, "a", PARAMS)]
        second = [*first, *answers[0].token_ids, *ids(20, seed=1)]
        answers.append(ask(llm, second, "a", PARAMS))
    with running(tmp_path, family) as (llm, _):
        assert content(ask(llm, first, "a", PARAMS)) == content(answers[0])
        assert_all_pages_are_released(llm)
    with running(tmp_path, family) as (llm, _):
        assert ask(llm, second, "b", PARAMS).usage.cached_tokens == 0
        warm = ask(llm, second, "a", PARAMS)
        assert warm.usage.cached_tokens >= 112
        assert content(warm) == content(answers[1])
        assert_all_pages_are_released(llm)


def test_longer_prefixes_take_the_place_of_shorter_ones(tmp_path: Path) -> None:
    for length in (100, 200):
        with running(tmp_path) as (llm, _):
            ask(llm, ids(length), "a")
            ask(llm, ids(100), "b")
        assert len(os.listdir(tmp_path)) == 2
    with running(tmp_path) as (llm, _):
        assert ask(llm, ids(240), "a").usage.cached_tokens >= 192


def test_prefixes_are_written_before_memory_evicts_them(tmp_path: Path) -> None:
    with running(tmp_path, pages=40, is_killed=True) as (llm, _):
        for seed in range(5):
            ask(llm, ids(110, seed), "a")
        wait_until(lambda: len(list(tmp_path.glob("*.safetensors"))) == 5)
        for seed in range(5, 20):
            ask(llm, ids(110, seed), "b")
        assert ask(llm, ids(120, 0), "a").usage.cached_tokens >= 96
    with running(tmp_path) as (llm, _):
        assert ask(llm, ids(120, 1), "a").usage.cached_tokens >= 96


def test_an_owner_is_forgotten(tmp_path: Path) -> None:
    with running(tmp_path) as (llm, _):
        for salt in "ab":
            ask(llm, ids(100), salt)
    with running(tmp_path) as (llm, disk):
        ask(llm, ids(120), "a")
        ask(llm, ids(90, seed=3), "a")
        disk.forget(llm.prompts, "a")
        assert_all_pages_are_released(llm)
        assert len(os.listdir(tmp_path)) == 1
    assert len(os.listdir(tmp_path)) == 1  # nor is it written at the end
    with running(tmp_path) as (llm, disk):
        assert ask(llm, ids(120), "a").usage.cached_tokens == 0
        assert ask(llm, ids(120), "b").usage.cached_tokens >= 96
        disk.forget(None, "b")
        assert os.listdir(tmp_path) == []


def test_salts_within_that_of_an_owner_are_forgotten(tmp_path: Path) -> None:
    salts = ["a", "a/1", "ab", "/a", ""]
    with running(tmp_path) as (llm, _):
        for salt in salts:
            ask(llm, ids(100), salt)
    for forgotten, left in (("a", ["ab", "/a", ""]), ("", ["ab"])):
        with running(tmp_path) as (llm, disk):
            for salt in salts:
                ask(llm, ids(100), salt)  # so that memory has it, too
            disk.forget(llm.prompts, forgotten)
            assert_all_pages_are_released(llm)
            found = [salt for salt in salts if ask(llm, ids(120, seed=0), salt).usage.cached_tokens]
            assert found == left if forgotten else "ab" in found and "" not in found and "/a" not in found


def test_disk_has_a_bound(tmp_path: Path) -> None:
    with running(tmp_path) as (llm, _):
        ask(llm, ids(100), "a")
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    with running(tmp_path, max_bytes=2.5 * size) as (llm, _):
        for seed in range(4):
            ask(llm, ids(100, seed), "a")
    assert len(os.listdir(tmp_path)) == 2
    with running(tmp_path, max_bytes=2.5 * size) as (llm, _):
        assert [ask(llm, ids(101, seed), "a").usage.cached_tokens > 90 for seed in range(4)] == [
            False
        ] * 2 + [True] * 2


def test_damaged_and_old_prefixes_are_deleted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as (llm, _):
        ask(llm, ids(100), "a")
        ask(llm, ids(100, seed=1), "a")
    for path in tmp_path.iterdir():
        flip(path, path.stat().st_size // 2)
    with running(tmp_path, is_killed=True) as (llm, _):
        assert ask(llm, ids(120), "a").usage.cached_tokens == 0
        (left,) = tmp_path.iterdir()
        assert "is damaged: its checksum is wrong" in caplog.text
    os.utime(left, (1, 1))
    with running(tmp_path, is_killed=True, expiry_s=100):
        wait_until(lambda: not list(tmp_path.iterdir()))


def test_prefixes_of_another_model_are_deleted(tmp_path: Path) -> None:
    with running(tmp_path) as (llm, _):
        ask(llm, ids(100), "a")
    with running(tmp_path, "llama-float16") as (llm, _):
        assert os.listdir(tmp_path) == []
