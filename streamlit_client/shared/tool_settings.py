"""The tools that a model may call, as JSON definitions that a person writes."""

import json
from typing import Any

import streamlit as st

from model_core.errors import InvalidRequest
from streamlit_client.shared.markdown import escape
from triton_server.contract.request_fields import Request

EXAMPLE = [
    {
        "name": "get_weather",
        "description": "The weather of today in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    }
]


def show_tools(
    tools: list[dict[str, Any]] | None, key: str
) -> tuple[list[dict[str, Any]] | None, str | None]:
    """Show the field for tools; `tools` are those to begin with.

    Returns the tools for a request, None if there are none; or what is wrong with them in one sentence.
    """
    with st.expander("Tools"):
        st.caption("The page shows what the model wants to call, and you enter the result.")
        text = st.text_area(
            "Definitions as a JSON list",
            json.dumps(tools, indent=2) if tools else "",
            key=f"text-{key}",
            height=180,
            placeholder=json.dumps(EXAMPLE, indent=2),
        )
        st.button("Insert an example", on_click=_insert_example, args=[f"text-{key}"], key=f"example-{key}")
    if not text.strip():
        return None, None
    try:
        definitions = _unwrap(json.loads(text))
        Request.model_validate({"messages": [{"role": "user", "content": "?"}], "tools": definitions})
    except (ValueError, RecursionError) as error:
        return None, f"The definitions of tools are no JSON: {escape(str(error))}."
    except InvalidRequest as error:
        return None, f"The tools cannot be used: {escape(str(error))}"
    return definitions, None


def _unwrap(tools: Any) -> Any:
    """Tools in OpenAI's form, {"type": "function", "function": ...}, as the functions themselves."""
    if isinstance(tools, dict):
        tools = [tools]
    if isinstance(tools, list):
        return [tool.get("function", tool) if isinstance(tool, dict) else tool for tool in tools]
    return tools


def _insert_example(key: str) -> None:
    st.session_state[key] = json.dumps(EXAMPLE, indent=2)
