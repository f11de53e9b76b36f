"""The tokenizers of folders as metadata of GGUF files."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from model_core.text.special_tokens import read_special_tokens

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)


def tokenizer_metadata(folder: Path, pre: str = "smollm") -> dict[str, Any]:
    """The fields of the tokenizer in a folder. pre: how byte-level BPE splits texts."""
    raw = json.loads((folder / "tokenizer.json").read_text())
    special, config = read_special_tokens(folder), json.loads((folder / "tokenizer_config.json").read_text())
    added = {token["id"]: token for token in raw["added_tokens"]}
    names = {i: token for token, i in raw["model"]["vocab"].items()}
    names |= {i: token["content"] for i, token in added.items()}
    tokens = [names.get(i, f"[PAD{i}]") for i in range(max(names) + 1)]
    types = [_type(token, added.get(i), i in names) for i, token in enumerate(tokens)]
    fields = {"tokens": tokens, "token_type": np.array(types)}
    merges = [m.split(" ") if isinstance(m, str) else m for m in raw["model"]["merges"]]
    if raw["model"]["byte_fallback"]:
        ranks: dict[str, int] = {}
        for rank, (first, second) in enumerate(merges):
            ranks.setdefault(first + second, rank)
        scores = [-float(ranks.get(token, 0)) for token in tokens]
        prepends = json.dumps(raw["normalizer"]).count("Prepend") > 0
        fields |= {"model": "llama", "scores": np.array(scores, np.float32), "add_space_prefix": prepends}
        fields["add_bos_token"] = bool(config.get("add_bos_token"))
    else:
        fields |= {"model": "gpt2", "pre": pre, "merges": [" ".join(merge) for merge in merges]}
        fields["add_bos_token"] = False
    for name, key in (("bos", "bos_token"), ("eos", "eos_token"), ("unknown", "unk_token")):
        if key in special:
            fields[f"{name}_token_id"] = tokens.index(special[key])
    metadata = {f"tokenizer.ggml.{name}": value for name, value in fields.items()}
    template = config.get("chat_template")
    return metadata | ({"tokenizer.chat_template": template} if template else {})


def _type(token: str, added: dict[str, Any] | None, is_used: bool) -> int:
    if added is not None:
        is_unknown = token == "<unk>"
        return _UNKNOWN if is_unknown else _CONTROL if added["special"] else _USER_DEFINED
    if not is_used:
        return _UNUSED
    return _BYTE if len(token) == 6 and token.startswith("<0x") else _NORMAL
