"""Which calls of Triton's service clients may make, over gRPC and HTTP, and why the others are closed.

The service is that of KServe's Open Inference Protocol with Triton's extensions (grpc_service.proto). Triton
can open the index of its models only together with their loading, and lists only models of its files there.
It refuses what is closed with UNAVAILABLE, which clients take for a server that will come back. The HTTP
service and the proxy, which stand in front of Triton, do both better.
"""

from collections.abc import Mapping
from typing import Any

from .tensors import CHAT_CONTROL

LOADING = (
    "clients neither load nor unload models here: the server has those of its --model flags, and loads them "
    "when they are asked for."
)
SHARED_MEMORY = "clients share no memory with this server; send tensors within the request."
# Triton's own process dies of it.
CLASSES = "the parameter 'classification' is for scores of classes, which no output here has; leave it out."
TRACES = "clients do not read or change the settings of Triton's traces."
LOGS = "clients do not read or change the settings of Triton's log, which is in the server's folder."


def name_triton_models(stats: Mapping[str, Any]) -> list[str]:
    """The names of a server's Triton models, by its `stats`; `chat_control` is the last one."""
    names = (name for entry in stats["models"] for name in entry["triton_models"])
    return [*dict.fromkeys(names), CHAT_CONTROL]
