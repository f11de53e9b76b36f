"""Verifies receipts: signatures, whose key has signed them, and answers, which are computed again."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_core.errors import TritonchatError

from ..receipts.canonical import content_of
from ..receipts.keys import KEY_FILE, load_key, read_jwks
from ..system.folders import data_folder
from ..terminal.service import ServiceClient
from .sides import RemoteSide, Side, open_local

KEY_PATH = "/.well-known/tritonchat-key"
VERIFY_PATH = "/v1/receipts/verify"


@dataclass(frozen=True)
class Trusted:
    """Keys that are known to be a server's. `place`: where they come from, in words."""

    place: str
    keys: list[str]


@dataclass(frozen=True)
class Where:
    """Where answers are computed again: by a server, or by a model here.

    Attributes:
        server, api_key: URL and key of the server; None: here.
        model, adapter: of a model here.
        settings: of it; those that are missing are taken from the receipt.
    """

    server: str | None
    api_key: str | None
    model: str | None
    adapter: Path | None
    settings: Mapping[str, Any]


def find_trusted(key_file: Path | None, where: Where) -> Trusted | None:
    """The keys in a file, of a server, or of this user's own server; None: there are none.

    Raises TritonchatError.
    """
    try:
        if key_file is not None:
            return Trusted(str(key_file), read_jwks(json.loads(key_file.read_text())))
        if where.server is not None:
            with ServiceClient(where.server, where.api_key) as service:
                return Trusted(where.server, read_jwks(service.get(KEY_PATH)))
    except (OSError, ValueError) as error:
        raise TritonchatError(f"{key_file or where.server} has no key of receipts: {error}.") from error
    folder = data_folder()
    if (folder / KEY_FILE).exists():
        return Trusted(f"the server of this user ({folder})", [load_key(folder).public])
    return None


@asynccontextmanager
async def open_side(where: Where, made_of: Mapping[str, Any]) -> AsyncIterator[tuple[Side, str | None]]:
    """Who computes answers again, and the name of the model there; None: that of the receipt.

    `made_of`: of the receipts, with whose settings a model is loaded here.
    """
    if where.server is not None:
        with ServiceClient(where.server, where.api_key) as service:
            yield RemoteSide(service), where.model
        return
    async with open_local(where.model, find_settings(where, made_of), where.adapter) as side:
        yield side, "default" if where.adapter is None else "adapter"


def find_settings(where: Where, made_of: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with which a model is loaded here as a receipt names them, unless others are given."""
    portable = made_of.get("processor") == "x86-64 with AVX2 and FMA"
    stated = {name: made_of[name] for name in ("weights", "max_context", "kv_cache_dtype") if name in made_of}
    return {**stated, "portable": portable, "arithmetic": _find_arithmetic(made_of), **where.settings}


def _find_arithmetic(made_of: Mapping[str, Any]) -> str:
    """The value of --arithmetic after which products are computed in the way that a receipt names."""
    tower = made_of.get("vision", {}).get("arithmetic", [])
    match made_of.get("arithmetic"):
        case "float32" if not any(each.startswith("int8") for each in tower):
            return "float32"
        case "int8, bfloat16":
            return "bfloat16"
        case "two bfloat16":
            return "int8"
    return "auto"


def identify_here(where: Where, made_of: Mapping[str, Any]) -> dict[str, Any]:
    """What the model here would be made of, without loading its weights. Raises ModelError."""
    from model_core.llm.identify import identify_adapter, identify_model
    from model_core.llm.settings import LLMSettings

    found = identify_model(where.model, LLMSettings(**find_settings(where, made_of)))
    return found if where.adapter is None else {**found, "adapter": identify_adapter(where.adapter)}


async def compute_again(
    side: Side, model: str | None, receipt: Mapping[str, Any], content: Any = None
) -> dict[str, Any]:
    """What the route /v1/receipts/verify says of a receipt. Raises TritonchatError."""
    body: dict[str, Any] = {"receipt": receipt}
    body |= {} if content is None else {"request": content}
    body |= {} if model is None else {"model": model}
    answer: dict[str, Any] = await side.post(VERIFY_PATH, body)
    return answer


def read_content(path: Path) -> dict[str, Any]:
    """The request in a file: the `content` of a receipt, or the body of a chat or of a completion.

    Raises TritonchatError.
    """
    from ..api.openai import chat, completions

    try:
        value = json.loads(path.read_text())
        if isinstance(value, dict) and isinstance(value.get("body"), dict):  # a line of a batch
            value = value["body"]
        if not isinstance(value, dict):
            raise ValueError("it should be a JSON object")
        if "prompt" in value:
            requests = completions.parse(completions.CompletionRequest(**value))
        else:
            requests = chat.parse(chat.ChatRequest(**value))
    except (OSError, ValueError, TritonchatError) as error:
        raise TritonchatError(f"{path} is no request: {' '.join(str(error).split())}") from error
    return content_of(requests[0])
