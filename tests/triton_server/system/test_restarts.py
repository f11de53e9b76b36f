"""Restarts are counted for each part, and only recent ones make the next one wait."""

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
