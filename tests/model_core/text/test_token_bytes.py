"""The bytes of single tokens, also of tokens that are a part of a character."""

import json
from pathlib import Path

import pytest
from tokenizers import AddedToken, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as Whole

from model_core.hub import embedded_model
from model_core.text.tokenizer import Tokenizer

TEXTS = ["Hello there.", "naïve café, Ελλάδα", "日本語 and 🦊👩‍👩‍👧", "a \ufffd b", "<0xE3>"]


def byte_level(folder: Path) -> Path:
    """A byte-level vocabulary as GPT-2's, which splits all characters beyond ASCII."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Whole(models.BPE({token: i for i, token in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken("<|end|>", special=True)])
    made.save(str(folder / "tokenizer.json"))
    return folder


def byte_fallback(folder: Path) -> Path:
    """A vocabulary of some letters with a byte fallback, as Llama's."""
    vocabulary = {"<unk>": 0} | {f"<0x{byte:02X}>": 1 + byte for byte in range(256)}
    for letter in "▁abcdehlort.\ufffd":
        vocabulary[letter] = len(vocabulary)
    made = Whole(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]  # type: ignore[list-item]
    )
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module", params=["byte level", "byte fallback", "embedded"])
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    made = {"byte level": byte_level, "byte fallback": byte_fallback, "embedded": lambda _: embedded_model()}
    return Tokenizer.from_folder(made[request.param](folder))


@pytest.mark.parametrize("text", TEXTS)
def test_bytes_of_tokens_add_up_to_the_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode("a" + text)
    if tokenizer.decode(ids) != "a" + text:
        pytest.skip("this vocabulary has no token for some of it")
    assert b"".join(map(tokenizer.token_bytes, ids)) == ("a" + text).encode()


def test_every_byte_is_the_bytes_of_a_token(tokenizer: Tokenizer) -> None:
    known = json.loads(tokenizer.definition()[0])["model"]["vocab"]
    bytes_of_tokens = {tokenizer.token_bytes(token_id) for token_id in known.values()}
    assert {bytes([byte]) for byte in range(256)} <= bytes_of_tokens


def test_bytes_of_a_special_token_are_its_name(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(byte_level(tmp_path))
    assert tokenizer.token_bytes(256) == b"<|end|>"
