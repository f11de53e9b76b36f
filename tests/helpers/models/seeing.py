"""Tiny models that see (tests/data/vision), their images and their prompts."""

import re
import shutil
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_models import write_model
from paths import ROOT
from seeing_folders import SEEING

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.engine.request_images import RequestImages
from model_core.families.vision.parts import ImageSpan, PreparedImage
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.images.image import make_pixels
from model_core.model.batch import BatchBuilder
from model_core.vision.encoder import ImageEncoder
from model_core.vision.tower_model import PiecePace

TOWERS = ROOT / "tests" / "data" / "mmproj"
_OF_TOWERS = re.compile("visual|vision|multi_modal|connector")
_ROWS = {"gemma3": "<image_soft_token>", "smolvlm": "<image>", "lfm2-vl": "<image>"} | dict.fromkeys(
    ("gemma4-large", "gemma4-small", "gemma4-unified"), "<|image|>"
)


@dataclass
class Seen:
    """A model of tests/data/vision that is loaded, with what Transformers computes with it."""

    llm: LLM
    folder: Path

    @cached_property
    def expected(self) -> dict[str, np.ndarray]:
        """See make_vision.py."""
        return dict(np.load(self.folder / "expected.npz"))

    @cached_property
    def images(self) -> list[PreparedImage]:
        """Those of the prompt."""
        assert self.llm.vision is not None
        names = sorted(name for name in self.expected if name.startswith("image_"))
        return [self.llm.vision.prepare(make_pixels(self.expected[name])) for name in names]

    @cached_property
    def prompt(self) -> list[int]:
        """Its token ids."""
        return self.expected["prompt"].tolist()

    @cached_property
    def spans(self) -> tuple[ImageSpan, ...]:
        """The images in the prompt."""
        assert self.llm.vision is not None
        return self.llm.vision.find_spans(self.prompt, self.images)

    def job(self, **params: Any) -> Job:
        """The prompt, continued greedily by as many tokens as Transformers has."""
        settings = {"max_tokens": len(self.expected["greedy"]), "temperature": 0, "ignore_eos": True} | params
        return Job(
            self.prompt, SamplingParams(**settings).with_defaults(self.llm.defaults), images=self.spans
        )

    def encode(self) -> RequestImages:
        """The images of the prompt, encoded."""
        encoder = self.llm.engine.encoder
        assert encoder is not None
        images = RequestImages(self.spans, self.prompt, encoder)
        first = 0
        while first < len(self.prompt):
            first = max(first, images.find_end(first, len(self.prompt)))
            assert images.error is None
        return images

    def encode_image(self, image: PreparedImage) -> np.ndarray:
        """What the tower computes of an image: float32 [parts, rows, width]."""
        encoder = self.llm.engine.encoder
        assert encoder is not None
        return np.concatenate([encoder.tower.encode(part, PiecePace(10.0)) for part in image.parts], axis=1)

    def logits(self, chunk: int = 10**6) -> np.ndarray:
        """The logits of the prompt, computed in chunks: float32 [tokens, vocabulary]."""
        model, images, parts = self.llm.model, self.encode(), []
        cache, tables = model.create_cache(1, len(self.prompt), "float32")
        for start in range(0, len(self.prompt), chunk):
            builder, end = BatchBuilder(), min(start + chunk, len(self.prompt))
            builder.add(self.prompt[start:end], start, range(start, end))
            builder.sights[0] = images.sight(start, end)
            parts.append(model.forward(builder.build(tables), cache))
        return np.concatenate(parts)


class SlowTower:
    """Holds back all images until it is opened. `begun`: whether one was asked for."""

    def __init__(self, encoder: ImageEncoder | None, monkeypatch: pytest.MonkeyPatch) -> None:
        assert encoder is not None
        self.opened, self.begun, encode = threading.Event(), threading.Event(), encoder.tower.encode

        def wait(*arguments: Any) -> np.ndarray:
            self.begun.set()
            assert self.opened.wait(60)
            return encode(*arguments)

        monkeypatch.setattr(encoder.tower, "encode", wait)


def relative_error(values: np.ndarray, expected: np.ndarray) -> float:
    """The length of the difference, as part of that of the expected values."""
    return float(np.linalg.norm(values - expected) / np.linalg.norm(expected))


def write_both(name: str, folder: Path) -> Path:
    """The text model of tests/data/vision as a GGUF file, with its tower beside it."""
    source = Path(shutil.copytree(SEEING / name, folder / name))
    stored = SafetensorsFolder(source, rename=str)
    tensors = {tensor: np.array(stored[tensor]) for tensor in stored if not _OF_TOWERS.search(tensor)}
    (source / "model.safetensors").unlink()
    write_safetensors(source / "model.safetensors", tensors)
    tokens = [f"token {i}" for i in range(64)]
    tokens[60] = _ROWS.get(name, "<|image_pad|>")
    write_model(
        source, folder / "model.gguf", {"tokenizer.ggml.model": "no_vocab", "tokenizer.ggml.tokens": tokens}
    )
    shutil.rmtree(source)
    shutil.copy(TOWERS / f"mmproj-{name}.gguf", folder / f"mmproj-{name}.gguf")
    return folder
