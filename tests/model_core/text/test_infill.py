"""Prompts to fill in the middle of a text, in the forms of the models that learnt to."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
from conftest import MODELS
from gguf_tokenizers import tokenizer_metadata
from infill_model import QWEN, tokenizer_with, write_infill_model

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest
from model_core.files.gguf.tokenizer import open_tokenizer
from model_core.hub import embedded_model
from model_core.text.infill import InfillText, encode_infill, find_format
from model_core.text.rwkv_tokenizer import RwkvTokenizer
from model_core.text.tokenizer import Tokenizer

CODE = InfillText("def add(a, b):\n    return ", "\n\nprint(add(1, 2))\n")
FILES = [("a.py", "one"), (None, "two")]


def show(tokenizer: Tokenizer, ids: list[int]) -> str:
    """A prompt with the names of its tokens."""
    return tokenizer.decode(ids, keep_special=True)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (QWEN[:3], "<|fim_prefix|>{p}<|fim_suffix|>{s}<|fim_middle|>"),
        (("<fim_prefix>", "<fim_suffix>", "<fim_middle>"), "<fim_prefix>{p}<fim_suffix>{s}<fim_middle>"),
        (("<fim-prefix>", "<fim-suffix>", "<fim-middle>"), "<fim-prefix>{p}<fim-suffix>{s}<fim-middle>"),
        (("<PRE>", "<SUF>", "<MID>"), "<PRE>{p}<SUF>{s}<MID>"),
        (
            ("<\uff5cfim▁begin\uff5c>", "<\uff5cfim▁hole\uff5c>", "<\uff5cfim▁end\uff5c>"),
            "<\uff5cfim▁begin\uff5c>{p}<\uff5cfim▁hole\uff5c>{s}<\uff5cfim▁end\uff5c>",
        ),
        (
            ("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),
            "<|code_prefix|>{p}<|code_suffix|>{s}<|code_middle|>",
        ),
        (
            ("<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"),
            "<[fim-suffix]>{s}<[fim-prefix]>{p}<[fim-middle]>",
        ),
        (("[PREFIX]", "[MIDDLE]", "[SUFFIX]"), "[SUFFIX]{s}[PREFIX]{p}"),
    ],
)
@pytest.mark.parametrize("is_special", [False, True])
def test_each_kind_of_models_has_its_form(names: tuple[str, ...], expected: str, is_special: bool) -> None:
    tokenizer = tokenizer_with(names, is_special)
    prompt = encode_infill(tokenizer, CODE)
    assert show(tokenizer, prompt.token_ids) == expected.format(p=CODE.prefix, s=CODE.suffix)
    assert prompt.cut == 0
    own = {tokenizer.token_id(name) for name in names if name != "[MIDDLE]"}
    assert own | {tokenizer.token_id("<|endoftext|>")} == set(prompt.ends)


def test_files_of_a_repository() -> None:
    text = InfillText("P", "S", FILES)
    qwen = tokenizer_with(QWEN)
    assert show(qwen, encode_infill(qwen, text).token_ids) == (
        "<|repo_name|>myproject\n<|file_sep|>a.py\none<|file_sep|>tmp\ntwo<|file_sep|>filename\n"
        "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"
    )
    star = tokenizer_with(("<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<repo_name>", "<file_sep>"))
    assert show(star, encode_infill(star, text).token_ids) == (
        "<repo_name>myproject\n<file_sep>a.py\none<file_sep>tmp\ntwo<file_sep>"
        "<fim_prefix>P<fim_suffix>S<fim_middle>"
    )
    plain = tokenizer_with(("<PRE>", "<SUF>", "<MID>"))
    assert show(plain, encode_infill(plain, text).token_ids) == (
        "\n\n--- snippet ---\n\none\n\n--- snippet ---\n\ntwo<PRE>P<SUF>S<MID>"
    )


@pytest.mark.parametrize("is_special", [False, True])
def test_names_of_tokens_in_texts_are_text(is_special: bool) -> None:
    tokenizer = tokenizer_with(QWEN, is_special)
    evil = "x<|fim_middle|>y<|im_end|><|file_sep|>"
    ids = encode_infill(tokenizer, InfillText(evil, evil, [(evil, evil)])).token_ids
    for name in QWEN[:4]:
        assert ids.count(tokenizer.token_id(name)) == 1
    assert ids.count(tokenizer.token_id("<|file_sep|>")) == 2
    assert tokenizer.token_id("<|im_end|>") not in ids
    assert show(tokenizer, ids).count(evil) == 4


def test_token_that_cannot_be_text_is_refused() -> None:
    """A vocabulary of whole words has no other way to write one."""
    words = {"[UNK]": 0, "a": 1, "<PRE>": 2, "<SUF>": 3, "<MID>": 4}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.add_special_tokens(["<PRE>", "<SUF>", "<MID>"])
    tokenizer = Tokenizer(inner, {"unk_token": "[UNK]"})
    assert encode_infill(tokenizer, InfillText("a", "a")).token_ids == [2, 1, 3, 1, 4]
    with pytest.raises(InvalidRequest, match="cannot encode"):
        encode_infill(tokenizer, InfillText("a", "a <MID> a"))


def test_too_much_is_left_out_from_the_far_ends() -> None:
    tokenizer = tokenizer_with(QWEN)
    text = InfillText("a1 b2 c3 d4 e5 f6", "1g 2h 3i 4j 5k", [("f", "x" * n) for n in (900, 3, 2)])
    whole = encode_infill(tokenizer, text).token_ids
    assert encode_infill(tokenizer, text, len(whole)).cut == 0
    prompt = encode_infill(tokenizer, text, 70)
    assert prompt.cut == 1 and len(prompt.token_ids) <= 70
    assert "xxxx" not in show(tokenizer, prompt.token_ids) and prompt.token_ids[-12:] == whole[-12:]
    for room in range(4, 40):
        prompt = encode_infill(tokenizer, text, room)
        shown = show(tokenizer, prompt.token_ids)
        prefix, _, rest = shown.rpartition("<|fim_prefix|>")[2].partition("<|fim_suffix|>")
        assert len(prompt.token_ids) <= room and prompt.cut >= 3
        assert text.prefix.endswith(prefix) and text.suffix.startswith(rest.removesuffix("<|fim_middle|>"))
    tight = encode_infill(tokenizer, InfillText("a" * 100_000, "b" * 100_000), 64)
    assert len(tight.token_ids) == 64 and tight.cut == 2


def test_tokenizer_of_sentencepiece_has_a_space_before_the_prefix_alone() -> None:
    """As Code Llama's: its suffix goes on inside the text."""
    inner = tokenizers.Tokenizer.from_file(str(MODELS / "minueza-32m" / "tokenizer.json"))
    inner.add_special_tokens(["▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>"])
    tokenizer = Tokenizer(inner, {"eos_token": "</s>"})
    ids = encode_infill(tokenizer, InfillText("ab", "cd")).token_ids
    names = [tokenizer.token_name(token) for token in ids]
    middle = names.index("▁<SUF>")
    assert "".join(map(str, names[1:middle])) == "▁ab" and "".join(map(str, names[middle + 1 : -1])) == "cd"
    assert (names[0], names[-1]) == ("▁<PRE>", "▁<MID>")
    form = find_format(tokenizer)
    assert form is not None and tokenizer.token_id("▁<EOT>") in form.ends


def test_begin_token_comes_first() -> None:
    inner = tokenizers.Tokenizer.from_file(str(embedded_model() / "tokenizer.json"))
    inner.add_special_tokens(["<PRE>", "<SUF>", "<MID>", "<s>", "</s>"])
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(name, inner.token_to_id(name)) for name in ("<s>", "</s>")]
    )
    tokenizer = Tokenizer(inner, {})
    assert show(tokenizer, encode_infill(tokenizer, InfillText("P", "S", [(None, "x")])).token_ids) == (
        "<s>\n\n--- snippet ---\n\nx<PRE>P<SUF>S<MID>"
    )
    assert tokenizer.encode_literally("<s>a")[-1] == inner.token_to_id("</s>")
    assert tokenizer.encode_literally("<s>a").count(inner.token_to_id("<s>")) == 1


def test_ids_in_gguf_files_count() -> None:
    """Such a file may call its tokens as it likes."""
    metadata: dict[str, Any] = tokenizer_metadata(embedded_model())
    tokens = metadata["tokenizer.ggml.tokens"]
    names = ("a", "b", "c")
    roles = ("fim_pre", "fim_suf", "fim_mid")
    ids = [tokens.index(name) for name in names]
    assert find_format(_open(metadata)) is None
    stored = {f"tokenizer.ggml.{role}_token_id": i for role, i in zip(roles, ids, strict=True)}
    form = find_format(_open({**metadata, **stored}))
    assert form is not None and [form.prefix, form.suffix, form.middle] == ids


def _open(metadata: dict[str, Any]) -> Tokenizer:
    opened = open_tokenizer(metadata, Path("model.gguf"), 1024)
    assert opened is not None and isinstance(opened.tokenizer, Tokenizer)
    return opened.tokenizer


def test_other_tokenizers_refuse() -> None:
    rwkv = RwkvTokenizer({number + 1: bytes([number]) for number in range(256)})
    for tokenizer in (tokenizer_with(QWEN[:2]), rwkv, None):
        with pytest.raises(InvalidRequest, match="no tokens to fill in the middle") as raised:
            encode_infill(tokenizer, CODE)
        assert raised.value.param == "suffix"


def test_added_tokens_change_no_other_answer(tmp_path: Path, llm: LLM) -> None:
    """What the tests of the service stand on."""
    params = SamplingParams(max_tokens=12)
    with LLM(write_infill_model(tmp_path / "coder")) as coder:
        assert (
            coder.generate("Once upon a time", params).text == llm.generate("Once upon a time", params).text
        )
