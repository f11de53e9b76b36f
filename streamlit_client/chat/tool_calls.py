"""Tools of MCP servers in a conversation: which are on, what a person has approved, and the calls themselves.

An answer may end with calls. They run one after the other, because one may need what another has done, each
after a person has approved it unless that is not needed. Then the model goes on.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from model_core.errors import TritonchatError
from model_core.requests.messages import ToolCall
from streamlit_client.chat.state import Chat, ToolChoice
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_conversations
from streamlit_client.shared.settings import ChatSettings
from streamlit_client.shared.tool_servers import RunningServers, get_servers
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import DocumentNotFound

if TYPE_CHECKING:  # slow to import, and few pages have servers
    from triton_server.api.mcp_tools.calls import Offer, Result

KIND = "tools"  # of the documents in the store, by the ids of conversations
_LOOK_S = 0.1  # at a call that runs
_STARTED = "started_turns"  # in the session: what this tab has asked
_CALL_TIMES = "call_times"  # in the session: seconds that calls have run, by conversation and turn
_REFUSED = "Error: the person does not allow this tool."
_STOPPED = "Error: the person has stopped this tool."
STOP = "Stop the tool"
_Key = tuple[str | None, int | None, str]

# By conversation, turn and call: those that run, or whose result no tab has kept yet.
_CALLS: "dict[_Key, Future[Result]]" = {}


def show_servers(chat: Chat) -> None:
    """Show a switch for each server, and what its tools are. Nothing if there are no servers."""
    servers = get_servers()
    if servers is None:
        return
    choice = find_choice(chat)
    with st.expander("Tools of servers", icon=":material/build:"):
        st.caption("For this conversation. You are asked before a tool runs, unless their file lets it run.")
        for label in servers.labels:
            key = f"tools-{label}-{chat.id}-{chat.key}"
            is_on = label in choice.servers
            st.toggle(escape(label), is_on, key=key, on_change=_switch, args=[chat, label, key])
            if is_on:
                _show_tools(servers, label, chat)


def offer_tools(chat: Chat, settings: ChatSettings) -> ChatSettings:
    """The settings with the tools of the servers that are on. After many rounds, or long, none may be called.

    Raises TritonchatError for a server that does not run.
    """
    servers, offers = get_servers(), find_offers(chat, settings.changes.get("tools") or [])
    if servers is None or not offers:
        return settings
    from triton_server.api.mcp_tools.toolbox import describe

    own = settings.changes.get("tools") or []
    described = [describe(name, offer) for name, offer in offers.items()]
    changes = {**settings.changes, "tools": [*own, *described]}
    if count_rounds(chat) >= servers.limits.rounds or _count_seconds(chat) >= servers.limits.total_s:
        changes["tool_choice"] = "none"
    return replace(settings, changes=changes)


def note_start(chat: Chat) -> None:
    """Note that this tab has asked the last question: calls of its answer may run without being looked at."""
    if chat.last is not None:
        st.session_state.setdefault(_STARTED, set()).add((chat.id, chat.last.id))
    _keep_choice(chat)


def count_rounds(chat: Chat) -> int:
    """How often the model has gone on after results of tools since the last question."""
    count = 0
    for turn in reversed(chat.turns):
        if turn.question or turn.attachments:
            break
        count += 1
    return count


def show_limit(chat: Chat) -> None:
    """Say that the last answer had to do without tools, because many rounds of calls were before it."""
    servers, last = get_servers(), chat.last
    if servers is None or last is None or not last.finished.is_set() or not find_choice(chat).servers:
        return
    if count_rounds(chat) >= servers.limits.rounds:
        st.caption(
            f"The model has called tools {servers.limits.rounds} times without a question of yours, so it "
            "had to answer without them. Your next question may use them again."
        )


def _count_seconds(chat: Chat) -> float:
    """Seconds of answers and calls since the last question, without those in which a person decides."""
    times: dict[tuple[str | None, int | None], float] = st.session_state.get(_CALL_TIMES, {})
    recent = chat.turns[-count_rounds(chat) - 1 :]
    answers = sum(turn.answer.timings["total"] or 0.0 for turn in recent if turn.answer is not None)
    return answers + sum(times.get((chat.id, turn.id), 0.0) for turn in recent)


def show_calls(chat: Chat, turn: Turn, send: Callable[[Turn, dict[str, str]], None]) -> bool:
    """Run or ask for the first call of an answer that has no result. Whether that is a call of a server's.

    Returns when a call that runs has ended, and lets `send` take its result.
    """
    missing = [call for call in turn.tool_calls if call.id not in turn.results]
    servers = get_servers()
    if servers is None or not missing or not _is_complete(turn):
        return False
    try:
        offers = find_offers(chat, [])
    except TritonchatError as error:
        st.error(describe_error(error))
        return False
    call = missing[0]
    key = chat.id, turn.id, call.id
    question, progress = st.empty(), st.empty()  # a call that runs leaves nothing of the question
    if key not in _CALLS:
        if call.name not in offers:
            return False
        if not _may_run(chat, turn, offers[call.name]):
            with question.container():
                _ask(chat, turn, call, offers[call.name])
            return True
        _run(servers, key, call, offers[call.name])
    running, begin = _CALLS[key], time.monotonic()
    with progress.container(horizontal=True, vertical_alignment="center"):
        place = st.empty()
        st.button(
            STOP,
            icon=":material/stop_circle:",
            shortcut="Esc",
            key=f"stop-{turn.id}-{call.id}",
            on_click=_stop,
            args=[running],
        )
    while not running.done():
        # This call ends the run if the visitor has clicked or left. The tool goes on.
        place.caption(f"{escape(call.name)} runs … {time.monotonic() - begin:.0f} s")
        time.sleep(_LOOK_S)
    times = st.session_state.setdefault(_CALL_TIMES, {})
    times[chat.id, turn.id] = times.get((chat.id, turn.id), 0.0) + time.monotonic() - begin
    send(turn, {call.id: _read(running)})
    _CALLS.pop(key, None)  # now: a click may have ended the run before, and the call would run again
    st.rerun()


def find_offers(chat: Chat, own: list[dict[str, object]]) -> "Mapping[str, Offer]":
    """The tools that the model may call, by the names of their functions. `own`: what a person has defined.

    Raises TritonchatError for a server that does not run.
    """
    servers, choice = get_servers(), find_choice(chat)
    labels = [] if servers is None else [label for label in choice.servers if label in servers.labels]
    if servers is None or not labels:
        return {}
    from triton_server.api.mcp_tools.toolbox import name_offers

    offers = [offer for label in labels for offer in servers.list_offers(label)]
    allowed = [offer for offer in offers if _name(offer) not in choice.never]
    return name_offers(allowed, [str(tool.get("name")) for tool in own])


def find_choice(chat: Chat) -> ToolChoice:
    """What was chosen for a conversation. The store is asked once."""
    if chat.tools is None:
        chat.tools = ToolChoice()
        if chat.id is not None and not chat.is_temporary:
            try:
                chat.tools = ToolChoice(**get_conversations().get_document(KIND, chat.id))
            except (DocumentNotFound, TypeError):
                pass
            except TritonchatError:
                chat.tools = None
                return ToolChoice()
    return chat.tools


def drop_choice(conversations: Conversations, conversation: str) -> dict[str, Any] | None:
    """Remove what was chosen for a conversation from the store; return it. None: nothing was."""
    try:
        kept = conversations.get_document(KIND, conversation)
        conversations.delete_document(KIND, conversation)
    except DocumentNotFound:
        return None
    return kept


def put_choice(conversations: Conversations, conversation: str, choice: dict[str, Any]) -> None:
    """Keep what was chosen for a conversation."""
    conversations.put_document(KIND, conversation, choice)


def _show_tools(servers: RunningServers, label: str, chat: Chat) -> None:
    choice = find_choice(chat)
    try:
        with st.spinner("Starting …", show_time=True):
            offers = servers.list_offers(label)
    except TritonchatError as error:
        st.error(describe_error(error))
        return
    for offer in offers:
        rule = "runs by itself" if offer.approval == "never" or _name(offer) in choice.always else "asks"
        rule = "never runs" if _name(offer) in choice.never else rule
        about = escape(offer.tool.description or "") or None
        st.caption(f"**{escape(offer.tool.name)}** · {rule}", help=about)
    if any(name.startswith(f"{label}/") for name in (*choice.always, *choice.never)):
        st.button("Ask again for each", key=f"forget-{label}", on_click=_forget, args=[chat, label])


def _forget(chat: Chat, label: str) -> None:
    """Forget which tools of a server always or never run."""
    choice = find_choice(chat)
    for names in (choice.always, choice.never):
        names[:] = [name for name in names if not name.startswith(f"{label}/")]
    choice.is_kept = False
    _keep_choice(chat)


def _switch(chat: Chat, label: str, key: str) -> None:
    choice = find_choice(chat)
    others = [name for name in choice.servers if name != label]
    choice.servers = [*others, label] if st.session_state[key] else others
    choice.is_kept = False
    _keep_choice(chat)


def _keep_choice(chat: Chat) -> None:
    """Keep what was chosen, once the conversation is in the store."""
    choice = chat.tools
    if choice is not None and not choice.is_kept and chat.id is not None and not chat.is_temporary:
        values = {name: value for name, value in asdict(choice).items() if name != "is_kept"}
        try:
            put_choice(get_conversations(), chat.id, values)
        except TritonchatError as error:
            st.toast(escape(str(error)), icon=":material/error:")
            return
        choice.is_kept = True


def _is_complete(turn: Turn) -> bool:
    """Whether an answer has ended with calls, and was neither stopped nor cut."""
    is_ended = turn.id is not None and turn.finished.is_set() and turn.error is None
    return is_ended and turn.answer is not None and turn.answer.finish_reason == "tool_calls"


def _may_run(chat: Chat, turn: Turn, offer: "Offer") -> bool:
    """Whether a call runs by itself: it needs no approval, and this tab has asked the question.

    After a reload nobody knows whether it has run, and a tool may change something.
    """
    is_approved = offer.approval == "never" or _name(offer) in find_choice(chat).always
    return is_approved and (chat.id, turn.id) in st.session_state.get(_STARTED, ())


def _ask(chat: Chat, turn: Turn, call: ToolCall, offer: "Offer") -> None:
    """Ask whether a call may run."""
    server, tool = escape(offer.server), escape(offer.tool.name)
    st.caption(f"The model wants to call **{tool}** of **{server}** with these arguments.")
    with st.container(horizontal=True):
        for label, icon in (("Allow once", "check"), ("Always allow", "done_all"), ("Never allow", "block")):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"{label}-{turn.id}-{call.id}",
                on_click=_decide,
                args=[chat, turn, call, offer, label],
            )


def _decide(chat: Chat, turn: Turn, call: ToolCall, offer: "Offer", label: str) -> None:
    choice, servers = find_choice(chat), get_servers()
    key = chat.id, turn.id, call.id
    if call.id in turn.results:  # a second click: the buttons stay until the page is drawn to its end
        return
    if label == "Always allow":
        choice.always.append(_name(offer))
    elif label == "Never allow":
        choice.never.append(_name(offer))
        _CALLS[key] = Future()
        _CALLS[key].set_exception(PermissionError())
    if label != "Allow once":
        choice.is_kept = False
        _keep_choice(chat)
    if servers is not None and label != "Never allow":
        _run(servers, key, call, offer)


def _run(servers: RunningServers, key: _Key, call: ToolCall, offer: "Offer") -> None:
    """Begin a call, unless another tab has."""
    from triton_server.api.mcp_tools.calls import Call

    if key not in _CALLS:
        made = Call(0, call.id, offer.server, offer.tool.name, call.arguments, 0, call.name)
        _CALLS[key] = servers.run(made)


def _stop(running: "Future[Result]") -> None:
    """End a call. The model is told."""
    running.cancel()


def _read(done: "Future[Result]") -> str:
    """What the model reads of a call that has ended."""
    try:
        return done.result().text
    except PermissionError:
        return _REFUSED
    except CancelledError:
        return _STOPPED


def _name(offer: "Offer") -> str:
    return f"{offer.server}/{offer.tool.name}"
