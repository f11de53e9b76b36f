"""Receipts of answers: asked for, completed with the request, and verified.

docs/reproducible.md describes them.

A conversation keeps the receipts of its answers without their requests, which it has itself: they would have
each message again with each answer. This module does not use Streamlit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from model_core.errors import TritonchatError
from model_core.llm.description import ModelDescription
from triton_server.client import ChatClient
from triton_server.contract.request_fields import Request
from triton_server.contract.tensors import Prompt
from triton_server.receipts.canonical import content_of, hash_json, hash_text
from triton_server.receipts.compare import Verdict, compare, request_of
from triton_server.receipts.keys import read_jwks
from triton_server.receipts.receipt import check_receipt

MAX_SEARCHED = 20_000  # characters of a text in which the beginning of its last part is looked for
_SHOWN_TOKENS = 8  # before the first one that differs


@dataclass(frozen=True)
class Check:
    """What a check of a receipt has found.

    Attributes:
        verdict: what the answer that was computed again says.
        before: the text before the first token that differs; empty if it is not known.
    """

    verdict: Verdict
    before: str = ""


def ask_for_receipt(client: ChatClient, model: ModelDescription, prompt: Prompt) -> dict[str, Any]:
    """The field of a request that asks for a receipt; none if the server signs no answers of this model.

    The receipt comes with the request, and with the tokens of the answer, unless there are images, which
    would be sent back.
    """
    if model["engine"] is not None:  # another server computes it
        return {}
    try:
        client.show_receipt_key()
    except TritonchatError:  # it is older, or cannot keep a key
        return {}
    has_images = not isinstance(prompt, str) and any(
        isinstance(message, Mapping) and isinstance(message.get("content"), list) for message in prompt
    )
    return {"receipt": True if has_images else "whole"}


def shorten_receipt(receipt: dict[str, Any] | None) -> dict[str, Any] | None:
    """A receipt without its request. It has the tokens of the answer, if they came with it."""
    if receipt is None:
        return None
    return {**receipt, "request": {"sha256": receipt["request"]["sha256"]}}


def find_part(text: str, receipt: Mapping[str, Any]) -> int | None:
    """Where the part of a text begins of which a receipt is; None if it is of another text.

    It is not 0 if the answer was continued: then the receipt is of the last part.
    """
    wanted = receipt["answer"]["text_sha256"]
    if hash_text(text) == wanted:
        return 0
    if len(text) > MAX_SEARCHED:
        return None
    return next((start for start in range(1, len(text) + 1) if hash_text(text[start:]) == wanted), None)


def match_request(
    receipt: Mapping[str, Any], prompt: Prompt, fields: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The `request.content` of a receipt, if this is its request; None if it is of another one.

    `fields` are parameters of the request; those that no request has are left out.
    """
    known = {name: value for name, value in fields.items() if name in Request.model_fields}
    messages: Any = prompt
    try:
        content = content_of(Request(messages=messages, **known))
        is_same = hash_json(content) == receipt["request"]["sha256"]
    except TritonchatError:  # a conversation from a file may have anything
        return None
    return content if is_same else None


def is_signed_here(client: ChatClient, receipt: Mapping[str, Any]) -> bool | None:
    """Whether the key of a receipt, whose signature was checked, is the server's; None if it does not say."""
    try:
        return receipt["key"] in read_jwks(client.show_receipt_key())
    except (TritonchatError, ValueError):
        return None


def verify(
    client: ChatClient,
    receipt: Mapping[str, Any],
    content: Mapping[str, Any],
    on_token: Callable[[int], object] = lambda count: None,
) -> Check:
    """Check the signature of a receipt, and let the server compute its answer again.

    `content`: its request. `on_token` is called now and then with the number of tokens so far; if it raises,
    the computation ends. Raises ReceiptError for one that was changed, and TritonchatError.
    """
    checked = check_receipt(receipt)
    name = checked["model"]["name"]
    request = request_of(checked, content).model_copy(update={"model": name})
    with client.stream(request.prompt(), **request.parameters()) as stream:
        for _ in stream.events:
            on_token(len(stream.parts.token_ids or ()))
    parts = stream.parts
    verdict = compare(checked, parts, parts.done.fingerprint, client.show_origin(name))
    before, ids = "", checked["answer"].get("token_ids")
    if verdict.token is not None and ids is not None:
        shown = ids[max(0, verdict.token - _SHOWN_TOKENS) : verdict.token]
        before = client.detokenize(shown, name) if shown else ""
    return Check(verdict, before)
