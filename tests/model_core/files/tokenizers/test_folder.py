"""Tokenizers of folders without a tokenizer.json, beside the libraries that their publishers use."""

import base64
import json
import random
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers

from model_core.errors import InvalidRequest, ModelError
from model_core.files.gguf.pre_tokenizers import TEKKEN
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.text.byte_level import CHARACTER_BYTES
from model_core.text.tokenizer import Tokenizer

WORDS = [
    *("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog;", "Größe,", "naïve,", "北京"),
    *("and", "12345", "more", "-", "it's", "HERE\n"),
]
TEXTS = [
    "",
    " ",
    "a",
    "Hello  World\n\n  twice",
    "  a  \n  b \n c ",
    " leading and trailing ",
    "ünïcödé ﬁ ① 北京 🙂 \u200b\t|",
    "don't 1234 x=2.5",
    "HTTPServer camelCase",
]
AS_LLAMA = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}


def make_texts(count: int = 200) -> list[str]:
    """Lines of words in any order, the same at each time."""
    choose = random.Random(5)
    return TEXTS + [" ".join(choose.choices(WORDS, k=choose.randint(1, 20))) for _ in range(count)]


def open_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder that has one."""
    opened = open_folder_tokenizer(folder)
    assert opened is not None
    assert isinstance(opened.tokenizer, Tokenizer)
    return opened.tokenizer


def train_sentencepiece(folder: Path, **options: object) -> sentencepiece.SentencePieceProcessor:
    """Write a tokenizer.model, and return its reference."""
    folder.mkdir(exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(make_texts(400)),
        model_prefix=str(folder / "tokenizer"),
        minloglevel=2,
        **{"vocab_size": 320, "byte_fallback": True, "hard_vocab_limit": False, **options},
    )
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))


def write_config(folder: Path, **fields: object) -> None:
    """Write tokenizer_config.json."""
    (folder / "tokenizer_config.json").write_text(json.dumps(fields))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize(
    "options",
    [
        AS_LLAMA,
        {"normalization_rule_name": "identity"},
        {},
        {"add_dummy_prefix": False, "user_defined_symbols": ["<mark>"]},
    ],
    ids=["as Llama", "stripped", "normalized", "without prefix"],
)
def test_sentencepiece(tmp_path: Path, kind: str, options: dict[str, object]) -> None:
    reference = train_sentencepiece(tmp_path, model_type=kind, **options)
    tokenizer = open_tokenizer(tmp_path)
    for text in make_texts():
        expected = reference.encode(text)
        assert tokenizer.encode(text, add_special_tokens=False) == expected, text
        assert tokenizer.encode(text) == [reference.bos_id(), *expected]
        assert tokenizer.decode(expected) == reference.decode(expected)
    assert tokenizer.eos_token_id == reference.eos_id()


def test_settings_of_the_folder(tmp_path: Path) -> None:
    """Its added tokens, the ends of prompts, and the space before a text that follows a special token."""
    reference = train_sentencepiece(
        tmp_path, normalization_rule_name="identity", remove_extra_whitespaces=False
    )
    size = reference.vocab_size()
    added = {"content": "<|turn|>", "special": True}
    write_config(
        tmp_path,
        tokenizer_class="LlamaTokenizer",
        add_bos_token=False,
        legacy=False,
        eos_token="<|turn|>",
        added_tokens_decoder={"1": {"content": "<s>", "special": True}, str(size + 2): added},
    )
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<extra>": size}))
    tokenizer = open_tokenizer(tmp_path)
    assert tokenizer.encode("the dog") == reference.encode("the dog")
    assert tokenizer.eos_token_id == size + 2
    first, *middle, last = tokenizer.encode("<|turn|>the<extra>")
    assert (first, last) == (size + 2, size)
    # Without a space, of which "legacy" would put one there.
    assert "".join(map(reference.id_to_piece, middle)) == "the"
    assert tokenizer.decode(tokenizer.encode("<|turn|>the dog"), keep_special=True) == "<|turn|>the dog"


def test_a_text_without_a_space_before_it(tmp_path: Path) -> None:
    reference = train_sentencepiece(tmp_path, **AS_LLAMA)
    write_config(tmp_path, add_prefix_space=False, add_bos_token=False)
    found = open_tokenizer(tmp_path).encode("the dog")
    assert "".join(map(reference.id_to_piece, found)) == "the\u2581dog"


@pytest.mark.parametrize("name", ["BaichuanTokenizer", "InternLM2Tokenizer"])
def test_classes_of_published_code_are_the_model_of_sentencepiece(tmp_path: Path, name: str) -> None:
    """Their texts begin as the model says, and with a begin token if the settings do not say otherwise."""
    reference = train_sentencepiece(tmp_path, **AS_LLAMA)
    write_config(tmp_path, tokenizer_class=name)
    assert open_tokenizer(tmp_path).encode("the dog") == [reference.bos_id(), *reference.encode("the dog")]
    write_config(tmp_path, tokenizer_class=name, add_bos_token=False)
    assert open_tokenizer(tmp_path).encode("the dog") == reference.encode("the dog")


def test_classes_that_number_otherwise_are_refused(tmp_path: Path) -> None:
    train_sentencepiece(tmp_path)
    write_config(tmp_path, tokenizer_class="XLMRobertaTokenizer")
    with pytest.raises(ModelError, match=r"tokenizer\.model of a 'XLMRobertaTokenizer'"):
        open_folder_tokenizer(tmp_path)


@pytest.mark.parametrize("data", [b"", b"no message", b"\x0a\x03\x0a\x01a\xff", b"x" * 1000])
def test_what_is_no_model_of_sentencepiece(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "tokenizer.model").write_bytes(data)
    with pytest.raises(ModelError, match=r"tokenizer\.model is not a model of SentencePiece"):
        open_folder_tokenizer(tmp_path)


def train_byte_level(special: list[str] | None = None) -> tokenizers.Tokenizer:
    """A byte-level BPE, as GPT-2's."""
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        make_texts(400), vocab_size=500, show_progress=False, special_tokens=special or []
    )
    return tokenizer


@pytest.mark.parametrize("name", ["GPT2Tokenizer", "Qwen2TokenizerFast", None])
def test_vocabulary_and_merges(tmp_path: Path, name: str | None) -> None:
    reference = train_byte_level()
    reference.save_model(str(tmp_path))
    size = reference.get_vocab_size()
    added = {str(size): {"content": "<|end|>", "special": True}}
    fields = {} if name is None else {"tokenizer_class": name}
    write_config(tmp_path, eos_token="<|end|>", added_tokens_decoder=added, **fields)
    tokenizer = open_tokenizer(tmp_path)
    if name == "Qwen2TokenizerFast":
        assert tokenizer.encode("e\u0301") == tokenizer.encode("\u00e9")  # NFC
        assert len(tokenizer.encode("12345")) == 5  # digits one by one
    else:
        for text in make_texts():
            assert tokenizer.encode(text) == reference.encode(text).ids, text
    assert tokenizer.eos_token_id == size
    assert tokenizer.encode("a<|end|>")[-1] == size


@pytest.mark.parametrize("name", ["RobertaTokenizer", "BartTokenizerFast", "LongformerTokenizer"])
def test_roberta_has_ends_around_texts(tmp_path: Path, name: str) -> None:
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    reference = train_byte_level(special)
    reference.save_model(str(tmp_path))
    reference.post_processor = tokenizers.processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    write_config(tmp_path, tokenizer_class=name)
    tokenizer = open_tokenizer(tmp_path)
    for text in [*make_texts(), "a <mask> b", "<s>x</s>"]:
        assert tokenizer.encode(text) == reference.encode(text).ids, text
        assert tokenizer.encode_text(text, "the dog")[0] == reference.encode(text, "the dog").ids
    assert tokenizer.eos_token_id == 2


@pytest.mark.parametrize(
    "name, split",
    [
        ("GPTNeoXTokenizer", None),
        ("CohereTokenizerFast", r"\p{N}"),
        (
            "Qwen3_5Tokenizer",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+"
            r"[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ],
)
def test_classes_that_compose_characters(tmp_path: Path, name: str, split: str | None) -> None:
    reference = train_byte_level(["<|endoftext|>"])
    reference.save_model(str(tmp_path))
    reference.normalizer = tokenizers.normalizers.NFC()
    is_whole = name.startswith("Qwen")
    steps = [tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not is_whole)]
    if split is not None:
        steps.insert(0, tokenizers.pre_tokenizers.Split(tokenizers.Regex(split), "isolated"))
    reference.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(steps)
    write_config(tmp_path, tokenizer_class=name)
    tokenizer = open_tokenizer(tmp_path)
    for text in [*make_texts(), "e\u0301 123 \u0915\u093f x<|endoftext|>"]:
        if "<|" not in text or name != "CohereTokenizerFast":  # which has other special tokens
            assert tokenizer.encode(text) == reference.encode(text).ids, text


def test_unknown_classes_of_merges_are_refused(tmp_path: Path) -> None:
    train_byte_level().save_model(str(tmp_path))
    write_config(tmp_path, tokenizer_class="WhisperTokenizer")
    with pytest.raises(ModelError, match=r"merges\.txt of a 'WhisperTokenizer'"):
        open_folder_tokenizer(tmp_path)


def make_ranks() -> dict[bytes, int]:
    """Ranks of tokens: bytes, then those of a byte-level BPE in the order of its merges."""
    trained = train_byte_level()
    words = {bytes(CHARACTER_BYTES[c] for c in word): i for word, i in trained.get_vocab().items()}
    ranks = {bytes([byte]): byte for byte in range(256)}
    for word in sorted(words, key=words.__getitem__):
        ranks.setdefault(word, len(ranks))
    return ranks


def write_tekken(folder: Path, ranks: dict[bytes, int], **changes: object) -> None:
    """Write a tekken.json with 20 special tokens, and more ranks than it uses."""
    vocabulary = [
        {"rank": rank, "token_bytes": base64.b64encode(word).decode(), "token_str": None}
        for word, rank in ranks.items()
    ]
    config = {
        "pattern": TEKKEN,
        "num_vocab_tokens": len(ranks),
        "default_vocab_size": len(ranks) - 10 + 20,
        "default_num_special_tokens": 20,
        "version": "v3",
    }
    (folder / "tekken.json").write_text(json.dumps({"config": config, "vocab": vocabulary, **changes}))


def test_tekken(tmp_path: Path) -> None:
    ranks = make_ranks()
    write_tekken(tmp_path, ranks)
    used = {word: rank for word, rank in ranks.items() if rank < len(ranks) - 10}
    reference = tiktoken.Encoding("test", pat_str=TEKKEN, mergeable_ranks=used, special_tokens={})
    tokenizer = open_tokenizer(tmp_path)
    for text in make_texts():
        expected = [20 + token for token in reference.encode(text)]
        assert tokenizer.encode(text) == [1, *expected], text
        assert tokenizer.decode(expected) == text
    assert tokenizer.eos_token_id == 2
    assert tokenizer.encode("[INST]a[/INST]", add_special_tokens=False)[0] == 3
    stated = [{"rank": i, "token_str": name} for i, name in enumerate(("<unk>", "<s>", "</s>", "[THINK]"))]
    write_tekken(tmp_path, ranks, special_tokens=stated)
    assert open_tokenizer(tmp_path).encode("[THINK]") == [1, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {}},
        {"vocab": [{"rank": 0}]},
        {"vocab": [{"rank": 0, "token_bytes": "%"}]},
        {"special_tokens": [{"rank": i, "token_str": str(i)} for i in range(21)]},
        {"special_tokens": 7},
        *(
            {"config": {"default_num_special_tokens": count, "default_vocab_size": size, "pattern": TEKKEN}}
            for count, size in (
                (2**33, 2**33),
                (20, 2**63),
                (float("inf"), 300),
                (-1, 300),
                (20, 10),
                ("20", 300),
            )
        ),
    ],
)
def test_a_damaged_tekken_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    write_tekken(tmp_path, make_ranks(), **changes)
    with pytest.raises(ModelError, match=r"tekken\.json is damaged"):
        open_folder_tokenizer(tmp_path)


@pytest.mark.parametrize("name", ["tekken.json", "qwen.tiktoken"])
def test_a_token_of_a_million_bytes_takes_no_hours(tmp_path: Path, name: str) -> None:
    ranks = make_ranks()
    ranks[b"a" * 2**20] = len(ranks)
    if name == "tekken.json":
        write_tekken(tmp_path, ranks | {b"b%d" % i: len(ranks) + i for i in range(10)})
    else:
        lines = [base64.b64encode(word) + b" %d" % rank for word, rank in ranks.items()]
        (tmp_path / name).write_bytes(b"\n".join(lines))
    assert open_tokenizer(tmp_path).encode("a a", add_special_tokens=False)


@pytest.mark.parametrize("value", [float("inf"), 2**70, -1, None, "x"])
def test_numbers_of_added_tokens_that_are_none_are_refused(tmp_path: Path, value: object) -> None:
    train_sentencepiece(tmp_path)
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<extra>": value}))
    with pytest.raises(ModelError, match="is not an added token"):
        open_folder_tokenizer(tmp_path)


@pytest.mark.parametrize("name", ["tokenizer.model", "tekken.json", "vocab.json", "merges.txt"])
def test_damaged_files_are_refused_or_read(tmp_path: Path, name: str) -> None:
    """Whatever a file has, it is a sentence that says so, or a tokenizer that reads texts."""
    if name == "tokenizer.model":
        train_sentencepiece(tmp_path)
    elif name == "tekken.json":
        write_tekken(tmp_path, make_ranks())
    else:
        train_byte_level().save_model(str(tmp_path))
    file, choose = tmp_path / name, random.Random(3)
    data = file.read_bytes()
    for _ in range(100):
        changed = bytearray(data)
        for _ in range(choose.choice((1, 1, 3, 30))):
            at = choose.randrange(len(changed))
            changed[at : at + choose.choice((0, 1, 1, 50))] = choose.randbytes(choose.choice((0, 1, 1, 5)))
        file.write_bytes(changed)
        try:
            open_tokenizer(tmp_path).encode("the quick 北京")
        except (ModelError, InvalidRequest) as error:
            assert str(error).endswith(".")


def test_a_folder_without_any(tmp_path: Path) -> None:
    assert open_folder_tokenizer(tmp_path) is None
    (tmp_path / "merges.txt").write_text("")
    assert open_folder_tokenizer(tmp_path) is None
