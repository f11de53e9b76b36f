"""Adapters of a server: chosen by `model`, listed, loaded and dropped while it runs."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest
from adapters import write_adapter
from click.testing import CliRunner
from conftest import Server
from in_process import Endpoints, local_server

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, ModelNotFound, NotAllowed
from triton_server.cli.tritonchat import cli
from triton_server.client import ChatClient
from triton_server.engine.models.model_pool import create_pool

HELLO = [{"role": "user", "content": "Hello"}]
SETTINGS = {"kv_cache_memory": 2**26, "max_queue": 256}
PARAMETERS = {"seed": 1, "max_tokens": 20, "temperature": 0.8}


@pytest.fixture(scope="module")
def folders(llm: LLM, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Adapters of the embedded model."""
    root = tmp_path_factory.mktemp("adapters")
    return {
        name: write_adapter(llm, root / name, seed=n, std=0.2) for n, name in enumerate(("poet", "pirate"))
    }


@pytest.fixture(scope="module")
def adapted(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A server with one adapter, to which others may be added."""
    pool = create_pool([(None, None)], None, SETTINGS, [("poet", str(folders["poet"]))], allows_loading=True)
    with local_server(pool, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def http(adapted: Endpoints) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=adapted.api_url, timeout=60) as client:
        yield client


def test_adapter_answers_by_its_name(adapted: Endpoints, folders: dict[str, Path], llm: LLM) -> None:
    plain = llm.chat(HELLO, SamplingParams(**PARAMETERS)).text
    with LLM(adapters={"poet": folders["poet"]}) as local:
        poem = local.chat(HELLO, SamplingParams(**PARAMETERS), adapter="poet").text
    assert poem != plain
    with ChatClient(adapted.grpc_url) as client:
        for _ in range(2):  # the second time from the prefix cache
            assert client.chat(HELLO, **PARAMETERS).text == plain
            answer = client.chat(HELLO, model="poet", **PARAMETERS)
            assert (answer.text, answer.details["model"]) == (poem, "poet")
        assert "".join(client.stream(HELLO, model="poet", **PARAMETERS)) == poem
        with pytest.raises(ModelNotFound, match="this server has embedded, poet"):
            client.chat(HELLO, model="pirate")


def test_openai_lists_and_chooses_adapters(adapted: Endpoints, http: httpx.Client) -> None:
    entries = http.get("/v1/models").json()["data"]
    assert [(entry["id"], entry.get("parent")) for entry in entries] == [
        ("embedded", None),
        ("poet", "embedded"),
    ]
    with openai.OpenAI(base_url=f"{adapted.api_url}/v1", api_key="none", max_retries=0) as client:
        completions = [
            client.chat.completions.create(model=name, messages=HELLO, **PARAMETERS)
            for name in ("embedded", "poet")
        ]
    assert [completion.model for completion in completions] == ["embedded", "poet"]
    assert completions[0].choices[0].message.content != completions[1].choices[0].message.content
    assert completions[0].system_fingerprint != completions[1].system_fingerprint


def test_adapter_is_loaded_and_dropped_while_the_server_runs(
    http: httpx.Client, folders: dict[str, Path]
) -> None:
    body = {"lora_name": "pirate", "lora_path": str(folders["pirate"])}
    question = {"model": "pirate", "messages": HELLO, **PARAMETERS}
    assert http.post("/v1/chat/completions", json=question).status_code == 404
    loaded = http.post("/v1/load_lora_adapter", json=body)
    assert (loaded.status_code, loaded.text) == (
        200,
        "Success: LoRA adapter 'pirate' added successfully.",
    )
    answer = http.post("/v1/chat/completions", json=question).json()
    assert answer["model"] == "pirate"
    again = http.post("/v1/load_lora_adapter", json=body)
    assert again.status_code == 400 and "loaded already" in again.json()["error"]["message"]
    dropped = http.post("/v1/unload_lora_adapter", json={"lora_name": "pirate"})
    assert dropped.text == "Success: LoRA adapter 'pirate' removed successfully."
    assert http.post("/v1/chat/completions", json=question).status_code == 404
    assert http.post("/v1/unload_lora_adapter", json={"lora_name": "pirate"}).status_code == 404


def test_wrong_adapters_are_refused(adapted: Endpoints, http: httpx.Client, tmp_path: Path) -> None:
    missing = http.post("/v1/load_lora_adapter", json={"lora_name": "x", "lora_path": str(tmp_path)})
    assert missing.status_code == 400
    assert "has no adapter_config.json" in missing.json()["error"]["message"]
    assert http.post("/v1/load_lora_adapter", json={"lora_name": "x"}).status_code == 400
    with ChatClient(adapted.grpc_url) as client:
        with pytest.raises(InvalidRequest, match="'embedded' is that of a model"):
            client.load_adapter("embedded", str(tmp_path))
        with pytest.raises(InvalidRequest, match=r"adapter 'x' cannot be loaded: .*adapter_config\.json"):
            while client.load_adapter("x", str(tmp_path)) == "loading":
                pass


def test_loading_is_closed_by_default(server: Server, folders: dict[str, Path]) -> None:
    with ChatClient(server.grpc_url) as client:
        for command in (
            lambda: client.load_adapter("x", str(folders["poet"])),
            lambda: client.drop_adapter("x"),
        ):
            with pytest.raises(NotAllowed, match="--allow-adapter-loading"):
                command()
    body = {"lora_name": "x", "lora_path": str(folders["poet"])}
    refused = httpx.post(f"{server.api_url}/v1/load_lora_adapter", json=body)
    assert refused.status_code == 403
    assert "--allow-adapter-loading" in refused.json()["error"]["message"]


@pytest.mark.parametrize("value", ["poet", "=folder", "poet="])
def test_flag_needs_a_name_and_a_folder(value: str) -> None:
    result = CliRunner().invoke(cli, ["serve", f"--adapter={value}"])
    assert result.exit_code == 2
    assert "is not NAME=FOLDER" in result.output
