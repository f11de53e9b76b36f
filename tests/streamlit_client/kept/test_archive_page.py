"""All that a person keeps as one file: what goes out comes in, and what is damaged adds nothing."""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import button
from in_process import Endpoints

from model_core.errors import InvalidRequest
from streamlit_client.kept.archive import add, write
from streamlit_client.kept.folders import find_folder, list_folders, make_folder, place
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


@pytest.fixture
def client(reciter: Endpoints) -> Iterator[ChatClient]:
    """A client of the server."""
    with ChatClient(reciter.grpc_url) as connected:
        yield connected


def fill(kept: Conversations) -> Conversations:
    """Give an owner two conversations, one with branches, and the rest."""
    made = kept.create("Heron", "Be brief.", {"temperature": 0.5})
    first = kept.add_turn(made.id, None, "What is a heron?")
    kept.change_turn(made.id, first, answer="A bird\nwith legs.", finish_reason="stop", rating=1)
    second = kept.add_turn(made.id, None, "What is an ibis?")
    kept.change_turn(made.id, second, answer="Another.", finish_reason="stop")
    kept.change(made.id, pinned=True)
    kept.create("Empty one")
    place(kept, made.id, make_folder(kept, "Birds"))
    make_folder(kept, "Nothing")
    kept.put_document("preset", "cold", {"temperature": 0.0})
    kept.put_document("prompt", "translate", {"text": "Into {{language}}: {{text}}"})
    return kept


@pytest.fixture
def own(client: ChatClient) -> Conversations:
    """What an owner keeps."""
    return fill(client.conversations(uuid.uuid4().hex))


@pytest.fixture
def other(client: ChatClient) -> Conversations:
    """Those of an owner who has nothing."""
    return client.conversations(uuid.uuid4().hex)


def describe(kept: Conversations) -> list[tuple]:
    """The conversations without their ids, in the order of the list."""
    folders = list_folders(kept)
    found = [kept.get(summary.id) for summary in kept.list()]
    return [
        (find_folder(folders, c.id), c.title, c.system, c.parameters, c.head, c.pinned, c.created, c.turns)
        for c in found
    ]


def test_everything_comes_back(own: Conversations, other: Conversations) -> None:
    added = Counter[str]()
    add(other, write(own).encode(), added)
    assert describe(other) == describe(own)
    assert list(list_folders(other)) == ["Birds", "Nothing"]
    assert other.list_documents("preset") == own.list_documents("preset")
    assert other.list_documents("prompt") == own.list_documents("prompt")
    assert added == {"conversation": 2, "folder": 2, "preset": 1, "prompt": 1}


def test_import_replaces_nothing(own: Conversations, other: Conversations) -> None:
    other.put_document("preset", "cold", {"temperature": 1.0})
    other.put_document("prompt", "translate", {"text": "Into {{language}}: {{text}}"})
    mine = other.create("Mine")
    place(other, mine.id, make_folder(other, "Birds"))
    added = Counter[str]()
    add(other, write(own).encode(), added)
    presets = {"cold": {"temperature": 1.0}, "cold-2": {"temperature": 0.0}}
    assert other.list_documents("preset") == presets
    assert list(other.list_documents("prompt")) == ["translate"]
    assert added == {"conversation": 2, "folder": 1, "preset": 1}
    assert len(list_folders(other)["Birds"]) == 2 and mine.id in list_folders(other)["Birds"]


def cut(lines: list[str]) -> list[str]:
    return lines[:-1]


def cut_within(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1][:-5]]


def lose_a_parent(lines: list[str]) -> list[str]:
    value = json.loads(lines[2])
    value["conversation"]["turns"] = [{"id": 5, "parent": 9, "question": "?"}]
    return [*lines[:2], json.dumps(value), *lines[3:]]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, "the file is damaged: it has 0 of 1 prompts"),
        (cut_within, "the file is damaged: line 7 is not JSON"),
        (lose_a_parent, "the file is damaged: line 3: the parent of turn 5 is not a turn before it"),
        (lambda lines: lines[1:], "is not an archive of tritonchat"),
        (lambda lines: ["[1]"], "line 1 is not a JSON object"),
        (lambda lines: [*lines, '{"x": 1}'], "line 8 is nothing that an archive has"),
        (lambda lines: [*lines, '{"prompt": 5, "text": ""}'], "line 8: prompt must be a string"),
        (lambda lines: ["\udcff"], "line 1 is not JSON"),
        (lambda lines: ["[" * 100_000], "line 1 is not JSON"),
    ],
)
def test_damaged_file_adds_nothing(
    own: Conversations, other: Conversations, damage: Callable[[list[str]], list[str]], message: str
) -> None:
    lines = write(own).splitlines()
    data = "\n".join(damage(lines)).encode(errors="surrogateescape")
    with pytest.raises(InvalidRequest, match=message.replace("(", r"\(")):
        add(other, data, Counter())
    assert other.list() == [] and list_folders(other) == {} and other.list_documents("prompt") == {}


def test_page_exports_and_imports(
    visit: Callable[..., Page],
    reciter: Endpoints,
    page_of: Callable[[Endpoints], str],
    client: ChatClient,
    tmp_path: Path,
) -> None:
    kept = client.conversations()
    kept.create("Kept for export")
    page = visit(page_of(reciter))
    page.get_by_role("link", name="Data").click()
    with page.expect_download() as download:
        button(page, "Export everything").click()
    file = tmp_path / "all.jsonl"
    download.value.save_as(file)
    assert "Kept for export" in file.read_text()
    count = len(kept.list(search="Kept for export"))
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("Added: ")).to_be_visible()
    assert len(kept.list(search="Kept for export")) == 2 * count
    file.write_text(file.read_text()[:-20])
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("the file is damaged")).to_be_visible()
    assert len(kept.list(search="Kept for export")) == 2 * count
