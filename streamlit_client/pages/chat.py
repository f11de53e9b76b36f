"""The chat page: a conversation with a model.

The session keeps the turns of the conversation, and the last known description of the model.
"""

from functools import partial
from typing import Any

import streamlit as st

from model_core.errors import PromptTooLong, TritonchatError
from streamlit_client.conversation import (
    Turn,
    build_prompt,
    describe_error,
    describe_progress,
    describe_truncation,
    format_statistics,
)
from streamlit_client.markdown import escape, sanitize
from streamlit_client.server import fetch_stats, get_client
from streamlit_client.settings import ChatSettings, answers_chats, chosen_model, show_settings
from triton_server.client import ChatClient

# A person sees no difference to a shorter interval, and each redraw costs the browser time.
REDRAW_INTERVAL_S = 0.05

# A parameter of the page's address while there is a conversation. It outlives the session.
OPEN_CONVERSATION = "chat"

CHAT_EXAMPLES = [
    "Hello, who are you?",
    "My name is Ada and I live in Ulm.",
    "Tell me a story about a fox, a lighthouse and a golden key.",
    "What is 47 + 38?",
    "What rhymes with cat?",
    "How do I load my own model?",
]
STORY_EXAMPLES = ["Once upon a time", "One day, a little dog", "The sun was shining and"]


def main() -> None:
    """Draw the page, and show a running answer until it ends."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    client = get_client()
    turns: list[Turn] = st.session_state.setdefault("turns", [])
    stats, stats_error = fetch_stats(client)
    model: dict[str, Any] | None = st.session_state.get("model")
    settings = show_settings(model)
    if turns and not turns[-1].is_started:
        start_answer(client, turns, settings, stats_error)
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
        show_loss()
        show_welcome(model)
    for turn in turns:
        show_turn(turn)
    if is_running:
        st.rerun()  # the answer has ended: draw the buttons for it


def start_answer(
    client: ChatClient, turns: list[Turn], settings: ChatSettings, stats_error: TritonchatError | None
) -> None:
    """Start the answer to the last turn; let the turn fail with `stats_error` if there is one."""
    if stats_error is not None:
        turns[-1].fail(stats_error)
    else:
        build = partial(build_prompt, list(turns), settings.system)
        turns[-1].start(client, build, {**settings.parameters(), "truncation": "auto"}, chosen_model())


# What a person can do. Streamlit calls these functions and then runs the script again.


def send(question: str) -> None:
    """Add a turn, which the next run of the script starts. Stop a running answer."""
    if question.strip():
        stop()
        st.session_state.turns.append(Turn(question))
        st.query_params[OPEN_CONVERSATION] = "open"


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
    st.query_params.pop(OPEN_CONVERSATION, None)


# What a person sees. Each function draws a part of the page.


def show_header(
    server: str, stats: dict[str, Any] | None, model: dict[str, Any] | None, is_running: bool
) -> None:
    """Show the model, the server, and how busy the server is."""
    st.subheader("tritonchat", anchor=False)
    facts = []
    if "models" in st.session_state:
        chosen = chosen_model()
        if stats is not None and chosen["state"] != "ready":
            facts.append(chosen["state"])
        facts.append(f"**{escape(chosen['name'])}**")
    if model is not None:
        facts += [
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


def show_loss() -> None:
    """Say that the conversation is lost, if the address of the page has one but the session has none."""
    if OPEN_CONVERSATION in st.query_params:
        st.info("The page was restarted or loaded again, so your conversation is lost.")


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
            has_choice = len(st.session_state.get("models", ())) > 1
            figures = f"{escape(turn.parameters.get('model', ''))} · " * has_choice + format_statistics(turn)
            caption.caption("\n\n".join(filter(None, (describe_truncation(turn), figures))))
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
