"""Collections that a question names, as in "#birds", and the passages that are found in them for it."""

import re
from collections.abc import Mapping, Sequence

from model_core.errors import InvalidRequest
from triton_server.client.collections import Collection, Collections
from triton_server.collections.store import COMPLETED, IN_PROGRESS
from triton_server.conversations.tree import Attachment

MAX_PASSAGES = 6  # for a question
_CHARACTERS_PER_TOKEN = 3  # as collections count them
_SHARE = 0.5  # of the model's context that passages may take
_MENTION = re.compile(r"(?<!\S)#([\w-]+)")


def mention(name: str) -> str:
    """What stands behind # for a collection: its name with hyphens for all that no word has."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")


def find_mentions(question: str) -> set[str]:
    """The words behind # in a question, in small letters. Headings of Markdown are none."""
    return {match[1].casefold() for match in _MENTION.finditer(question)}


def find_passages(question: str, collections: Collections, max_context: int | None) -> list[Attachment]:
    """The passages for a question of the collections that it names; none if it names none.

    They take at most half of the model's context. Raises InvalidRequest for a collection of which no file was
    read, or whose model is not served.
    """
    words = find_mentions(question)
    known = [each for each in collections.list() if mention(each.name).casefold() in words] if words else []
    if not known:
        return []
    names = {mention(each.name).casefold() for each in known}
    query = _MENTION.sub(lambda match: "" if match[1].casefold() in names else match[0], question).strip()
    _check_contents(known)
    found = collections.search(known, query or question, MAX_PASSAGES)
    room = None if max_context is None else int(_SHARE * max_context * _CHARACTERS_PER_TOKEN)
    taken: list[Attachment] = []
    for passage in found:
        if room is not None and sum(len(each.text) for each in taken) + len(passage.text) > room:
            break
        taken.append(Attachment(passage.name, passage.text, place=passage.place))
    return taken


def _check_contents(collections: Sequence[Collection]) -> None:
    """Raises InvalidRequest for a collection that has nothing to be found."""
    for collection in collections:
        counts: Mapping[str, int] = collection.files
        if not counts[COMPLETED]:
            name = f"#{mention(collection.name)}"
            if counts[IN_PROGRESS]:
                raise InvalidRequest(f"the files of {name} are still being read; try it again in a moment.")
            raise InvalidRequest(f"{name} has no file that could be read; add one on the page Library.")
