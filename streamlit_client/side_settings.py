"""The choice of the two sides of a comparison: their models, system prompts and sampling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model_core.config import GenerationDefaults
from model_core.sampling import SamplingFields
from model_core.validation import find_range, value_type
from streamlit_client.comparison import Side
from streamlit_client.settings import FALLBACK_SAMPLING, STEPS, answers_chats
from triton_server.parameters import describe_parameter

_CHOICE = "comparison_choice"  # in the session's state: the last choice, with which the widgets begin
_MAX_TOKENS = 512


@dataclass(frozen=True)
class Choice:
    """The sides, the parameters that they share, and whether their names are hidden."""

    sides: tuple[Side, Side]
    parameters: dict[str, Any]
    is_blind: bool


def show_choice(models: Sequence[Mapping[str, Any]]) -> Choice:
    """Show the widgets for both sides; return what is chosen."""
    last: Choice | None = st.session_state.get(_CHOICE)
    left, right = st.columns(2, border=True)
    with left:
        first = _show_side("Left", models, last and last.sides[0], 0)
    with right:
        second = _show_side("Right", models, last and last.sides[1], 1)
    tokens, seed = st.columns(2)
    shared = {"max_tokens": _MAX_TOKENS, "seed": None} if last is None else last.parameters
    parameters = {
        "max_tokens": tokens.number_input(
            "Max tokens of each answer", 1, None, shared["max_tokens"], help=describe_parameter("max_tokens")
        ),
        "seed": seed.number_input(
            "Seed of both sides",
            0,
            None,
            shared["seed"],
            placeholder="a new one for each answer",
            help=describe_parameter("seed"),
        ),
    }
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


def _show_sampling(key: str, model: Mapping[str, Any] | None, last: Mapping[str, Any]) -> dict[str, Any]:
    """Show the sampling parameters; return those that differ from the model's defaults."""
    neutral = {name: SamplingFields.model_fields[name].default for name in STEPS} | vars(GenerationDefaults())
    defaults = neutral | ({} if model is None else dict(model["sampling"]))
    initial = defaults | ({} if defaults["temperature"] else FALLBACK_SAMPLING) | dict(last)
    changes: dict[str, Any] = {}
    thinking = None if model is None else model["enable_thinking"]
    if thinking is not None:
        value = st.toggle(
            "Think before answering", last.get("enable_thinking", thinking), key=f"{key} enable_thinking"
        )
        changes |= {} if value == thinking else {"enable_thinking": value}
    for name, step in STEPS.items():
        field = SamplingFields.model_fields[name]
        convert = value_type(field.annotation)
        low, high, value = (convert(number) for number in (*find_range(field), initial[name]))
        label = name.replace("_", " ").capitalize()
        number = st.number_input(
            label, low, high, value, step, key=f"{key} {name}", help=describe_parameter(name)
        )
        changes |= {} if number == defaults[name] else {name: number}
    return changes
