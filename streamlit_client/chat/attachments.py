"""Files that a person drops into a question: their text, or an image, read within limits.

No file is trusted. A text file is decoded; PDF files and images are read by processes with limits.
"""

import json
import re
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from model_core.errors import InvalidRequest, PromptTooLong
from model_core.images.data_url import find_type, write_data_url
from model_core.images.decoder import ImageDecoder
from model_core.llm.description import ModelDescription, sees_images
from model_core.machine.limited_process import LimitedProcess, ProcessEnded, TooSlow
from triton_server.client import ChatClient
from triton_server.conversations.tree import Attachment, make_content

from . import pdf_process

MAX_FILES = 10
MAX_MEBIBYTES, MAX_IMAGE_MEBIBYTES = 20, 6  # of one file
_MAX_NAME = 100  # characters
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # characters that texts do not have
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def read_files(files: list[tuple[str, bytes]]) -> list[Attachment]:
    """Read files, each given as its name and its content.

    Raises InvalidRequest with one sentence about the first that cannot be used.
    """
    if len(files) > MAX_FILES:
        raise InvalidRequest(f"a question can have {MAX_FILES} files; these are {len(files)}.", "files")
    return [read_file(name, data) for name, data in files]


def read_file(name: str, data: bytes) -> Attachment:
    """Read a file. Raises InvalidRequest with one sentence if it cannot be used."""
    name = _clean_name(name)
    if len(data) > MAX_MEBIBYTES * 2**20:
        raise _refuse(name, f"has {len(data) / 2**20:.0f} MiB; {MAX_MEBIBYTES} are the limit")
    if data[:1024].lstrip().startswith(b"%PDF") or name.lower().endswith(".pdf"):
        return _read_pdf(name, data)
    kind = find_type(data)
    if kind is not None:
        return _read_image(name, data, kind)
    text = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text):
        raise _refuse(name, "is no text; text, Markdown, CSV, code and PDF files can be read")
    if not text.strip():
        raise _refuse(name, "is empty")
    if len(text) > pdf_process.MAX_CHARACTERS:
        raise _refuse(name, f"has more than {pdf_process.MAX_CHARACTERS:,} characters of text")
    return Attachment(name, text)


def count_tokens(files: list[Attachment], client: ChatClient, model: str | None) -> None:
    """Count the tokens of files in their places, if `model` is loaded and can; None is the first model.

    Raises InvalidRequest for a file that is longer than the model's context.
    """
    if not files:
        return
    stats = client.stats(model=model)
    entry = next(entry for entry in stats["models"] if model in (None, entry["name"]))
    if entry["state"] == "ready" and stats["model"]["counts_tokens"]:
        files[:] = [replace(file, tokens=_count_tokens(file, client, stats["model"])) for file in files]


def _count_tokens(file: Attachment, client: ChatClient, model: ModelDescription) -> int | None:
    prompt: Any = file.text
    if file.image is not None:
        prompt = [{"role": "user", "content": make_content("", [file])}]
    try:
        answer = client.chat(prompt, model=model["name"], count_only=True)
    except PromptTooLong:
        limit = model["max_context"]
        size = "" if limit is None else f" of {limit:,} tokens"
        raise _refuse(file.name, f"is longer than the model's context{size}") from None
    # Another engine may count the tokens of a prompt, but not those of its images.
    return answer.usage.get("prompt_tokens" if file.image is None else "image_tokens")


def _read_pdf(name: str, data: bytes) -> Attachment:
    process = None
    try:
        process = LimitedProcess(pdf_process.__file__)
        reply = json.loads(process.request(data))
    except TooSlow:
        raise _refuse(name, f"takes longer than {pdf_process.TIME_LIMIT_S:g} s to read") from None
    except (ProcessEnded, OSError):
        raise _refuse(name, "cannot be read: the process that reads it has ended") from None
    finally:
        if process is not None:
            process.end()
    if "error" in reply:
        raise _refuse(name, reply["error"])
    text = _CONTROL.sub(" ", reply["text"]).encode("utf-8", "replace").decode()
    return Attachment(name, text)


def _read_image(name: str, data: bytes, kind: str) -> Attachment:
    """An image as it is, once it is known that a model can be shown it."""
    if len(data) > MAX_IMAGE_MEBIBYTES * 2**20 - 64:  # with what makes a URL of it
        raise _refuse(name, f"has {len(data) / 2**20:.1f} MiB; {MAX_IMAGE_MEBIBYTES} are the limit of images")
    decoder = ImageDecoder()
    try:
        decoder.decode(data, name)
    except InvalidRequest as error:
        raise InvalidRequest(str(error), "files") from None
    finally:
        decoder.close()
    return Attachment(name, "", image=write_data_url(kind, data))


def check_images(files: list[Attachment], model: ModelDescription | None) -> None:
    """Raises InvalidRequest for an image that the model does not see. What is not known is tried."""
    image = next((file for file in files if file.image is not None), None)
    if image is not None and model is not None and sees_images(model) is False:
        raise _refuse(image.name, "is an image, but this model sees none; choose one that does")


def _decode(data: bytes) -> str:
    """Text in UTF-8, UTF-16 with a mark, or else in Windows' western encoding."""
    encodings = [codec for mark, codec in _BYTE_ORDER_MARKS.items() if data.startswith(mark)]
    for encoding in (*encodings, "utf-8"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", "replace")


def _clean_name(name: str) -> str:
    """The last part of a path, on one line, not too long: it keeps its ending."""
    name = " ".join(_CONTROL.sub(" ", PurePath(name.replace("\\", "/")).name).split()) or "file"
    if len(name) > _MAX_NAME:
        ending = PurePath(name).suffix[:10]
        name = name[: _MAX_NAME - len(ending) - 1] + "…" + ending
    return name


def _refuse(name: str, reason: str) -> InvalidRequest:
    return InvalidRequest(f"{name} {reason}.", "files")
