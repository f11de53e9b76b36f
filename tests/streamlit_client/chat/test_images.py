"""Pictures in questions: the page shows them, the store keeps them, and the model sees them."""

import json
from collections.abc import Iterator

import httpx
import pytest
from chat_page import ChatPage
from image_files import corner_image, write_image
from in_process import Endpoints, local_server

from model_core.errors import InvalidRequest
from streamlit_client.chat.attachments import MAX_IMAGE_MEBIBYTES, read_file
from streamlit_client.shared import prompts
from streamlit_client.shared.conversation import Turn as Shown
from streamlit_client.shared.prompts import build_prompt
from triton_server.client import ChatClient
from triton_server.contract.image_bytes import MAX_IMAGES_BYTES
from triton_server.conversations.exchange import from_json, from_jsonl, to_json, to_jsonl
from triton_server.conversations.exchange import read_file as read_conversations
from triton_server.conversations.tree import Attachment, Conversation, Turn
from triton_server.engine.upstream.pool import create_upstream_pool

PNG = write_image(corner_image())


def test_picture_is_seen_shown_and_kept(seeing: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", seeing.grpc_url)
    page = ChatPage().change("number_input", "Max tokens", 8)
    page.ask("what", corner_png=PNG)
    assert not page.errors and page.questions == ["what"]
    with ChatClient(seeing.grpc_url) as client:
        stored = client.conversations().get(page.id)
    (turn,) = stored.turns
    (picture,) = turn.attachments
    assert (picture.name, picture.text) == ("corner.png", "")
    assert picture.image is not None and picture.image.startswith("data:image/png;base64,")
    assert picture.tokens and turn.usage is not None and turn.usage["image_tokens"] == picture.tokens

    copy = from_json(to_json(stored))
    assert copy.turns[0].attachments == [picture]
    later = ChatPage(page.id)
    (shown,) = later.turns[0]["question"]["files"]
    assert (shown["image"], shown["text"]) == (picture.image, None)
    later.change("number_input", "Max tokens", 8).ask("and")
    with ChatClient(seeing.grpc_url) as client:
        last = client.conversations().get(page.id).turns[-1]
    assert last.usage is not None and last.usage["image_tokens"] == picture.tokens


@pytest.fixture(scope="module")
def elsewhere(seeing: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A server whose model another server computes, which does not say that it sees."""
    pool = create_upstream_pool([], 8, 8, f"{seeing.api_url}/v1")
    with local_server(pool, tmp_path_factory.mktemp("elsewhere")) as running:
        yield running


def test_picture_is_seen_by_a_model_elsewhere(elsewhere: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", elsewhere.grpc_url)
    page = ChatPage().change("number_input", "Max tokens", 8)
    page.ask("what", corner_png=PNG)
    assert not page.errors
    with ChatClient(elsewhere.grpc_url) as client:
        (turn,) = client.conversations().get(page.id).turns
    assert turn.attachments[0].tokens is None  # nobody has told how many they are
    assert turn.usage is not None and turn.usage["image_tokens"] > 0


def test_nobody_says_that_a_model_elsewhere_is_blind(elsewhere: Endpoints) -> None:
    (model,) = httpx.get(f"{elsewhere.api_url}/v1/models").json()["data"]
    assert "input_modalities" not in model
    assert httpx.get(f"{elsewhere.api_url}/props").json()["modalities"] == {"audio": False}
    assert "has_image_understanding" not in httpx.get(f"{elsewhere.api_url}/get_model_info").json()
    shown = httpx.post(f"{elsewhere.api_url}/api/show", json={"model": "default"}).json()
    assert "vision" in shown["capabilities"]


def test_model_that_sees_nothing_refuses_kindly(reciter: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", reciter.grpc_url)
    page = ChatPage()
    page.ask("what", corner_png=PNG)
    (sentence,) = page.errors
    assert "corner.png is an image, but this model sees none" in sentence
    assert "Send without files" in [button.label for button in page.app.button]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (PNG[:70], "is damaged"),
        (b"RIFF....WEBP", "is no PNG, JPEG, WebP or GIF file"),
        (PNG + b"\0" * MAX_IMAGE_MEBIBYTES * 2**20, "6 are the limit of images"),
    ],
)
def test_other_images_are_refused_in_one_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidRequest, match=reason) as caught:
        read_file("a.png", data)
    assert str(caught.value).startswith("a.png ") and caught.value.param == "files"


@pytest.mark.parametrize(
    "image",
    [
        "https://example.com/tracker.png",
        "data:text/html;base64,AAAA",
        "data:image/svg+xml;base64,AAAA",
        'data:image/png;base64,AAAA" onload="',
        "javascript:alert(1)",
    ],
)
def test_files_with_conversations_bring_no_addresses(image: str) -> None:
    """Whoever opens a conversation would ask them."""
    picture = Attachment("a", "", image="data:image/png;base64,AAAA")
    turn = Turn(1, None, "what", finish_reason="stop", attachments=[picture])
    value = json.loads(to_json(Conversation("1", "t", None, {}, 1, 1, [turn])))
    assert from_json(json.dumps(value)).turns[0].attachments == [picture]
    value["turns"][0]["attachments"][0]["image"] = image
    with pytest.raises(InvalidRequest, match="image"):
        from_json(json.dumps(value))


def test_models_that_continue_texts_refuse_pictures() -> None:
    picture = Attachment("a.png", "", image="data:image/png;base64,AAAA")
    with pytest.raises(InvalidRequest, match="this model continues texts, which have no images"):
        build_prompt([Shown("Once", attachments=[picture])], "", is_chat_model=False)
    assert build_prompt([Shown("a", attachments=[picture]), Shown("Once")], "", is_chat_model=False) == "Once"


def test_attachment_is_a_text_or_a_picture() -> None:
    both = Attachment("a", "words", image="data:image/png;base64,AAAA")
    turn = Turn(1, None, "what", finish_reason="stop", attachments=[both])
    with pytest.raises(InvalidRequest, match=r"attachments\[0\] has a text beside its image"):
        from_json(to_json(Conversation("1", "t", None, {}, 1, 1, [turn])))


def test_pictures_in_lines_come_back() -> None:
    pictures = [Attachment(f"image {n}", "", image=f"data:image/png;base64,AAA{n}") for n in (1, 2)]
    turn = Turn(1, None, "what", "a corner", finish_reason="stop", attachments=pictures)
    line = to_jsonl([Conversation("1", "t", None, {}, 1, 1, [turn])])
    (copy,) = from_jsonl(line)
    assert copy.messages() == [
        {"role": "user", "content": turn.prompt},
        {"role": "assistant", "content": "a corner"},
    ]
    with pytest.raises(InvalidRequest, match="no data URL"):
        from_jsonl(line.replace("data:image/png;base64,AAA1", "https://example.com/a.png"))
    with pytest.raises(InvalidRequest, match="of the role system has an image"):
        from_jsonl(line.replace('"user"', '"system"'))


def test_files_have_room_for_pictures_beside_their_texts() -> None:
    picture = Attachment("a", "", image="data:image/png;base64," + "A" * 6_000_000)
    turn = Turn(1, None, "what", "a corner", finish_reason="stop", attachments=[picture] * 3)
    conversation = Conversation("1", "t", None, {}, 1, 1, [turn])
    for name, text in (("a.json", to_json(conversation)), ("a.jsonl", to_jsonl([conversation]))):
        (copy,) = read_conversations(name, text.encode())
        assert [file.image for file in copy.turns[0].attachments] == [picture.image] * 3
    url = b'"data:image/png;base64,'
    with pytest.raises(InvalidRequest, match="has images of"):
        read_conversations("a.json", url + b"A" * MAX_IMAGES_BYTES + b'"')


def test_question_may_have_five_large_pictures(seeing: Endpoints) -> None:
    picture = Attachment("a", "", image="data:image/png;base64," + "A" * 8_000_000)
    with ChatClient(seeing.grpc_url) as client:
        stored = client.conversations().create()
        client.conversations().add_turn(stored.id, None, "what", {}, [picture] * 5)
        (turn,) = client.conversations().get(stored.id).turns
        assert turn.attachments == [picture] * 5
        with pytest.raises(InvalidRequest, match="command has 4"):
            client.tokenize("a" * 40_000_000)


def test_texts_have_no_image_in_files() -> None:
    assert "image" not in Attachment("a", "b").to_json()


def test_oldest_pictures_are_left_out_where_a_request_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_IMAGES_BYTES", 2**20 + 300)
    picture = Attachment("a", "", image="data:image/png;base64," + "A" * 50)
    turns = [Shown("a", text="x", attachments=[picture]) for _ in range(4)]
    assert prompts.leave_out_images(turns[:2]) == (turns[:2], 0)
    assert prompts.leave_out_images(turns) == (turns[2:], 4)
    assert prompts.leave_out_images([Shown("a", attachments=[picture] * 9)])[1] == 0


def test_page_says_how_many_messages_its_pictures_have_pushed_out(
    seeing: Endpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", seeing.grpc_url)
    monkeypatch.setattr(prompts, "MAX_IMAGES_BYTES", 2**20 + len(PNG))
    page = ChatPage().change("number_input", "Max tokens", 4)
    page.ask("what", corner_png=PNG)
    page.ask("and", corner_png=PNG)
    assert not page.errors
    with ChatClient(seeing.grpc_url) as client:
        last = client.conversations().get(page.id).turns[-1]
    assert last.usage is not None and last.usage["truncated_messages"] == 2
