"""The page docs/parameters.md. `python -m triton_server.api.parameter_page` prints it."""

import json
from typing import Any

from pydantic import AliasChoices, BaseModel

from model_core.grammar.trial_program import TIME_LIMIT_S
from model_core.requests.form import MAX_GRAMMAR_LENGTH, Form
from model_core.requests.messages import ChatFields
from model_core.requests.sampling import SamplingFields

from ..contract import parameters
from ..contract.embedding_fields import EmbeddingRequest
from ..contract.parameters import describe_type
from ..contract.request_fields import Request
from .extras.stream import StreamRequest
from .form_fields import FormFields
from .openai.chat import ChatRequest
from .responses.schemas import ResponsesRequest

_CHAT = ChatFields.model_fields


_INTRODUCTION = """# Parameters of requests

All interfaces have these parameters, with the same names, ranges and defaults. A missing value or null stands
for the default. A wrong value is refused with a sentence that names the parameter.

Those of sampling are fields of the HTTP API's bodies, of the `parameters` sent over gRPC and of
`SamplingParams` in Python, flags of `tritonchat complete` (`--max-tokens` for `max_tokens`) and settings of
`tritonchat chat` (`:set max_tokens 50`). Those of conversations are fields of gRPC's `parameters` and of
`/v1/chat/completions`, which has `tools`, `tool_choice` and `logprobs` in OpenAI's form. Those of
reasoning are settings of `tritonchat chat`, too (`--think`, `--no-think`, `--reasoning-budget`).

`python -m triton_server.api.parameter_page` has written this page from `model_core/requests/sampling.py`,
`model_core/requests/messages.py` and `triton_server/contract/request_fields.py`.
"""


_ORDER = """A token is chosen in this order:

1. Tokens outside the form of the answer (`form`) are left out; then those outside `allowed_token_ids`, those
   that would complete one of `bad_words`, and before `min_tokens` the end tokens. If none is left, the form
   wins.
2. `logit_bias` is added; `repetition_penalty`, `presence_penalty`, `frequency_penalty` and `dry_multiplier`
   are applied.
3. `temperature` divides the logits. At 0 the likeliest token is taken, without the next steps. A model
   whose files give no temperature has 0: seeds change nothing then, and the answers of `n` are the same.
4. `top_n_sigma`, `top_k`, `typical_p`, `top_p`, `min_p` and `xtc_probability` leave out tokens, in this
   order, each of what is left. `mirostat` takes their place.
5. A token is drawn by its probability, with the random numbers of the `seed`.
"""


_FORMS = """`form` is an object with one of these fields, and `strict`:

{table}

An answer that ends has its form. One that `max_tokens` or a stop string ends is the beginning of such a text.
If a form comes to where nothing fits, the answer is what was valid, with the finish reason `length`.
Where the form leaves no choice, the tokens are appended without a step of the model each. At the end of the
form the answer ends by itself.

JSON has its properties in the order of the schema. Between its parts is nothing, a space, or a line break
with up to 32 spaces or tabs. Names of properties that the schema does not list may occur twice.

Schemas may be of any draft, and may refer to any part of themselves. Some parts cannot be enforced:
keywords (`uniqueItems`, `contains`, `not`, `if`), patterns with look-around, `\\b` or references to groups,
bounds with more than 18 digits or that a float64 does not hold, and `oneOf` whose schemas may hold together.
With `strict` such a schema is refused. Without it, which is the default in `response_format`, the part is
left out, and `usage.ignored_schema` names it, also in the last part of a stream. The
values of `enum` and `const` are written as they are, also integers beyond 2^53. A schema under which no value
is valid is refused.

A grammar's terminals, in Lark the names in upper case, match as much as they can. A new form is compiled in a
process of its own first, in at most {seconds:g} s; it may have {size} characters.

The HTTP API also takes OpenAI's `response_format`, vLLM's `structured_outputs`, `guided_json`,
`guided_regex`, `guided_choice` and `guided_grammar`, SGLang's `regex` and `ebnf`, and llama.cpp's
`json_schema` and `grammar`. `tritonchat complete` has the flags `--json-schema`, `--json-object`, `--regex`,
`--choice` and `--grammar`.
"""


_RESPONSES = """`/v1/responses` has these fields beside those of sampling and of conversations. `tools` and
`tool_choice` have OpenAI's form of Responses there.

"""


_IN_OPENAIS_FORM = "As with OpenAI."


_EMBEDDINGS = """For the Triton model `embed`, `ChatClient.embed` and `/v1/embeddings`, and with a `query` for
`/v1/rerank` and `/v1/score`. The inputs have the names of each interface.

"""


def render_page() -> str:
    """The page docs/parameters.md."""
    own = [name for name in Request.model_fields if name not in {**SamplingFields.model_fields, **_CHAT}]
    vectors = EmbeddingRequest.model_json_schema()["properties"]
    del vectors["texts"]
    sections = [
        ("Sampling", f"{_table(list(SamplingFields.model_fields))}\n\n{_ORDER.rstrip()}"),
        ("Conversations", _table(list(_CHAT))),
        ("Forms of answers", _describe_forms()),
        ("Requests over gRPC", _table([name for name in own if name != "messages"])),
        ("Responses", _describe_responses()),
        ("Embeddings and scores", _EMBEDDINGS + _table([*vectors], vectors)),
        ("Other names", _table_of_names()),
    ]
    return "\n".join([_INTRODUCTION, *(f"## {title}\n\n{table}\n" for title, table in sections)])


def _describe_responses() -> str:
    """The fields of /v1/responses that the sections before do not have."""
    shown = {**Request.model_fields, **FormFields.model_fields}
    rows = ["| name | meaning |", "| --- | --- |"]
    for name, field in ResponsesRequest.model_fields.items():
        if name not in shown:
            rows.append(f"| `{name}` | {field.description or _IN_OPENAIS_FORM} |")
    return _RESPONSES + "\n".join(rows)


def _describe_forms() -> str:
    rows = ["| name | value | meaning |", "| --- | --- | --- |"]
    for name, schema in Form.model_json_schema()["properties"].items():
        rows.append(f"| `{name}` | {describe_type(schema)} | {schema['description']} |")
    return _FORMS.format(table="\n".join(rows), seconds=TIME_LIMIT_S, size=MAX_GRAMMAR_LENGTH).rstrip()


def _table(names: list[str], properties: dict[str, Any] | None = None) -> str:
    """A row for each of the parameters. `properties`: their JSON schemas, by default those of Request."""
    properties = properties or parameters.properties()
    rows = ["| name | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name in names:
        schema = properties[name]
        default = "" if schema.get("default") is None else f"`{json.dumps(schema['default'])}`"
        rows.append(f"| `{name}` | {describe_type(schema)} | {default} | {schema['description']} |")
    return "\n".join(rows)


def _table_of_names() -> str:
    """The names that HTTP routes have beside those above."""
    routes: dict[str, type[BaseModel]] = {
        "/v1/chat/completions": ChatRequest,
        "/v1/responses": ResponsesRequest,
        "/stream": StreamRequest,
    }
    rows = ["| route | other name | name |", "| --- | --- | --- |"]
    for route, body in routes.items():
        for name, field in body.model_fields.items():
            if isinstance(field.validation_alias, AliasChoices):
                others = [other for other in field.validation_alias.choices if other != name]
                rows += [f"| {route} | `{other}` | `{name}` |" for other in others]
    return "\n".join(rows)


if __name__ == "__main__":
    print(render_page(), end="")
