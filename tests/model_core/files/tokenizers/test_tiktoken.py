"""Files in the form of tiktoken, beside the package tiktoken with what the makers' code gives it."""

import base64
import os
import random
import sys
import unicodedata
from pathlib import Path

import pytest
import tiktoken
from test_folder import make_ranks, make_texts, open_tokenizer, write_config

from model_core.errors import ModelError
from model_core.files.tokenizers.folder import open_folder_tokenizer

FUZZ = int(os.environ.get("FUZZ_TIKTOKEN", "3000"))
END = r"\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
# As in the makers' code.
LLAMA3 = rf"{WORDS}|\p{{N}}{{1,3}}|{SYMBOLS}|{END}"
QWEN = rf"{WORDS}|\p{{N}}|{SYMBOLS}|{END}"
LETTERS = r"\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]"
KIMI = "|".join(
    [
        r"[\p{Han}]+",
        rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}{LETTERS}]*[\p{{Ll}}{LETTERS}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}{LETTERS}]+[\p{{Ll}}{LETTERS}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        SYMBOLS,
        END,
    ]
)
# name of the file, tokenizer_class -> expression, control tokens behind the ranks
KINDS = {
    ("tokenizer.model", None): (LLAMA3, ["<|begin_of_text|>", "<|end_of_text|>"]),
    ("tokenizer.model", "PreTrainedTokenizerFast"): (LLAMA3, ["<|begin_of_text|>", "<|end_of_text|>"]),
    ("qwen.tiktoken", "QWenTokenizer"): (
        QWEN,
        ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|extra_0|>"],
    ),
    ("qwen.tiktoken", None): (QWEN, ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|extra_0|>"]),
    ("tiktoken.model", "TikTokenTokenizer"): (KIMI, []),
    ("tiktoken.model", None): (KIMI, []),
    ("tokenizer.model", "ChatGLM4Tokenizer"): (LLAMA3, []),
}
MORE = [
    "北京Pascal混合 汉字 abc",
    "\uff21\uff22 ñandú'S it'LL 'Ve",
    "日本語とカナ 한국어",
    "a\r\nb\r\n\r\n  c",
    "x" * 50,
    "aaaaaaa",
    "12345678",
]


def write_ranks(path: Path, ranks: dict[bytes, int]) -> None:
    lines = [base64.b64encode(word) + b" %d\n" % rank for word, rank in ranks.items()]
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize("name, class_name", KINDS)
def test_tokens_are_those_of_tiktoken(tmp_path: Path, name: str, class_name: str | None) -> None:
    pattern, control = KINDS[name, class_name]
    ranks = make_ranks()
    write_ranks(tmp_path / name, ranks)
    write_config(tmp_path, **({} if class_name is None else {"tokenizer_class": class_name}))
    special = {token: len(ranks) + i for i, token in enumerate(control)}
    reference = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    tokenizer = open_tokenizer(tmp_path)
    characters = [chr(i) for i in range(sys.maxunicode) if unicodedata.category(chr(i))[0] not in "C"][::97]
    choose = random.Random(7)
    mixed = ["".join(choose.choices(characters + list("  \n\tabAB'sd12中"), k=12)) for _ in range(2000)]
    begin = [len(ranks)] if pattern == LLAMA3 and control else []
    for text in [*make_texts(), *MORE, *mixed]:
        text = unicodedata.normalize("NFC", text) if pattern == QWEN else text
        expected = reference.encode(text)
        assert tokenizer.encode(text) == [*begin, *expected], text
        assert tokenizer.decode(expected) == text
    for token, token_id in special.items():
        ids = tokenizer.encode(f"a{token}b", add_special_tokens=False)
        assert ids == reference.encode(f"a{token}b", allowed_special="all") and token_id in ids


def test_control_tokens_of_llama_3(tmp_path: Path) -> None:
    """Source: tokenizer.json of Llama 3.1, whose first control token is 128000."""
    write_ranks(tmp_path / "tokenizer.model", make_ranks())
    tokenizer, first = open_tokenizer(tmp_path), len(make_ranks())
    ids = {"<|end_of_text|>": 1, "<|finetune_right_pad_id|>": 4, "<|start_header_id|>": 6, "<|eot_id|>": 9}
    ids |= {"<|python_tag|>": 10, "<|reserved_special_token_3|>": 11, "<|reserved_special_token_247|>": 255}
    for name, number in ids.items():
        assert tokenizer.encode(name, add_special_tokens=False) == [first + number]
    assert tokenizer.eos_token_id == first + 1


def test_control_tokens_of_the_folder(tmp_path: Path) -> None:
    ranks = make_ranks()
    write_ranks(tmp_path / "tiktoken.model", ranks)
    names = {"[BOS]": 0, "[EOS]": 1, "<|im_end|>": 2}
    added = {str(len(ranks) + i): {"content": name, "special": True} for name, i in names.items()}
    write_config(tmp_path, tokenizer_class="TikTokenTokenizer", eos_token="[EOS]", added_tokens_decoder=added)
    tokenizer = open_tokenizer(tmp_path)
    assert tokenizer.eos_token_id == len(ranks) + 1
    assert tokenizer.encode("<|im_end|>[BOS]") == [len(ranks) + 2, len(ranks)]
    assert tokenizer.encode(f"<|reserved_token_{len(ranks) + 3}|>") == [len(ranks) + 3]


def test_other_classes_are_refused(tmp_path: Path) -> None:
    write_ranks(tmp_path / "hy.tiktoken", make_ranks())
    write_config(tmp_path, tokenizer_class="HYTokenizer")
    with pytest.raises(ModelError, match=r"hy\.tiktoken has the ranks of a 'HYTokenizer', of which LlamaTok"):
        open_folder_tokenizer(tmp_path)
    (tmp_path / "hy.tiktoken").unlink()
    many = make_ranks()
    many |= {b"%d" % (2**20 + i): len(many) + i for i in range(128_001)}
    write_ranks(tmp_path / "tokenizer.model", many)
    write_config(tmp_path)
    with pytest.raises(ModelError, match="a LlamaTokenizer has 128000 at most"):
        open_folder_tokenizer(tmp_path)


def test_damaged_files_give_one_clear_sentence_or_the_same_tokens(tmp_path: Path) -> None:
    """A damage is found, or it has changed single tokens into others."""
    path, choose = tmp_path / "tiktoken.model", random.Random(11)
    ranks = {word: rank for word, rank in make_ranks().items() if rank < 300}
    write_ranks(path, ranks)
    data, outcomes = path.read_bytes(), {"read": 0, "refused": 0}
    for number in range(FUZZ):
        changed = bytearray(data)
        for _ in range(choose.choice((1, 1, 2, 20))):
            at = choose.randrange(len(changed))
            changed[at : at + choose.choice((0, 1, 1, 40))] = choose.randbytes(choose.choice((0, 1, 1, 5)))
        path.write_bytes(changed)
        try:
            tokenizer = open_tokenizer(tmp_path)
        except ModelError as error:
            outcomes["refused"] += 1
            assert str(path) in str(error) and len(str(error).splitlines()) == 1, number
        else:
            outcomes["read"] += 1
            words = dict(
                (base64.b64decode(word), int(rank))
                for word, rank in map(bytes.split, bytes(changed).splitlines())
            )
            reference = tiktoken.Encoding("test", pat_str=KIMI, mergeable_ranks=words, special_tokens={})
            assert tokenizer.encode("the quick 北京") == reference.encode("the quick 北京"), number
    assert min(outcomes.values()) > FUZZ / 50, outcomes
