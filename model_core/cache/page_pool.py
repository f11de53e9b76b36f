"""Pages of KV memory: which sequence has which, and the prefix cache of pages that can be used again.

Full pages are in a tree by their tokens, as in SGLang's RadixAttention (Zheng et al., 2023,
arXiv:2312.07104), so requests with the same first tokens share them. A page that no sequence uses stays in
the tree until its memory is needed. The least recently used page is evicted first.

A sequence has pages of each group of KV layers. A windowed group reads only the latest ones, so the sequence
gives up those behind its window. They stay in the tree too, and are evicted before all others.

A model with recurrent states can go on only from a place whose state is known. Some nodes have a snapshot of
it at their end, and a prefix ends at one of these.

Each node has a cache salt. Requests with different salts never share pages, so neither token counts nor
times tell one of them what is in the prompts of another. Only nodes with the shared salt are for all: those
of saved prompts. A prefix consists of such nodes, then of nodes of the request's own salt.

Pins keep saved prompts in the cache, in at most half of the pages. A request that else would have too few
pages ends the pin that was not used for the longest time.
"""

import math
import weakref
from bisect import bisect_left
from collections import OrderedDict

import numpy as np

from .free_pages import FreePages
from .memory import PAGE, KVCache
from .page_tree import NO_PAGE, PageNode, SequencePages, node_key
from .pins import Pins
from .states import Snapshots


class PagePool:
    """The pages of a KV cache. Not thread-safe: the engine holds its lock.

    A sequence that starts, or that has filled a page, looks for the next pages in the tree
    (`acquire_prefix`). It allocates the pages for what it computes next (`allocate`). The pages of a prompt
    are in the tree while they are computed (`insert_pending`), so that another sequence with the same
    tokens can wait for them. Computed pages are inserted (`insert`), and stay in the tree when the sequence
    leaves (`release`).

    Attributes:
        free: the pages that hold nothing. cached_pages: how many are in the tree, and no sequence uses them.
        root: of the tree.
        snapshots: recurrent states at the ends of nodes, None for a model that has none.
        evictable: leaves without a user, the oldest first.
        behind: pages without a user behind the windows of their nodes' users, the oldest first.
    """

    def __init__(self, cache: KVCache) -> None:
        self._cache, self.groups = cache, len(cache.windows)
        self.free, self.cached_pages = FreePages(cache), 0
        # By windowed group: how many pages before a page the queries of its positions read.
        windows = [(group, window) for group, window in enumerate(cache.windows) if window is not None]
        self._window_pages = {group: -(-(window - 1) // PAGE) for group, window in windows}
        self.snapshots = None if cache.states is None else Snapshots[PageNode](cache.states)
        self.root = PageNode([], (), None, ref_count=1)
        pool = weakref.proxy(self)  # a cycle would keep the memory of a model that nobody uses
        self.pins = Pins(cache.pages // 2, lambda pages: pool.release(pages, [], len(pages.nodes) * PAGE))
        self.evictable: OrderedDict[PageNode, None] = OrderedDict()
        self.behind: OrderedDict[tuple[PageNode, int], None] = OrderedDict()

    @property
    def total_pages(self) -> int:
        """All pages."""
        return self.free.total

    @property
    def free_pages(self) -> int:
        """Pages that hold nothing."""
        return len(self.free)

    @property
    def used_pages(self) -> int:
        """Pages that sequences use."""
        return self.total_pages - self.free_pages - self.cached_pages

    def acquire_prefix(self, pages: SequencePages, tokens: list[int], computed: int) -> tuple[int, bool]:
        """Add the pages of the tree that hold the next tokens of a sequence. The last token is never matched.

        It does nothing where the sequence has only filled a part of its last page. Where a page of the tree
        matches in part, this part is copied.

        Returns the number of tokens that are computed now, and whether another sequence is just computing
        what this one needs of the next page.
        """
        if pages.count != len(pages.nodes):
            return computed, False  # in the middle of a page
        path = self._find_path(pages, tokens, computed)
        end = computed + len(path) * PAGE
        page_tokens = tuple(tokens[end : min(end + PAGE, len(tokens) - 1)])
        node = path[-1] if path else self._last_node(pages)
        salts = dict.fromkeys((pages.shared_salt, pages.salt))
        closest = (node.find_closest_child(page_tokens, salt) for salt in salts)
        child, common = max(closest, key=lambda found: found[1])
        usable = self.count_usable(path)
        computed += usable * PAGE
        self.leave_behind(pages, computed)
        for node in path[:usable]:
            self._acquire_node(node, pages)
            pages.add_node(node)
        if child is None or usable < len(path):
            return computed, False
        if not child.is_computed:
            return computed, common == len(page_tokens)
        if NO_PAGE not in child.pages and self.snapshots is None:
            holder = SequencePages(pages.table)  # without it `allocate` could evict the pages that are copied
            self._acquire_node(child, holder)
            if self.allocate(pages, computed + 1):
                for source, target in zip(child.pages, pages.table[:, pages.count - 1].tolist(), strict=True):
                    self._cache.copy_page(source, target)
                computed += common
                child.hits += 1
            self._release_node(child, holder, 0)
        return computed, False

    def cached_length(self, pages: SequencePages, tokens: list[int]) -> int:
        """How many of these tokens a sequence with the salts of `pages` would find in whole pages."""
        return self.count_usable(self._find_path(pages, tokens, 0)) * PAGE

    def max_pages(self, positions: int, step_tokens: int) -> int:
        """The most pages that a sequence uses at a time, if a step computes up to `step_tokens` of it."""
        count = -(-positions // PAGE)
        in_step = 1 + -(-step_tokens // PAGE)
        windowed = [min(count, pages + in_step) for pages in self._window_pages.values()]
        return (self.groups - len(windowed)) * count + sum(windowed)

    def allocate(self, pages: SequencePages, length: int) -> bool:
        """Give a sequence pages for `length` positions. False, with none given, if there are too few.

        There are none for positions that its windows have left already.
        """
        count = -(-length // PAGE)
        if count <= pages.count:
            return True  # as in most steps
        missing = sum(max(0, count - max(first, pages.count)) for first in pages.first)
        while missing > self.free_pages + self.cached_pages:
            if not self.pins.remove_oldest():
                return False
        for index in range(pages.count, count):
            pages.append([NO_PAGE if index < first else self._allocate_page() for first in pages.first])
        return True

    def insert_pending(self, pages: SequencePages, tokens: list[int], length: int) -> None:
        """Insert the pages that a step is going to compute, up to `length` tokens, as not yet computed.

        These are the full pages, and at the end of all tokens the page that is filled in part.
        """
        self._insert_full_pages(pages, tokens, length, is_computed=False)
        if length == len(tokens):
            self._insert_tail(pages, tokens, length, is_computed=False)

    def insert(self, pages: SequencePages, tokens: list[int], length: int) -> None:
        """Insert the full pages of the first `length` tokens, all of which are computed."""
        for node in reversed(pages.nodes):
            if node.is_computed:
                break
            node.is_computed = True
        self._insert_full_pages(pages, tokens, length, is_computed=True)
        self.leave_behind(pages, length)

    def insert_tail(self, pages: SequencePages, tokens: list[int], length: int) -> None:
        """Insert the page after the full ones, with the computed tokens that it has so far."""
        if pages.tail_node is None:
            self._insert_tail(pages, tokens, length, is_computed=True)
        else:
            pages.tail_node.is_computed = True

    def release(self, pages: SequencePages, tokens: list[int], length: int) -> None:
        """Give up all pages of a sequence. Its first `length` tokens are computed and stay in the tree.

        Pages that are still not computed leave the tree.
        """
        self._remove_tail(pages)
        while pages.nodes and not pages.nodes[-1].is_computed:
            self._remove_node(pages.nodes.pop())
        self._insert_full_pages(pages, tokens, length, is_computed=True)
        self._insert_tail(pages, tokens, length, is_computed=True)
        in_tree = len(pages.nodes) + (pages.tail_node is not None)
        for row, first in zip(pages.table, pages.first, strict=True):
            self.free.given_back += row[max(first, in_tree) : pages.count].tolist()
        if pages.tail_node is not None:
            self._release_node(pages.tail_node, pages, len(pages.nodes))
        for index, node in enumerate(pages.nodes):
            self._release_node(node, pages, index)
        pages.count, pages.nodes, pages.tail_node = 0, [], None
        pages.first = [0] * self.groups

    def save_state(self, pages: SequencePages, slot: int, length: int) -> None:
        """Copy the states in a slot, for the last page of the first `length` tokens, if it is in the tree."""
        if self.snapshots is not None and len(pages.nodes) * PAGE == length:
            evicted = self.snapshots.save(pages.nodes[-1], slot)
            if evicted is not None:
                self._retire(evicted)

    def restore_state(self, pages: SequencePages, slot: int) -> None:
        """Copy the states at the end of the prefix that a sequence has acquired to its slot."""
        assert self.snapshots is not None
        self.snapshots.restore(pages.nodes[-1], slot)

    def read_state(self, pages: SequencePages) -> np.ndarray | None:
        """A copy of the states at the end of the prefix that `pages` have acquired; None without states."""
        return None if self.snapshots is None else self.snapshots.read(pages.nodes[-1])

    def write_state(self, pages: SequencePages, state: np.ndarray, length: int) -> None:
        """As `save_state`, for states that are in no slot."""
        if self.snapshots is not None and len(pages.nodes) * PAGE == length:
            evicted = self.snapshots.write(pages.nodes[-1], state, length)
            if evicted is not None:
                self._retire(evicted)

    def _find_path(self, pages: SequencePages, tokens: list[int], start: int) -> list[PageNode]:
        """The nodes of full pages that follow those of a sequence, and have its tokens from `start` on.

        Where several nodes have the same tokens, this is the path of which most can be used.
        """
        last = self._last_node(pages)
        shared = best = list(last.follow(tokens, start, pages.shared_salt))
        if pages.salt != pages.shared_salt:
            for count in range(len(shared), -1, -1):
                node = shared[count - 1] if count else last
                own = list(node.follow(tokens, start + count * PAGE, pages.salt))
                if own and self.count_usable(shared[:count] + own) > self.count_usable(best):
                    best = shared[:count] + own
        return best

    def count_usable(self, path: list[PageNode]) -> int:
        """How many of these nodes, which follow its own, a sequence can use.

        At the end of the last one, a windowed group needs all pages within the window, and a model with
        recurrent states needs a snapshot.
        """
        if not self._window_pages and self.snapshots is None:
            return len(path)
        usable, present = 0, dict.fromkeys(self._window_pages, math.inf)  # by group: pages up to the last
        for count, node in enumerate(path, 1):
            for group in present:
                present[group] = 0 if node.pages[group] == NO_PAGE else present[group] + 1
            has_state = self.snapshots is None or node in self.snapshots
            if has_state and all(present[group] >= pages for group, pages in self._window_pages.items()):
                usable = count
        return usable

    def leave_behind(self, pages: SequencePages, length: int) -> None:
        """Give up the pages that no query from position `length` on reads."""
        for group, window_pages in self._window_pages.items():
            first = length // PAGE - window_pages
            for index in range(pages.first[group], min(first, pages.count)):
                if index < len(pages.nodes):
                    self._leave_page(pages.nodes[index], group)
                else:
                    self.free.given_back.append(int(pages.table[group, index]))
            pages.first[group] = max(pages.first[group], first)

    def _insert_full_pages(
        self, pages: SequencePages, tokens: list[int], length: int, is_computed: bool
    ) -> None:
        for start in range(len(pages.nodes) * PAGE, length - length % PAGE, PAGE):
            page_tokens = tuple(tokens[start : start + PAGE])
            self._remove_tail(pages)
            twin, common = self._last_node(pages).find_closest_child(page_tokens, pages.salt)
            if twin is None or common < PAGE:
                node = self._insert_node(pages, page_tokens, is_computed)
            elif is_computed and twin.is_computed:  # another sequence had the same tokens: keep one page
                node = twin
                self._merge(pages, node)
            else:
                return  # another sequence is computing it; it can be inserted later
            pages.nodes.append(node)

    def _insert_tail(self, pages: SequencePages, tokens: list[int], length: int, is_computed: bool) -> None:
        if len(pages.nodes) == length // PAGE:
            self._remove_tail(pages)  # with fewer tokens
            tail = tuple(tokens[len(pages.nodes) * PAGE : length])
            if self._last_node(pages).find_closest_child(tail, pages.salt)[1] < len(tail):
                pages.tail_node = self._insert_node(pages, tail, is_computed)

    def _insert_node(self, pages: SequencePages, tokens: tuple[int, ...], is_computed: bool) -> PageNode:
        """Insert the page after `nodes` into the tree, which has none with these tokens there."""
        parent = self._last_node(pages)
        own = self._own_pages(pages)
        users = [int(page != NO_PAGE) for page in own]
        node = PageNode(own, tokens, parent, users, ref_count=1, is_computed=is_computed, salt=pages.salt)
        parent.children.insert(bisect_left(parent.children, node_key(node), key=node_key), node)
        return node

    def _own_pages(self, pages: SequencePages) -> list[int]:
        """By group, the page after `nodes`, or NO_PAGE if it is behind the window."""
        index = len(pages.nodes)
        own = pages.table[:, index].tolist()
        return [page if index >= first else NO_PAGE for page, first in zip(own, pages.first, strict=True)]

    def _merge(self, pages: SequencePages, twin: PageNode) -> None:
        """Use a node instead of the equal pages after `nodes`. It gets back those it has lost."""
        for group, page in enumerate(self._own_pages(pages)):
            if page == NO_PAGE:
                continue
            if twin.pages[group] == NO_PAGE:
                twin.pages[group] = page
                self.cached_pages += 1  # until it is acquired
            else:
                self.free.given_back.append(page)
        self._acquire_node(twin, pages)
        pages.table[:, len(pages.nodes)] = twin.pages

    def _last_node(self, pages: SequencePages) -> PageNode:
        """The last node of a sequence, or the root."""
        return pages.nodes[-1] if pages.nodes else self.root

    def _remove_tail(self, pages: SequencePages) -> None:
        if pages.tail_node is not None:
            self._remove_node(pages.tail_node)
            pages.tail_node = None

    def _acquire_node(self, node: PageNode, pages: SequencePages) -> None:
        """Use a node as the next one of a sequence."""
        if node.ref_count == 0:
            self.evictable.pop(node, None)
        node.ref_count += 1
        for group, page in enumerate(node.pages):
            if len(pages.nodes) >= pages.first[group]:
                if node.users[group] == 0:
                    self.cached_pages -= 1
                    self.behind.pop((node, group), None)
                node.users[group] += 1
            elif page != NO_PAGE and node.users[group] == 0:
                self.behind.setdefault((node, group))

    def _release_node(self, node: PageNode, pages: SequencePages, index: int) -> None:
        """Use a node no more, which is that of a sequence's page `index`."""
        node.ref_count -= 1
        for group, first in enumerate(pages.first):
            if index >= first:
                self._leave_page(node, group)
        self._retire(node)

    def _leave_page(self, node: PageNode, group: int) -> None:
        """Use the page of a group no more."""
        node.users[group] -= 1
        if node.users[group] == 0:
            self.cached_pages += 1
            if node.ref_count:  # it is evicted alone, before the node
                self.behind[node, group] = None

    def _retire(self, node: PageNode, is_oldest: bool = False) -> None:
        """Let a node be evicted if it has no user and no children. Without pages it leaves the tree.

        A model without KV layers has no pages, but snapshots.
        """
        while node.ref_count == 0 and not node.children:
            has_state = self.snapshots is not None and node in self.snapshots
            if any(page != NO_PAGE for page in node.pages) or (has_state and not self.groups):
                if node not in self.evictable:
                    self.evictable[node] = None
                    self.evictable.move_to_end(node, last=not is_oldest)
                return
            self.evictable.pop(node, None)
            node = self._remove_node(node)

    def _remove_node(self, node: PageNode) -> PageNode:
        """Returns its parent."""
        if self.snapshots is not None:
            self.snapshots.drop(node)
        parent = node.parent
        assert parent is not None  # the root has a reference
        del parent.children[bisect_left(parent.children, node_key(node), key=node_key)]
        return parent

    def _allocate_page(self) -> int:
        """A page that holds nothing. If there is none, some are evicted."""
        if not self.free:
            self._evict()
        return self.free.take()

    def _evict(self) -> None:
        """Evict a page behind all windows, or else all pages of the least recently used leaf."""
        if self.behind:
            node, group = next(iter(self.behind))
            self._evict_page(node, group)
            self._retire(node)
        else:
            self.evict(next(iter(self.evictable)))

    def evict(self, node: PageNode) -> None:
        """Evict all pages of a leaf that no sequence uses."""
        for group, page in enumerate(node.pages):
            if page != NO_PAGE:
                self._evict_page(node, group)
        if self.snapshots is not None:
            self.snapshots.drop(node)
        # Its parent was last used together with its last child, so it is as old.
        self._retire(node, is_oldest=True)

    def _evict_page(self, node: PageNode, group: int) -> None:
        self.behind.pop((node, group), None)
        self.free.given_back.append(node.pages[group])
        node.pages[group] = NO_PAGE
        self.cached_pages -= 1
