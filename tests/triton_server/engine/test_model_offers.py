"""Real models that a server names, downloads and loads while it runs."""

import shutil
import time
from pathlib import Path

import pytest
from chat_page import ChatPage
from conftest import running_server
from gguf_models import copy_model, write_model
from hub_server import HubServer, Repository
from paths import CHECKPOINTS
from support import have_ended, wait_until

from model_core.errors import InvalidRequest, NotAllowed, TritonchatError
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.engine.models.added_models import AddedModel, read_added, write_added
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.triton.process import running_models
from triton_server.system.program import called

TINY = CHECKPOINTS / "llama-tied-gqa"
HELLO = [{"role": "user", "content": "Hello"}]


def test_server_names_models_that_fit(client: ChatClient) -> None:
    offers = client.recommend()
    assert not offers["allows_getting"]
    assert 1 <= len(offers["models"]) <= 3
    for model in offers["models"]:
        assert model["arguments"].startswith(model["name"]) and model["download"] is None
        assert model["speed"] is None or model["speed"]["answer"] > 0


def test_nothing_is_downloaded_unless_it_is_allowed(client: ChatClient) -> None:
    name = client.recommend()["models"][0]["name"]
    with pytest.raises(NotAllowed, match="--allow-pull"):
        client.get_model(name)


def test_first_screen_says_how_to_get_a_real_model(conversations: Conversations, client: ChatClient) -> None:
    page = ChatPage()
    shown = [code.value for code in page.app.code]
    models = client.recommend()["models"]
    assert shown == [f"{called()} up --model {one['arguments']}" for one in models]
    page.ask("Hello")
    assert not page.app.code  # it is in nobody's way later


def test_model_is_downloaded_and_loaded_while_the_server_runs(tmp_path: Path) -> None:
    """Names are those of real models, the files those of tiny ones."""
    folder = tmp_path / "file"
    folder.mkdir()
    write_model(copy_model("qwen3", tmp_path), folder / "tiny-Q4_K_M.gguf", quantize=False)
    with HubServer({"someone/else": Repository(folder)}) as hub:
        home = {"HF_HOME": str(tmp_path / "hub"), "HF_ENDPOINT": hub.url}
        with running_server("--allow-pull", **home) as server, ChatClient(server.grpc_url) as client:
            offers = client.recommend()
            assert offers["allows_getting"]
            with pytest.raises(InvalidRequest, match="none of the models that fit"):
                client.get_model("someone/else")
            name = offers["models"][-1]["name"]
            client.get_model(name)  # which the hub does not have
            download = wait_for_end(client, name)
            assert download["state"] == "failed" and "on the hub" in download["error"]
            assert [entry["name"] for entry in client.stats()["models"]] == ["embedded"]

            hub.repositories[name.partition(":")[0]] = Repository(folder)
            assert client.get_model(name)["state"] == "downloading"  # it may be tried again
            assert wait_for_end(client, name) == {"state": "done"}
            assert client.get_model(name) == {"state": "done"}
            assert (
                client.chat([1, 2], model=name, max_tokens=3, ignore_eos=True).usage["completion_tokens"] == 3
            )
            assert [entry["name"] for entry in client.stats()["models"]] == ["embedded", name]
            assert client.chat(HELLO, max_tokens=3).text  # of the first model, as before

            # It is in use, and comes back with the next process of the engine.
            repository = name.partition(":")[0]
            assert (server.engine.pid, repository) in used_models()
            dead = server.engine
            dead.kill()
            wait_until(lambda: have_ended([dead]) and is_served(client, name))
            again = client.chat([1, 2], model=name, max_tokens=3, ignore_eos=True)
            assert again.usage["completion_tokens"] == 3
            assert client.get_model(name) == {"state": "done"}
    shutil.rmtree(tmp_path / "hub")


def used_models() -> set[tuple[int, str]]:
    """The models of servers on this machine, as `tritonchat rm` knows them."""
    return {
        (process, (path or "").partition(":")[0])
        for process, models in running_models()
        for _, path in models
    }


def is_served(client: ChatClient, name: str) -> bool:
    try:
        return any(entry["name"] == name for entry in client.stats()["models"])
    except TritonchatError:
        return False


def test_a_model_that_killed_its_process_is_not_loaded_again(tmp_path: Path) -> None:
    settings = {"kv_cache_memory": 2**24, "max_queue": 7}
    loaded, deadly = AddedModel(str(TINY), None, True), AddedModel(str(CHECKPOINTS / "qwen3"), None)
    write_added(tmp_path, [loaded, deadly])
    pool = create_pool([("first", str(TINY))], 3600, settings)
    try:
        pool.restore_added(tmp_path)
        assert [slot.name for slot in pool.slots] == ["first", loaded.path]
        wait_until(lambda: read_added(tmp_path) == [loaded])
        pool.load_more(AddedModel("/nowhere", None))
        wait_until(lambda: pool.slots[-1].state == "failed")
        assert read_added(tmp_path) == [loaded, AddedModel("/nowhere", None)]
    finally:
        pool.close()


def wait_for_end(client: ChatClient, name: str) -> dict[str, str]:
    """The download of a model, when it has ended."""
    while True:
        download = next(one["download"] for one in client.recommend()["models"] if one["name"] == name)
        if download["state"] != "downloading":
            return download
        time.sleep(0.1)
