"""The terminal client with a model that reasons: what it prints of an answer's parts."""

import io
from pathlib import Path

import pytest
from command_line import run_command
from in_process import Endpoints
from reciter import CONCLUSION, DOUBT, GREETING, REASONING
from rich.console import Console
from test_terminal import Terminal

from model_core.requests.events import Reasoning, Text, ToolCallDelta
from triton_server.terminal.printer import AnswerPrinter
from triton_server.terminal.service import Part

DIM = "\x1b[2m"
PARTS: list[Part] = [
    Reasoning(" A sum, "),
    Reasoning("so add."),
    Text("\n\nSure,"),
    Text(" **four**. "),
    ToolCallDelta(0, "call_1", "add", '{"a": '),
    ToolCallDelta(0, arguments='"**b**"}'),
    ToolCallDelta(1, "call_2", "now", "{}"),
    Text(""),
]


class TerminalFile(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def print_parts(file: io.StringIO, color: str | None) -> str:
    printer = AnswerPrinter(Console(file=file, color_system=color, width=80))
    for part in PARTS:
        printer.print(part)
    printer.close()
    return file.getvalue()


def test_parts_of_an_answer_are_kept_apart() -> None:
    calls = 'add {"a": "**b**"}\nnow {}\n'
    assert print_parts(TerminalFile(), None) == f"A sum, so add.\n\nSure, **four**.\n{calls}"
    assert print_parts(io.StringIO(), None) == f"\n\nSure, **four**. \n{calls}"


def test_reasoning_is_dimmed() -> None:
    reasoning, answer = print_parts(TerminalFile(), "standard").split("\n\n")
    assert reasoning.count(DIM) == 4
    assert DIM not in answer and "Sure," in answer


def test_reasoning_is_shown_above_the_answer(reciter: Endpoints, tmp_path: Path) -> None:
    with Terminal("chat", data=tmp_path, server=reciter.api_url) as terminal:
        terminal.prompt(1)
        terminal.ask("Hello")
        answer = terminal.prompt(2)
        assert f"{REASONING}\n\n{GREETING}\n" in answer
        terminal.ask(":set reasoning_budget 5")
        terminal.prompt(2)
        terminal.ask("Are you sure?")
        answer = terminal.prompt(3)
        assert f"{DOUBT} not\n\n{CONCLUSION}\n" in answer
        terminal.ask(":set enable_thinking false")
        terminal.prompt(3)
        terminal.ask(":retry")
        assert "Hello from the reciter.\n" in terminal.prompt(3)


@pytest.mark.parametrize(
    ("flags", "answer"),
    [((), GREETING), (["--no-think"], "Hello from the reciter."), (["--think"], GREETING)],
)
def test_flags_of_reasoning(reciter: Endpoints, flags: list[str], answer: str) -> None:
    run = run_command("chat", "Hello", *flags, TRITONCHAT_API_URL=reciter.api_url)
    assert (run.returncode, run.stdout.decode().strip()) == (0, answer)


def test_budget_ends_the_reasoning(reciter: Endpoints) -> None:
    run = run_command("chat", "Are you sure?", "--reasoning-budget=7", TRITONCHAT_API_URL=reciter.api_url)
    assert run.stdout.decode().strip() == CONCLUSION
