"""Commands as they come from Triton: each runs, and what is wrong with one is said of this one alone."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from paths import CHECKPOINTS

from triton_server.contract.json_tensors import encode
from triton_server.contract.tensors import READY
from triton_server.engine.commands.conversation_commands import ConversationCommands
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.models.slot_prompts import PromptFlags
from triton_server.engine.serving.inference import Inference

NAME = "tiny"


@pytest.fixture
def inference(tmp_path: Path) -> Iterator[Inference]:
    """Of a model that is not loaded."""
    settings = {"kv_cache_memory": 2**22, "max_queue": 8, "threads": 1}
    prompts = PromptFlags(str(tmp_path), 2**20, allows_saving=True)
    pool = create_pool([(NAME, str(CHECKPOINTS / "llama-tied-gqa"))], 3600, settings, prompts=prompts)
    yield Inference(pool, lambda: READY, ConversationCommands(f"sqlite:///{tmp_path / 'sessions.db'}"))
    pool.close()


def send(inference: Inference, *commands: Any) -> list[dict[str, Any]]:
    """The results of commands, which come in one batch."""
    requests: Any = [SimpleNamespace(data={"command": encode(command)[None]}) for command in commands]
    answers = asyncio.run(inference.chat_control(requests))
    return [json.loads(answer["result"].item()) for answer in answers]


def test_wrong_commands_fail_alone(inference: Inference) -> None:
    stats, wrong, typed, unknown, health, nobody, adapter, prompt = send(
        inference,
        {"stats": True, "model": None},
        {"stat": True},
        {"cancel": 5},
        {"forget": "salt", "model": NAME},
        {"health": True},
        {"live": True, "model": "nobody"},
        {"drop_adapter": "x"},
        {"save_prompt": "../x", "messages": "Once"},
    )
    assert stats["models"][0]["name"] == NAME and stats["running"] == stats["embeddings"] == 0
    assert health == {"health": READY}
    errors = {result["error"]["type"]: result["error"]["message"] for result in (nobody, adapter)}
    assert errors.keys() == {"model_not_found", "not_allowed"}
    for words, result in {
        "the nearest one is stats": wrong,
        "cancel must be a string, not 5.": typed,
        "unknown parameter 'model'": unknown,
        "cannot be the name of a saved prompt": prompt,
    }.items():
        assert words in result["error"]["message"] and result["error"]["type"] == "invalid_request"


def test_a_large_command_is_checked_beside_others(inference: Inference) -> None:
    messages = [{"role": "user", "content": "a"}] * 20_000 + [{"role": "king", "content": "a"}]
    large, health = send(inference, {"tokenize": messages}, {"health": True})
    assert large["error"]["param"] == "tokenize[20000].role" and health == {"health": READY}


def test_commands_of_a_model_that_is_not_loaded(inference: Inference) -> None:
    live, prompts, shown, cancelled, forgotten, metrics, conversations = send(
        inference,
        {"live": True},
        {"prompts": True, "model": NAME},
        {"prompt": "nobody"},
        {"cancel": "nobody"},
        {"forget": "salt"},
        {"metrics": True},
        {"conversations": "list", "owner": "tester"},
    )
    assert (live["state"], live["engine"]) == ("unloaded", None)
    assert prompts == {"prompts": []} and shown["error"]["type"] == "prompt_not_found"
    assert cancelled == {"cancelled": False} and forgotten == {"forgotten": True}
    assert "vllm:" in metrics["metrics"] and conversations == {"conversations": []}
