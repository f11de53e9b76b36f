"""The image of the Dockerfile is built, started and asked, without a daemon. `make test-image` runs this."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest
import yaml
from paths import ROOT
from support import free_port, have_ended

# A minute of downloads, a minute of unpacking, kernels that are compiled, all on a busy machine.
pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        "IMAGE_TESTS" not in os.environ, reason="takes minutes and a network: make test-image"
    ),
    pytest.mark.skipif(shutil.which("buildah") is None, reason="there is no buildah: apt install buildah"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may build in a chroot"),
]
BASE = "docker.io/library/debian:bookworm-slim"
ISOLATION = "--isolation=chroot"  # needs no namespaces, so it works in a container, too
KEY = "a-key"
START_S, STOP_S = 1800, 60


@dataclass(frozen=True)
class Storage:
    """Images and containers of these tests alone."""

    folder: Path

    def command(self, *arguments: str) -> list[str]:
        """What runs buildah with this storage."""
        places = [f"--root={self.folder / 'root'}", f"--runroot={self.folder / 'run'}"]
        return ["buildah", *places, *arguments]

    def run(self, *arguments: str) -> str:
        """What buildah prints, without the end of its line."""
        ran = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, text=True, check=True)
        return ran.stdout.strip()

    def inspect(self, image: str) -> dict[str, object]:
        """What an image is started with, as Docker reads it."""
        found = yaml.safe_load(self.run("inspect", "--type=image", image))
        return found["Docker"]["config"]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """Emptied at the end: an image has more than a GiB."""
    folder = tmp_path_factory.mktemp("storage")
    storage = Storage(folder)
    yield storage
    storage.run("rm", "--all")
    storage.run("rmi", "--all", "--force")
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def image(storage: Storage) -> str:
    """The image, of nothing but the files that .dockerignore lets in."""
    pulled = subprocess.run(storage.command("pull", "--quiet", BASE), capture_output=True, text=True)
    if pulled.returncode != 0:
        make_base(storage)
    flags = ["--pull-never", "--format=docker", ISOLATION]  # other formats have no health check
    subprocess.run(storage.command("bud", *flags, "--tag=tritonchat", str(ROOT)), check=True)
    return "tritonchat"


def make_base(storage: Storage) -> None:
    """Debian of its own packages, where the registry of its images cannot be reached."""
    if shutil.which("debootstrap") is None:
        pytest.skip(f"{BASE} cannot be pulled, and there is no debootstrap: apt install debootstrap")
    debian = storage.folder / "debian"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(debian)], check=True)
    container = storage.run("from", "scratch")
    storage.run("add", container, str(debian), "/")
    if certificate := os.environ.get("PIP_CERT"):  # of the package index of this machine
        storage.run("add", container, certificate, "/etc/pip-cert.pem")
        storage.run("config", "--env=PIP_CERT=/etc/pip-cert.pem", container)
    storage.run("commit", container, BASE)
    storage.run("rm", container)
    shutil.rmtree(debian)


@dataclass(frozen=True)
class Container:
    """One that runs the image, on a port of this machine."""

    storage: Storage
    name: str
    user: str
    port: int

    def command(self, *arguments: str) -> list[str]:
        """What runs a program in it, as its user."""
        variables = {"TRITONCHAT_API_KEY": KEY, "TRITONCHAT_API_PORT": str(self.port)}
        # A chroot shares the ports of this machine.
        variables |= {f"TRITONCHAT_{kind}_PORT": str(free_port()) for kind in ("GRPC", "METRICS")}
        flags = [f"--env={name}={value}" for name, value in variables.items()]
        return self.storage.command(
            "run", ISOLATION, f"--user={self.user}", *flags, self.name, "--", *arguments
        )

    def ask(self, key: str) -> httpx.Response:
        """A question to the embedded model."""
        return httpx.post(
            f"http://127.0.0.1:{self.port}/v1/chat/completions",
            headers={"Authorization": f"Bearer {key}"},
            json={"model": "default", "messages": [{"role": "user", "content": "What is 3 plus 4?"}]},
            timeout=60,
        )


def wait_until_ready(port: int, process: subprocess.Popen) -> None:
    """Kernels are compiled first."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert process.poll() is None, "the container has ended"
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(1)
    pytest.fail("the service is not ready")


def stop(process: subprocess.Popen, program: Sequence[str]) -> None:
    """Ask what buildah has started to end, as Docker does; it does not pass signals on itself."""
    started = psutil.Process(process.pid).children(recursive=True)
    (first,) = [one for one in started if one.cmdline()[-len(program) :] == list(program)][-1:]
    first.send_signal(signal.SIGTERM)
    process.wait(STOP_S)
    assert have_ended(started)


def test_image_answers_checks_its_health_and_ends(storage: Storage, image: str) -> None:
    config = storage.inspect(image)
    assert config["User"] == "tritonchat"
    container = Container(
        storage, storage.run("from", "--pull-never", image), str(config["User"]), free_port()
    )
    program = [*config["Entrypoint"], *config["Cmd"]]
    kind, *health = config["Healthcheck"]["Test"]
    assert kind == "CMD"
    assert subprocess.run(container.command(*health)).returncode != 0
    process = subprocess.Popen(container.command(*program))
    try:
        wait_until_ready(container.port, process)
        assert container.ask("another-key").status_code == 401
        answer = container.ask(KEY).raise_for_status().json()
        assert answer["choices"][0]["message"]["content"] == "3 + 4 = 7."
        assert subprocess.run(container.command(*health)).returncode == 0
    finally:
        stop(process, ["serve"])
    assert process.returncode == 0
