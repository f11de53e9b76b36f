"""Files as text: which bytes are text, and what a file may be called. The page uses it, too."""

import re
from pathlib import PurePath

MAX_CHARACTERS = 2_000_000  # of the text of a file
_MAX_NAME = 100  # characters
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # characters that texts do not have
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def decode(data: bytes) -> str:
    """Text in UTF-8, UTF-16 with a mark, or else in Windows' western encoding, with plain line ends."""
    encodings = [codec for mark, codec in _BYTE_ORDER_MARKS.items() if data.startswith(mark)]
    for encoding in (*encodings, "utf-8"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def clean_name(name: str) -> str:
    """The last part of a path, on one line, not too long: it keeps its ending."""
    name = " ".join(CONTROL.sub(" ", PurePath(name.replace("\\", "/")).name).split()) or "file"
    if len(name) > _MAX_NAME:
        ending = PurePath(name).suffix[:10]
        name = name[: _MAX_NAME - len(ending) - 1] + "…" + ending
    return name


def clean_text(text: str) -> str:
    """Text without what no text has: control characters, and halves of surrogate pairs."""
    return CONTROL.sub(" ", text).encode("utf-8", "replace").decode()
