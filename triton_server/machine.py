"""What this machine must have, each thing checked and said in a sentence (`tritonchat doctor`)."""

import ctypes.util
import os
import platform
import shutil
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from model_core.kernels.emit import INSTRUCTIONS
from model_core.llm import embedded_model, free_memory

GLIBC = (2, 35)  # what PyTriton's tritonserver was built against
PYTHONS = ((3, 10), (3, 12))


@dataclass(frozen=True)
class Check:
    """A thing looked at: whether it is well, and what was seen or what to do."""

    name: str
    ok: bool
    message: str


def check_all(host: str, ports: Mapping[str, int]) -> Iterator[Check]:
    """Every check, in the order in which they matter. `ports` maps flags to numbers."""
    yield check_python()
    yield check_system()
    yield check_libpython()
    yield from check_ports(host, ports)
    yield check_processor()
    yield check_memory()
    yield check_scratch()
    yield check_embedded_model()


def check_python() -> Check:
    """Whether this Python is one that PyTriton has a backend for."""
    version = platform.python_version()
    ok = PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]
    return Check("Python", ok, version if ok else f"{version}, but 3.10, 3.11 or 3.12 is needed.")


def check_system() -> Check:
    """Whether Triton's binary can run here: Linux with a recent C library."""
    if sys.platform != "linux":
        return Check("system", False, f"Triton runs on Linux only; this is {platform.system()}.")
    library, version = platform.libc_ver()
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < GLIBC:
        need = ".".join(map(str, GLIBC))
        found = f"{library} {version}".strip() or "another C library"
        return Check("system", False, f"Triton needs glibc {need} or later; this is {found}.")
    return Check("system", True, f"Linux, glibc {version}")


def check_libpython() -> Check:
    """Whether Triton's Python backend can find the shared library of this Python."""
    found = find_libpython()
    if found is not None:
        return Check("libpython", True, str(found))
    name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}"
    return Check(
        "libpython",
        False,
        f"{name}.so is not on this machine; install it (on Debian and Ubuntu: apt install {name}) or use a "
        "Python built with a shared library, such as uv's.",
    )


def check_ports(host: str, ports: Mapping[str, int]) -> Iterator[Check]:
    """Whether each port is free on `host`; where one is not, who has it and which flag moves it."""
    try:
        socket.getaddrinfo(host, None, socket.AF_INET)
    except socket.gaierror:
        yield Check("host", False, f"{host} is not an IPv4 address or name of this machine; see --host.")
        return
    for flag, port in ports.items():
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
                yield Check(f"port {port}", True, f"free for {flag}")
            except OSError as error:
                reason = (
                    f"is taken{_owner(port)}" if error.errno == 98 else f"cannot be used: {error.strerror}"
                )
                yield Check(f"port {port}", False, f"{reason}; stop it or choose another with {flag}.")


def check_processor() -> Check:
    """Cores, and the vector instructions that kernels are compiled to."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    known = {"avx512": "AVX-512 with VNNI", "avxvnni": "AVX2 with VNNI", "avx2": "AVX2"}
    vectors = known.get(INSTRUCTIONS, "no AVX2, which is slow")
    return Check("processor", True, f"{platform.machine()}, {cores} cores, {vectors}")


def check_memory() -> Check:
    """Memory that is free."""
    free = free_memory()
    text = f"{free / 2**30:.1f} of {psutil.virtual_memory().total / 2**30:.1f} GiB free"
    ok = free > 2**30
    return Check("memory", ok, text if ok else f"{text}; at least 1 GiB should be.")


def check_scratch() -> Check:
    """Room for Triton's working files and for the shared memory between its processes."""
    folders = {tempfile.gettempdir(): 200, "/dev/shm": 64}  # MiB
    for folder, need in folders.items():
        if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < need * 2**20:
            return Check("scratch", False, f"{folder} should be writable, with {need} MiB free.")
    return Check("scratch", True, " and ".join(folders))


def check_embedded_model() -> Check:
    """Whether the package holds its model."""
    path = embedded_model() / "model.safetensors"
    ok = path.is_file()
    return Check(
        "model", ok, "embedded model present" if ok else f"{path} is missing; install tritonchat again."
    )


def find_libpython() -> Path | None:
    """The shared library of this very Python, or the one the loader would take."""
    name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    places = (sysconfig.get_config_var("LIBDIR"), f"{sys.base_prefix}/lib", f"/usr/lib/{multiarch}")
    for place in filter(None, places):
        if (Path(place) / name).is_file():
            return Path(place) / name
    found = ctypes.util.find_library(name.removeprefix("lib").partition(".so")[0])
    return Path(found) if found else None


def use_libpython() -> None:
    """Let Triton's processes find the library of this very interpreter.

    Many Pythons keep theirs outside the loader's path, and a system one of another patch release would
    be taken silently. Only child processes read the variable, so setting it here is enough.
    """
    found = find_libpython()
    known = list(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")))
    if found is not None and found.is_absolute() and str(found.parent) not in known:
        os.environ["LD_LIBRARY_PATH"] = ":".join([str(found.parent), *known])


def _owner(port: int) -> str:
    """ " by NAME (process PID)" of whoever listens on a port, as far as this user may see it."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return f" by {psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass
    return ""
