"""`--model owner/name` is downloaded from the hub; in these tests from a small server with its protocol."""

import os
import subprocess
import sys
from pathlib import Path

from conftest import CHECKPOINTS
from hub_server import HubServer

from model_core.errors import ModelError
from model_core.hub import fetch_model

PROGRAM = """
import sys
from model_core import LLM, SamplingParams
with LLM(sys.argv[1]) as llm:
    print(llm.name, llm.generate([5, 6], SamplingParams(max_tokens=3)).token_ids)
"""


def load(name: str, home: Path, **environment: str) -> subprocess.CompletedProcess:
    """Load a model in a new process: the hub's client reads the address when it is imported."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, name],
        env={**os.environ, "HF_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_model_is_downloaded_once_with_progress(tmp_path: Path) -> None:
    with HubServer({"someone/tiny": CHECKPOINTS / "llama-sharded"}) as hub:
        first = load("someone/tiny", tmp_path, HF_ENDPOINT=hub.url)
        assert first.stdout.startswith("someone/tiny ["), first.stderr
        assert "100%" in first.stderr  # the progress bar
        fetched = [path for method, path in hub.requests if method == "GET" and "/resolve/" in path]
        assert any(path.endswith(".safetensors") for path in fetched)
        assert not any(path.endswith(".npz") for path in fetched)  # only what a model needs
        second = load("someone/tiny", tmp_path, HF_ENDPOINT=hub.url)
        assert second.stdout == first.stdout
        again = [path for method, path in hub.requests if method == "GET" and "/resolve/" in path]
        assert again == fetched
    offline = load("someone/tiny", tmp_path, HF_HUB_OFFLINE="1")
    assert offline.stdout == first.stdout


def test_missing_model_is_named(tmp_path: Path) -> None:
    with HubServer({}) as hub:
        missing = load("someone/tiny", tmp_path, HF_ENDPOINT=hub.url)
        assert "neither a folder nor a hub model called someone/tiny" in missing.stderr.splitlines()[-1]
    away = load("someone/tiny", tmp_path, HF_ENDPOINT=hub.url)
    assert "the hub cannot be reached" in away.stderr.splitlines()[-1]


def test_invalid_names_do_not_reach_the_network() -> None:
    for name in ("nowhere", "/no/such/folder", "a/b/c", "https://x/y"):
        try:
            fetch_model(name)
        except ModelError as error:
            assert name in str(error)
        else:
            raise AssertionError(name)
