"""API keys, and web pages of other sites: the HTTP service and the proxy check them alike."""

from starlette.datastructures import Headers

from ...system.hosts import is_loopback


def parse_api_key(headers: Headers) -> bytes:
    """The API key in a request's headers; b"" if there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        key = headers.get("x-api-key", "")
    return key.strip().encode("latin-1")


def is_foreign_page(headers: Headers, cors_origins: tuple[str, ...]) -> bool:
    """Whether a browser may have sent the request on behalf of a web page of another site.

    Without keys, every program on this machine may use the service, browsers included. A web page could then
    use it through the browser of a person who visits it. `Origin` shows that, and so does `Host` if the
    page's own host name resolves to the address of the service (DNS rebinding).
    """
    host, origin = headers.get("host", ""), headers.get("origin")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if name and not (is_loopback(name.strip("[]")) or name.endswith(".localhost")):
        return True
    return origin is not None and origin.partition("://")[2] != host and not {origin, "*"} & set(cors_origins)
