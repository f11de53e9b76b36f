"""Pages of KV memory: which sequence has which, and the prefix cache of pages that can be used again.

Full pages are in a tree by their tokens, as in SGLang's RadixAttention (Zheng et al., 2023,
arXiv:2312.07104), so requests with the same first tokens share them. A page that no sequence uses stays in
the tree until its memory is needed. The least recently used page is evicted first.

A sequence has pages of each group of KV layers. A windowed group reads only the latest ones, so the sequence
gives up those behind its window. They stay in the tree too, and are evicted before all others.

A model with recurrent states can go on only from a place whose state is known. Some nodes have a snapshot of
it at their end, and a prefix ends at one of these.

Each cache salt has a tree of its own. So requests with different salts never share pages, and neither token
counts nor times tell one of them what is in the prompts of another.
"""

import math
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Hashable

from .kv_cache import PAGE, KVCache
from .page_tree import NO_PAGE, PageNode, SequencePages, node_tokens
from .state import Snapshots


class PagePool:
    """The pages of a KV cache. Not thread-safe: the engine holds its lock.

    A sequence that starts, or that has filled a page, looks for the next pages in the tree
    (`acquire_prefix`). It allocates the pages for what it computes next (`allocate`). The pages of a prompt
    are in the tree while they are computed (`insert_pending`), so that another sequence with the same
    tokens can wait for them. Computed pages are inserted (`insert`), and stay in the tree when the sequence
    leaves (`release`).
    """

    def __init__(self, cache: KVCache) -> None:
        self.total_pages, self.groups = cache.pages, len(cache.windows)
        self.cached_pages = 0  # in the tree, used by no sequence
        # By windowed group: how many pages before a page the queries of its positions read.
        self._window_pages = {
            group: -(-(window - 1) // PAGE)
            for group, window in enumerate(cache.windows)
            if window is not None
        }
        self._cache = cache
        # Recurrent states at the ends of nodes.
        self._snapshots = None if cache.states is None else Snapshots[PageNode](cache.states)
        self._roots: dict[Hashable, PageNode] = {}  # by salt, those that have children
        self._free: list[int] = []
        self._first_untouched = 0  # pages from here on have never been used
        self._evictable: OrderedDict[PageNode, None] = OrderedDict()  # leaves without a user, oldest first
        # Pages without a user, by node and group, that are behind the windows of those who use the node.
        self._behind: OrderedDict[tuple[PageNode, int], None] = OrderedDict()

    @property
    def free_pages(self) -> int:
        """Pages that hold nothing."""
        return len(self._free) + self.total_pages - self._first_untouched

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
        path, node = [], self._last_node(pages)
        end = computed
        while True:
            page_tokens = tuple(tokens[end : min(end + PAGE, len(tokens) - 1)])
            child, common = node.find_closest_child(page_tokens)
            if child is None or common < PAGE or not child.is_computed:
                break
            path.append(child)
            node, end = child, end + PAGE
        usable = self._count_usable(path)
        computed += usable * PAGE
        self._leave_behind(pages, computed)
        for node in path[:usable]:
            self._acquire_node(node, pages)
            pages.nodes.append(node)
            pages.append(node.pages)
        if child is None or usable < len(path):
            return computed, False
        if not child.is_computed:
            return computed, common == len(page_tokens)
        if NO_PAGE not in child.pages and self._snapshots is None:
            holder = SequencePages(pages.table)  # without it `allocate` could evict the pages that are copied
            self._acquire_node(child, holder)
            if self.allocate(pages, computed + 1):
                for source, target in zip(child.pages, pages.table[:, pages.count - 1].tolist(), strict=True):
                    self._cache.copy_page(source, target)
                computed += common
            self._release_node(child, holder, 0)
        return computed, False

    def max_pages(self, positions: int, step_tokens: int) -> int:
        """The most pages that a sequence uses at a time, if a step computes up to `step_tokens` of it."""
        count = -(-positions // PAGE)
        in_step = 1 + -(-step_tokens // PAGE)
        windowed = [min(count, pages + in_step) for pages in self._window_pages.values()]
        return (self.groups - len(windowed)) * count + sum(windowed)

    def allocate(self, pages: SequencePages, length: int) -> bool:
        """Give a sequence pages for `length` positions. False, with nothing changed, if there are too few."""
        missing = -(-length // PAGE) - pages.count
        if missing <= 0:
            return True  # as in most steps
        if missing * self.groups > self.free_pages + self.cached_pages:
            return False
        for _ in range(missing):
            pages.append([self._allocate_page() for _ in range(self.groups)])
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
        self._leave_behind(pages, length)

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
            self._free += row[max(first, in_tree) : pages.count].tolist()
        if pages.tail_node is not None:
            self._release_node(pages.tail_node, pages, len(pages.nodes))
        for index, node in enumerate(pages.nodes):
            self._release_node(node, pages, index)
        pages.count, pages.nodes, pages.tail_node = 0, [], None
        pages.first = [0] * self.groups

    def save_state(self, pages: SequencePages, slot: int, length: int) -> None:
        """Copy the states in a slot, for the last page of the first `length` tokens, if it is in the tree."""
        if len(pages.nodes) * PAGE == length:
            evicted = self._snapshots.save(pages.nodes[-1], slot)
            if evicted is not None:
                self._retire(evicted)

    def restore_state(self, pages: SequencePages, slot: int) -> None:
        """Copy the states at the end of the prefix that a sequence has acquired to its slot."""
        self._snapshots.restore(pages.nodes[-1], slot)

    def _count_usable(self, path: list[PageNode]) -> int:
        """How many of these nodes, which follow its own, a sequence can use.

        At the end of the last one, a windowed group needs all pages within the window, and a model with
        recurrent states needs a snapshot.
        """
        if not self._window_pages and self._snapshots is None:
            return len(path)
        usable, present = 0, dict.fromkeys(self._window_pages, math.inf)  # by group: pages up to the last
        for count, node in enumerate(path, 1):
            for group in present:
                present[group] = 0 if node.pages[group] == NO_PAGE else present[group] + 1
            has_state = self._snapshots is None or node in self._snapshots
            if has_state and all(present[group] >= pages for group, pages in self._window_pages.items()):
                usable = count
        return usable

    def _leave_behind(self, pages: SequencePages, length: int) -> None:
        """Give up the pages that no query from position `length` on reads."""
        for group, window_pages in self._window_pages.items():
            first = length // PAGE - window_pages
            for index in range(pages.first[group], min(first, pages.count)):
                if index < len(pages.nodes):
                    self._leave_page(pages.nodes[index], group)
                else:
                    self._free.append(int(pages.table[group, index]))
            pages.first[group] = max(pages.first[group], first)

    def _insert_full_pages(
        self, pages: SequencePages, tokens: list[int], length: int, is_computed: bool
    ) -> None:
        for start in range(len(pages.nodes) * PAGE, length - length % PAGE, PAGE):
            page_tokens = tuple(tokens[start : start + PAGE])
            self._remove_tail(pages)
            twin, common = self._last_node(pages).find_closest_child(page_tokens)
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
            if self._last_node(pages).find_closest_child(tail)[1] < len(tail):
                pages.tail_node = self._insert_node(pages, tail, is_computed)

    def _insert_node(self, pages: SequencePages, tokens: tuple[int, ...], is_computed: bool) -> PageNode:
        """Insert the page after `nodes` into the tree, which has none with these tokens there."""
        parent = self._last_node(pages)
        own = self._own_pages(pages)
        users = [int(page != NO_PAGE) for page in own]
        node = PageNode(own, tokens, parent, users, ref_count=1, is_computed=is_computed)
        parent.children.insert(bisect_left(parent.children, tokens, key=node_tokens), node)
        if parent.parent is None:
            self._roots[parent.salt] = parent
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
                self._free.append(page)
        self._acquire_node(twin, pages)
        pages.table[:, len(pages.nodes)] = twin.pages

    def _last_node(self, pages: SequencePages) -> PageNode:
        """The last node of a sequence, or the root of its tree."""
        if pages.nodes:
            return pages.nodes[-1]
        return self._roots.get(pages.salt) or PageNode([], (), None, ref_count=1, salt=pages.salt)

    def _remove_tail(self, pages: SequencePages) -> None:
        if pages.tail_node is not None:
            self._remove_node(pages.tail_node)
            pages.tail_node = None

    def _acquire_node(self, node: PageNode, pages: SequencePages) -> None:
        """Use a node as the next one of a sequence."""
        if node.ref_count == 0:
            self._evictable.pop(node, None)
        node.ref_count += 1
        for group, page in enumerate(node.pages):
            if len(pages.nodes) >= pages.first[group]:
                if node.users[group] == 0:
                    self.cached_pages -= 1
                    self._behind.pop((node, group), None)
                node.users[group] += 1
            elif page != NO_PAGE and node.users[group] == 0:
                self._behind.setdefault((node, group))

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
                self._behind[node, group] = None

    def _retire(self, node: PageNode, is_oldest: bool = False) -> None:
        """Let a node be evicted if it has no user and no children. Without pages it leaves the tree.

        A model without KV layers has no pages, but snapshots.
        """
        while node.ref_count == 0 and not node.children:
            has_state = self._snapshots is not None and node in self._snapshots
            if any(page != NO_PAGE for page in node.pages) or (has_state and not self.groups):
                if node not in self._evictable:
                    self._evictable[node] = None
                    self._evictable.move_to_end(node, last=not is_oldest)
                return
            self._evictable.pop(node, None)
            self._remove_node(node)
            node = node.parent

    def _remove_node(self, node: PageNode) -> None:
        if self._snapshots is not None:
            self._snapshots.drop(node)
        parent = node.parent
        del parent.children[bisect_left(parent.children, node.tokens, key=node_tokens)]
        if parent.parent is None and not parent.children:
            del self._roots[parent.salt]  # otherwise the roots of all salts would stay for ever

    def _allocate_page(self) -> int:
        """A page that holds nothing. If there is none, some are evicted."""
        if not self._free and self._first_untouched < self.total_pages:
            self._first_untouched += 1
            return self._first_untouched - 1
        if not self._free:
            self._evict()
        return self._free.pop()

    def _evict(self) -> None:
        """Evict a page behind all windows, or else all pages of the least recently used leaf."""
        if self._behind:
            node, group = next(iter(self._behind))
            self._evict_page(node, group)
            self._retire(node)
        else:
            node = next(iter(self._evictable))
            for group, page in enumerate(node.pages):
                if page != NO_PAGE:
                    self._evict_page(node, group)
            # Its parent was last used together with its last child, so it is as old.
            self._retire(node, is_oldest=True)

    def _evict_page(self, node: PageNode, group: int) -> None:
        self._behind.pop((node, group), None)
        self._free.append(node.pages[group])
        node.pages[group] = NO_PAGE
        self.cached_pages -= 1
