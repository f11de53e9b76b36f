"""The server behind the pages: its client, and what it last said about itself."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from model_core.errors import ModelNotFound, TritonchatError
from model_core.llm.description import ModelDescription
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.temporary import PageConversations, TemporaryStore
from triton_server.client import ChatClient

DEFAULT_SERVER = "127.0.0.1:8001"
# A person waits so long at a server that does not answer, before the page says so.
STATS_TIMEOUT_S = 3.0
_TEMPORARY = "temporary"  # in the session: its temporary conversations


def get_client() -> ChatClient:
    """The client that all visitors share, of the server in the environment."""
    return _connect(os.environ.get("TRITONCHAT_SERVER", DEFAULT_SERVER))


@st.cache_resource(show_spinner=False)
def _connect(server: str) -> ChatClient:
    return ChatClient(server)


def fetch_stats(
    client: ChatClient, with_embedders: bool = False
) -> tuple[dict[str, Any] | None, TritonchatError | None]:
    """The server's statistics, or the error of the request for them.

    It stores in the session the entries of the models that a person may choose (`models`), and the
    description of the one that the person chose (`model`), which is None if it was never loaded. Models that
    write no text are among them only with `with_embedders`, or if there are no others.
    """
    name = st.session_state.get("model_name")
    try:
        stats = client.stats(STATS_TIMEOUT_S, name)
    except ModelNotFound:  # the server has restarted with other models
        del st.session_state.model_name
        return fetch_stats(client, with_embedders)
    except TritonchatError as error:
        return None, error
    models = stats["models"]
    if not with_embedders:
        models = [entry for entry in models if _may_write(entry["description"])] or models
    if (name or stats["models"][0]["name"]) not in [entry["name"] for entry in models]:
        st.session_state.model_name = models[0]["name"]
        return fetch_stats(client, with_embedders)
    st.session_state.model, st.session_state.models = stats["model"], models
    return stats, None


def _may_write(model: ModelDescription | None) -> bool:
    """Whether a model writes text. Nobody knows that of one that was never loaded."""
    return model is None or "generate" in model["tasks"]


def get_conversations() -> PageConversations:
    """The visitor's conversations in the server's store, and the temporary ones of the session."""
    kept = get_client().conversations(owner())
    return PageConversations(kept, st.session_state.setdefault(_TEMPORARY, TemporaryStore()))


def forget_temporary(conversation: str | None) -> None:
    """Forget the temporary conversations of the session, and what the server has cached of one."""
    st.session_state.pop(_TEMPORARY, None)
    if conversation is not None:
        with suppress(TritonchatError):  # a server that is away has forgotten it
            get_client().forget(conversation)


def report_errors(act: Callable[[], Any]) -> bool:
    """Do something, and show its error for a moment if it fails. Whether it has succeeded."""
    try:
        act()
    except TritonchatError as error:
        st.toast(escape(str(error)), icon=":material/error:", duration="long")
        return False
    return True
