"""Each message that the page about failures quotes is one that the program can print."""

import ast
import functools
import re

import pytest
from paths import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
CELL = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
MESSAGES = CELL.findall(PAGE.read_text())
PACKAGES = ("model_core", "triton_server", "streamlit_client")
CHANGES = "\x00"  # what a message has in the place of a value


@functools.cache
def written_texts() -> tuple[str, ...]:
    """Each text of the code, as it is printed."""
    trees = [ast.parse(path.read_text()) for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    texts = (_text(node) for tree in trees for node in ast.walk(tree))
    return tuple(text for text in texts if text is not None)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else CHANGES for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None and right is None else (left or CHANGES) + (right or CHANGES)
    return None


def is_printed(message: str) -> bool:
    """Whether some text of the code is, or contains, the message; `...` stands for values."""
    pieces = [re.escape(piece) for piece in message.split("...")]
    pattern = re.compile(f"[^{CHANGES}]*{CHANGES}+".join(pieces))
    return any(pattern.search(text) for text in written_texts())


@pytest.mark.parametrize("message", MESSAGES)
def test_message_is_printed(message: str) -> None:
    assert is_printed(message)


def test_other_words_are_not_printed() -> None:
    assert len(MESSAGES) > 30
    assert not is_printed("the server is full: ... requests run and ... sleep")
    assert not is_printed("the server is full: 3 requests run")
