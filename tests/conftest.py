"""What tests share: the tiny checkpoints, the embedded model, and a real server started once."""

import atexit
import contextlib
import functools
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from browsing import browser, page_of, visit  # noqa: F401 - fixtures
from certificates import create_authority, write_certificate, write_certificate_file, write_key_file
from cryptography import x509
from databases import database_url, postgresql  # noqa: F401 - fixtures
from groups import GroupScheduling, group_of, rank_of
from http_service import Service, services
from in_process import Endpoints, local_server
from paths import ROOT, TESTS
from reciter import write_reciter
from seeing_folders import add_chat
from support import family, free_port, have_ended, pool_of, wait_until
from tokenizers import Tokenizer
from xdist.remote import Producer

from model_core import LLM
from model_core.hub import embedded_model
from model_core.kernels.products import linear
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.triton.process import remove_leftovers
from triton_server.system.hosts import LOOPBACK

MODELS = ROOT.parent / "shared" / "models"
TRITONCHAT = (sys.executable, "-m", "triton_server")

# Conversations and saved prompts of tests are not those of the user who runs them.
os.environ["XDG_DATA_HOME"] = _data = tempfile.mkdtemp(prefix="tritonchat-tests-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
# Every engine checks the books of its pages whenever it is idle, in servers too.
os.environ["TRITONCHAT_CHECK_PAGES"] = "1"

# Modules and tests stay until the end of the process. Looking for garbage among them takes two fifths of the
# time of collecting tests, and a part of many a test.
gc.disable()

# Tests call this kernel by itself. Its code is stored, so that one process compiles it for all others.
linear.linear.enable_caching()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the full tier, and put all in the order in which they are handed out to workers."""
    full = set((TESTS / "full_tier.txt").read_text().split())
    for item in items:
        if item.nodeid.partition("::")[0] in full or item.nodeid.partition("[")[0] in full:
            item.add_marker(pytest.mark.full)
    items.sort(key=lambda item: rank_of(item.path))


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling | None:
    """With `--dist loadfile`, a group of files is handed out as a whole."""
    return GroupScheduling(config, log) if config.getoption("dist") == "loadfile" else None


class SharedServers:
    """Ends the servers of a group of files, and their pages, unless the next group begins with them.

    Even one that computes nothing takes two hundredths of a processor, until the end of all tests.
    """

    def __init__(self) -> None:
        self._ends: dict[str, Callable[[], None]] = {}  # by the names of the fixtures

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Note how to end it."""
        value = yield
        if fixturedef.scope == "session" and (
            isinstance(value, Endpoints) or fixturedef.argname == "page_of"
        ):
            self._ends[fixturedef.argname] = functools.partial(fixturedef.finish, request)
        return value

    @pytest.hookimpl(trylast=True)  # after the fixtures of the file, which use them
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """End those that are not needed."""
        if isinstance(nextitem, pytest.Function) and group_of(item.path) != group_of(nextitem.path):
            for name in reversed([name for name in self._ends if name not in nextitem.fixturenames]):
                self._ends.pop(name)()


def pytest_configure(config: pytest.Config) -> None:
    """Register what is called for fixtures of the session, too; functions of this file are not."""
    config.pluginmanager.register(SharedServers())


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but only what tests leave."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the servers of a failed test have logged."""
    report = yield
    if report.failed:
        servers = {id(value): value for value in item.funcargs.values() if isinstance(value, Server)}
        for server in servers.values():
            for log in server.logs():
                if lines := log.read_text(errors="replace").splitlines():
                    report.sections.append((log.name, "\n".join(lines[-30:])))
    return report


@dataclass(frozen=True)
class Server(Endpoints):
    """A running `tritonchat serve`."""

    http_url: str
    metrics_url: str
    process: subprocess.Popen
    log: Path | None = None

    def logs(self) -> list[Path]:
        """The files that it and its Triton log to."""
        files = [] if self.log is None else [self.log]
        with contextlib.suppress(psutil.Error, StopIteration):
            folder = next(
                Path(file.path).parent
                for file in self.engine.open_files()
                if file.path.endswith("triton-output.log")
            )
            files += sorted(folder.glob("*.log"))
        return files

    @property
    def engine(self) -> psutil.Process:
        """The process that holds the model."""
        children = psutil.Process(self.process.pid).children()
        return next(child for child in children if "triton_server.engine" in child.cmdline())

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """It makes no token within the block, unless it is resumed, and loses none."""
        engine = self.engine
        engine.suspend()
        try:
            yield
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):  # it was killed
                engine.resume()

    def resume(self) -> None:
        """Go on making tokens."""
        self.engine.resume()


@contextlib.contextmanager
def running_server(
    *arguments: str,
    command: str = "serve",
    log: Path | None = None,
    program: Sequence[str | Path] = TRITONCHAT,
    cwd: Path | None = None,
    host: str = "127.0.0.1",
    **environment: str,
) -> Iterator[Server]:
    """Start `tritonchat serve` on free ports, in a process group of its own; kill it at the end.

    An orderly stop of Triton takes two seconds, so only tests of the stop do that, by a signal.
    What it says on standard error goes to the file `log`, or to `process.stdout` with the rest.
    """
    grpc, http, metrics, api = (free_port() for _ in range(4))
    ports = {"grpc": grpc, "http": http, "metrics": metrics, "api": api}
    flags = [f"--{name}-port={port}" for name, port in ports.items()]
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        process = subprocess.Popen(
            [*program, command, *flags, f"--host={host}", *arguments],
            cwd=cwd,
            env={**os.environ, "XDG_DATA_HOME": folder, "TMPDIR": folder, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if log is None else stack.enter_context(log.open("wb")),
            text=True,
            start_new_session=True,
        )
        stack.callback(_kill, process, Path(folder))
        assert process.stdout is not None
        output = []
        for line in process.stdout:
            output.append(line)
            if line.startswith("Serving"):
                break
        else:
            pytest.fail(f"the server did not start:\n{''.join(output)}")
        name = f"[{host}]" if ":" in host else LOOPBACK
        here = f"http://{name}"
        yield Server(
            process=process,
            grpc_url=f"{name}:{grpc}",
            http_url=f"{here}:{http}",
            metrics_url=f"{here}:{metrics}/metrics",
            api_url=f"{here}:{api}",
            log=log,
        )


def _kill(process: subprocess.Popen, folder: Path) -> None:
    """Kill a server, which ends all its processes, and remove what it leaves. `folder` is its TMPDIR."""
    processes = family(process) if process.poll() is None else []
    process.kill()
    process.communicate()
    wait_until(lambda: have_ended(processes))
    for scratch in folder.glob("tritonchat-*/"):
        remove_leftovers(scratch)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the embedded model."""
    with running_server(log=tmp_path_factory.mktemp("server") / "log") as running:
        yield running


@pytest.fixture(scope="session")
def endless_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded model with a long context and no end token, which recommends a temperature.

    So an answer takes minutes, and cannot end before a test has stopped it, on however fast a machine.
    """
    folder = tmp_path_factory.mktemp("model") / "endless"
    shutil.copytree(embedded_model(), folder)
    for name, changes in {
        "config.json": {"eos_token_id": None, "max_position_embeddings": 50_000},
        "generation_config.json": {"eos_token_id": None, "do_sample": True, "temperature": 0.65},
        "tokenizer_config.json": {"eos_token": None},
    }.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


@pytest.fixture(scope="session")
def endless(endless_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the endless model."""
    log = tmp_path_factory.mktemp("server") / "log"
    with running_server("--model", str(endless_model), log=log) as running:
        yield running


@pytest.fixture(scope="session")
def reciter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A server with a model that reasons and calls tools, see `reciter.py`."""
    folder = tmp_path_factory.mktemp("reciter")
    llm = LLM(write_reciter(folder / "reciter"), kv_cache_memory=2**27)
    with local_server(pool_of(llm), folder) as running:
        yield running


@pytest.fixture(scope="session")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A server with a tiny model that sees."""
    folder = tmp_path_factory.mktemp("seeing")
    llm = LLM(add_chat("qwen3-vl", folder), kv_cache_memory=2**25)
    with local_server(pool_of(llm), folder) as running:
        yield running


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A server with the embedded model, the reciter (`reciter.py`), and a model that cannot be loaded."""
    folder = tmp_path_factory.mktemp("several")
    (folder / "broken").mkdir()
    write_reciter(folder / "speaker")
    models = [(None, None), *((None, str(folder / name)) for name in ("speaker", "broken"))]
    pool = create_pool(models, None, {"kv_cache_memory": 2**28, "max_queue": 256})
    with local_server(pool, folder) as running:
        yield running


@pytest.fixture(scope="session")
def api(server: Server) -> Server:
    """The same, for its HTTP service at `api_url`."""
    return server


@pytest.fixture
def start(server: Server, client: ChatClient, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts HTTP services for the server, with settings of their own."""
    with services(server.grpc_url, tmp_path) as starter:
        yield starter


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a root, ca.pem, and its certificate for chat.example and localhost: cert.pem, key.pem."""
    folder = tmp_path_factory.mktemp("tls")
    root = create_authority()
    write_certificate_file(folder / "ca.pem", root.certificate)
    write_key_file(folder / "ca.key", root.key)
    names = ("chat.example", "*.chat.example", "localhost")
    write_certificate(folder, root, "chat.example", [x509.DNSName(name) for name in names])
    return folder


@pytest.fixture
def client(server: Server) -> Iterator[ChatClient]:
    """A client of the server, which runs nothing: requests of earlier tests have ended."""
    with ChatClient(server.grpc_url) as connected:
        wait_until(lambda: connected.stats()["running"] == 0)
        yield connected


@pytest.fixture
def conversations(server: Server, client: ChatClient, monkeypatch: pytest.MonkeyPatch) -> Conversations:
    """The conversations that the page shows in Streamlit's test harness, of an owner of the test's own."""
    from streamlit_client.shared import people  # slow to import, and most tests need no page

    owner = uuid.uuid4().hex
    monkeypatch.setattr(people, "LOCAL_OWNER", owner)
    monkeypatch.setenv("TRITONCHAT_SERVER", server.grpc_url)
    return client.conversations(owner)


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
