"""The form of an answer, as clients of OpenAI, vLLM, SGLang and llama.cpp ask for it."""

import json
from typing import Any, Literal

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from model_core.checks.request_values import JsonObject, explain
from model_core.errors import InvalidRequest
from model_core.requests.form import Form
from model_core.requests.sampling import SamplingFields

from .body import Body
from .errors import unsupported

_SCHEMA_OR_TEXT = "The JSON schema of the answer, or its text."


class NamedSchema(Body):
    """A JSON schema."""

    name: str | None = Field(None, description="Ignored.")
    schema_: JsonObject | bool | None = Field(
        None, alias="schema", description="The JSON schema of the answer."
    )
    strict: bool | None = Field(
        False, description="Refuse a schema with keywords that cannot be enforced, instead of ignoring them."
    )


class ResponseFormat(Body):
    """OpenAI's way to ask for a form."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: NamedSchema | None = None
    schema_: JsonObject | None = Field(
        None, alias="schema", description="Not OpenAI's but llama.cpp's: the schema of a json_object."
    )


class StructuredOutputs(Body):
    """vLLM's way to ask for a form."""

    json_: JsonObject | bool | str | None = Field(None, alias="json", description=_SCHEMA_OR_TEXT)
    json_object: bool | None = Field(None, description="Any JSON object.")
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    structural_tag: Any = Field(None, description="Refused.")


class FormFields(SamplingFields, Body):
    """Other names of `form`. A request has at most one of them."""

    response_format: ResponseFormat | None = Field(None, description="OpenAI's way to ask for a form.")
    structured_outputs: StructuredOutputs | None = Field(None, description="vLLM's way to ask for a form.")
    guided_json: JsonObject | bool | str | None = Field(None, description=_SCHEMA_OR_TEXT)
    guided_regex: str | None = Field(None, description="As regex in `form`.")
    guided_choice: list[str] | None = Field(None, description="As choice in `form`.")
    guided_grammar: str | None = Field(None, description="As grammar in `form`.")
    json_schema: JsonObject | bool | str | None = Field(None, description=_SCHEMA_OR_TEXT)
    regex: str | None = Field(None, description="As in `form`.")
    ebnf: str | None = Field(None, description="As grammar in `form`.")
    grammar: str | None = Field(None, description="As in `form`.")

    _form_name: str | None = PrivateAttr(None)

    @property
    def sent_names(self) -> dict[str, str]:
        """What the client has called the form and its schema."""
        name = self._form_name
        if name is None:
            return {}
        schema = name
        if name == "structured_outputs":
            schema = "structured_outputs.json"
        elif name == "response_format" and self.response_format is not None:
            is_named = self.response_format.type == "json_schema"
            schema = "response_format.json_schema.schema" if is_named else "response_format.schema"
        return {"form": name, "form.json_schema": schema}

    @model_validator(mode="after")
    def _find_form(self) -> "FormFields":
        if self.model_fields_set.isdisjoint(FormFields.__annotations__):  # as in most requests
            return self
        forms = {name: values for name, values in self._list_forms().items() if values}
        if self.form is not None:
            forms["form"] = {}
        if len(forms) > 1:
            *_, first, second = forms
            raise InvalidRequest(f"{first} and {second} both ask for a form of the answer; send one.", second)
        for name, values in forms.items():
            if values:
                self.form, self._form_name = _make_form(name, values), name
        return self

    def _list_forms(self) -> dict[str, dict[str, Any]]:
        """The form that each other name asks for, as the fields of Form; empty for none."""
        outputs = self.structured_outputs or StructuredOutputs()
        if outputs.structural_tag is not None:
            raise unsupported("structured_outputs", "structural_tag is not supported; leave it out.")
        return {
            "response_format": _read_response_format(self.response_format),
            "structured_outputs": _drop_missing(
                json_schema=_read_schema("structured_outputs.json", outputs.json_),
                json_object=outputs.json_object or None,
                regex=outputs.regex,
                choice=outputs.choice,
                grammar=outputs.grammar,
            ),
            "guided_json": _drop_missing(json_schema=_read_schema("guided_json", self.guided_json)),
            "guided_regex": _drop_missing(regex=self.guided_regex),
            "guided_choice": _drop_missing(choice=self.guided_choice),
            "guided_grammar": _drop_missing(grammar=self.guided_grammar),
            "json_schema": _drop_missing(json_schema=_read_schema("json_schema", self.json_schema)),
            "regex": _drop_missing(regex=self.regex),
            "ebnf": _drop_missing(grammar=self.ebnf),
            "grammar": _drop_missing(grammar=self.grammar),
        }


def _make_form(param: str, values: dict[str, Any]) -> Form:
    try:
        return Form(**values)
    except ValidationError as error:
        sentence, path = explain(error.errors(), Form.model_fields, param)
        if param != "structured_outputs":  # the other names stand for a field of the form
            sentence, path = param + sentence.removeprefix(path or ""), param
        raise InvalidRequest(sentence, path) from None


def _read_response_format(form: ResponseFormat | None) -> dict[str, Any]:
    if form is None or form.type == "text":
        return {}
    if form.type == "json_object":
        return {"json_schema": form.schema_} if form.schema_ is not None else {"json_object": True}
    if form.json_schema is None:
        raise InvalidRequest("response_format.json_schema is missing.", "response_format.json_schema")
    schema, strict = form.json_schema.schema_, form.json_schema.strict
    if schema is None:
        path = "response_format.json_schema.schema"
        raise InvalidRequest(f"{path} is missing; for any JSON object, send the type json_object.", path)
    return {"json_schema": schema, "strict": bool(strict)}


def _read_schema(param: str, schema: JsonObject | bool | str | None) -> dict[str, Any] | bool | None:
    """A schema that may be text. Raises InvalidRequest."""
    if not isinstance(schema, str):
        return schema
    try:
        parsed = json.loads(schema)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict | bool):
        raise InvalidRequest(f"{param} must be a JSON schema, or its text.", param)
    return parsed


def _drop_missing(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
