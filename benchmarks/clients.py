"""Ask a running service a question with the programs that people have, each as it is published.

    PYTHONPATH=.:tests:tests/helpers/servers:tests/helpers/models python benchmarks/clients.py
    python benchmarks/clients.py --url http://127.0.0.1:8080    # a service with a model of yours

Without --url it serves a model that recites: it calls a tool where it is given some, and reports the
result. So agents go through a call and an answer. Agents send prompts of 10,000 tokens or more. A program
that is not on PATH is left out. They are published on npm (@openai/codex, opencode-ai, @continuedev/cli,
@anthropic-ai/claude-code) and on PyPI (aider-chat, lm-eval[api], open-webui). Each has its own home.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

QUESTION = "Say hello in one short sentence. Use no tools."
_CONTEXT = 400_000  # of the model that recites: its tokens are short
TASK = Path(__file__).parent / "lm_eval"
OPEN_WEBUI = Path(__file__).parent / "open_webui" / "ask.py"


@dataclass(frozen=True)
class Client:
    """A program that asks the service. `files` are written to its folder, which is its home, too.

    `program` is what must be on PATH, if that is not the command itself.
    """

    name: str
    command: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    program: str | None = None


def list_clients(url: str) -> list[Client]:
    """The programs, set up for the service at `url`."""
    codex = f"""model = "default"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "{url}/v1"
wire_api = "responses"
"""
    opencode = {
        "model": "here/default",
        "small_model": "here/default",
        "provider": {
            "here": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{url}/v1"},
                "models": {"default": {"limit": {"context": 32768, "output": 512}}},
            }
        },
    }
    model = {"name": "here", "provider": "openai", "model": "default", "apiBase": f"{url}/v1", "apiKey": "-"}
    continued = {"name": "here", "version": "1.0.0", "schema": "v1", "models": [model]}
    aider = ["--yes-always", "--no-check-update", "--no-show-model-warnings", "--no-analytics", "--no-git"]
    lm_eval = ["lm_eval", "--model", "local-completions", "--model_args"]
    lm_eval += [f"base_url={url}/v1/completions,model=default,tokenizer_backend=remote"]
    return [
        Client("codex", ["codex", "exec", QUESTION], {".codex/config.toml": codex}),
        Client(
            "opencode",
            ["opencode", "run", QUESTION],
            {".config/opencode/opencode.json": json.dumps(opencode)},
        ),
        Client("cn", ["cn", "--config", "here.yaml", "-p", QUESTION], {"here.yaml": json.dumps(continued)}),
        Client(
            "claude",
            ["claude", "-p", QUESTION],
            environment={
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_AUTH_TOKEN": "-",
                "ANTHROPIC_MODEL": "default",
                "ANTHROPIC_SMALL_FAST_MODEL": "default",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
        ),
        Client(
            "aider",
            ["aider", "--model", "openai/default", "--message", QUESTION, *aider],
            environment={"OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": "-"},
        ),
        Client("lm_eval", [*lm_eval, "--tasks", "sky", "--include_path", str(TASK)]),
        Client("open-webui", [sys.executable, str(OPEN_WEBUI), url, QUESTION], program="open-webui"),
    ]


def ask(client: Client, limit_s: float) -> tuple[bool, str]:
    """Run the program. Returns whether it succeeded, and the last of what it said."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in client.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "-q", folder], check=True)  # codex works in repositories only
        environment = {**os.environ, "HOME": folder, "CODEX_HOME": f"{folder}/.codex", **client.environment}
        try:
            process = subprocess.run(
                client.command,
                cwd=TASK.parent.parent
                if client.name == "lm_eval"
                else folder,  # its file is named from there
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=limit_s,
            )
        except subprocess.TimeoutExpired:
            return False, f"no answer within {limit_s:.0f} s"
    words = " ".join(process.stdout.decode(errors="replace").split())
    return process.returncode == 0 and bool(words), words[-300:]


def ask_all(clients: Sequence[Client], limit_s: float) -> int:
    """Ask with each program that is there, and print what it said. Returns how many have failed."""
    failed = 0
    for client in clients:
        if shutil.which(client.program or client.command[0]) is None:
            print(f"{client.name}: not on PATH")
            continue
        start = time.monotonic()
        succeeded, said = ask(client, limit_s)
        failed += not succeeded
        print(f"{client.name}: {'ok' if succeeded else 'FAILED'}, {time.monotonic() - start:.0f} s: {said}\n")
    return failed


@contextlib.contextmanager
def reciting_service() -> Iterator[str]:
    """A service with a model that recites. Yields its address."""
    from conftest import running_server
    from reciter import write_reciter

    with tempfile.TemporaryDirectory() as folder:
        model = write_reciter(Path(folder, "model"), context=_CONTEXT)
        with running_server("--model", str(model), log=Path(folder, "log")) as server:
            yield server.api_url


def main() -> None:
    """Ask with each program, and print what it said."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="the service's address")
    parser.add_argument("--limit", type=float, default=600, help="seconds that each may take")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = arguments.url or stack.enter_context(reciting_service())
        sys.exit(ask_all(list_clients(url), arguments.limit))


if __name__ == "__main__":
    main()
