"""The chat page: a conversation with a model, and beside it the list of conversations and the settings."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model_core.errors import InvalidRequest, PromptTooLong, TritonchatError
from model_core.llm.description import ModelDescription
from streamlit_client.chat.attachments import MAX_MEBIBYTES
from streamlit_client.chat.chat_list import ADDRESS, open_new, open_temporary, show_list
from streamlit_client.chat.sharing import show_sharing
from streamlit_client.chat.shortcuts import show_shortcuts
from streamlit_client.chat.sources import add_passages, complete_mentions
from streamlit_client.chat.state import (
    OTHER_TEMPERATURE,
    Chat,
    is_greedy,
    open_chat,
    start,
    store_results,
)
from streamlit_client.chat.tool_calls import note_start, offer_tools, show_limit, show_servers
from streamlit_client.chat.turn_view import run_again, show_turns
from streamlit_client.chat.unsent import (
    find_kept,
    find_left,
    keep,
    leave,
    restore_line,
    send,
    send_line,
    send_what_waits,
    show_waiting,
    waits_for_server,
)
from streamlit_client.chat.welcome import show_header, show_welcome
from streamlit_client.library.prompts import complete_prompts
from streamlit_client.shared.browser import NEW, WANTED, is_history_navigation, say_answer
from streamlit_client.shared.completion import show_completion
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_context, describe_error, describe_for_screen_reader
from streamlit_client.shared.pastes import show_pastes
from streamlit_client.shared.server import fetch_stats, get_client, get_conversations, report_errors
from streamlit_client.shared.settings import (
    ChatSettings,
    answers_chats,
    choose,
    chosen_model,
    get_chosen,
    show_models,
    show_settings,
)
from streamlit_client.shared.temporary import PageConversations
from triton_server.contract.conversation_errors import ConversationNotFound

SAME_ANSWER = "At temperature 0 the answer is the same each time. Settings has the temperature."
OTHER_ANSWER = (
    "The model's own temperature is 0, which would give the same answer. "
    f"So another one is asked for at {OTHER_TEMPERATURE}."
)
TEMPORARY = (
    "**Temporary chat.** It is not kept: it is gone when you open another chat or load the page again."
)
METER_WIDTH = 230  # pixels
_LOOK_AGAIN_S = 3  # between attempts to reach a server that does not answer


def main() -> None:
    """Draw the page, and show a running answer until it ends."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    conversations = get_conversations()  # first: it ends the run of a visitor who has to log in
    stats, error = fetch_stats(get_client())
    is_opening = "chat" not in st.session_state
    chat, chat_error = find_chat(conversations, error, is_opening)
    model: ModelDescription | None = st.session_state.get("model")
    # Before the settings, which follow the model that is chosen there.
    places = show_input(chat, model, error)
    settings, list_tab = show_side_bar(chat, model)
    if stats is not None:
        send_what_waits(chat)
    start_answer(chat, conversations, settings, error or chat_error)
    with list_tab:  # now it has the conversation that a first question has made
        show_conversations(chat, error)
    keep(chat)
    turns = chat.turns
    is_running = bool(turns) and turns[-1].is_running
    chat.must_announce_end |= is_running
    show_header(stats, model, is_running)
    if turns:
        with places[is_running].container(gap="xsmall"):
            show_waiting(chat)
            with st.container(horizontal=True, vertical_alignment="center"):
                show_buttons(chat, turns[-1], model, is_running)
                show_context(turns[-1], model, is_running)
    show_problems(settings, turns, error, chat_error)
    if chat.is_temporary:
        st.info(TEMPORARY, icon=":material/timer:")
    welcome = st.empty()  # or it would stay below the first answer until that has ended
    if model is not None and not model["tokenizer"]:
        st.info("This model has no tokenizer. It takes token ids only, so it cannot be used here.")
    elif not turns and chat_error is None:
        with welcome.container():
            show_welcome(chat, model)
    if turns:
        show_turns(chat, turns, conversations, send_results, is_opening)
    show_limit(chat)
    show_rest(chat)
    if chat.must_announce_end and turns:
        say_answer(describe_for_screen_reader(turns[-1]))
        chat.must_announce_end = False
        run_again()  # the answer has ended: draw the buttons for it
    is_away = stats is None or waits_for_server(chat)
    st.fragment(look_again, run_every=_LOOK_AGAIN_S if is_away else None)(is_away)


def find_chat(
    conversations: PageConversations, stats_error: TritonchatError | None, is_opening: bool
) -> tuple[Chat, TritonchatError | None]:
    """The chat that was chosen, or else that of the session, as the store has it now.

    The address chooses in the first run of a tab, and when the browser goes back or forward. In other runs it
    may be older than the last click.

    With an error, it is what this tab knew before; `stats_error` is known from another request. `is_opening`:
    in the first run of a tab, which has no chat yet.
    """
    if is_opening:
        st.session_state.chat = find_kept() or Chat()
    if st.session_state.get(WANTED) == NEW:
        open_new()
    chat: Chat = st.session_state.chat
    wanted = st.session_state.get(WANTED)
    if is_opening or is_history_navigation():
        wanted = st.query_params.get(ADDRESS)
    try:
        if stats_error is not None:
            if wanted not in (None, chat.id):
                raise stats_error
        elif wanted not in (None, chat.id):
            if not is_opening:
                leave(chat)
            left = find_left(wanted)
            if left is not None:
                left.refresh(conversations)
            chat = left or open_chat(conversations, wanted)
            st.session_state.chat = chat if is_opening else restore_line(chat)
            st.session_state.pop(WANTED, None)
            assert chat.stored is not None
            choose({**chat.stored.parameters, "system": chat.stored.system or ""})
        else:
            chat.refresh(conversations)
    except (ConversationNotFound, InvalidRequest):
        open_new()
        return st.session_state.chat, ConversationNotFound("it may have been deleted.")
    except TritonchatError as error:
        return chat, error
    set_address(chat)  # another page has removed it
    return chat, None


def set_address(chat: Chat) -> None:
    """Let the address name the conversation of a chat, if it is in the store."""
    if chat.id is not None and not chat.is_temporary and st.query_params.get(ADDRESS) != chat.id:
        st.query_params[ADDRESS] = chat.id


def start_answer(
    chat: Chat, conversations: PageConversations, settings: ChatSettings, error: TritonchatError | None
) -> None:
    """Start the answer to a question that waits for it, or let it fail with an error that is known."""
    waits = chat.pending is not None and not chat.pending.is_started
    if not waits and chat.resumed is None:
        return
    if error is None and settings.error is not None:
        error = InvalidRequest(settings.error)
    if error is not None:
        chat.resumed = None
        if chat.pending is not None:
            chat.pending.fail(error)
        return
    try:
        if chat.pending is not None:
            add_passages(chat.pending, chosen_model()["description"])
        settings = offer_tools(chat, settings)
    except TritonchatError as failure:
        chat.resumed = None
        if chat.pending is not None:
            chat.pending.fail(failure)
        return
    start(chat, get_client(), conversations, chosen_model(), settings)
    note_start(chat)
    set_address(chat)


# What a person can do. Streamlit calls these functions and then runs the script again.


def try_again(turn: Turn) -> None:
    """Ask the last question again: as a branch, or if it was not sent, in its place."""
    st.session_state.chat.ask_instead(turn, turn.question)


def send_results(turn: Turn, results: dict[str, str]) -> None:
    """Give the results of tools to the model."""
    chat: Chat = st.session_state.chat
    report_errors(lambda: store_results(chat, turn, get_conversations(), results))


def describe_again(model: ModelDescription | None) -> str | None:
    """What is to be said about the temperature of another answer to the last question."""
    chosen = get_chosen().get("temperature")
    if chosen == 0:
        return SAME_ANSWER
    return OTHER_ANSWER if is_greedy({"temperature": chosen}, model) else None


# What a person sees. Each function draws a part of the page.


def show_side_bar(chat: Chat, model: ModelDescription | None) -> tuple[ChatSettings, DeltaGenerator]:
    """Show the side bar without the list of conversations; return the settings, and the place of the list."""
    with st.sidebar:
        with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="center"):
            st.button(
                "New chat",
                icon=":material/add_comment:",
                width="stretch",
                shortcut="Ctrl+Shift+O",
                key="new-chat",
                on_click=open_new,
            )
            st.button(
                "Temporary chat",
                icon=":material/timer:",
                type="tertiary",
                key="temporary-chat",
                help="A new chat that is not kept.",
                on_click=open_temporary,
            )
            if st.button("Keyboard shortcuts", icon=":material/keyboard:", type="tertiary", key="shortcuts"):
                show_shortcuts()
        list_tab, settings_tab = st.tabs(["Chats", "Settings"])
        with settings_tab:
            show_servers(chat)
            settings = show_settings(model)
    return settings, list_tab


def show_conversations(chat: Chat, error: TritonchatError | None) -> None:
    """Show the list of conversations, and above it how to export and import them."""
    if error is not None:
        st.caption("The list is not available while the server does not answer.")
        return
    try:
        show_sharing(chat)  # above the list, which can be long
        show_list(chat)
    except TritonchatError as list_error:
        st.error(describe_error(list_error))


def look_again(is_away: bool) -> None:
    """Draw the page again if the server, which did not answer, does so now."""
    if is_away and fetch_stats(get_client())[0] is not None:
        st.rerun()


def show_input(
    chat: Chat, model: ModelDescription | None, error: TritonchatError | None
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Show the input line, and send what was written.

    Returns two places above it. If the number of elements above the line changed, the line would lose its
    text and its cursor. So each state of the answer has a place of its own: while a script runs, the page
    still has the elements of the run before.
    """
    places = st.bottom.empty(), st.bottom.empty()
    with st.bottom.container(key="who"):
        show_models(is_compact=True)
    key = f"question-{chat.key}"
    value = st.chat_input(
        "Write a message" if answers_chats(model) else "Write a beginning",
        key=key,
        disabled=not (model is None or model["tokenizer"]),
        accept_file="multiple",
        max_upload_size=MAX_MEBIBYTES,
        on_submit=send_line,
        args=[chat, key],
    )
    # A page that was restarted calls no function for what was written before.
    if value is not None and not chat.is_line_sent:
        send(chat, value)
    chat.is_line_sent = chat.is_line_sent and value is None
    # A server that does not answer would let each of these wait for its own timeout, 40 seconds in all.
    show_completion({} if error is not None else {"#": complete_mentions(), "/": complete_prompts()})
    show_pastes(answers_chats(model))
    return places


def show_context(turn: Turn, model: ModelDescription | None, is_running: bool) -> None:
    """Show how full the context is after an answer."""
    # Nobody has counted the tokens of an answer that failed, or was brought from elsewhere.
    if model is not None and not is_running and turn.answer is not None and turn.answer.usage:
        st.space("stretch")
        share, words = describe_context(turn, model["max_context"])
        if share is None:
            st.caption(words)
        else:
            st.progress(share, f":small[{words}]", width=METER_WIDTH)


def show_buttons(chat: Chat, turn: Turn, model: ModelDescription | None, is_running: bool) -> None:
    """Show the buttons for the last answer."""
    if is_running:
        # At the other end of the line, so that a double click on "Answer again" does not stop the answer.
        st.space("stretch")
        st.button("Stop", icon=":material/stop_circle:", shortcut="Esc", on_click=turn.stop)
        return
    if not isinstance(turn.error, PromptTooLong):
        is_refused = isinstance(turn.error, InvalidRequest) and turn.error.param == "files"
        label = "Answer again" if turn.error is None else "Send without files" if is_refused else "Try again"
        hint = describe_again(model) if turn.error is None else None
        st.button(label, icon=":material/refresh:", on_click=try_again, args=[turn], help=hint)
    if waits_for_server(chat):
        st.caption("It is sent by itself when the server is back.")
    if turn is chat.pending:
        st.button("Discard", icon=":material/delete:", on_click=chat.discard)
    if turn.id is not None and turn.text and turn.is_cut:
        st.button("Continue", icon=":material/play_arrow:", on_click=chat.resume, args=[turn])
    if turn.id is not None and turn.question:
        st.button(
            "Edit",
            icon=":material/edit:",
            on_click=chat.begin_edit,
            args=[turn],
            key="edit-last",
        )


def show_problems(
    settings: ChatSettings,
    turns: list[Turn],
    error: TritonchatError | None,
    chat_error: TritonchatError | None,
) -> None:
    """Show what is wrong: the server, the conversation, or a setting."""
    if settings.error is not None:
        st.warning(settings.error, icon=":material/tune:")
    problem = error or chat_error
    if problem is not None and not (turns and turns[-1].error):
        icon = ":material/cloud_off:" if error is not None else ":material/error:"
        st.error(describe_error(problem), icon=icon)
        if error is not None:
            st.button("Retry", icon=":material/refresh:")


def show_rest(chat: Chat) -> None:
    """Say that the conversation goes on after what is shown, in another tab or before a step back."""
    newest = chat.goes_on
    if newest is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("The conversation has a part that follows here.")
            st.button("Show it", icon=":material/arrow_downward:", on_click=chat.show_branch, args=[newest])


main()
