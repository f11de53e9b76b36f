"""The parameter `include` of OpenAI's routes: what clients ask for in addition."""

from collections.abc import Collection
from typing import Annotated

from fastapi import Depends, Query

LOGPROBS = "message.output_text.logprobs"
SEARCH_RESULTS = "file_search_call.results"
_DESCRIPTION = (
    f"{LOGPROBS} and {SEARCH_RESULTS} are there if the response was asked for them. "
    "X-Ignored-Fields names others."
)


def _read_include(
    include: Annotated[list[str] | None, Query(description=_DESCRIPTION)] = None,
    include_list: Annotated[
        list[str] | None, Query(alias="include[]", description="The same, as OpenAI's client calls it.")
    ] = None,
) -> list[str]:
    return [*(include or ()), *(include_list or ())]


Include = Annotated[list[str], Depends(_read_include)]


def list_not_included(include: Collection[str]) -> list[str]:
    """The values of `include` for what this service never has, as names of fields."""
    return [f"include[{name}]" for name in include if name not in (LOGPROBS, SEARCH_RESULTS)]
