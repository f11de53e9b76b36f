"""What families with mixtures of experts have in common: configuration, and where weights are stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...checks.file_values import ignore, read_number, read_size
from ...errors import ModelError
from ...tape.operations import Expert, Routing
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_layer_count, read_layer_types
from ..parts import write_named_mlp


@dataclass(frozen=True)
class MixtureConfig(ModelConfig):
    """`experts` in each mixture, each with `expert_size` inner activations. has_experts: of each layer."""

    experts: int
    expert_size: int
    routing: Routing
    has_experts: tuple[bool, ...]


@dataclass(frozen=True)
class SharedMixtureConfig(MixtureConfig):
    """Experts that rows choose, and those that all rows share.

    Attributes:
        shared_size: inner size of the shared experts, as one MLP.
        has_choice_bias: whether a bias balances the choice of the others.
    """

    shared_size: int
    has_choice_bias: bool


Config = TypeVar("Config", bound=MixtureConfig)


def read_mixture(
    raw: dict[str, Any],
    experts: str,
    expert_size: str,
    chosen: str = "num_experts_per_tok",
    **routing: Any,
) -> dict[str, Any]:
    """The fields of MixtureConfig for a model in which all layers have experts.

    experts, expert_size, chosen: the names of the fields with the number of experts, their size, and how many
    a row chooses. routing: fields of Routing other than top_k.

    Raises ModelError if sizes do not fit each other.
    """
    # Transformers 5 writes `num_local_experts` for every name of it.
    ignore(raw, "num_experts", "num_local_experts", "n_routed_experts")
    count = read_size(raw, experts if experts in raw else "num_local_experts", max_value=4096)
    top_k = read_size(raw, chosen, max_value=count)
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


def read_mlp_types(raw: dict[str, Any], default: Iterable[bool]) -> tuple[bool, ...]:
    """Whether each layer has experts, as `mlp_layer_types` says. default: where config.json has no such list.

    Raises ModelError as read_layer_types.
    """
    known = ("dense", "sparse")
    types = read_layer_types(raw, [known[is_sparse] for is_sparse in default], known, "mlp_layer_types")
    return tuple(kind == "sparse" for kind in types)


def with_mtp_layer(c: Config) -> Config:
    """The configuration with one layer more, which attends to all positions, and otherwise is as the last."""
    return replace(
        c,
        ropes=(*c.ropes, c.ropes[-1]),
        windows=(*c.windows, None),
        has_experts=(*c.has_experts, c.has_experts[-1]),
    )


def no_experts(layers: int) -> dict[str, Any]:
    """The fields of MixtureConfig for a model without experts, in a family where others have them."""
    return {"experts": 0, "expert_size": 0, "routing": Routing(0), "has_experts": (False,) * layers}


def read_shared_mixture(
    raw: dict[str, Any], dense_layers: int, has_choice_bias: bool = True, **routing: Any
) -> dict[str, Any]:
    """The fields of SharedMixtureConfig.

    dense_layers: the default of `first_k_dense_replace`. routing: fields of Routing that differ from those of
    DeepSeek-V3 (arXiv:2412.19437).
    """
    deepseek_v3: dict[str, Any] = {
        "score": "sigmoid",
        "normalizes": bool(raw.get("norm_topk_prob", True)),
        "epsilon": 1e-20,
        "scale": read_number(raw, "routed_scaling_factor", 1.0),
        "groups": read_size(raw, "n_group", default=1),
        "top_groups": read_size(raw, "topk_group", default=1),
        "group_top": 2,
    }
    mixture = read_mixture(raw, "n_routed_experts", "moe_intermediate_size", **(deepseek_v3 | routing))
    dense = raw.get("first_k_dense_replace", dense_layers)
    return mixture | {
        "has_experts": tuple(i >= dense for i in range(read_layer_count(raw))),
        "shared_size": mixture["expert_size"] * read_size(raw, "n_shared_experts", default=1),
        "has_choice_bias": has_choice_bias,
    }


def write_experts(
    t: Tape, c: MixtureConfig, h: Span, router: str, experts: Sequence[Expert], **options: Any
) -> Span:
    """The mixture of the experts that the matrix `router` chooses. options: see Tape.route."""
    routing_weights = t.route(h, router, c.experts, c.routing, **options)
    return t.experts(h, routing_weights, c.routing, experts, c.activation)


def write_shared_mixture(
    t: Tape,
    c: SharedMixtureConfig,
    h: Span,
    i: int,
    router: str = "gate",
    choice_bias: str = "gate.e_score_correction_bias",
    shared: str = "shared_experts",
) -> Span:
    """The experts that a row chooses, and those that all rows share.

    router, choice_bias, shared: names of tensors in the layer's `mlp`.
    """
    p = f"model.layers.{i}.mlp"
    experts = separate_experts(c, f"{p}.experts")
    bias = f"{p}.{choice_bias}" if c.has_choice_bias else None
    mixture = write_experts(t, c, h, f"{p}.{router}", experts, choice_bias=bias)
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.{shared}", c.shared_size))


def write_gated_mixture(t: Tape, c: MixtureConfig, h: Span, p: str, shared_size: int) -> Span:
    """Experts, and one that is always chosen, times the sigmoid of its own gate. p: how names begin."""
    y = write_named_mlp(t, c, h, f"{p}.shared_expert", shared_size)
    share = t.map("sigmoid", t.project(h, "share", f"{p}.shared_expert_gate", 1))
    mixture = write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"))
    return t.map("multiply_add", mixture, y, share)


def separate_experts(
    c: MixtureConfig, p: str, names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
) -> list[Expert]:
    """Experts whose matrices are tensors of their own: {p}.{expert}.{name}.weight."""
    hidden, inner = c.hidden_size, c.expert_size
    gate, up, down = names
    return [
        Expert(
            gate=WeightRef(f"{p}.{expert}.{gate}.weight", (inner, hidden)),
            up=WeightRef(f"{p}.{expert}.{up}.weight", (inner, hidden)),
            down=WeightRef(f"{p}.{expert}.{down}.weight", (hidden, inner)),
        )
        for expert in range(c.experts)
    ]


def stacked_experts(c: MixtureConfig, gate_up: str, down: str) -> list[Expert]:
    """Experts in tensors [experts, 2 * inner, hidden], gates above ups, and [experts, hidden, inner]."""
    hidden, inner = c.hidden_size, c.expert_size
    both, shape = (c.experts, 2 * inner, hidden), (c.experts, hidden, inner)
    return [
        Expert(
            gate=WeightRef(gate_up, both, 0, inner, expert=expert),
            up=WeightRef(gate_up, both, inner, 2 * inner, expert=expert),
            down=WeightRef(down, shape, expert=expert),
        )
        for expert in range(c.experts)
    ]
