"""What an engine does at the moment, for people who watch it: sizes and counts, and nobody's text."""

import hashlib
import heapq
import itertools
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..cache.page_pool import PagePool
from ..cache.page_tree import NO_PAGE, PageNode
from .scheduler import Scheduler
from .sequence import Sequence

MAX_REQUESTS = 64  # that are described one by one
# Of the tree that is described. The engine waits meanwhile, about a microsecond for each node visited.
MAX_NODES, MAX_VISITS = 120, 2000


@dataclass(frozen=True)
class Prefix:
    """A part of the prefix cache's tree: nodes in a row, without a branch between them.

    Attributes:
        parent: the index of the prefix before it in the list, -1 at the root.
        tokens: of this part alone. pages: of these, how many are in memory, those of all groups together.
        hits: how often a request has found them. users: requests and pins that hold them now.
        is_pinned: whether a saved prompt holds them.
        hidden: how many further prefixes begin behind it that are not in the list.
    """

    parent: int
    tokens: int
    pages: int
    hits: int
    users: int
    is_pinned: bool
    hidden: int = 0


def describe_scheduler(scheduler: Scheduler, with_tree: bool) -> dict[str, Any]:
    """What a scheduler has at the moment. The caller holds the engine's lock."""
    pool, running = scheduler.pool, scheduler.running
    now = {
        "running": len(running),
        "waiting": len(scheduler.waiting),
        "kv_pages": count_pages(pool),
        "prefix_hits_tokens": scheduler.prefix_hits_tokens,
        "requests": [_describe_request(sequence) for sequence in running[:MAX_REQUESTS]],
    }
    if with_tree:
        prefixes, hidden = list_prefixes(pool)
        now["tree"] = {"prefixes": [asdict(prefix) for prefix in prefixes], "hidden": hidden}
    return now


def count_pages(pool: PagePool) -> dict[str, int]:
    """How many pages of KV memory requests use, the prefix cache keeps, and are free; and all."""
    return {
        "used": pool.used_pages,
        "cached": pool.cached_pages,
        "free": pool.free_pages,
        "total": pool.total_pages,
    }


def label_request(request_id: str) -> str:
    """A short name for a request, by which only those who know its id can recognize it."""
    return hashlib.blake2b(request_id.encode(), digest_size=4).hexdigest()


def list_prefixes(
    pool: PagePool, max_nodes: int = MAX_NODES, max_visits: int = MAX_VISITS
) -> tuple[list[Prefix], int]:
    """The tree of the prefix cache, bounded: of all branches those that were found most often.

    The number counts the prefixes without a parent that are not in the list.
    """
    pinned = pool.pins.nodes()
    prefixes: list[Prefix] = []
    visits, order = 0, itertools.count()
    # The parent's index and the first node of each part to describe, the most often found first.
    heap: list[tuple[int, int, int, PageNode]] = []

    def push(parent: int, children: list[PageNode]) -> int:
        """Add the children to the heap. Returns how many there was no room for."""
        nonlocal visits
        taken = children[: max(0, max_visits - visits)]
        visits += len(taken)
        for child in taken:
            heapq.heappush(heap, (-child.hits, next(order), parent, child))
        return len(children) - len(taken)

    hidden: dict[int, int] = {-1: push(-1, pool.root.children)}
    while heap and len(prefixes) < max_nodes:
        _, _, parent, node = heapq.heappop(heap)
        first, tokens, pages = node, 0, 0
        while True:
            tokens += len(node.tokens)
            pages += sum(page != NO_PAGE for page in node.pages)
            only = node.children[0] if len(node.children) == 1 else None
            if only is None or _key(only, pinned) != _key(first, pinned) or visits >= max_visits:
                break
            node, visits = only, visits + 1
        index = len(prefixes)
        prefixes.append(Prefix(parent, tokens, pages, first.hits, first.ref_count, first in pinned))
        hidden[index] = push(index, node.children)
    for _, _, parent, _ in heap:
        hidden[parent] += 1
    described = [replace(prefix, hidden=hidden[index]) for index, prefix in enumerate(prefixes)]
    return described, hidden[-1]


def _key(node: PageNode, pinned: set[PageNode]) -> tuple[int, int, bool]:
    """Nodes in a row with the same key are one part."""
    return node.hits, node.ref_count, node in pinned


def _describe_request(sequence: Sequence) -> dict[str, Any]:
    pages = None if sequence.slot < 0 else sequence.pages
    return {
        "label": label_request(sequence.request_id),
        "seconds": time.monotonic() - sequence.arrival_time,
        "prompt_tokens": sequence.prompt_length,
        "answer_tokens": sequence.answer_length,
        "cached_tokens": sequence.cached_tokens,
        "computed_tokens": sequence.computed_tokens,
        "kv_pages": 0 if pages is None else sum(max(0, pages.count - first) for first in pages.first),
    }
