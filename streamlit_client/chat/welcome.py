"""The top of the chat page: who answers, and what a person can begin with."""

from typing import Any

import streamlit as st

from model_core.llm.description import ModelDescription
from streamlit_client.chat.real_models import EMBEDDED, show_real_models
from streamlit_client.chat.state import Chat
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_client
from streamlit_client.shared.settings import answers_chats, choose, chosen_model, get_chosen

_EMBEDDED_EXAMPLES = [  # the embedded model knows little else
    "Hello, who are you?",
    "My name is Ada and I live in Ulm.",
    "Tell me a story about a fox, a lighthouse and a golden key.",
    "What is 47 + 38?",
    "What rhymes with cat?",
    "How do I load my own model?",
]
_EXAMPLES = [
    "Explain how a hash table works, with a short example in Python.",
    "Write an e-mail that asks politely for a reply.",
    "What is the difference between a virus and a bacterium?",
    "Tell me a story about a fox, a lighthouse and a golden key.",
]
_WORDS_PER_TOKEN = 0.75  # of English, about
_MAX_SYSTEM = 120  # characters of a system prompt on the first screen


def show_header(stats: dict[str, Any] | None, model: ModelDescription | None, is_running: bool) -> None:
    """Show who answers, and whether it can now. What an operator wants to know is in the help."""
    facts = []
    if "models" in st.session_state:
        chosen = chosen_model()
        if stats is not None and chosen["state"] != "ready":
            facts.append(chosen["state"])
        facts.append(f"**{escape(chosen['name'])}**")
    if model is not None:
        facts += describe_model(model)
    details = [f"server {escape(get_client().url)}", *([] if model is None else describe_weights(model))]
    if stats is None:
        facts.append("unavailable")
    else:  # the statistics are from before the answer was started
        details.append(f"{stats['running']} running, {stats['waiting']} waiting")
        if is_running:
            facts.append("answering")
        elif stats["waiting"]:
            facts.append(f"busy, {stats['waiting']} waiting")
    st.caption(" · ".join(facts), help=" · ".join(details))


def describe_model(model: ModelDescription) -> list[str]:
    """What a person wants to know of a model, in words."""
    facts = [] if model["engine"] is None else ["computed by another server"]
    if model["max_context"] is not None:
        words = float(f"{model['max_context'] * _WORDS_PER_TOKEN:.2g}")
        facts.append(f"{model['max_context']:,} tokens of context, about {words:,.0f} words")
    return facts


def describe_weights(model: ModelDescription) -> list[str]:
    """What an operator wants to know of a model, in words."""
    facts = [] if model["engine"] is not None else [escape(model["family"])]
    return facts + ([] if model["weights"] is None else [f"{escape(model['weights'])} weights"])


def show_welcome(chat: Chat, model: ModelDescription | None) -> None:
    """Show the first screen: a sentence about the model, and examples for it."""
    if not answers_chats(model):
        st.subheader("Continue a text", anchor=False)
        st.markdown(
            "This model continues texts and answers no questions. Write a beginning below. "
            "The model does not remember earlier texts."
        )
        return
    st.subheader("tritonchat", anchor=False)
    st.markdown("Hello! Ask something below, or begin with one of these:")
    show_taken_over()
    if is_embedded(model):
        show_real_models()
    with st.container(horizontal=True):
        for example in _EMBEDDED_EXAMPLES if is_embedded(model) else _EXAMPLES:
            st.button(example, on_click=_ask, args=[chat, example])


def _ask(chat: Chat, example: str) -> None:
    chat.ask(example)


def is_embedded(model: ModelDescription | None) -> bool:
    """Whether a model is the one that comes with tritonchat."""
    return model is not None and model["name"] == EMBEDDED


def show_taken_over() -> None:
    """Show the system prompt that a new conversation takes over from the one before, and a way to drop it."""
    chosen = get_chosen()
    system = " ".join(str(chosen.get("system", "")).split())
    if system:
        with st.container(horizontal=True, border=True, vertical_alignment="center"):
            shown = system if len(system) <= _MAX_SYSTEM else f"{system[: _MAX_SYSTEM - 1]}…"
            st.caption(f"This chat has your system prompt: “{escape(shown)}”")
            without = {name: value for name, value in chosen.items() if name != "system"}
            st.button("Leave it out", icon=":material/close:", on_click=choose, args=[without])
