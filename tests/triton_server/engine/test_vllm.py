"""The real vLLM as the engine. `make test-vllm` installs it, and names its Python in VLLM_PYTHON."""

import os
from collections.abc import Iterator

import httpx
import openai
import psutil
import pytest
from conftest import Server, running_server
from support import family, have_ended, wait_until

from model_core.errors import InvalidRequest
from model_core.hub import embedded_model
from triton_server.client import ChatClient

PYTHON = os.environ.get("VLLM_PYTHON")
pytestmark = [
    pytest.mark.skipif(PYTHON is None, reason="VLLM_PYTHON does not name a Python with vLLM"),
    pytest.mark.timeout(1200),
]
HELLO = [{"role": "user", "content": "Hello"}]
FLAGS = ("--max-model-len", "256", "--max-num-seqs", "4", "--enforce-eager", "--dtype", "float32")


@pytest.fixture(scope="module")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with vLLM behind it, and the embedded model there."""
    log = tmp_path_factory.mktemp("vllm") / "log"
    flags = ["--engine=vllm", f"--engine-python={PYTHON}", f"--model={embedded_model()}", "--", *FLAGS]
    environment = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    with running_server(*flags, log=log, **environment) as server:
        yield server


def test_answers(vllm: Server) -> None:
    with ChatClient(vllm.grpc_url) as client:
        greedy = {"temperature": 0, "max_tokens": 8}
        answer = client.chat(HELLO, **greedy)
        assert answer.text and answer.usage["completion_tokens"] <= 8
        with client.stream(HELLO, **greedy) as stream:
            assert "".join(stream) == answer.text
        chosen = client.chat(HELLO, form={"choice": ["yes", "no"]}, max_tokens=8)
        assert chosen.text in ("yes", "no")
        scored = client.chat("Once upon a time", **greedy, logprobs=2).details["logprobs"]
        assert len(scored) == 8 and all(entry["token_id"] is not None for entry in scored)
        assert client.tokenize("Once upon a time")["token_ids"]
        with pytest.raises(InvalidRequest, match="mirostat"):
            client.chat(HELLO, mirostat=2)


def test_http(vllm: Server) -> None:
    with openai.OpenAI(base_url=f"{vllm.api_url}/v1", api_key="none", max_retries=0) as client:
        chunks = list(
            client.chat.completions.create(
                model="default",
                messages=HELLO,
                stream=True,
                stream_options={"include_usage": True},
                max_tokens=5,
            )
        )
        assert chunks[-1].usage.completion_tokens == 5
        with pytest.raises(openai.BadRequestError, match="maximum context length"):
            client.chat.completions.create(
                model="default", messages=[{"role": "user", "content": "word " * 400}]
            )


def test_client_that_leaves_ends_the_work(vllm: Server) -> None:
    with ChatClient(vllm.grpc_url) as client:
        with client.stream(HELLO, max_tokens=200, ignore_eos=True) as stream:
            next(iter(stream))
        wait_until(lambda: client.stats()["running"] == 0)


def test_vllm_that_dies_is_started_again_and_ends_with_the_server(vllm: Server) -> None:
    def find_vllm() -> psutil.Process:
        children = psutil.Process(vllm.process.pid).children()
        return next(child for child in children if "serve" in child.cmdline())

    first = find_vllm()
    first.kill()
    wait_until(lambda: httpx.get(f"{vllm.api_url}/readyz").status_code == 503)
    wait_until(lambda: httpx.get(f"{vllm.api_url}/readyz").status_code == 200)
    processes = [*family(find_vllm()), psutil.Process(vllm.process.pid)]
    vllm.process.terminate()
    wait_until(lambda: have_ended(processes))
