"""Progress is a bar for a person, and whole lines for a log."""

import io
import sys

import pytest

from model_core.machine.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(monkeypatch: pytest.MonkeyPatch, to: io.StringIO, **settings: object) -> str:
    monkeypatch.setattr(sys, "stderr", to)
    with ProgressBar(range(3), desc="Loading", file=to, **settings) as bar:
        for _ in bar:
            bar.refresh()
    return to.getvalue()


def test_a_log_has_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = show(monkeypatch, io.StringIO()).split("\n")
    assert lines.pop() == ""
    assert all(line.startswith("Loading: ") and "\r" not in line for line in lines)
    assert lines[0].startswith("Loading:   0%") and lines[-1].startswith("Loading: 100%")


def test_a_terminal_has_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show(monkeypatch, Terminal()).count("\n") == 1


@pytest.mark.parametrize("settings", [{"disable": True}, {"delay": 60}])
def test_what_is_short_or_hidden_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, object]
) -> None:
    """`refresh` alone is what shows a bar before its delay."""
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    for _ in ProgressBar(range(3), desc="Loading", file=log, **settings):
        pass
    assert log.getvalue() == ""
