"""Folders of conversations. The store has a document for each, with the ids of its conversations.

A conversation is in one folder or in none. One that another program has deleted may still be named.
"""

from collections.abc import Iterator

from model_core.errors import InvalidRequest
from triton_server.client.conversations import Conversations
from triton_server.conversations.tree import Summary

KIND = "folder"  # of the documents; each is {"conversations": [id, ...]}
MAX_NAME = 60  # characters
NEW = "New folder"
_PAGE = 200  # conversations that the store lists at a time

Folders = dict[str, list[str]]


def list_folders(conversations: Conversations) -> Folders:
    """The ids of the conversations of each folder, by its name."""
    kept = conversations.list_documents(KIND)
    return {name: kept[name]["conversations"] for name in sorted(kept, key=str.casefold)}


def find_folder(folders: Folders, conversation: str) -> str | None:
    """The folder of a conversation; None if it is in none."""
    return next((name for name, ids in folders.items() if conversation in ids), None)


def make_folder(conversations: Conversations, name: str = NEW) -> str:
    """Make an empty folder; return its name, which has a number if there is another with this one."""
    folders, number, free = list_folders(conversations), 1, name
    while free in folders:
        number += 1
        free = f"{name} {number}"
    _put(conversations, free, [])
    return free


def rename_folder(conversations: Conversations, name: str, new: str) -> None:
    """Give a folder another name. Raises InvalidRequest if there is one with it."""
    folders = list_folders(conversations)
    if new == name:
        return
    if new in folders:
        raise InvalidRequest(f"there is a folder {new} already.", "name")
    _put(conversations, new, folders.get(name, []))
    if name in folders:
        conversations.delete_document(KIND, name)


def delete_folder(conversations: Conversations, name: str) -> None:
    """Delete a folder. Its conversations stay, in no folder."""
    conversations.delete_document(KIND, name)


def place(conversations: Conversations, conversation: str, folder: str | None) -> str | None:
    """Move a conversation into a folder, which is made if it is new; None: into none. Where it was before."""
    folders = list_folders(conversations)
    before = find_folder(folders, conversation)
    if folder is not None and folder != before:
        _put(conversations, folder, [*folders.get(folder, []), conversation])
    if before is not None and folder != before:
        _put(conversations, before, [each for each in folders[before] if each != conversation])
    return before


def walk(conversations: Conversations, search: str = "") -> Iterator[Summary]:
    """All conversations that have the words of a search, in the order of the store's list."""
    page = conversations.list(search, _PAGE)
    while page:
        yield from page
        page = conversations.list(search, _PAGE, page[-1]) if len(page) == _PAGE else []


def _put(conversations: Conversations, name: str, ids: list[str]) -> None:
    conversations.put_document(KIND, name, {"conversations": ids})
