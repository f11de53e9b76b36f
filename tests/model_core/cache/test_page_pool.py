"""Pages of KV memory: shared by prompts with the same first tokens, cached, and evicted, the oldest first."""

from collections.abc import Sequence

import numpy as np
import pytest

from model_core.cache.memory import PAGE, KVCache, group_layers
from model_core.cache.page_check import check_pages
from model_core.cache.page_pool import PagePool, SequencePages
from model_core.tape.operations import KVLayer


class CopyRecorder:
    """Takes the place of a KV cache, and records which pages are copied and provided."""

    states, page_bytes = None, 2**20

    def __init__(self, pages: int, windows: Sequence[int | None] = (None,)) -> None:
        self.pages, self.windows = pages, windows
        self.copies: list[tuple[int, int]] = []
        self.provided: list[int] = []

    def provide(self, first: int, end: int) -> None:
        self.provided += range(first, end)

    def copy_page(self, source: int, target: int) -> None:
        self.copies.append((source, target))


class PoolSequence:
    """A sequence with what the pool needs of one."""

    def __init__(self, pool: PagePool, tokens: list[int]) -> None:
        self.pool, self.tokens, self.computed = pool, tokens, 0
        self.pages = SequencePages(np.zeros((pool.groups, 40), np.int32))

    def acquire_prefix(self) -> bool:
        """Returns whether the sequence has to wait."""
        self.computed, must_wait = self.pool.acquire_prefix(self.pages, self.tokens, self.computed)
        return must_wait

    def start(self, length: int | None = None) -> int:
        """Begin to compute up to `length`, by default all tokens."""
        length = len(self.tokens) if length is None else length
        assert self.pool.allocate(self.pages, length)
        self.pool.insert_pending(self.pages, self.tokens, length)
        return length

    def compute(self, length: int | None = None) -> "PoolSequence":
        """Compute up to `length`, as a step of the engine does."""
        self.computed = self.start(length)
        self.pool.insert(self.pages, self.tokens, self.computed)
        self.pool.insert_tail(self.pages, self.tokens, self.computed)
        return self

    def release(self) -> None:
        self.pool.release(self.pages, self.tokens, self.computed)
        self.computed = 0


def check_pool(pool: PagePool, sequences: list[SequencePages]) -> None:
    """Each page has one place, its users are counted, and every page without a user can be evicted."""
    check_pages(pool, sequences)
    assert pool.used_pages + pool.cached_pages + pool.free_pages == pool.total_pages


@pytest.fixture
def pool() -> PagePool:
    return PagePool(CopyRecorder(8))


def text(length: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, 1000, length).tolist()


def counts(pool: PagePool) -> tuple[int, int, int]:
    return pool.used_pages, pool.cached_pages, pool.free_pages


def test_pages_of_a_common_prefix_are_shared(pool: PagePool) -> None:
    first, second = PoolSequence(pool, text(40)).compute(), PoolSequence(pool, text(32) + [1] * 8)
    assert not second.acquire_prefix()
    assert second.computed == 32
    second.compute()
    assert second.pages.table[0, :2].tolist() == first.pages.table[0, :2].tolist()
    assert counts(pool) == (4, 0, 4)
    first.release()
    assert counts(pool) == (3, 1, 4)
    second.release()
    assert counts(pool) == (0, 4, 4)


def test_last_token_is_always_computed(pool: PagePool) -> None:
    PoolSequence(pool, text(32)).compute().release()
    again = PoolSequence(pool, text(32))
    again.acquire_prefix()
    assert again.computed == 31


def test_partly_matching_page_is_copied() -> None:
    cache = CopyRecorder(8)
    pool = PagePool(cache)
    first = PoolSequence(pool, text(40)).compute()
    second = PoolSequence(pool, [*text(37), 1, 2, 3])
    second.acquire_prefix()
    assert second.computed == 37
    assert cache.copies == [(first.pages.table[0, 2], second.pages.table[0, 2])]
    assert second.pages.table[0, 2] != first.pages.table[0, 2]


def test_page_with_the_longest_common_prefix_is_copied(pool: PagePool) -> None:
    texts = [text(PAGE, seed=0)[:common] + text(PAGE - common, seed=common) for common in (3, 9, 14, 6)]
    for tokens in texts:
        PoolSequence(pool, tokens).compute().release()
    last = PoolSequence(pool, [*text(PAGE, seed=0), 0])
    last.acquire_prefix()
    assert last.computed == 14


def test_sequence_waits_for_a_page_that_another_computes(pool: PagePool) -> None:
    first, second = PoolSequence(pool, text(40)), PoolSequence(pool, text(40))
    first.start(20)
    assert second.acquire_prefix()
    assert second.computed == 0
    first.compute(20)
    assert not second.acquire_prefix()
    assert second.computed == 20  # the tail too
    first.compute()
    assert not second.acquire_prefix()  # in the middle of a page


def test_pending_pages_of_a_failed_step_are_removed(pool: PagePool) -> None:
    first, second = PoolSequence(pool, text(60)), PoolSequence(pool, text(60))
    first.compute(16)
    first.start()
    assert second.acquire_prefix()
    first.release()
    assert counts(pool) == (1, 0, 7)  # the one that the second uses
    assert not second.acquire_prefix()
    assert second.computed == 16


def test_two_equal_answers_share_their_pages(pool: PagePool) -> None:
    first, second = PoolSequence(pool, text(8)), PoolSequence(pool, text(8))
    for sequence in (first, second):
        sequence.start()
        sequence.computed = 8
        sequence.tokens = text(40)
        pool.allocate(sequence.pages, 40)
    assert counts(pool) == (6, 0, 2)
    for sequence in (first, second):
        sequence.computed = 40
        pool.insert(sequence.pages, sequence.tokens, 40)
    assert counts(pool) == (4, 0, 4)
    assert first.pages.table[0, :2].tolist() == second.pages.table[0, :2].tolist()
    first.release()
    second.release()
    assert counts(pool) == (0, 3, 5)


def test_least_recently_used_leaves_are_evicted_first(pool: PagePool) -> None:
    for seed in (1, 2):
        PoolSequence(pool, text(3 * PAGE, seed)).compute().release()
    PoolSequence(pool, text(3 * PAGE, seed=1)).acquire_prefix()  # uses the older pages, and copies the last
    PoolSequence(pool, text(3 * PAGE, seed=3)).compute().release()
    remaining = {}
    for seed in (1, 2, 3):
        sequence = PoolSequence(pool, [*text(3 * PAGE, seed), 0])
        node, remaining[seed] = pool.root, 0
        for start in range(0, 3 * PAGE, PAGE):
            child, common = node.find_closest_child(tuple(sequence.tokens[start : start + PAGE]), "")
            if common < PAGE:
                break
            node, remaining[seed] = child, remaining[seed] + 1
    assert remaining == {1: 3, 2: 1, 3: 3}  # pages of each that are still cached


def test_pages_in_use_are_never_evicted(pool: PagePool) -> None:
    first = PoolSequence(pool, text(6 * PAGE, 1)).compute()
    second = PoolSequence(pool, text(3 * PAGE, 2))
    assert not pool.allocate(second.pages, 3 * PAGE)
    assert second.pages.count == 0
    assert pool.allocate(second.pages, 2 * PAGE)
    first.release()
    assert pool.allocate(second.pages, 3 * PAGE)
    assert counts(pool) == (3, 5, 0)


def test_copied_page_is_not_evicted_for_its_copy() -> None:
    cache = CopyRecorder(2)
    pool = PagePool(cache)
    PoolSequence(pool, text(2 * PAGE)).compute().release()
    again = PoolSequence(pool, text(2 * PAGE))
    again.acquire_prefix()
    assert again.computed == PAGE
    assert cache.copies == []
    again.compute()
    again.release()
    assert counts(pool) == (0, 2, 0)


def test_memory_is_provided_before_pages_are_used() -> None:
    cache = CopyRecorder(100)
    pool = PagePool(cache)
    while pool.free.is_short:
        pool.free.provide()
    assert cache.provided == list(range(64))  # of 1 MiB each
    PoolSequence(pool, text(20 * PAGE)).start()
    assert pool.free.is_short
    pool.free.provide()
    assert cache.provided[64:] == [64, 65]  # a huge page a call
    for seed in (1, 2):
        PoolSequence(pool, text(30 * PAGE, seed)).start()
    while pool.free.is_short:
        pool.free.provide()
    # Pages that were used before memory was provided for them are left alone: they may hold something.
    assert cache.provided[66:] == list(range(80, 100))


def test_memory_is_provided_empty_and_nowhere_else() -> None:
    cache = KVCache(group_layers([KVLayer(1, 8, 8, None)]), 6)
    cache.memory[:2] = cache.memory[5:] = 7
    cache.provide(2, 5)
    assert (cache.memory[[0, 1, 5]] == 7).all() and not cache.memory[2:5].any()


def test_a_lost_page_and_a_page_in_two_places_are_found(pool: PagePool) -> None:
    sequence = PoolSequence(pool, text(40))
    assert pool.allocate(sequence.pages, 40)
    check_pages(pool, [sequence.pages])
    with pytest.raises(AssertionError, match="page 0 is lost"):
        check_pages(pool, [])
    pool.free.given_back.append(1)
    with pytest.raises(AssertionError, match="page 1 is free, and held too"):
        check_pages(pool, [sequence.pages])
