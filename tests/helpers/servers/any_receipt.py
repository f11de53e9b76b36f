"""A receipt of an answer that nobody has given, signed by a key that nobody knows."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Timings, Usage
from model_core.requests.results import Completion
from triton_server.receipts.canonical import hash_json
from triton_server.receipts.keys import SigningKey
from triton_server.receipts.receipt import Facts, make_receipt


def make_any_receipt(model: str, content: dict[str, Any]) -> dict[str, Any]:
    """A whole one, of an answer of `model` to a request with this content."""
    completion = Completion("a", [1], "length", Usage(1, 1), Timings(0.0, 0.0, 0.0), 7)
    facts = Facts(model, "fp_x", {}, content, hash_json(content), [1], completion, AnswerParts())
    return make_receipt(facts, SigningKey(Ed25519PrivateKey.generate()), None)
