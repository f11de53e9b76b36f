"""The form of an answer: any text, a JSON object, or JSON under a schema, with examples to choose."""

import json
from typing import Any

import streamlit as st

from model_core.errors import InvalidRequest
from streamlit_client.shared.markdown import escape
from triton_server.contract.request_fields import Request

ANY_TEXT, ANY_OBJECT, OWN_SCHEMA = "Any text", "A JSON object", "A JSON schema"
AS_KEPT = "As another client has kept it"  # a regular expression, a grammar, ...
EXAMPLES: dict[str, dict[str, Any]] = {
    "Example: a person": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
        "required": ["name", "age", "city"],
        "additionalProperties": False,
    },
    "Example: a list of steps": {
        "type": "object",
        "properties": {"steps": {"type": "array", "items": {"type": "string"}, "maxItems": 10}},
        "required": ["steps"],
        "additionalProperties": False,
    },
    "Example: a judgement": {
        "type": "object",
        "properties": {
            "mood": {"enum": ["positive", "neutral", "negative"]},
            "reason": {"type": "string", "maxLength": 200},
        },
        "required": ["mood", "reason"],
        "additionalProperties": False,
    },
}


def show_form(form: dict[str, Any] | None, key: str) -> tuple[dict[str, Any] | None, str | None]:
    """Show the choice of the form; `form` is the one to begin with.

    Returns the form for a request, None for any text; or the error of a schema in one sentence.
    """
    kinds, first = [ANY_TEXT, ANY_OBJECT, OWN_SCHEMA, *EXAMPLES], ANY_TEXT
    schema = None if form is None else form.get("json_schema")
    if schema is not None:
        first = OWN_SCHEMA
    elif form is not None:
        first = ANY_OBJECT if "json_object" in form else AS_KEPT
        kinds += [AS_KEPT] if first == AS_KEPT else []
    kind = st.selectbox(
        "Form of the answer",
        kinds,
        kinds.index(first),
        key=f"kind-{key}",
        help="The model can then write nothing else.",
    )
    if kind is None or kind == ANY_TEXT:
        return None, None
    if kind == AS_KEPT:
        return form, None
    if kind == ANY_OBJECT:
        return {"json_object": True}, None
    initial = json.dumps(EXAMPLES.get(kind, schema or {"type": "object"}), indent=2)
    text = st.text_area("JSON schema", initial, key=f"schema-{kind}-{key}", height=180)
    try:
        chosen = {"json_schema": json.loads(text)}
        Request.model_validate({"messages": "?", "form": chosen})
    except (ValueError, RecursionError) as error:
        return None, f"The JSON schema of the answer is no JSON: {escape(str(error))}."
    except InvalidRequest as error:
        return None, f"The form of the answer cannot be used: {escape(str(error))}"
    return chosen, None
