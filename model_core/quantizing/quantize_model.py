"""`tritonchat quantize`: write a model folder with weights of fewer bits, and measure the loss of quality."""

import gc
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..cache.states import state_offsets
from ..errors import ModelError
from ..families import read_model_config, write_tape
from ..files.model_files import ModelFiles, open_model_files
from ..hub import fetch_model
from ..llm.llm import LLM
from ..tape.passes import products
from ..weights.rounding import Stepped
from .calibrate import quantize_layers
from .loss import ExactTexts, Loss
from .write_folder import check_is_folder, write_quantized_folder

_CHUNK_TOKENS = 512  # of a text, computed together
_MAX_TOKENS = 16384  # of a text, at its start
_KV_MEMORY = 2**26  # of the engine, which computes nothing here; besides the states of a few requests
_STATES = 4
_MAX_BYTES = 2**30  # of log probabilities of the texts that the loss is measured on
# Texts in several languages, written for this project.
TEXTS = sorted((Path(__file__).parent / "texts").glob("*.txt"))


@dataclass(frozen=True)
class QuantizationResult:
    """What is lost, and the bytes of weights, before and after quantizing. `text` says of what text.

    Of a model without a tokenizer, nothing is known of the loss.
    """

    loss: Loss | None
    bytes_before: int
    bytes_after: int
    text: str


def quantize(
    model: str | Path,
    out: Path,
    weights: str,
    calibration: Path | None = None,
    text: Path | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> QuantizationResult:
    """Write `model` with weights in int8, mixed or int4 to the new folder `out`, and measure both models.

    Args:
        calibration: a text for GPTQ, which chooses codes of mixed and int4; None: weights are rounded.
        text: the text to measure the loss on; None: texts in several languages (TEXTS).
        report: called with a sentence before each part of the work.

    Raises:
        ModelError: a folder or a file is wrong, or `out` is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ModelError(f"{out} is not empty; give a new folder.")
    path = fetch_model(model)
    check_is_folder(path)
    source = open_model_files(path)
    report("Measuring the model as it is ...")
    with tempfile.TemporaryDirectory() as folder:
        with _load(path, "float32") as llm:
            texts = [text] if text is not None else TEXTS if llm.tokenizer is not None else []
            count = min(_MAX_TOKENS, _MAX_BYTES // (4 * llm.model.config.vocab_size))
            chunks = [chunk for each in texts for chunk in _read_chunks(llm, each, count // len(texts))]
            calibration_chunks = None if calibration is None else _read_chunks(llm, calibration, _MAX_TOKENS)
            exact = ExactTexts(chunks, _compute_logits(llm, chunks), Path(folder))
            bytes_before = llm.model.weights.nbytes
        del llm
        gc.collect()
        chosen = {}
        if weights != "int8" and calibration_chunks is not None:
            report("Choosing codes by GPTQ ...")
            chosen = _choose_codes(source, calibration_chunks, weights, report)
        report(f"Writing {out} ...")
        write_quantized_folder(source, out, weights, chosen)
        del chosen
        report("Measuring what was written ...")
        with _load(out) as llm:
            loss = exact.compare(_compute_logits(llm, chunks)) if chunks else None
            bytes_after = llm.model.weights.nbytes
    kind = "texts in several languages" if text is None else text.name
    positions = sum(map(len, chunks))
    return QuantizationResult(loss, bytes_before, bytes_after, f"{kind} ({positions:,} tokens)")


def _load(path: Path, arithmetic: str = "auto") -> LLM:
    """The model, for logits alone."""
    files = open_model_files(path)
    tape = write_tape(read_model_config(files.named("config.json"), files.config))
    memory = _KV_MEMORY + _STATES * state_offsets(tape.states)[1]
    return LLM(path, arithmetic=arithmetic, kv_cache_memory=memory)


def _compute_logits(llm: LLM, chunks: Sequence[Sequence[int]]) -> Iterator[np.ndarray]:
    return map(llm.logits, tqdm(chunks, "Computing", unit="text", delay=2))


def _choose_codes(
    files: ModelFiles, token_lists: Sequence[Sequence[int]], weights: str, report: Callable[[str], None]
) -> dict[str, Stepped]:
    tape = write_tape(read_model_config(files.named("config.json"), files.config))
    layers = quantize_layers(tape, files.open_tensors(), token_lists, weights, report)
    total = sum(len(p.weights) for p in products(tape.records) if not (p.is_head or p.is_router))
    return dict(tqdm(layers, "Choosing codes", total=total, unit="matrix"))


def _read_chunks(llm: LLM, path: Path, count: int) -> list[list[int]]:
    """At most `count` token ids of a text, in chunks.

    Raises ModelError if it cannot be read or is too short.
    """
    try:
        ids = llm.encode(path.read_text(encoding="utf-8"))[:count]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read as text: {error}.") from error
    size = min(_CHUNK_TOKENS, llm.engine.limits.max_context)
    chunks = [ids[i : i + size] for i in range(0, len(ids), size)]
    if len(ids) < 32:
        raise ModelError(f"{path} has {len(ids)} tokens; that is too little to measure or calibrate on.")
    return [chunk for chunk in chunks if len(chunk) > 1]
