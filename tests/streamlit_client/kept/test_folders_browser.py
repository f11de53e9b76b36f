"""Folders in the list of conversations, in a real browser and in the store."""

import re
import uuid
from collections.abc import Callable, Iterator

import pytest
from browsing import button, line, questions
from in_process import Endpoints
from support import wait_until

from model_core.errors import InvalidRequest
from streamlit_client.chat.tool_calls import KIND as TOOLS
from streamlit_client.kept.folders import list_folders, make_folder, place, rename_folder, walk
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


@pytest.fixture
def client(reciter: Endpoints) -> Iterator[ChatClient]:
    """A client of the server."""
    with ChatClient(reciter.grpc_url) as connected:
        yield connected


@pytest.fixture
def conversations(client: ChatClient) -> Conversations:
    """Those of an owner of the test's own."""
    return client.conversations(uuid.uuid4().hex)


def test_conversation_is_in_one_folder(conversations: Conversations) -> None:
    first, second = (make_folder(conversations) for _ in range(2))
    assert (first, second) == ("New folder", "New folder 2")
    assert place(conversations, "a", first) is None
    assert place(conversations, "b", first) is None
    assert place(conversations, "a", second) == first
    assert list_folders(conversations) == {first: ["b"], second: ["a"]}
    assert place(conversations, "a", second) == second  # once
    rename_folder(conversations, second, "work")
    with pytest.raises(InvalidRequest, match="there is a folder work already"):
        rename_folder(conversations, first, "work")
    assert place(conversations, "b", None) == first
    assert list_folders(conversations) == {first: [], "work": ["a"]}


def test_walk_finds_all(conversations: Conversations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit_client.kept.folders._PAGE", 2)
    made = [conversations.create(f"chat {number}").id for number in range(5)]
    assert [summary.id for summary in walk(conversations)] == made[::-1]
    assert [summary.id for summary in walk(conversations, "chat 3")] == [made[3]]


def menu(page: Page, title: str, option: str) -> None:
    page.get_by_role("button", name=f"Menu of {title}", exact=True).click()
    page.get_by_role("option", name=re.compile(f"{option}$")).or_(
        page.get_by_role("menuitem", name=re.compile(f"{option}$"))
    ).click()


def test_folders_are_made_filled_and_deleted(
    visit: Callable[..., Page], reciter: Endpoints, page_of: Callable[[Endpoints], str], client: ChatClient
) -> None:
    kept = client.conversations()
    made = [kept.create(title) for title in ("Heron", "Ibis", "Crane")]
    kept.put_document(TOOLS, made[0].id, {"servers": []})
    page = visit(page_of(reciter))
    bar = page.get_by_test_id("stSidebar")
    title = bar.get_by_role("textbox", name="New name")
    menu(page, "Heron", "Move to a new folder")
    expect(title).to_be_focused()
    title.fill("Birds *of* prey")
    title.press("Enter")
    folder = bar.get_by_role("tabpanel", name="Chats").get_by_test_id("stExpander")
    expect(folder).to_contain_text("Birds *of* prey")
    expect(bar.get_by_role("button", name="Heron", exact=True)).to_have_count(0)
    menu(page, "Ibis", r"Move to Birds \*of\* prey")
    expect(bar.get_by_role("button", name="Ibis", exact=True)).to_have_count(0)
    folder.locator("summary").click()
    expect(folder.get_by_role("button", name="Heron", exact=True)).to_be_visible()
    folder.get_by_role("button", name="Ibis", exact=True).click()
    expect(page).to_have_url(re.compile(made[1].id))
    page.reload()
    expect(folder.get_by_role("button", name="Ibis", exact=True)).to_be_visible()  # that of the open chat
    menu(page, "Ibis", "Take out of its folder")
    expect(folder.get_by_role("button", name="Ibis", exact=True)).to_have_count(0)
    expect(bar.get_by_role("button", name="Ibis", exact=True)).to_be_visible()

    if not folder.get_by_role("button", name="Heron", exact=True).is_visible():
        folder.locator("summary").click()
    menu(page, "Heron", "Delete")
    expect(button(page, "Undo")).to_be_visible()
    assert list_folders(kept) == {"Birds *of* prey": []}
    assert made[0].id not in kept.list_documents(TOOLS)
    button(page, "Undo").click()
    expect(page).to_have_url(re.compile(made[0].id))
    expect(questions(page)).to_have_count(0)
    assert list_folders(kept) == {"Birds *of* prey": [made[0].id]}
    assert kept.get_document(TOOLS, made[0].id) == {"servers": []}

    button(bar, "New folder").click()
    expect(title).to_be_focused()
    title.fill("Empty")
    title.press("Enter")
    expect(folder).to_have_count(2)
    assert sorted(list_folders(kept)) == ["Birds *of* prey", "Empty"]
    if not folder.get_by_role("button", name="Heron", exact=True).is_visible():
        folder.first.locator("summary").click()
    menu(page, "the folder Birds *of* prey", "Delete the folder")
    expect(folder).to_have_count(1)
    expect(bar.get_by_role("button", name="Heron", exact=True)).to_be_visible()


def test_name_may_stay_as_it_is(
    visit: Callable[..., Page], reciter: Endpoints, page_of: Callable[[Endpoints], str], client: ChatClient
) -> None:
    kept = client.conversations()
    made = kept.create("Osprey")
    page = visit(page_of(reciter))
    bar = page.get_by_test_id("stSidebar")
    title = bar.get_by_role("textbox", name="New title")
    entry = bar.get_by_role("button", name="Osprey", exact=True)
    row = bar.get_by_test_id("stHorizontalBlock").filter(
        has=page.get_by_role("button", name="Osprey", exact=True)
    )
    wait_until(lambda: row.evaluate("row => row.scrollWidth <= row.clientWidth"))  # no bar to scroll
    for leave in (
        lambda: page.keyboard.press("Enter"),
        lambda: page.keyboard.press("Escape"),
        lambda: (page.keyboard.type("Eagle"), page.keyboard.press("Escape")),
        lambda: button(bar, "Leave the name as it is").click(),
        lambda: page.get_by_text("Ask something below").click(),
    ):
        menu(page, "Osprey", "Rename")
        expect(title).to_be_focused()
        leave()
        expect(title).to_have_count(0)
        expect(entry).to_be_visible()
    menu(page, "Osprey", "Rename")
    expect(title).to_be_focused()
    page.keyboard.type("Kite")  # instead of the old one
    page.keyboard.press("Enter")
    expect(bar.get_by_role("button", name="Kite", exact=True)).to_be_visible()
    expect(line(page)).to_be_focused()
    assert kept.get(made.id).title == "Kite"
    button(bar, "New folder").click()
    name = bar.get_by_role("textbox", name="New name")
    expect(name).to_be_focused()
    page.keyboard.press("Enter")
    expect(name).to_have_count(0)
    expect(bar.get_by_test_id("stExpander").filter(has_text="New folder")).to_be_visible()
