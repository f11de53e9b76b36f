"""The KV cache: keys and values of computed positions, so that each new token computes only its own.

It consists of pages, as in PagedAttention (Kwon et al., 2023, arXiv:2309.06180). The positions of a sequence
lie in any pages, and its page tables list these in order. `page_pool.py` decides which sequence has which.

Layers of one shape and window form groups. A page belongs to one group at a time, and holds PAGE positions of
all its layers. The layers are divided so that all groups need nearly the same bytes. So any group can use any
page, and windowed groups need only the pages within their window.
"""

import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.layout import INT16, KV_MEMORY, PAGE
from ..machine.memory import aligned_zeros, round_up
from ..tape.operations import KVLayer
from ..weights.matrix import KINDS
from .states import StateCache


@dataclass(frozen=True)
class KVGroup:
    """KV layers of one shape. `layers`: their indices on the tape."""

    shape: KVLayer
    layers: tuple[int, ...]


def group_layers(layers: Sequence[KVLayer]) -> list[KVGroup]:
    """Divide the KV layers of a tape into groups of nearly equal size, with few groups and little waste."""
    kinds: dict[KVLayer, list[int]] = {}
    for number, layer in enumerate(layers):
        kinds.setdefault(layer, []).append(number)
    if not kinds:
        return []
    smallest = min(kinds, key=lambda kind: kind.size * len(kinds[kind]))

    def divide(parts: int) -> list[KVGroup]:
        """The division that has the smallest kind in `parts` groups."""
        page = max(smallest.size * -(-len(kinds[smallest]) // parts), *(kind.size for kind in kinds), 0)
        groups = []
        for kind, numbers in kinds.items():
            count = -(-len(numbers) // (page // kind.size))
            parts_of_kind = np.array_split(np.array(numbers), count)
            groups += [KVGroup(kind, tuple(part.tolist())) for part in parts_of_kind]
        return groups

    def cost(groups: list[KVGroup]) -> int:
        """The size of a page in all groups; a further group costs as much as 1/64 of it."""
        return max(g.shape.size * len(g.layers) for g in groups) * len(groups) * (64 + len(groups))

    return min((divide(parts) for parts in range(1, 5)), key=cost)


class KVCache:
    """The pages of all sequences. The system provides their memory when they are first written.

    Attributes:
        pages: how many there are. page_bytes: the size of each.
        windows: that of each group, None for all positions.
        states: the recurrent states of sequences, if the model has some.
        records: KV_MEMORY [groups], the form that kernels read.
    """

    def __init__(
        self,
        groups: Sequence[KVGroup],
        pages: int,
        dtype: str = "float32",
        states: StateCache | None = None,
    ) -> None:
        """Reserve memory for `pages` pages. Raises OSError, ValueError or OverflowError if it is too much."""
        self.groups, self.pages, self.dtype, self.states = groups, pages, dtype, states
        self.page_bytes = self.bytes_per_page(groups, dtype)
        self.windows = [group.shape.window for group in groups]
        self.memory = aligned_zeros((pages, self.page_bytes), np.uint8)
        self.records = np.zeros(len(groups), KV_MEMORY)
        for record, group in zip(self.records, groups, strict=True):
            parts, shape = _parts(group.shape, dtype), group.shape
            record["kind"], record["kv_heads"] = _kind_of(shape, dtype), shape.kv_heads
            record["key_dim"], record["value_dim"] = shape.key_dim, shape.value_dim
            record["padded_dim"] = round_up(shape.key_dim if shape.is_latent else shape.value_dim, PAGE)
            record["page_stride"], record["layer_stride"] = self.page_bytes, _layer_bytes(shape, dtype)
            for name, (offset, _, _) in parts.items():
                record[name] = self.memory.ctypes.data + offset
            if shape.is_latent:
                record["key_scales"] = record["value_scales"]

    @staticmethod
    def bytes_per_page(groups: Iterable[KVGroup], dtype: str = "float32") -> int:
        """Bytes of a page.

        They are an odd multiple of 1 KiB: with a power of two between them, the parts of all pages that one
        KV head reads would compete for the same few sets of the processor's caches.
        """
        size = max((_layer_bytes(g.shape, dtype) * len(g.layers) for g in groups), default=0)
        return (-(-size // 1024) | 1) * 1024

    def provide(self, first: int, end: int) -> None:
        """Have the system provide the memory of pages that were never used: then no request waits for it."""
        self.memory[first:end].reshape(-1)[:: mmap.PAGESIZE] = 0

    def copy_page(self, source: int, target: int) -> None:
        """Copy one page to another."""
        self.memory[target] = self.memory[source]

    def arrays(self, group: int = 0) -> dict[str, np.ndarray]:
        """Views of the memory as it looks to a group, by name.

        keys: [layers, pages, kv_heads, key_dim, PAGE] of float32, float16 or int8, so that a vector holds one
        dimension of all positions of a page. values: [layers, pages, kv_heads, PAGE, value_dim], the last
        axis padded with zeros to whole vectors. With int8 also key_scales and value_scales, the scale of each
        position and head, float32 [layers, pages, kv_heads, PAGE]. With int16 as well, where keys are
        [layers, pages, kv_heads, key_dim / 2, PAGE, 2], and values [layers, pages, kv_heads, PAGE / 2,
        value_dim, 2]: pairs that are multiplied at once stay together. Latents are stored once, as values
        are, and keys and values are views of them.
        """
        shape, views = self.groups[group].shape, dict[str, np.ndarray]()
        for name, (offset, sizes, dtype) in _parts(shape, self.dtype).items():
            inner = np.empty(sizes, dtype).strides
            views[name] = np.ndarray(
                (len(self.groups[group].layers), self.pages, *sizes),
                dtype,
                self.memory.data,
                offset,
                (_layer_bytes(shape, self.dtype), self.page_bytes, *inner),
            )
        if shape.is_latent:
            latents = views["values"]
            views |= {"keys": latents.swapaxes(-1, -2)[..., : shape.key_dim, :]}
            views["values"] = latents[..., : round_up(shape.value_dim, PAGE)]
            if self.dtype == "int8":
                views["key_scales"] = views["value_scales"]
        return views


def _store_as(shape: KVLayer, dtype: str) -> str:
    """How a layer is stored. Latents, and keys that only an indexer reads, are no words."""
    return "float16" if dtype == "int16" and (shape.is_latent or not shape.value_dim) else dtype


def _kind_of(shape: KVLayer, dtype: str) -> int:
    stored = _store_as(shape, dtype)
    return INT16 if stored == "int16" else KINDS[stored]


def _parts(shape: KVLayer, dtype: str) -> dict[str, tuple[int, tuple[int, ...], str]]:
    """What a page has of one layer: name -> (offset in bytes, shape, dtype)."""
    heads, scales, dtype = shape.kv_heads, ["key_scales", "value_scales"], _store_as(shape, dtype)
    sizes: dict[str, tuple[int, ...]]
    sizes = {"keys": (heads, shape.key_dim, PAGE), "values": (heads, PAGE, round_up(shape.value_dim, PAGE))}
    if shape.is_latent:
        sizes, scales = {"values": (1, PAGE, round_up(shape.key_dim, PAGE))}, ["value_scales"]
    if dtype == "int16":
        padded = round_up(shape.value_dim, PAGE)
        sizes = {"keys": (heads, -(-shape.key_dim // 2), PAGE, 2), "values": (heads, PAGE // 2, padded, 2)}
    parts, offset = dict[str, tuple[int, tuple[int, ...], str]](), 0
    for name, size in sizes.items():
        parts[name] = offset, size, dtype
        offset += round_up(int(np.prod(size)) * np.dtype(dtype).itemsize, 64)
    if dtype in ("int8", "int16"):
        for name in scales:
            parts[name] = offset, (heads, PAGE), "float32"
            offset += heads * PAGE * 4
    return parts


def _layer_bytes(shape: KVLayer, dtype: str) -> int:
    """Bytes that a layer takes in a page."""
    offset, size, kind = list(_parts(shape, dtype).values())[-1]
    return offset + round_up(int(np.prod(size)) * np.dtype(kind).itemsize, 64)
