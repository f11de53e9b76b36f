"""How texts are split before byte-level BPE, by the names in tokenizer.ggml.pre of GGUF files.

The expressions are those of the models' own tokenizers (tokenizer.json).
"""

from tokenizers import Regex, pre_tokenizers

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_END = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def _llama3(digits: str, letters: str = r"\p{L}", symbols: str = r"[^\s\p{L}\p{N}]") -> str:
    """The expression of Llama 3. digits: of one token."""
    words = rf"[^\r\n\p{{L}}\p{{N}}]?{letters}+"
    return rf"{_CONTRACTIONS}|{words}|\p{{N}}{digits}| ?{symbols}+[\r\n]*|{_END}"


def _cased(digits: str, suffix: str = "") -> str:
    """That of GPT-4o and Tekken, which split words where lower case is followed by upper case."""
    upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    start = r"[^\r\n\p{L}\p{N}]?"
    words = f"{start}{upper}*{lower}+{suffix}|{start}{upper}+{lower}*{suffix}"
    return rf"{words}|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_END}"


TEKKEN = _cased("")
# Kimi's letters are those of other scripts than Chinese, whose characters are words of their own.
_NOT_HAN = r"&&[^\p{Han}]"
_KIMI_UPPER, _KIMI_LOWER = (rf"[{c}\p{{Lm}}\p{{Lo}}\p{{M}}{_NOT_HAN}]" for c in (r"\p{Lu}\p{Lt}", r"\p{Ll}"))
_KIMI_WORDS = "|".join(
    rf"[^\r\n\p{{L}}\p{{N}}]?{letters}{_CONTRACTIONS}?"
    for letters in (f"{_KIMI_UPPER}*{_KIMI_LOWER}+", f"{_KIMI_UPPER}+{_KIMI_LOWER}*")
)
_DEEPSEEK_WORDS = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_END}"
)
_CJK = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
# names -> expressions, each of which splits the parts that the one before has left
_TABLE = {
    "gpt-2 phi-2 olmo mpt jais exaone4 trillion mellum a.x-4.0 gigachat granite-docling modern-bert": [_GPT2],
    "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2": [r"\p{N}", _GPT2],
    "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral lfm2 midm-2.0": [_llama3("{1,3}")],
    "dbrx smaug-bpe glm4 glm5 chatglm-bpe": [_llama3("{1,3}")],
    "qwen2 stablelm2 deepseek-r1-qwen hunyuan megrez grok-2 kormo solar-open": [_llama3("")],
    "qwen35": [_llama3("", r"[\p{L}\p{M}]", r"[^\s\p{L}\p{M}\p{N}]")],
    "deepseek-v3 hunyuan-dense joyai-llm": [
        r"\p{N}{1,3}",
        "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        _DEEPSEEK_WORDS,
    ],
    # Of a long number, the last digits are three.
    "afmoe": [
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))",
        "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf"
        "\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af"
        "\u1100-\u11ff]+",
        _DEEPSEEK_WORDS,
    ],
    # Words of letters alone may have spaces between them.
    "exaone-moe": [
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
    ],
    "deepseek-llm": [
        "[\r\n]",
        r"\s?[\p{Lu}\p{Ll}\p{Lt}]+",
        "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
        r"\s+$",
        _CJK,
        r"\p{N}+",
    ],
    "deepseek-coder": ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}"],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]"],
    "bloom gpt3-finnish poro-chat": [" ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"],
    "tekken": [TEKKEN],
    "gpt-4o llama4 kanana2": [_cased("{1,3}", f"{_CONTRACTIONS}?")],
    "tiny_aya": [r"\d{1,3}(?=(?:\d{3})*\b)", _cased("{1,3}", f"{_CONTRACTIONS}?")],
    "kimi-k2": [rf"\p{{Han}}+|{_KIMI_WORDS}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_END}"],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
}
_EXPRESSIONS = {name: expressions for names, expressions in _TABLE.items() for name in names.split()}
# These take a word that is a token as it is, whatever the merges make of it.
_WHOLE_WORDS = frozenset(
    ["llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "lfm2", "midm-2.0", "tekken"]
)


def is_known(name: str) -> bool:
    """Whether texts can be split in the way of this name."""
    return name in _EXPRESSIONS


def takes_whole_words(name: str) -> bool:
    """Whether a word that is a token is not taken apart. Such models also begin with a begin token."""
    return name in _WHOLE_WORDS


def make_pre_tokenizer(name: str) -> pre_tokenizers.PreTokenizer:
    """Splits a text into words, and writes their bytes as characters. An unknown name stands for GPT-2's."""
    expressions = _EXPRESSIONS.get(name, [_GPT2])
    steps = [pre_tokenizers.Split(Regex(expression), "isolated") for expression in expressions]
    return pre_tokenizers.Sequence(
        [*steps, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
