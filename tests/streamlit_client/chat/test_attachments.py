"""Files that people drop into a question: what is read, and what is refused in one sentence."""

import pytest
from conftest import Server
from pdf_files import write_bomb, write_loop, write_pdf

from model_core.errors import InvalidRequest
from streamlit_client.chat.attachments import MAX_FILES, MAX_MEBIBYTES, count_tokens, read_file, read_files
from triton_server.client import ChatClient
from triton_server.conversations.tree import Attachment


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(InvalidRequest) as caught:
        read_file(name, data)
    assert caught.value.param == "files"
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("naïve\r\nline".encode(), "naïve\nline"),
        (b"\xef\xbb\xbfa,b\n1,2", "a,b\n1,2"),
        ("Größe".encode("utf-16"), "Größe"),
        (b"caf\xe9", "café"),
    ],
)
def test_text_in_common_encodings(data: bytes, text: str):
    assert read_file("notes.csv", data) == Attachment("notes.csv", text)


def test_pages_of_a_pdf_file_become_its_text():
    file = read_file("report.pdf", write_pdf(["The first page.", "The second one."]))
    assert file == Attachment("report.pdf", "The first page.\n\nThe second one.")
    assert read_file("no-ending", write_pdf(["Known by its content."])).text == "Known by its content."


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("photo.tiff", b"II*\0\x08\0\0\0", "is no text"),
        ("empty.txt", b" \n", "is empty"),
        ("large.txt", b"a" * (MAX_MEBIBYTES * 2**20 + 1), "20 are the limit"),
        ("long.txt", b"a" * 2_000_001, "2,000,000 characters"),
        ("broken.pdf", b"%PDF-1.4\nnothing", "is damaged, or no PDF file"),
        ("scan.pdf", write_pdf([""]), "has no text, only images"),
        ("cut.pdf", write_pdf(["cut"])[:300], "is damaged, or no PDF file"),
        ("loop.pdf", write_loop(), "is damaged, or no PDF file"),
    ],
)
def test_other_files_are_refused_in_one_sentence(name: str, data: bytes, reason: str):
    sentence = refusal(name, data)
    assert sentence.startswith(f"{name} ")
    assert reason in sentence
    assert sentence.endswith(".") and "\n" not in sentence


def test_pdf_file_that_unpacks_to_gigabytes_is_refused():
    bomb = write_bomb()
    assert len(bomb) < MAX_MEBIBYTES * 2**20
    assert refusal("bomb.pdf", bomb).startswith("bomb.pdf ")


def test_names_of_files_are_short_and_on_one_line():
    assert read_file("../../etc/pass\nwd", b"x").name == "pass wd"
    assert read_file("C:\\secret\\notes.txt", b"x").name == "notes.txt"
    name = read_file("a" * 300 + ".txt", b"x").name
    assert len(name) <= 100 and name.endswith("….txt")


def test_number_of_files_is_limited():
    with pytest.raises(InvalidRequest, match=f"can have {MAX_FILES} files; these are 11"):
        read_files([("a.txt", b"x")] * (MAX_FILES + 1))


def test_tokens_are_counted(server: Server, client: ChatClient):
    files = [read_file("a.txt", b"Once upon a time"), read_file("b.txt", b"a")]
    count_tokens(files, client, None)
    exact = [len(client.tokenize(file.text)["token_ids"]) for file in files]
    assert [file.tokens for file in files] == exact
    with pytest.raises(InvalidRequest, match=r"long\.txt is longer than the model's context of \d"):
        count_tokens([read_file("long.txt", b"cat " * 20_000)], client, None)
