"""`tritonchat quantize`: write a model folder with weights of fewer bits, and measure the loss of quality."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from ..errors import ModelError
from ..families import read_model_config, write_tape
from ..files.model_files import ModelFiles, open_model_files
from ..hub import fetch_model
from ..llm.llm import LLM
from ..requests.sampling import SamplingParams
from ..tape.passes import products
from ..weights.rounding import Stepped
from .calibrate import quantize_layers
from .perplexity import compute_perplexity
from .write_folder import write_quantized_folder

_CHUNK_TOKENS = 512  # of a text, computed together
_MAX_TOKENS = 16384  # of a text, at its start
_SAMPLES, _SAMPLE_TOKENS = 32, 128  # of the text that the model generates


@dataclass(frozen=True)
class QuantizationResult:
    """Perplexity and bytes of weights, before and after quantizing. `text` says of what text."""

    perplexity_before: float
    perplexity_after: float
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
    """Write `model` with weights in int8 or int4 to the new folder `out`, and measure both models.

    Args:
        calibration: a text for GPTQ, which chooses the codes of int4; None: weights are rounded.
        text: the text to measure perplexity on; None: one that the model generates.
        report: called with a sentence before each part of the work.

    Raises:
        ModelError: a folder or a file is wrong, or `out` is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ModelError(f"{out} is not empty; give a new folder.")
    path = fetch_model(model)
    source = open_model_files(path)
    report("Measuring the model as it is ...")
    with LLM(path, kv_cache_memory=_sample_kv_memory(source)) as llm:
        chunks = _generate_samples(llm, source) if text is None else _read_chunks(llm, text)
        calibration_chunks = None if calibration is None else _read_chunks(llm, calibration)
        before, bytes_before = _measure_perplexity(llm, chunks), llm.model.weights.nbytes
    del llm
    gc.collect()
    chosen = {}
    if weights == "int4" and calibration_chunks is not None:
        report("Choosing codes by GPTQ ...")
        chosen = _choose_codes(source, calibration_chunks, report)
    report(f"Writing {out} ...")
    write_quantized_folder(source, out, weights, chosen)
    del chosen
    report("Measuring what was written ...")
    with LLM(out, kv_cache_memory=_sample_kv_memory(open_model_files(out))) as llm:
        after, bytes_after = _measure_perplexity(llm, chunks), llm.model.weights.nbytes
    kind = "text that the model makes itself" if text is None else text.name
    return QuantizationResult(before, after, bytes_before, bytes_after, kind)


def _sample_kv_memory(files: ModelFiles) -> int:
    """Bytes of KV memory that the samples need."""
    tape = write_tape(read_model_config(files.named("config.json"), files.config))
    return 2 * _SAMPLES * (_SAMPLE_TOKENS + 32) * tape.kv_bytes_per_token


def _choose_codes(
    files: ModelFiles, token_lists: Sequence[Sequence[int]], report: Callable[[str], None]
) -> dict[str, Stepped]:
    tape = write_tape(read_model_config(files.named("config.json"), files.config))
    layers = quantize_layers(tape, files.open_tensors(), token_lists, report)
    total = sum(len(p.weights) for p in products(tape.records) if not (p.is_head or p.is_router))
    return dict(tqdm(layers, "Choosing codes", total=total, unit="matrix"))


def _generate_samples(llm: LLM, files: ModelFiles) -> list[list[int]]:
    """Texts that the model samples without changes of its probabilities, after the begin token."""
    begin = files.config.get("bos_token_id")
    if not isinstance(begin, int):
        begin = min(llm.defaults.eos_token_ids, default=0)
    base = SamplingParams(
        max_tokens=min(_SAMPLE_TOKENS, llm.engine.limits.max_context - 1),
        temperature=1,
        top_p=1,
        top_k=0,
        min_p=0,
        repetition_penalty=1,
        ignore_eos=True,
    )
    params = [base.model_copy(update={"seed": seed}) for seed in range(_SAMPLES)]
    texts = llm.generate([[begin]] * _SAMPLES, params)
    return [[begin, *text.token_ids] for text in texts]


def _read_chunks(llm: LLM, path: Path) -> list[list[int]]:
    """The token ids of a text, in chunks. Raises ModelError if it cannot be read or is too short."""
    try:
        ids = llm.encode(path.read_text(encoding="utf-8"))[:_MAX_TOKENS]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read as text: {error}.") from error
    size = min(_CHUNK_TOKENS, llm.engine.limits.max_context)
    chunks = [ids[i : i + size] for i in range(0, len(ids), size)]
    if len(ids) < 32:
        raise ModelError(f"{path} has {len(ids)} tokens; that is too little to measure or calibrate on.")
    return [chunk for chunk in chunks if len(chunk) > 1]


def _measure_perplexity(llm: LLM, chunks: list[list[int]]) -> float:
    return compute_perplexity(llm.logits, tqdm(chunks, "Perplexity", delay=2))
