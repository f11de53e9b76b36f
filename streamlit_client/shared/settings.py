"""The settings of a chat: which model answers, with what system prompt, and with what parameters.

The session keeps only what the person has changed (`chosen`), under the names of request parameters and
"system". So all else follows the model's own defaults, also after another model was chosen.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from model_core.checks.request_values import find_range, value_type
from model_core.errors import InvalidRequest
from model_core.llm.description import ModelDescription
from model_core.requests.sampling import MAX_TOKEN_COUNT, SamplingFields
from streamlit_client.shared.answer_forms import show_form
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.presets import show_presets
from streamlit_client.shared.tool_settings import show_tools
from triton_server.contract.parameters import describe_parameter
from triton_server.contract.request_fields import Request

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


_MODEL_WIDTH = 260  # pixels
_CHOICES = {*SamplingFields.model_fields, "enable_thinking", "reasoning_effort", "reasoning_budget", "tools"}
# Settings that have widgets. Conversations that other clients have made may have more.
_SHOWN = {"system", "enable_thinking", "max_tokens", "seed", "form", "tools", *STEPS}


@dataclass(frozen=True)
class ChatSettings:
    """The settings that a person chose.

    `changes` has only the request parameters that the person has set; the model's defaults apply to all
    others. If `seed` is None, each answer gets a random one. `error` says what is wrong with a form or with
    tools. `chosen` is what the person has changed, see `get_chosen`.
    """

    system: str
    changes: dict[str, Any]
    seed: int | None
    error: str | None = None
    chosen: dict[str, Any] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request."""
        return {**self.changes, "seed": self.seed}

    def kept(self, model: str) -> dict[str, Any]:
        """The parameters that a conversation is kept with: what was changed, and the model."""
        return {name: value for name, value in self.chosen.items() if name != "system"} | {"model": model}


def chosen_model() -> dict[str, Any]:
    """The entry of the model that the person chose, in the last known statistics."""
    models = st.session_state.models
    name = st.session_state.get("model_name")
    return next((model for model in models if model["name"] == name), models[0])


def answers_chats(model: ModelDescription | None) -> bool:
    """Whether the model answers conversations; other models continue texts. None: not known yet."""
    return model is None or model["chat_template"]


def get_chosen() -> dict[str, Any]:
    """What the person has changed in this session."""
    return st.session_state.setdefault("chosen", {})


def choose(values: dict[str, Any]) -> None:
    """Replace all that the person has changed; `model` is chosen, too, if the server has it."""
    values = {name: value for name, value in values.items() if _can_choose(name, value)}
    name = values.pop("model", None)
    if any(model["name"] == name for model in st.session_state.get("models", ())):
        st.session_state.model_name = name
    st.session_state.chosen = values
    st.session_state.generation = st.session_state.get("generation", 0) + 1  # new widgets show the values


def choose_model(name: str) -> None:
    """Let another model answer, with the same settings."""
    choose({**get_chosen(), "model": name})


def _can_choose(name: str, value: Any) -> bool:
    """Whether a value can be a setting. Those of conversations from files may be anything."""
    if name in ("system", "model"):
        return isinstance(value, str) and value != ""
    if value is None or name not in _CHOICES:
        return False
    try:
        Request.model_validate({"messages": [{"role": "user", "content": "?"}], name: value})
    except InvalidRequest:
        return False
    return True


def show_settings(model: ModelDescription | None) -> ChatSettings:
    """Show the settings; return them. The model is chosen with `show_models`."""
    show_presets(get_chosen(), choose)
    is_chat = answers_chats(model)
    system = show_system() if is_chat else ""
    changes = {name: value for name, value in get_chosen().items() if name not in _SHOWN}
    changes |= show_thinking(model) | show_sampling(model) | show_max_tokens(model)
    number = st.number_input(
        "Seed",
        0,
        None,
        _field("seed"),
        key=_key("seed"),
        placeholder="a new one for each answer",
        help=describe_parameter("seed"),
    )
    _remember("seed", number, None)
    errors = []
    for name, show in (("form", show_form), ("tools", show_tools)) if is_chat else ():
        value, error = show(_field(name), _key(name))
        if error is not None:
            errors.append(error)
        else:
            _remember(name, value, None)
            changes |= {name: value} if value else {}
    names = [name.replace("_", " ") for name in get_chosen()]
    st.button(
        "Back to the model's defaults",
        icon=":material/restart_alt:",
        help=f"You have changed: {', '.join(names)}." if names else "You have changed nothing.",
        disabled=not names,
        on_click=choose,
        args=[{}],
    )
    return ChatSettings(system, changes, number, errors[0] if errors else None, dict(get_chosen()))


def show_models(is_compact: bool = False) -> None:
    """Show who answers: the choice of the model or adapter, if the server has several.

    `is_compact`: small and without its label, beside other elements.
    """
    entries = {model["name"]: model for model in st.session_state.get("models", ())}
    if len(entries) > 1:
        names = list(entries)
        st.session_state.model_name = st.selectbox(
            "Model",
            names,
            names.index(chosen_model()["name"]),
            key=f"model-{st.session_state.get('generation', 0)}",
            format_func=lambda name: _describe_model(entries[name]),
            help="A model that is not loaded is loaded with the next message.",
            label_visibility="collapsed" if is_compact else "visible",
            width=_MODEL_WIDTH if is_compact else "stretch",
            on_change=_change_model,
        )


def _change_model() -> None:
    """Let this run already see the choice; the widget has its value before the script runs."""
    st.session_state.model_name = st.session_state[f"model-{st.session_state.get('generation', 0)}"]


def _describe_model(entry: dict[str, Any]) -> str:
    parent = entry.get("parent")
    return entry["name"] if parent is None else f"{entry['name']} (adapter of {parent})"


def show_system() -> str:
    """Show the field of the system prompt; return its text."""
    text = st.text_area(
        "System prompt",
        _field("system") or "",
        key=_key("system"),
        placeholder="You are a helpful assistant.",
        help="What the model should know before the conversation begins.",
    )
    _remember("system", text, "")
    return text


def show_thinking(model: ModelDescription | None) -> dict[str, bool]:
    """Show the switch of a model whose reasoning can be switched; return its value if it was changed."""
    default = None if model is None else model["enable_thinking"]
    if default is None:
        return {}
    current = get_chosen().get("enable_thinking", default)
    help_text = describe_parameter("enable_thinking")
    value = st.toggle("Think before answering", current, key=_key("enable_thinking"), help=help_text)
    _remember("enable_thinking", value, default)
    return {} if value == default else {"enable_thinking": value}


def show_sampling(model: ModelDescription | None) -> dict[str, float]:
    """Show the fields of the sampling parameters; return the values that the person has set."""
    first, second, *others = STEPS
    values = {name: show_number(name, model) for name in (first, second)}
    with st.expander("More sampling"):
        values |= {name: show_number(name, model) for name in others}
    return {name: value for name, value in values.items() if value is not None}


def show_number(name: str, model: ModelDescription | None) -> float | None:
    """Show the field of a sampling parameter. It is empty, and its value None, while the default applies."""
    value = show_sampling_field(name, _field(name), model, _key(name))
    _remember(name, value, None)
    return value


def show_sampling_field(
    name: str, value: float | None, model: ModelDescription | None, key: str
) -> float | None:
    """Show a field that says the model's default as long as it is empty; return its value."""
    field, label = SamplingFields.model_fields[name], name.replace("_", " ").capitalize()
    convert = value_type(field.annotation)
    low, high = (convert(number) for number in find_range(field))
    return st.number_input(
        label,
        low,
        high,
        None if value is None else min(max(convert(value), low), high),
        convert(STEPS[name]),
        key=key,
        placeholder=describe_default(name, model),
        help=describe_parameter(name),
    )


def describe_default(name: str, model: ModelDescription | None) -> str:
    """What applies if nobody sets a sampling parameter."""
    if model is None or model["sampling"] is None:  # another server has the defaults, and does not tell them
        return "model's default"
    return f"model's default: {model['sampling'].get(name, SamplingFields.model_fields[name].default):g}"


def show_max_tokens(model: ModelDescription | None) -> dict[str, int]:
    """Show the field of the largest answer; return its value if the person has set one."""
    context = MAX_TOKEN_COUNT if model is None or model["max_context"] is None else model["max_context"]
    value = _field("max_tokens")
    limit = st.number_input(
        "Max tokens",
        1,
        context,
        None if value is None else min(value, context),
        key=_key("max_tokens"),
        placeholder="as many as the context holds",
        help="The largest number of tokens of an answer.",
    )
    _remember("max_tokens", limit, None)
    return {} if limit is None else {"max_tokens": limit}


def _field(name: str) -> Any:
    return get_chosen().get(name)


def _key(name: str) -> str:
    """The key of a widget. A new one shows the chosen value; so does one of another model."""
    model = escape(str(st.session_state.get("model_name")))
    return f"{name}-{model}-{st.session_state.get('generation', 0)}"


def _remember(name: str, value: Any, default: Any) -> None:
    """Keep a value that the person has changed; forget one that is the default."""
    if value == default:
        get_chosen().pop(name, None)
    else:
        get_chosen()[name] = value
