"""The tools that a request lets the model call: what they are called, and what the model is told of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..client_tools import clean_name, join_name
from ..errors import ApiError
from .calls import OWN, Offer, ToolsListed


def name_offers(offers: Iterable[Offer], taken: Iterable[str] = ()) -> dict[str, Offer]:
    """The tools by the names of their functions.

    That is the tool's own name, or `SERVER__TOOL` where several have the same, or a function of the client
    (`taken`). Raises ApiError if that does not tell them apart.
    """
    offers, names = list(offers), Counter(taken)
    own = [clean_name(offer.tool.name, offer.tool.name) or "_" for offer in offers]
    names.update(own)
    named: dict[str, Offer] = {}
    for name, offer in zip(own, offers, strict=True):
        function = name if names[name] == 1 else join_name(offer.server, offer.tool.name)
        if function in named or (function != name and function in names):
            raise ApiError(400, f"several tools are called {function!r}.", "invalid_request", "tools")
        named[function] = offer
    return named


def describe(function: str, offer: Offer) -> dict[str, Any]:
    """The fields of model_core.requests.messages.Tool for a tool."""
    return {"name": function, "description": offer.tool.description, "parameters": offer.tool.schema}


def list_offers(offers: Sequence[Offer]) -> list[ToolsListed]:
    """The tools of each server. Those of this service itself are not listed."""
    servers = dict.fromkeys(offer.server for offer in offers if offer.server != OWN)
    return [ToolsListed(name, tuple(o.tool for o in offers if o.server == name)) for name in servers]
