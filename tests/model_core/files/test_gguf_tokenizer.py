"""The tokenizers in GGUF files: the same ids as the tokenizers that they were made of."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import MODELS
from gguf_tokenizers import tokenizer_metadata
from gguf_writer import write_gguf

from model_core.chat.template import ChatTemplate
from model_core.errors import InvalidRequest, ModelError
from model_core.files.gguf.config import read_generation_config
from model_core.files.gguf.metadata import Metadata
from model_core.files.gguf.reader import GGUFFile
from model_core.files.gguf.tokenizer import open_tokenizer
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.hub import embedded_model
from model_core.requests.messages import Message
from model_core.text.tokenizer import AnyTokenizer

TEXTS = [
    "",
    " ",
    "Hello world",
    "  leading and trailing  ",
    "a\n\n\nb \n \t\t c",
    "1234567 3.14 1,000",
    "I'm sure you're there. WE'VE won it's",
    "naïve café Ünïcode e\u0301",
    "你好\uff0c世界\uff01 こんにちは 안녕하세요",
    "Привет مرحبا नमस्ते",
    "🦙🦙 😀👩‍👩‍👧 ✅",
    "def f(x):\n    return x**2  # comment\n",
    "<|im_start|>user\nhi<|im_end|>\n<|start_story|>Once</s>",
    "▁under a▁b <0x0A> <unk>",
    "\x00\x01\u200b\u00a0",
    "CamelCaseAndMORE_snake-case/path.txt?a=b&c=%20",
]
MESSAGES = [
    Message(role="system", content="Be kind."),
    Message(role="user", content="Hi <|im_end|> there"),
    Message(role="assistant", content="Yes"),
]


def open_metadata(metadata: dict[str, Any]) -> AnyTokenizer:
    chat_tokenizer = open_tokenizer(metadata, Path("model.gguf"), 1024)
    assert chat_tokenizer is not None
    return chat_tokenizer.tokenizer


def test_control_tokens_of_wordpiece_are_written_as_they_are() -> None:
    """Some files have <s> and </s> where BERT has [CLS] and [SEP]."""
    tokens = ["<pad>", "<s>", "</s>", "[UNK]", "▁he", "llo", "▁<"]
    tokenizer = open_metadata(
        {
            "tokenizer.ggml.model": "bert",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": np.int32([3, 3, 3, 2, 1, 1, 1]),
            "tokenizer.ggml.unknown_token_id": 3,
            "tokenizer.ggml.padding_token_id": 0,
            "tokenizer.ggml.cls_token_id": 1,
            "tokenizer.ggml.seperator_token_id": 2,
        }
    )
    assert tokenizer.encode("hello<s>") == [1, 4, 5, 1, 2]


@pytest.mark.parametrize("name", ["embedded", "story", "minueza-32m"])
def test_ids_and_texts_are_those_of_the_folder(name: str) -> None:
    folder = embedded_model() if name == "embedded" else MODELS / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing")
    wanted, made = (
        open_folder_tokenizer(folder),
        open_tokenizer(tokenizer_metadata(folder), Path("model.gguf"), 1024),
    )
    assert made is not None and wanted is not None
    expected, tokenizer = wanted.tokenizer, made.tokenizer
    # The control tokens of the story teller are normalized as text is, which files cannot say.
    for text in [text for text in TEXTS if name != "story" or "<" not in text]:
        ids = expected.encode(text)
        assert tokenizer.encode(text) == ids, text
        assert tokenizer.decode(ids) == expected.decode(ids)
        assert tokenizer.encode_inside(text) == expected.encode_inside(text)
    assert tokenizer.eos_token_id == expected.eos_token_id
    assert tokenizer.control_token_ids == expected.control_token_ids
    assert tokenizer.all_token_bytes(500)[3:] == expected.all_token_bytes(500)[3:]
    if isinstance(wanted.chat_template, ChatTemplate):
        assert made.encode_chat(MESSAGES) == wanted.encode_chat(MESSAGES)
    made.close(), wanted.close()


def byte_level(**fields: Any) -> dict[str, Any]:
    """A tokenizer of letters, and a few words."""
    tokens = [
        *"abcdefghijklmnopqrstuvwxyz",
        "Ġ",
        "th",
        "the",
        "Ġthe",
        "<|end|>",
        "<tool>",
        "12",
        "1",
        "2",
        "3",
    ]
    values = {
        "model": "gpt2",
        "pre": "qwen2",
        "tokens": tokens,
        "token_type": np.array([3 if t == "<|end|>" else 4 if t == "<tool>" else 1 for t in tokens]),
        "merges": ["t h", "th e", "Ġ the", "1 2"],
        "eos_token_id": tokens.index("<|end|>"),
    } | fields
    return {f"tokenizer.ggml.{name}": value for name, value in values.items() if value is not None}


def words(tokenizer: AnyTokenizer, text: str) -> list[str]:
    return [tokenizer.token_text(token_id) for token_id in tokenizer.encode(text)]


@pytest.mark.parametrize("pre, digits", [("qwen2", ["1", "2", "3"]), ("llama-bpe", ["12", "3"])])
def test_the_file_says_how_texts_are_split(pre: str, digits: list[str]) -> None:
    tokenizer = open_metadata(byte_level(pre=pre))
    assert words(tokenizer, "the the123") == ["the", " the", *digits]


def test_digits_of_trinity_are_three_from_the_right() -> None:
    assert words(open_metadata(byte_level(pre="llama-bpe")), "1212") == ["12", "1", "2"]
    assert words(open_metadata(byte_level(pre="afmoe")), "1212") == ["1", "2", "12"]


def test_words_of_k_exaone_may_have_spaces() -> None:
    tokens = [*"a1", "Ġ", "aĠ", "Ġ1", "<|end|>"]
    fields = {"tokens": tokens, "token_type": np.ones(6, int), "eos_token_id": 5, "merges": ["a Ġ", "Ġ 1"]}
    assert words(open_metadata(byte_level(**fields, pre="gpt-2")), "a a 1") == ["a", " ", "a", " 1"]
    assert words(open_metadata(byte_level(**fields, pre="exaone-moe")), "a a 1") == ["a ", "a", " ", "1"]


def test_words_of_bloom_end_at_punctuation_alone() -> None:
    tokens = [*"e1.", "e1", "e.", "<|end|>"]
    fields = {"tokens": tokens, "token_type": np.ones(6, int), "eos_token_id": 5, "merges": ["e 1", "e ."]}
    assert words(open_metadata(byte_level(**fields, pre="gpt-2")), "e1e.") == ["e", "1", "e", "."]
    assert words(open_metadata(byte_level(**fields, pre="bloom")), "e1e.") == ["e1", "e", "."]


def test_an_unknown_way_to_split_texts_is_told(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = open_metadata(byte_level(pre="new"))
    assert "'new' to split texts" in caplog.text and "GPT-2's is taken" in caplog.text
    assert words(tokenizer, "the 12") == ["the", " ", "12"]


def test_tokens_that_are_whole_words_are_kept_where_the_model_does() -> None:
    merges = ["t h", "1 2"]
    assert words(open_metadata(byte_level(merges=merges)), "the") == ["th", "e"]
    assert words(open_metadata(byte_level(merges=merges, pre="llama-bpe")), "the") == ["the"]


def test_control_tokens_are_no_text_and_others_are() -> None:
    tokenizer = open_metadata(byte_level())
    ids = tokenizer.encode("a<|end|><tool>")
    assert tokenizer.decode(ids) == "a<tool>" and tokenizer.eos_token_id == ids[1]
    assert tokenizer.find_control_tokens(["<|end|>", "<tool>"]) == {"<|end|>": ids[1]}


@pytest.mark.parametrize("adds", [True, False])
def test_a_begin_token_is_added_if_the_file_says_so(adds: bool) -> None:
    tokenizer = open_metadata(byte_level(bos_token_id=30, add_bos_token=adds, add_eos_token=adds))
    assert tokenizer.encode("a") == ([30, 0, 30] if adds else [0])


def test_unigram_takes_the_tokens_with_the_best_sum_of_scores() -> None:
    tokens = ["<unk>", "</s>", "▁", "▁ab", "c", "▁a", "bc", "b", "a", *(f"<0x{i:02X}>" for i in range(256))]
    scores = [0, 0, -5, -2, -2, -1, -1.5, -4, -4, *[0] * 256]
    types = [2, 3, 1, 1, 1, 1, 1, 1, 1, *[6] * 256]
    fields = {"model": "t5", "tokens": tokens, "scores": np.array(scores, np.float32), "unknown_token_id": 0}
    tokenizer = open_metadata(byte_level(**fields, token_type=np.array(types), merges=None, eos_token_id=1))
    assert [tokens[i] for i in tokenizer.encode("abc")] == ["▁a", "bc"]
    assert tokenizer.decode(tokenizer.encode("abc a é")) == "abc a é"


@pytest.mark.parametrize(
    "fields, message",
    [
        (
            {"model": "plamo2"},
            "a tokenizer of the type 'plamo2'; gpt2, bert, llama, gemma4, t5, rwkv are supported",
        ),
        ({"tokens": ["a", "b", "a"], "token_type": None, "merges": []}, "tokens has 'a' twice"),
        ({"tokens": None}, "tokens should be a list"),
        ({"tokens": "abc"}, "tokens cannot be 'abc'"),
        ({"merges": 3}, "merges cannot be 3"),
        ({"token_type": np.array([1, 2])}, "token_type should have a number for each of 36 tokens"),
        ({"eos_token_id": "x"}, "eos_token_id cannot be 'x'"),
        ({"add_bos_token": 1}, "add_bos_token cannot be 1"),
        ({"model": "llama", "merges": None, "scores": np.full(36, np.nan, np.float32)}, "scores should have"),
    ],
)
def test_a_damaged_tokenizer_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as info:
        open_tokenizer(byte_level(**fields), Path("model.gguf"), 1024)
    assert "model.gguf" in str(info.value)


def test_with_a_damaged_chat_template_texts_are_continued(caplog: pytest.LogCaptureFixture) -> None:
    fields = byte_level() | {"tokenizer.chat_template": "{% if"}
    opened = open_tokenizer(fields, Path("model.gguf"), 1024)
    assert opened is not None
    assert opened.tokenizer.decode(opened.tokenizer.encode("the")) == "the"
    assert "chat template of model.gguf is damaged" in caplog.text
    with pytest.raises(InvalidRequest, match=r"chat template of model\.gguf is damaged"):
        opened.encode_chat([Message(role="user", content="a")])


def test_merges_of_unknown_tokens_are_left_out() -> None:
    tokenizer = open_metadata(byte_level(merges=["t h", "x y", "nothing", "", " ", "th e"]))
    assert words(tokenizer, "the") == ["the"]


def test_a_file_may_have_no_tokenizer() -> None:
    for metadata in ({}, {"tokenizer.ggml.model": "no_vocab"}, {"tokenizer.ggml.model": "none"}):
        assert open_tokenizer(metadata, Path("model.gguf"), 1024) is None


def test_end_tokens_are_found_by_their_names_too(tmp_path: Path) -> None:
    tokens = ["a", "</s>", "<|im_end|>", "<|im_end|> as text", "<|endoftext|>"]
    metadata = {
        "general.architecture": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": np.array([1, 3, 3, 1, 1]),
        "tokenizer.ggml.eos_token_id": 1,
        "general.sampling.temp": 0.5,
        "general.sampling.top_k": 20,
    }
    write_gguf(tmp_path / "a.gguf", metadata, {})
    config = read_generation_config(Metadata(GGUFFile(tmp_path / "a.gguf")))
    assert config == {"eos_token_id": [1, 2], "temperature": 0.5, "top_k": 20, "do_sample": True}
