"""The logits of llama.cpp for texts: `llamacpp_logits.py MODEL.gguf VARIANT FOLDER`.

FOLDER has chunks.json, lists of token ids. It gets logits-N.npy, float32 [tokens, vocabulary], for each of
them, and `weight_bytes`, how many bytes the weights have. VARIANT: `file` for the file as it is, or one of
FILE_TYPES, to which llama.cpp quantizes it first.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

import llama_cpp
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from engines.llamacpp import FILE_TYPES, ignore_log


def quantize(model: str, variant: str, target: Path) -> str:
    """The path of a copy of the model that llama.cpp quantizes."""
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.allow_requantize = FILE_TYPES[variant], True
    path = str(target)
    if llama_cpp.llama_model_quantize(model.encode(), path.encode(), ctypes.byref(params)) != 0:
        raise RuntimeError(f"llama.cpp could not quantize to {variant}")
    return path


def main(model: str, variant: str, folder: Path) -> None:
    """Write the logits of all texts."""
    llama_cpp.llama_log_set(ignore_log, None)
    llama_cpp.llama_backend_init()
    path = model if variant == "file" else quantize(model, variant, folder / "quantized.gguf")
    loaded = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
    (folder / "weight_bytes").write_text(str(llama_cpp.llama_model_size(loaded)))
    vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(loaded))
    chunks = json.loads((folder / "chunks.json").read_text())
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = params.n_batch = params.n_ubatch = max(map(len, chunks))
    params.n_threads = params.n_threads_batch = os.cpu_count() or 1
    context = llama_cpp.llama_init_from_model(loaded, params)
    batch = llama_cpp.llama_batch_init(params.n_ctx, 0, 1)
    for number, chunk in enumerate(chunks):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        batch.n_tokens = len(chunk)
        for i, token in enumerate(chunk):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, i, 1
            batch.seq_id[i][0], batch.logits[i] = 0, 1
        if llama_cpp.llama_decode(context, batch) != 0:
            raise RuntimeError("llama.cpp could not compute a text")
        logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits(context), (len(chunk), vocabulary))
        np.save(folder / f"logits-{number}.npy", logits)
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(loaded)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
