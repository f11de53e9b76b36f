"""When the events of a stream over HTTP have ids, which name the place where another server goes on.

Clients of server-sent events that follow the standard accept the type `text/event-stream`
(https://html.spec.whatwg.org/multipage/server-sent-events.html). Others, which read only lines of data, get
streams without ids.
"""

from starlette.datastructures import Headers

LAST_EVENT_ID = "Last-Event-ID"
_EVENT_STREAM = "text/event-stream"


def takes_ids(headers: Headers) -> bool:
    """Whether a client takes ids of events."""
    accepted = ",".join(headers.getlist("accept")).lower()
    return LAST_EVENT_ID in headers or _EVENT_STREAM in accepted
