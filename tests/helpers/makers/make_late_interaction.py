"""Make the tiny models of `tests/data/embedders` with a vector for each token, and the scores of their texts.

    python tests/helpers/makers/make_late_interaction.py [--only NAME ...]

Each is a folder as PyLate 1 writes it, with an `expected.npz`: `scores` float32 [texts] of TEXTS for QUERY.
They are those of the MultiVectorEncoder of sentence-transformers, which reads such folders.

Needs PyTorch, Transformers 5 and sentence-transformers 6.2; the tests themselves only read the files.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from embedder_texts import QUERY, TEXTS
from make_embedders import BERT, FOLDER, MODERN, Variant, build, wordpiece
from sentence_transformers import MultiVectorEncoder, SentenceTransformer
from sentence_transformers.base.modules import Dense, Transformer
from transformers import PreTrainedTokenizerFast

PREFIXES = {"query_prefix": "[Q] ", "document_prefix": "[D] "}


def with_prefixes() -> PreTrainedTokenizerFast:
    """The tokenizer with PyLate's tokens for queries and documents, which texts cannot spell."""
    tokenizer = wordpiece()
    tokenizer.add_tokens(list(PREFIXES.values()))
    return tokenizer


# A variant, its dense layers (inputs, outputs, bias, residual), and config_sentence_transformers.json.
LATE: dict[str, tuple[Variant, list[tuple[int, int, bool, bool]], dict[str, Any]]] = {
    "colbert": (
        Variant("bert", BERT, with_prefixes),
        [(32, 20, False, False)],
        {**PREFIXES, "query_length": 29, "document_length": 150, "do_query_expansion": True},
    ),
    "colbert-attending": (
        Variant("bert", BERT | {"type_vocab_size": 1}, wordpiece),
        [(32, 24, True, False), (24, 12, False, False)],
        {
            "query_prefix": "",
            "document_prefix": "",
            "query_length": 21,
            "document_length": 90,
            "attend_to_expansion_tokens": True,
            "skiplist_words": ["the", ","],
        },
    ),
    "colbert-modernbert": (
        Variant("modernbert", MODERN, with_prefixes),
        [(32, 24, False, True), (24, 24, True, True)],
        {
            **PREFIXES,
            "query_length": 40,
            "document_length": 70,
            "do_query_expansion": False,
            "skiplist_words": [],
        },
    ),
}


def make(name: str, out: Path) -> np.ndarray:
    """Write a folder, and return the scores of its texts."""
    variant, layers, fields = LATE[name]
    with tempfile.TemporaryDirectory() as source:
        build(variant, Path(source))
        torch.manual_seed(1)
        dense = [Dense(i, o, b, torch.nn.Identity(), use_residual=r) for i, o, b, r in layers]
        SentenceTransformer(modules=[Transformer(source), *dense], device="cpu").save(str(out))
    modules = json.loads((out / "modules.json").read_text())
    for module in modules:
        if module["type"].endswith("Dense"):
            module["type"] = "pylate.models.Dense.Dense"
            path = out / module["path"] / "config.json"
            raw = json.loads(path.read_text())
            names = ("in_features", "out_features", "bias", "activation_function")
            path.write_text(
                json.dumps(
                    {"use_residual": raw.get("use_residual", False)} | {name: raw[name] for name in names},
                    indent=2,
                )
            )
        else:
            module["type"] = "sentence_transformers.models.Transformer"
    (out / "modules.json").write_text(json.dumps(modules, indent=2))
    settings = {"model_type": "ColBERT", "similarity_fn_name": "MaxSim", "prompts": {}, **fields}
    (out / "config_sentence_transformers.json").write_text(json.dumps(settings, indent=2))
    limits = {"max_seq_length": fields["document_length"] - 1, "do_lower_case": False}
    (out / "sentence_bert_config.json").write_text(json.dumps(limits, indent=2))
    model = MultiVectorEncoder(str(out), device="cpu")
    queries, documents = model.encode_query([QUERY]), model.encode_document(TEXTS)
    return np.asarray(model.similarity(queries, documents)[0], np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(LATE))
    for name in parser.parse_args().only:
        out = FOLDER / name
        shutil.rmtree(out, ignore_errors=True)
        scores = make(name, out)
        (out / "README.md").unlink(missing_ok=True)
        np.savez(out / "expected.npz", scores=scores)
        print(name, scores)


if __name__ == "__main__":
    main()
