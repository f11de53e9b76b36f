"""`tritonchat quantize`: a model folder to one with fewer bits, and what that cost."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from .calibrate import gptq_layers, perplexity
from .checkpoint import Checkpoint
from .config import read_config
from .errors import ModelError
from .hub import find_model
from .llm import LLM
from .loader import load_model, save
from .models import architecture
from .quantize import Int4
from .sampling import SamplingParams

_PIECE = 512  # tokens of a text that are read in one go
_MOST = 16384  # tokens of a text that are used
_SAMPLES, _SAMPLE_TOKENS = 32, 128  # of a text that the model makes itself


@dataclass(frozen=True)
class Cost:
    """What quantising changed: perplexity and bytes of weights, before and after; of which text."""

    before: float
    after: float
    bytes_before: int
    bytes_after: int
    text: str


def quantize(
    model: str | Path,
    out: Path,
    weights: str,
    calibration: Path | None = None,
    text: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Cost:
    """Write `model` with its weights in int8 or int4 to the new folder `out`, and measure both.

    Args:
        calibration: a text on which the codes of int4 are chosen (GPTQ); None: by rounding alone.
        text: what perplexity is measured on; None: a text that the model itself makes.
        say: is told what begins.

    Raises:
        ModelError: a folder or a file is not what it should be, or `out` is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ModelError(f"{out} is not empty; give a new folder.")
    source = find_model(model)
    say("Measuring the model as it is ...")
    with LLM(source, kv_cache_memory=_kv_memory(source)) as llm:
        pieces = _sampled(llm, source) if text is None else _read(llm, text)
        calibrating = None if calibration is None else _read(llm, calibration)
        before, bytes_before = _perplexity(llm, pieces), llm.model.weight_bytes
    del llm
    gc.collect()
    chosen = {}
    if weights == "int4" and calibrating is not None:
        say("Choosing codes by GPTQ ...")
        chosen = _gptq(source, calibrating)
    say(f"Writing {out} ...")
    save(load_model(source, weights, chosen), source, out)
    del chosen
    say("Measuring what was written ...")
    with LLM(out, kv_cache_memory=_kv_memory(out)) as llm:
        after, bytes_after = _perplexity(llm, pieces), llm.model.weight_bytes
    kind = "text that the model makes itself" if text is None else text.name
    return Cost(before, after, bytes_before, bytes_after, kind)


def _kv_memory(folder: Path) -> int:
    """Enough for the samples."""
    config = architecture(folder, read_config(folder))
    return 2 * _SAMPLES * (_SAMPLE_TOKENS + 32) * config.kv_bytes_per_token


def _gptq(folder: Path, token_lists: Sequence[Sequence[int]]) -> dict[str, Int4]:
    config = architecture(folder, read_config(folder))
    layers = gptq_layers(config, Checkpoint(folder), token_lists)
    return dict(tqdm(layers, "Choosing codes", total=7 * config.layers, unit="matrix"))


def _sampled(llm: LLM, folder: Path) -> list[list[int]]:
    """Texts that the model makes by chance: what it holds for likely, and so what it must not unlearn."""
    start = read_config(folder).get("bos_token_id")
    if not isinstance(start, int):
        start = min(llm.defaults.eos_token_ids, default=0)
    plain = SamplingParams(
        max_tokens=min(_SAMPLE_TOKENS, llm.engine.limits.max_context - 1),
        temperature=1,
        top_p=1,
        top_k=0,
        min_p=0,
        repetition_penalty=1,
        ignore_eos=True,
    )
    params = [replace(plain, seed=seed) for seed in range(_SAMPLES)]
    texts = llm.generate([[start]] * _SAMPLES, params)
    return [[start, *text.token_ids] for text in texts]


def _read(llm: LLM, path: Path) -> list[list[int]]:
    """A text in pieces of tokens. Raises ModelError where it cannot be read or is too short."""
    try:
        ids = llm.encode(path.read_text(encoding="utf-8"))[:_MOST]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read as text: {error}.") from error
    size = min(_PIECE, llm.engine.limits.max_context)
    pieces = [ids[i : i + size] for i in range(0, len(ids), size)]
    if len(ids) < 32:
        raise ModelError(f"{path} has {len(ids)} tokens; that is too little to measure or calibrate on.")
    return [piece for piece in pieces if len(piece) > 1]


def _perplexity(llm: LLM, pieces: list[list[int]]) -> float:
    return perplexity(llm.logits, tqdm(pieces, "Perplexity", delay=2))
