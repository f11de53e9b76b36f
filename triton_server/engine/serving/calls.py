"""Requests as the models of the contract get them: tensors, and what else is said of a call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...tracing.spans import TRACEPARENT, find_traceparent

# The parameters of a request that hold its call id and its own timeout (0: it has none). In Triton,
# backend_model.py repeats these: where it runs, it cannot import this module.
CALL_ID_PARAMETER, TIMEOUT_PARAMETER = "tritonchat_call", "tritonchat_timeout_us"


class TensorRequest(Protocol):
    """A request, in the form that PyTriton gives it to a model: a batch is a list of such requests."""

    @property
    def data(self) -> dict[str, np.ndarray]:
        """The inputs by name, those of models with rows [rows, ...]."""

    @property
    def parameters(self) -> Mapping[str, Any] | None:
        """The parameters, of which `read_call` reads some."""


@dataclass(frozen=True)
class PlainRequest:
    """A TensorRequest that does not come from PyTriton."""

    data: dict[str, np.ndarray]
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """What is said of a request besides its tensors.

    Attributes:
        id: by which `Inference.cancel_call` knows it.
        timeout_s: of the request parameter `timeout`; None: it has no such limit.
        parent: the span of which it is a part, as its metadata says; None: of none.
    """

    id: str
    timeout_s: float | None = None
    parent: str | None = None


def read_call(request: TensorRequest) -> Call:
    """What the parameters of a request say, which the server has set."""
    parameters = request.parameters or {}
    parent = parameters.get(TRACEPARENT)
    return Call(
        str(parameters[CALL_ID_PARAMETER]),
        parameters.get(TIMEOUT_PARAMETER, 0) / 1e6 or None,
        find_traceparent({TRACEPARENT: parent}) if isinstance(parent, str) else None,
    )
