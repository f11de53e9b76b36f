"""The settings of a chat: which model answers, with what system prompt, and with what parameters.

The session keeps only what the person has changed (`chosen`), under the names of request parameters and
"system". So all else follows the model's own defaults, also after another model was chosen.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from model_core.config import GenerationDefaults
from model_core.errors import InvalidRequest
from model_core.sampling import SamplingFields
from model_core.validation import find_range, value_type
from streamlit_client.answer_forms import show_form
from streamlit_client.markdown import escape
from streamlit_client.presets import show_presets
from streamlit_client.tool_settings import show_tools
from triton_server.parameters import describe_parameter
from triton_server.vocabulary import Request

# For models that recommend no sampling. At temperature 0, "Answer again" would give the same answer.
FALLBACK_SAMPLING = {"temperature": 0.3, "top_p": 0.95}
DEFAULT_MAX_TOKENS = 512
UNKNOWN_CONTEXT = 1024  # until the server has described the model
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


_CHOICES = {*SamplingFields.model_fields, "enable_thinking", "reasoning_effort", "reasoning_budget", "tools"}
# Settings that have widgets. Conversations that other clients have made may have more.
_SHOWN = {"system", "enable_thinking", "max_tokens", "seed", "form", "tools", *STEPS}


@dataclass(frozen=True)
class ChatSettings:
    """The settings that a person chose.

    `changes` has only the request parameters that differ from the model's defaults. If `seed` is None, each
    answer gets a random one. `error` says what is wrong with a form or with tools. `chosen` is what the
    person has changed, see `get_chosen`.
    """

    system: str
    changes: dict[str, Any]
    max_tokens: int
    seed: int | None
    error: str | None = None
    chosen: dict[str, Any] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request."""
        return {**self.changes, "max_tokens": self.max_tokens, "seed": self.seed}

    def kept(self, model: str) -> dict[str, Any]:
        """The parameters that a conversation is kept with: what was changed, and the model."""
        return {name: value for name, value in self.chosen.items() if name != "system"} | {"model": model}


def chosen_model() -> dict[str, Any]:
    """The entry of the model that the person chose, in the last known statistics."""
    models = st.session_state.models
    name = st.session_state.get("model_name")
    return next((model for model in models if model["name"] == name), models[0])


def answers_chats(model: dict[str, Any] | None) -> bool:
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


def _can_choose(name: str, value: Any) -> bool:
    """Whether a value can be a setting. Those of conversations from files may be anything."""
    if name in ("system", "model"):
        return isinstance(value, str) and value != ""
    if value is None or name not in _CHOICES:
        return False
    try:
        Request(messages=[{"role": "user", "content": "?"}], **{name: value})
    except InvalidRequest:
        return False
    return True


def show_settings(model: dict[str, Any] | None) -> ChatSettings:
    """Show the settings; return them."""
    context = UNKNOWN_CONTEXT if model is None else model["max_context"]
    show_models()
    show_presets(get_chosen(), choose)
    is_chat = answers_chats(model)
    system = show_system() if is_chat else ""
    changes = {name: value for name, value in get_chosen().items() if name not in _SHOWN}
    changes |= show_thinking(model) | show_sampling(model)
    max_tokens, default = _field("max_tokens"), min(DEFAULT_MAX_TOKENS, context)
    seed = _field("seed")
    limit = st.number_input(
        "Max tokens",
        1,
        context,
        min(max_tokens or default, context),
        key=_key("max_tokens"),
        help=describe_parameter("max_tokens"),
    )
    _remember("max_tokens", limit, default)
    number = st.number_input(
        "Seed",
        0,
        None,
        seed,
        key=_key("seed"),
        placeholder="a new one for each answer",
        help=describe_parameter("seed"),
    )
    _remember("seed", number, None)
    errors = []
    for name, show in {"form": show_form, "tools": show_tools}.items() if is_chat else ():
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
    return ChatSettings(system, changes, limit, number, errors[0] if errors else None, dict(get_chosen()))


def show_models() -> None:
    """Show the choice of the model or adapter, if the server has several."""
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


def show_thinking(model: dict[str, Any] | None) -> dict[str, bool]:
    """Show the switch of a model whose reasoning can be switched; return its value if it was changed."""
    default = None if model is None else model["enable_thinking"]
    if default is None:
        return {}
    current = get_chosen().get("enable_thinking", default)
    help_text = describe_parameter("enable_thinking")
    value = st.toggle("Think before answering", current, key=_key("enable_thinking"), help=help_text)
    _remember("enable_thinking", value, default)
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
    convert = value_type(field.annotation)
    low, high = (convert(number) for number in find_range(field))
    current = min(max(convert(get_chosen().get(name, initial)), low), high)
    widget = st.slider if high - low <= 4 else st.number_input
    value = widget(label, low, high, current, STEPS[name], key=_key(name), help=describe_parameter(name))
    _remember(name, value, convert(initial))
    return value


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
