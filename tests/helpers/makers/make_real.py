"""Make tests/data/real: what llama.cpp and Transformers compute with real trained models.

    PYTHONPATH=tests/helpers/models python tests/helpers/makers/make_real.py tokens|values

`tokens` needs llama-cpp-python: the tokens of texts. `values` needs PyTorch, Transformers 5, gguf and
accelerate: logits of some tokens after a prompt, the first 40 greedy tokens, and embeddings, in float32 on
the weights of the files.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import real_models
from real_texts import PROMPTS, SENTENCES, texts

OUT = Path(__file__).parents[2] / "data" / "real"
GENERATIVE = ("smollm2", "gemma3")
LOGITS = 512  # of the vocabulary, at equal distances
NEW_TOKENS = 40


def digest(tokens: list[int]) -> str:
    """A short name for tokens."""
    return hashlib.sha256(" ".join(map(str, tokens)).encode()).hexdigest()[:12]


def make_tokens() -> None:
    """The number of tokens of each text, and their digest."""
    from llama_cpp import Llama

    for name in GENERATIVE:
        llama = Llama(str(real_models.fetch(name)), vocab_only=True, verbose=False)
        found = [llama.tokenize(text.encode(), add_bos=False, special=True) for text in texts()]
        lines = [[len(tokens), digest(tokens)] for tokens in found]
        (OUT / f"{name}-tokens.json").write_text("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n")


def make_values() -> None:
    """Logits, greedy tokens and embeddings."""
    import torch
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    for name in GENERATIVE:
        path = real_models.fetch(name)
        model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        model.generation_config.eos_token_id = None  # it does not end
        results = {}
        for number, prompt in enumerate(PROMPTS):
            tokens = tokenizer(prompt)["input_ids"]
            with torch.inference_mode():
                logits = model(torch.tensor([tokens])).logits[0]
                new = model.generate(
                    torch.tensor([tokens]),
                    max_new_tokens=NEW_TOKENS,
                    do_sample=False,
                    repetition_penalty=1.0,
                )[0, len(tokens) :]
            step = logits.shape[1] // LOGITS
            results[f"prompt_{number}"] = np.int32(tokens)
            results[f"logits_{number}"] = logits[-4:, ::step].numpy()
            results[f"greedy_{number}"] = np.int32(new)
        np.savez(OUT / f"{name}.npz", **results)
    folder = real_models.fetch("minilm")
    model, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    vectors = []
    for sentence in SENTENCES:
        with torch.inference_mode():
            mean = model(**tokenizer(sentence, return_tensors="pt")).last_hidden_state[0].mean(0)
        vectors.append((mean / mean.norm()).numpy())
    np.savez(OUT / "minilm.npz", vectors=np.stack(vectors))


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    make_tokens() if sys.argv[1:] == ["tokens"] else make_values()
