"""Forms of answers through every interface and in every client's words."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import httpx
import openai
import pytest
from conftest import Server
from pydantic import BaseModel, Field
from support import wait_until
from tokenizers import Tokenizer

from model_core.errors import InvalidRequest
from triton_server.client import ChatClient

HELLO = [{"role": "user", "content": "Hello"}]
WILD = {"temperature": 2.0, "seed": 11, "max_tokens": 200}
POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer", "minimum": 0, "maximum": 9}, "y": {"enum": ["up", "down"]}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
GRAMMAR = 'root ::= "(" [a-z]{1,4} ")"'


class Colour(BaseModel):
    """A part of a record."""

    name: Literal["red", "green", "blue"]
    shades: list[int] = Field(max_length=3)


class Record(BaseModel):
    """What the model is to answer."""

    title: str = Field(max_length=12)
    colour: Colour
    note: str | None = Field(max_length=5)


def is_point(text: str) -> bool:
    value = json.loads(text)
    return set(value) == {"x", "y"} and 0 <= value["x"] <= 9 and value["y"] in ("up", "down")


def is_group(text: str) -> bool:
    return re.fullmatch(r"\([a-z]{1,4}\)", text) is not None


# The same few forms, in the words of different clients.
FORMS: list[tuple[dict[str, Any], Callable[[str], bool]]] = [
    ({"form": {"json_schema": POINT}}, is_point),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "point", "schema": POINT}}},
        is_point,
    ),
    ({"response_format": {"type": "json_object", "schema": POINT}}, is_point),
    ({"structured_outputs": {"json": POINT}}, is_point),
    ({"structured_outputs": {"json": json.dumps(POINT)}}, is_point),
    ({"structured_outputs": {"choice": ["one", "two"]}}, {"one", "two"}.__contains__),
    ({"structured_outputs": {"grammar": GRAMMAR}}, is_group),
    ({"structured_outputs": {"regex": "[(][a-z]{1,4}[)]"}}, is_group),
    ({"guided_json": POINT}, is_point),
    ({"guided_regex": "[(][a-z]{1,4}[)]"}, is_group),
    ({"guided_choice": ["one", "two"]}, {"one", "two"}.__contains__),
    ({"guided_grammar": GRAMMAR}, is_group),
    ({"json_schema": POINT}, is_point),
    ({"grammar": GRAMMAR}, is_group),
    ({"ebnf": GRAMMAR}, is_group),
    ({"regex": "[(][a-z]{1,4}[)]"}, is_group),
]


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    """OpenAI's client with the address of the service."""
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def test_parsed_answers_of_the_openai_client(gpt: openai.OpenAI) -> None:
    for seed in range(5):
        completion = gpt.chat.completions.parse(
            model="embedded", messages=HELLO, response_format=Record, temperature=2, seed=seed, max_tokens=300
        )
        assert completion.choices[0].finish_reason == "stop"
        record = completion.choices[0].message.parsed
        assert isinstance(record, Record)
        assert len(record.title) <= 12


def test_streamed_answers_of_the_openai_client(gpt: openai.OpenAI) -> None:
    with gpt.chat.completions.stream(
        model="embedded", messages=HELLO, response_format=Record, temperature=2, seed=3, max_tokens=300
    ) as stream:
        final = stream.get_final_completion()
    assert isinstance(final.choices[0].message.parsed, Record)


def tool(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """A tool as OpenAI writes it."""
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


@pytest.mark.parametrize(
    ("fields", "is_right"), FORMS, ids=lambda value: "" if callable(value) else str(value)[:40]
)
def test_forms_in_the_words_of_other_clients(
    web: httpx.Client, fields: dict[str, Any], is_right: Callable[[str], bool]
) -> None:
    chat = web.post("/v1/chat/completions", json={"messages": HELLO, **WILD, **fields}).json()
    assert is_right(chat["choices"][0]["message"]["content"])
    completions = web.post(
        "/v1/completions", json={"prompt": ["Hello", "Hi"], "n": 2, **WILD, **fields}
    ).json()
    assert all(is_right(choice["text"]) for choice in completions["choices"])
    lines = web.post("/stream", json={"prompt": "Hello", **WILD, **fields}).text.splitlines()
    assert is_right("".join(json.loads(f'"{line}"') for line in lines))


def test_any_object(web: httpx.Client, tokenizer: Tokenizer) -> None:
    end = {tokenizer.token_to_id("}"): 100.0, tokenizer.token_to_id("{"): 50.0}
    body = {"messages": HELLO, "response_format": {"type": "json_object"}, "logit_bias": end, **WILD}
    answer = web.post("/v1/chat/completions", json=body).json()
    assert json.loads(answer["choices"][0]["message"]["content"]) == {}


def test_keywords_that_cannot_be_enforced_are_ignored_unless_strict(web: httpx.Client) -> None:
    schema = {**POINT, "dependentRequired": {"x": ["y"]}}
    for strict, status in ((None, 200), (False, 200), (True, 400)):
        named = {"name": "point", "schema": schema, "strict": strict}
        body = {"messages": HELLO, "response_format": {"type": "json_schema", "json_schema": named}, **WILD}
        response = web.post("/v1/chat/completions", json=body)
        assert response.status_code == status
        if status == 400:
            assert "dependentRequired" in response.json()["error"]["message"]
        else:
            assert is_point(response.json()["choices"][0]["message"]["content"])
            place = "response_format.json_schema.schema.dependentRequired"
            assert response.json()["usage"]["ignored_schema"] == [place]


def test_streams_name_the_parts_of_schemas_that_are_not_enforced(web: httpx.Client) -> None:
    parameters = {
        "properties": {"a": {"type": "string", "pattern": r"\bx", "maxLength": 3}},
        "required": ["a"],
    }
    body = {"messages": HELLO, "tools": [tool("f", parameters)], "tool_choice": "required", **WILD}
    body |= {"n": 2, "stream": True, "stream_options": {"include_usage": True}}
    lines = web.post("/v1/chat/completions", json=body).text.splitlines()
    parts = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    assert parts[-1]["usage"]["ignored_schema"] == ["tools[0].function.parameters.properties.a.pattern"]


@pytest.mark.parametrize(
    ("fields", "param", "message"),
    [
        ({"response_format": {"type": "xml"}}, "response_format.type", "must be"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema", "missing"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
            "response_format.json_schema.schema",
            "response_format.json_schema.schema is missing",
        ),
        ({"guided_json": "{"}, "guided_json", "JSON schema"),
        ({"guided_json": {"properties": {"\ud800": {}}}}, "guided_json", "surrogate"),
        ({"json_schema": "[]"}, "json_schema", "JSON schema"),
        ({"guided_choice": []}, "guided_choice", "guided_choice must be a list of 1 or more"),
        ({"structured_outputs": {"regex": "a", "choice": ["a"]}}, "structured_outputs", "exactly one"),
        ({"guided_regex": 5}, "guided_regex", "must be a string"),
        ({"guided_regex": "(", "temperature": 1}, "guided_regex", "unclosed group"),
        ({"grammar": "root ::= missing"}, "grammar", "`missing`"),
        ({"guided_json": {"type": "x"}}, "guided_json", "'x'"),
        ({"json_schema": {"$ref": "#/a"}}, "json_schema", "'#/a'"),
        ({"structured_outputs": {"json": {"type": "x"}}}, "structured_outputs.json", "'x'"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "x"}}}},
            "response_format.json_schema.schema",
            "'x'",
        ),
        (
            {"response_format": {"type": "json_object", "schema": {"type": "x"}}},
            "response_format.schema",
            "'x'",
        ),
        (
            {
                "tools": [tool("f", {}), tool("g", {"properties": {"a": {"type": "x"}}})],
                "tool_choice": "required",
            },
            "tools[1].function.parameters",
            "properties.a.type",
        ),
        ({"grammar": GRAMMAR, "guided_regex": "a"}, "grammar", "both ask"),
        ({"form": {"regex": "a"}, "response_format": {"type": "json_object"}}, "form", "both ask"),
        ({"form": {"regex": "a", "choice": ["a"]}}, "form", "exactly one"),
        ({"form": {"pattern": "a"}}, "form.pattern", "unknown"),
        ({"structured_outputs": {"structural_tag": "{}"}}, "structured_outputs", "not supported"),
        ({"structural_tag": "{}"}, "structural_tag", "not supported"),
        ({"guided_whitespace_pattern": " "}, "guided_whitespace_pattern", "not supported"),
    ],
    ids=ascii,
)
def test_wrong_forms_are_refused(web: httpx.Client, fields: dict[str, Any], param: str, message: str) -> None:
    content = json.dumps({"messages": HELLO, **fields})
    response = web.post("/v1/chat/completions", content=content, headers={"Content-Type": "application/json"})
    error = response.json()["error"]
    assert (response.status_code, error["param"]) == (400, param)
    assert message in error["message"]


def test_answers_of_sessions_have_a_form(web: httpx.Client) -> None:
    parameters = {**WILD, "form": {"json_schema": POINT}}
    path = f"/sessions/{web.post('/sessions', json={'parameters': parameters}).json()['id']}/generate"
    assert is_point(web.put(path, json={"prompt": "Where?"}).json()["text"])
    other = {"prompt": "Up?", "parameters": {"form": {"choice": ["yes", "no"]}}}
    assert web.put(path, json=other).json()["text"] in ("yes", "no")
    assert is_point(web.put(path, json={"prompt": "And where?"}).json()["text"])


def test_forms_over_grpc(client: ChatClient) -> None:
    assert is_point(client.chat(HELLO, **WILD, form={"json_schema": POINT}).text)
    with client.stream("Hello", **WILD, form={"grammar": GRAMMAR}) as deltas:
        assert is_group("".join(deltas))
    with pytest.raises(InvalidRequest, match="unclosed group"):
        client.chat(HELLO, form={"regex": "("})


def test_slow_forms_wait_for_each_other_alone(server: Server, client: ChatClient) -> None:
    """Multiples of a large number take a fifth of a second to compile."""
    finished = []

    def ask(number: int) -> None:
        form = {"json_schema": {"type": "integer", "multipleOf": 50_000 + number}}
        with client.stream(HELLO, form=form, max_tokens=1) as deltas:
            finished.append("".join(deltas))

    with ThreadPoolExecutor(16) as threads:
        for number in range(16):
            threads.submit(ask, number)
        wait_until(lambda: bool(finished))
        with client.stream(HELLO, max_tokens=1) as deltas:
            list(deltas)
        assert len(finished) < 8
    assert len(finished) == 16
