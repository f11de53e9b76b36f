"""The store of conversations as trees: branches, heads, search, deletion, owners, and several writers."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import stores
from paths import ROOT
from stores import answer, create, ids, size_of

from triton_server.contract.conversation_errors import (
    ConversationNotFound,
    DocumentNotFound,
    SessionsFull,
    StoreConflict,
    TurnNotFound,
)
from triton_server.conversations import store as store_module
from triton_server.conversations.documents import DocumentStore
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.transactions import Database
from triton_server.conversations.tree import Attachment, Conversation, Turn, make_title

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "cached_tokens": 0}


@pytest.fixture
def open_store(database_url: str) -> Iterator[Callable[..., ConversationStore]]:
    """Opens stores of one database with limits."""
    with contextlib.ExitStack() as stack:

        def start(**limits: int) -> ConversationStore:
            return stack.enter_context(stores.open_store(database_url, **limits))

        yield start


@pytest.fixture
def store(open_store: Callable[..., ConversationStore]) -> ConversationStore:
    """A store without limits."""
    return open_store()


def say(store: ConversationStore, conversation_id: str, parent: int | None, question: str) -> int:
    """Add a turn. Its answer is the question in upper case."""
    turn = store.add_turn("", conversation_id, Turn(0, parent, question, parameters={"seed": 1}))
    store.change_turn("", conversation_id, turn, {"answer": question.upper(), "finish_reason": "stop"})
    return turn


def questions(turns: list[Turn]) -> list[str]:
    return [turn.question for turn in turns]


def test_branches_siblings_and_head(store: ConversationStore) -> None:
    made = store.create("", "", "Be brief.", {"temperature": 0.5})
    assert (made.title, made.head, made.turns, made.version) == ("", None, [], 1)
    one = say(store, made.id, None, "One?")
    two = say(store, made.id, one, "Two?")
    three = say(store, made.id, two, "Three?")
    edited = say(store, made.id, one, "Two, edited?")
    other_root = say(store, made.id, None, "Another beginning?")
    again = say(store, made.id, one, "Two?")

    tree = store.get("", made.id)
    assert questions(tree.turns) == ["One?", "Two?", "Three?", "Two, edited?", "Another beginning?", "Two?"]
    assert tree.head == again
    assert questions(tree.path()) == ["One?", "Two?"]
    assert questions(tree.path(three)) == ["One?", "Two?", "Three?"]
    assert [turn.id for turn in tree.siblings(edited)] == [two, edited, again]
    assert [turn.id for turn in tree.siblings(one)] == [one, other_root]
    assert [turn.id for turn in tree.children(three)] == []
    assert (tree.leaf(one), tree.leaf(two), tree.leaf(other_root)) == (again, three, other_root)
    assert tree.messages(edited) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "ONE?"},
        {"role": "user", "content": "Two, edited?"},
        {"role": "assistant", "content": "TWO, EDITED?"},
    ]
    with pytest.raises(KeyError):
        tree.path(99)

    assert questions(store.change("", made.id, {"head": three}).path()) == ["One?", "Two?", "Three?"]
    assert store.change("", made.id, {"head": None}).path() == []
    for wrong in (99, 0):
        with pytest.raises(TurnNotFound):
            store.change("", made.id, {"head": wrong})
        with pytest.raises(TurnNotFound):
            store.add_turn("", made.id, Turn(0, wrong, "Lost?"))
        with pytest.raises(TurnNotFound):
            store.change_turn("", made.id, wrong, {"answer": "Lost."})
    assert len(store.get("", made.id).turns) == 6


def test_all_fields_of_a_turn_are_stored(store: ConversationStore) -> None:
    odd = "NUL \0, 'quotes\" \\ 你好 😀\r\n"
    made = store.create("", odd, odd, {"stop": [odd]})
    files = [Attachment("a.pdf", odd, 12), Attachment("b.txt", "")]
    turn = store.add_turn("", made.id, Turn(0, None, odd, parameters={"note": odd}, attachments=files))
    running = store.get("", made.id).turns[0]
    assert (running.answer, running.finish_reason, running.usage, running.rating) == ("", None, None, 0)
    changes = {
        "answer": odd,
        "reasoning": odd,
        "tool_calls": [{"name": "add", "arguments": {"a": 1}, "result": odd}],
        "finish_reason": "tool_calls",
        "usage": USAGE,
        "timings": {"queue": 0.0, "first_token": 0.1, "total": 0.5},
        "rating": -1,
    }
    store.change_turn("", made.id, turn, changes)
    read = store.get("", made.id)
    assert (read.title, read.system, read.parameters) == (odd, odd, {"stop": [odd]})
    (stored,) = read.turns
    assert {name: getattr(stored, name) for name in changes} == changes
    assert (stored.question, stored.attachments, stored.parameters) == (odd, files, {"note": odd})
    store.change_turn("", made.id, turn, {"tool_calls": [], "finish_reason": None, "rating": 0})
    (stored,) = store.get("", made.id).turns
    assert (stored.tool_calls, stored.finish_reason, stored.answer) == ([], None, odd)


def test_a_session_is_the_path_to_the_head(store: ConversationStore) -> None:
    """The page and HTTP see the same conversations; numbers of questions count along the path."""
    create(store, "", "walk", "Be brief.")
    for question in ("One?", "Two?"):
        answer(store, store.get("", "walk"), question, question.upper(), usage=USAGE)
    edited = store.add_turn(
        "", "walk", Turn(0, 1, "Two, edited?", attachments=[Attachment("a.txt", "of the file")])
    )
    session = store.get("", "walk")
    assert questions(session.path()) == ["One?", "Two, edited?"]
    assert session.path()[1].finish_reason is None
    message = session.messages()[3]["content"]
    assert message == '<file name="a.txt">\nof the file\n</file>\n\nTwo, edited?'
    store.change_turn("", "walk", edited, {"answer": "TWO!", "finish_reason": "stop"})
    with pytest.raises(StoreConflict):  # the answer that it has seen was not at its end
        answer(store, session, "Three?", "THREE")
    assert answer(store, store.get("", "walk"), "Three?", "THREE") == 3
    tree = store.get("", "walk")
    assert questions(tree.path()) == ["One?", "Two, edited?", "Three?"]
    assert [(s.id, s.turns) for s in store.list_by_age("", 9).values()] == [("walk", 3)]
    assert [(s.id, s.turns) for s in store.list_conversations("", "", 9)] == [("walk", 3)]
    # Removing a question over HTTP removes what follows it, and not other branches.
    assert questions(store.revert("", "walk", 2).path()) == ["One?"]
    assert questions(store.get("", "walk").turns) == ["One?", "Two?"]
    assert say(store, "walk", 1, "Next?") == 5  # 3 and 4 are not used again
    store.remove("", "walk")
    with pytest.raises(ConversationNotFound):
        store.get("", "walk")


def test_ratings_and_titles_do_not_disturb_a_session(store: ConversationStore) -> None:
    create(store, "", "walk")
    say(store, "walk", None, "One?")
    session = store.get("", "walk")
    store.change_turn("", "walk", 1, {"rating": 1})
    store.change("", "walk", {"title": "A walk", "pinned": True})
    assert answer(store, session, "Two?", "TWO") == 2


def test_titles_come_from_the_first_question(store: ConversationStore) -> None:
    named, unnamed = store.create("", "Mine", None, {}), store.create("", "", None, {})
    for made in (named, unnamed):
        say(store, made.id, None, "\n  What   is a\ttape?\nTell me.")
        say(store, made.id, 1, "And then?")
    assert store.get("", named.id).title == "Mine"
    assert store.get("", unnamed.id).title == "What is a tape?"
    assert make_title("word " * 40) == "word word word word word word word word word word word word…"
    assert make_title("x" * 100) == "x" * 59 + "…"
    assert make_title("## Heading") == "Heading"
    assert make_title("> - **#handbook How?") == "#handbook How?"
    assert make_title("- # ") == "#"
    assert make_title(" \n ") == ""


def test_list_is_paged_with_pinned_ones_first(store: ConversationStore) -> None:
    made = [store.create("", f"c{number}", None, {}) for number in range(7)]
    store.create("bo", "another's", None, {})
    store.change("", made[2].id, {"pinned": True})
    say(store, made[0].id, None, "The newest?")
    expected = ["c2", "c0", "c6", "c5", "c4", "c3", "c1"]
    assert [summary.title for summary in store.list_conversations("", "", 50)] == expected
    seen, before = [], None
    while page := store.list_conversations("", "", 2, before):
        seen += [summary.title for summary in page]
        before = page[-1].pinned, page[-1].updated, page[-1].id
    assert seen == expected


def test_search_finds_parts_of_words_in_any_case(store: ConversationStore) -> None:
    def talk(title: str, question: str, answer: str, *files: Attachment) -> None:
        made = store.create("", title, None, {})
        turn = store.add_turn("", made.id, Turn(0, None, question, attachments=files))
        store.change_turn("", made.id, turn, {"answer": answer})

    talk("straße", "Wie heißt die GROSSE Strasse?", "So.", Attachment("Report.PDF", "secret text", 2))
    talk("école", "L'école, 你好", "Oui: Donaudampfschifffahrtsgesellschaft.")
    talk("percent", '100 percent of "quoted" a b\nbreak', "100% after")
    store.create("", "title, große", None, {})
    for query, titles in {
        "Große": ["title, große", "straße"],
        "GROSSE": ["title, große", "straße"],
        "ÉCOLE": ["école"],
        "e\u0301cole": ["école"],
        "你好": ["école"],
        "好": ["école"],
        "100%": ["percent"],
        "100_": [],
        "'; DROP TABLE turns; --": [],
        'a "quoted"': ["percent"],
        "b\\nbreak": [],
        "quoted 100": ["percent"],
        "quoted straße": [],
        "report.pdf": ["straße"],
        "secret": [],
        "   ": ["title, große", "percent", "école", "straße"],
        "a\0b": ["percent"],
        'of "quoted" a b': ["percent"],
        "donaudampfschifffahrtsgesellschaft": ["école"],
        "donaudampfschifffahrtsgesellschaften": [],
        "a b c d e f g h i j k l m n o p q r s t": [],
        "q u o t e d f p r c n b k a 1 0 % after": ["percent"],
    }.items():
        found = store.list_conversations("", query, 50)
        assert [summary.title for summary in found] == titles, query
        assert store.list_conversations("bo", query, 50) == []


def test_search_follows_changes(store: ConversationStore) -> None:
    made = store.create("", "old title", None, {})
    turn = store.add_turn("", made.id, Turn(0, None, "question"))
    store.change_turn("", made.id, turn, {"answer": "half of"})
    store.change_turn("", made.id, turn, {"answer": "whole answer"})
    store.change("", made.id, {"title": "new title"})
    hits = {word: len(store.list_conversations("", word, 9)) for word in ("old", "half", "whole", "new")}
    assert hits == {"old": 0, "half": 0, "whole": 1, "new": 1}
    store.delete("", made.id)
    assert store.list_conversations("", "whole", 9) == []


def test_deleted_conversations_can_be_restored_for_a_while(
    store: ConversationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = store.create("", "kept", None, {})
    say(store, made.id, None, "One?")
    store.delete("", made.id)
    for refused in (
        lambda: store.get("", made.id),
        lambda: store.change("", made.id, {"title": "x"}),
        lambda: store.add_turn("", made.id, Turn(0, None, "x")),
        lambda: store.change_turn("", made.id, 1, {"answer": "x"}),
        lambda: store.delete("", made.id),
        lambda: store.remove("", made.id),
        lambda: store.revert("", made.id, 1),
        lambda: store.restore("bo", made.id),
    ):
        with pytest.raises(ConversationNotFound):
            refused()
    assert store.list_conversations("", "", 9) == ids(store, "") == []
    assert questions(store.restore("", made.id).path()) == ["One?"]
    assert len(store.list_conversations("", "", 9)) == 1
    with pytest.raises(ConversationNotFound):
        store.restore("", made.id)

    store.delete("", made.id)
    assert create(store, "", made.id).turns == []  # the id of what nobody sees is free
    store.delete("", made.id)
    later = time.time() + store_module.PURGE_AFTER_S + 1
    monkeypatch.setattr(store_module.time, "time", lambda: later)
    assert store.purge() == 1
    with pytest.raises(ConversationNotFound):
        store.restore("", made.id)


def test_owners_never_see_each_other(store: ConversationStore) -> None:
    made = store.create("ada", "secret", None, {})
    turn = store.add_turn("ada", made.id, Turn(0, None, "secret?"))
    for owner in ("", "bo", "ad_", "%", "ada'--"):
        for refused in (
            lambda owner=owner: store.get(owner, made.id),
            lambda owner=owner: store.change(owner, made.id, {"title": "x"}),
            lambda owner=owner: store.add_turn(owner, made.id, Turn(0, turn, "x")),
            lambda owner=owner: store.change_turn(owner, made.id, turn, {"answer": "x"}),
            lambda owner=owner: store.delete(owner, made.id),
            lambda owner=owner: store.remove(owner, made.id),
            lambda owner=owner: store.revert(owner, made.id, 1),
            lambda owner=owner: store.restore(owner, made.id),
        ):
            with pytest.raises(ConversationNotFound):
                refused()
        assert store.list_conversations(owner, "", 9) == store.list_conversations(owner, "secret", 9) == []
    assert store.get("ada", made.id).turns[0].answer == ""


def test_limits_hold_for_conversations(open_store: Callable[..., ConversationStore]) -> None:
    store = open_store(sessions=2, bytes=20_000)
    one, two = (store.create("", title, None, {}) for title in ("one", "two"))
    with pytest.raises(SessionsFull, match="--max-sessions"):
        store.create("", "three", None, {})
    store.create("bo", "three", None, {})
    turn = store.add_turn("", one.id, Turn(0, None, "x" * 9000))
    for attempt in (
        lambda: store.add_turn("", two.id, Turn(0, None, "x" * 12_000)),
        lambda: store.add_turn("", two.id, Turn(0, None, "x", attachments=[Attachment("a", "x" * 12_000)])),
        lambda: store.change_turn("", one.id, turn, {"answer": "x" * 12_000}),
        lambda: store.change_turn("", one.id, turn, {"reasoning": "x" * 12_000}),
        lambda: store.change("", one.id, {"system": "x" * 12_000}),
    ):
        with pytest.raises(SessionsFull, match="--max-session-bytes"):
            attempt()
    assert len(store.get("", two.id).turns) == 0
    assert store.get("", one.id).turns[0].answer == ""
    # What was deleted makes room, but not for any number of undos.
    store.delete("", one.id)
    store.add_turn("", two.id, Turn(0, None, "x" * 12_000))
    with pytest.raises(SessionsFull):
        store.restore("", one.id)
    store.delete("", two.id)
    with pytest.raises(ConversationNotFound):
        store.restore("", one.id)
    assert store.restore("", two.id).id == two.id


def test_sizes_depend_on_the_contents_only(store: ConversationStore, database_url: str) -> None:
    made = store.create("", "", "x", {})
    turn = store.add_turn("", made.id, Turn(0, None, "q"))
    for text in ("", "half", "half and more", "whole"):
        store.change_turn("", made.id, turn, {"answer": text, "reasoning": text, "tool_calls": []})
    store.change_turn("", made.id, turn, {"reasoning": "", "tool_calls": [{"a": 1}]})
    store.change_turn("", made.id, turn, {"tool_calls": [], "finish_reason": "stop"})
    store.change("", made.id, {"system": None, "parameters": {"seed": 3}, "title": "Long title", "head": 1})
    answer(store, create(store, "", "other", None, {"seed": 3}), "q", "whole")
    added = store.add("", store.get("", made.id))
    assert len({size_of(database_url, "", name) for name in (made.id, "other", added.id)}) == 1


def test_whole_conversations_are_added(store: ConversationStore) -> None:
    made = store.create("", "tree", "Be brief.", {"seed": 1})
    one = say(store, made.id, None, "One?")
    say(store, made.id, one, "Two?")
    say(store, made.id, one, "Two, edited?")
    store.change("", made.id, {"head": 2})
    tree = store.get("", made.id)
    added = store.add("bo", tree)
    assert added.id != tree.id
    for name in ("title", "system", "parameters", "head", "turns", "created"):
        assert getattr(added, name) == getattr(tree, name)
    assert store.list_conversations("bo", "edited", 9)[0].turns == 2
    assert store.add_turn("bo", added.id, Turn(0, 2, "Next?")) == 4


def test_two_writers_lose_nothing_of_each_other(open_store: Callable[..., ConversationStore]) -> None:
    """Two tabs ask at the same time, after the same turn: each answer is in a branch of its own."""
    one, other = open_store(), open_store()
    made = one.create("", "", None, {})
    root = say(one, made.id, None, "Root?")

    def ask(name: int) -> dict[int, str]:
        store, written = (one, other)[name % 2], {}
        for number in range(4):
            question = f"{name}.{number}"
            turn = store.add_turn("", made.id, Turn(0, root, question))
            for length in range(1, len(question) + 1):
                store.change_turn("", made.id, turn, {"answer": question[:length]})
            written[turn] = question
        return written

    with ThreadPoolExecutor(4) as pool:
        written = {turn: text for each in pool.map(ask, range(4)) for turn, text in each.items()}
    tree = other.get("", made.id)
    assert len(written) == 16
    assert {turn.id: turn.question for turn in tree.children(root)} == written
    assert {turn.id: turn.answer for turn in tree.children(root)} == written
    assert tree.head in written


CHILD = """
import sys, time
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.transactions import Database
from triton_server.conversations.tree import Turn
store = ConversationStore(Database(sys.argv[1]), SessionLimits())
made = store.create("", "", None, {})
turn = store.add_turn("", made.id, Turn(0, None, "Tell me a story."))
print(made.id, flush=True)
text = ""
while True:
    text += "word "
    store.change_turn("", made.id, turn, {"answer": text})
    print(len(text), flush=True)
"""


def test_a_writer_that_is_killed_leaves_the_half(store: ConversationStore, database_url: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, database_url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    made = process.stdout.readline().strip()
    seen = 0
    for line in process.stdout:
        seen = int(line)
        if seen >= 100:
            process.kill()
            break
    rest = [int(line) for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.wait()
    (turn,) = store.get("", made).turns
    assert turn.finish_reason is None
    assert len(turn.answer) in (max([seen, *rest]), max([seen, *rest]) + 5)
    assert store.list_conversations("", "word", 9)[0].id == made


def test_conversations_outlast_a_restart(open_store: Callable[..., ConversationStore]) -> None:
    before = open_store()
    made = before.create("", "kept", None, {})
    say(before, made.id, None, "One?")
    assert open_store().get("", made.id) == before.get("", made.id)


def test_documents_and_votes(database_url: str) -> None:
    with contextlib.closing(Database(database_url)) as database:
        store = DocumentStore(database, SessionLimits(sessions=3, bytes=5000))
        for value in ({"temperature": 0.5}, [1, "NUL \0"], None, "text"):
            store.put("ada", "preset", "poet", value)
            assert store.get("ada", "preset", "poet") == value
        store.put("ada", "preset", "calm", 1)
        store.put("ada", "settings", "poet", 2)
        assert store.list_documents("ada", "preset") == {"calm": 1, "poet": "text"}
        assert store.list_documents("bo", "preset") == {}
        with pytest.raises(SessionsFull, match="documents"):
            store.put("ada", "settings", "more", 3)
        with pytest.raises(SessionsFull, match="bytes"):
            store.put("ada", "settings", "poet", "x" * 5000)
        assert store.get("ada", "settings", "poet") == 2
        store.delete("ada", "preset", "calm")
        for refused in (store.get, store.delete):
            with pytest.raises(DocumentNotFound, match="calm"):
                refused("ada", "preset", "calm")
            with pytest.raises(DocumentNotFound):
                refused("bo", "preset", "poet")
        for number in range(3):
            store.add_vote("ada", {"winner": number})
        with pytest.raises(SessionsFull, match="votes"):
            store.add_vote("ada", {"winner": 3})
        votes = store.list_votes("ada")
        assert [vote["winner"] for vote in votes] == [0, 1, 2]
        assert all(time.time() - 60 < vote["created"] <= time.time() for vote in votes)
        assert store.list_votes("bo") == []


def test_a_conversation_needs_no_database_to_be_read() -> None:
    """The page imports the tree for every visitor; SQLAlchemy would take it a third of a second."""
    code = (
        "import sys; import triton_server.conversations.tree, triton_server.client; "
        "print('sqlalchemy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.stdout == "False\n", run.stderr


def test_long_trees_are_read_without_recursion() -> None:
    turns = [Turn(number, number - 1 or None, str(number)) for number in range(1, 20_001)]
    conversation = Conversation("", "", None, {}, 20_000, 1, turns)
    assert conversation.path() == turns
    assert conversation.leaf(1) == 20_000
