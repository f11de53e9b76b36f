"""The files of the cache of answers, whatever happens to them, and the requests that share them."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support import wait_until

from model_core.errors import StorageError
from model_core.requests.events import Text, Timings, ToolCallDelta, Usage
from model_core.requests.results import Completion
from triton_server.contract.request_fields import Request
from triton_server.engine.models.answer_cache import AnswerCache, Computation, Key

HELLO = [{"role": "user", "content": "Hello"}]
MADE_OF = {"defaults": {"temperature": 0.0}}
CALL = [ToolCallDelta(0, "call_1", "f", "{}")]


def completed(text: str, seed: int | None) -> Completion:
    return Completion(text, [1], "stop", Usage(1, 1), Timings(0.0, 0.0, 0.0), seed or 5)


def begin(cache: AnswerCache, seed: int | None = 1, salt: str = "") -> Computation:
    key = cache.find_key(Request(messages=HELLO, seed=seed, cache_salt=salt), "fp", MADE_OF)
    assert key is not None
    computation, is_first = cache.begin(key)
    assert is_first
    return computation


def keep(cache: AnswerCache, seed: int = 1, text: str = "answer", salt: str = "") -> Key:
    computation = begin(cache, seed, salt)
    cache.keep(computation, [Text(text[:3]), Text(text[3:])], completed(text, seed), [5])
    return computation.key


def wait_for_writer(cache: AnswerCache) -> None:
    cache._writer.submit(int).result()


def test_answers_outlast_the_process_and_what_it_left_half_written(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    key = keep(cache)
    cache.close()
    path = tmp_path / key.salt / key.name
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    path.with_name(f"{key.name}.part").write_bytes(b"half")
    found = AnswerCache(tmp_path, 2**20).read(key)
    assert found is not None and found.events() == [Text("answer")] and found.token_ids == [1]


def test_damaged_or_exchanged_files_are_no_answers(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    key, other = keep(cache), keep(cache, 2, "other!", "another owner")
    cache.close()
    again = AnswerCache(tmp_path, 2**20)
    wait_for_writer(again)
    path, stolen = (tmp_path / each.salt / each.name for each in (key, other))
    raw = path.read_bytes()
    for place in range(0, len(raw), 7):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        assert again.read(key) is None and not path.exists()
    for content in (b"", raw[:20], raw[:-1], raw + b" ", stolen.read_bytes()):
        path.write_bytes(content)
        assert again.read(key) is None
    path.write_bytes(raw)
    assert again.read(key) is not None


def test_size_is_kept_and_what_is_used_stays(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 40_000)
    first = keep(cache, 0, "x" * 1000)
    for seed in range(1, 60):
        keep(cache, seed, "x" * 1000)
        wait_for_writer(cache)
        assert cache.read(first) is not None
    cache.close()
    assert sum(path.stat().st_size for path in tmp_path.glob("*/*")) <= 40_000
    assert keep(AnswerCache(tmp_path, 40_000), 99, "x" * 10_000)  # an eighth of it at most, so it is not kept


def test_old_answers_are_no_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = AnswerCache(tmp_path, 2**20, expiry_s=60)
    key = keep(cache)
    cache.close()
    assert cache.read(key) is not None
    monkeypatch.setattr("time.time", lambda: 4e9)
    assert cache.read(key) is None and not (tmp_path / key.salt / key.name).exists()


def test_old_answers_do_not_stay_on_the_disk(tmp_path: Path) -> None:
    """Whether anybody asks for them again or not, and however often they were used."""
    cache = AnswerCache(tmp_path, 2**20)
    old, new = keep(cache, 1, salt="old"), keep(cache, 2, salt="new")
    wait_for_writer(cache)
    cache.close()
    path = tmp_path / old.salt / old.name
    raw = path.read_bytes()
    now = time.time()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.time", lambda: now - 1000)
        cache = AnswerCache(tmp_path, 2**20)
        long_ago = keep(cache, 3, salt="old")
        cache.close()
    assert AnswerCache(tmp_path, 2**20).read(long_ago) is not None  # it was used just now
    cache = AnswerCache(tmp_path, 2**20, expiry_s=500)
    wait_for_writer(cache)
    assert path.read_bytes() == raw and not path.with_name(long_ago.name).exists()
    assert cache.read(new) is not None
    cache.close()


def test_empty_folders_do_not_stay(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 40_000)
    for number in range(60):
        keep(cache, 1, "x" * 1000, f"salt {number}")
        wait_for_writer(cache)
    cache.close()
    folders = list(tmp_path.iterdir())
    assert len(folders) < 60 and all(list(folder.iterdir()) for folder in folders)


def test_forgotten_owner_has_no_answers(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    mine = [keep(cache, salt=salt) for salt in ("mine", "mine/of my own", "mine/another")]
    others = [keep(cache, salt=salt) for salt in ("other", "mine too", "/mine", "")]
    under_way, of_another = begin(cache, 2, "mine/of my own"), begin(cache, 2, "other")
    wait_for_writer(cache)
    cache.forget("mine")
    for computation in (under_way, of_another):
        assert cache.keep(computation, [Text("late")], completed("late", 2), [5]) is not None
    wait_for_writer(cache)
    assert not any(map(cache.read, [*mine, under_way.key]))
    assert all(map(cache.read, [*others, of_another.key]))
    later = keep(cache, 2, salt="mine/of my own")
    cache.close()
    assert cache.read(later) is not None
    cache.forget("mine")  # also after the end
    assert cache.read(later) is None


def test_forgotten_answers_that_cannot_be_deleted_are_told(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    key = keep(cache, salt="mine")
    wait_for_writer(cache)
    (tmp_path / key.salt / "a folder").mkdir()
    with pytest.raises(StorageError, match="cannot be deleted"):
        cache.forget("mine")
    cache.close()


def test_late_answers_harm_nobody(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    computation = begin(cache)
    cache.close()
    answer = cache.keep(computation, [Text("late")], completed("late", 1), [5])
    assert (
        answer is not None and computation.answer.result() == answer and cache.read(computation.key) is None
    )


def test_slow_disk_does_not_fill_the_memory(tmp_path: Path) -> None:
    cache, event = AnswerCache(tmp_path, 2**24), threading.Event()
    cache._writer.submit(event.wait)
    keys = [keep(cache, seed) for seed in range(200)]
    assert cache.read(keys[0]) is not None  # an equal request may come at once
    event.set()
    wait_for_writer(cache)
    assert 0 < sum(cache.read(key) is not None for key in keys) < 100
    assert cache.read(keys[0]) is not None
    last = keep(cache, 300)
    wait_for_writer(cache)
    assert cache.read(last) is not None
    cache.close()


def test_folder_that_cannot_be_written_harms_no_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = AnswerCache(tmp_path / "file", 2**20)
    key = keep(cache)
    cache.close()
    assert cache.read(key) is None


def test_what_depends_on_more_than_the_request_has_no_place(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)

    def has_place(made_of: Any = MADE_OF, fingerprint: str | None = "fp", **fields: Any) -> bool:
        request = Request(**{"messages": HELLO, "seed": 1, **fields})
        return cache.find_key(request, fingerprint, made_of) is not None

    assert has_place() and has_place(seed=None) and has_place(seed=2**63 - 1)
    assert has_place(answer_cache="greedy") and not has_place(answer_cache="greedy", temperature=1.0)
    assert not has_place(seed=None, temperature=1.0) and not has_place(answer_cache="off")
    assert not has_place({"defaults": {"temperature": 1.0}}, seed=None)
    assert not has_place(None) and not has_place(fingerprint=None)
    assert not has_place({**MADE_OF, "clock": True}) and has_place({**MADE_OF, "clock": True}, messages="raw")
    assert not has_place(chat_template="{{ strftime_now('%d') }}")
    assert not has_place(choices=["a", "b"])
    huge = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"const": 2**60}}}}
    assert has_place(tools=[huge])
    cache.close()


def test_ids_of_calls_are_made_of_a_seed(tmp_path: Path) -> None:
    """So an answer with calls is kept only for a seed that somebody has chosen."""
    cache = AnswerCache(tmp_path, 2**20)
    for seed, is_kept in ((1, True), (None, False)):
        assert (cache.keep(begin(cache, seed), CALL, completed("", seed), [5]) is not None) is is_kept
    cache.close()


def test_computations_finish_once(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, 2**20)
    key = cache.find_key(Request(messages=HELLO, seed=1), "fp", MADE_OF)
    assert key is not None
    (computation, is_first), (same, is_second) = cache.begin(key), cache.begin(key)
    assert computation is same and is_first and not is_second
    alone, is_first = cache.begin(key, waits=False)
    assert alone is not computation and is_first
    alone.finish()
    assert cache.begin(key) == (computation, False)
    computation.finish()
    computation.finish(None)
    other, is_first = cache.begin(key)
    assert is_first and other is not computation
    cache.close()


def test_requests_whose_answers_have_calls_do_not_wait(tmp_path: Path) -> None:
    """Unless their seed was chosen: the ids of the calls are made of it."""
    cache = AnswerCache(tmp_path, 2**20)
    tool = {"name": "f", "parameters": {"type": "object"}}
    for fields, waits in (({}, True), ({"tools": [tool]}, False), ({"tools": [tool], "seed": 1}, True)):
        key = cache.find_key(Request(messages=HELLO, **fields), "fp", MADE_OF)
        assert key is not None
        (computation, is_first), (same, is_second) = (cache.begin(key) for _ in range(2))
        assert is_first and (same is computation) is waits and is_second is not waits
        computation.finish()
        same.finish()
    # Some models call tools that nobody has offered. Those who have waited then wait for nobody else.
    key = cache.find_key(Request(messages=HELLO), "fp", MADE_OF)
    assert key is not None
    computation, _ = cache.begin(key)
    assert cache.keep(computation, CALL, completed("", None), [5]) is None
    assert computation.answer.result() is None and computation.is_own
    cache.close()


WRITER = """
import sys
from pathlib import Path
from test_answer_files import LONG, AnswerCache, keep, wait_for_writer
cache = AnswerCache(Path(sys.argv[1]), 2**24)
for seed in range(100_000):
    keep(cache, seed, f"{LONG}{seed}")
    wait_for_writer(cache)
"""
LONG = "many words " * 2000


def test_answers_survive_a_killed_writer(tmp_path: Path) -> None:
    """What was written before a SIGKILL is whole, and what was not is no answer."""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], env=paths)
    try:
        wait_until(lambda: len(list(tmp_path.glob("*/*"))) >= 10)
    finally:
        writer.kill()
        writer.wait()
    cache = AnswerCache(tmp_path, 2**24)
    computations = [begin(cache, seed) for seed in range(len(list(tmp_path.glob("*/*"))) + 1)]
    found = [cache.read(computation.key) for computation in computations]
    written = found.index(None)
    assert written >= 9 and not any(found[written:])  # the last file may be a half one, of another name
    assert all(answer and answer.events() == [Text(f"{LONG}{n}")] for n, answer in enumerate(found[:written]))
    cache.close()
