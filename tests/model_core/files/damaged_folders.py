"""Damaged copies of model folders. The same number always makes the same damage."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from paths import CHECKPOINTS
from quantized_folders import write_folder, write_mxfp4_folder
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from model_core.files.model_files import open_model_files
from model_core.hub import embedded_model
from model_core.quantizing.write_folder import write_quantized_folder

FILES = ("json", "jinja", "safetensors")

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 300, 2**31 - 1, 2**31, 2**63, 2**64, 10**30, -(2**63)),
    *(0.0, 0.5, -0.5, 1.5, 1e-6, 1e-30, 1e-45, 1e-320, 1e30, 1e300, -1e300, 1e308),
    *(float("nan"), float("inf"), float("-inf")),
    *("", "a", "x" * 300, "x" * 100_000, "1", "null", "\ud800", "\udc00a", "\x00", "é🦊", "../../etc/passwd"),
    *("F32", "F16", "BF16", "F8_E4M3", "F8_E8M0", "U8", "I8", "I32", "I64", "gptq_v2", "int-quantized"),
    *("default", "linear", "llama3", "yarn", "silu", "gelu", "llama", "mistral", "qwen2", "int4"),
    *([], [[]], [0], [1, 2, 3], ["a"], [None], [{}], [-1], [2**70], {}, {"a": 1}, {"": {}}, {"content": "a"}),
    *([[[[[[[[]]]]]]]], list(range(2000)), {str(i): i for i in range(2000)}),
]
KEYS = [
    *("model_type", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "head_dim"),
    *("num_attention_heads", "num_key_value_heads", "rms_norm_eps", "max_position_embeddings", "rope_theta"),
    *("rope_scaling", "rope_parameters", "rope_type", "factor", "low_freq_factor", "high_freq_factor"),
    *("original_max_position_embeddings", "tie_word_embeddings", "attention_bias", "mlp_bias", "hidden_act"),
    *("sliding_window", "use_sliding_window", "max_window_layers", "layer_types", "quantization_config"),
    *(
        "quant_method",
        "weights",
        "format",
        "bits",
        "checkpoint_format",
        "version",
        "config_groups",
        "group_0",
    ),
    *("num_bits", "group_size", "strategy", "block_structure", "weight_block_size", "ignore"),
    *("bos_token_id", "eos_token_id", "do_sample", "temperature"),
    *("top_p", "top_k", "min_p", "repetition_penalty", "bos_token", "eos_token", "pad_token", "unk_token"),
    *("chat_template", "weight_map", "added_tokens", "special", "normalized", "content", "id", "model"),
    *("type", "vocab", "merges", "normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation"),
    *("padding", "byte_fallback", "unk_token", "dropout", "dtype", "shape", "data_offsets", "__metadata__"),
]
TEMPLATES = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set n = namespace(t='a') %}{% for i in range(40) %}{% set n.t = n.t ~ n.t %}{% endfor %}{{ n.t }}",
    *("{{ 'a' * 10**10 }}", "{{ 9**(9**9) }}", "{{ messages | tojson(indent=10**9) }}", "{{ 'a' * 10**7 }}"),
    *("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{{ raise_exception('no\n' * 9999) }}", "{% if %}"),
    *("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "{% if 1 %}" * 2000 + "{% endif %}" * 2000),
    *("{{ messages[0].content.format(1) }}", "{{ ''.__class__ }}", "{{ messages.append(1) }}"),
    *("{{ strftime_now('%Y' * 10**8) }}", "{{ strftime_now(7) }}", "{{ messages[9].content }}"),
    *("{{ 1 / 0 }}", "{% include 'a' %}", "{{ lipsum(n=10**6) }}"),
    *("{% import 'os' as os %}", "{{ bos_token ~ eos_token }}", "{{ none }}", "", "\x00", "{{ '\ud800' }}"),
    *("{{ tools.a }}", "{{ messages | map('x') | list }}", "{{ messages | sort }}", "{{ joiner.__init__ }}"),
    *("{{ '%s' | format(messages) }}", "{{ '%999999999d' % 1 }}", "{{ range(10**9) | list }}"),
]
QUANTIZED = (
    *("gptq-4-order", "gptq-3", "gptq-8-asymmetric", "awq", "packed-4-asymmetric", "packed-4-order"),
    *("packed-3-padded", "int8-asymmetric", "float8-block-scheme", "nvfp4-packed", "fp8-block"),
)
INSERTS = [b"\x00", b"\xff", b"{", b"[" * 50_000, b'"', b"1e999", b"\\ud800", b"NaN", b"-", b"9" * 5000, b" "]


def make_bases(folder: Path) -> list[Path]:
    """Undamaged model folders: with tokenizer and chat template, quantized, sharded, of many families."""
    chat = folder / "chat"
    shutil.copytree(CHECKPOINTS / "llama-tied-gqa", chat, ignore=shutil.ignore_patterns("*.npz"))
    letters = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU", "Ġ", "Ċ", ".", ",", "<", ">", "|", "_"]
    vocab = {text: i for i, text in enumerate([*letters, "ab", "th"])}
    tokenizer = Tokenizer(models.BPE(vocab, [("a", "b"), ("t", "h")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(f"<|{name}|>", normalized=False) for name in ("end", "turn")])
    tokenizer.save(str(chat / "tokenizer.json"))
    source = (
        "{% for m in messages %}<|turn|>{{ m.role }}\n{{ m.content | trim }}<|end|>{% endfor %}"
        "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
    )
    texts = {
        "tokenizer_config.json": {"eos_token": "<|end|>", "chat_template": source},
        "special_tokens_map.json": {"bos_token": {"content": "<|turn|>"}, "pad_token": "<|end|>"},
        "generation_config.json": {"do_sample": True, "temperature": 0.7, "top_k": 5, "eos_token_id": [57]},
    }
    for name, value in texts.items():
        (chat / name).write_text(json.dumps(value))
    separate = folder / "separate"
    shutil.copytree(chat, separate)
    (separate / "chat_template.jinja").write_text(source)
    bases = [chat, separate, chat, separate]
    for weights in ("int8", "int4"):
        write_quantized_folder(open_model_files(chat), folder / weights, weights)
        bases.append(folder / weights)
    for kind in QUANTIZED:
        write_folder(kind, folder / kind)
        bases.append(folder / kind)
    write_mxfp4_folder(folder / "mxfp4")
    bases.append(folder / "mxfp4")
    others = ("bitsandbytes/nf4", "bitsandbytes/int8", "bitnet/auto", "quark/uint4", "quark/int8", "hqq/3")
    others = (*others, "hqq/5", "auto-round/plain-3", "auto-round/gptq-4", "modelopt/nvfp4", "modelopt/mxfp8")
    others = (*others, "torchao/int4-asymmetric", "torchao/int8")
    bases += [CHECKPOINTS.parent / name for name in others]
    names = "llama-sharded llama-rope-llama3 llama-biases llama-bfloat16 mistral-window qwen2-window"
    return [*bases, *(CHECKPOINTS / name for name in names.split()), embedded_model()]


def damage(number: int, bases: list[Path], folder: Path) -> str:
    """Copy an undamaged folder to a new one and damage it. Returns what was changed."""
    rng = random.Random(number)
    base = rng.choice(bases)
    folder.mkdir()
    for path in base.iterdir():
        if path.suffix[1:] in FILES:
            os.symlink(path.resolve(), folder / path.name)
    done = [base.name]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        path = rng.choice(sorted(folder.iterdir()))
        if rng.random() < 0.03:
            path.unlink()
            replacement = rng.choice(["nothing", "a folder", "an empty file", "a loop"])
            if replacement == "a folder":
                path.mkdir()
            elif replacement == "an empty file":
                path.touch()
            elif replacement == "a loop":
                os.symlink(path, path)
            return f"{', '.join(done)}: {path.name} is {replacement}"
        data = path.read_bytes()
        path.unlink()
        changed = damage_file(rng, path, data)
        path.write_bytes(changed)
        done.append(f"{path.name} {_describe(data, changed)}")
    return ", ".join(done)


def damage_file(rng: random.Random, path: Path, data: bytes) -> bytes:
    if path.suffix == ".safetensors":
        return _damage_safetensors(rng, data)
    if path.suffix == ".jinja":
        source = data.decode("utf-8", "surrogatepass")
        return _damage_template(rng, source).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        return _damage_bytes(rng, data)
    try:
        value = json.loads(data)
    except ValueError:  # damaged before
        return _damage_bytes(rng, data)
    return _damage_json(rng, value, data)


def _damage_json(rng: random.Random, value: Any, data: bytes) -> bytes:
    has_template = isinstance(value, dict) and isinstance(value.get("chat_template"), str)
    if has_template and rng.random() < 0.5:
        value["chat_template"] = _damage_template(rng, value["chat_template"])
    else:
        for _ in range(rng.choice((1, 1, 2))):
            _damage_place(rng, value)
    try:
        return json.dumps(value, indent=2 if b"\n" in data else None).encode()
    except (RecursionError, ValueError):  # nested too deeply, or in itself
        return data


def _damage_place(rng: random.Random, value: Any) -> None:
    """Change, remove or add a value somewhere in JSON."""
    while True:
        places = list(value) if isinstance(value, dict) else range(len(value))
        inner = [p for p in places if isinstance(value[p], dict | list) and value[p]]
        if not inner or rng.random() < 0.5:
            break
        value = value[rng.choice(inner)]
    kind = rng.random()
    if not places or kind < 0.25:
        if isinstance(value, dict):
            value[rng.choice([*KEYS, "x" * 300, ""])] = rng.choice(VALUES)
        else:
            value.insert(rng.randrange(len(value) + 1), rng.choice([*VALUES, value[0] if value else 0]))
    elif kind < 0.4:
        del value[rng.choice(places)]
    elif kind < 0.5 and isinstance(value, dict):
        value["x" * 300] = value.pop(rng.choice(places))
    elif kind < 0.6:
        value[rng.choice(places)] = value[rng.choice(places)]
    else:
        value[rng.choice(places)] = rng.choice(VALUES)


def _damage_template(rng: random.Random, source: str) -> str:
    # Those that take a second of processor time or all memory are the first, and rare.
    fragment = rng.choice(TEMPLATES if rng.random() < 0.2 else TEMPLATES[6:])
    kind = rng.random()
    if kind < 0.3:
        return fragment
    place = rng.randrange(len(source) + 1)
    if kind < 0.7:
        return source[:place] + fragment + source[place:]
    if kind < 0.9:
        return source[:place] + source[place + rng.randrange(1, 20) :]
    others = ["missing", "messages[1:]", "tools", "messages.x", "'\ud800'"]
    return source.replace("messages", rng.choice(others))


def _damage_safetensors(rng: random.Random, data: bytes) -> bytes:
    size = int.from_bytes(data[:8], "little")
    kind = rng.random()
    if kind < 0.15:
        length = rng.choice([0, 1, size - 1, size + 1, 2**63, -1, len(data), rng.randrange(10_000)])
        return (length % 2**64).to_bytes(8, "little") + data[8:]
    if kind < 0.25:
        return data[: rng.randrange(len(data) + 1)]
    header, rest = data[8 : 8 + size], data[8 + size :]
    if kind < 0.35:
        return data[: 8 + size] + _damage_integers(rng, header, rest)
    try:
        changed = _damage_json(rng, json.loads(header), header) if kind < 0.85 else _damage_bytes(rng, header)
    except (ValueError, TypeError, RecursionError):  # damaged before
        changed = _damage_bytes(rng, header)
    return len(changed).to_bytes(8, "little") + changed + rest


def _damage_integers(rng: random.Random, header: bytes, data: bytes) -> bytes:
    """Change some bytes of a tensor of integers. In floats, one can make any model compute infinities."""
    try:
        entries = [entry for entry in json.loads(header).values() if entry["dtype"][0] in "IU"]
        start, end = rng.choice(entries)["data_offsets"]
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 5, 50))):
            changed[rng.randrange(start, end)] = rng.choice((0, 1, 2, 127, 128, 255, rng.randrange(256)))
        return bytes(changed)
    except (ValueError, TypeError, LookupError, AttributeError):  # there are none, or it was damaged before
        return data[: rng.randrange(len(data) + 1)]


def _damage_bytes(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    kind = rng.randrange(5)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + rng.choice(INSERTS) + data[place:]
    if kind == 2:
        return data[:place] + data[place + rng.randrange(1, 100) :]
    if kind == 3:
        return data[:place] + data[max(0, place - 50) : place] + data[place:]
    return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]


def _describe(before: bytes, after: bytes) -> str:
    pairs = enumerate(zip(before, after, strict=False))
    start = next((i for i, (old, new) in pairs if old != new), min(len(before), len(after)))
    return f"at {start}: {before[start : start + 40]!r} -> {after[start : start + 40]!r}"
