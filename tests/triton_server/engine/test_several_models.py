"""One server with several models: the embedded one, the reciter, and one that cannot be loaded."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anthropic
import click
import httpx
import numpy as np
import openai
import pytest
from click.testing import CliRunner
from conftest import running_server
from in_process import Endpoints
from pytriton.client import DecoupledModelClient, ModelClient
from reciter import GREETING, REASONING, write_reciter
from support import wait_until
from test_terminal import CTRL_D, Terminal, run_piped

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, ModelNotFound, ModelUnavailable
from model_core.hub import embedded_model
from triton_server.client import ChatClient
from triton_server.contract.json_tensors import encode
from triton_server.options.flags import setting_flags
from triton_server.settings.server import ServerSettings
from triton_server.settings.values import read_named_model

HELLO = [{"role": "user", "content": "Hello"}]
pytestmark = pytest.mark.filterwarnings("ignore::pytriton.client.warnings.NotSupportedTimeoutWarning")


@pytest.fixture
def grpc(several: Endpoints) -> Iterator[ChatClient]:
    with ChatClient(several.grpc_url) as client:
        yield client


@pytest.fixture
def http(several: Endpoints) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=several.api_url, timeout=60) as client:
        yield client


@pytest.fixture
def openai_client(several: Endpoints) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{several.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_stats_list_the_models(grpc: ChatClient) -> None:
    stats = grpc.stats()
    assert [(entry["name"], entry["state"]) for entry in stats["models"]] == [
        ("embedded", "ready"),
        ("speaker", "ready"),
        ("broken", "failed"),
    ]
    assert stats["models"][2]["error"].startswith("broken could not be loaded: ")
    assert stats["models"][1]["triton_models"] == ["chat-speaker", "chat_stream-speaker", "embed-speaker"]
    assert stats["model"] == stats["models"][0]["description"]
    assert stats["model"]["name"] == "embedded"
    other = grpc.stats(model="speaker")
    assert other["model"]["name"] == "speaker"
    assert other["running"] == other["waiting"] == 0
    with pytest.raises(ModelNotFound):
        grpc.stats(model="nobody")
    assert grpc.load("speaker")["state"] == "ready"
    assert grpc.load("broken")["state"] in ("failed", "loading")  # it may be tried again by now
    wait_until(lambda: grpc.stats()["models"][2]["state"] == "failed")


def test_parameter_chooses_the_model(grpc: ChatClient) -> None:
    answer = grpc.chat(HELLO, model="speaker")
    assert (answer.text, answer.reasoning) == (GREETING, REASONING)
    assert answer.details["model"] == "speaker"
    with grpc.stream(HELLO, model="speaker") as stream:
        assert "".join(stream) == GREETING
    assert stream.answer.details["model"] == "speaker"
    for name in (None, "default", "embedded"):
        answer = grpc.chat(HELLO, model=name)
        assert answer.details["model"] == "embedded"
        assert answer.text != GREETING


def test_each_model_has_triton_models(tmp_path: Path) -> None:
    flags = [f"--model={model}" for model in (embedded_model(), write_reciter(tmp_path / "speaker"))]
    with running_server(*flags) as server:
        check_triton_models(f"grpc://{server.grpc_url}")
        for model, other in (("chat-speaker", None), ("chat_stream-speaker", "default"), ("chat", "speaker")):
            url = f"{server.api_url}/v2/models/{model}/generate"
            answer = httpx.post(url, json={"messages": HELLO, "model": other}, timeout=60).json()
            assert answer["text_output"] == GREETING and answer["details"]["model"] == "speaker"


def check_triton_models(address: str) -> None:
    with ModelClient(address, "chat-speaker") as client:
        whole = client.infer_sample(np.frombuffer(json.dumps(HELLO).encode(), np.uint8))
        named = client.infer_sample(encode(HELLO), encode({"model": "embedded"}))
    assert whole["response"][0].decode() == GREETING
    assert json.loads(whole["details"][0])["model"] == "speaker"
    assert json.loads(named["details"][0])["model"] == "embedded"
    with DecoupledModelClient(address, "chat_stream-speaker") as client:
        responses = list(client.infer_sample(encode(HELLO), encode({"model": "default"})))
    assert b"".join(response["response"][0] for response in responses).decode() == GREETING
    with ModelClient(address, "embed-speaker") as client:
        own = client.infer_sample(encode(["Hello"]))
        named = client.infer_sample(encode(["Hello"]), encode({"model": "embedded"}))
    assert [json.loads(vectors["details"][0])["model"] for vectors in (own, named)] == ["speaker", "embedded"]
    assert own["embeddings"].shape != named["embeddings"].shape


def test_unknown_and_failed_models_are_refused(grpc: ChatClient) -> None:
    for ask in (grpc.chat, lambda messages, **parameters: list(grpc.stream(messages, **parameters))):
        with pytest.raises(ModelNotFound, match="no model 'gpt-4' here") as not_found:
            ask(HELLO, model="gpt-4")
        assert not_found.value.param == "model"
        with pytest.raises(ModelUnavailable, match=r"broken could not be loaded: .*config\.json"):
            ask(HELLO, model="broken")
        with pytest.raises(InvalidRequest, match="model must be a string"):
            ask(HELLO, model=3)


def test_answers_are_those_of_each_model_alone(grpc: ChatClient, llm: LLM) -> None:
    parameters = {"max_tokens": 60, "temperature": 0.9, "ignore_eos": True}
    questions = [[{"role": "user", "content": f"Tell me about {n} foxes"}] for n in range(6)]
    alone = [
        llm.chat(question, SamplingParams(seed=n, **parameters)).text for n, question in enumerate(questions)
    ]
    story = {"role": "user", "content": "Tell me a story"}
    with ThreadPoolExecutor(12) as pool:
        others = [pool.submit(grpc.chat, [story], model="speaker", max_tokens=200, seed=n) for n in range(6)]
        answers = [
            pool.submit(grpc.chat, question, seed=n, **parameters) for n, question in enumerate(questions)
        ]
        assert [answer.result(120).text for answer in answers] == alone
        assert len({other.result(120).text for other in others}) == 1


def test_http_lists_models_with_their_states(http: httpx.Client, openai_client: openai.OpenAI) -> None:
    assert [model.id for model in openai_client.models.list()] == ["embedded", "speaker", "broken"]
    entries = http.get("/v1/models").json()["data"]
    assert [entry["state"] for entry in entries] == ["ready", "ready", "failed"]
    assert "config.json" in entries[2]["error"] and "error" not in entries[0]
    assert http.get("/v1/models/speaker").json() == entries[1]
    assert http.get("/v1/models/default").json() == entries[0]
    assert http.get("/v1/models/nobody").status_code == 404


def test_openai_routes_choose_a_model(http: httpx.Client, openai_client: openai.OpenAI) -> None:
    completions = openai_client.chat.completions
    spoken = completions.create(model="speaker", messages=HELLO)
    assert spoken.choices[0].message.content == GREETING
    default = completions.create(model="default", messages=HELLO, seed=1)
    named = completions.create(model="embedded", messages=HELLO, seed=1)
    assert (spoken.model, default.model, named.model) == ("speaker", "embedded", "embedded")
    assert default.choices[0].message.content == named.choices[0].message.content != GREETING
    assert spoken.system_fingerprint != default.system_fingerprint == named.system_fingerprint
    chunks = list(completions.create(model="speaker", messages=HELLO, stream=True))
    assert {chunk.model for chunk in chunks} == {"speaker"}
    continued = openai_client.completions.create(model="speaker", prompt="<|hello|>", n=2)
    assert [choice.text for choice in continued.choices] == ["Hello from the reciter."] * 2
    response = openai_client.responses.create(model="speaker", input="Hello")
    assert (response.model, response.output_text) == ("speaker", GREETING)
    other = openai_client.responses.create(input="Hello", previous_response_id=response.id, model="embedded")
    assert other.model == "embedded"
    line = http.post("/stream", json={"model": "speaker", "prompt": "<|hello|>"}).text
    assert line.replace("\n", "") == "Hello from the reciter."


def test_anthropic_route_chooses_a_model(several: Endpoints) -> None:
    with anthropic.Anthropic(base_url=several.api_url, api_key="none", max_retries=0) as client:
        answer = client.messages.create(model="speaker", max_tokens=50, messages=HELLO)
        assert answer.content[-1].text == GREETING
        counts = [
            client.messages.count_tokens(model=name, messages=HELLO) for name in ("speaker", "embedded")
        ]
        assert counts[0].input_tokens != counts[1].input_tokens
        with pytest.raises(anthropic.NotFoundError, match="no model 'claude'"):
            client.messages.create(model="claude", max_tokens=50, messages=HELLO)


def test_http_says_why_a_model_does_not_answer(http: httpx.Client) -> None:
    bodies = {
        "/v1/chat/completions": {"messages": HELLO},
        "/v1/completions": {"prompt": "Hello"},
        "/v1/responses": {"input": "Hello"},
        "/stream": {"prompt": "Hello"},
    }
    for path, body in bodies.items():
        missing = http.post(path, json={"model": "gpt-4", **body})
        assert missing.status_code == 404
        error = missing.json()["error"]
        assert (error["code"], error["param"]) == ("model_not_found", "model")
        assert "'gpt-4'" in error["message"] and "speaker" in error["message"]
        failed = http.post(path, json={"model": "broken", **body})
        assert failed.status_code == 503 and int(failed.headers["retry-after"]) > 0
        assert "broken could not be loaded" in failed.json()["error"]["message"]


def test_sessions_name_their_model(http: httpx.Client) -> None:
    session = http.post("/sessions", json={"parameters": {"model": "speaker"}}).json()
    path = f"/sessions/{session['id']}"
    assert session["parameters"] == {"model": "speaker"}
    assert http.put(f"{path}/generate", json={"prompt": "Hello"}).json()["text"] == GREETING
    other = {"prompt": "Hello", "parameters": {"model": "default", "max_tokens": 5}}
    assert http.put(f"{path}/generate", json=other).status_code == 200
    turns = http.get(path).json()["turns"]
    assert [turn["parameters"]["model"] for turn in turns] == ["speaker", "embedded"]
    for name, reason in (("gpt-4", "there is no model"), (3, "must be a string")):
        changes = {"parameters": {"model": name}}
        for response in (http.post("/sessions", json=changes), http.put(path, json=changes)):
            assert response.status_code in (400, 404)
            assert reason in response.json()["error"]["message"]
    assert http.put(path, json={"parameters": {"model": None}}).json()["parameters"] == {}
    assert http.delete(path).status_code == 204


def test_metrics_name_the_model(http: httpx.Client) -> None:
    metrics = http.get("/metrics").text
    assert 'tritonchat_model_loaded{model="speaker"} 1.0' in metrics
    assert 'tritonchat_model_loaded{model="broken"} 0.0' in metrics
    assert 'tritonchat_engine_up{model="embedded"} 1.0' in metrics


def test_terminal_lists_and_chooses_models(several: Endpoints, tmp_path: Path) -> None:
    with Terminal("chat", data=tmp_path, server=several.api_url) as terminal:
        terminal.expect("embedded at ")
        terminal.prompt(1)
        terminal.ask(":model speaker")
        listed = " ".join(terminal.prompt(1).split())
        assert "embedded ready * speaker ready broken broken could not be loaded" in listed
        terminal.ask("Hello")
        assert GREETING in terminal.expect(" cached")
        terminal.prompt(2)
        terminal.ask(":model nobody")
        terminal.expect("There is no model nobody; there are embedded, speaker, broken.")
        terminal.prompt(2)
        terminal.send(CTRL_D)
        terminal.expect("tritonchat chat --id")
    for name, status, expected in (
        ("speaker", 0, GREETING),
        ("gpt-4", 1, "no model"),
        ("broken", 3, "broken"),
    ):
        run = run_piped("chat", f"--model={name}", "Hello", data=tmp_path, server=several.api_url)
        assert run.returncode == status, run.stderr
        assert expected in (run.stderr if status else run.stdout).decode()


def test_engine_that_dies_brings_all_models_back() -> None:
    story = {"messages": "Once upon a time", "max_tokens": 20, "seed": 1, "temperature": 1}
    models = [f"--model={name}={embedded_model()}" for name in ("one", "two")]
    with running_server(*models, "--keep-alive=1h") as server, ChatClient(server.grpc_url) as client:
        assert [entry["state"] for entry in client.stats()["models"]] == ["unloaded", "unloaded"]
        first = client.chat(model="two", **story)
        assert [entry["state"] for entry in client.stats()["models"]] == ["unloaded", "ready"]
        server.engine.kill()
        wait_until(lambda: not client.is_ready())
        wait_until(client.is_ready)
        assert [entry["state"] for entry in client.stats()["models"]] == ["unloaded", "unloaded"]
        assert client.chat(model="two", **story).text == client.chat(**story).text == first.text


def test_name_of_a_model_may_have_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_named_model("owner/name=folder/x") == ("owner/name", "folder/x")
    assert read_named_model("Qwen/Qwen3-0.6B=./m=1.gguf") == ("Qwen/Qwen3-0.6B", "./m=1.gguf")
    assert read_named_model("name=owner/name:Q4_K_M") == ("name", "owner/name:Q4_K_M")
    for path in ("/a=b", "./a=b", "../a=b", "a/b/c=d", "owner/name"):
        assert read_named_model(path) == (None, path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "rate=3").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_named_model("runs/rate=3") == (None, "runs/rate=3")  # it is there


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--model=../x=y"], (None, "../x=y")),
        (["--model=a.b-1=c=d"], ("a.b-1", "c=d")),
        (["--model=owner/name:Q4_K_M"], (None, "owner/name:Q4_K_M")),
        (["--model=é=x"], "NAME=PATH"),
        (["--model=x="], "NAME=PATH"),
        (["--keep-alive=-1"], None),
        (["--keep-alive", "-1"], None),
        (["--keep-alive=10m"], 600),
        (["--keep-alive=0"], 0),
        (["--keep-alive=-2"], "is not a time"),
    ],
)
def test_flags(arguments: list[str], expected: Any) -> None:
    @click.command()
    @setting_flags(ServerSettings, "model", "keep_alive")
    def command(settings: ServerSettings) -> None:
        click.echo(repr(settings.models[0] if settings.models else settings.keep_alive_s))

    result = CliRunner().invoke(command, arguments)
    if result.exit_code:
        assert expected in result.output
    else:
        assert result.output.strip() == repr(expected) or float(result.output) == expected


def test_environment_names_models_with_commas_between_them() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITONCHAT_MODEL", "/my models/a,b=/c d")
        assert ServerSettings().models == ((None, "/my models/a"), ("b", "/c d"))
