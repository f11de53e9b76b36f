"""Collections that a question names, and what is found in them, with a real encoder."""

from collections.abc import Iterator

import pytest
from in_process import local_server
from paths import CHECKPOINTS
from reciter import write_reciter
from support import wait_until

from model_core.errors import InvalidRequest
from streamlit_client.chat.state import Chat
from streamlit_client.library.passages import find_mentions, find_passages, mention
from streamlit_client.shared.conversation import Turn
from triton_server.client import ChatClient
from triton_server.client.collections import Collections
from triton_server.conversations.tree import Attachment, join_question
from triton_server.engine.models.model_pool import create_pool

TEXTS = {"heron.md": "# Food\n\nThe heron eats fish.\n", "swift.txt": "Swifts sleep while they fly.\n"}


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collections]:
    """A server's collections: `birds` with two files, and `nothing`."""
    folder = tmp_path_factory.mktemp("passages")
    models = [write_reciter(folder / "reciter"), CHECKPOINTS.parent / "embedders" / "bert"]
    pool = create_pool(
        [(None, str(model)) for model in models], None, {"kv_cache_memory": 2**26, "max_queue": 64}
    )
    with local_server(pool, folder) as server, ChatClient(server.grpc_url) as client:
        found = client.collections()
        birds = found.create("Birds")
        found.create("nothing")
        for name, text in TEXTS.items():
            found.add_file(birds, name, text.encode())
        wait_until(lambda: found.list()[0].files["completed"] == len(TEXTS))
        yield found


def test_words_behind_the_mark_are_names() -> None:
    assert find_mentions("# Heading\n#Birds and (#no) a#no #my_notes, C# #1") == {"birds", "my_notes", "1"}
    assert mention("  Meine Vögel: 2026 ") == "Meine-Vögel-2026"
    assert mention("???") == ""


def test_named_collections_are_searched(collections: Collections) -> None:
    found = find_passages("#birds What does the heron eat?", collections, None)
    assert sorted((p.name, p.place, p.text) for p in found) == [
        ("heron.md", "Food, lines 1-3", TEXTS["heron.md"].strip()),
        ("swift.txt", "line 1", TEXTS["swift.txt"].strip()),
    ]
    assert find_passages("What does the heron eat? #unknown", collections, None) == []
    assert find_passages("What does the heron eat?", collections, None) == []
    assert find_passages("#birds", collections, None)  # a question of nothing else


def test_passages_leave_half_of_the_context(collections: Collections) -> None:
    assert len(find_passages("#birds fish", collections, 30)) == 1
    assert find_passages("#birds fish", collections, 4) == []


def test_collection_without_files_is_refused(collections: Collections) -> None:
    with pytest.raises(InvalidRequest, match="#nothing has no file that could be read"):
        find_passages("#nothing about birds", collections, None)


def test_model_is_told_numbers_and_places() -> None:
    files = [
        Attachment("a.txt", "own"),
        Attachment("b.pdf", "found", place="page 3"),
        Attachment("c", "x", place=""),
    ]
    text = join_question("Why?", files)
    assert text.startswith('<file name="a.txt">\nown\n</file>\n\n')
    assert text.endswith("as in [1].\n\n[1] b.pdf, page 3:\nfound\n\n[2] c:\nx\n\nWhy?")


def test_another_question_is_searched_anew() -> None:
    files = [Attachment("a.txt", "own"), Attachment("b.pdf", "found", place="page 3")]
    chat, turn = Chat(), Turn("#b old", attachments=files, id=1)
    chat.ask_instead(turn, "#b new")
    assert chat.pending is not None and chat.pending.attachments == files[:1]
    chat.ask_instead(turn, "#b old")  # the same request, and so the same answer
    assert chat.pending.attachments == files
