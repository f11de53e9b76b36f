"""The sidebar: which model answers, and with what parameters."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from model_core.config import GenerationDefaults
from model_core.sampling import SamplingFields
from model_core.validation import find_range, value_type
from triton_server.parameters import describe_parameter

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


def chosen_model() -> dict[str, Any]:
    """The entry of the model that the person chose, in the last known statistics."""
    models = st.session_state.models
    name = st.session_state.get("model_name")
    return next((model for model in models if model["name"] == name), models[0])


def answers_chats(model: dict[str, Any] | None) -> bool:
    """Whether the model answers conversations; other models continue texts. None: not known yet."""
    return model is None or model["chat_template"]


def show_settings(model: dict[str, Any] | None) -> ChatSettings:
    """Show the sidebar; return the settings in it."""
    context = 1024 if model is None else model["max_context"]
    with st.sidebar:
        st.subheader("Settings", anchor=False)
        show_models()
        return ChatSettings(
            system=st.text_area(
                "System prompt",
                placeholder="You are a helpful assistant.",
                help="What the model should know before the conversation begins.",
            )
            if answers_chats(model)
            else "",
            changes=show_thinking(model) | show_sampling(model),
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


def show_models() -> None:
    """Show the choice of the model, if the server has several."""
    names = [model["name"] for model in st.session_state.get("models", ())]
    if len(names) > 1:
        st.selectbox(
            "Model",
            names,
            key="model_name",
            help="A model that is not loaded is loaded with the next message.",
        )


def show_thinking(model: dict[str, Any] | None) -> dict[str, bool]:
    """Show the switch of a model whose reasoning can be switched; return its value if it was changed."""
    default = None if model is None else model["enable_thinking"]
    if default is None:
        return {}
    value = st.toggle("Think before answering", default, help=describe_parameter("enable_thinking"))
    return {} if value == default else {"enable_thinking": value}


def show_sampling(model: dict[str, Any] | None) -> dict[str, float]:
    """Show widgets that start at the model's defaults; return the values that differ from them.

    If the defaults are not known yet, only values that the person has changed differ.
    """
    defaults = {} if model is None else model["sampling"]
    neutral = {name: SamplingFields.model_fields[name].default for name in STEPS} | vars(GenerationDefaults())
    defaults = neutral | defaults
    initial = defaults | ({} if defaults["temperature"] else FALLBACK_SAMPLING)
    first, second, *others = STEPS
    values = {name: show_number(name, initial[name]) for name in (first, second)}
    with st.expander("More sampling"):
        values |= {name: show_number(name, initial[name]) for name in others}
    known = initial if model is None else defaults
    return {name: value for name, value in values.items() if value != known[name]}


def show_number(name: str, initial: float) -> float:
    """Show the widget of a sampling parameter: a slider, or a field if the range is too wide for one."""
    field, label = SamplingFields.model_fields[name], name.replace("_", " ").capitalize()
    low, high, initial = (value_type(field.annotation)(number) for number in (*find_range(field), initial))
    widget = st.slider if high - low <= 4 else st.number_input
    return widget(label, low, high, initial, STEPS[name], help=describe_parameter(name))
