"""The layouts of much downloaded small models load from what their pages tell people to type."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from conftest import running_server
from hub_server import HubServer, Repository
from image_files import write_image
from paths import ROOT
from PIL import Image
from published_layouts import LAYOUTS, Layout, write_layout
from tokenizers import Tokenizer

# One process for all: the client of the hub reads its address when it is imported.
PROGRAM = """
import json, sys
from model_core import LLM, SamplingParams
from model_core.errors import TritonchatError
for line in sys.stdin:
    typed, has_template, is_embedder, image = json.loads(line)
    try:
        with LLM(typed, max_context=128) as llm:
            params = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True)
            if is_embedder:
                found = llm.embed("A cat.").tolist()
            elif has_template:
                answer = llm.chat([{"role": "user", "content": "Hi."}], params)
                parts = [{"type": "image_url", "image_url": {"url": image}}, {"type": "text", "text": "Hi."}]
                seen = llm.chat([{"role": "user", "content": parts}], params) if image else None
                tokens = seen.usage.prompt_tokens if seen else 0
                found = [answer.usage.prompt_tokens, answer.token_ids, tokens]
            else:
                found = [0, llm.generate("Hi.", params).token_ids, 0]
            print(json.dumps([llm.name, found]), flush=True)
    except TritonchatError as error:
        print(json.dumps(["error", str(error)]), flush=True)
"""
TOKEN = "hf_test"
# Of .gguf files, a folder with the same tokenizer.
_FOLDERS = {
    "bartowski/Llama-3.2-1B-Instruct-GGUF": "meta-llama/Llama-3.2-1B-Instruct",
    "Qwen/Qwen2.5-0.5B-Instruct-GGUF": "Qwen/Qwen2.5-1.5B-Instruct",
}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubServer]:
    folder = tmp_path_factory.mktemp("layouts")
    repositories = {
        layout.name: Repository(
            write_layout(layout, folder / layout.name),
            token=TOKEN if layout.name.startswith("meta-llama") else None,
        )
        for layout in LAYOUTS
    }
    with HubServer(repositories) as server:
        yield server


@pytest.fixture(scope="module")
def answers(hub: HubServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """By the names on the hub, the names of the models and what they answer."""
    home = tmp_path_factory.mktemp("home")
    png = write_image(Image.new("RGB", (64, 32), "red"))
    image = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    asked = [
        (x.typed, x.template is not None, x.checkpoint.startswith("embedders"), image if x.sees else None)
        for x in LAYOUTS
    ]
    environment = {"HF_HOME": str(home), "HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        input="\n".join(map(json.dumps, asked)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(LAYOUTS), done.stderr
    return dict(zip((layout.name for layout in LAYOUTS), lines, strict=True))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_layout_loads_from_what_people_type(
    layout: Layout, hub: HubServer, answers: dict[str, list[Any]]
) -> None:
    name, found = answers[layout.name]
    assert name.partition(":")[0] == layout.name, found
    if layout.checkpoint.startswith("embedders"):
        assert np.isclose(np.linalg.norm(found), 1.0)
        return
    prompt_tokens, token_ids, image_tokens = found
    assert len(token_ids) == 4
    if layout.template is None:
        return
    # The prompt has each control token of the template once, the begin token too.
    folder = hub.repositories[_FOLDERS.get(layout.name, layout.name)].folder
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert prompt_tokens == len(tokenizer.encode(layout.prompt, add_special_tokens=False).ids)
    # An image of 64 x 32 has 8 x 4 patches of 8 x 8, and two control tokens around it.
    assert image_tokens - prompt_tokens == (8 * 4 + 2 if layout.sees else -prompt_tokens)


def test_only_what_is_read_is_downloaded(hub: HubServer, answers: dict[str, list[Any]]) -> None:
    assert answers
    names = {Path(path).name for path in hub.fetched() if "/resolve/" in path}
    programs = (
        ".py",
        ".pt",
        ".h5",
        ".ot",
        ".msgpack",
        ".tflite",
        ".onnx",
        ".pth",
        ".md",
        ".xml",
        ".imatrix",
    )
    assert [name for name in names if name.endswith(programs)] == []
    pickled = {path.rpartition("/resolve/")[0] for path in hub.fetched() if path.endswith(".bin")}
    assert pickled == {f"/{layout.name}" for layout in LAYOUTS if layout.is_pickled}
    chosen = {name for name in names if name.endswith(".gguf")}
    assert chosen <= {"Llama-3.2-1B-Instruct-Q4_K_M.gguf", "qwen2.5-0.5b-instruct-q4_k_m.gguf"}


def test_page_lists_the_layouts() -> None:
    page = (ROOT / "docs" / "models.md").read_text()
    for layout in LAYOUTS:
        assert f"`{layout.typed}`" in page


def test_a_server_answers_with_a_model_that_is_typed_so(hub: HubServer, tmp_path: Path) -> None:
    typed = "hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M"
    environment = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": hub.url}
    body = {"messages": [{"role": "user", "content": "Hi."}], "max_tokens": 4}
    with running_server("--model", typed, **environment) as server:
        answer = httpx.post(f"{server.api_url}/v1/chat/completions", json=body, timeout=60).json()
    assert answer["usage"]["completion_tokens"] >= 1
    assert answer["model"] == "bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M"
