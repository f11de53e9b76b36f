"""Logits and samples have the same bits on all x86 processors with AVX2 and FMA (see test_processors.py).

`golden_bits.json` has digests of them, and the version of `SEMANTICS` that they belong to. After a new
checkpoint, or a change that is meant to change bits, this makes it again:
`PYTHONPATH=.:tests/helpers/models .venv/bin/python tests/model_core/kernels/test_same_bits.py --write`.
It changes digests only under a higher version.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Container, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS
from seeing import Seen
from seeing_folders import SEEING

from model_core import LLM, SamplingParams
from model_core.kernels import emit
from model_core.machine.semantics import SEMANTICS
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.batch_sampler import Draw, RowSampler
from model_core.sampling.sampler import Sampler

GOLDEN = Path(__file__).with_name("golden_bits.json")
# Float weights are tested with a few checkpoints: of attention in all its forms, recurrent, and of experts.
OF_FLOATS = (
    "llama-untied-mha",
    "gemma2",
    "gpt-oss",
    "phi3-longrope",
    "qwen3-next",
    "rwkv7",
    "mamba",
    "llama-rope-yarn",
)
needs_avx2 = pytest.mark.skipif(
    emit.INSTRUCTION_SET == "generic", reason="this processor has no AVX2 and FMA"
)
TOWERS = ("gemma3", "gemma4-small", "idefics3", "lfm2_5-vl", "qwen2_5-vl", "qwen3-vl")


def digest(*parts: object) -> str:
    """A short digest of arrays and of other values."""
    found = hashlib.sha256()
    for part in parts:
        is_array = isinstance(part, np.ndarray)
        found.update(np.ascontiguousarray(part).tobytes() if is_array else repr(part).encode())
    return found.hexdigest()[:16]


def model_digests(names: Container[str] | None = None) -> Iterator[tuple[str, str]]:
    """Digests of the logits of each checkpoint's prompt, and of an answer, by checkpoint and weights.

    names: those of the checkpoints; None: all.
    """
    params = SamplingParams(max_tokens=8, temperature=0.9, seed=1, ignore_eos=True)
    for expected in sorted(CHECKPOINTS.glob("*/expected.npz")):
        folder = expected.parent
        if names is not None and folder.name not in names:
            continue
        prompt = np.load(expected)["prompt"].tolist()
        has_floats = folder.name in OF_FLOATS
        of_floats = ("mixed", "float32", "bfloat16") if has_floats else ()
        for weights in ("int8", "int4", *of_floats):
            with LLM(folder, weights=weights, portable=True) as llm:
                answer = llm.generate([prompt[:8]], params)[0].token_ids if has_floats else None
                yield f"{folder.name} {weights}", digest(llm.logits(prompt), answer)
        if has_floats:
            yield from float16_digests(folder, prompt, params)


def float16_digests(folder: Path, prompt: list[int], params: SamplingParams) -> Iterator[tuple[str, str]]:
    """The same with keys and values in float16."""
    with LLM(folder, weights="int8", kv_cache_dtype="float16", portable=True) as llm:
        answer = llm.generate([prompt[:8]], params)[0].token_ids
        yield f"{folder.name} int8, KV float16", digest(llm.logits(prompt), answer)


def vision_digests() -> Iterator[tuple[str, str]]:
    """Digests of what models of each tower see: resized images, their rows, and the logits of a prompt."""
    for name in TOWERS:
        with LLM(SEEING / name, portable=True, kv_cache_memory=2**24) as llm:
            seen = Seen(llm, SEEING / name)
            images = [part.values for image in seen.images for part in image.parts]
            rows = seen.encode().sight(0, len(seen.prompt)).given
            yield f"{name} as it sees", digest(*images, rows, seen.logits())


def sampling_digests() -> Iterator[tuple[str, str]]:
    """Digests of tokens and their log probabilities, by the way of sampling."""
    ways = (
        {},
        {"top_p": 0.9},
        {"top_p": 0.9, "top_k": 100},
        {"typical_p": 0.9},
        {"mirostat": 2},
        {"top_k": 50, "min_p": 0.05},
        {"top_p": 0.9, "min_p": 0.001, "repetition_penalty": 1.3},
    )
    for way in ways:
        params = SamplingParams(temperature=0.9, seed=1, logprobs=3, **way)
        sampler = Sampler(params.with_defaults(GenerationDefaults(temperature=1.0)), [0], 5000)
        random, rows = np.random.default_rng(1), RowSampler(5000)
        drawn = []
        for _ in range(100):
            # Whole numbers, because NumPy's logarithms differ, too.
            logits = (random.integers(-4000, 4000, 5000) / 512).astype(np.float32)
            drawn += rows.sample(logits[None], [Draw(sampler, 0)])
        yield str(way), digest(drawn)


def all_digests() -> dict[str, str]:
    """All digests by their names."""
    return dict(model_digests()) | dict(vision_digests()) | dict(sampling_digests())


@dataclass(frozen=True)
class Golden:
    """The content of golden_bits.json. `seal`: of the rest, so that nobody edits digests by hand."""

    semantics: int
    digests: dict[str, str]
    seal: str

    @classmethod
    def read(cls) -> "Golden":
        return cls(**json.loads(GOLDEN.read_text()))

    @classmethod
    def make(cls, semantics: int, digests: dict[str, str]) -> "Golden":
        return cls(semantics, digests, digest(semantics, sorted(digests.items())))

    def renew(self, semantics: int, digests: dict[str, str]) -> "Golden":
        """The content with new digests. Raises ValueError if bits have changed, and the version has not."""
        changed = sorted(name for name, bits in self.digests.items() if digests.get(name, bits) != bits)
        if changed and semantics <= self.semantics:
            raise ValueError(
                f"{len(changed)} digests have changed, such as that of {changed[0]}: raise SEMANTICS in "
                "model_core.machine.semantics.py, so that no fingerprint promises the bytes of before."
            )
        return self.make(semantics, digests)


def assert_golden(found: dict[str, str]) -> None:
    """Fail with the names of what has other bits."""
    golden = Golden.read().digests
    assert {name for name in golden.keys() | found if golden.get(name) != found.get(name)} == set()


@needs_avx2
def test_a_few_models_have_the_golden_bits() -> None:
    golden, found = Golden.read().digests, dict(model_digests(OF_FLOATS)) | dict(sampling_digests())
    assert {name for name in found if golden.get(name) != found[name]} == set()


@needs_avx2
def test_this_processor_computes_the_golden_bits() -> None:
    """Those of all models."""
    assert_golden(all_digests())


def test_golden_bits_belong_to_the_version_that_fingerprints_name() -> None:
    golden = Golden.read()
    assert golden.semantics == SEMANTICS
    assert golden == Golden.make(golden.semantics, golden.digests)


def test_changed_bits_need_a_higher_version() -> None:
    golden = Golden.make(3, {"a": "1", "b": "2"})
    assert golden.renew(3, {"a": "1", "b": "2", "c": "3"}).digests["c"] == "3"
    for semantics in (2, 3):
        with pytest.raises(ValueError, match="1 digests have changed, such as that of b: raise SEMANTICS"):
            golden.renew(semantics, {"a": "1", "b": "3"})
    assert golden.renew(4, {"a": "1", "b": "3"}).semantics == 4


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print all digests.")
    parser.add_argument("--write", action="store_true", help="write them to golden_bits.json instead")
    if parser.parse_args().write:
        new = Golden.read().renew(SEMANTICS, all_digests())
        GOLDEN.write_text(json.dumps(asdict(new), indent=1) + "\n")
    else:
        json.dump(all_digests(), sys.stdout)
