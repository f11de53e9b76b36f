"""The choice of the two sides of a comparison: their models, system prompts and sampling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model_core.llm.description import ModelDescription
from streamlit_client.compare.comparison import Side
from streamlit_client.shared.settings import STEPS, answers_chats, show_sampling_field
from triton_server.contract.parameters import describe_parameter

_CHOICE = "comparison_choice"  # in the session's state: the last choice, with which the widgets begin


@dataclass(frozen=True)
class Choice:
    """The sides, the parameters that they share if they are set, and whether their names are hidden."""

    sides: tuple[Side, Side]
    parameters: dict[str, Any]
    is_blind: bool


def show_choice(models: Sequence[Mapping[str, Any]]) -> Choice:
    """Show the widgets for both sides; return what is chosen."""
    last: Choice | None = st.session_state.get(_CHOICE)
    left, right = st.columns(2, border=True)
    with left:
        first = _show_side("Left", models, last.sides[0] if last else None, 0)
    with right:
        second = _show_side("Right", models, last.sides[1] if last else None, 1)
    tokens, seed = st.columns(2)
    shared = {} if last is None else last.parameters
    parameters = {
        "max_tokens": tokens.number_input(
            "Max tokens of each answer",
            1,
            None,
            shared.get("max_tokens"),
            placeholder="as many as the context holds",
            help="The largest number of tokens of an answer.",
        ),
        "seed": seed.number_input(
            "Seed of both sides",
            0,
            None,
            shared.get("seed"),
            placeholder="a new one for each answer",
            help=describe_parameter("seed"),
        ),
    }
    parameters = {name: value for name, value in parameters.items() if value is not None}
    is_blind = st.toggle(
        "Hide which side is which until I vote",
        last is not None and last.is_blind,
        help="The sides change places by chance.",
    )
    choice = st.session_state[_CHOICE] = Choice((first, second), parameters, is_blind)
    return choice


def _show_side(place: str, models: Sequence[Mapping[str, Any]], last: Side | None, number: int) -> Side:
    """Show the widgets of a side; `last` is what it was before, `number` the model that it begins with."""
    entries = {model["name"]: model for model in models}
    names = list(entries)
    index = names.index(last.model) if last is not None and last.model in entries else number % len(names)
    st.markdown(f"**{place}**")
    name = st.selectbox("Model", names, index, key=f"{place} model", label_visibility="collapsed")
    model = entries[name]["description"]
    if last is not None and last.model != name:
        last = None
    with st.expander("Settings", expanded=last is not None and bool(last.changes or last.system)):
        key = f"{place} {name}"
        system = ""
        if answers_chats(model):
            text = "" if last is None else last.system
            system = st.text_area(
                "System prompt", text, key=f"{key} system", placeholder="You are a helpful assistant."
            )
        return Side(name, system.strip(), _show_sampling(key, model, {} if last is None else last.changes))


def _show_sampling(key: str, model: ModelDescription | None, last: Mapping[str, Any]) -> dict[str, Any]:
    """Show the sampling parameters; return those that the person has set."""
    changes: dict[str, Any] = {}
    thinking = None if model is None else model["enable_thinking"]
    if thinking is not None:
        value = st.toggle(
            "Think before answering", last.get("enable_thinking", thinking), key=f"{key} enable_thinking"
        )
        changes |= {} if value == thinking else {"enable_thinking": value}
    for name in STEPS:
        number = show_sampling_field(name, last.get(name), model, f"{key} {name}")
        changes |= {} if number is None else {name: number}
    return changes
