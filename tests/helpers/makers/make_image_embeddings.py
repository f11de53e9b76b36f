"""Make `embeddings.npz` of tests/data/vision/qwen3-vl: what Transformers computes of conversations.

    PYTHONPATH=tests/helpers/models python tests/helpers/makers/make_image_embeddings.py

It has `ids_N`, int64 [T], and `vector_N`, float32 [32]: of each of CONVERSATIONS the tokens, and the hidden
state of the last token behind the final norm, scaled to the length 1. The image is `image_1` of expected.npz.
The folder is that of `add_embedder`. Tokens are made as sentence-transformers 6.2 makes them of such a
folder: the prompt is a message of the system, and texts are messages of a user.

Needs PyTorch and Transformers 5; the tests themselves only read the file.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from make_vision import IMAGE, QWEN_TOWER, VARIANTS, join_images, read_qwen
from seeing_folders import CONVERSATIONS, SEEING, SYSTEM, add_embedder
from transformers import AutoModelForImageTextToText, PreTrainedTokenizerFast


def main() -> None:
    stored = SEEING / "qwen3-vl"
    pixels = np.load(stored / "expected.npz")["image_1"]
    variant, results = VARIANTS["qwen3-vl"], dict[str, np.ndarray]()
    assert variant.vision["patch_size"] == QWEN_TOWER["patch_size"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = add_embedder(Path(temporary))
        model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
        template = (folder / "chat_template.jinja").read_text()
        for number, parts in enumerate(CONVERSATIONS):
            content = [
                {"type": "image"} if part is None else {"type": "text", "text": part} for part in parts
            ]
            messages = [
                {"role": "system", "content": [{"type": "text", "text": SYSTEM}]},
                {"role": "user", "content": content},
            ]
            text = tokenizer.apply_chat_template(
                messages, chat_template=template, add_generation_prompt=True, tokenize=False
            )
            images = [read_qwen(variant, pixels) for part in parts if part is None]
            if images:
                rows = images[0].ids.count(IMAGE)
                text = text.replace("<|image_pad|>", "<|image_pad|>" * rows)
            ids = tokenizer(text)["input_ids"]
            fields = join_images("qwen3_vl", images, ids) if images else {"input_ids": torch.tensor([ids])}
            with torch.inference_mode():
                state = model.model(**fields, use_cache=False).last_hidden_state[0, -1]
            results[f"ids_{number}"] = np.int64(ids)
            results[f"vector_{number}"] = (state / state.norm()).numpy()
    np.savez_compressed(stored / "embeddings.npz", **results)


if __name__ == "__main__":
    main()
