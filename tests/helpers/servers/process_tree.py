"""Finds the processes of a running server, and what they have outside its folder."""

from contextlib import suppress
from pathlib import Path

import psutil
from conftest import Server

from triton_server.engine.triton.deployment import Deployment, find_processes

_MODULES = {"page": "streamlit", "api": "triton_server.api", "engine": "triton_server.engine"}
MODELS = ("chat", "chat_stream", "embed", "chat_control")
VICTIMS = (*_MODULES, "tritonserver", *MODELS)


def find_process(server: Server, name: str) -> psutil.Process | None:
    """One of VICTIMS: a part of the service, Triton, or a model's process; None if it does not run."""
    try:
        children = psutil.Process(server.process.pid).children()
        if name in _MODULES:
            return next((child for child in children if _MODULES[name] in child.cmdline()), None)
        engine = next(child for child in children if _MODULES["engine"] in child.cmdline())
        for process in engine.children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # a process of another model
                is_model = any(argument.startswith(f"{name}_0_") for argument in process.cmdline())
                if process.name() == name or is_model:
                    return process
    except (StopIteration, psutil.NoSuchProcess):  # a process has ended meanwhile
        pass
    return None


def model_copies(engine: psutil.Process) -> set[Path]:
    """The folders from which Triton's Python backend has loaded the models."""
    arguments = {argument for process in engine.children(recursive=True) for argument in process.cmdline()}
    return {Path(argument).parents[1] for argument in arguments if argument.endswith("/1/model.py")}


def stop_at_once(deployment: Deployment, folder: Path) -> None:
    """Kill Triton, whose files are in `folder`: an orderly stop takes seconds."""
    for process in find_processes(folder):
        process.kill()
    deployment.stop()
