"""Checks of what the server needs from this machine. `tritonchat doctor` runs and prints all of them."""

import ctypes.util
import errno
import importlib.util
import os
import platform
import shutil
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from model_core.errors import TritonchatError

from .hosts import is_ipv6

# Functions import the modules that need the compiler: the supervisor checks ports and must stay small.

MIN_GLIBC = (2, 35)  # of PyTriton's tritonserver
_WITHOUT = "--no-triton serves without Triton."
SUPPORTED_PYTHONS = ((3, 10), (3, 12))  # the oldest and the newest for which PyTriton has a backend


@dataclass(frozen=True)
class Check:
    """The result of a check.

    Attributes:
        name: what was checked, such as "port 8001".
        is_ok: whether the server can run with it.
        message: what the check found; if it failed, also what to do.
    """

    name: str
    is_ok: bool
    message: str


def has_pytriton() -> bool:
    """Whether PyTriton is installed, with Triton in it."""
    return importlib.util.find_spec("pytriton") is not None


def check_triton(no_triton: bool) -> Iterator[Check]:
    """Check that Triton can run here, if it is to run. `no_triton`: the flag."""
    if no_triton or not has_pytriton():
        why = "left out" if no_triton else "not installed, as PyTriton is not (it is for Linux on x86-64)"
        yield Check("Triton", True, f"{why}; the engine answers gRPC itself")
        return
    yield check_system()
    yield check_libpython()


def require(checks: Iterable[Check]) -> None:
    """Raises TritonchatError with the first check that failed."""
    for check in checks:
        if not check.is_ok:
            is_subject = check.name.startswith("port ")  # of the sentence: "port 8001 is taken by ..."
            raise TritonchatError(f"{check.name}{'' if is_subject else ':'} {check.message}")


def check_all(host: str, ports: Mapping[str, int], no_triton: bool) -> Iterator[Check]:
    """Yield all checks, the most important first. `ports` maps flags to port numbers."""
    yield check_python()
    yield from check_triton(no_triton)
    yield from check_ports(host, ports, accepts_servers=True)
    yield check_processor()
    yield check_memory()
    yield check_scratch_space()
    yield check_embedded_model()


def check_python() -> Check:
    """Check that PyTriton has a backend for this Python."""
    version = platform.python_version()
    is_ok = SUPPORTED_PYTHONS[0] <= sys.version_info[:2] <= SUPPORTED_PYTHONS[1]
    return Check("Python", is_ok, version if is_ok else f"{version}, but 3.10, 3.11 or 3.12 is needed.")


def check_system() -> Check:
    """Check that Triton's binary can run: it needs Linux and a recent glibc."""
    if sys.platform != "linux":
        return Check("system", False, f"Triton runs on Linux only; this is {platform.system()}; {_WITHOUT}")
    library, version = platform.libc_ver()
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < MIN_GLIBC:
        needed = ".".join(map(str, MIN_GLIBC))
        present = f"{library} {version}".strip() or "another C library"
        return Check("system", False, f"Triton needs glibc {needed} or later; this is {present}; {_WITHOUT}")
    return Check("system", True, f"Linux, glibc {version}")


def check_libpython() -> Check:
    """Check that the shared library of this Python exists. Triton's Python backend needs it."""
    library = find_libpython()
    if library is not None:
        return Check("libpython", True, str(library))
    name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}"
    return Check(
        "libpython",
        False,
        f"{name}.so is not on this machine; install it (on Debian and Ubuntu: apt install {name}) or use a "
        f"Python built with a shared library, such as uv's; {_WITHOUT}",
    )


def check_ports(host: str, ports: Mapping[str, int], accepts_servers: bool = False) -> Iterator[Check]:
    """Check that each port is free on `host`. The message of a taken one names its process and the flag.

    With `accepts_servers`, a port that a server of this program has is no failure.
    """
    try:
        family = socket.AF_INET6 if is_ipv6(host) else socket.AF_INET
        socket.getaddrinfo(host, None, family)
    except socket.gaierror:
        yield Check("host", False, f"{host} is not an address or name of this machine; see --host.")
        return
    for flag, port in ports.items():
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
                yield Check(f"port {port}", True, f"free for {flag}")
            except OSError as error:
                yield _check_unusable_port(flag, port, error, accepts_servers)


def check_processor() -> Check:
    """Report the cores, the vector instructions that the kernels use, and whether they use tiles."""
    from model_core.kernels.emit import HAS_BFLOAT16, INSTRUCTION_SET, TILES_CHOICE

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    names = {"avx512": "AVX-512 with VNNI", "avxvnni": "AVX2 with VNNI", "avx2": "AVX2"}
    vectors = names.get(INSTRUCTION_SET, "no AVX2, which is slow") + " and BF16" * HAS_BFLOAT16
    tiles = f"tiles (AMX) {TILES_CHOICE}"
    return Check("processor", True, f"{platform.machine()}, {cores} cores, {vectors}; {tiles}")


def check_memory() -> Check:
    """Check that at least 1 GiB of memory is free."""
    from model_core.machine.resources import available_memory

    free = available_memory()
    message = f"{free / 2**30:.1f} of {psutil.virtual_memory().total / 2**30:.1f} GiB free"
    is_ok = free > 2**30
    return Check("memory", is_ok, message if is_ok else f"{message}; at least 1 GiB should be.")


def check_scratch_space() -> Check:
    """Check the space for Triton's temporary files and for the shared memory between its processes."""
    folders = {tempfile.gettempdir(): 200, "/dev/shm": 64}  # MiB
    for folder, needed in folders.items():
        if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < needed * 2**20:
            return Check("scratch", False, f"{folder} should be writable, with {needed} MiB free.")
    return Check("scratch", True, " and ".join(folders))


def check_embedded_model() -> Check:
    """Check that the package contains the embedded model."""
    from model_core.hub import embedded_model

    path = embedded_model() / "model.safetensors"
    is_ok = path.is_file()
    return Check(
        "model", is_ok, "embedded model present" if is_ok else f"{path} is missing; install tritonchat again."
    )


def find_libpython() -> Path | None:
    """Return the shared library of this Python, or else the one that the loader finds; None: neither."""
    name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = (sysconfig.get_config_var("LIBDIR"), f"{sys.base_prefix}/lib", f"/usr/lib/{multiarch}")
    for folder in filter(None, folders):
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    library = ctypes.util.find_library(name.removeprefix("lib").partition(".so")[0])
    return Path(library) if library else None


def expose_libpython() -> None:
    """Put the folder of this Python's shared library first in LD_LIBRARY_PATH, for Triton's processes.

    Many Pythons have it outside the loader's path. The loader would then use the system's library, which may
    be of another patch release. Only child processes read the variable, so it is early enough to set it here.
    """
    library = find_libpython()
    search_path = list(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")))
    if library is not None and library.is_absolute() and str(library.parent) not in search_path:
        os.environ["LD_LIBRARY_PATH"] = ":".join([str(library.parent), *search_path])


def _check_unusable_port(flag: str, port: int, error: OSError, accepts_servers: bool) -> Check:
    reason = f"cannot be used: {error.strerror}"
    if error.errno == errno.EADDRINUSE:
        listener = _find_listener(port)
        if accepts_servers and listener is not None and _is_of_server(listener):
            message = f"a tritonchat server that runs has it (process {listener.pid}); another needs {flag}"
            return Check(f"port {port}", True, message)
        reason = "is taken" + (f" by {listener.name()} (process {listener.pid})" if listener else "")
    return Check(f"port {port}", False, f"{reason}; stop it or choose another with {flag}.")


def _find_listener(port: int) -> psutil.Process | None:
    """The process that listens on a port; None if it is not visible."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return psutil.Process(connection.pid)
    except psutil.Error:
        pass
    return None


def _is_of_server(process: psutil.Process) -> bool:
    """Whether a process belongs to `tritonchat up` or `serve`, whose parts are its children."""
    try:
        return any(map(_runs_server, [process.cmdline(), *(p.cmdline() for p in process.parents())]))
    except psutil.Error:
        return False


def _runs_server(command: Sequence[str]) -> bool:
    """Whether a command line is that of `tritonchat up` or `serve`: python PROGRAM COMMAND ..."""
    program, rest = (command[1:3], command[3:]) if command[1:2] == ["-m"] else (command[1:2], command[2:])
    is_ours = program == ["-m", "triton_server"] or [Path(word).name for word in program] == ["tritonchat"]
    return is_ours and rest[:1] in (["up"], ["serve"])
