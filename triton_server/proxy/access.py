"""Who may read what the proxy says of itself and of the servers: /metrics and /replicas."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from ..api.middleware.keys import is_foreign_page, parse_api_key
from ..contract.api_keys import ApiKeys
from ..system.hosts import LOOPBACK, is_loopback

GUARDED_PATHS = ("/metrics", "/replicas")


class ProxyAccess:
    """The address of a client proves nothing: behind another proxy, all have one of this machine.

    So it is as with the service's /metrics. A key opens these paths; without one they are open where the
    proxy listens on this machine alone, but not for web pages of others, or where it has no keys and is
    open to all.
    """

    def __init__(self, host: str = LOOPBACK, api_keys: Sequence[str] = (), open_to_all: bool = False) -> None:
        self._keys, self._is_local = ApiKeys(api_keys), is_loopback(host)
        self._is_open = open_to_all and not api_keys

    def explain_refusal(self, scope: Scope) -> str | None:
        """Why a request to such a path is refused; None if it is not."""
        headers = Headers(scope=scope)
        key = parse_api_key(headers)
        is_local = self._is_local and not is_foreign_page(headers, ())
        if is_local or self._is_open or self._keys.owner_of(key):
            return None
        if not self._keys:
            return f"{scope['path']} of this proxy needs a key; start the proxy with --api-key."
        if key:
            return "the API key is not valid for this proxy."
        return f"{scope['path']} of this proxy needs an API key; send it as `Authorization: Bearer KEY`."
