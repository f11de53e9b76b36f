"""Compares a receipt with the answer that was computed again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model_core.machine.fingerprint import make_fingerprint
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.messages import ImageUrlPart, Message

from ..contract.request_fields import Request
from .beginnings import begins_with, calls_begin_with
from .canonical import NO_PART, hash_json, hash_text, hash_tokens, open_content
from .receipt import ReceiptError, hash_calls


@dataclass(frozen=True)
class Verdict:
    """What was found.

    Attributes:
        equal: whether the answer has the same bytes.
        message: says so in a sentence, and why it may be otherwise.
        token: the first token that differs, counted from 0; None if it is not known, or there is none.
        is_cut_off: whether the answer was cut off, so that its beginning alone was compared.
    """

    equal: bool
    message: str
    token: int | None = None
    is_cut_off: bool = False


def request_of(receipt: Mapping[str, Any], content: Any = None) -> Request:
    """The request of a receipt, to be computed again with the token ids of its answer.

    `content`: of the request, if the receipt does not have it. Raises ReceiptError if there is none, or if it
    is another one, and InvalidRequest.
    """
    content = receipt["request"].get("content") if content is None else content
    if not isinstance(content, Mapping):
        raise ReceiptError(
            "the receipt has only a hash of its request, so it cannot be computed again; give the request, "
            'too, or ask for receipts with "receipt": "whole".'
        )
    if hash_json(content) != receipt["request"]["sha256"]:
        raise ReceiptError("this request is another one than that of the receipt: it has another hash.")
    if others := NO_PART & content.keys():
        raise ReceiptError(f"the request has the field {min(others)}, which is no part of what was answered.")
    again = {"seed": int(receipt["seed"]), "receipt": False, "answer_cache": "off", "return_token_ids": True}
    try:
        fields = open_content(content)
    except ValueError as error:
        raise ReceiptError(f"this is no request in the form of receipts: {error}.") from error
    request = Request(**{**fields, **again})
    _check_images(request)
    return request


def _check_images(request: Request) -> None:
    """Raises ReceiptError unless a request has the bytes of its images, as what is signed always has."""
    messages = [message for message in request.messages if isinstance(message, Message)]
    for part in (part for message in messages for part in message.images):
        url = part.image_url.url if isinstance(part, ImageUrlPart) else None
        if url is None or not url[:5].lower().startswith("data:"):
            raise ReceiptError(
                "the request names an image that is elsewhere, and may be another one by now; give it with "
                "the data URL of the image."
            )


def compare(
    receipt: Mapping[str, Any], parts: AnswerParts, fingerprint: str | None, made_of: Mapping[str, Any] | None
) -> Verdict:
    """Compare a receipt with an answer that has token ids. The last two are of the model that has made it."""
    recorded, tokens, prompt = receipt["answer"], parts.token_ids or [], parts.prompt_token_ids or []
    model = receipt["model"]
    if make_fingerprint(model["made_of"]) != model["fingerprint"]:
        return Verdict(False, "the receipt contradicts itself: its fingerprint is not of what it is made of.")
    why = _explain(model["made_of"], made_of) if fingerprint != model["fingerprint"] else ""
    if hash_tokens(prompt) != receipt["prompt"]["token_ids_sha256"]:
        other = (
            "the prompt has other tokens, so the answers cannot be compared: the template may write a date, "
            "or the tokenizer is another one."
        )
        return Verdict(False, other + why)
    count, is_cut = recorded["tokens"], recorded["finish_reason"] == "cancelled"
    # What was cut off is compared as far as it came.
    made = tokens[:count] if is_cut else tokens
    if hash_tokens(made) != recorded["token_ids_sha256"]:
        return _describe_tokens(recorded, made, why)
    if len(made) != count or len(prompt) != receipt["prompt"]["tokens"]:
        wrong = "the receipt contradicts itself: it counts other tokens than those of which it has the hash."
        return Verdict(False, wrong)
    if differing := _find_differing(recorded, parts, is_cut):
        return Verdict(False, f"the tokens are equal, but not the {', '.join(differing)}.{why}")
    if is_cut:
        cut = f"equal as far as it came: {count} tokens, after which the answer was cut off.{why}"
        return Verdict(True, cut, is_cut_off=True)
    return Verdict(True, f"equal: {count} tokens, computed again.{why}")


def _find_differing(recorded: Mapping[str, Any], parts: AnswerParts, is_cut: bool) -> list[str]:
    """What differs besides the tokens. Of an answer that was cut off, each part may be a beginning."""
    empty = hash_text("")
    differing = []
    for name, text in (("text", parts.text), ("reasoning", parts.reasoning)):
        wanted = recorded.get(f"{name}_sha256", empty)
        if wanted != hash_text(text) and not (is_cut and begins_with(text, wanted)):
            differing.append(name)
    calls = recorded.get("tool_calls_sha256")
    is_equal = calls == (hash_calls(parts) if parts.calls else None)
    if not is_equal and not (is_cut and (calls is None or calls_begin_with(parts.tool_calls, calls))):
        differing.append("calls of tools")
    if not is_cut and recorded["finish_reason"] != parts.done.finish_reason:
        differing.append("reason of the end")
    return differing


def _describe_tokens(recorded: Mapping[str, Any], made: Sequence[int], why: str) -> Verdict:
    kept: list[int] | None = recorded.get("token_ids")
    if kept is None:
        length = f"{recorded['tokens']} tokens then, and {len(made)} now"
        unknown = f"the answer differs ({length}); the receipt does not have its tokens, to say where.{why}"
        return Verdict(False, unknown)
    shared = min(len(kept), len(made))
    place = next((n for n in range(shared) if kept[n] != made[n]), shared)
    before, now = (str(ids[place]) if place < len(ids) else "the end" for ids in (kept, made))
    return Verdict(False, f"the answer differs from token {place} on: {before} then, {now} now.{why}", place)


def _explain(then: Mapping[str, Any], now: Mapping[str, Any] | None) -> str:
    """What has changed of that on which answers depend."""
    if now is None:
        return " It was computed by another model."
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    changes = [
        f"{name} ({then.get(name)} then, {now.get(name)} now)"
        if all(isinstance(part.get(name), str | int | None) for part in (then, now))
        else name
        for name in names
    ]
    return f" It was computed by another model: what differs is {', '.join(changes)}."
