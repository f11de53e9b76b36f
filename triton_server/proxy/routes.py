"""Which requests change nothing, so that they may be sent twice."""

import re

from .grpc_messages import SERVICE

# Paths of the HTTP service by method. A request that is not listed is sent once, so a new route is safe until
# somebody adds it here. Those to /v1/responses are stored, unless they say otherwise.
REPEATABLE: dict[str, tuple[str, ...]] = {
    "POST": (
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/choose",
        "/v1/embeddings",
        "/embed_sparse",
        "/rerank",
        "/v1/rerank",
        "/v2/rerank",
        "/score",
        "/v1/score",
        "/v1/responses/input_tokens",
        "/v1/responses/compact",
        "/v1/messages",
        "/v1/messages/count_tokens",
        "/api/chat",
        "/api/generate",
        "/api/embed",
        "/api/embeddings",
        "/api/show",
        "/completion",
        "/completions",
        "/infill",
        "/stream",
        "/tokenize",
        "/detokenize",
        "/apply-template",
        "/ping",
    ),
    "GET": (
        "/v1/models",
        "/v1/models/{name:path}",
        "/v1/responses/{response_id}",
        "/v1/responses/{response_id}/input_items",
        "/v1/conversations/{conversation_id}",
        "/v1/conversations/{conversation_id}/items",
        "/v1/conversations/{conversation_id}/items/{item_id}",
        "/v1/prompts",
        "/v1/prompts/{name}",
        "/v1/files",
        "/v1/files/{file_id}",
        "/v1/files/{file_id}/content",
        "/v1/batches",
        "/v1/batches/{batch_id}",
        "/sessions",
        "/sessions/{id}",
        "/conversations",
        "/conversations/{id}",
        "/api/tags",
        "/api/ps",
        "/api/version",
        "/props",
        "/slots",
        "/tokenizer_info",
        "/version",
        "/server_info",
        "/get_server_info",
        "/model_info",
        "/get_model_info",
        "/docs",
        "/docs/oauth2-redirect",
        "/docs-assets/{name}",
        "/openapi.json",
        "/healthz",
        "/readyz",
        "/health",
        "/v1/health",
        "/ping",
        "/metrics",
    ),
}
# gRPC calls other than ModelInfer; contract/commands.py says it of commands.
REPEATABLE_CALLS = {
    f"{SERVICE}{name}"
    for name in (
        "ServerLive",
        "ServerReady",
        "ModelReady",
        "ServerMetadata",
        "ModelMetadata",
        "ModelConfig",
        "ModelStatistics",
        "RepositoryIndex",
    )
}
# In Starlette's words: the value of a name has no slash, unless it is a path.
_PATTERNS = {
    method: re.compile("|".join(re.sub(r"{\w+}", "[^/]+", re.sub(r"{\w+:path}", ".+", p)) for p in paths))
    for method, paths in REPEATABLE.items()
}


def may_repeat(method: str, path: str) -> bool:
    """Whether a request changes nothing. HEAD is GET without the body; OPTIONS asks what a browser may do."""
    pattern = _PATTERNS.get("GET" if method == "HEAD" else method)
    return method == "OPTIONS" or (pattern is not None and pattern.fullmatch(path) is not None)
