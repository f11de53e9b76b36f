"""Collections of files in a real browser: made, filled, asked about, and removed."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import FIGURES, answers, ask, button, line, questions, running_page
from in_process import local_server
from paths import CHECKPOINTS
from reciter import write_reciter

from triton_server.client import ChatClient
from triton_server.conversations.tree import Attachment
from triton_server.engine.models.model_pool import create_pool

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

FILES = {"heron.md": b"# Food\n\nThe heron eats fish.\n", "broken.pdf": b"%PDF-1.4 nothing"}


def start(folder: Path, names: list[str]) -> Iterator[str]:
    models = [write_reciter(folder / "reciter"), *names]
    pool = create_pool(
        [(None, str(model)) for model in models], None, {"kv_cache_memory": 2**26, "max_queue": 64}
    )
    with local_server(pool, folder) as server, running_page(server.grpc_url, folder) as address:
        with ChatClient(server.grpc_url) as client:
            made = client.conversations().create("Cited")
            files = [
                Attachment("a.txt", "Bees hum.", place=""),
                Attachment("b.txt", "Cows moo.", place="line 1"),
            ]
            turn = client.conversations().add_turn(made.id, None, "Who hums?", {}, files)
            client.conversations().change_turn(made.id, turn, answer="Bees do [1].", finish_reason="stop")
        yield address


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page in front of a model that writes and one that embeds."""
    yield from start(tmp_path_factory.mktemp("library"), [str(CHECKPOINTS.parent / "embedders" / "bert")])


@pytest.fixture
def address_without(tmp_path: Path) -> Iterator[str]:
    """The page in front of a model that writes."""
    yield from start(tmp_path, [])


def test_collection_is_made_asked_and_removed(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    page.get_by_role("link", name="Library").click()
    page.get_by_label("Name of a new collection").fill("My birds")
    button(page, "Make a collection").click()
    files = [{"name": name, "mimeType": "", "buffer": data} for name, data in FILES.items()]
    expect(page.get_by_text("PDF with text, docx, xlsx")).to_be_visible()
    page.locator("input[type=file]").set_input_files(files)
    expect(page.get_by_text("1 of 2 files ready")).to_be_visible()
    expect(page.get_by_text("broken.pdf is damaged, or no PDF file.")).to_be_visible()
    button(page, "Remove broken.pdf").click()
    expect(page.get_by_text("1 of 1 files ready")).to_be_visible()
    button(page, "Ask about it").click()
    expect(line(page)).to_have_value("#My-birds ")
    expect(line(page)).to_be_focused()
    expect(questions(page)).to_have_count(0)  # a new chat
    page.keyboard.type("What does it eat?")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text(FIGURES)
    answers(page).get_by_role("button", name="1 heron.md · Food, lines 1-3").click()
    expect(page.get_by_text("The heron eats fish.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(questions(page)).not_to_contain_text("heron.md")
    page.reload()
    expect(answers(page).get_by_role("button", name="1 heron.md")).to_be_visible()
    page.get_by_role("link", name="Library").click()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
    page.get_by_text("#My-birds ·").click()
    button(page, "Delete").click()
    button(page, "Delete #My-birds").click()
    expect(page.get_by_text("#My-birds")).to_have_count(0)


def test_sources_that_are_cited_are_marked(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    button(page, "Cited").first.click()
    sources = answers(page).get_by_role("button", name=re.compile(r"\.txt"))
    expect(sources).to_have_text([re.compile("1 a.txt"), re.compile("2 b.txt · line 1")])
    expect(answers(page).get_by_role("button", name=re.compile("cited$"))).to_have_text(re.compile("1 a.txt"))
    expect(questions(page)).not_to_contain_text("Bees hum.")  # it is no file that was given
    sources.first.click()
    expect(page.get_by_text("Bees hum.")).to_be_visible()


def test_mark_opens_a_list(visit: Callable[..., Page], address: str) -> None:
    page = visit(f"{address}/library", has_line=False)
    for name in ("notes", "news"):
        page.get_by_label("Name of a new collection").fill(name)
        button(page, "Make a collection").click()
        expect(page.get_by_text(f"#{name}")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    choices = page.get_by_role("listbox", name="Suggestions")
    line(page).press_sequentially("In #n")
    expect(choices.get_by_role("option")).to_have_text([re.compile("#notes"), re.compile("#news")])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")  # chooses, and sends nothing
    expect(line(page)).to_have_value("In #news ")
    expect(choices).to_have_count(0)
    line(page).press_sequentially("and #no")
    page.keyboard.press("Escape")
    expect(choices).to_have_count(0)
    line(page).press_sequentially("t")
    choices.get_by_role("option").click()
    expect(line(page)).to_have_value("In #news and #notes ")
    line(page).press_sequentially("# is no name")
    expect(choices).to_have_count(0)
    line(page).fill("Look into #notes please")
    page.keyboard.press("Enter")
    expect(page.get_by_text("#notes has no file that could be read")).to_be_visible()


def test_without_an_embedder_it_says_what_to_do(visit: Callable[..., Page], address_without: str) -> None:
    page = visit(f"{address_without}/library", has_line=False)
    expect(page.get_by_text("No model of this server embeds files.")).to_be_visible()
    expect(button(page, "Make a collection")).to_have_count(0)
