"""How long the model may call tools of MCP servers on the page."""

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from streamlit_client.chat import tool_calls
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.settings import ChatSettings
from triton_server.api.mcp_tools.calls import Offer, Tool
from triton_server.api.mcp_tools.servers import Limits
from triton_server.client.chat_client import Answer


def make_turn(number: int, question: str, seconds: float | None) -> Turn:
    turn = Turn(question, id=number)
    if seconds is not None:
        turn.answer = Answer("", {"finish_reason": "tool_calls", "timings": {"total": seconds}})
    return turn


@pytest.mark.parametrize(
    ("answer_s", "call_s", "may_call"), [(1.0, 1.0, True), (3.0, 0.0, False), (1.0, 2.0, False)]
)
def test_tools_end_with_their_time(
    monkeypatch: pytest.MonkeyPatch, answer_s: float, call_s: float, may_call: bool
) -> None:
    """Answers and calls since the last question count; those before it do not."""
    tool = Tool("get_weather", None, {"type": "object"})
    offers = {"get_weather": Offer("town", tool, "never")}
    servers: Any = SimpleNamespace(limits=Limits(8, 60, 2.5, 2**20), labels=["town"])
    monkeypatch.setattr(tool_calls, "get_servers", lambda: servers)
    monkeypatch.setattr(tool_calls, "find_offers", lambda *_: offers)
    times = {("c", 1): 100.0, ("c", 2): call_s, ("other", 2): 100.0}
    monkeypatch.setitem(st.session_state, tool_calls._CALL_TIMES, times)
    turns = [make_turn(1, "Before", 100.0), make_turn(2, "Weather?", answer_s), make_turn(3, "", None)]
    chat: Any = SimpleNamespace(id="c", turns=turns)
    settings = tool_calls.offer_tools(chat, ChatSettings("", {}, None))
    assert len(settings.changes["tools"]) == 1
    assert settings.changes.get("tool_choice") == (None if may_call else "none")
