"""The commands and programs of the documentation, and which of them a test leaves out, with the reason."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"<<'?(\w+)'?")

# What stands in a command, and why it is not run here. test_documents.py checks the flags of all.
LEFT_OUT_COMMANDS = {
    r"tritonchat (up|serve|ui|proxy|cluster|mcp)\b": "runs until it is ended; many tests start such",
    r"tritonchat (recommend|bench)\b": "measures the machine, which takes a while",
    r"tritonchat quantize\b|\./my-model": "the model is the reader's own",
    r"tritonchat (pull|rm)\b|huggingface\.co|owner/name": "needs the network",
    r"unsloth/": "needs a model of some GiB",
    r"tritonchat chat\b": "talks to a person; test_terminal.py does",
    r"tritonchat doctor\b": "what it says depends on the ports of the machine",
    r"tritonchat servers\b": "changes a proxy that runs; test_fleet.py does",
    r"tritonchat (verify|audit|diff)\b|receipts|key\.json": "needs a log of receipts",
    r"rerank|/v1/score|embed_sparse": "needs a reranker",
    r"\$\(openssl|/etc/|/opt/|/var/|systemctl|journalctl|systemd": "sets up a machine, as root",
    r"\bapt\b|git clone|git pull|^cd |\bgit show\b": "needs the network, or a history",
    r"pip install|pipx |uv |uvx |python3 -m venv|vllm-env|--wheel": "installs packages",
    r"docker|buildah|kubectl|helm |ray start|smg |open-webui": "needs another program",
    r"chat\.example|10\.0\.0\.|postgresql://": "the machine is the reader's own",
    r"^export ": "its value is the reader's own",
    r"^make |benchmarks/": "takes minutes",
    r"\.venv-torch/bin/python": "needs PyTorch, which the tests do without",
    r"/adapters/|load_lora_adapter": "the adapter is the reader's own",
    r"manual\.(txt|safetensors)|question\.txt": "the text is the reader's own",
}
LEFT_OUT_PROGRAMS = {
    r'^(with |llm = )?LLM\("path/to/': "the model is the reader's own",
    r"suffix=": "needs a model of code",
    r"import base64|image_url": "needs a model that sees",
    r'"mcp"|server_label': "needs an MCP server",
    r"vector_stores": "needs a model that embeds, and the reader's file; test_file_search.py does the same",
}


@dataclass(frozen=True)
class Block:
    """A block of code of a page, and the text block that follows it at once: what it prints."""

    language: str
    text: str
    output: str | None = None


def read_blocks(page: str) -> list[Block]:
    """All blocks of a page, in their order."""
    found = [*_BLOCK.finditer(page)]
    blocks = []
    for block, after in zip(found, [*found[1:], None], strict=False):  # no block: nothing follows
        follows = after is not None and after[2] == "text" and not page[block.end() : after.start()].strip()
        indent = len(block[1])
        text = "".join(line[indent:] for line in block[3].splitlines(keepends=True))
        blocks.append(Block(block[2], text, after[3] if follows and after is not None else None))
    return blocks


def split_commands(script: str) -> Iterator[str]:
    """Each command of a script, with the lines that belong to it. Comments are left out."""
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        text = "\n".join(lines)
        if not _is_whole(text):
            continue
        lines = []
        if not text.strip().startswith("#") and text.strip():
            yield text
    assert not lines, f"this command does not end: {lines}"


def _is_whole(text: str) -> bool:
    if text.endswith("\\"):
        return False
    heredoc = _HEREDOC.search(text)
    if heredoc is not None:
        return text.endswith(f"\n{heredoc[1]}")
    try:
        shlex.split(text, comments=True)
    except ValueError:  # a quotation is open
        return False
    return True


def find_reason(text: str, reasons: dict[str, str]) -> str | None:
    """The pattern by which a command or program is left out; None for one that is run."""
    return next((pattern for pattern in reasons if re.search(pattern, text, re.MULTILINE)), None)
