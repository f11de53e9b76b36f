"""Rotary positions: how config.json describes them, and the frequencies that follow."""

import math
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.file_values import Fields, ignore, read_number, shorten
from ..checks.known_fields import LAYER_ROPES, ROPE
from ..errors import ModelError


@dataclass(frozen=True)
class RopeConfig:
    """Rotary position embedding (Su et al., 2021, arXiv:2104.09864) and how it is stretched.

    Attributes:
        theta: base of the frequencies.
        kind: a key of KINDS.
        partial: the part of a head's dimensions that is rotated, the first ones.
        is_interleaved: dimension 2 i is paired with 2 i + 1, instead of i with i + half of the rotated ones.
        low_freq_factor, high_freq_factor: of llama3.
        beta_fast, beta_slow, truncate: of yarn.
        alpha: of dynamic.
        short_factors, long_factors: of longrope, one for each frequency: for texts within the original
            positions, and for longer ones. is_long: whether the latter are used, for all texts.
        attention_factor: of yarn and longrope; cosines and sines are multiplied by it.
        original_max_position: positions that the model was trained on before it was stretched.
        query_growth: queries at position p are multiplied by 1 + query_growth * ln(1 + floor(p /
            original_max_position)) (Ministral 3, after Llama 4 and arXiv:2501.19399).
        growth_start: is added to p there.
        is_still: nothing is rotated, and queries only grow.
        sections: how many of the frequencies belong to each axis of a position that has several (M-RoPE;
            Qwen2-VL, arXiv:2409.12191); none if there is one axis.
        mixes_sections: the axes take turns, as far as the sections reach; the first has the rest. Otherwise,
            the sections follow each other.
    """

    theta: float = 10000.0
    kind: str = "default"
    partial: float = 1.0
    is_interleaved: bool = False
    factor: float = 1.0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    alpha: float = 1.0
    short_factors: tuple[float, ...] = ()
    long_factors: tuple[float, ...] = ()
    is_long: bool = False
    attention_factor: float = 1.0
    original_max_position: int = 8192
    query_growth: float = 0.0
    growth_start: int = 0
    is_still: bool = False
    sections: tuple[int, ...] = ()
    mixes_sections: bool = False

    @property
    def max_positions(self) -> int | None:
        """The positions for which frequencies are known, None for any number."""
        return self.original_max_position if self.kind == "longrope" and not self.is_long else None

    @property
    def factors(self) -> tuple[float, ...]:
        """Those of longrope that are used."""
        return self.long_factors if self.is_long else self.short_factors


AXIAL = "axial"  # a kind of towers of vision: the frequencies of half a head, twice, for two axes
# rope_type in config.json -> the same without synonyms. Their frequencies are those of "default":
KINDS = {
    "default": "default",
    "mrope": "default",  # positions with three axes, which are the same in a text (Qwen2-VL)
    "linear": "linear",  # divided by `factor` (Chen et al., 2023, arXiv:2306.15595)
    "llama3": "llama3",  # the lower ones divided by `factor` (Llama 3.1)
    "yarn": "yarn",  # the same, with other limits (Peng et al., 2023, arXiv:2309.00071)
    # The base is multiplied by alpha^(dim / (dim - 2)) (Hunyuan). Without alpha, it would grow with the
    # length of a text that is longer than the model's context, which is refused.
    "dynamic": "dynamic",
    # Divided by `short_factors` (Ding et al., 2024, arXiv:2402.13753), or by `long_factors` in models that
    # are loaded for texts beyond the original context. A text that grows beyond it would have to be computed
    # anew otherwise.
    "longrope": "longrope",
    "su": "longrope",
    # of the whole head, those beyond the part that is rotated being zero (Gemma 4)
    "proportional": "proportional",
}


def rope_frequencies(rope: RopeConfig, head_dim: int) -> np.ndarray:
    """Radians per position for each pair of a head's rotated dimensions: float64 [rotated / 2]."""
    dim = int(head_dim * rope.partial)
    if rope.is_still:
        return np.zeros(dim // 2)
    if rope.kind == "proportional":
        rotated = [_frequency(rope, i, head_dim) for i in range(0, dim // 2 * 2, 2)]
        return np.array(rotated + [0.0] * (head_dim // 2 - len(rotated)))
    if rope.kind == AXIAL:
        return np.array([_frequency(rope, i, dim // 2) for i in range(0, dim // 2, 2)] * 2)
    return np.array([_frequency(rope, i, dim) for i in range(0, dim, 2)])


def axes_of_frequencies(rope: RopeConfig, count: int) -> np.ndarray:
    """To which axis of a position each of `count` frequencies belongs: int [count].

    Raises ModelError if the sections are others than check_axes allows.
    """
    if rope.sections:
        check_axes(rope, count)
    if rope.mixes_sections:
        axes = np.zeros(count, np.int64)
        for axis, size in list(enumerate(rope.sections))[1:]:
            axes[axis : len(rope.sections) * size : len(rope.sections)] = axis
        return axes
    return np.repeat(np.arange(len(rope.sections)), rope.sections) if rope.sections else np.zeros(count, int)


def check_axes(rope: RopeConfig, count: int) -> None:
    """Raises ModelError if positions cannot have several axes, of which `count` frequencies consist.

    Mixed sections may be more than these: the axes take turns to the end.
    """
    if not rope.sections or (not rope.mixes_sections and sum(rope.sections) != count):
        raise ModelError(f"mrope_section should be three numbers, {count} together.")


def _frequency(rope: RopeConfig, i: int, dim: int) -> float:
    """Of dimension i, by Python's arithmetic."""
    theta = rope.theta
    if rope.kind == "dynamic" and dim > 2:
        theta *= rope.alpha ** (dim / (dim - 2))
    frequency = theta ** -(i / dim)
    if rope.kind in ("linear", "proportional"):
        return frequency / rope.factor
    if rope.kind == "longrope":
        return frequency / rope.factors[i // 2]
    if rope.kind == "llama3":
        turns = rope.original_max_position * frequency / (2 * math.pi)
        # In Llama 4 they are equal, and no frequency is between them.
        between = (rope.high_freq_factor - rope.low_freq_factor) or 1e-12
        unscaled_share = (turns - rope.low_freq_factor) / between
    elif rope.kind == "yarn":
        low, high = (_yarn_dimension(rope, turns, dim) for turns in (rope.beta_fast, rope.beta_slow))
        if rope.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, dim - 1)
        unscaled_share = 1 - (i / 2 - low) / ((high - low) or 0.001)
    else:
        return frequency
    unscaled_share = min(max(unscaled_share, 0.0), 1.0)
    return frequency * (unscaled_share + (1 - unscaled_share) / rope.factor)


def growth_of_queries(rope: RopeConfig, start: int, stop: int) -> np.ndarray:
    """The factors of queries at positions from `start` to `stop` (see query_growth): float64 [positions]."""
    positions = range(start + rope.growth_start, stop + rope.growth_start)
    steps = (position // rope.original_max_position for position in positions)
    return np.array([1 + rope.query_growth * math.log(1 + step) for step in steps])


def _yarn_dimension(rope: RopeConfig, turns: float, dim: int) -> float:
    """The pair of dimensions that makes `turns` turns within the original positions."""
    return dim * math.log(rope.original_max_position / (turns * 2 * math.pi)) / (2 * math.log(rope.theta))


def read_rope(
    raw: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    theta: float = 10000.0,
    partial: float = 1.0,
    sections: tuple[int, ...] = (),
    mixes_sections: bool = False,
) -> RopeConfig:
    """The RoPE that config.json describes, or its part `parameters`.

    Older files have `rope_theta` and `rope_scaling`, newer ones have `rope_parameters`. `theta`, `partial`
    and `sections` are the family's defaults; without sections, its positions have one axis, whatever the file
    says. `mixes_sections` is of the family. Raises ModelError for an unknown kind or an impossible value.
    """
    scaling = Fields(find_rope_fields(raw) if parameters is None else parameters, ROPE)
    values = ChainMap(scaling, raw)  # type: ignore[arg-type]  # which are only read
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelError(f"RoPE scaling {shorten(kind)} is not supported; {', '.join(KINDS)} are.")
    kind = KINDS[kind]
    context = read_number(raw, "max_position_embeddings", 8192, 1, 2**31)
    original = read_number(values, "original_max_position_embeddings", context, 1, 2**31)
    default_factor = 1.0 if kind == "proportional" else context / original
    factor = read_number(scaling, "factor", default_factor, 1e-6, 1e6) if kind != "default" else 1.0
    has_long_factors = kind == "longrope" and "long_factor" in scaling
    rope = RopeConfig(
        theta=read_number(values, "rope_theta", theta, 1, 1e15),
        kind=kind,
        partial=read_number(values, "partial_rotary_factor", partial, 1e-3, 1),
        factor=factor,
        low_freq_factor=read_number(scaling, "low_freq_factor", 1.0, 1e-6, 1e6),
        high_freq_factor=read_number(scaling, "high_freq_factor", 4.0, 1e-6, 1e6),
        beta_fast=read_number(scaling, "beta_fast", 32.0, 1e-6, 1e6),
        beta_slow=read_number(scaling, "beta_slow", 1.0, 1e-6, 1e6),
        truncate=bool(scaling.get("truncate", True)),
        alpha=read_number(scaling, "alpha", 1.0, 1e-6, 1e9),
        short_factors=_factors(scaling, "short_factor") if kind == "longrope" else (),
        long_factors=_factors(scaling, "long_factor") if has_long_factors else (),
        attention_factor=_attention_factor(scaling, kind, factor, original),
        original_max_position=int(original),
        query_growth=read_number(scaling, "llama_4_scaling_beta", 0.0, 0, 1e6),
        sections=_sections(scaling, sections) if sections else (),
        mixes_sections=mixes_sections,
    )
    # The other fields repeat others, or are for longer texts.
    ignore(scaling, "mrope_section", "mrope_interleaved", "long_factor", "type", "max_position_embeddings")
    ignore(scaling, "mscale", "mscale_all_dim", "attention_factor")  # of other kinds
    ignore(raw, "rope_theta", "partial_rotary_factor", "original_max_position_embeddings")
    scaling.check_all_read()
    if rope.low_freq_factor > rope.high_freq_factor:
        raise ModelError("low_freq_factor of RoPE scaling must not be above high_freq_factor.")
    if kind == "yarn" and rope.theta == 1:
        raise ModelError("rope_theta must be above 1 for YaRN.")
    return rope


def part_of(rotated: int, head_dim: int) -> float:
    """RopeConfig.partial, of which int(head_dim * partial) is `rotated`."""
    part = rotated / max(1, head_dim)
    return part if int(head_dim * part) == rotated else math.nextafter(part, 2)


def find_rope_fields(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """`rope_parameters`, or `rope_scaling` in older files; none where both are empty.

    Raises ModelError also where they say different things: Transformers takes either, by its version.
    """
    older, newer = raw.get("rope_scaling"), raw.get("rope_parameters")
    for name, value in (("rope_scaling", older), ("rope_parameters", newer)):
        if value is not None and not isinstance(value, Mapping):
            raise ModelError(f"{name} should be an object, not {shorten(value)}.")
    if older and newer:
        kinds = [fields.get("rope_type", fields.get("type", "default")) for fields in (older, newer)]
        others = [name for name in older if name not in ("rope_type", "type")]
        if kinds[0] != kinds[1] or any(older[name] != newer.get(name) for name in others):
            raise ModelError("rope_scaling and rope_parameters differ; remove the one that is wrong.")
    return newer or older or {}


def read_layer_ropes(
    raw: Mapping[str, Any], types: Sequence[str], theta: float, local_theta: float | None = None
) -> tuple[RopeConfig, ...]:
    """The RoPE of each layer, where full and windowed layers have different ones.

    In older files, which have one description, that of windowed layers is never scaled.

    Args:
        types: of the layers, full_attention or sliding_attention.
        theta: the default base of full layers.
        local_theta: that of windowed layers; None: the same as `theta`.
    """
    ignore(raw, "rope_local_base_freq")  # in newer files a copy
    parameters = find_rope_fields(raw)
    if "full_attention" in parameters or "sliding_attention" in parameters:
        parameters = Fields(parameters, LAYER_ROPES)
        full, local = parameters.get("full_attention") or {}, parameters.get("sliding_attention") or {}
        parameters.check_all_read()
    else:  # older files
        theta = raw.get("rope_theta", theta)
        full, local = parameters, {}
        local_theta = raw.get("rope_local_base_freq", theta if local_theta is None else local_theta)
    ropes = {
        "full_attention": read_rope(raw, {"rope_theta": theta, **full}),
        "sliding_attention": read_rope(raw, {"rope_theta": local_theta or theta, **local}),
    }
    return tuple(ropes[layer_type] for layer_type in types)


def _sections(scaling: Mapping[str, Any], default: tuple[int, ...]) -> tuple[int, ...]:
    """The frequencies of each axis of positions; none if they cannot be understood. Texts need none."""
    sections = scaling.get("mrope_section")
    if sections is None:
        return default
    is_known = isinstance(sections, list) and len(sections) == len(default)
    return tuple(sections) if is_known and all(type(n) is int and 0 <= n < 2**16 for n in sections) else ()


def _factors(scaling: Mapping[str, Any], name: str) -> tuple[float, ...]:
    """LongRoPE's divisors of the frequencies in the field `name`."""
    factors = scaling.get(name)
    if not isinstance(factors, list):
        raise ModelError(f"{name} of LongRoPE should be a list of numbers, not {shorten(factors)}.")
    return tuple(read_number({name: f}, name, 0.0, 1e-6, 1e6) for f in factors)


def _attention_factor(scaling: Mapping[str, Any], kind: str, factor: float, original: float) -> float:
    """The factor of cosines and sines."""

    def mscale(weight: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0

    if kind not in ("yarn", "longrope"):
        return 1.0
    if scaling.get("attention_factor") is not None:
        return read_number(scaling, "attention_factor", 1.0)
    if kind == "longrope":
        return math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 and original > 1 else 1.0
    if scaling.get("mscale") and scaling.get("mscale_all_dim"):
        all_dim = mscale(read_number(scaling, "mscale_all_dim", 1.0))
        return mscale(read_number(scaling, "mscale", 1.0)) / all_dim
    return mscale(1.0)
