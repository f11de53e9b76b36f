"""Values that are more than a number or a text: sizes, times, addresses, and names with paths."""

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

_TIME_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TRACES_PATH = "/v1/traces"  # of OTLP over HTTP
_MAX_SECONDS = 100 * 365 * 86400
_MODEL_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,38}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,38}")
_SIZE_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(frozen=True)
class OneOf:
    """In an annotation: the texts that are possible."""

    texts: tuple[str, ...]

    def __get_pydantic_core_schema__(self, *_: Any) -> CoreSchema:
        return core_schema.literal_schema([*self.texts])


def read_size(text: str) -> int:
    """Bytes, or a number with a unit: 512MiB, 4G. Raises ValueError."""
    # A unit is a power of two however it is written. pydantic's ByteSize would read 4GB as fewer bytes.
    size = _measure(text.strip().lower().removesuffix("b").removesuffix("i"), _SIZE_UNITS)
    if not 1 <= size < math.inf:
        raise ValueError(f"{text!r} is not a size such as 512MiB or 4GiB.")
    return int(size)


def read_limit(text: str) -> int:
    """As `read_size`; 0 is no limit. Raises ValueError."""
    return 0 if text.strip() == "0" else read_size(text)


def read_collector(url: str) -> str:
    """The address to which traces are sent: a collector's, with or without /v1/traces. Raises ValueError."""
    parsed, address = urlsplit(url), url.rstrip("/")
    if parsed.username is not None or parsed.password is not None:  # the message must not show it
        raise ValueError(
            "the URL of a collector has a name or a password; put its key into OTEL_EXPORTER_OTLP_HEADERS."
        )
    try:
        is_address = bool(parsed.hostname) and parsed.port != 0
    except ValueError:  # the port is no number, or too large
        is_address = False
    if parsed.scheme not in ("http", "https") or not is_address or parsed.query or parsed.fragment:
        raise ValueError(f"{url!r} is not the URL of a collector, such as http://localhost:4318.")
    return address if parsed.path.rstrip("/").endswith(_TRACES_PATH) else address + _TRACES_PATH


def read_duration(text: str) -> float:
    """Seconds, or a number with a unit: 90s, 15m, 12h, 30d. Raises ValueError."""
    seconds = _measure(text.strip().lower(), _TIME_UNITS)
    if not 0 <= seconds < _MAX_SECONDS:
        raise ValueError(f"{text!r} is not a time such as 90s, 15m, 12h or 30d.")
    return seconds


def _measure(text: str, units: Mapping[str, int]) -> float:
    """A number with a unit or without; not a number for other texts."""
    number, unit = (text[:-1], text[-1:]) if text[-1:] in units else (text, "")
    try:
        return float(number) * units[unit]
    except ValueError:
        return math.nan


def read_keep_alive(text: str) -> float | None:
    """A duration, or -1, which is None: for ever. Raises ValueError."""
    return None if text.strip() == "-1" else read_duration(text)


def read_host(text: str) -> str:
    """An address or a name; brackets around an IPv6 address, as URLs have them, are left out."""
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def read_named_model(text: str) -> tuple[str | None, str]:
    """PATH, or NAME=PATH: the name (None without) and the path; OWNER/NAME is a name. Raises ValueError."""
    name, equals, path = text.partition("=")
    is_name = _MODEL_NAME.fullmatch(name) is not None
    # A path may contain the sign: ./a=b always, a/b=c if it is there.
    if not equals or ("/" in name and (not is_name or os.path.exists(text))):
        return None, text
    if not is_name or not path:
        raise ValueError(
            f"{text!r} is not NAME=PATH: a name has letters, digits, dots, - and _, at most 39, and may "
            "have an owner's before it, as in owner/name."
        )
    return name, path


def read_named_adapter(text: str) -> tuple[str, str]:
    """NAME=FOLDER: both. Raises ValueError."""
    name, _, folder = text.partition("=")
    if not name or not folder:
        raise ValueError(f"{text!r} is not NAME=FOLDER.")
    return name, folder


def read_count(text: str) -> tuple[int, int]:
    """N, or LOW..HIGH: a pair of both. Raises ValueError."""
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text.strip())
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high:
        raise ValueError(f"{text!r} is no number of replicas such as 3, or 2..8 for as many as needed.")
    return low, high


def check_file(path: Path) -> Path:
    """The path of a file that is there. Raises ValueError, also where this user may not look."""
    try:
        is_there = path.is_file()
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be looked at ({error.strerror}).") from None
    if not is_there:
        raise ValueError(f"{str(path)!r} is not a file that is there.")
    return path


def _called(name: str) -> WithJsonSchema:
    """In an annotation: what --help calls such a value."""
    return WithJsonSchema({"type": "string", "metavar": name})


def _read_by(read: Callable[[str], Any]) -> BeforeValidator:
    """In an annotation: what makes the value of a text. It raises ValueError with a sentence."""
    return BeforeValidator(lambda value: read(str(value)) if isinstance(value, str | int | float) else value)


def _split_at(separator: str | None = None) -> BeforeValidator:
    """In an annotation: what is between several values in one text; None: spaces."""
    return BeforeValidator(lambda value: value.split(separator) if isinstance(value, str) else value)


Port = Annotated[int, Field(ge=1, le=65535)]
Size = Annotated[int, _read_by(read_size), _called("SIZE")]
SizeLimit = Annotated[int, _read_by(read_limit), _called("SIZE")]
Duration = Annotated[float, _read_by(read_duration), _called("TIME")]
KeepAlive = Annotated[float | None, _read_by(read_keep_alive), _called("TIME")]
Host = Annotated[str, _read_by(read_host), _called("ADDRESS")]
File = Annotated[Path, AfterValidator(check_file), _called("FILE")]
Template = Annotated[Path, _called("FILE|NAME")]
NewFile = Annotated[Path, _called("FILE")]
Collector = Annotated[str, _read_by(read_collector), _called("URL")]
NewFolder = Annotated[Path, _called("FOLDER")]
Engine = Annotated[str, _called("URL|vllm")]
NamedModel = Annotated[tuple[str | None, str], _read_by(read_named_model), _called("[NAME=]PATH")]
NamedModels = Annotated[tuple[NamedModel, ...], _split_at(",")]
NamedAdapter = Annotated[tuple[str, str], _read_by(read_named_adapter), _called("NAME=FOLDER")]
NamedAdapters = Annotated[tuple[NamedAdapter, ...], _split_at(",")]
ReplicaCount = Annotated[tuple[int, int], _read_by(read_count), _called("N|LOW..HIGH")]
Texts = Annotated[tuple[str, ...], _split_at()]
ApiKey = Annotated[SecretStr, _called("[NAME:]KEY")]
ApiKeyTexts = Annotated[tuple[ApiKey, ...], _split_at()]
