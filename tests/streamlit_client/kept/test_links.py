"""Read-only links: what a person can make, and what strangers can read, in the page and in Chromium."""

import re
from collections.abc import Callable

import pytest
from browsing import FIGURES, answers, ask, button, line, questions
from in_process import Endpoints
from reciter import GREETING

from model_core.errors import TritonchatError
from streamlit_client.kept.links import KIND, find_link, make_link, read_link, remove_link
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import ConversationNotFound

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


def test_link_leads_to_what_was_shown_and_to_nothing_else(reciter: Endpoints) -> None:
    with ChatClient(reciter.grpc_url) as client:
        conversations = client.conversations("somebody")
        made = conversations.create("Herons", "a secret prompt", {"temperature": 0.5})
        first = _add(conversations, made.id, None, "What do herons eat?")
        _add(conversations, made.id, first, "A branch that is not shown")
        _add(conversations, made.id, first, "And in winter?")
        make_link(client, conversations, conversations.get(made.id))
        link = find_link(conversations, made.id)
        assert link is not None
        copy = read_link(client, link.token)
        assert [turn.question for turn in copy.turns] == ["What do herons eat?", "And in winter?"]
        assert (copy.title, copy.system, copy.parameters) == ("Herons", None, {})
        # What comes later, and a deletion of the original, do not change it; a second link is the first one.
        _add(conversations, made.id, copy.turns[-1].id, "Something private")
        assert read_link(client, link.token) == copy
        make_link(client, conversations, conversations.get(made.id))
        assert [turn.question for turn in read_link(client, link.token).turns][-1] == "Something private"
        assert find_link(conversations, made.id).token == link.token
        assert not client.conversations().list(search="herons")
        remove_link(client, conversations, made.id)
        remove_link(client, conversations, made.id)
        assert find_link(conversations, made.id) is None and not conversations.list_documents(KIND)
        with pytest.raises(ConversationNotFound):
            read_link(client, link.token)


@pytest.mark.parametrize(
    "token", ["", "x", "0" * 31, "0" * 32, "0" * 33, "../" * 10, "\x00", "0" * 31 + "\n"]
)
def test_other_tokens_lead_nowhere(reciter: Endpoints, token: str) -> None:
    with ChatClient(reciter.grpc_url) as client, pytest.raises(TritonchatError, match="link may have been"):
        read_link(client, token)


def test_strangers_read_a_link_until_it_is_removed(
    visit: Callable[..., Page], reciter: Endpoints, page_of: Callable[[Endpoints], str]
) -> None:
    address = page_of(reciter)
    page = visit(address)
    ask(page, "Hello")
    expect(answers(page)).to_contain_text(FIGURES)
    menu = page.locator(".st-key-sharing button")
    menu.click()
    button(page, "Make a read-only link").click()
    shown = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    expect(shown).to_contain_text("/link?id=")
    link = shown.inner_text().strip()
    assert re.fullmatch(re.escape(address) + r"/link\?id=[0-9a-f]{32}", link)

    stranger = visit(link, has_line=False)
    expect(questions(stranger)).to_contain_text("Hello")
    expect(answers(stranger)).to_contain_text(GREETING)
    expect(answers(stranger)).to_contain_text(FIGURES)
    expect(answers(stranger)).to_contain_text("reciter · ")  # who has answered
    expect(stranger).to_have_title("Hello · tritonchat")
    expect(stranger.get_by_text(re.compile(r"made, on \d\d \w+ \d{4}, \d\d:\d\d\."))).to_be_visible()
    expect(button(answers(stranger), "Copy")).to_have_count(1)
    for name in ("More", "Answer again", "Good answer", "Send message"):
        expect(button(stranger, name)).to_have_count(0)
    expect(line(stranger)).to_have_count(0)

    page.keyboard.press("Escape")
    ask(page, "A later question")
    expect(answers(page)).to_have_count(2)
    expect(answers(page).last).to_contain_text(FIGURES)
    stranger.reload()
    expect(answers(stranger)).to_contain_text(GREETING)
    expect(questions(stranger)).to_have_count(1)
    menu.click()
    button(page, "Update the link").click()
    expect(button(page, "Remove the link")).to_be_enabled()
    stranger.reload()
    expect(questions(stranger)).to_have_count(2)
    button(page, "Remove the link").click()
    expect(button(page, "Make a read-only link")).to_be_visible()
    stranger.reload()
    expect(stranger.get_by_role("alert")).to_contain_text("There is no conversation with this address.")
    expect(questions(stranger)).to_have_count(0)


def _add(conversations: Conversations, conversation: str, parent: int | None, question: str) -> int:
    turn = conversations.add_turn(conversation, parent, question)
    conversations.change_turn(conversation, turn, answer="An answer.", finish_reason="stop")
    return turn
