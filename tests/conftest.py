"""What tests share: the tiny checkpoints, the embedded model, and a real server started once."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from http_service import Service, services
from support import free_port
from tokenizers import Tokenizer

from model_core import LLM
from model_core.llm import embedded_model
from triton_server.client import ChatClient

ROOT = Path(__file__).parent.parent
CHECKPOINTS = Path(__file__).parent / "data" / "checkpoints"
MODELS = ROOT.parent / "shared" / "models"


@dataclass(frozen=True)
class Server:
    """A running `tritonchat serve`."""

    process: subprocess.Popen
    grpc_url: str
    http_url: str
    metrics_url: str
    api_url: str

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """It makes no token within the block, and loses none."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def running_server(
    *arguments: str, command: str = "serve", log: Path | None = None, **environment: str
) -> Iterator[Server]:
    """Start `tritonchat serve` on free ports, in a process group of its own; end it as Ctrl-C would.

    What it says on standard error goes to the file `log`, or to `process.stdout` with the rest.
    """
    grpc, http, metrics, api = (free_port() for _ in range(4))
    ports = {"grpc": grpc, "http": http, "metrics": metrics, "api": api}
    flags = [f"--{name}-port={port}" for name, port in ports.items()]
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        process = subprocess.Popen(
            [sys.executable, "-m", "triton_server", command, *flags, *arguments],
            env={**os.environ, "XDG_DATA_HOME": data, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if log is None else stack.enter_context(log.open("wb")),
            text=True,
            start_new_session=True,
        )
        stack.callback(_end, process)
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Serving"):
                break
        else:
            pytest.fail(f"the server did not start:\n{''.join(said)}")
        here = "http://127.0.0.1"
        yield Server(
            process,
            grpc_url=f"127.0.0.1:{grpc}",
            http_url=f"{here}:{http}",
            metrics_url=f"{here}:{metrics}/metrics",
            api_url=f"{here}:{api}",
        )


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=60)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the embedded model."""
    with running_server(log=tmp_path_factory.mktemp("server") / "log") as running:
        yield running


@pytest.fixture(scope="session")
def api(server: Server) -> Server:
    """The same, for its HTTP service at `api_url`."""
    return server


@pytest.fixture
def start(server: Server, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts HTTP services for the server, with settings of their own."""
    with services(server.grpc_url, tmp_path) as starter:
        yield starter


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a root, ca.pem, and its certificate for chat.example and localhost: cert.pem, key.pem."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine")
    folder = tmp_path_factory.mktemp("tls")
    (folder / "names").write_text(
        "subjectAltName=DNS:chat.example,DNS:*.chat.example,DNS:localhost\nbasicConstraints=CA:FALSE\n"
    )
    for command in (
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=Root",
        "req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=chat.example",
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -extfile names",
    ):
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
    yield folder


@pytest.fixture
def client(server: Server) -> Iterator[ChatClient]:
    """A client of the server."""
    with ChatClient(server.grpc_url) as connected:
        yield connected


@pytest.fixture(scope="session")
def llm() -> Iterator[LLM]:
    """The embedded model in this process."""
    with LLM() as loaded:
        yield loaded


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """That of the embedded model."""
    return Tokenizer.from_file(str(embedded_model() / "tokenizer.json"))


@pytest.fixture(scope="session")
def story() -> Path:
    """A real trained checkpoint that is no part of this project."""
    return real_model("story")


@pytest.fixture(scope="session")
def minueza() -> Path:
    """A real tokenizer of 32,000 tokens with a chat template; no weights."""
    return real_model("minueza-32m")


def real_model(name: str) -> Path:
    """A model that others published; the test is skipped where it is missing."""
    folder = MODELS / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not on this machine")
    return folder
