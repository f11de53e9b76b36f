"""Hugging Face Transformers on PyTorch: `generate`, with all prompts as one batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM
from transformers.utils import logging

from . import SAMPLING, Generate, Prompts


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load the model in this type, with the default attention of Transformers."""
    torch.set_num_threads(threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, variant)).eval()
    model.generation_config.eos_token_id = None  # never ends early
    model.generation_config.pad_token_id = 0

    @torch.inference_mode()
    def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
        tokens = torch.tensor(prompts)
        how = SAMPLING | {"do_sample": True, "top_k": 0} if samples else {"do_sample": False}
        sequences = model.generate(
            tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=new_tokens, **how
        )
        return sequences[:, tokens.shape[1] :].tolist()

    yield generate
