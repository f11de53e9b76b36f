"""The tensors of a tower in a GGUF file, where the converter has stored them in another form than folders."""

import math
from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from ...weights.codes import Codes
from .names import Places
from .reader import GGUFFile
from .source import GGUFSource

FRAMES = ("v.patch_embd.weight", "v.patch_embd.weight.1")  # kernels over patches of two equal frames
# Of kernels over patches, and of a table of positions. Axis i is axis _AXES[name][i] of what is stored.
_AXES = {
    "model.vision_tower.embeddings.patch_embedding.weight": (0, 2, 3, 1),
    "model.vision_tower.patch_embedder.input_proj.weight": (0, 2, 3, 1),
    "model.vision_embedder.pos_embedding": (1, 0, 2),
}
# Tensors whose columns are a patch. In the file, its channels follow each other.
_CHANNELS_LAST = [
    f"model.vision_embedder.patch_{name}" for name in ("dense.weight", "ln1.weight", "ln1.bias")
]
_OFFSETS = {"model.multi_modal_projector.mm_soft_emb_norm.weight": -1.0}  # to which 1 was added


class TowerSource(GGUFSource):
    """A `GGUFSource` with kernels of two frames, which are added, and with axes in the order of folders.

    Tensors with other axes are read as floats, whatever they are stored as.
    """

    def __init__(self, file: GGUFFile, places: Places, channels_last: bool) -> None:
        """`places`: by names. `channels_last`: whether pixels have their channels in the family's patches."""
        places, self._axes = dict(places), dict[str, tuple[int, ...]]()
        for name, place in places.items():
            entry = file.entries.get(place.names[0])
            shape = entry.shape if entry is not None else ()
            if name in _AXES and len(shape) == len(_AXES[name]) and channels_last:
                self._axes[name] = _AXES[name]
                shape = tuple(shape[axis] for axis in _AXES[name])
                flat = (shape[0], math.prod(shape[1:]))  # of a kernel
                places[name] = replace(place, shape=shape if len(shape) < 4 else flat)
            elif name in _CHANNELS_LAST and shape:
                places[name] = replace(place, columns=_order_channels(shape[-1]))
            elif name.endswith(("put_min", "put_max")):
                places[name] = replace(place, shape=())
            elif name in _OFFSETS:
                places[name] = replace(place, offset=_OFFSETS[name])
        super().__init__(file, places)

    def __getitem__(self, name: str) -> np.ndarray:
        array = super().__getitem__(name)
        if name in self._axes:
            stored = self._file.entries[self._places[name].names[0]].shape
            return array.reshape(stored).transpose(self._axes[name]).reshape(self.shape(name))
        if name == "model.visual.patch_embed.proj.weight" and FRAMES[1] in self._file.entries:
            return array.astype(np.float32) + super().__getitem__(FRAMES[1]).astype(np.float32)
        return array

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """See TensorSource."""
        return None if name in self._axes else super().codes(name, expert)

    def layout(self, name: str) -> Hashable:
        """See TensorSource."""
        return None if name in self._axes else super().layout(name)


def _order_channels(size: int) -> np.ndarray:
    """The places, in a patch of channels, of the numbers of a patch of pixels with their channels."""
    side = math.isqrt(size // 3)
    return np.arange(3 * side**2).reshape(3, side, side).transpose(1, 2, 0).reshape(-1)
