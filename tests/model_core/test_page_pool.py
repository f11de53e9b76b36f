"""Pages change hands: shared where texts begin alike, kept while there is room, the oldest given up first."""

import numpy as np
import pytest

from model_core.kv_cache import PAGE
from model_core.page_pool import PagePool, Pages


class Copies:
    """Stands for a KV cache: only notes which pages are copied."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.made: list[tuple[int, int]] = []

    def copy_page(self, source: int, target: int) -> None:
        self.made.append((source, target))


class Holder:
    """A sequence, as far as the pool knows one."""

    def __init__(self, pool: PagePool, tokens: list[int]) -> None:
        self.pool, self.tokens, self.computed = pool, tokens, 0
        self.pages = Pages(np.zeros(16, np.int32))

    def take(self) -> bool:
        """Returns whether it has to wait."""
        self.computed, waits = self.pool.take(self.pages, self.tokens, self.computed)
        return waits

    def announce(self, length: int | None = None) -> int:
        """Begin to compute up to `length`, everything unless said otherwise."""
        length = len(self.tokens) if length is None else length
        assert self.pool.reserve(self.pages, length)
        self.pool.announce(self.pages, self.tokens, length)
        return length

    def compute(self, length: int | None = None) -> "Holder":
        """A whole step."""
        self.computed = self.announce(length)
        self.pool.enter(self.pages, self.tokens, self.computed)
        self.pool.enter_tail(self.pages, self.tokens, self.computed)
        return self

    def leave(self) -> None:
        self.pool.release(self.pages, self.tokens, self.computed)
        self.computed = 0


@pytest.fixture
def pool() -> PagePool:
    return PagePool(Copies(8))


def text(length: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, 1000, length).tolist()


def counts(pool: PagePool) -> tuple[int, int, int]:
    return pool.used, pool.cached, pool.free


def test_pages_of_one_beginning_are_shared(pool: PagePool) -> None:
    first, second = Holder(pool, text(40)).compute(), Holder(pool, text(32) + [1] * 8)
    assert not second.take()
    assert second.computed == 32
    second.compute()
    assert second.pages.table[:2].tolist() == first.pages.table[:2].tolist()
    assert counts(pool) == (4, 0, 4)
    first.leave()
    assert counts(pool) == (3, 1, 4)
    second.leave()
    assert counts(pool) == (0, 4, 4)


def test_the_last_token_is_always_computed(pool: PagePool) -> None:
    Holder(pool, text(32)).compute().leave()
    again = Holder(pool, text(32))
    again.take()
    assert again.computed == 31


def test_a_page_that_fits_in_part_is_copied(pool: PagePool) -> None:
    first = Holder(pool, text(40)).compute()
    second = Holder(pool, [*text(37), 1, 2, 3])
    second.take()
    assert second.computed == 37
    assert pool._cache.made == [(first.pages.table[2], second.pages.table[2])]
    assert second.pages.table[2] != first.pages.table[2]


def test_the_closest_of_many_pages_is_found(pool: PagePool) -> None:
    texts = [text(PAGE, seed=0)[:common] + text(PAGE - common, seed=common) for common in (3, 9, 14, 6)]
    for tokens in texts:
        Holder(pool, tokens).compute().leave()
    seeking = Holder(pool, [*text(PAGE, seed=0), 0])
    seeking.take()
    assert seeking.computed == 14


def test_who_needs_a_page_that_is_being_computed_waits_and_takes_it(pool: PagePool) -> None:
    first, second = Holder(pool, text(40)), Holder(pool, text(40))
    first.announce(20)
    assert second.take()
    assert second.computed == 0
    first.compute(20)
    assert not second.take()
    assert second.computed == 20  # the tail too
    first.compute()
    assert not second.take()  # in the middle of a page


def test_what_was_announced_and_failed_goes_away(pool: PagePool) -> None:
    first, second = Holder(pool, text(60)), Holder(pool, text(60))
    first.compute(16)
    first.announce()
    assert second.take()
    first.leave()
    assert counts(pool) == (1, 0, 7)  # what the second took before
    assert not second.take()
    assert second.computed == 16


def test_the_same_answer_twice_keeps_one_page(pool: PagePool) -> None:
    first, second = Holder(pool, text(8)), Holder(pool, text(8))
    for holder in (first, second):
        holder.announce()
        holder.computed = 8
        holder.tokens = text(40)
        pool.reserve(holder.pages, 40)
    assert counts(pool) == (6, 0, 2)
    for holder in (first, second):
        holder.computed = 40
        pool.enter(holder.pages, holder.tokens, 40)
    assert counts(pool) == (4, 0, 4)
    assert first.pages.table[:2].tolist() == second.pages.table[:2].tolist()
    first.leave()
    second.leave()
    assert counts(pool) == (0, 3, 5)


def test_the_least_recently_used_goes_first_and_leaves_before_branches(pool: PagePool) -> None:
    for seed in (1, 2):
        Holder(pool, text(3 * PAGE, seed)).compute().leave()
    Holder(pool, text(3 * PAGE, seed=1)).take()  # uses the older one, and copies its last page
    Holder(pool, text(3 * PAGE, seed=3)).compute().leave()
    found = {}
    for seed in (1, 2, 3):
        holder = Holder(pool, [*text(3 * PAGE, seed), 0])
        node, found[seed] = pool._root, 0
        for start in range(0, 3 * PAGE, PAGE):
            child, common = node.closest(tuple(holder.tokens[start : start + PAGE]))
            if common < PAGE:
                break
            node, found[seed] = child, found[seed] + 1
    assert found == {1: 3, 2: 1, 3: 3}  # pages of each that are left


def test_memory_in_use_is_never_taken(pool: PagePool) -> None:
    first = Holder(pool, text(6 * PAGE, 1)).compute()
    second = Holder(pool, text(3 * PAGE, 2))
    assert not pool.reserve(second.pages, 3 * PAGE)
    assert second.pages.count == 0
    assert pool.reserve(second.pages, 2 * PAGE)
    first.leave()
    assert pool.reserve(second.pages, 3 * PAGE)
    assert counts(pool) == (3, 5, 0)


def test_a_copy_never_evicts_its_own_source() -> None:
    pool = PagePool(Copies(2))
    Holder(pool, text(2 * PAGE)).compute().leave()
    again = Holder(pool, text(2 * PAGE))
    again.take()
    assert again.computed == PAGE
    assert pool._cache.made == []
    again.compute()
    again.leave()
    assert counts(pool) == (0, 2, 0)
