"""How a turn looks: the question with its files, the answer as it comes, and what can be done with both."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.answer_tokens import show_answer_tokens
from streamlit_client.chat.question_view import show_question
from streamlit_client.chat.receipt_view import show_receipt
from streamlit_client.chat.sources import show_sources
from streamlit_client.chat.state import Chat
from streamlit_client.chat.thumbs import show_thumbs
from streamlit_client.chat.tool_calls import show_calls
from streamlit_client.shared.browser import move_focus, show_source
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import (
    EMPTY_ANSWER,
    describe_error,
    describe_progress,
    describe_reasoning,
    describe_truncation,
    format_statistics,
)
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.parts import Parts
from streamlit_client.shared.server import get_conversations
from streamlit_client.shared.settings import choose_model

# A person sees no difference to a shorter interval, and each redraw costs the browser time.
REDRAW_INTERVAL_S = 0.05
_REDRAW_S_PER_CHARACTER = 5e-5  # a table of 20,000 characters is drawn once a second
_MAX_SHOWN = 20_000  # characters of a file
_MAX_OTHERS = 5  # models in the menu of a turn
_IMAGE_WIDTH = 320  # pixels

EDIT, AGAIN, BACK, TOKENS, RECEIPT = (
    "Edit the question",
    "Answer again",
    "Go back to before this question",
    "Look at the tokens",
    "Reproducible: copy receipt",
)
AGAIN_WITH = f"{AGAIN} with "  # the name of another model follows
_ICONS = {
    EDIT: ":material/edit:",
    AGAIN: ":material/refresh:",
    BACK: ":material/undo:",
    TOKENS: ":material/visibility:",
    RECEIPT: ":material/verified:",
}
# Gives the results of tools, by the ids of their calls, to the model.
SendResults = Callable[[Turn, dict[str, str]], None]


def show_turn(chat: Chat, turn: Turn, is_last: bool, send_results: SendResults) -> None:
    """Show a question and its answer. Returns when the answer has ended."""
    if turn.question or turn.attachments:
        with st.chat_message("user", avatar=":material/person:"):
            if turn.id is not None and st.session_state.get("editing") == turn.id:
                show_editor(chat, turn)
            else:
                show_question(turn)
            show_attachments(turn)
    with st.chat_message("assistant", avatar=":material/forum:"):
        view, calls, caption = AnswerView(), st.container(), st.empty()
        show_until_end(turn, view, caption)
        view.draw(turn)
        with calls:
            for call in turn.tool_calls:
                show_call(turn, call)
            if turn.tool_calls and is_last and not show_calls(chat, turn, send_results):
                show_result_form(turn, send_results)
        if turn.error is None:
            if turn.answer is not None and not turn.has_answer:
                st.caption(EMPTY_ANSWER)
            has_choice = len(st.session_state.get("models", ())) > 1
            figures = f"{escape(str(turn.parameters.get('model', '')))} · " * has_choice + format_statistics(
                turn
            )
            caption.caption("\n\n".join(filter(None, (describe_truncation(turn), figures))))
        else:
            caption.error(describe_error(turn.error), icon=":material/error:")
        show_sources(turn)
        if turn.id is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                show_actions(chat, turn)
                show_thumbs(chat, turn)
            if turn.text and st.session_state.get("looks_at") == turn.id:
                show_answer_tokens(chat, turn)
            if turn.receipt is not None and st.session_state.get("shows_receipt") == (chat.id, turn.id):
                show_receipt(chat, turn)


def show_until_end(turn: Turn, view: "AnswerView", caption: Any) -> None:
    """Show a running answer until it ends, and its state in the placeholder `caption`.

    A long part of a text is drawn less often, lest the page in the browser stops moving.
    """
    next_drawing = 0.0
    while not turn.wait(REDRAW_INTERVAL_S):
        if time.monotonic() >= next_drawing:
            drawn = view.draw(turn)
            next_drawing = time.monotonic() + drawn * _REDRAW_S_PER_CHARACTER
        # This call ends the run if the visitor has clicked or left; so it is made in every round.
        caption.caption(describe_progress(turn))


def run_again() -> NoReturn:
    """Run the script again after what it has drawn was sent. Streamlit drops what still waits for that."""
    time.sleep(REDRAW_INTERVAL_S)  # it sends a hundred times a second
    st.rerun()


class MarkdownView:
    """The places of a text that grows. Only its last part is drawn again, see `Parts`."""

    def __init__(self, parent: Any) -> None:
        self._parts, self._drawn = Parts(), ""
        # The further parts have a container: where it stood for another text before, this clears it at once.
        self._places, self._further = [parent.empty()], parent.empty()

    def draw(self, text: str) -> int:
        """Draw what has changed; how many characters."""
        if text == self._drawn:
            return 0
        self._drawn, count = text, 0
        for number, markdown in self._parts.update(text):
            if number == 1 == len(self._places):
                self._further = self._further.container()
            if number == len(self._places):
                self._places.append(self._further.empty())
            self._places[number].markdown(markdown)
            count += len(markdown)
        return count


class AnswerView:
    """The places of an answer's parts: its reasoning and its text."""

    def __init__(self) -> None:
        self._reasoning, self._text = st.empty(), MarkdownView(st)
        self._label: str | None = None  # of the reasoning's expander
        self._open_reasoning: MarkdownView | None = None  # its inside

    def draw(self, turn: Turn) -> int:
        """Draw what has changed; how many characters. Reasoning is open until the answer begins."""
        count = 0
        if turn.reasoning:
            label = describe_reasoning(turn)
            if self._open_reasoning is None or label != self._label:
                self._label = label
                self._open_reasoning = MarkdownView(
                    self._reasoning.expander(label, expanded=not turn.has_answer)
                )
            count += self._open_reasoning.draw(turn.reasoning)
        return count + self._text.draw(turn.shown_text)


def show_attachments(turn: Turn) -> None:
    """Show the images of a question, and its other files, each folded, with its number of tokens."""
    for file in turn.attachments:
        if file.place is not None:  # it stands under the answer
            continue
        size = "" if file.tokens is None else f" · {file.tokens:,} tokens"
        if file.image is not None:
            # The browser decodes it. Streamlit would, in this process, if these were bytes.
            st.image(file.image, f"{escape(file.name)}{size}", width=_IMAGE_WIDTH)
            continue
        with st.expander(f"{escape(file.name)}{size}", icon=":material/description:"):
            st.code(file.text[:_MAX_SHOWN], language=None, wrap_lines=True, height=240)
            if len(file.text) > _MAX_SHOWN:
                st.caption(f"These are the first {_MAX_SHOWN:,} of {len(file.text):,} characters.")


def show_editor(chat: Chat, turn: Turn) -> None:
    """Show the question in a field. What is sent becomes a branch of its own."""
    key = f"edited-{turn.id}"
    with st.form(f"editor-{turn.id}", border=False):
        st.text_area("Question", turn.question, key=key, label_visibility="collapsed")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Send", icon=":material/send:", on_click=_send_edited, args=[chat, turn, key]
            )
            st.form_submit_button("Cancel", on_click=stop_editing)


def _send_edited(chat: Chat, turn: Turn, key: str) -> None:
    if st.session_state[key].strip() or turn.attachments:
        stop_editing()
        chat.ask_instead(turn, st.session_state[key])


def edit(turn: Turn) -> None:
    """Let the next run show the question of a turn in a field."""
    st.session_state.editing = turn.id
    move_focus(f".st-key-edited-{turn.id} textarea", always=True)


def stop_editing() -> None:
    """Let the next run show all questions as texts."""
    st.session_state.pop("editing", None)
    move_focus()


def show_call(turn: Turn, call: Any) -> None:
    """Show a call of a tool as a card: its name, its arguments, and its result if there is one."""
    with st.container(border=True):
        st.markdown(f":material/build: **{escape(call.name)}**")
        st.code(_format_json(call.arguments), language="json", wrap_lines=True)
        if call.id in turn.results:
            st.caption("Result")
            st.code(turn.results[call.id], language=None, wrap_lines=True)


def show_result_form(turn: Turn, send_results: SendResults) -> None:
    """Show a field for the result of each call. After they are sent, the model goes on."""
    missing = [call for call in turn.tool_calls if call.id not in turn.results]
    if not missing or turn.id is None:
        return
    keys = {call.id: f"result-{turn.id}-{call.id}" for call in missing}
    with st.form(f"results-{turn.id}", border=False):
        for number, call in enumerate(missing, 1):
            label = "Result" if len(missing) == 1 else f"Result of call {number}"
            st.text_area(label, key=keys[call.id], height=68)

        def send() -> None:
            send_results(turn, {name: st.session_state[key] for name, key in keys.items()})

        label = "Send the result" if len(missing) == 1 else "Send the results"
        st.form_submit_button(label, icon=":material/send:", on_click=send)


def _format_json(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text  # as the model has written it


def show_actions(chat: Chat, turn: Turn) -> None:
    """Show the steps between branches, and the menu of what can be done with a turn."""
    key = f"menu-{turn.id}"
    others = [name for name in other_models(turn) if turn.question]
    options = [AGAIN, *(f"{AGAIN_WITH}{name}" for name in others), BACK]
    options = [EDIT, *options] if turn.question else options
    if turn.text:
        show_copy_button(turn)
        options = [TOKENS, *options] if turn.finished.is_set() else options
    if turn.receipt is not None and turn.finished.is_set():
        options.append(RECEIPT)
    show_steps(chat, turn)
    st.menu_button(
        "More",
        options,
        icon=":material/more_horiz:",
        type="tertiary",
        help="More",
        key=key,
        format_func=_show_option,
        on_click=_act,
        args=[chat, turn, key],
    )


def _show_option(option: str) -> str:
    """What can be done with a turn as Markdown. Only the name of a model may have signs of it."""
    return f"{_ICONS[option]} {option}" if option in _ICONS else f"{_ICONS[AGAIN]} {escape(option)}"


def other_models(turn: Turn) -> list[str]:
    """The names of the models that could answer instead; not all of a server that has very many."""
    names = [entry["name"] for entry in st.session_state.get("models", ())]
    return [name for name in names if name != turn.parameters.get("model")][:_MAX_OTHERS]


def show_steps(chat: Chat, turn: Turn) -> None:
    """Show which of several branches this is, and steps to the ones beside it."""
    siblings = chat.siblings(turn)
    if turn.id is None or len(siblings) < 2:
        return
    place = siblings.index(turn.id)
    for name, icon, other in (("Earlier", "chevron_left", place - 1), ("Later", "chevron_right", place + 1)):
        is_possible = 0 <= other < len(siblings)
        if other > place:
            st.caption(f"{place + 1} of {len(siblings)}", width="content")
        st.button(
            f"{name} branch",
            icon=f":material/{icon}:",
            type="tertiary",
            help=f"{name} branch",
            key=f"{name}-{turn.id}",
            disabled=not is_possible,
            on_click=_step,
            args=[chat, siblings[other] if is_possible else turn.id],
        )


def _step(chat: Chat, turn_id: int) -> None:
    chat.show_branch(turn_id)
    if chat.id is not None:
        with suppress(TritonchatError):  # only where the conversation opens next time
            get_conversations().change(chat.id, head=chat.head)


def _act(chat: Chat, turn: Turn, key: str) -> None:
    option = st.session_state[key]
    if option == EDIT:
        edit(turn)
    elif option.startswith(AGAIN_WITH):
        choose_model(option.removeprefix(AGAIN_WITH))
        chat.ask_instead(turn, turn.question)
    elif option == AGAIN:
        chat.ask_instead(turn, turn.question)
    elif option == BACK:
        chat.go_back(turn)
    elif option == TOKENS:
        st.session_state.looks_at = turn.id
    elif option == RECEIPT:
        st.session_state.shows_receipt = chat.id, turn.id


def show_copy_button(turn: Turn) -> None:
    """Show the button that copies an answer. The browser does it; without scripts, a dialog helps."""
    show_source(turn.text)
    st.button(
        "Copy",
        icon=":material/content_copy:",
        type="tertiary",
        key=f"copy-{turn.id}",
        on_click=_copy,
        args=[turn],
    )


def _copy(turn: Turn) -> None:
    st.session_state.copied = turn.text


@st.dialog("Copy the answer", width="large")
def show_copy(text: str) -> None:
    """Show an answer as the model has written it, with Streamlit's button that copies it."""
    st.caption("The button at the top right of the text copies it.")
    st.code(text, language="markdown", wrap_lines=True)
