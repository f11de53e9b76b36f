"""The page. `TRITONCHAT_SERVER=127.0.0.1:8001 python -m streamlit run streamlit_client/page.py` starts it.

Streamlit runs this script from the top whenever a person does something. `st.session_state` keeps values
from run to run: the turns of the conversation, and the last known description of the model.
"""

import os
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model_core.config import GenerationDefaults
from model_core.errors import PromptTooLong, TritonchatError
from model_core.sampling import SamplingFields
from model_core.validation import find_range, value_type
from streamlit_client.conversation import (
    Turn,
    build_prompt,
    describe_error,
    describe_progress,
    describe_truncation,
    format_statistics,
)
from streamlit_client.markdown import escape, sanitize
from triton_server.client import ChatClient
from triton_server.parameters import describe_parameter

DEFAULT_SERVER = "127.0.0.1:8001"
# A person sees no difference to a shorter interval, and each redraw costs the browser time.
REDRAW_INTERVAL_S = 0.05
# A person waits so long at a server that does not answer, before the page says so.
STATS_TIMEOUT_S = 3.0

CHAT_EXAMPLES = [
    "Hello, who are you?",
    "My name is Ada and I live in Ulm.",
    "Tell me a story about a fox, a lighthouse and a golden key.",
    "What is 47 + 38?",
    "What rhymes with cat?",
    "How do I load my own model?",
]
STORY_EXAMPLES = ["Once upon a time", "One day, a little dog", "The sun was shining and"]


# For models that recommend no sampling. At temperature 0, "Try again" would give the same answer.
FALLBACK_SAMPLING = {"temperature": 0.3, "top_p": 0.95}
# Of one click on a widget. The first two are always shown.
STEPS: dict[str, float] = {
    "temperature": 0.05,
    "top_p": 0.01,
    "top_k": 1,
    "min_p": 0.01,
    "repetition_penalty": 0.05,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.1,
}


@dataclass(frozen=True)
class ChatSettings:
    """The settings that a person chose in the sidebar.

    `changes` has only the request parameters that differ from the model's defaults. If `seed` is None, each
    answer gets a random one.
    """

    system: str
    changes: dict[str, float]
    max_tokens: int
    seed: int | None

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request."""
        return {**self.changes, "max_tokens": self.max_tokens, "seed": self.seed}


@st.cache_resource(show_spinner=False)
def get_client(server: str) -> ChatClient:
    """The client that all visitors share."""
    return ChatClient(server)


def main() -> None:
    """Draw the page, and show a running answer until it ends."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    client = get_client(os.environ.get("TRITONCHAT_SERVER", DEFAULT_SERVER))
    turns: list[Turn] = st.session_state.setdefault("turns", [])
    stats, stats_error = fetch_stats(client)
    model = st.session_state.get("model")
    settings = show_settings(model)
    if turns and not turns[-1].is_started:
        start_answer(client, turns, settings, model, stats_error)
    is_running = bool(turns) and turns[-1].is_running
    show_header(client.url, stats, model, is_running)
    has_tokenizer = model is None or model["tokenizer"]
    show_actions(turns, is_running)
    show_input(model)
    if stats_error is not None and not (turns and turns[-1].error):
        st.error(describe_error(stats_error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")
    if not has_tokenizer:
        st.info("This model has no tokenizer. It takes token ids only, so it cannot be used here.")
    elif not turns:
        show_welcome(model)
    for turn in turns:
        show_turn(turn)
    if is_running:
        st.rerun()  # the answer has ended: draw the buttons for it


def fetch_stats(client: ChatClient) -> tuple[dict[str, Any] | None, TritonchatError | None]:
    """The server's statistics, or the error of the request for them. It stores the model in the session."""
    try:
        stats = client.stats(STATS_TIMEOUT_S)
    except TritonchatError as error:
        return None, error
    st.session_state.model = stats["model"]
    return stats, None


def start_answer(
    client: ChatClient,
    turns: list[Turn],
    settings: ChatSettings,
    model: dict[str, Any],
    stats_error: TritonchatError | None,
) -> None:
    """Start the answer to the last turn; let the turn fail with `stats_error` if there is one."""
    if stats_error is not None:
        turns[-1].fail(stats_error)
    else:
        prompt = build_prompt(turns, settings.system, model["chat_template"])
        turns[-1].start(client, prompt, {**settings.parameters(), "truncation": "auto"})


# What a person can do. Streamlit calls these functions and then runs the script again.


def send(question: str) -> None:
    """Add a turn, which the next run of the script starts. Stop a running answer."""
    if question.strip():
        stop()
        st.session_state.turns.append(Turn(question))


def send_input() -> None:
    """Send the text of the input line."""
    send(st.session_state.question)


def try_again() -> None:
    """Ask the last question again."""
    stop()
    st.session_state.turns[-1] = Turn(st.session_state.turns[-1].question)


def stop() -> None:
    """Stop the running answer; its text so far remains."""
    for turn in st.session_state.turns[-1:]:
        turn.stop()


def start_new_chat() -> None:
    """Start a new conversation."""
    stop()
    st.session_state.turns = []


# What a person sees. Each function draws a part of the page.


def show_header(
    server: str, stats: dict[str, Any] | None, model: dict[str, Any] | None, is_running: bool
) -> None:
    """Show the model, the server, and how busy the server is."""
    st.subheader("tritonchat", anchor=False)
    facts = []
    if model is not None:
        facts += [
            f"**{escape(model['name'])}**",
            escape(model["family"]),
            f"{escape(model['weights'])} weights",
            f"{model['max_context']:,} tokens of context",
        ]
    facts.append(f"server {escape(server)}")
    if stats is None:
        facts.append("unavailable")
    elif is_running:  # the statistics are from before the answer was started
        facts.append("answering")
    else:
        facts.append(f"{stats['running']} running, {stats['waiting']} waiting")
    st.caption(" · ".join(facts))


def answers_chats(model: dict[str, Any] | None) -> bool:
    """Whether the model answers conversations; other models continue texts. None: not known yet."""
    return model is None or model["chat_template"]


def show_settings(model: dict[str, Any] | None) -> ChatSettings:
    """Show the sidebar; return the settings in it."""
    context = 1024 if model is None else model["max_context"]
    with st.sidebar:
        st.subheader("Settings", anchor=False)
        return ChatSettings(
            system=st.text_area(
                "System prompt",
                placeholder="You are a helpful assistant.",
                help="What the model should know before the conversation begins.",
            )
            if answers_chats(model)
            else "",
            changes=show_thinking(model) | show_sampling({} if model is None else model["sampling"]),
            max_tokens=st.number_input(
                "Max tokens", 1, context, min(512, context), help=describe_parameter("max_tokens")
            ),
            seed=st.number_input(
                "Seed",
                0,
                None,
                None,
                placeholder="a new one for each answer",
                help=describe_parameter("seed"),
            ),
        )


def show_thinking(model: dict[str, Any] | None) -> dict[str, bool]:
    """Show the switch of a model whose reasoning can be switched; return its value if it was changed."""
    default = None if model is None else model["enable_thinking"]
    if default is None:
        return {}
    value = st.toggle("Think before answering", default, help=describe_parameter("enable_thinking"))
    return {} if value == default else {"enable_thinking": value}


def show_sampling(defaults: dict[str, float]) -> dict[str, float]:
    """Show widgets that start at the model's `defaults`; return the values that differ from them."""
    neutral = {name: SamplingFields.model_fields[name].default for name in STEPS} | vars(GenerationDefaults())
    defaults = neutral | defaults
    initial = defaults | ({} if defaults["temperature"] else FALLBACK_SAMPLING)
    first, second, *others = STEPS
    values = {name: show_number(name, initial[name]) for name in (first, second)}
    with st.expander("More sampling"):
        values |= {name: show_number(name, initial[name]) for name in others}
    return {name: value for name, value in values.items() if value != defaults[name]}


def show_number(name: str, initial: float) -> float:
    """Show the widget of a sampling parameter: a slider, or a field if the range is too wide for one."""
    field, label = SamplingFields.model_fields[name], name.replace("_", " ").capitalize()
    low, high, initial = (value_type(field.annotation)(number) for number in (*find_range(field), initial))
    widget = st.slider if high - low <= 4 else st.number_input
    return widget(label, low, high, initial, STEPS[name], help=describe_parameter(name))


def show_actions(turns: list[Turn], is_running: bool) -> None:
    """Show buttons for the last answer, above the input line."""
    # There are always two placeholders: if the number of elements above the input line changes, the line
    # loses its text and its cursor. Each state has its own: while a script runs, the page still has the
    # elements of the run before.
    placeholders = st.bottom.empty(), st.bottom.empty()
    if not turns:
        return
    with placeholders[is_running].container(horizontal=True):
        st.button("New chat", icon=":material/add_comment:", on_click=start_new_chat)
        if is_running:
            # At the other end of the line, so that a double click on "Try again" does not stop the answer.
            st.space("stretch")
            st.button("Stop", icon=":material/stop_circle:", on_click=stop)
        elif not isinstance(turns[-1].error, PromptTooLong):
            st.button("Try again", icon=":material/refresh:", on_click=try_again)


def show_input(model: dict[str, Any] | None) -> None:
    """Show the input line."""
    st.chat_input(
        "Write a message" if answers_chats(model) else "Write a beginning",
        key="question",
        on_submit=send_input,
        disabled=not (model is None or model["tokenizer"]),
    )


def show_welcome(model: dict[str, Any] | None) -> None:
    """Show the first screen: a sentence about the model, and examples."""
    if answers_chats(model):
        st.markdown("Hello! Ask something below, or begin with one of these:")
    else:
        st.markdown(
            "This model continues texts. Write a beginning below, or choose one of these. "
            "The model does not remember earlier texts."
        )
    with st.container(horizontal=True):
        for example in CHAT_EXAMPLES if answers_chats(model) else STORY_EXAMPLES:
            st.button(example, on_click=send, args=[example])


def show_turn(turn: Turn) -> None:
    """Show a question and its answer. Returns when the answer has ended."""
    with st.chat_message("user", avatar=":material/person:"):
        st.text(turn.question)
    with st.chat_message("assistant", avatar=":material/forum:"):
        view, caption = AnswerView(), st.empty()
        show_until_end(turn, view, caption)
        view.draw(turn)
        if turn.error is None:
            caption.caption("\n\n".join(filter(None, (describe_truncation(turn), format_statistics(turn)))))
        else:
            caption.error(describe_error(turn.error), icon=":material/error:")


class AnswerView:
    """The places of an answer's parts: its reasoning, its text and its tool calls."""

    def __init__(self) -> None:
        self._reasoning, self._text, self._calls = st.empty(), st.empty(), st.empty()
        self._open_reasoning: Any = None  # the inside of the reasoning's expander
        self._drawn: dict[str, Any] = {}

    def draw(self, turn: Turn) -> None:
        """Draw what has changed. Reasoning is open until the answer begins."""
        if turn.reasoning:
            label = "Reasoning" if turn.has_answer or not turn.is_running else "Thinking …"
            if self._changes("label", label):
                self._open_reasoning = self._reasoning.expander(label, expanded=not turn.has_answer).empty()
                self._drawn.pop("reasoning", None)
            if self._changes("reasoning", turn.reasoning):
                self._open_reasoning.markdown(sanitize(turn.reasoning))
        if turn.text and self._changes("text", turn.text):
            self._text.markdown(turn.markdown)
        calls = "\n".join(f"{call.name} {call.arguments}" for call in turn.tool_calls)
        if calls and self._changes("calls", calls):
            self._calls.code(calls, language=None, wrap_lines=True)

    def _changes(self, part: str, value: str) -> bool:
        """Whether a part has another value than the one that is drawn; if so, it will be drawn."""
        is_changed = self._drawn.get(part) != value
        self._drawn[part] = value
        return is_changed


def show_until_end(turn: Turn, view: AnswerView, caption: Any) -> None:
    """Show a running answer until it ends, and its state in the placeholder `caption`."""
    while not turn.wait(REDRAW_INTERVAL_S):
        view.draw(turn)
        # This call ends the run if the visitor has clicked or left; so it is made in every round.
        caption.caption(describe_progress(turn))


main()
