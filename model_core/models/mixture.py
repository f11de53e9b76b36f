"""What families with mixtures of experts have in common: their configuration, and the names of weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..config import ModelConfig, read_layer_count
from ..errors import ModelError
from ..fields import ignore, read_number, read_size
from ..records import Expert, Routing, Span, WeightRef
from ..tape import Tape


@dataclass(frozen=True)
class MixtureConfig(ModelConfig):
    """`experts` in each mixture, each with `expert_size` inner activations. has_experts: of each layer."""

    experts: int
    expert_size: int
    routing: Routing
    has_experts: tuple[bool, ...]


def read_mixture(raw: dict[str, Any], experts: str, expert_size: str, **routing: Any) -> dict[str, Any]:
    """The fields of MixtureConfig for a model in which all layers have experts.

    experts, expert_size: the names of these fields. routing: fields of Routing beside top_k. Raises
    ModelError if sizes do not fit each other.
    """
    # Transformers 5 writes `num_local_experts` for every name of it.
    ignore(raw, "num_experts", "num_local_experts", "n_routed_experts")
    count = read_size(raw, experts if experts in raw else "num_local_experts", max_value=4096)
    top_k = read_size(raw, "num_experts_per_tok", max_value=count)
    groups, top_groups = routing.get("groups", 1), routing.get("top_groups", 1)
    if count % groups or top_groups > groups or top_k > count // groups * top_groups:
        raise ModelError(
            f"{top_k} of {count} experts cannot be chosen from {top_groups} of {groups} groups of equal size."
        )
    return {
        "experts": count,
        "expert_size": read_size(raw, expert_size),
        "routing": Routing(top_k=top_k, **routing),
        "has_experts": (True,) * read_layer_count(raw),
    }


def no_experts(layers: int) -> dict[str, Any]:
    """The fields of MixtureConfig for a model without experts, in a family where others have them."""
    return {"experts": 0, "expert_size": 0, "routing": Routing(0), "has_experts": (False,) * layers}


def read_group_routing(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of Routing of DeepSeek-V3 (arXiv:2412.19437) and those that route as it does."""
    return {
        "score": "sigmoid",
        "normalizes": bool(raw.get("norm_topk_prob", True)),
        "epsilon": 1e-20,
        "scale": read_number(raw, "routed_scaling_factor", 1.0),
        "groups": read_size(raw, "n_group", default=1),
        "top_groups": read_size(raw, "topk_group", default=1),
        "group_top": 2,
    }


def write_experts(
    t: Tape, c: MixtureConfig, h: Span, router: str, experts: Sequence[Expert], **options: Any
) -> Span:
    """The mixture of the experts that the matrix `router` chooses. options: see Tape.route."""
    routing_weights = t.route(h, router, c.experts, c.routing, **options)
    return t.experts(h, routing_weights, c.routing, experts, c.activation)


def separate_experts(
    c: MixtureConfig, p: str, names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
) -> list[Expert]:
    """Experts whose matrices are tensors of their own: {p}.{expert}.{name}.weight."""
    hidden, inner = c.hidden_size, c.expert_size
    shapes = ((inner, hidden), (inner, hidden), (hidden, inner))
    return [
        Expert(
            *(
                WeightRef(f"{p}.{expert}.{name}.weight", shape)
                for name, shape in zip(names, shapes, strict=True)
            )
        )
        for expert in range(c.experts)
    ]


def stacked_experts(c: MixtureConfig, gate_up: str, down: str) -> list[Expert]:
    """Experts in tensors [experts, 2 * inner, hidden], gates above ups, and [experts, hidden, inner]."""
    hidden, inner = c.hidden_size, c.expert_size
    both, shape = (c.experts, 2 * inner, hidden), (c.experts, hidden, inner)
    return [
        Expert(
            WeightRef(gate_up, both, 0, inner, expert=expert),
            WeightRef(gate_up, both, inner, 2 * inner, expert=expert),
            WeightRef(down, shape, expert=expert),
        )
        for expert in range(c.experts)
    ]
