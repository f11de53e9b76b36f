"""The terminal client: the real program in a pseudo-terminal and in pipes, with the real service."""

import contextlib
import fcntl
import io
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from command_line import run_command
from conftest import Server
from http_service import Service, launched
from rich.cells import cell_len
from rich.console import Console
from support import free_port, wait_until

from model_core import TritonchatError
from triton_server.api.settings import ServiceSettings
from triton_server.client import ChatClient
from triton_server.conversations.exchange import read_file
from triton_server.terminal.commands import parse_command, parse_parameter
from triton_server.terminal.display import AnswerWriter, escape_control_characters

CTRL_C, CTRL_D, ENTER, ESCAPE = "\x03", "\x04", "\r", "\x1b"
ENDLESS = "--set=max_tokens=40000"  # of the endless model: minutes
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[@-~]|\][^\x07]*\x07|[=>]|\[?[0-9;?]*$)")
_WAIT_S = 90


class Terminal:
    """A tritonchat command in a pseudo-terminal."""

    def __init__(
        self, *arguments: str, data: Path, server: str = "", columns: int = 80, **environment: str
    ) -> None:
        self._our_end, their_end = pty.openpty()
        fcntl.ioctl(their_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._raw, self._plain, self._position = b"", "", 0
        self.process = subprocess.Popen(
            # In a session whose terminal it is, so that Ctrl-C sends a signal.
            ["setsid", "--ctty", sys.executable, "-m", "triton_server", *arguments],
            env={**create_environment(data, server), "TERM": "xterm-256color", **environment},
            stdin=their_end,
            stdout=their_end,
            stderr=their_end,
        )
        os.close(their_end)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._our_end)

    def send(self, keys: str) -> None:
        os.write(self._our_end, keys.encode())

    def ask(self, line: str) -> None:
        self.send(line + ENTER)

    def expect(self, text: str) -> str:
        """Wait for a text after the last one that was expected; returns what was printed between them."""
        self.wait_until(lambda: text in self.unread_text())
        before, _, _ = self.unread_text().partition(text)
        self._position += len(before) + len(text)
        return before

    def prompt(self, number: int) -> str:
        """Wait for the prompt with this number; returns what was printed before it."""
        return self.expect(f"\n{number}>")  # a prompt that is redrawn is not at the start of a line

    def wait_for_exit(self) -> int:
        """Wait for the end of the program; returns its exit status."""
        self.wait_until(lambda: self.process.poll() is not None)
        return self.process.returncode

    def unread_text(self) -> str:
        """The output after the last text that was expected."""
        size = len(self._raw)
        with contextlib.suppress(OSError):  # Linux reports so that the program has closed its end
            while select.select([self._our_end], [], [], 0)[0]:
                self._raw += os.read(self._our_end, 65536)
        if len(self._raw) > size:
            plain = _ESCAPES.sub("", self._raw.decode(errors="replace"))
            self._plain = plain.replace("\r\n", "\n").replace("\r", "")
        return self._plain[self._position :]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + _WAIT_S
        while not condition():
            assert time.monotonic() < end, f"timeout; the output is {self.unread_text()!r}"
            time.sleep(0.02)


def create_environment(data: Path, server: str) -> dict[str, str]:
    overrides = {
        "XDG_DATA_HOME": str(data),
        "TRITONCHAT_API_URL": server,
        "PROMPT_TOOLKIT_NO_CPR": "1",  # a pseudo-terminal does not answer where its cursor is
    }
    return {**os.environ, **overrides}


def run_here(*arguments: str, data: Path, server: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
    """The same as `run_piped`, without a process."""
    return run_command(*arguments, stdin=stdin, XDG_DATA_HOME=str(data), TRITONCHAT_API_URL=server)


def run_piped(*arguments: str, data: Path, server: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "triton_server", *arguments],
        env=create_environment(data, server),
        input=stdin,
        capture_output=True,
        timeout=_WAIT_S,
    )


@pytest.fixture
def chat(api: Server, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts `tritonchat chat` at a terminal."""
    with contextlib.ExitStack() as stack:

        def start(*arguments: str, server: str = api.api_url, **options: Any) -> Terminal:
            terminal = Terminal("chat", *arguments, data=tmp_path, server=server, **options)
            return stack.enter_context(terminal)

        yield start


def turns(server: str, session_id: str) -> list[dict[str, Any]]:
    response = httpx.get(f"{server}/sessions/{session_id}", timeout=60)
    assert response.status_code == 200, response.text
    return response.json()["turns"]


def sessions(server: str) -> set[str]:
    return {
        session["id"] for session in httpx.get(f"{server}/sessions?limit=100", timeout=60).json()["sessions"]
    }


def begin_answer(terminal: Terminal) -> None:
    """Ask the endless model, and wait for the first words of its answer."""
    terminal.prompt(1)
    terminal.ask("Tell me a story.")
    terminal.expect("story.\n")
    terminal.wait_until(lambda: len(terminal.unread_text()) > 20)


def test_session_continues_in_new_process(chat: Callable[..., Terminal], api: Server) -> None:
    first = chat("--id", "ada")
    first.expect(":help lists commands")
    first.prompt(1)
    first.ask("My name is Ada.")
    assert "Ada" in first.expect(" tokens")
    first.expect("tokens/s")
    first.prompt(2)
    first.ask("What is my name?")
    first.expect(" cached")
    first.prompt(3)
    first.send(CTRL_D)
    first.expect("tritonchat chat --id ada")
    assert first.wait_for_exit() == 0
    stored_turns = turns(api.api_url, "ada")
    assert [turn["question"] for turn in stored_turns] == ["My name is Ada.", "What is my name?"]

    again = chat("--id", "ada")
    again.expect("1> My name is Ada.")
    again.expect("2> What is my name?")
    assert stored_turns[1]["answer"] in again.prompt(3)
    again.ask(":history")
    again.expect("1> My name is Ada.")
    again.prompt(3)
    again.ask(":revert_to 2")
    again.prompt(2)
    again.ask("What is my name?")
    assert stored_turns[1]["answer"] in again.expect(" tokens")  # the removed turns have no influence
    again.prompt(3)
    again.ask(":exit")
    assert again.wait_for_exit() == 0
    assert turns(api.api_url, "ada")[1]["answer"] == stored_turns[1]["answer"]


def test_ctrl_c_cancels_answer_and_program_continues(chat: Callable[..., Terminal], endless: Server) -> None:
    terminal = chat("--id", "stopper", ENDLESS, server=endless.api_url)
    begin_answer(terminal)
    with endless.paused():
        terminal.send(CTRL_C)
        terminal.expect("\nstopped")
    terminal.prompt(2)
    (turn,) = turns(endless.api_url, "stopper")
    assert turn["finish_reason"] == "cancelled"
    assert turn["answer"]
    terminal.ask(":set max_tokens 5")
    terminal.prompt(2)
    terminal.ask(":retry")
    terminal.expect("5 tokens")
    terminal.prompt(2)  # instead of the cancelled answer
    (turn,) = turns(endless.api_url, "stopper")
    assert turn["finish_reason"] == "length"
    terminal.ask("Hello")
    terminal.expect("5 tokens")
    terminal.prompt(3)
    assert terminal.process.poll() is None


def test_ctrl_c_before_first_token_cancels_answer(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "hasty")
    terminal.prompt(1)
    with api.paused():
        terminal.ask("Hello")
        terminal.expect("…")
        terminal.send(CTRL_C)
        terminal.expect("stopped")
        terminal.prompt(1)
    terminal.ask("Hello")
    terminal.expect("tokens")
    terminal.prompt(2)
    assert len(turns(api.api_url, "hasty")) == 1


def test_ctrl_c_clears_line_then_prints_how_to_exit(chat: Callable[..., Terminal], api: Server) -> None:
    before = sessions(api.api_url)
    terminal = chat()
    terminal.prompt(1)
    terminal.send("Never m" + CTRL_C)
    terminal.prompt(1)
    assert "leaves" not in terminal.unread_text()
    terminal.send(CTRL_C)
    terminal.expect("Ctrl-D or :exit leaves")
    terminal.prompt(1)
    terminal.send(CTRL_D)
    assert terminal.wait_for_exit() == 0
    assert sessions(api.api_url) == before  # no question, so no session


@pytest.mark.parametrize("keys", ["emacs", "vi"])
def test_message_of_several_lines(chat: Callable[..., Terminal], api: Server, keys: str) -> None:
    terminal = chat("--id", f"lines-{keys}", *(["--vi"] if keys == "vi" else []))
    terminal.prompt(1)
    terminal.send(f"one{ESCAPE}{ENTER}two\\{ENTER}")
    terminal.expect("two")
    terminal.send(f"\x1b[200~three\nfour\r\nfive\x1b[201~{ENTER}")
    terminal.expect("tokens")
    terminal.prompt(2)
    assert turns(api.api_url, f"lines-{keys}")[0]["question"] == "one\ntwo\nthree\nfour\nfive"


def test_long_conversation_goes_on_without_its_first_messages(
    chat: Callable[..., Terminal], api: Server
) -> None:
    terminal = chat("--id", "long", "--set=max_tokens=2")
    for number in range(1, 4):
        terminal.prompt(number)
        terminal.send(f"\x1b[200~{'cat ' * 400}\x1b[201~{ENTER}")
        shown = terminal.expect("2 tokens")
        assert ("messages were left out" in shown) == (number == 3)
    terminal.prompt(4)
    (first, *_, last) = turns(api.api_url, "long")
    assert (first["usage"]["truncated_messages"], last["usage"]["truncated_messages"]) == (0, 2)


def test_input_during_answer_is_read_afterwards(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "quick")
    terminal.prompt(1)
    with api.paused():
        terminal.ask("Hello")
        terminal.expect("…")
        terminal.ask("My name is Ada.")
    assert "Ada" not in terminal.prompt(2)
    terminal.prompt(3)
    assert [turn["question"] for turn in turns(api.api_url, "quick")] == ["Hello", "My name is Ada."]


def test_commands(chat: Callable[..., Terminal], api: Server, tmp_path: Path) -> None:
    terminal = chat("--id", "commander", columns=70)

    def command(line: str, next_number: int) -> str:
        terminal.ask(line)
        output = terminal.prompt(next_number)
        # The line is drawn once more after it was typed, to the edge of the terminal. The output follows, in
        # lines that break at a place that depends on the length of `tmp_path`.
        return " ".join(re.split(re.escape(line) + r" *\n", output)[-1].split())

    terminal.prompt(1)
    assert ":revert_to N" in command(":help", 1)
    assert "no command :dance" in command(":dance", 1)
    assert "Nothing has been asked" in command(":history", 1)
    assert "nothing to save" in command(":export", 1)
    assert "no question 1" in command(":edit 1", 1)
    assert "as in `:edit 2`" in command(":edit", 1)
    assert "no question yet" in command(":retry", 1)
    assert "no question 1" in command(":revert_to 1", 1)
    assert "as in `:revert_to 2`" in command(":revert_to back", 1)
    assert "between 0 and 2" in command(":set temperature 5", 1)
    assert "no parameter" in command(":set warmth 5", 1)
    assert "0.7" in command(":set temperature 0.7", 1)
    assert "not set" in command(":set temperature -", 1)
    assert '["END"]' in command(':set stop ["END"]', 1)
    assert "Be brief." in command(":system Be brief.", 1)
    assert "tokens" in command(":D Hello!", 2)  # a message, not a command
    session = httpx.get(f"{api.api_url}/sessions/commander", timeout=60).json()
    assert session["system"] == "Be brief."
    assert session["parameters"] == {"truncation": "auto", "stop": ["END"]}
    assert session["turns"][0]["question"] == ":D Hello!"
    assert "the same words again" in command(":retry", 2)
    assert len(turns(api.api_url, "commander")) == 1
    assert "No system prompt" in command(":system -", 2)
    for suffix in ("json", "md", "jsonl"):
        command(f":export {tmp_path / 'talk'}.{suffix}", 2)
    (saved,) = read_file("talk.json", (tmp_path / "talk.json").read_bytes())
    assert [turn.question for turn in saved.turns] == [":D Hello!"] * 2  # :retry keeps the first answer
    assert [turn.question for turn in saved.path()] == [":D Hello!"]
    assert "## Question 1\n\n:D Hello!" in (tmp_path / "talk.md").read_text()
    assert json.loads((tmp_path / "talk.jsonl").read_text())["messages"][0]["content"] == ":D Hello!"
    assert "exists already" in command(f":export {tmp_path / 'talk.md'}", 2)
    assert ".md, .json or .jsonl" in command(f":export {tmp_path / 'talk.doc'}", 2)
    assert "commander" in command(":list", 2)
    assert "commander" in command(":list d hello", 2)
    assert "No conversation has" in command(":list unheard-of", 2)
    assert ":new commander" in command(":new", 1)
    command("Hello", 2)
    assert ":D Hello!" in command(":new commander", 2)
    assert "cannot be the id" in command(":new no/such id", 2)
    terminal.send(CTRL_D)
    assert terminal.wait_for_exit() == 0
    history = tmp_path / "tritonchat" / "history"
    assert history.stat().st_mode & 0o077 == 0
    assert ":D Hello!" in history.read_text()


def test_branches(chat: Callable[..., Terminal], api: Server) -> None:
    """A question that was edited is a branch; the page, over gRPC, sees the same tree."""
    terminal = chat("--id", "tree", "--set", "max_tokens=4", columns=100)
    terminal.prompt(1)
    for number, question in enumerate(("My name is Ada.", "Tell me a story."), 1):
        terminal.ask(question)
        terminal.prompt(number + 1)
    terminal.ask(":edit 1 My name is Bo.")
    terminal.prompt(2)
    assert [turn["question"] for turn in turns(api.api_url, "tree")] == ["My name is Bo."]
    terminal.ask(":branch")
    output = terminal.prompt(2)
    assert re.search(r"1 +2 +Tell me a story\.\s+2 +1 +My name is Bo\.", output)
    terminal.ask(":branch 1")
    terminal.expect("1> My name is Ada.")
    terminal.expect("2> Tell me a story.")
    terminal.prompt(3)
    terminal.ask(":branch 7")
    terminal.expect("no branch 7")
    terminal.prompt(3)
    terminal.ask(":edit 2")  # the line holds the question, and can be changed
    terminal.prompt(2)
    terminal.expect("Tell me a story.")
    terminal.send(" Soon.\r")
    terminal.prompt(3)
    with ChatClient(api.grpc_url) as client:
        tree = client.conversations().get("tree")
        assert [turn.question for turn in tree.path()] == ["My name is Ada.", "Tell me a story. Soon."]
        assert [turn.question for turn in tree.siblings(tree.head)] == [
            "Tell me a story.",
            "Tell me a story. Soon.",
        ]
        made = client.conversations().create("From the page")
        turn = client.conversations().add_turn(made.id, None, "Who is there?")
        client.conversations().change_turn(made.id, turn, answer="The page.", finish_reason="stop")
    terminal.ask(":list from page")
    terminal.expect("From the page")
    terminal.prompt(3)
    terminal.ask(":open 1")
    terminal.expect("The page.")
    terminal.prompt(2)
    terminal.ask(":open 7")
    terminal.expect("as in `:open 1`")
    terminal.prompt(2)
    terminal.send(CTRL_D)
    assert terminal.wait_for_exit() == 0


def test_service_killed_during_answer_and_restarted(
    chat: Callable[..., Terminal], endless: Server, tmp_path: Path
) -> None:
    settings = ServiceSettings(
        api_port=free_port(), server=endless.grpc_url, database=f"sqlite:///{tmp_path / 'sessions.db'}"
    )
    url = f"http://127.0.0.1:{settings.api_port}"
    services = [launched(settings, tmp_path / "api.log").process]
    wait_until(lambda: httpx.get(f"{url}/readyz", timeout=60).status_code == 200)
    terminal = chat("--id", "survivor", ENDLESS, server=url)
    try:
        begin_answer(terminal)
        services[0].kill()
        services[0].wait()
        terminal.expect("closed the connection before")
        terminal.prompt(1)  # the service did not store the question
        terminal.ask("Hello")
        terminal.expect("server answers at")
        terminal.prompt(1)
        services.append(launched(settings, tmp_path / "api.log").process)
        wait_until(lambda: httpx.get(f"{url}/readyz", timeout=60).status_code == 200)
        terminal.ask(":set max_tokens 5")
        terminal.prompt(1)
        terminal.ask(":retry")
        terminal.expect("tokens/s")
        terminal.prompt(2)
        assert turns(url, "survivor")[-1]["question"] == "Hello"
    finally:
        for service in services:
            service.kill()
            service.wait()


def test_busy_session_is_refused(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "shared")
    terminal.prompt(1)
    shared = f"{api.api_url}/sessions/shared"

    def use() -> httpx.Response:
        body = {"question": "Hello", "stream": True}
        # The PUT request below makes the session busy for a moment.
        while (answer := httpx.put(f"{shared}/generate", json=body, timeout=_WAIT_S)).status_code == 409:
            pass
        return answer

    with api.paused(), ThreadPoolExecutor(1) as pool:
        other = pool.submit(use)
        terminal.wait_until(lambda: httpx.put(shared, json={}, timeout=60).status_code == 409)
        terminal.ask("Hello")
        terminal.expect("works on session shared")
        terminal.prompt(1)
        api.resume()
        assert other.result().status_code == 200
    terminal.ask("My name is Ada.")
    terminal.expect("tokens")
    terminal.prompt(3)


def test_sigterm_ends_program_during_answer(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "hung-up")
    terminal.prompt(1)
    with api.paused():
        terminal.ask("Hello")
        terminal.expect("…")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait_for_exit() == 128 + signal.SIGTERM
    assert "Traceback" not in terminal.unread_text()


def test_pipe_gets_only_answers(api: Server, tmp_path: Path) -> None:
    before = sessions(api.api_url)
    run = run_piped("chat", data=tmp_path, server=api.api_url, stdin=b"My name is Ada.\n\nWhat is my name?\n")
    assert run.returncode == 0, run.stderr
    assert run.stderr == b""
    assert b"\x1b" not in run.stdout
    answers = run.stdout.decode().splitlines()
    assert len(answers) == 2
    assert "Ada" in answers[1]
    assert sessions(api.api_url) == before

    first = run_here("chat", "--id=pipe", data=tmp_path, server=api.api_url, stdin=b"My name is Ada.\n")
    assert first.stdout.decode().splitlines() == answers[:1]
    second = run_here("chat", "--id=pipe", "What is my name?", data=tmp_path, server=api.api_url)
    assert second.stdout.decode().splitlines() == answers[1:]
    run_here(
        "chat", "--id=pipe", "-", "--set=max_tokens=5", data=tmp_path, server=api.api_url, stdin=b"a\n:b\n"
    )
    assert [turn["question"] for turn in turns(api.api_url, "pipe")][2:] == ["a\n:b"]


def test_errors_are_one_sentence(api: Server, tmp_path: Path) -> None:
    unused_url, wrong_server_url = f"127.0.0.1:{free_port()}", api.metrics_url.removesuffix("/metrics")
    for arguments, server, message, status in [
        (["Hello"], unused_url, "start one with `", 3),
        (["Hello"], wrong_server_url, "is not tritonchat's HTTP service", 1),
        (["Hello"], "ftp://nowhere", "not the address", 1),
        (["Hello", "--id", "no such/id"], api.api_url, "cannot be the id", 1),
        (["Hello", "--api-key", "schl\u00fcssel"], api.api_url, "API key", 1),
        (["Hello", "--set", "temperature=5"], api.api_url, "between 0 and 2", 1),
        (["Hello", "--set", "temperature"], api.api_url, "NAME=VALUE", 2),
        (["-"], api.api_url, "not UTF-8", 1),
    ]:
        run = run_here("chat", *arguments, data=tmp_path, server=server, stdin=b"\xff")
        assert run.returncode == status, (arguments, run.stderr)
        assert message in run.stderr.decode()
        assert len(run.stderr.splitlines()) == 1 or status == 2
        assert run.stdout == b""
    run = run_piped("chat", "-", data=tmp_path, server=api.api_url, stdin=b"\xff")
    assert (run.returncode, run.stdout) == (1, b"") and b"not UTF-8" in run.stderr


def test_missing_or_wrong_api_key_is_refused(start: Callable[..., Service], tmp_path: Path) -> None:
    service = start(api_keys=("right",))
    for arguments, status, message in [
        ([], 1, "asks for an API key"),
        (["--api-key", "wrong"], 1, "does not know this API key"),
        (["--api-key", "right"], 0, ""),
        (["--api-key", "ada:right"], 0, ""),
    ]:
        run = run_here("chat", "Hello", *arguments, data=tmp_path, server=service.url)
        assert run.returncode == status, run.stderr
        assert message in run.stderr.decode()


def test_complete_reads_and_writes_pipes(tmp_path: Path) -> None:
    def complete(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
        return run_command("complete", *arguments, "--max-tokens=30", stdin=stdin)

    begin = "Once upon a time, there was a dog"
    story = complete(begin)
    piped = run_piped("complete", "--max-tokens=30", data=tmp_path, server="", stdin=begin.encode())
    assert (piped.stdout, piped.stderr) == (story.stdout, b"")
    assert story.stdout.startswith(begin.encode())
    assert story.stderr == b""
    assert complete(stdin=begin.encode() + b"\n").stdout == story.stdout
    assert complete("-", stdin=begin.encode()).stdout == story.stdout
    assert complete().stdout.startswith(b"Once upon a time")
    word = story.stdout.removeprefix(begin.encode()).split()[2].decode()
    cut = complete(begin, f"--stop={word}").stdout
    assert story.stdout.startswith(cut.rstrip(b"\n")) and len(cut) < len(story.stdout)
    assert complete("-", stdin=b"\xff").returncode == 1
    assert b"the prompt is empty" in complete("-").stderr


def test_ctrl_c_keeps_partial_text_of_complete(tmp_path: Path) -> None:
    arguments = ["complete", "Once upon a time", "--max-tokens=900", "--repetition-penalty=1.1"]
    caught = False
    while not caught:
        with Terminal(*arguments, data=tmp_path) as terminal:
            terminal.expect("Once upon a")
            terminal.wait_until(lambda: len(terminal.unread_text()) > 20)
            terminal.process.send_signal(signal.SIGSTOP)
            caught = "tokens a second" not in terminal.unread_text()
            terminal.send(CTRL_C)
            terminal.process.send_signal(signal.SIGCONT)
            status = terminal.wait_for_exit()
            output = terminal.unread_text()
    assert status == 130
    assert "tokens a second" in output
    assert "Traceback" not in output


def test_complete_ends_quietly_when_its_reader_has_gone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "triton_server", "complete", "--max-tokens=900"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(4)
        process.stdout.close()
        assert process.wait(timeout=_WAIT_S) == 1
        assert process.stderr.read() == b""


TEXTS = [
    "Once upon a time, a little dog lived in a small house.\n\nIt was happy there.",
    "# Heading of **some** words\n\n- an item which is long enough to be wrapped at least once\n- two\n",
    "Run `pip install tritonchat` and **then begin**: 2 ** 3 is 8, and 2**3 too.\n```python\nx = 1\n```\nEnd",
    "日本語のテキストは、空白がないので、どこでも改行できます。「そうですか」と言いました。",
    "Emoji \U0001f389\U0001f389, all \U0001f468\u200d\U0001f469\u200d\U0001f467, e\u0301t\u00e9, \u00a0e  ",
    "See https://example.org/" + "a-very-long-path/" * 12 + " which ends here",
    "  indented\n\ttabbed\n   twice",
]


def write_wrapped(text: str, width: int, deltas: list[str]) -> str:
    file = io.StringIO()
    writer = AnswerWriter(Console(file=file, width=width))
    for delta in deltas:
        writer.write(delta)
    writer.close()
    return file.getvalue()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [12, 20, 80])
def test_output_does_not_depend_on_deltas(text: str, width: int) -> None:
    expected = write_wrapped(text, width, [text])
    rng = random.Random(width)
    for _ in range(20):
        cuts = sorted(rng.sample(range(len(text)), 5))
        deltas = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert write_wrapped(text, width, deltas) == expected
    assert write_wrapped(text, width, list(text)) == expected
    assert "".join(expected.split()) == "".join(text.split())
    if "http" not in text and "```" not in text:
        assert all(cell_len(line) <= width for line in expected.splitlines())


def test_lines_are_wrapped_at_words() -> None:
    text = "- one two three four five"
    assert write_wrapped(text, 12, list(text)) == "- one two\n  three four\n  five\n"


def test_margin_stays_empty() -> None:
    file = io.StringIO()
    writer = AnswerWriter(Console(file=file, width=12), margin=3)
    writer.write("one two three\n\nfour\n  five six")
    writer.close()
    assert file.getvalue() == "one two\n   three\n\n   four\n     five\n     six\n"


def test_control_characters_are_escaped() -> None:
    text = "\x1b[2Jgone\r\n\x07\x9b31m\x7f"
    assert escape_control_characters(text) == "\u241b[2Jgone\n\u2407\ufffd31m\u2421"
    assert "\x1b" not in write_wrapped(text, 80, list(text))


def test_parse_command_tells_commands_from_messages() -> None:
    assert parse_command(":set temperature 0.7 ") == ("set", "temperature 0.7")
    assert parse_command(":system You are\nkind.") == ("system", "You are\nkind.")
    for message in (":D", ":)", ":-)", ": hello", " :help", "see :help", ":thinking:", "::", ""):
        assert parse_command(message) is None


def test_parse_parameter_types() -> None:
    assert parse_parameter("temperature", "0.7") == 0.7
    assert parse_parameter("max_tokens", "5") == 5
    assert parse_parameter("stop", "END") == "END"
    assert parse_parameter("stop", "42") == "42"
    assert parse_parameter("stop", '["a", "b"]') == ["a", "b"]
    assert parse_parameter("ignore_eos", "true") is True
    for name, value in (("temperature", "hot"), ("max_tokens", "1.5"), ("logprobs", "3"), ("nothing", "1")):
        with pytest.raises(TritonchatError):
            parse_parameter(name, value)
