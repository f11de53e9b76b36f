"""The page: `TRITONCHAT_SERVER=127.0.0.1:8001 python -m streamlit run streamlit_client/page.py` shows it.

Streamlit runs this script from the top whenever a person does something. What lasts between the runs
stands in `st.session_state`: the turns of the conversation, and what was last heard of the model.
"""

import os
import random
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model_core.errors import PromptTooLong, TritonchatError
from streamlit_client.conversation import Turn, figures, in_plain_words, literal, prompt_for
from triton_server.client import ChatClient

DEFAULT_SERVER = "127.0.0.1:8001"
# Smoother than this nobody sees, and every look costs the browser a redraw.
LOOK_INTERVAL_S = 0.05

CHAT_EXAMPLES = [
    "Hello, who are you?",
    "My name is Ada and I live in Ulm.",
    "Tell me a story about a fox, a lighthouse and a golden key.",
    "What is 47 + 38?",
    "What rhymes with cat?",
    "How do I load my own model?",
]
STORY_EXAMPLES = ["Once upon a time", "One day, a little dog", "The sun was shining and"]


@dataclass(frozen=True)
class Settings:
    """What a person chose in the sidebar."""

    system: str
    temperature: float
    top_p: float
    max_tokens: int
    repetition_penalty: float
    seed: int | None

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request; without a seed of the person's own, a fresh one."""
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "repetition_penalty": self.repetition_penalty,
            "seed": random.randrange(10**6) if self.seed is None else self.seed,
        }


@st.cache_resource(show_spinner=False)
def connect(server: str) -> ChatClient:
    """The connection that all visitors share."""
    return ChatClient(server)


def main() -> None:
    """Draw the page, and follow the answer that is on its way."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    client = connect(os.environ.get("TRITONCHAT_SERVER", DEFAULT_SERVER))
    turns: list[Turn] = st.session_state.setdefault("turns", [])
    stats, away = look(client)
    model = st.session_state.get("model")
    settings = choose_settings(model)
    if turns and not turns[-1].begun:
        answer(client, turns, settings, model, away)
    running = bool(turns) and turns[-1].running
    show_header(client.url, stats, model, running)
    readable = model is None or model["tokenizer"]
    show_actions(turns, running)
    show_input(model)
    if away is not None and not (turns and turns[-1].error):
        st.error(in_plain_words(away), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
    if not readable:
        st.info(
            "This model has no tokenizer, so it understands token ids only and cannot be written to here."
        )
    elif not turns:
        show_welcome(model)
    for turn in turns:
        show_turn(turn)
    if running:
        st.rerun()  # the answer is complete: offer what can be done with it


def look(client: ChatClient) -> tuple[dict[str, Any] | None, TritonchatError | None]:
    """What the server says of itself, or why it says nothing."""
    try:
        stats = client.stats()
    except TritonchatError as error:
        return None, error
    st.session_state.model = stats["model"]
    return stats, None


def answer(
    client: ChatClient,
    turns: list[Turn],
    settings: Settings,
    model: dict[str, Any],
    away: TritonchatError | None,
) -> None:
    """Have the last turn answered, by a server that is not away."""
    if away is not None:
        turns[-1].fail(away)
    else:
        prompt = prompt_for(turns, settings.system, model["chat_template"])
        turns[-1].begin(client, prompt, settings.parameters())


# What a person can do. These run before the page is drawn anew.


def ask(question: str) -> None:
    """Take a question; the page sends it. An answer that is on its way ends here: nobody waits for it."""
    if question.strip():
        stop()
        st.session_state.turns.append(Turn(question))


def ask_input() -> None:
    """Take the question from the input line."""
    ask(st.session_state.question)


def try_again() -> None:
    """Have the last question answered anew."""
    stop()
    st.session_state.turns[-1] = Turn(st.session_state.turns[-1].question)


def stop() -> None:
    """End the answer that is on its way; what has come stays."""
    for turn in st.session_state.turns[-1:]:
        turn.stop()


def new_chat(question: str = "") -> None:
    """Forget the conversation, and begin another with `question` if there is one."""
    stop()
    st.session_state.turns = []
    ask(question)


# What a person sees.


def show_header(
    server: str, stats: dict[str, Any] | None, model: dict[str, Any] | None, running: bool
) -> None:
    """What model this is, on which server, and how busy that is."""
    st.subheader("tritonchat", anchor=False)
    about = []
    if model is not None:
        about += [
            f"**{literal(model['name'])}**",
            literal(model["family"]),
            f"{literal(model['weights'])} weights",
            f"{model['max_context']:,} tokens of context",
        ]
    about.append(f"server {literal(server)}")
    if stats is None:
        about.append("away")
    elif running:  # the figures are from just before the answer began
        about.append("answering")
    else:
        about.append(f"{stats['running']} running, {stats['waiting']} waiting")
    st.caption(" · ".join(about))


def choose_settings(model: dict[str, Any] | None) -> Settings:
    """The sidebar."""
    context = 1024 if model is None else model["max_context"]
    with st.sidebar:
        st.subheader("Settings", anchor=False)
        chat = model is None or model["chat_template"]
        return Settings(
            system=st.text_area(
                "System prompt",
                placeholder="You are a helpful assistant.",
                help="What the model should know before the conversation begins.",
            )
            if chat
            else "",
            temperature=st.slider(
                "Temperature",
                0.0,
                2.0,
                0.3,
                0.05,
                help="0 always takes the likeliest word. The higher, the freer, and in the end the wilder.",
            ),
            top_p=st.slider(
                "Top p",
                0.0,
                1.0,
                0.95,
                0.01,
                help="Choose among the likeliest words that together reach this probability.",
            ),
            max_tokens=st.number_input(
                "Max tokens",
                1,
                context,
                min(512, context),
                help="The answer is cut when it has this many tokens. A token is a word or a part of one.",
            ),
            repetition_penalty=st.slider(
                "Repetition penalty",
                1.0,
                2.0,
                1.0,
                0.05,
                help="Above 1, words that were there already become less likely.",
            ),
            seed=st.number_input(
                "Seed",
                0,
                None,
                None,
                placeholder="a new one for each answer",
                help="The same seed, question and settings give the same answer, always. Left empty, "
                "every answer has a new seed, so that *Try again* gives another one.",
            ),
        )


def show_actions(turns: list[Turn], running: bool) -> None:
    """What can be done with the last answer, above the input line."""
    # Always two places: the input line keeps its draft and its cursor only while it keeps its own. And one
    # for each state, for while a script runs, Streamlit leaves standing what the run before had drawn.
    places = st.bottom.empty(), st.bottom.empty()
    if not turns:
        return
    with places[running].container(horizontal=True):
        st.button("New chat", icon=":material/add_comment:", on_click=new_chat)
        if running:
            # Away from where the others stand, so that a double click does one thing only.
            st.space("stretch")
            st.button("Stop", icon=":material/stop_circle:", on_click=stop)
        elif not isinstance(turns[-1].error, PromptTooLong):
            st.button("Try again", icon=":material/refresh:", on_click=try_again)
        elif len(turns) > 1:
            question = turns[-1].question
            st.button("Ask in a new chat", icon=":material/reply:", on_click=new_chat, args=[question])


def show_input(model: dict[str, Any] | None) -> None:
    """The line to write on."""
    chat = model is None or model["chat_template"]
    st.chat_input(
        "Write a message" if chat else "Write a beginning",
        key="question",
        on_submit=ask_input,
        disabled=not (model is None or model["tokenizer"]),
    )


def show_welcome(model: dict[str, Any] | None) -> None:
    """The first screen: what this is for, and ways to begin."""
    chat = model is None or model["chat_template"]
    if chat:
        st.markdown("Hello! Ask something below, or begin with one of these:")
    else:
        st.markdown(
            "This model continues texts: write a beginning below, and it goes on from there. "
            "Every text stands on its own. Or begin with one of these:"
        )
    with st.container(horizontal=True):
        for example in CHAT_EXAMPLES if chat else STORY_EXAMPLES:
            st.button(example, on_click=ask, args=[example])


def show_turn(turn: Turn) -> None:
    """A question and its answer; returns when the answer is complete."""
    with st.chat_message("user", avatar=":material/person:"):
        st.text(turn.question)
    with st.chat_message("assistant", avatar=":material/forum:"):
        text, below = st.empty(), st.empty()
        follow(turn, text, below)
        if turn.text:
            text.markdown(turn.shown)
        if turn.error is None:
            below.caption(figures(turn))
        else:
            below.error(in_plain_words(turn.error), icon=":material/error:")


def follow(turn: Turn, text: Any, below: Any) -> None:
    """Show an answer while it comes."""
    shown = ""
    while not turn.wait(LOOK_INTERVAL_S):
        if turn.text != shown:
            shown = turn.text
            text.markdown(turn.shown)
        # Streamlit ends this run, for a click or a visitor who left, where something is drawn.
        below.caption("answering …" if shown else "waiting for the first word …")


main()
