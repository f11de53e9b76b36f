"""The tokens of an answer: how likely the model found each, and what it could have written instead."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.prompts import ASKED_STEP, Step, begin_answer
from streamlit_client.shared.token_text import show_text
from triton_server.client import ChatClient
from triton_server.contract.tensors import Prompt

ALTERNATIVES = 5
# A page with more would be slow. The tokens after these are not shown.
MAX_SHOWN = 1500
_FULL_COLOR_BITS = 8  # a surprise of so many bits has the strongest colour

_CSS = """
.tokens { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.9; color: var(--st-text-color);
  font-family: var(--st-font); }
.tokens span { border-radius: 3px; padding: 2px 0; cursor: pointer;
  background: color-mix(in srgb, var(--st-orange-color, #e8710a) calc(var(--surprise) * 55%), transparent); }
.tokens span:hover, .tokens span:focus { outline: 1px solid var(--st-text-color); }
.tokens span[aria-pressed=true] { outline: 2px solid var(--st-primary-color); }
"""
# Texts of tokens are set as text, never as HTML.
_JS = """
export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".tokens");
  const focused = [...root.children].indexOf(root.getRootNode().activeElement);
  const current = Math.max(0, focused < 0 ? data.chosen : focused);
  const spans = data.tokens.map((token, index) => {
    const span = document.createElement("span");
    span.textContent = token.shown;
    span.title = token.words;
    span.setAttribute("role", "button");
    span.setAttribute("aria-label", token.words);
    span.setAttribute("aria-pressed", index === data.chosen);
    span.style.setProperty("--surprise", token.surprise);
    span.tabIndex = index === current ? 0 : -1;
    span.onclick = () => setTriggerValue("token", index);
    span.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && spans[index + step]) {
        span.tabIndex = -1;
        spans[index + step].tabIndex = 0;
        spans[index + step].focus();
      } else if (event.key === "Enter" || event.key === " ") {
        setTriggerValue("token", index);
      } else {
        return;
      }
      event.preventDefault();
    };
    return span;
  });
  root.replaceChildren(...spans);
  spans[focused]?.focus();  // what was drawn again
}
"""
_tokens = st.components.v2.component(
    "tritonchat.tokens",
    html='<div class="tokens" role="group" aria-label="Tokens of the answer"></div>',
    css=_CSS,
    js=_JS,
)


def show_tokens(
    client: ChatClient,
    prompt: Prompt,
    answer: str,
    key: str,
    on_branch: Callable[[str], None] | None = None,
    arrivals: Sequence[tuple[int, float]] = (),
    **parameters: Any,
) -> None:
    """Show the tokens of an answer that the model gave to `prompt`, or of any other text in its place.

    The server computes their probabilities when this is called for the first time, and the session keeps them
    under `key`. `parameters` are those of `ChatClient.chat` that change the prompt or name the model.

    When the person takes an alternative, `on_branch` is called with the text up to it, from which the answer
    is to go on; then the whole page runs again. `arrivals`: how many characters of the answer had arrived
    after how many seconds, where this is known.
    """
    _show(client, prompt, answer, key, on_branch, arrivals, parameters)


@st.fragment
def _show(
    client: ChatClient,
    prompt: Prompt,
    answer: str,
    key: str,
    on_branch: Callable[[str], None] | None,
    arrivals: Sequence[tuple[int, float]],
    parameters: dict[str, Any],
) -> None:
    kept = st.session_state.setdefault("token_view", {})
    if kept.get(key, (None,))[0] != answer:
        try:
            with st.spinner("Computing the probabilities …"):
                (choice,) = client.choose(prompt, [answer], logprobs=ALTERNATIVES, **parameters)
        except TritonchatError as error:
            st.error(describe_error(error), icon=":material/error:")
            return
        kept[key] = answer, choice["tokens"]
    tokens: list[dict[str, Any]] = kept[key][1]
    chosen_key = f"{key}-token"
    chosen = st.session_state.get(chosen_key)
    chosen = chosen if chosen is not None and chosen < len(tokens) else None
    st.caption(describe_tokens(tokens))
    result = _tokens(
        data={
            "tokens": draw_tokens(tokens[:MAX_SHOWN], arrivals),
            "chosen": -1 if chosen is None else chosen,
        },
        key=f"{key}-tokens",
        on_token_change=lambda: None,
    )
    if len(tokens) > MAX_SHOWN:
        st.caption(f"The first {MAX_SHOWN} of {len(tokens)} tokens are shown.")
    if result.token is not None and result.token != chosen:
        st.session_state[chosen_key] = result.token
        st.rerun(scope="fragment")
    if chosen is not None:
        _show_alternatives(client, prompt, tokens, chosen, key, on_branch, parameters)


def _show_alternatives(
    client: ChatClient,
    prompt: Prompt,
    tokens: Sequence[dict[str, Any]],
    chosen: int,
    key: str,
    on_branch: Callable[[str], None] | None,
    parameters: dict[str, Any],
) -> None:
    """Show what the model could have written in the place of a token, as buttons."""
    token = tokens[chosen]
    st.markdown(f"Token {chosen + 1}, {describe_token(token)}. Instead of it, the model could have written:")
    taken = None
    with st.container(horizontal=True):
        for other in token["top_logprobs"]:
            label = f"{escape(show_text(other['token']))} · {format_share(other['logprob'])}"
            name = f"{key}-{chosen}-{other['token_id']}"
            is_same = other["token_id"] == token["token_id"]
            if not is_same and st.button(label, key=name, disabled=on_branch is None):
                taken = other
    before = text_of(tokens[:chosen])
    if before is not None and st.button(
        "How did this token come about?", icon=":material/school:", key=f"{key}-{chosen}-explain"
    ):
        begun, fields = begin_answer(prompt, before, parameters)
        st.session_state[ASKED_STEP] = Step(begun, fields, token["token"])
        st.switch_page("inspection/explain.py")
    if taken is None or on_branch is None:
        return
    text = branch_text(tokens, chosen, taken)
    if text is None or not _ends_with(client, prompt, text, taken["token_id"], parameters):
        st.info("This token is a sign of the model, or a part of a character. No text can go on from it.")
    else:
        on_branch(text)
        st.rerun()


def branch_text(tokens: Sequence[dict[str, Any]], index: int, other: dict[str, Any]) -> str | None:
    """The text of an answer up to a token, and another one; None if it ends within a character."""
    return text_of([*tokens[:index], other])


def text_of(tokens: Sequence[dict[str, Any]]) -> str | None:
    """The text of tokens; None if it ends within a character."""
    try:
        return b"".join(map(token_bytes, tokens)).decode()
    except UnicodeDecodeError:
        return None


def _ends_with(
    client: ChatClient, prompt: Prompt, text: str, token_id: int, parameters: dict[str, Any]
) -> bool:
    """Whether the answer that begins with `text` goes on behind this token, as the model reads it."""
    begun, fields = begin_answer(prompt, text, parameters)
    try:
        ids = client.tokenize(begun, **fields)["token_ids"]
    except TritonchatError:
        return False
    return ids[-1:] == [token_id]


def token_bytes(token: dict[str, Any]) -> bytes:
    """The bytes of a token, which may be a part of a character."""
    return bytes(token["bytes"]) if "bytes" in token else token["token"].encode()


def describe_tokens(tokens: Sequence[dict[str, Any]]) -> str:
    """A sentence about the tokens of an answer."""
    surprises = [-token["logprob"] / math.log(2) for token in tokens]
    likeliest, mean = sum(token["rank"] == 1 for token in tokens), sum(surprises) / len(tokens)
    return (
        f"{len(tokens)} tokens, {likeliest} of them the likeliest in their place, "
        f"{mean:.1f} bits of surprise on average. The stronger its colour, the less the model expected a "
        "token. Choose one to see what could have stood there."
    )


def describe_token(token: dict[str, Any]) -> str:
    """A token in words, as Markdown: its text, its probability and its rank."""
    rank = "the likeliest" if token["rank"] == 1 else f"number {token['rank']:,} of all"
    return f"“{escape(show_text(token['token']))}”, {format_share(token['logprob'])}, {rank}"


def draw_tokens(
    tokens: Sequence[dict[str, Any]], arrivals: Sequence[tuple[int, float]] = ()
) -> list[dict[str, Any]]:
    """The tokens as the component draws them: `shown`, `words`, and `surprise` from 0 to 1."""
    return [_draw(token, seconds) for token, seconds in zip(tokens, _times(tokens, arrivals), strict=True)]


def _draw(token: dict[str, Any], seconds: float | None) -> dict[str, Any]:
    """A token as the component draws it."""
    surprise = min(1.0, -token["logprob"] / math.log(2) / _FULL_COLOR_BITS)
    others = [other for other in token["top_logprobs"] if other["token_id"] != token["token_id"]]
    rank = "the likeliest" if token["rank"] == 1 else f"number {token['rank']:,}"
    words = f"{show_text(token['token'])}: {format_share(token['logprob'])}, {rank}"
    if others:
        words += "; else " + ", ".join(
            f"{show_text(o['token'])} {format_share(o['logprob'])}" for o in others[:3]
        )
    if seconds is not None:
        words += f"; after {seconds:.2f} s"
    shown = token["token"].replace("\r", "␍").replace("\n", "⏎\n") or "∅"
    return {"shown": shown, "words": words, "surprise": round(max(0.0, surprise), 3)}


def _times(tokens: Sequence[dict[str, Any]], arrivals: Sequence[tuple[int, float]]) -> list[float | None]:
    """When each token had arrived, in seconds after the question; None where it is not known."""
    times, end, index = [], 0, 0
    for token in tokens:
        end += len(token_bytes(token).decode(errors="ignore"))
        while index < len(arrivals) and arrivals[index][0] < end:
            index += 1
        times.append(arrivals[index][1] if index < len(arrivals) else None)
    return times


def format_share(logprob: float) -> str:
    """A probability in percent, from its logarithm."""
    share = math.exp(min(0.0, logprob))
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}" if share >= 0.001 else "below 0.1%"
