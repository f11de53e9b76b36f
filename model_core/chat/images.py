"""Images in conversations: what stands for them while a prompt is made, and where their rows are in it.

In a message's text an image is IMAGE_MARK. Chat templates get it as a part of the type image, and write the
model's placeholder. This is replaced by a token for each row of the image.
"""

import hashlib
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InvalidRequest, PromptTooLong
from ..families.vision.parts import ImageSpan, PreparedImage, VisionConfig
from ..families.vision.registry import TOWERS
from ..images.data_url import NO_FILES, TYPES, read_data_url
from ..images.decoder import ImageDecoder, refuse
from ..images.image import Pixels
from ..images.limits import DEFAULT_LIMITS, ImageLimits, is_too_narrow
from ..images.resize import shrink
from ..requests.cache_salts import is_of_salt
from ..requests.messages import ImagePart, ImageUrlPart, Message

# Of characters without a meaning, which no control token has, and which no message can know.
IMAGE_MARK = "".join(chr(0xE100 + secrets.randbelow(0x1700)) for _ in range(10))
_MAX_KEPT_BYTES = 2**26  # of prepared images
_LOW_SIDE = 512  # pixels of a side of an image of low detail; OpenAI's number


class ImageReader:
    """Prepares images for a model that sees. Its methods may be called from any thread."""

    def __init__(
        self, config: VisionConfig, limits: ImageLimits = DEFAULT_LIMITS, max_rows: int = sys.maxsize
    ) -> None:
        """`limits`: of files. `max_rows`: of all images of a prompt, which has no room for more."""
        self.config = config
        self._family = TOWERS[config.family]
        self._decoder, self._max_rows = ImageDecoder(limits), max_rows
        self._lock = threading.Lock()  # guards what follows
        # The last images, by the cache salt of their request and the digest of what it has sent: requests of
        # different salts share none, so that no time tells one of them which images another has sent.
        self._prepared: OrderedDict[tuple[str, bytes], PreparedImage] = OrderedDict()
        self._bytes = 0

    def prepare(self, pixels: Pixels) -> PreparedImage:
        """An image for the tower. Raises InvalidRequest for one that the model cannot take."""
        height, width = pixels.values.shape[:2]
        if is_too_narrow(width, height):
            raise InvalidRequest(f"an image of {width} x {height} pixels is too narrow.", "messages")
        return self._find(("", pixels.digest), lambda: pixels)

    def prepare_part(self, part: ImagePart | ImageUrlPart) -> PreparedImage:
        """The image of a message, as `prepare`. Raises InvalidRequest for a file that cannot be read, too."""
        if isinstance(part, ImagePart):
            return self.prepare(part.pixels)
        image, limits = part.image_url, self._decoder.limits
        if image.url is None:
            raise refuse(part.place, NO_FILES)
        data = read_data_url(image.url, part.place, limits.bytes)
        is_low = image.detail == "low"
        digest = _digest(b"low" * is_low, data)

        def decode() -> Pixels:
            pixels = self._decoder.decode(data, part.place)
            return shrink(pixels, _LOW_SIDE) if is_low else pixels

        try:
            return self._find((part.salt, digest), decode)
        except InvalidRequest as error:
            raise (
                error if error.param else refuse(part.place, f"cannot be taken: {error}".rstrip("."))
            ) from None

    def prepare_all(self, messages: Sequence[Message]) -> list[PreparedImage]:
        """The images of messages in their order. Raises as `prepare_part`, or PromptTooLong."""
        images, rows = list[PreparedImage](), 0
        for part in (part for message in messages for part in message.images):
            images.append(self.prepare_part(part))
            rows += images[-1].tokens
            if rows > self._max_rows:
                raise PromptTooLong(
                    f"the images have {rows} tokens or more, but the context has {self._max_rows} "
                    "(--max-context); send fewer or smaller ones.",
                    "messages",
                )
        return images

    def describe(self) -> dict[str, Any]:
        """What images it takes: their types, and the most pixels and bytes of a file."""
        limits = self._decoder.limits
        return {"types": list(TYPES), "max_pixels": limits.pixels, "max_bytes": limits.bytes}

    def forget(self, salt: str) -> None:
        """Delete the images that are kept for a cache salt, and for salts that go on after it with /."""
        with self._lock:
            for key in [key for key in self._prepared if is_of_salt(salt, key[0])]:
                self._bytes -= self._prepared.pop(key).nbytes

    def close(self) -> None:
        """End the process that decodes images."""
        self._decoder.close()

    def _find(self, key: tuple[str, bytes], read: Callable[[], Pixels]) -> PreparedImage:
        """The prepared image of a key, which is read if it was not kept."""
        with self._lock:
            found = self._prepared.get(key)
            if found is not None:
                self._prepared.move_to_end(key)
                return found
        prepared: PreparedImage = self._family.prepare(self.config, read())
        with self._lock:
            if key not in self._prepared:
                self._prepared[key] = prepared
                self._bytes += prepared.nbytes
            while self._bytes > _MAX_KEPT_BYTES and self._prepared:
                _, oldest = self._prepared.popitem(last=False)
                self._bytes -= oldest.nbytes
        return prepared

    def count_tokens(self, height: int, width: int) -> int:
        """Rows in the prompt of an image of this size. Raises InvalidRequest as `prepare`."""
        count: int = self._family.count_tokens(self.config, height, width)
        return count

    def expand(self, prompt: str, images: Sequence[PreparedImage]) -> str:
        """A rendered prompt with what stands for each image instead of its placeholder.

        Raises InvalidRequest if the chat template has not written a placeholder for each.
        """
        first, *rest = prompt.split(self.config.placeholder)
        if len(rest) != len(images):
            raise InvalidRequest(
                f"the model's chat template has written {len(rest)} images, but the messages have "
                f"{len(images)}; send them in messages of the user.",
                "messages",
            )
        return first + "".join(image.text + text for image, text in zip(images, rest, strict=True))

    def find_spans(self, ids: Sequence[int], images: Sequence[PreparedImage]) -> tuple[ImageSpan, ...]:
        """Where the rows of images are in a prompt. Raises InvalidRequest if it has more or fewer of them."""
        places = [place for place, token in enumerate(ids) if token == self.config.row_token_id]
        parts, spans, at = [part for image in images for part in image.parts], list[ImageSpan](), 0
        for part in parts:
            own = places[at : at + part.rows]
            if len(own) < part.rows or own[-1] - own[0] != part.rows - 1:
                break
            spans.append(ImageSpan(own[0], part))
            at += part.rows
        if len(spans) < len(parts) or at < len(places):
            raise InvalidRequest(
                "the tokenizer has not kept the rows of the images; is it that of this model?", "messages"
            )
        return tuple(spans)


def _digest(*pieces: bytes) -> bytes:
    return hashlib.sha256(b"".join(hashlib.sha256(piece).digest() for piece in pieces)).digest()


def split_images(text: str) -> list[dict[str, Any]]:
    """A text with IMAGE_MARK as the parts that chat templates take."""
    parts: list[dict[str, Any]] = []
    for number, piece in enumerate(text.split(IMAGE_MARK)):
        parts += [{"type": "image"}] * (number > 0)
        parts += [{"type": "text", "text": piece}] if piece else []
    return parts
