"""RWKV's tokenizer: greedy longest matches, whole characters, damaged files, and answers with it."""

import random
from pathlib import Path

import numpy as np
import pytest
import rwkv7

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, ModelError
from model_core.families.config import write_json
from model_core.files.gguf.tokenizer import open_tokenizer
from model_core.files.safetensors import write_safetensors
from model_core.requests.messages import parse_messages
from model_core.text.rwkv_tokenizer import VOCABULARY_NAME, RwkvTokenizer

WORDS = [" ", "the", " the", "then", "there", " th", "\n\n", "é", "日本", "a'b", 'a"', "aaaa", "aa", "User:"]
RANKS = {"w": 6, "a": 5, "v": 4, "g": 7}
TEMPLATE = "{% for m in messages %}{{ m.role | title }}: {{ m.content }}\n\n{% endfor %}Assistant:"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small vocabulary: all bytes, some words, and a part of a character."""
    tokens = [bytes([byte]) for byte in range(256)] + [word.encode() for word in WORDS[1:]] + [b"\xe6\x97"]
    lines = []
    for number, token in enumerate(tokens, 1):
        try:
            literal = repr(token.decode())
        except UnicodeDecodeError:
            literal = repr(token)
        lines.append(f"{number} {literal} {len(token)}\n")
    (tmp_path / VOCABULARY_NAME).write_text("".join(lines), encoding="utf-8")
    return tmp_path


def match_greedily(tokens: dict[int, bytes], data: bytes) -> list[int]:
    """The longest token at each place, found by trying all."""
    ids = []
    while data:
        token_id = max(
            (i for i, token in tokens.items() if data.startswith(token)), key=lambda i: len(tokens[i])
        )
        ids.append(token_id)
        data = data[len(tokens[token_id]) :]
    return ids


def test_longest_token_wins_at_each_place(folder: Path) -> None:
    tokenizer, choose = RwkvTokenizer.from_folder(folder), random.Random(0)
    (vocabulary,) = tokenizer.definition()
    assert [tokenizer.token_bytes(i) for i in tokenizer.encode(" there then thx")] == [
        *(b" the", b"r", b"e", b" the", b"n", b" th", b"x")
    ]
    for _ in range(200):
        text = "".join(choose.choice([*WORDS, "t", "h", "e", "日", "本", "🙂"]) for _ in range(20))
        ids = tokenizer.encode(text)
        assert ids == match_greedily(vocabulary, text.encode())
        assert tokenizer.decode(ids) == text
    with pytest.raises(InvalidRequest):
        tokenizer.encode("\ud800")


def test_parts_of_characters_are_bytes(folder: Path) -> None:
    tokenizer = RwkvTokenizer.from_folder(folder)
    part, rest = tokenizer.encode("日")
    assert (tokenizer.token_bytes(part), tokenizer.token_bytes(rest)) == (b"\xe6\x97", b"\xa5")
    assert tokenizer.decode_token(part) == tokenizer.token_text(rest) == "\ufffd"
    assert tokenizer.decode([0]) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 '\\x00' 1", "1 '\\x00' 2"),
        ("1 '\\x00' 1", "1 open('/etc/passwd') 1"),
        ("1 '\\x00' 1", "one '\\x00' 1"),
        ("1 '\\x00' 1", "1 ['x'] 1"),
        ("1 '\\x00' 1", "0 '\\x00' 1"),
        ("1 '\\x00' 1\n", ""),
        ("1 '\\x00' 1", "nonsense"),
    ],
)
def test_damaged_vocabulary_is_refused(folder: Path, old: str, new: str) -> None:
    path = folder / VOCABULARY_NAME
    text = path.read_text(encoding="utf-8")
    assert text.startswith(old)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelError, match="is damaged"):
        RwkvTokenizer.from_folder(folder)


def gguf_metadata(folder: Path) -> dict[str, object]:
    """The tokenizer of a folder as llama.cpp's converter writes it: tokens in Python's notation for bytes."""
    (vocabulary,) = RwkvTokenizer.from_folder(folder).definition()
    tokens = list(vocabulary.values())
    return {
        "tokenizer.ggml.model": "rwkv",
        "tokenizer.ggml.tokens": ["<s>", *(repr(token)[2:-1] for token in tokens), "[PAD]"],
        "tokenizer.ggml.token_type": np.array([3, *[1] * len(tokens), 5]),
        "tokenizer.chat_template": "rwkv-world",
    }


def test_gguf_files_have_the_same_tokens(folder: Path) -> None:
    expected = RwkvTokenizer.from_folder(folder)
    tokenizer = open_tokenizer(gguf_metadata(folder), folder / "model.gguf", 100)
    assert tokenizer.tokenizer.definition() == expected.definition()
    prompt = tokenizer.encode_chat(parse_messages([{"role": "user", "content": " the 日本 "}]))
    assert prompt.token_ids == expected.encode("User: the 日本\n\nAssistant:")
    tokenizer.close()


@pytest.mark.parametrize(
    ("token", "message"), [("\\x0", r"has '.*', which is no token"), ("ab", "lacks 1 of the 256 bytes")]
)
def test_damaged_tokens_of_gguf_files_are_refused(folder: Path, token: str, message: str) -> None:
    metadata = gguf_metadata(folder)
    metadata["tokenizer.ggml.tokens"][1] = token
    del metadata["tokenizer.chat_template"]
    with pytest.raises(ModelError, match=rf"model\.gguf: .*{message}"):
        open_tokenizer(metadata, folder / "model.gguf", 100)


def test_model_answers_in_text(folder: Path) -> None:
    sizes = {"vocab_size": 280, "hidden": 32, "inner": 48, "layers": 2, "head": 8}
    write_safetensors(folder / "model.safetensors", rwkv7.random_tensors(**sizes, ranks=RANKS, seed=0))
    names = {"w": "decay", "a": "a", "v": "v", "g": "gate"}
    config = {f"{names[x]}_low_rank_dim": rank for x, rank in RANKS.items()}
    config |= {"model_type": "rwkv7", "vocab_size": 280, "hidden_size": 32, "intermediate_size": 48}
    write_json(folder / "config.json", config | {"num_hidden_layers": 2, "head_dim": 8})
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    messages = [{"role": "user", "content": "the 日本"}]
    params = SamplingParams(max_tokens=60, temperature=1.5, seed=1, ignore_eos=True)
    with LLM(folder) as llm:
        assert llm.tokenizer.decode(llm.encode_chat(messages).token_ids) == "User: the 日本\n\nAssistant:"
        completion = llm.chat(messages, params)
        assert "".join(llm.stream_chat(messages, params)) == completion.text
        assert completion.text.rstrip("\ufffd") in llm.tokenizer.decode(completion.token_ids)
        with_logprobs = llm.generate("the", SamplingParams(max_tokens=5, logprobs=2))
        assert len(with_logprobs.logprobs) == len(with_logprobs.token_ids)
