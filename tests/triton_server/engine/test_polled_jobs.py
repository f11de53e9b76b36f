"""Work that clients begin, and ask about until it is done."""

import threading

import pytest

from model_core.errors import InvalidRequest, QueueFull
from triton_server.engine.models import polled_jobs
from triton_server.engine.models.polled_jobs import PolledJobs


def test_jobs_run_once_and_tell_their_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polled_jobs, "WAIT_S", 0.001)
    jobs, may_end, runs = PolledJobs("jobs"), threading.Event(), []

    def job() -> int:
        runs.append(1)
        may_end.wait()
        return len(runs)

    def poll_to_end(key: str) -> int:
        while not (state := jobs.poll(key, job))[0]:
            pass
        return state[1]

    for key in ("a", "a", *map(str, range(63))):
        assert jobs.poll(key, job) == (False, None)
    with pytest.raises(QueueFull, match="too much work"):
        jobs.poll("one more", job)
    may_end.set()
    assert poll_to_end("a") == 1
    assert poll_to_end("b") == 65
    assert poll_to_end("b") == 66
    may_end.clear()
    for key in map(str, range(100, 164)):  # what is done, and nobody asked for, takes no place
        assert jobs.poll(key, job) == (False, None)
    may_end.set()


def test_jobs_raise_in_the_client() -> None:
    def fail() -> None:
        raise InvalidRequest("wrong")

    jobs = PolledJobs("jobs")
    with pytest.raises(InvalidRequest, match="wrong"):
        while not jobs.poll("a", fail)[0]:
            pass
