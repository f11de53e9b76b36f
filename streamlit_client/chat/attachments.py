"""Files that a person drops into a question: their text, or an image, read within limits.

No file is trusted. A text file is decoded; other files and images are read by processes with limits.
"""

from dataclasses import replace
from typing import Any

from model_core.errors import InvalidRequest, PromptTooLong
from model_core.images.data_url import find_type, write_data_url
from model_core.images.decoder import ImageDecoder
from model_core.llm.description import ModelDescription, sees_images
from triton_server.client import ChatClient
from triton_server.collections.parsing import find_kind, read_passages, refuse
from triton_server.collections.passages import join
from triton_server.collections.plain_text import CONTROL, MAX_CHARACTERS, clean_name, decode
from triton_server.conversations.tree import Attachment, make_content

MAX_FILES = 10
MAX_MEBIBYTES, MAX_IMAGE_MEBIBYTES = 20, 6  # of one file
_TEXTS = ("text", "markdown")


def read_files(files: list[tuple[str, bytes]]) -> list[Attachment]:
    """Read files, each given as its name and its content.

    Raises InvalidRequest with one sentence about the first that cannot be used.
    """
    if len(files) > MAX_FILES:
        raise InvalidRequest(f"a question can have {MAX_FILES} files; these are {len(files)}.", "files")
    return [read_file(name, data) for name, data in files]


def read_file(name: str, data: bytes) -> Attachment:
    """Read a file. Raises InvalidRequest with one sentence if it cannot be used."""
    name = clean_name(name)
    if len(data) > MAX_MEBIBYTES * 2**20:
        raise refuse(name, f"has {len(data) / 2**20:.0f} MiB; {MAX_MEBIBYTES} are the limit")
    if find_kind(name, data) not in _TEXTS:
        return Attachment(name, join(read_passages(name, data)))
    kind = find_type(data)
    if kind is not None:
        return _read_image(name, data, kind)
    text = decode(data)
    if CONTROL.search(text):
        raise refuse(
            name, "is no text; text, Markdown, CSV, code, PDF, docx, xlsx and ipynb files can be read"
        )
    if not text.strip():
        raise refuse(name, "is empty")
    if len(text) > MAX_CHARACTERS:
        raise refuse(name, f"has more than {MAX_CHARACTERS:,} characters of text")
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
        raise refuse(file.name, f"is longer than the model's context{size}") from None
    # Another engine may count the tokens of a prompt, but not those of its images.
    return answer.usage.get("prompt_tokens" if file.image is None else "image_tokens")


def _read_image(name: str, data: bytes, kind: str) -> Attachment:
    """An image as it is, once it is known that a model can be shown it."""
    if len(data) > MAX_IMAGE_MEBIBYTES * 2**20 - 64:  # with what makes a URL of it
        raise refuse(name, f"has {len(data) / 2**20:.1f} MiB; {MAX_IMAGE_MEBIBYTES} are the limit of images")
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
        raise refuse(image.name, "is an image, but this model sees none; choose one that does")
