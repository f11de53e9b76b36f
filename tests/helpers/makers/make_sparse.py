"""Make the tiny models of `tests/data/embedders` whose vectors have a number for each word (SPLADE).

    python tests/helpers/makers/make_sparse.py [--only NAME ...]

Each is a folder as the SparseEncoder of sentence-transformers writes it, with an `expected.npz`: `vectors`
float32 [texts, words] of TEXTS.

Needs PyTorch, Transformers 5 and sentence-transformers 6; the tests themselves only read the files.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
from embedder_texts import TEXTS
from make_embedders import BERT, DISTILBERT, FOLDER, Variant, build, unigram, wordpiece
from sentence_transformers import SparseEncoder
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling
from transformers import AutoModelForMaskedLM

# A variant, how tokens become a vector, and the activation.
SPARSE = {
    "splade": (Variant("bert", BERT, wordpiece, kind=AutoModelForMaskedLM), "max", "relu"),
    "splade-distilbert": (
        Variant("distilbert", DISTILBERT, wordpiece, kind=AutoModelForMaskedLM),
        "max",
        "log1p_relu",
    ),
    "splade-roberta": (
        Variant(
            "roberta",
            BERT | {"type_vocab_size": 1, "hidden_act": "gelu_new"},
            unigram,
            kind=AutoModelForMaskedLM,
        ),
        "sum",
        "relu",
    ),
}


def make(name: str, out: Path) -> np.ndarray:
    """Write a folder, and return the vectors of its texts."""
    variant, strategy, activation = SPARSE[name]
    with tempfile.TemporaryDirectory() as source:
        build(variant, Path(source))
        transformer = Transformer(source, transformer_task="fill-mask")
        SparseEncoder(modules=[transformer, SpladePooling(strategy, activation)], device="cpu").save(str(out))
    if name == "splade":  # as older versions wrote it
        modules = json.loads((out / "modules.json").read_text())
        for module, kind in zip(modules, ("MLMTransformer", "SpladePooling"), strict=True):
            module["type"] = f"sentence_transformers.sparse_encoder.models.{kind}"
        (out / "modules.json").write_text(json.dumps(modules, indent=2))
    model = SparseEncoder(str(out), device="cpu")
    return model.encode(TEXTS, convert_to_tensor=True, convert_to_sparse_tensor=False).numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(SPARSE))
    for name in parser.parse_args().only:
        out = FOLDER / name
        shutil.rmtree(out, ignore_errors=True)
        vectors = make(name, out)
        (out / "README.md").unlink(missing_ok=True)
        np.savez(out / "expected.npz", vectors=np.asarray(vectors, np.float32))
        print(name, vectors.shape, [int((vector > 0).sum()) for vector in vectors])


if __name__ == "__main__":
    main()
