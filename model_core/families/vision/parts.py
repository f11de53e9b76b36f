"""What towers of vision have in common: their configuration, prepared images, stages, and layers."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...images.image import Pixels
from ...images.resize import resize
from ...images.resize_weights import find_weights
from ...tape import operations
from ...tape.operations import KVLayer
from ...tape.references import Span, WeightRef
from ...tape.rope import RopeConfig
from ...tape.tape import Tape


@dataclass(frozen=True)
class VisionConfig:
    """The shape of a tower. A family that needs more fields adds them in its own class.

    Attributes:
        family: `model_type` of config.json.
        hidden_size, intermediate_size, layers, heads: of the tower.
        out_size: the hidden size of the text model.
        patch_size: pixels of a side of a patch.
        norm_eps: is added to the variance in norms.
        activation: of the MLPs, a key of operators.FUNCTIONS.
        placeholder: what the chat template writes for an image.
        row_token: the token of a row of an image in the prompt; row_token_id: its id.
        parts: of the rows that the text model is given, see Batch.given.
        resample: how images are resized, see images/resize.py.
        mean, std: of the channels, in units of the largest pixel value.
        sees_both_ways: whether the rows of an image see each other both ways in the text model.
        has_axes: whether positions of rows of an image have three axes in the text model.
        filler_id: the token whose embeddings for layers rows of images have, where a model has such.
    """

    family: str
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    out_size: int
    patch_size: int
    norm_eps: float
    activation: str
    placeholder: str
    row_token: str
    row_token_id: int
    parts: int
    resample: str
    mean: tuple[float, ...]
    std: tuple[float, ...]
    sees_both_ways: bool = field(default=False, kw_only=True)
    has_axes: bool = field(default=False, kw_only=True)
    filler_id: int | None = field(default=None, kw_only=True)

    @property
    def head_dim(self) -> int:
        """Numbers of a head."""
        return self.hidden_size // self.heads


@dataclass(frozen=True, eq=False)
class ImagePart:
    """What the tower computes at once: an image, or a tile of one.

    Attributes:
        values: uint8 [height, width, 3], pixels in the size that the tower takes.
        grid: patches in a column and in a row.
        digest: of all that the rows depend on, but for the tower.
        rows: in the prompt.
        axes: int32 [rows, 3], positions of three axes, from 0 on; None: they are those of text.
        advance: positions that text after it is away from its start.
    """

    values: np.ndarray
    grid: tuple[int, int]
    digest: bytes
    rows: int
    axes: np.ndarray | None
    advance: int


@dataclass(frozen=True, eq=False)
class PreparedImage:
    """An image for the tower.

    Attributes:
        parts: in the order of the prompt.
        text: what stands for it in the prompt: the row token as often as it has rows, and marks around.
    """

    parts: tuple[ImagePart, ...]
    text: str

    @property
    def tokens(self) -> int:
        """Rows in the prompt, marks not counted."""
        return sum(part.rows for part in self.parts)

    @property
    def nbytes(self) -> int:
        """Bytes of its pixels."""
        return sum(part.values.nbytes for part in self.parts)


@dataclass(frozen=True, eq=False)
class ImageSpan:
    """A part of an image, and the place of its first row in a prompt."""

    start: int
    part: ImagePart

    @property
    def end(self) -> int:
        """The place behind its last row."""
        return self.start + self.part.rows


def count_rows(images: Iterable[ImageSpan]) -> int:
    """The rows of images in a prompt."""
    return sum(image.part.rows for image in images)


@dataclass(frozen=True)
class StageInput:
    """The input of a stage.

    Attributes:
        rows: how many it computes.
        inputs: float32 [rows, width], by the buffers of the tape's inputs.
        axes, bounds: as of a Batch; None: there are none.
    """

    rows: int
    inputs: Mapping[str, np.ndarray]
    axes: np.ndarray | None = None
    bounds: np.ndarray | None = None


# An image part, the stored tables by name, and the outputs of the stage before -> the input of a stage.
Feed = Callable[[ImagePart, Mapping[str, np.ndarray], Sequence[np.ndarray]], StageInput]


@dataclass(frozen=True)
class Stage:
    """A part of a tower, whose rows are those of one grid: patches, or what they are merged into.

    Attributes:
        tape: computes its rows. outputs: what the next stage takes; of the last, the rows for the text model.
        feed: makes its input. most_rows: that it computes of a part of an image.
    """

    tape: Tape
    outputs: tuple[Span, ...]
    feed: Feed
    most_rows: int


@dataclass(frozen=True)
class Tower:
    """A tower as stages.

    Attributes:
        tables: tensors that feeds read, and their shapes.
        orders: row i of a stored tensor of this name is row orders[i] of what the files have.
    """

    stages: tuple[Stage, ...]
    tables: Mapping[str, tuple[int, ...]]
    orders: Mapping[str, np.ndarray] = field(default_factory=dict)


def digest_part(pixels: np.ndarray, *facts: object) -> bytes:
    """The digest of pixels as the tower gets them, and of other facts."""
    head = f"{pixels.shape} {facts}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(pixels).tobytes()).digest()


def resize_pixels(pixels: Pixels, height: int, width: int, kind: str) -> np.ndarray:
    """The pixels in another size: uint8 [height, width, 3]."""
    if pixels.values.shape[:2] == (height, width):
        return pixels.values
    return resize(pixels.values, height, width, kind)


def normalize(values: np.ndarray, mean: Sequence[float], std: Sequence[float]) -> np.ndarray:
    """(pixel / 255 - mean) / std of each channel: uint8 [height, width, 3] -> float32 of the same shape."""
    levels = np.arange(256) / 255.0
    table = ((levels[:, None] - np.array(mean)) / np.array(std)).astype(np.float32)  # [256, 3]
    return np.stack([table[values[..., channel], channel] for channel in range(3)], axis=-1)


def cut_patches(values: np.ndarray, size: int, merge: int = 1, channels_last: bool = False) -> np.ndarray:
    """float32 [height, width, 3] -> [patches, 3 * size * size]: channels, then rows of pixels.

    Patches follow each other in blocks of `merge` by `merge`, from left to right and down. channels_last:
    they have rows of pixels, and each pixel has its channels.
    """
    height, width, _ = values.shape
    side = size * merge
    blocks = values.reshape(height // side, merge, size, width // side, merge, size, 3)
    order = (0, 3, 1, 4, 2, 5, 6) if channels_last else (0, 3, 1, 4, 6, 2, 5)
    return np.ascontiguousarray(blocks.transpose(order)).reshape(-1, 3 * size * size)


def place_patches(rows: int, columns: int, merge: int = 1) -> np.ndarray:
    """The row and the column of each patch, in the order of `cut_patches`: int32 [patches, 2]."""
    places = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1)
    blocks = places.reshape(rows // merge, merge, columns // merge, merge, 2).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(blocks.reshape(-1, 2), np.int32)


def spread_axes(rows: int, columns: int) -> np.ndarray:
    """Positions of three axes for the rows of an image: 0, its row and its column: int32 [rows, 3]."""
    places = place_patches(rows, columns)
    return np.concatenate([np.zeros_like(places[:, :1]), places], axis=1)


def interpolate_table(table: np.ndarray, grid: tuple[int, int], merge: int) -> np.ndarray:
    """The rows of a square table, resized bilinearly to a grid whose corners are its corners.

    table: float32 [side * side, width] -> [patches, width], in the order of `cut_patches`.
    """
    side, places = round(len(table) ** 0.5), place_patches(*grid, merge)
    lows, shares = [], []
    for axis in range(2):
        at = places[:, axis].astype(np.float32) * np.float32(side - 1) / np.float32(max(grid[axis] - 1, 1))
        low = np.floor(at)
        lows.append(low.astype(np.int64))
        shares.append((at - low)[:, None])
    total: np.ndarray | None = None
    for down in range(2):
        for right in range(2):
            y, x = (np.minimum(low + step, side - 1) for low, step in zip(lows, (down, right), strict=True))
            share_y, share_x = (
                share if step else 1 - share for share, step in zip(shares, (down, right), strict=True)
            )
            term = table[y * side + x] * (share_y * share_x)
            total = term if total is None else total + term
    assert total is not None
    return total


def resize_table(table: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """The rows of a square table, resized bilinearly to a grid; a smaller one takes all rows into account.

    table: float32 [side * side, width] -> [patches, width], from left to right and down. Sums are in float64,
    without products of matrices, whose bits depend on the processor.
    """
    side, width = round(len(table) ** 0.5), table.shape[1]
    values = table.reshape(side, side, width).astype(np.float64)
    for axis, length in enumerate(grid):
        lines = np.moveaxis(values, axis, 0)
        resized = np.zeros((length, *lines.shape[1:]))
        for line, (first, weights) in zip(resized, find_weights(side, length, "bilinear"), strict=True):
            for place, weight in enumerate(weights, first):
                line += lines[place] * weight
        values = np.moveaxis(resized, 0, axis)
    return np.ascontiguousarray(values, np.float32).reshape(-1, width)


def merge_rows(rows: np.ndarray, count: int) -> np.ndarray:
    """Each `count` neighbouring rows as one: [rows, width] -> [rows / count, count * width]."""
    return np.ascontiguousarray(rows).reshape(len(rows) // count, -1)


def embed_patches(t: Tape, c: VisionConfig, name: str, bias: bool = True) -> Span:
    """The patches of the input, times the matrix `name`."""
    patches = t.take_input("patches", 3 * c.patch_size**2)
    return t.project(patches, "x", name, c.hidden_size, bias)


def attend_to_image(
    t: Tape, q: Span, k: Span, v: Span, rope: RopeConfig | None, in_bounds: bool = False, scale: float = 0.0
) -> Span:
    """Attention to all patches, or to those within the bounds of each. All layers use one KV layer in turn.

    scale: of scores; 0: the usual one.
    """
    q, k = t.rope(q, rope), t.rope(k, rope)
    if not t.kv_layers:
        t.kv_layers.append(KVLayer(k.heads, k.size, v.size, None))
    t.records.append(operations.WriteKV(k, v, 0))
    y = Span("mixed", 0, q.heads * v.size, q.heads)
    window, ahead = (1, 0) if in_bounds else (None, None)
    settings = (scale or q.size**-0.5, window, None, None, ahead, None, False, in_bounds)
    t.records.append(operations.Attend(q, y, 0, *settings))
    return y


def add_bias(t: Tape, x: Span, name: str) -> Span:
    """Add the vector `name`, in place."""
    return t.map("add", x, WeightRef(name, (x.width,)))
