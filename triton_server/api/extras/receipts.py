"""Receipts: the key that signs them, and answers that are computed again to verify them."""

from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from model_core.checks.request_values import JsonObject
from model_core.requests.answer_parts import AnswerParts

from ...receipts.compare import compare, request_of
from ...receipts.keys import read_jwks
from ...receipts.receipt import check_receipt
from ..body import WholeBody
from ..errors import ERROR_RESPONSES, ApiError
from ..generation import stream_answers
from ..ignored import check_fields

router = APIRouter(tags=["receipts"], responses=ERROR_RESPONSES)


class KeySet(BaseModel):
    """The public key of receipts, as a set of keys (RFC 7517)."""

    keys: list[dict[str, str]]


class VerifyRequest(WholeBody):
    """A receipt to verify."""

    receipt: JsonObject
    request: JsonObject | None = Field(
        None, description="`request.content` of the receipt, if the receipt does not have it."
    )
    model: str | None = Field(
        None,
        description="The model that is to compute the answer; by default the one that the receipt names.",
    )


class Verification(BaseModel):
    """What was found."""

    equal: bool = Field(description="The answer was computed again, and has the same bytes.")
    cut_off: bool = Field(
        description="The answer was cut off by its client, so that its beginning alone was compared."
    )
    signed_here: bool = Field(description="The receipt is signed by the key of this service.")
    message: str
    token: int | None = Field(None, description="The first token that differs, counted from 0.")
    fingerprint: str | None = Field(description="Of the model that has computed it again.")


@router.get("/.well-known/tritonchat-key")
async def show_key(request: Request) -> KeySet:
    """The public key that signs receipts. It is made at the first use."""
    return KeySet(**await request.app.state.triton_client.show_receipt_key())


@router.post("/v1/receipts/verify")
async def verify(request: Request, body: VerifyRequest) -> Verification:
    """Check the signature of a receipt, and compute its answer again."""
    check_fields(request, body)
    receipt: dict[str, Any] = check_receipt(body.receipt)
    client = request.app.state.triton_client
    keys = read_jwks(await client.show_receipt_key())
    model = await request.app.state.served_models.resolve(body.model or receipt["model"]["name"])
    asked = request_of(receipt, body.request).model_copy(update={"model": model.name})
    parts = AnswerParts()
    async with aclosing(stream_answers(request, [asked])) as events:
        async for _, event in events:
            parts.add(event)
    if parts.token_ids is None and parts.done.usage.completion_tokens:
        raise ApiError(
            400, "this model is computed by another server; verify the receipt there.", "unsupported"
        )
    made_of = await client.show_origin(model.name)
    verdict = compare(receipt, parts, parts.done.fingerprint, made_of)
    return Verification(
        equal=verdict.equal,
        cut_off=verdict.is_cut_off,
        signed_here=receipt["key"] in keys,
        message=verdict.message,
        token=verdict.token,
        fingerprint=parts.done.fingerprint,
    )
