"""Restarts are counted for each part, and only recent ones make the next one wait."""

import resource
from pathlib import Path
from types import SimpleNamespace

import pytest

from triton_server.system import restarts
from triton_server.system.restarts import MAX_RESTARTS, RESTART_WINDOW_S, Restarts


def test_only_recent_restarts_of_a_part_delay_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(restarts, "time", SimpleNamespace(monotonic=lambda: now))
    service = Restarts(tmp_path)
    delays = [service.add("page") for _ in range(MAX_RESTARTS + 1)]
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, None]
    assert service.add("api") == 0.2
    now += RESTART_WINDOW_S
    assert service.add("page") == 0.2
    assert (service.count("page"), service.count("api")) == (MAX_RESTARTS + 2, 1)


def test_a_full_disk_delays_what_is_written_and_ends_nothing(tmp_path: Path) -> None:
    service = Restarts(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, limits[1]))  # bytes of a file: a part of the line has room
    try:
        assert [service.add("page"), service.add("page")] == [0.2, 0.4]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert service.count("page") == 0
    assert service.add("page") == 0.8
    assert service.count("page") == 3
    assert Restarts(tmp_path).add("page") == 1.6  # another process, which is started later
