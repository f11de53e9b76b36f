"""Saved prompts of a server: for every key, after `kill -9`, and closed unless the operator opens it."""

import asyncio
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from command_line import run_command
from conftest import Server, running_server
from paths import CHECKPOINTS

from model_core import SamplingParams
from model_core.errors import ModelNotFound
from triton_server.client import ChatClient
from triton_server.contract.json_tensors import encode
from triton_server.contract.tensors import READY
from triton_server.engine.commands.conversation_commands import ConversationCommands
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.models.slot_prompts import PromptFlags, SlotPrompts
from triton_server.engine.serving.inference import Inference

TEXT = "Prompts that the operator saves are shared by everybody who asks this server. " * 3
SYSTEM = [{"role": "system", "content": TEXT}]
QUESTION = [*SYSTEM, {"role": "user", "content": "Hello"}]
ONE_TOKEN = SamplingParams(max_tokens=1)
KEYS = ("sk-of-ada", "sk-of-bo")
FLAGS = ("--allow-saving-prompts", *(f"--api-key={key}" for key in KEYS))


def connect(server: Server, key: str = KEYS[0]) -> httpx.Client:
    return httpx.Client(base_url=server.api_url, headers={"X-Api-Key": key}, timeout=60)


def ask(server: Server, key: str) -> dict:
    body = {"model": "default", "messages": QUESTION, "max_tokens": 8, "temperature": 0}
    with connect(server, key) as http:
        answer = http.post("/v1/chat/completions", json=body).json()
    return {
        "text": answer["choices"][0]["message"]["content"],
        "cached": answer["usage"]["prompt_tokens_details"]["cached_tokens"],
    }


def files(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "tritonchat" / "prompts").rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's data folder."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def first(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict]:
    """What a server has answered that has saved two prompts. It was killed."""
    log = tmp_path_factory.mktemp("server") / "log"
    with running_server(*FLAGS, log=log, XDG_DATA_HOME=str(data)) as server, connect(server) as http:
        cold = ask(server, KEYS[0])
        saved = http.post("/v1/prompts", json={"name": "manners", "messages": SYSTEM})
        text = http.post("/v1/prompts", json={"name": "text", "text": TEXT})
        refused = {}
        for name in ("", "..", "a/b", "a" * 300, None, 3):
            refused[name] = http.post("/v1/prompts", json={"name": name, "text": TEXT})
        both = {"text": TEXT, "messages": SYSTEM}
        for body in ({}, both, {"text": "short"}, {"text": ""}, {"messages": []}):
            refused[str(body)] = http.post("/v1/prompts", json={"name": "x", **body})
        refused["key"] = httpx.post(f"{server.api_url}/v1/prompts", json={"name": "x", "text": TEXT})
        refused["model"] = http.post("/v1/prompts", json={"name": "x", "text": TEXT, "model": "other"})
        refused["show"] = http.get("/v1/prompts/missing")
        refused["delete"] = http.delete("/v1/prompts/..%2f..%2fsessions.db")
        warm = ask(server, KEYS[1])
        server.process.kill()
        yield {"cold": cold, "warm": warm, "saved": saved, "text": text, "refused": refused}


@pytest.fixture(scope="module")
def second(first: dict, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that is started after it, with its prefix cache on disk, too."""
    log = tmp_path_factory.mktemp("server") / "log"
    with running_server(*FLAGS, "--prefix-cache-disk=1GiB", log=log, XDG_DATA_HOME=str(data)) as server:
        yield server


def test_prompt_is_saved_and_shared(first: dict, data: Path) -> None:
    saved = first["saved"].json()
    assert (first["saved"].status_code, saved["object"], saved["name"]) == (201, "saved_prompt", "manners")
    assert saved["tokens"] > 40 and saved["bytes"] > 1000
    assert first["text"].status_code == 201
    assert first["cold"]["cached"] == 0 and first["warm"]["cached"] > 40
    assert first["cold"]["text"] == first["warm"]["text"]
    for path in (data / "tritonchat" / "prompts").rglob("*.safetensors"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_wrong_requests_are_refused(first: dict) -> None:
    codes = {name: answer.status_code for name, answer in first["refused"].items()}
    expected = dict.fromkeys(codes, 400) | {"key": 401, "model": 404, "show": 404, "delete": 404}
    assert codes == expected
    messages = {name: answer.json()["error"]["message"] for name, answer in first["refused"].items()}
    assert "cannot be the name of a saved prompt" in messages["a/b"]
    assert "cannot be the name of a saved prompt" in messages["a" * 300]
    assert messages["{}"] == "a prompt to save needs either messages or text."
    assert "there is no saved prompt 'missing'" in messages["show"]


def test_prompts_outlast_a_killed_server(first: dict, second: Server) -> None:
    with connect(second, KEYS[1]) as http:
        listed = http.get("/v1/prompts").json()
        assert [prompt["name"] for prompt in listed["data"]] == ["manners", "text"]
        shown = http.get("/v1/prompts/manners").json()
        assert shown["messages"] == SYSTEM
        assert http.get("/v1/prompts/text").json()["messages"] == TEXT
    answer = ask(second, KEYS[1])
    assert answer["cached"] > 40 and answer["text"] == first["cold"]["text"]


def test_prompts_are_deleted(second: Server, data: Path) -> None:
    with connect(second) as http, ChatClient(second.grpc_url) as client:
        assert http.delete("/v1/prompts/text").json() == {"name": "text", "deleted": True}
        assert files(data) == ["manners.safetensors"]
        with pytest.raises(ModelNotFound, match="missing"):
            client.save_prompt("other", TEXT, model="missing")
        while client.save_prompt("other", TEXT) is None:
            pass
        assert {prompt["name"] for prompt in client.list_prompts()} == {"manners", "other"}
        assert client.show_prompt("other")["messages"] == TEXT
        client.delete_prompt("other")
        assert http.get("/v1/prompts/other").status_code == 404


def test_saving_is_closed_by_default(server: Server) -> None:
    body = {"name": "x", "text": TEXT}
    for refused in (
        httpx.post(f"{server.api_url}/v1/prompts", json=body),
        httpx.delete(f"{server.api_url}/v1/prompts/x"),
    ):
        assert refused.status_code == 403
        assert "--allow-saving-prompts" in refused.json()["error"]["message"]
    assert httpx.get(f"{server.api_url}/v1/prompts").json() == {"object": "list", "data": []}


def test_deleted_conversations_are_forgotten(second: Server) -> None:
    with connect(second) as http, connect(second, KEYS[1]) as other:
        for client in (http, other):
            assert client.post("/sessions", json={"id": "a"}).status_code == 201

        def ask_again(client: httpx.Client) -> int:
            body = {"prompt": TEXT[5:], "parameters": {"max_tokens": 1}}
            answer = client.put("/sessions/a/generate", json=body).json()
            client.put("/sessions/a/revert", json={"to": 0})
            return answer["usage"]["cached_tokens"]

        assert [ask_again(client) > 40 for client in (http, other) for _ in range(2)] == [False, True] * 2
        assert http.delete("/sessions/a").status_code == 204
        http.post("/sessions", json={"id": "a"})
        assert [ask_again(client) > 40 for client in (http, other)] == [False, True]


def test_prefixes_outlast_a_stop(tmp_path: Path) -> None:
    flags = PromptFlags(str(tmp_path), 2**20, allows_saving=False, max_cache_bytes=2**20)
    settings = {"kv_cache_memory": 2**22, "max_queue": 8, "threads": 1}
    models = [("a/model", str(CHECKPOINTS / "llama-bfloat16")), ("a-model", str(CHECKPOINTS / "qwen3"))]
    found = []
    for _ in range(2):
        pool = create_pool(models, None, settings, prompts=flags)
        pool.load_all()
        llms = [slot.llm for slot in pool.slots]
        found.append(
            [llm.generate([3 + n % 60 for n in range(100)], ONE_TOKEN).usage.cached_tokens for llm in llms]
        )
        pool.close()
        assert len(list(tmp_path.glob("cache/*/*"))) == 2
    assert found == [[0, 0], [96, 96]]
    pool = create_pool(models, 3600, settings, prompts=flags)
    inference = Inference(pool, lambda: READY, ConversationCommands())
    assert asyncio.run(inference.commands.run(encode({"forget": ""}))) == '{"forgotten": true}'
    assert len(list(tmp_path.glob("cache/*/*"))) == 0


def test_prefixes_are_deleted_without_the_flag(tmp_path: Path) -> None:
    left = tmp_path / "cache" / "model" / "0.safetensors"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"")
    SlotPrompts(PromptFlags(str(tmp_path), 2**20, allows_saving=False), "model")
    assert not left.exists()


def test_command_line_saves_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "state"

    def complete(*arguments: str) -> tuple[int, str, str]:
        done = run_command("complete", "--max-tokens", "8", "--temperature", "0", *arguments)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    status, text, _ = complete(TEXT, "--save-state", str(path))
    assert status == 0 and text.startswith(TEXT.strip())
    assert complete("--load-state", str(path)) == (0, text, "")
    status, text, errors = complete("Another text", "--load-state", str(path))
    assert status == 0 and text.startswith("Another text")
    assert errors == f"tritonchat: PROMPT begins otherwise than the one of {path}.\n"
    status, _, errors = complete("--load-state", str(path), "--weights", "int8")
    assert status == 1 and f"{path} was computed by another model" in errors
    path.write_bytes(path.read_bytes()[:-1])
    status, _, errors = complete("--load-state", str(path))
    assert status == 1 and f"{path} is damaged" in errors
