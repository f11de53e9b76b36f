"""Nodes of the tree of pages, and the path of a sequence in it (see page_pool.py)."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from .memory import PAGE

NO_PAGE = -1
Salt = str | tuple[int, str, int]  # all of a tree have the same type


@dataclass(eq=False, slots=True)
class PageNode:
    """A page of each group, with the tokens of their positions. These follow the tokens of all ancestors.

    A node with fewer than PAGE tokens, the last of a request, has no children. The root has no parent, no
    pages and no tokens. Children are sorted by their salts, then by their tokens.
    """

    pages: list[int]  # by group, NO_PAGE where it was evicted
    tokens: tuple[int, ...]
    parent: "PageNode | None"
    users: list[int] = field(default_factory=list)  # by group: sequences that use the page
    children: list["PageNode"] = field(default_factory=list)
    ref_count: int = 0  # sequences that use it; each of them uses its ancestors too
    is_computed: bool = True  # False while a step computes it
    salt: Salt = ""  # only sequences with this salt use the node
    is_saved: bool = False  # on disk, with all before it
    hits: int = 0  # how often a sequence has found it

    def find_closest_child(self, tokens: tuple[int, ...], salt: Salt) -> tuple["PageNode | None", int]:
        """The child with the longest common prefix with `tokens`, and the length of this prefix.

        Of several children that begin with all `tokens`, it is one that is computed, if there is one.
        """
        index = bisect_left(self.children, (salt, tokens), key=node_key)
        closest, longest = None, 0
        for child in self.children[max(0, index - 1) : index + 1]:  # sorted, so it is one of these two
            length = _common_prefix_length(child.tokens, tokens) if child.salt == salt else 0
            if length > longest:
                closest, longest = child, length
        if closest is not None and not closest.is_computed and longest == len(tokens):
            others = takewhile(
                lambda child: child.salt == salt and child.tokens[:longest] == tokens, self.children[index:]
            )
            closest = next((child for child in others if child.is_computed), closest)
        return closest, longest

    def path(self) -> list["PageNode"]:
        """The nodes from the root to this one, without the root."""
        path, node = [], self
        while node.parent is not None:
            path.append(node)
            node = node.parent
        return path[::-1]

    def follow(self, tokens: list[int], start: int, salt: Salt) -> Iterator["PageNode"]:
        """The computed full pages below this node with the tokens from `start` on, without the last one."""
        node = self
        while start + PAGE < len(tokens):
            child, common = node.find_closest_child(tuple(tokens[start : start + PAGE]), salt)
            if child is None or common < PAGE or not child.is_computed:
                return
            yield child
            node, start = child, start + PAGE


@dataclass(eq=False, slots=True)
class SequencePages:
    """The pages of one sequence, in order: `table[group, first[group] : count]`.

    The first `len(nodes)` of them are in the tree. The others belong to the sequence alone. `tail_node` is
    the tree's node of the pages that are being filled. It has those of their tokens that the prompt has.
    """

    table: np.ndarray  # int32 [groups, pages], with room for as many pages as the sequence can need
    salt: Salt = ""  # of the nodes that it adds to the tree
    shared_salt: Salt = ""  # of nodes that everybody may use
    count: int = 0
    nodes: list[PageNode] = field(default_factory=list)
    tail_node: PageNode | None = None
    first: list[int] = field(init=False)  # by group: the pages before it are behind the window

    def __post_init__(self) -> None:
        self.first = [0] * len(self.table)

    @property
    def capacity(self) -> int:
        """Positions that fit into the pages."""
        return self.count * PAGE

    def append(self, pages: list[int]) -> None:
        """Add a page of each group at the end."""
        self.table[:, self.count] = pages
        self.count += 1

    def add_node(self, node: PageNode) -> None:
        """Add the pages of a node that was found in the tree."""
        self.nodes.append(node)
        self.append(node.pages)
        node.hits += 1


def node_key(node: PageNode) -> tuple[Salt, tuple[int, ...]]:
    """The key of the order of children."""
    return node.salt, node.tokens


def _common_prefix_length(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many first tokens are the same."""
    if a == b:
        return len(a)
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


CacheRoot = tuple[int, str, int]


OWN_ROOT = 1  # the first of a root for requests of one salt


def shared_root(adapter: int = 0) -> CacheRoot:
    """The salt of pages for everybody, which no request can name. `adapter`: the number of its adapter."""
    return 0, "", adapter
