"""The page that explains one step: how a model turns a short text into the next token.

It asks the server anew whenever something changes. The text is shown to nobody else.
"""

from typing import Any

import pandas as pd
import streamlit as st

from model_core.errors import TritonchatError
from model_core.images.data_url import find_type, write_data_url
from model_core.llm.description import ModelDescription, sees_images
from streamlit_client.inspection import plots
from streamlit_client.inspection.pictures import say_pictures, show_pictures
from streamlit_client.inspection.show_plot import show_plot
from streamlit_client.inspection.terms import show_terms
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.prompts import ASKED_STEP, Step
from streamlit_client.shared.server import fetch_stats, get_client
from streamlit_client.shared.settings import answers_chats, chosen_model, show_models
from streamlit_client.shared.token_text import show_text
from triton_server.contract.tensors import Prompt

QUESTION = "What rhymes with cat?"
BEGINNING = "Once upon a time, a little"
MAX_TOKENS = 256  # of the server
MAP_TOKENS = 64  # of a map of attention; with more, a page would be slow
LABEL_LENGTH = 14
TYPES = ["png", "jpg", "jpeg", "webp", "gif"]
MAX_MEBIBYTES = 6  # of a picture


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="tritonchat: explain", page_icon="💬", layout="centered")
    st.title("How the next token comes about", anchor=False)
    owner()  # shows a stranger the login, and nothing else
    client = get_client()
    _, error = fetch_stats(client)
    with st.sidebar:
        show_models()
    if error is not None:
        st.error(describe_error(error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
        return
    model = chosen_model()
    step: Step | None = st.session_state.get(ASKED_STEP)
    prompt = show_prompt(model["description"]) if step is None else show_step(step)
    if prompt is None:
        return
    fields = {"model": model["name"], **({} if step is None else step.parameters), **read_choices()}
    try:
        with st.spinner("Computing …", show_time=False):
            explanation = client.explain(prompt, **fields)
    except TritonchatError as failure:
        st.error(describe_error(failure), icon=":material/error:")
        return
    tokens = explanation["tokens"]
    show_template(explanation["text"], is_chat=not isinstance(prompt, str))
    show_tokens(tokens)
    if explanation.get("images"):
        st.markdown(say_pictures(explanation["images"]))
    show_tape(explanation["tape"])
    show_attention(explanation["attention"], tokens, explanation.get("images", []))
    show_next(explanation)


def read_choices() -> dict[str, Any]:
    """What the person chose further down the page: layer, head and sampling."""
    state = st.session_state
    sampling = {
        "temperature": state.get("explain_temperature", 1.0),
        "top_p": state.get("explain_top_p", 1.0),
        "top_k": 0,
        "min_p": 0.0,
        "typical_p": 1.0,
    }
    return {
        "layer": state.get("explain_layer") or 0,
        "head": state.get("explain_head") or 0,
        "sampling": sampling,
    }


def show_step(step: Step) -> Prompt:
    """Say which token of an answer is explained, and let the person leave it; return what came before it."""
    st.info(
        f"The step of a chat that wrote “{escape(show_text(step.token))}”. The prompt is the chat before it.",
        icon=":material/school:",
    )
    st.button("Explain another text", on_click=st.session_state.pop, args=[ASKED_STEP, None])
    return step.prompt


def show_prompt(model: ModelDescription | None) -> Any:
    """Show where the person writes; return the prompt, or None if there is none."""
    is_chat = answers_chats(model)
    if is_chat:
        kinds = ("a message", "a beginning")
        kind = st.segmented_control("The text is", kinds, default=kinds[0], required=True, key="explain_kind")
        is_chat = kind == kinds[0]
    text = st.text_area(
        "Text",
        QUESTION if is_chat else BEGINNING,
        key=f"explain_{'message' if is_chat else 'beginning'}",
        max_chars=2000,
        help=f"Up to {MAX_TOKENS} tokens, the chat template's among them.",
    )
    if not text.strip():
        st.info("Write a text above.")
        return None
    if not is_chat:
        return text
    picture = show_upload() if model is not None and sees_images(model) else None
    return [
        {"role": "user", "content": text if picture is None else [picture, {"type": "text", "text": text}]}
    ]


def show_upload() -> dict[str, Any] | None:
    """Show where the person adds a picture; return it as a part of a message."""
    file = st.file_uploader("A picture before the text", TYPES, max_upload_size=MAX_MEBIBYTES)
    if file is None:
        return None
    data = file.getvalue()
    kind = find_type(data)
    if kind is None:
        st.warning(f"{escape(file.name)} is no PNG, JPEG, WebP or GIF file, and is left out.")
        return None
    return {"type": "image_url", "image_url": {"url": write_data_url(kind, data), "detail": "low"}}


def show_template(text: str, is_chat: bool) -> None:
    """Step 1: what the model reads."""
    st.header("1. The prompt", anchor=False)
    st.markdown(
        "The chat template of the model puts your message between signs that it learned in its training:"
        if is_chat
        else "The model goes on where your text ends. It reads just this:"
    )
    st.code(text, language=None, wrap_lines=True)


def show_tokens(tokens: list[dict[str, Any]]) -> None:
    """Step 2: the pieces that the model reads."""
    st.header("2. Tokens", anchor=False)
    st.markdown(
        f"The tokenizer cuts the prompt into {len(tokens)} pieces of its vocabulary. The model sees only "
        "their numbers:"
    )
    rows = [
        {"token": number, "text": show_text(token["text"]), "number": token["token_id"]}
        for number, token in enumerate(tokens, 1)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=min(300, 38 + 35 * len(rows)))


def show_tape(tape: dict[str, Any]) -> None:
    """Step 3: what the model computes."""
    layers, layer = tape["layers"], tape["layer"]
    st.header("3. The computation", anchor=False)
    st.markdown(
        f"Each token becomes a row of numbers. {layers} layers change the rows, one after the other; what "
        f"follows is the list of operations that the engine runs, with layer {layer} of 0 to {layers - 1}. "
        "The others do the same with weights of their own."
    )
    if layers > 1:
        st.slider("Layer", 0, layers - 1, layer, key="explain_layer")
    for title, part in (
        ("Before the layers", tape["begin"]),
        (f"Layer {layer}", tape["inside"]),
        ("After the layers", tape["end"]),
    ):
        if part:
            st.subheader(title, anchor=False)
            st.markdown("\n".join(f"{number}. {say_step(step)}" for number, step in enumerate(part, 1)))
            show_terms(" ".join(step["words"] for step in part), title)


def say_step(step: dict[str, Any]) -> str:
    """An operation of the tape as Markdown."""
    rows, columns = step["shape"]
    size = f"{rows:,} rows of {columns:,} numbers" if rows > 1 else f"a row of {columns:,} numbers"
    weights = "".join(f" `{name.replace('`', '')}`" for name in step["weights"])
    return (
        f"**{escape(step['operation'].replace('_', ' '))}** {escape(step['words'])} "
        f":small[→ {escape(step['writes'])}, {size}{weights}]"
    )


def show_attention(
    attention: dict[str, Any] | None, tokens: list[dict[str, Any]], images: list[dict[str, Any]]
) -> None:
    """Step 4: which tokens look at which, and at which parts of a picture."""
    st.header("4. Attention", anchor=False)
    if attention is None:
        st.markdown(
            "This model has no attention: it keeps what it has read in a state of fixed size instead, which "
            "each token changes."
        )
        return
    heads = f"{attention['heads']} heads"
    if attention["kv_heads"] < attention["heads"]:
        heads += f", which share {attention['kv_heads']} heads of keys and values"
    st.markdown(
        f"Here the rows exchange what they know: each token looks at those before it. Layer "
        f"{attention['layer']} does so with {heads}. Softmax says how much a head takes of each."
    )
    show_terms("heads of queries, keys and values, softmax", "attention")
    if attention["heads"] > 1:
        st.slider("Head", 0, attention["heads"] - 1, attention["head"], key="explain_head")
    labels = [label_token(number, token) for number, token in enumerate(tokens, 1)]
    if images:
        show_pictures(images, attention, labels)
    first = max(0, len(labels) - MAP_TOKENS)
    if first:
        st.caption(f"The map shows the last {MAP_TOKENS} tokens.")
    title = f"Layer {attention['layer']}, head {attention['head']}"
    show_plot(title, plots.plot_attention(attention["weights"], labels, first))
    last = [row[first:] for row in attention["last"]]
    show_plot("The last token, with all heads", plots.plot_heads(last, labels[first:]))


def show_next(explanation: dict[str, Any]) -> None:
    """Step 5: the next token, and how it is chosen."""
    st.header("5. The next token", anchor=False)
    st.markdown(
        "The last row becomes a score for each token of the vocabulary, and the scores become probabilities. "
        "Sampling then draws one of them. A low temperature favours the likeliest; top p leaves out the "
        "unlikely ones that together have the rest of the probability."
    )
    show_terms("score for each token, softmax, temperature, top p, bits", "next")
    left, right = st.columns(2)
    left.slider("Temperature", 0.0, 2.0, 1.0, 0.05, key="explain_temperature")
    right.slider("Top p", 0.05, 1.0, 1.0, 0.05, key="explain_top_p")
    tokens = explanation["next"]
    labels = [label_token(number, token) for number, token in enumerate(tokens, 1)]
    show_plot("The likeliest next tokens", plots.plot_next(tokens, labels))
    count = explanation["candidates"]
    possible = "one token" if count == 1 else f"one of {count:,} tokens"
    st.markdown(
        f"With these settings the model would write {possible}. Its own uncertainty is "
        f"{explanation['entropy']:.1f} bits, as of a choice among {2 ** explanation['entropy']:,.0f} equally "
        "likely tokens."
    )


def label_token(number: int, token: dict[str, Any]) -> str:
    """A short name for a token, which no other one of a list has."""
    text = show_text(token["text"]) or "∅"
    return f"{number} {text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 1] + '…'}"


main()
