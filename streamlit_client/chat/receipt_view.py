"""The receipt of an answer in a conversation: what it says, how to copy it, and its answer computed again."""

import json
import time
from typing import Any

import streamlit as st

from model_core.errors import InvalidRequest, TritonchatError
from streamlit_client.chat.state import Chat
from streamlit_client.shared.conversation import Turn, limit_by_context
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.prompts import build_prompt, leave_out_images
from streamlit_client.shared.receipts import (
    MAX_SEARCHED,
    Check,
    find_part,
    is_signed_here,
    match_request,
    verify,
)
from streamlit_client.shared.server import get_client
from streamlit_client.shared.token_text import show_text
from triton_server.receipts.receipt import ReceiptError, check_receipt

_REDRAW_S = 0.1
_CHECKS = "receipt_checks"  # in the session: what was found, or the error, by conversation and turn
OTHER_TEXT = "This receipt is of another text than the one above."
LONG_TEXT = (
    "This receipt is of another text than the whole one above, which is too long to look for the part that "
    "the receipt may be of. “tritonchat verify” can check it."
)
LAST_PART = "The answer was continued. This receipt is of its last part, which begins after: “…{}”"
OTHER_KEY = (
    "This receipt is signed by another key than that of this server. Trust it only if you know that key."
)
OTHER_REQUEST = (
    "The conversation before this answer, or its system prompt, is not what it was then. So the receipt has "
    "only a hash of the request, and the answer cannot be computed again from here."
)


@st.fragment
def show_receipt(chat: Chat, turn: Turn) -> None:
    """Show the receipt of a turn's answer, until the person hides it."""
    assert turn.receipt is not None
    with st.container(border=True):
        try:
            receipt = check_receipt(turn.receipt)
        except ReceiptError as error:
            st.error(describe_error(error), icon=":material/gpp_bad:")
        else:
            _show(chat, turn, receipt)
        st.button("Hide the receipt", key=f"hide-receipt-{turn.id}", on_click=_hide, args=[chat])


def _hide(chat: Chat) -> None:
    chat.shows_receipt = None


def _show(chat: Chat, turn: Turn, receipt: dict[str, Any]) -> None:
    st.caption(describe_receipt(receipt))
    if is_signed_here(get_client(), receipt) is False:
        st.warning(OTHER_KEY, icon=":material/key_off:")
    part = find_part(turn.text, receipt)
    content = None if part is None else find_request(chat, turn, part, receipt)
    if part is None:
        is_long = len(turn.text) > MAX_SEARCHED
        st.warning(LONG_TEXT if is_long else OTHER_TEXT, icon=":material/gpp_maybe:")
    elif part:
        st.caption(LAST_PART.format(escape(show_text(turn.text[max(0, part - 40) : part]))))
    if part is not None and content is None:
        st.info(OTHER_REQUEST, icon=":material/info:")
    whole = receipt if content is None else add_request(receipt, content)
    text = json.dumps(whole, ensure_ascii=False, indent=2)
    with st.container(horizontal=True):
        again = st.button(
            "Compute again",
            icon=":material/replay:",
            key=f"verify-{turn.id}",
            disabled=content is None,
            help="The server computes the same request once more, and compares the answers token by token.",
        )
        st.download_button(
            "receipt.json",
            text.encode(),
            "receipt.json",
            "application/json",
            icon=":material/download:",
            key=f"receipt-file-{turn.id}",
            on_click="ignore",
        )
    checks, key = st.session_state.setdefault(_CHECKS, {}), (chat.id, turn.id)
    if again and content is not None:
        checks.pop(key, None)
        checks[key] = compute_again(receipt, content)
    if key in checks:
        show_check(checks[key])
    with st.expander("The receipt as JSON", icon=":material/content_copy:"):
        st.caption("The button at the top right of the text copies it.")
        st.code(text, language="json", height=300)


def find_request(chat: Chat, turn: Turn, part: int, receipt: dict[str, Any]) -> dict[str, Any] | None:
    """The request of a receipt, made of the conversation; None if that is not what it was.

    `part`: where the text begins that the request was for, see `find_part`.
    """
    asked = Turn(turn.question, attachments=turn.attachments, text=turn.text[:part])
    asked.reasoning = turn.reasoning if part else ""
    turns, _ = leave_out_images([*chat.path(turn.parent), asked])
    system = "" if chat.stored is None else chat.stored.system or ""
    try:
        prompt = build_prompt(turns, system, not turn.is_continuation)
    except InvalidRequest:  # a text with images, from a file
        return None
    models = {model["name"]: model["description"] for model in st.session_state.get("models", ())}
    fields = {**turn.parameters, "truncation": "auto"}
    fields |= limit_by_context(fields, models.get(receipt["model"]["name"]))
    fields["continue_final_message"] = bool(part) and not turn.is_continuation
    return match_request(receipt, prompt, fields)


def add_request(receipt: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """The receipt with its request as an attachment, so that others can compute the answer again."""
    return {**receipt, "request": {**receipt["request"], "content": content}}


def compute_again(receipt: dict[str, Any], content: dict[str, Any]) -> Check | TritonchatError:
    """Let the server compute the answer again, and show how far it is; what was found, or the error."""
    place, next_drawing = st.empty(), 0.0

    def draw(count: int) -> None:
        nonlocal next_drawing
        if time.monotonic() >= next_drawing:
            next_drawing = time.monotonic() + _REDRAW_S
            # This call ends the run, and so the computation, if the visitor has clicked or left.
            place.caption(f"computing again … {count:,} of {receipt['answer']['tokens']:,} tokens")

    draw(0)
    try:
        return verify(get_client(), receipt, content, draw)
    except TritonchatError as error:
        return error
    finally:
        place.empty()


def show_check(found: Check | TritonchatError) -> None:
    """Say what a check has found."""
    if isinstance(found, TritonchatError):
        st.error(describe_error(found), icon=":material/error:")
        return
    if found.verdict.equal:
        st.success(describe_check(found), icon=":material/verified:")
    else:
        st.error(describe_check(found), icon=":material/difference:")


def describe_receipt(receipt: dict[str, Any]) -> str:
    """What a receipt says, in a sentence, as Markdown."""
    model = receipt["model"]
    return (
        f"A signed record: {escape(model['name'])} ({escape(model['fingerprint'])}) has answered with "
        f"{receipt['answer']['tokens']:,} tokens, seed {receipt['seed']}, at {escape(receipt['time'])}. "
        "Whoever has the receipt can check this with “tritonchat verify receipt.json”."
    )


def describe_check(found: Check) -> str:
    """What was found, in sentences, as Markdown."""
    sentence = escape(found.verdict.message[:1].upper() + found.verdict.message[1:])
    if found.before:
        sentence += f" The last that both have is “{escape(show_text(found.before))}”."
    return sentence
