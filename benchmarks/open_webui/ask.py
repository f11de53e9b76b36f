"""Ask a running service through Open WebUI, once by each of its connections: OpenAI's API and Ollama's.

    python benchmarks/open_webui/ask.py http://127.0.0.1:8080 "Say hello."

`open-webui` must be on PATH. It runs without the internet, with a folder of its own, and is asked over its
own HTTP API, by which its page asks, too.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

_START_S = 300.0  # the first start makes its database
_ANSWER_TOKENS = 64


def main() -> None:
    """Start Open WebUI, ask, print the answers, and end it. The status is 1 if an answer is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", help="the service's address")
    parser.add_argument("question")
    arguments = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("wb") as log:
        command = ["open-webui", "serve", "--host", "127.0.0.1", "--port", str(port)]
        environment = {**os.environ, **choose_settings(arguments.url, folder)}
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        ) as process:
            try:
                with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as http:
                    wait_until_up(http, process)
                    for connection, text in ask_all(http, arguments.question):
                        print(f"{connection}: {text}")
            except (httpx.HTTPError, RuntimeError) as error:
                sys.exit(f"{error}: {Path(folder, 'log').read_text(errors='replace')[-500:]}")
            finally:
                process.terminate()


def choose_settings(url: str, folder: str) -> dict[str, str]:
    """The variables for an Open WebUI that has both connections to `url`, no login and no downloads.

    Source: https://docs.openwebui.com/getting-started/env-configuration
    """
    return {
        "DATA_DIR": folder,
        "WEBUI_AUTH": "False",
        "WEBUI_SECRET_KEY": "-",
        "ENABLE_PERSISTENT_CONFIG": "false",
        "OFFLINE_MODE": "true",
        "HF_HUB_OFFLINE": "1",
        "RAG_EMBEDDING_ENGINE": "openai",  # its own would load a model
        "RAG_EMBEDDING_MODEL": "",
        "OPENAI_API_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "-",
        "OLLAMA_BASE_URL": url,
    }


def wait_until_up(http: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    """Raises RuntimeError if it ends, or does not answer within _START_S."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if http.get("/health").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    raise RuntimeError("Open WebUI did not start")


def ask_all(http: httpx.Client, question: str) -> Iterator[tuple[str, str]]:
    """Ask by each connection: its name, and the streamed answer.

    Raises RuntimeError if there is no model or answer, and httpx.HTTPError.
    """
    login = http.post("/api/v1/auths/signin", json={"email": "", "password": ""}).raise_for_status()
    http.headers["Authorization"] = f"Bearer {login.json()['token']}"
    names = [entry["id"] for entry in http.get("/openai/models").raise_for_status().json()["data"]]
    tags = [entry["model"] for entry in http.get("/ollama/api/tags").raise_for_status().json()["models"]]
    shown = [entry["id"] for entry in http.get("/api/models").raise_for_status().json()["data"]]
    if not names or not tags or names[0] not in shown:
        raise RuntimeError(f"it lists {names} by OpenAI's API, {tags} by Ollama's, and shows {shown}")
    message = {"role": "user", "content": question}
    yield "OpenAI", ask(http, "/openai/chat/completions", names[0], message, max_tokens=_ANSWER_TOKENS)
    options = {"num_predict": _ANSWER_TOKENS}
    yield "Ollama", ask(http, "/ollama/api/chat", tags[0], message, options=options)
    yield "its own API", ask(http, "/api/chat/completions", shown[0], message, max_tokens=_ANSWER_TOKENS)


def ask(http: httpx.Client, path: str, model: str, message: dict[str, str], **fields: Any) -> str:
    """The text of a streamed answer: server-sent events of OpenAI, or Ollama's lines."""
    body = {"model": model, "messages": [message], "stream": True, **fields}
    parts: list[str] = []
    has_ended = False
    with http.stream("POST", path, json=body) as answer:
        if answer.is_error:
            raise RuntimeError(f"{path}: {answer.read().decode(errors='replace')[:500]}")
        for line in answer.iter_lines():
            data = line.removeprefix("data: ")
            if data == "[DONE]":
                has_ended = True
            elif data.startswith("{"):
                event = json.loads(data)
                choices = event.get("choices") or [{}]
                delta = event.get("message") or choices[0].get("delta") or {}
                parts.append(delta.get("content") or "")
                has_ended |= event.get("done") is True
    text = "".join(parts).strip()
    if not text or not has_ended:
        raise RuntimeError(f"{path} gave no whole answer: {text!r}")
    return text


if __name__ == "__main__":
    main()
