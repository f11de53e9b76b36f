"""Images of conversations as requests bring them: files in data URLs, which become the rows of a prompt."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from image_files import corner_image, write_image, write_png
from PIL import Image
from seeing_folders import add_chat

from model_core import LLM, SamplingParams
from model_core.chat.model import ChatOptions
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.images.data_url import find_type, write_data_url
from model_core.images.image import make_pixels
from model_core.requests.messages import ImagePart, Message, parse_messages
from triton_server.api.images.parts import base64_part
from triton_server.contract.request_fields import Request

GREEDY = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True)


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    folder = add_chat("qwen3-vl", tmp_path_factory.mktemp("model"))
    with LLM(folder, kv_cache_memory=2**25, max_image_pixels=300_000, max_image_bytes=10_000) as llm:
        yield llm


def image_part(data: bytes, **fields: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": write_data_url("image/png", data), **fields}}


def ask(*parts: Any) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return [{"role": "user", "content": texts}]


def refusal(llm: LLM, messages: list[Any], **options: Any) -> str:
    with pytest.raises(InvalidRequest) as caught:
        llm.chat(messages, GREEDY, **options)
    return str(caught.value)


def test_files_are_seen_as_their_pixels(llm: LLM) -> None:
    pixels = make_pixels(np.asarray(corner_image()))
    decoded = Message(role="user", content=[ImagePart(type="image", pixels=pixels)])

    seen, expected = (
        llm.chat(ask(image_part(write_image(corner_image()))), GREEDY),
        llm.chat([decoded], GREEDY),
    )
    other = llm.chat(ask(image_part(write_image(Image.new("RGB", (40, 30))))), GREEDY)

    assert seen.token_ids == expected.token_ids != other.token_ids
    assert seen.usage.prompt_tokens == expected.usage.prompt_tokens


def test_images_of_several_turns_are_in_their_places(llm: LLM) -> None:
    first, second = (image_part(write_image(Image.new("RGB", size))) for size in ((32, 32), (96, 64)))
    answer = {"role": "assistant", "content": "a"}

    prompt = llm.encode_chat([*ask("a", first), answer, *ask(second, "b", first)])

    assert llm.vision is not None
    counts = [llm.vision.count_tokens(height, width) for height, width in ((32, 32), (64, 96), (32, 32))]
    assert [span.end - span.start for span in prompt.images] == counts
    assert counts[0] < counts[1]


def test_low_detail_has_at_most_512_pixels_a_side(llm: LLM) -> None:
    data = write_image(Image.new("RGB", (600, 300), "red"))
    assert llm.vision is not None
    sizes = {}
    for detail in ("low", "auto", "high"):
        (message,) = parse_messages(ask(image_part(data, detail=detail)))
        sizes[detail] = llm.vision.prepare_part(message.images[0]).tokens
    assert sizes["low"] == llm.vision.count_tokens(256, 512)
    assert sizes["auto"] == sizes["high"] == llm.vision.count_tokens(300, 600)


def test_requests_of_other_salts_share_nothing_of_an_image(llm: LLM) -> None:
    data, messages = write_image(Image.new("RGB", (64, 32), "green")), []
    for salt in ("", "one", "one", "two", "one/more"):
        request = Request(messages=ask(image_part(data)), cache_salt=salt)
        assert isinstance(request.messages[0], Message)
        messages.append(parse_messages(request.messages)[0])
    assert llm.vision is not None
    parts = [message.images[0] for message in messages]
    none, one, again, two, more = map(llm.vision.prepare_part, parts)
    assert again is one
    assert len({id(image) for image in (none, one, two, more)}) == 4
    llm.vision.forget("one")
    later = list(map(llm.vision.prepare_part, parts))
    assert (later[0], later[3]) == (none, two)
    assert later[1] is later[2] is not one and later[4] is not more


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (image_part(b"nothing"), "messages[0].content[1].image_url is no PNG, JPEG, WebP or GIF"),
        (image_part(write_image(corner_image())[:70]), "messages[0].content[1].image_url is damaged"),
        (image_part(write_png(1000, 301, 0, b"")), "1000 x 301 pixels, but 300000 together are the limit"),
        (image_part(b"x" * 10_001), "has 10001 bytes, but 10000 are the limit"),
        (
            image_part(write_image(Image.new("RGB", (900, 2)))),
            "content[1].image_url has 900 x 2 pixels, but a side may be at most 200 times as long",
        ),
        ({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}, "is no data URL"),
        (
            {"type": "image_url", "image_url": {"file_id": "file-1"}},
            "has a file_id, which only the HTTP service",
        ),
        (
            {"type": "image_url", "image_url": {}},
            "messages[0].content[1].image_url must have either url or file_id",
        ),
        ({"type": "image_url", "image_url": "data:"}, "messages[0].content[1].image_url must be an object"),
        ({"type": "image_url"}, "messages[0].content[1].image_url is missing"),
        (image_part(b"", detail="huge"), "detail must be 'auto', 'low' or 'high'"),
        ({"type": "image_url", "image_url": {"url": "data:", "size": 1}}, "unknown parameter"),
        ({"type": "image", "pixels": [1]}, "messages[0].content[1].pixels"),
        ({"type": "video_url"}, "messages[0].content[1] must be an object of the type 'text' or 'image_url'"),
        ({"type": ["image"]}, "messages[0].content[1] must be an object of the type 'text' or 'image_url'"),
    ],
)
def test_what_cannot_be_seen_is_refused_with_its_place(llm: LLM, part: Any, reason: str) -> None:
    assert reason in refusal(llm, ask("a", part))


def test_places_are_those_of_the_request_when_old_turns_are_left_out(llm: LLM) -> None:
    turns = [*ask("a" * 500), {"role": "assistant", "content": "b"}] * 20

    sentence = refusal(llm, [*turns, *ask(image_part(b"nothing"))], truncation="auto")

    assert sentence.startswith("messages[40].content[0].image_url is no PNG")


def test_more_images_than_the_context_has_room_for_are_refused_early(llm: LLM) -> None:
    part = image_part(write_image(Image.new("RGB", (512, 512))))

    with pytest.raises(PromptTooLong, match="images have"):
        llm.chat(ask(*[part] * 1000), GREEDY)


def test_only_texts_have_a_form_that_travels() -> None:
    url = image_part(b"x")
    (message,) = parse_messages(ask("a", url, "b", "c"))

    assert message.text == "a\nb\nc"
    assert message.text_with_images("|") == "a|b\nc"
    assert message.model_dump(mode="json", exclude_unset=True) == ask("a", url, "b", "c")[0]


def test_blind_models_refuse_images_in_one_sentence() -> None:
    with LLM(kv_cache_memory=2**22) as blind:
        assert refusal(blind, ask("a", image_part(b"nothing"))).startswith("this model sees no images;")


def test_images_in_results_of_tools_stay_for_models_that_know_no_tools(llm: LLM) -> None:
    part = image_part(write_image(Image.new("RGB", (64, 64))))
    call = {"id": "1", "name": "look", "arguments": "{}"}
    messages = [
        *ask("a", part),
        {"role": "assistant", "content": "b", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": [part]},
        {"role": "tool", "tool_call_id": "1", "content": [part, {"type": "text", "text": "c"}]},
    ]
    tool = {"name": "look", "parameters": {"type": "object", "properties": {}}}

    prompt = llm.encode_chat(messages, ChatOptions(tools=[tool]))

    assert len(prompt.images) == 3
    assert "The result of look:\n<|vision_start|>" in prompt.text or "look:<|vision_start|>" in prompt.text


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_content_of_a_file_tells_its_type(kind: str) -> None:
    """Other servers (--engine) may read a JPEG only if it is called one."""
    data = write_image(corner_image(), kind)
    assert find_type(data) == f"image/{kind.lower()}"
    part = base64_part(base64.b64encode(data).decode())
    assert part["image_url"]["url"] == write_data_url(f"image/{kind.lower()}", data)
    assert base64_part("!")["image_url"]["url"] == "data:image/png;base64,!"
