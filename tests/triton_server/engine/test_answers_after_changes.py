"""Kept answers of a server whose adapters or flags are others by now."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from adapters import write_adapter
from in_process import local_server, served
from support import pool_of, wait_until

from model_core import LLM
from model_core.requests.events import Text, Timings, Usage
from model_core.requests.results import Completion
from triton_server.client import ChatClient
from triton_server.engine.models.answer_cache import AnswerCache, Computation, Key
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.program import create_answer_cache

HELLO = [{"role": "user", "content": "Hello"}]
ASKED = {"model": "poet", "seed": 1, "max_tokens": 20, "temperature": 0.8}


class Replaced:
    """A server whose adapter is replaced by another one of its name while a request has its key."""

    def __init__(self, cache: AnswerCache, client: ChatClient, folders: list[str]) -> None:
        self.client, self.computations = client, list[Computation]()
        self._begin, self._cache, self._folders = cache.begin, cache, folders

    def load(self, number: int) -> None:
        """Let the name be that of another adapter."""
        self.client.drop_adapter("poet")
        wait_until(lambda: self.client.load_adapter("poet", self._folders[number]) == "ready")

    def ask(self) -> tuple[str, bool]:
        """An answer, and whether it was kept."""
        answer = self.client.chat(HELLO, **ASKED)
        return answer.text, bool(answer.details["usage"].get("answer_cached"))

    def begin_second(self, key: Key, waits: bool) -> tuple[Computation, bool]:
        """As `begin`, but an equal request is under way already."""
        if not self.computations:
            self.computations.append(self._begin(key)[0])
        return self._begin(key, waits)


@pytest.fixture
def replaced(llm: LLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replaced]:
    folders = [str(write_adapter(llm, tmp_path / name, seed=n, std=0.2)) for n, name in enumerate("ab")]
    settings = {"kv_cache_memory": 2**26, "max_queue": 256}
    pool = create_pool([(None, None)], None, settings, [("poet", folders[0])], allows_loading=True)
    pool.load_all()
    cache = AnswerCache(tmp_path / "answers", 2**20)
    with served(pool, f"sqlite:///{tmp_path / 'a.db'}", answers=cache) as url, ChatClient(url) as client:
        found = Replaced(cache, client, folders)
        monkeypatch.setattr(cache, "begin", found.begin_second)
        yield found
    cache.close()


@pytest.mark.parametrize("is_complete", [False, True])
def test_adapter_that_is_replaced_while_a_request_waits(replaced: Replaced, is_complete: bool) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(replaced.ask)
        wait_until(lambda: replaced.computations)
        (computation,) = replaced.computations
        replaced.load(1)
        if is_complete:
            timings = Timings(0.0, 0.0, 0.0)
            completion = Completion("", [1], "stop", Usage(1, 1), timings, 1)
            replaced._cache.keep(computation, [Text("of the first adapter")], completion, [5])
        else:
            computation.finish()
        of_second, is_kept = waiting.result(60)
    assert not is_kept and of_second != "of the first adapter"
    assert replaced.ask() == (of_second, True)
    replaced.load(0)
    of_first, is_kept = replaced.ask()
    assert is_kept is is_complete and of_first != of_second


def test_adapter_that_is_replaced_before_the_answer_ends(
    replaced: Replaced, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, is_replaced = replaced._cache.read, list[bool]()

    def read_and_replace(key: Key) -> Any:
        found = read(key)
        if not is_replaced:
            is_replaced.append(True)
            replaced.load(1)
        return found

    # No other request is under way.
    replaced.computations.append(Computation(Key("", "", "", True, True), print))
    monkeypatch.setattr(replaced._cache, "read", read_and_replace)
    of_second, _ = replaced.ask()
    replaced.load(0)
    of_first, is_kept = replaced.ask()
    assert not is_kept and of_first != of_second


def test_request_that_is_not_allowed_any_more(tmp_path: Path) -> None:
    """Its answer is not given either, though it was kept when the server had other flags."""
    body = {"messages": HELLO, "max_tokens": 5, "seed": 1}
    own = {**body, "chat_template": "{% for message in messages %}{{ message.content }}{% endfor %}"}
    cache = AnswerCache(tmp_path / "answers", 2**20)

    def ask(allows: bool, asked: dict[str, Any]) -> list[httpx.Response]:
        llm = LLM(kv_cache_memory=2**26, allow_request_templates=allows)
        with local_server(pool_of(llm), tmp_path, answers=cache) as running:
            url = f"{running.api_url}/v1/chat/completions"
            return [httpx.post(url, json=asked, timeout=60) for _ in range(2)]

    first, second = ask(True, own)
    assert first.status_code == 200 and second.headers["X-Answer-Cache"] == "hit"
    refused, again = ask(False, own)
    assert refused.status_code == again.status_code == 400 and "chat_template is not allowed" in refused.text
    assert ask(True, own)[0].headers["X-Answer-Cache"] == "hit"
    cache.close()


def test_server_without_the_flag_deletes_what_another_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For nobody else would: neither when it is too old nor when its conversation is removed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    expiries = {"session_expiry_s": 0.0, "response_expiry_s": 60.0}
    with_flag = SimpleNamespace(answer_cache=2**20, **expiries)
    answers = create_answer_cache(with_flag)
    assert answers is not None
    computation, _ = answers.begin(Key("salt", "name", "fp", True, True))
    completion = Completion("", [1], "stop", Usage(1, 1), Timings(0.0, 0.0, 0.0), 1)
    answers.keep(computation, [Text("a")], completion, [5])
    answers.close()
    again = create_answer_cache(with_flag)
    assert again is not None and again.read(computation.key) is not None
    again.close()
    folder = tmp_path / "tritonchat" / "answers"
    assert folder.exists()
    assert create_answer_cache(SimpleNamespace(answer_cache=None, **expiries)) is None
    assert not folder.exists()
