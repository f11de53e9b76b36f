"""Checks the books of the pages: each is free, in the tree, or a sequence's own, and counted right.

Requests find nothing of a mistake there until pages run out, or until two of them write to the same one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from .page_pool import PagePool
from .page_tree import NO_PAGE, PageNode, SequencePages, node_key


def check_pages(pool: PagePool, holders: Iterable[SequencePages]) -> None:
    """Raise AssertionError, which names the page, unless the books of a pool are right.

    `holders`: the pages of all who have some, without those of pins.
    """
    holders = [*holders, *pool.pins.holders()]
    nodes = list(_walk(pool))
    users, paths = _count_users(holders)
    _check_places(pool, nodes, holders)
    for node in nodes:
        if node.ref_count != paths[node]:
            raise AssertionError(f"{_name(node)} has {paths[node]} users, not {node.ref_count}.")
        if not node.ref_count and not node.is_computed:
            raise AssertionError(f"{_name(node)} is cached, and not computed.")
        for group, page in enumerate(node.pages):
            if node.users[group] != users[node, group]:
                raise AssertionError(f"page {page} has {users[node, group]} users, not {node.users[group]}.")
    _check_evictions(pool, nodes)
    cached = sum(
        page != NO_PAGE and not used
        for node in nodes
        for page, used in zip(node.pages, node.users, strict=True)
    )
    if pool.cached_pages != cached:
        raise AssertionError(f"{cached} pages are cached, not {pool.cached_pages}.")
    if pool.snapshots is not None:
        pool.snapshots.check(nodes)


def _walk(pool: PagePool) -> Iterator[PageNode]:
    """All nodes of the tree but the root. Children must be sorted, or they are not found."""
    pending = [pool.root]
    while pending:
        node = pending.pop()
        keys = [node_key(child) for child in node.children]
        if keys != sorted(keys):
            raise AssertionError(f"the children of {_name(node)} are not sorted.")
        if node is not pool.root:
            yield node
        pending += node.children


def _check_places(pool: PagePool, nodes: list[PageNode], holders: list[SequencePages]) -> None:
    """Each page must be in one place: free, in the tree, or held by one sequence alone."""
    places: dict[int, str] = {}

    def put(pages: Iterable[int], place: str) -> None:
        for page in pages:
            before = "never used" if page >= pool.free.first_untouched else places.get(page)
            if before is not None:
                raise AssertionError(f"page {page} is {before}, and {place} too.")
            places[page] = place

    put(pool.free.given_back, "free")
    for node in nodes:
        put((page for page in node.pages if page != NO_PAGE), "in the tree")
    for pages in holders:
        in_tree = len(pages.nodes) + (pages.tail_node is not None)
        for row, first in zip(pages.table, pages.first, strict=True):
            put(row[max(first, in_tree) : pages.count].tolist(), "held")
    for page in range(pool.free.first_untouched):
        if page not in places:
            raise AssertionError(f"page {page} is lost: it is neither free nor cached, and nobody holds it.")


def _count_users(
    holders: list[SequencePages],
) -> tuple[Counter[tuple[PageNode, int]], Counter[PageNode]]:
    """How many use each page of a node, by group, and how many have each node in their path."""
    users: Counter[tuple[PageNode, int]] = Counter()
    paths: Counter[PageNode] = Counter()
    for pages in holders:
        for index, node in enumerate([*pages.nodes, *([pages.tail_node] if pages.tail_node else [])]):
            paths[node] += 1
            for group, first in enumerate(pages.first):
                if index >= first:
                    page = int(pages.table[group, index])
                    if page != node.pages[group] or page == NO_PAGE:
                        raise AssertionError(f"a sequence has page {page} in the place of {_name(node)}.")
                    users[node, group] += 1
    return users, paths


def _check_evictions(pool: PagePool, nodes: list[PageNode]) -> None:
    """What nobody uses must be evictable, and nothing else."""
    for node in nodes:
        is_leaf = not node.ref_count and not node.children
        if is_leaf != (node in pool.evictable):
            raise AssertionError(f"{_name(node)} can{' not' if is_leaf else ''} be evicted.")
        has_state = pool.snapshots is not None and node in pool.snapshots
        if is_leaf and all(page == NO_PAGE for page in node.pages) and (node.pages or not has_state):
            raise AssertionError("a node without pages is still in the tree.")
        for group, (page, used) in enumerate(zip(node.pages, node.users, strict=True)):
            is_behind = (node, group) in pool.behind
            if is_behind and (used or page == NO_PAGE):
                raise AssertionError(f"page {page} can be evicted before others, and is in use.")
            if not is_behind and node.ref_count and not used and page != NO_PAGE:
                raise AssertionError(f"page {page} is behind all windows, and can not be evicted.")
    strangers = {*pool.evictable, *(node for node, _ in pool.behind)}.difference(nodes)
    if strangers:
        raise AssertionError(f"{_name(strangers.pop())} can be evicted, and is not in the tree.")


def _name(node: PageNode) -> str:
    if node.parent is None:
        return "the root"
    pages = [str(page) for page in node.pages if page != NO_PAGE]
    return f"the node of page {' and '.join(pages) or '-'}"
