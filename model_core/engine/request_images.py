"""The images of one request: the places of their rows in its prompt, their positions, and their names."""

import hashlib
from collections.abc import Sequence

import numpy as np

from ..families.vision.parts import ImagePart, ImageSpan
from ..model.batch import Sight
from ..vision.encoder import ImageEncoder

_ROWS_AHEAD = 1024  # that a request has before it starts
_KEY_BIT = 2**62  # of keys of rows, so that none is the id of a token


class RequestImages:
    """It belongs to one request, and is used by the thread that computes it, but for its making.

    Attributes:
        spans: the images, in the order of the prompt.
        first, end: the place of the first row of an image, and behind the last.
        most_uncut: rows of the longest image of which a step computes all or none; 0: it may compute a part.
        keys: of the prompt's tokens, for the prefix cache: their ids, and what names the content of rows.
        error: why an image cannot be encoded, None if all is well.
    """

    def __init__(
        self, spans: Sequence[ImageSpan], prompt: Sequence[int], encoder: ImageEncoder, salt: str = ""
    ) -> None:
        """`spans`: in the order of the prompt. `encoder`: computes their rows. `salt`: see Job."""
        self.spans, self._encoder, self._salt = tuple(spans), encoder, salt
        self._sees_both_ways = encoder.config.sees_both_ways
        self.first, self.end = self.spans[0].start, self.spans[-1].end
        self.most_uncut = max(span.part.rows for span in spans) if self._sees_both_ways else 0
        self.keys = list(prompt)
        self.error: BaseException | None = None
        self._rows: dict[bytes, np.ndarray] = {}  # encoded, by the digests of their images
        self._has_axes = any(span.part.axes is not None for span in spans)
        self._axes = np.repeat(np.arange(len(prompt), dtype=np.int32)[:, None], 3, axis=1)
        shift = 0  # of positions against places
        for span in self.spans:
            self.keys[span.start : span.end] = _name_rows(span.part)
            axes = self._axes[span.start : span.end]
            if span.part.axes is not None:
                axes[...] = span.part.axes + (span.start + shift)
            shift += span.part.advance - span.part.rows
            self._axes[span.end :] = np.arange(span.end, len(prompt))[:, None] + shift
        self._shift = shift

    def find_end(self, first: int, end: int) -> int:
        """Up to where the tokens of the prompt from `first` to `end` can be computed now.

        It is before an image that is not encoded yet, which the encoder is asked for, and `first` if nothing
        can be computed. It is behind `end` if an image must not be cut.
        """
        for span in self.spans:
            if span.end <= first or span.start >= end:
                continue
            if self._sees_both_ways and end < span.end:
                end = span.start if first < span.start else span.end
                if end == span.start:
                    break
            if not self._has_rows(span.part):
                return max(first, span.start)
        return end

    def may_begin(self, first: int) -> bool:
        """Whether the rows from a place on are there, but for those far behind it.

        The encoder is asked for one image at a time, so that a request with many holds up no other client's,
        and that its rows take no memory long before they are computed. They are not there if one cannot be
        had (see `error`).
        """
        left = _ROWS_AHEAD
        for span in self.spans:
            if span.end <= first or left <= 0:
                continue
            if not self._has_rows(span.part):
                return False
            left -= span.part.rows
        return True

    def are_encoded(self, first: int = 0) -> bool:
        """Whether the rows of all images that do not end before a place are there.

        The encoder is asked for those that are not. They are not there if one cannot be had (see `error`).
        """
        return all([self._has_rows(span.part) for span in self.spans if span.end > first])

    def wait(self) -> None:
        """Wait until all images are encoded. Raises what encoding has raised, or ShuttingDown."""
        for span in self.spans:
            self._rows[span.part.digest] = self._encoder.wait_for(span.part, self._salt, self)

    def sight(self, first: int, end: int) -> Sight:
        """What a step that computes the places from `first` to `end` knows of the images."""
        given, rows = [], np.full(end - first, -1, np.int32)
        bounds = np.stack([np.arange(first, end), np.arange(first + 1, end + 1)], axis=1).astype(np.int32)
        count = 0
        for span in self.spans:
            start, stop = max(first, span.start), min(end, span.end)
            if start >= stop:
                continue
            part = slice(start - span.start, stop - span.start)
            given.append(self._rows[span.part.digest][:, part])
            rows[start - first : stop - first] = np.arange(count, count + stop - start)
            bounds[start - first : stop - first, 1] = span.end
            count += stop - start
        return Sight(
            axes=self.axes(first, end) if self._has_axes else None,
            given=np.concatenate(given, axis=1) if given else None,
            given_rows=rows if given else None,
            bounds=bounds if self._sees_both_ways and given else None,
            filler=self._encoder.config.filler_id,
        )

    def axes(self, first: int, end: int) -> np.ndarray:
        """The positions of the places from `first` to `end`: int32 [places, 3]. An answer is text."""
        behind = np.arange(max(first, len(self._axes)), end, dtype=np.int32) + np.int32(self._shift)
        return np.concatenate([self._axes[first:end], np.repeat(behind[:, None], 3, axis=1)])

    def release(self, computed: int | None = None) -> None:
        """Forget the rows before a place, which are computed; None: all, and that the encoder was asked."""
        if computed is None:
            self._encoder.leave(self)
            self._rows.clear()
            return
        needed = {span.part.digest for span in self.spans if span.end > computed}
        for digest in self._rows.keys() - needed:
            del self._rows[digest]

    def _has_rows(self, part: ImagePart) -> bool:
        """Whether the rows of an image are there. Otherwise they are asked for."""
        if part.digest in self._rows:
            return True
        try:
            rows = self._encoder.find(part, self._salt, self)
        except BaseException as error:
            self.error = error
            return False
        if rows is not None:
            self._rows[part.digest] = rows
        return rows is not None


def _name_rows(part: ImagePart) -> list[int]:
    """What names the content of each row of an image: numbers that are no ids of tokens."""
    keys = []
    for row in range(part.rows):
        name = hashlib.sha256(part.digest + row.to_bytes(4, "little")).digest()
        keys.append(_KEY_BIT | int.from_bytes(name[:8], "little") >> 2)
    return keys
