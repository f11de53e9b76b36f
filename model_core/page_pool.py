"""Who has which page of KV memory, and what the others still hold: the prefix cache.

Pages that are full stand in a tree by their tokens, as in SGLang's RadixAttention (Zheng et al., 2023,
arXiv:2312.07104), so requests that begin alike share them. A page that nobody uses any more stays in the
tree until its memory is needed; then the least recently used goes first.
"""

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from .kv_cache import PAGE, KVCache


@dataclass(eq=False, slots=True)
class Node:
    """A page in the tree: its tokens, and where they stand: behind those of `parent`.

    Pages with fewer than PAGE tokens, the ends of finished requests, have no children.
    """

    page: int
    tokens: tuple[int, ...]
    parent: "Node | None"
    children: list["Node"] = field(default_factory=list)  # sorted by their tokens
    users: int = 0  # sequences that hold it, and so hold its ancestors too
    ready: bool = True  # False while a step computes it

    def closest(self, tokens: tuple[int, ...]) -> tuple["Node | None", int]:
        """The child that has the most first tokens in common with `tokens`, and how many these are."""
        at = bisect_left(self.children, tokens, key=_tokens)
        best, most = None, 0
        for child in self.children[max(0, at - 1) : at + 1]:  # sorted, so it is one of these two
            common = _common(child.tokens, tokens)
            if common > most:
                best, most = child, common
        return best, most


@dataclass(eq=False, slots=True)
class Pages:
    """The pages of one sequence: `table[:count]`, the first of them those of `path` in the tree.

    The others are its own. `tail` is in the tree too: the page being filled, with the tokens that it had when
    the prompt was done.
    """

    table: np.ndarray  # int32, with room for all it may come to need
    count: int = 0
    path: list[Node] = field(default_factory=list)
    tail: Node | None = None

    @property
    def room(self) -> int:
        """Positions that the pages have."""
        return self.count * PAGE

    def append(self, page: int) -> None:
        """Add a page at the end."""
        self.table[self.count] = page
        self.count += 1


class PagePool:
    """The pages of a KV cache. Not thread-safe: the engine holds its lock.

    A sequence that starts, or goes on at the end of a page, takes what the tree has (`take`), and reserves
    pages for what it computes next (`reserve`). Pages of a prompt stand in the tree as not ready while they
    are computed (`announce`), so that who needs the same ones can wait for them. What has been computed is
    entered (`enter`), and stays when the sequence leaves (`release`).
    """

    def __init__(self, cache: KVCache) -> None:
        self.total, self.cached = cache.pages, 0  # cached: in the tree without a user
        self._cache = cache
        self._root = Node(-1, (), None, users=1)
        self._free: list[int] = []
        self._untouched = 0  # pages from here on have never been used
        self._idle: OrderedDict[Node, None] = OrderedDict()  # leaves without a user, the oldest first

    @property
    def free(self) -> int:
        """Pages that hold nothing."""
        return len(self._free) + self.total - self._untouched

    @property
    def used(self) -> int:
        """Pages that sequences hold."""
        return self.total - self.free - self.cached

    def take(self, pages: Pages, tokens: list[int], computed: int) -> tuple[int, bool]:
        """Go on with pages of the tree, at the end of a page; the last token is always left to compute.

        Of a page that fits only in part, that part is copied. Returns how many tokens are there now, and
        whether the next page is just being computed for another sequence.
        """
        if pages.count != len(pages.path):
            return computed, False  # in the middle of a page
        node = self._end(pages)
        while True:
            wanted = tuple(tokens[computed : min(computed + PAGE, len(tokens) - 1)])
            child, common = node.closest(wanted)
            if child is None or common < PAGE:
                break
            if not child.ready:
                return computed, True
            self._hold(child)
            pages.path.append(child)
            pages.append(child.page)
            node, computed = child, computed + PAGE
        if child is not None and child.ready:
            self._hold(child)  # or it might be the page that is copied to
            if self.reserve(pages, computed + 1):
                self._cache.copy_page(child.page, int(pages.table[pages.count - 1]))
                computed += common
            self._let_go(child)
        return computed, False

    def reserve(self, pages: Pages, length: int) -> bool:
        """Have pages for `length` positions. False, with nothing changed, where there are not enough."""
        missing = -(-length // PAGE) - pages.count
        if missing <= 0:
            return True  # as in most steps
        if missing > self.free + self.cached:
            return False
        for _ in range(missing):
            pages.append(self._allocate())
        return True

    def announce(self, pages: Pages, tokens: list[int], length: int) -> None:
        """Say that a step computes the sequence up to `length`: its new full pages enter as not ready."""
        self._enter(pages, tokens, length, ready=False)

    def enter(self, pages: Pages, tokens: list[int], length: int) -> None:
        """Put the full pages of the first `length` tokens, all computed, into the tree."""
        for node in reversed(pages.path):
            if node.ready:
                break
            node.ready = True
        self._enter(pages, tokens, length, ready=True)

    def enter_tail(self, pages: Pages, tokens: list[int], length: int) -> None:
        """Put the page behind the full ones into the tree, with the tokens that it has so far."""
        if pages.tail is None and len(pages.path) == length // PAGE:
            tokens = tuple(tokens[len(pages.path) * PAGE : length])
            if self._end(pages).closest(tokens)[1] < len(tokens):
                pages.tail = self._add(pages, tokens)

    def release(self, pages: Pages, tokens: list[int], length: int) -> None:
        """Give up all pages. The first `length` tokens are computed, and stay in the tree while they can.

        Pages that were announced and are still not ready go away.
        """
        while pages.path and not pages.path[-1].ready:
            self._remove(pages.path.pop())
        self._enter(pages, tokens, length, ready=True)
        self._drop_tail(pages)
        self.enter_tail(pages, tokens, length)
        kept = len(pages.path) + (pages.tail is not None)
        self._free += pages.table[kept : pages.count].tolist()
        if pages.tail is not None:
            self._let_go(pages.tail)
        for node in pages.path:
            self._let_go(node)
        pages.count, pages.path, pages.tail = 0, [], None

    def _enter(self, pages: Pages, tokens: list[int], length: int, ready: bool) -> None:
        for start in range(len(pages.path) * PAGE, length - length % PAGE, PAGE):
            wanted = tuple(tokens[start : start + PAGE])
            self._drop_tail(pages)
            twin, common = self._end(pages).closest(wanted)
            if twin is None or common < PAGE:
                node = self._add(pages, wanted)
                node.ready = ready
            elif ready and twin.ready:  # another sequence had the same tokens: one page is enough
                node = twin
                self._hold(node)
                self._free.append(int(pages.table[len(pages.path)]))
                pages.table[len(pages.path)] = node.page
            else:
                return  # another sequence computes it at this moment; it can be entered later
            pages.path.append(node)

    def _add(self, pages: Pages, tokens: tuple[int, ...]) -> Node:
        """Put the page behind `path` into the tree, which has none with these tokens there."""
        parent = self._end(pages)
        node = Node(int(pages.table[len(pages.path)]), tokens, parent, users=1)
        parent.children.insert(bisect_left(parent.children, tokens, key=_tokens), node)
        return node

    def _end(self, pages: Pages) -> Node:
        return pages.path[-1] if pages.path else self._root

    def _drop_tail(self, pages: Pages) -> None:
        if pages.tail is not None:
            self._remove(pages.tail)
            pages.tail = None

    def _hold(self, node: Node) -> None:
        if node.users == 0:
            self.cached -= 1
            self._idle.pop(node, None)
        node.users += 1

    def _let_go(self, node: Node) -> None:
        node.users -= 1
        if node.users == 0:
            self.cached += 1
            if not node.children:
                self._idle[node] = None

    def _remove(self, node: Node) -> None:
        siblings = node.parent.children
        del siblings[bisect_left(siblings, node.tokens, key=_tokens)]

    def _allocate(self) -> int:
        """A page that holds nothing, or else the one that has not been used for the longest time."""
        if self._free:
            return self._free.pop()
        if self._untouched < self.total:
            self._untouched += 1
            return self._untouched - 1
        node, _ = self._idle.popitem(last=False)
        self._remove(node)
        self.cached -= 1
        parent = node.parent
        if parent.users == 0 and not parent.children:
            # It was last used when its last child was, so it is as old.
            self._idle[parent] = None
            self._idle.move_to_end(parent, last=False)
        return node.page


def _tokens(node: Node) -> tuple[int, ...]:
    return node.tokens


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many first tokens two pages share."""
    if a == b:
        return len(a)
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
