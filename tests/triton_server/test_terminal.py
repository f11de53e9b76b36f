"""The terminal client: the real program at a pseudo-terminal and in pipes, with the real service."""

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
from conftest import Server
from http_service import launched
from rich.cells import cell_len
from rich.console import Console
from support import free_port

from model_core import TritonchatError
from triton_server.api.settings import Settings
from triton_server.terminal.commands import parameter, parsed
from triton_server.terminal.display import AnswerWriter, literal

CTRL_C, CTRL_D, ENTER, ESCAPE = "\x03", "\x04", "\r", "\x1b"
# As many tokens as fit; with penalties, so that each takes its time.
ENDLESS = [
    f"--set={setting}"
    for setting in ("max_tokens=900", "ignore_eos=true", "presence_penalty=0.1", "repetition_penalty=1.1")
]
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[@-~]|\][^\x07]*\x07|[=>]|\[?[0-9;?]*$)")
_WAIT_S = 90


class Terminal:
    """A program of ours at a pseudo-terminal."""

    def __init__(
        self, *arguments: str, data: Path, server: str = "", columns: int = 80, **environment: str
    ) -> None:
        self._us, them = pty.openpty()
        fcntl.ioctl(them, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._raw, self._at = b"", 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "triton_server", *arguments],
            env={**surroundings(data, server), "TERM": "xterm-256color", **environment},
            stdin=them,
            stdout=them,
            stderr=them,
            start_new_session=True,
            # The terminal is to be its own, so that Ctrl-C reaches it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(them)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._us)

    def send(self, keys: str) -> None:
        os.write(self._us, keys.encode())

    def ask(self, line: str) -> None:
        self.send(line + ENTER)

    def expect(self, text: str) -> str:
        """Wait for a text, behind the one before; what came between them."""
        self.wait_until(lambda: text in self.rest())
        before, _, _ = self.rest().partition(text)
        self._at += len(before) + len(text)
        return before

    def prompt(self, number: int) -> str:
        """Wait for the next prompt, which has this number; what came before it."""
        return self.expect(f"\n{number}>")  # one that is drawn again does not begin a line

    def ends(self) -> int:
        """Wait for the end of the program; its exit status."""
        self.wait_until(lambda: self.process.poll() is not None)
        return self.process.returncode

    def rest(self) -> str:
        """What is there behind the last text that was expected."""
        with contextlib.suppress(OSError):  # how Linux says that nobody is at the other end any more
            while select.select([self._us], [], [], 0)[0]:
                self._raw += os.read(self._us, 65536)
        plain = _ESCAPES.sub("", self._raw.decode(errors="replace"))
        return plain.replace("\r\n", "\n").replace("\r", "")[self._at :]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + _WAIT_S
        while not condition():
            assert time.monotonic() < end, f"it never became so: {self.rest()!r}"
            time.sleep(0.005)


def surroundings(data: Path, server: str) -> dict[str, str]:
    ours = {
        "XDG_DATA_HOME": str(data),
        "TRITONCHAT_API_URL": server,
        "PROMPT_TOOLKIT_NO_CPR": "1",  # no terminal is there to say where its cursor is
    }
    return {**os.environ, **ours}


def piped(*arguments: str, data: Path, server: str, said: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "triton_server", *arguments],
        env=surroundings(data, server),
        input=said,
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
    response = httpx.get(f"{server}/sessions/{session_id}")
    assert response.status_code == 200, response.text
    return response.json()["turns"]


def sessions(server: str) -> set[str]:
    return {session["id"] for session in httpx.get(f"{server}/sessions?limit=100").json()["sessions"]}


def in_an_answer(terminal: Terminal, server: Server, number: int, do: Callable[[], None]) -> int:
    """Ask until an answer can be caught half-way, and do something then; the number of its question."""
    while True:
        terminal.prompt(number)
        terminal.ask("Tell me a story.")
        terminal.expect("story.\n")
        terminal.wait_until(lambda: len(terminal.rest()) > 20)
        with server.paused():
            said = None
            while said != terminal.rest():  # what had been made already is on its way
                said = terminal.rest()
                time.sleep(0.5)
            if "tokens/s" not in said:
                do()
                return number
        number += 1


def test_a_conversation_goes_on_after_coming_back(chat: Callable[..., Terminal], api: Server) -> None:
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
    assert first.ends() == 0
    kept = turns(api.api_url, "ada")
    assert [turn["question"] for turn in kept] == ["My name is Ada.", "What is my name?"]

    again = chat("--id", "ada")
    again.expect("1> My name is Ada.")
    again.expect("2> What is my name?")
    assert kept[1]["answer"] in again.prompt(3)
    again.ask(":history")
    again.expect("1> My name is Ada.")
    again.prompt(3)
    again.ask(":revert_to 2")
    again.prompt(2)
    again.ask("What is my name?")
    assert kept[1]["answer"] in again.expect(" tokens")  # nothing of the other branch is left
    again.prompt(3)
    again.ask(":exit")
    assert again.ends() == 0
    assert turns(api.api_url, "ada")[1]["answer"] == kept[1]["answer"]


def test_ctrl_c_stops_the_answer_and_not_the_program(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "stopper", *ENDLESS)

    def stop() -> None:
        terminal.send(CTRL_C)
        terminal.expect("\nstopped")

    stopped = in_an_answer(terminal, api, 1, stop)
    terminal.prompt(stopped + 1)
    kept = turns(api.api_url, "stopper")
    assert len(kept) == stopped
    assert kept[-1]["finish_reason"] == "cancelled"
    assert kept[-1]["answer"]
    terminal.ask(":set max_tokens 5")
    terminal.prompt(stopped + 1)
    terminal.ask(":retry")
    terminal.expect("5 tokens")
    terminal.prompt(stopped + 1)  # in the place of the answer that was stopped
    assert turns(api.api_url, "stopper")[-1]["finish_reason"] == "length"
    terminal.ask("Hello")
    terminal.expect("5 tokens")
    terminal.prompt(stopped + 2)
    assert terminal.process.poll() is None


def test_ctrl_c_before_the_answer_begins(chat: Callable[..., Terminal], api: Server) -> None:
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


def test_ctrl_c_clears_the_line_and_says_how_to_leave(chat: Callable[..., Terminal], api: Server) -> None:
    before = sessions(api.api_url)
    terminal = chat()
    terminal.prompt(1)
    terminal.send("Never m" + CTRL_C)
    terminal.prompt(1)
    assert "leaves" not in terminal.rest()
    terminal.send(CTRL_C)
    terminal.expect("Ctrl-D or :exit leaves")
    terminal.prompt(1)
    terminal.send(CTRL_D)
    assert terminal.ends() == 0
    assert sessions(api.api_url) == before  # nothing was asked, so there is nothing to keep


@pytest.mark.parametrize("keys", ["emacs", "vi"])
def test_a_message_of_several_lines(chat: Callable[..., Terminal], api: Server, keys: str) -> None:
    terminal = chat("--id", f"lines-{keys}", *(["--vi"] if keys == "vi" else []))
    terminal.prompt(1)
    terminal.send(f"one{ESCAPE}{ENTER}two\\{ENTER}")
    terminal.expect("two")
    terminal.send(f"\x1b[200~three\nfour\r\nfive\x1b[201~{ENTER}")
    terminal.expect("tokens")
    terminal.prompt(2)
    assert turns(api.api_url, f"lines-{keys}")[0]["question"] == "one\ntwo\nthree\nfour\nfive"


def test_what_is_typed_meanwhile_waits(chat: Callable[..., Terminal], api: Server) -> None:
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

    def command(line: str, then: int) -> str:
        terminal.ask(line)
        said = terminal.prompt(then)
        # Behind the line as it was typed, which is drawn once more, to the terminal's edge.
        return re.split(re.escape(line) + r" *\n", said)[-1].replace("\n", " ")

    terminal.prompt(1)
    assert ":revert_to N" in command(":help", 1)
    assert "no command :dance" in command(":dance", 1)
    assert "Nothing has been asked" in command(":history", 1)
    assert "nothing to save" in command(":save", 1)
    assert "no question yet" in command(":retry", 1)
    assert "no question 1" in command(":revert_to 1", 1)
    assert "as in `:revert_to 2`" in command(":revert_to back", 1)
    assert "between 0 and 2" in command(":set temperature 5", 1)
    assert "no parameter" in command(":set warmth 5", 1)
    assert "0.7" in command(":set temperature 0.7", 1)
    assert "not set" in command(":set temperature -", 1)
    assert '["END"]' in command(':set stop ["END"]', 1)
    assert "Be brief." in command(":system Be brief.", 1)
    assert "tokens" in command(":D Hello!", 2)  # no command
    session = httpx.get(f"{api.api_url}/sessions/commander").json()
    assert session["system"] == "Be brief."
    assert session["parameters"] == {"stop": ["END"]}
    assert session["turns"][0]["question"] == ":D Hello!"
    assert "the same words again" in command(":retry", 2)
    assert len(turns(api.api_url, "commander")) == 1
    assert "No system prompt" in command(":system -", 2)
    command(f":save {tmp_path / 'talk.json'}", 2)
    assert json.loads((tmp_path / "talk.json").read_text())["turns"] == turns(api.api_url, "commander")
    command(f":save {tmp_path / 'talk.md'}", 2)
    assert "## Question 1\n\n:D Hello!" in (tmp_path / "talk.md").read_text()
    assert "exists already" in command(f":save {tmp_path / 'talk.md'}", 2)
    assert ".md or .json" in command(f":save {tmp_path / 'talk.doc'}", 2)
    assert "commander" in command(":sessions", 2)
    assert ":new commander" in command(":new", 1)
    command("Hello", 2)
    assert ":D Hello!" in command(":new commander", 2)
    assert "cannot be the id" in command(":new no/such id", 2)
    terminal.send(CTRL_D)
    assert terminal.ends() == 0
    history = tmp_path / "tritonchat" / "history"
    assert history.stat().st_mode & 0o077 == 0
    assert ":D Hello!" in history.read_text()


def test_a_service_that_dies_in_an_answer_and_comes_back(
    chat: Callable[..., Terminal], api: Server, tmp_path: Path
) -> None:
    settings = Settings(
        port=free_port(), server=api.grpc_url, database=f"sqlite:///{tmp_path / 'sessions.db'}"
    )
    services = [launched(settings, tmp_path / "api.log").process]
    terminal = chat("--id", "survivor", *ENDLESS, server=f"127.0.0.1:{settings.port}")

    def kill() -> None:
        services[0].kill()
        services[0].wait()
        terminal.expect("went away before")

    try:
        number = in_an_answer(terminal, api, 1, kill)
        terminal.prompt(number)  # what the service did not keep was never asked
        terminal.ask("Hello")
        terminal.expect("server answers at")
        terminal.prompt(number)
        services.append(launched(settings, tmp_path / "api.log").process)
        terminal.ask(":retry")
        terminal.expect("tokens/s")
        terminal.prompt(number + 1)
        assert turns(f"http://127.0.0.1:{settings.port}", "survivor")[-1]["question"] == "Hello"
    finally:
        for service in services:
            service.kill()
            service.wait()


def test_a_session_that_somebody_else_uses(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "shared")
    terminal.prompt(1)
    shared = f"{api.api_url}/sessions/shared"

    def use() -> httpx.Response:
        body = {"question": "Hello", "stream": True}
        # The look below, whether the session is busy, keeps it busy for a moment.
        while (answer := httpx.put(f"{shared}/generate", json=body, timeout=_WAIT_S)).status_code == 409:
            pass
        return answer

    with api.paused(), ThreadPoolExecutor(1) as pool:
        other = pool.submit(use)
        terminal.wait_until(lambda: httpx.put(shared, json={}).status_code == 409)
        terminal.ask("Hello")
        terminal.expect("works on session shared")
        terminal.prompt(1)
        api.process.send_signal(signal.SIGCONT)
        assert other.result().status_code == 200
    terminal.ask("My name is Ada.")
    terminal.expect("tokens")
    terminal.prompt(3)


def test_a_lifted_receiver_gives_the_terminal_back(chat: Callable[..., Terminal], api: Server) -> None:
    terminal = chat("--id", "hung-up")
    terminal.prompt(1)
    with api.paused():
        terminal.ask("Hello")
        terminal.expect("…")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ends() == 128 + signal.SIGTERM
    assert "Traceback" not in terminal.rest()


def test_a_pipe_gets_answers_and_nothing_else(api: Server, tmp_path: Path) -> None:
    before = sessions(api.api_url)
    run = piped("chat", data=tmp_path, server=api.api_url, said=b"My name is Ada.\n\nWhat is my name?\n")
    assert run.returncode == 0, run.stderr
    assert run.stderr == b""
    assert b"\x1b" not in run.stdout
    answers = run.stdout.decode().splitlines()
    assert len(answers) == 2
    assert "Ada" in answers[1]
    assert sessions(api.api_url) == before

    kept = piped("chat", "--id=pipe", data=tmp_path, server=api.api_url, said=b"My name is Ada.\n")
    assert kept.stdout.decode().splitlines() == answers[:1]
    once = piped("chat", "--id=pipe", "What is my name?", data=tmp_path, server=api.api_url)
    assert once.stdout.decode().splitlines() == answers[1:]
    piped("chat", "--id=pipe", "-", "--set=max_tokens=5", data=tmp_path, server=api.api_url, said=b"a\n:b\n")
    assert [turn["question"] for turn in turns(api.api_url, "pipe")][2:] == ["a\n:b"]


def test_what_goes_wrong_is_said_in_a_sentence(api: Server, tmp_path: Path) -> None:
    nobody, stranger = f"127.0.0.1:{free_port()}", api.metrics_url.removesuffix("/metrics")
    for arguments, server, said, status in [
        (["Hello"], nobody, "start one with `tritonchat up`", 3),
        (["Hello"], stranger, "is not tritonchat's HTTP service", 1),
        (["Hello"], "ftp://nowhere", "not the address", 1),
        (["Hello", "--id", "no such/id"], api.api_url, "cannot be the id", 1),
        (["Hello", "--api-key", "schl\u00fcssel"], api.api_url, "API key", 1),
        (["Hello", "--set", "temperature=5"], api.api_url, "between 0 and 2", 1),
        (["Hello", "--set", "temperature"], api.api_url, "NAME=VALUE", 2),
        (["-"], api.api_url, "not UTF-8", 1),
    ]:
        run = piped("chat", *arguments, data=tmp_path, server=server, said=b"\xff")
        assert run.returncode == status, (arguments, run.stderr)
        assert said in run.stderr.decode()
        assert len(run.stderr.splitlines()) == 1 or status == 2
        assert run.stdout == b""


def test_a_key_is_asked_for(api: Server, tmp_path: Path) -> None:
    settings = Settings(
        port=free_port(), server=api.grpc_url, database=f"sqlite:///{tmp_path / 'db'}", api_keys=("right",)
    )
    server = f"http://127.0.0.1:{settings.port}"
    service = launched(settings, tmp_path / "api.log").process
    try:
        for arguments, status, said in [
            ([], 1, "asks for an API key"),
            (["--api-key", "wrong"], 1, "does not know this API key"),
            (["--api-key", "right"], 0, ""),
        ]:
            run = piped("chat", "Hello", *arguments, data=tmp_path, server=server)
            assert run.returncode == status, run.stderr
            assert said in run.stderr.decode()
    finally:
        service.kill()
        service.wait()


def test_stories_come_and_go_through_pipes(tmp_path: Path) -> None:
    def complete(*arguments: str, said: bytes = b"") -> subprocess.CompletedProcess:
        return piped("complete", *arguments, "--max-tokens=30", data=tmp_path, server="", said=said)

    begin = "Once upon a time, there was a dog"
    story = complete(begin)
    assert story.stdout.startswith(begin.encode())
    assert story.stderr == b""
    assert complete(said=begin.encode() + b"\n").stdout == story.stdout
    assert complete("-", said=begin.encode()).stdout == story.stdout
    assert complete().stdout.startswith(b"Once upon a time")
    word = story.stdout.removeprefix(begin.encode()).split()[2].decode()
    cut = complete(begin, f"--stop={word}").stdout
    assert story.stdout.startswith(cut.rstrip(b"\n")) and len(cut) < len(story.stdout)
    assert complete("-", said=b"\xff").returncode == 1
    assert b"the prompt is empty" in complete("-").stderr


def test_ctrl_c_keeps_what_came_of_a_story(tmp_path: Path) -> None:
    arguments = ["complete", "Once upon a time", "--max-tokens=900", "--repetition-penalty=1.1"]
    caught = False
    while not caught:
        with Terminal(*arguments, data=tmp_path) as terminal:
            terminal.expect("Once upon a")
            terminal.wait_until(lambda: len(terminal.rest()) > 20)
            terminal.process.send_signal(signal.SIGSTOP)
            caught = "tokens a second" not in terminal.rest()
            terminal.send(CTRL_C)
            terminal.process.send_signal(signal.SIGCONT)
            status = terminal.ends()
            said = terminal.rest()
    assert status == 130
    assert "tokens a second" in said
    assert "Traceback" not in said


def test_nobody_reads_on(tmp_path: Path) -> None:
    ours = [sys.executable, "-m", "triton_server", "complete", "--max-tokens=900"]
    with subprocess.Popen(ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
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


def written(text: str, width: int, pieces: list[str]) -> str:
    file = io.StringIO()
    writer = AnswerWriter(Console(file=file, width=width))
    for piece in pieces:
        writer.write(piece)
    writer.close()
    return file.getvalue()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [12, 20, 80])
def test_pieces_make_no_difference_to_what_is_written(text: str, width: int) -> None:
    whole = written(text, width, [text])
    dice = random.Random(width)
    for _ in range(20):
        cuts = sorted(dice.sample(range(len(text)), 5))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert written(text, width, pieces) == whole
    assert written(text, width, list(text)) == whole
    assert "".join(whole.split()) == "".join(text.split())
    if "http" not in text and "```" not in text:
        assert all(cell_len(line) <= width for line in whole.splitlines())


def test_a_line_ends_at_a_word() -> None:
    text = "- one two three four five"
    assert written(text, 12, list(text)) == "- one two\n  three four\n  five\n"


def test_a_margin_stays_free() -> None:
    file = io.StringIO()
    writer = AnswerWriter(Console(file=file, width=12), margin=3)
    writer.write("one two three\n\nfour\n  five six")
    writer.close()
    assert file.getvalue() == "one two\n   three\n\n   four\n     five\n     six\n"


def test_a_model_does_not_rule_the_terminal() -> None:
    text = "\x1b[2Jgone\r\n\x07\x9b31m\x7f"
    assert literal(text) == "\u241b[2Jgone\n\u2407\ufffd31m\u2421"
    assert "\x1b" not in written(text, 80, list(text))


def test_what_is_a_command_and_what_is_not() -> None:
    assert parsed(":set temperature 0.7 ") == ("set", "temperature 0.7")
    assert parsed(":system You are\nkind.") == ("system", "You are\nkind.")
    for message in (":D", ":)", ":-)", ": hello", " :help", "see :help", ":thinking:", "::", ""):
        assert parsed(message) is None


def test_parameters_are_read_as_they_are_meant() -> None:
    assert parameter("temperature", "0.7") == 0.7
    assert parameter("max_tokens", "5") == 5
    assert parameter("stop", "END") == "END"
    assert parameter("stop", "42") == "42"
    assert parameter("stop", '["a", "b"]') == ["a", "b"]
    assert parameter("ignore_eos", "true") is True
    for name, value in (("temperature", "hot"), ("max_tokens", "1.5"), ("logprobs", "3"), ("nothing", "1")):
        with pytest.raises(TritonchatError):
            parameter(name, value)
