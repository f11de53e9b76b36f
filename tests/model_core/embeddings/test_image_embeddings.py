"""Embeddings of conversations with images: those of Transformers (make_image_embeddings.py), and refusals."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedder_texts import TEXTS
from image_files import write_image
from paths import DATA
from PIL import Image
from seeing_folders import CONVERSATIONS, SEEING, add_chat, add_embedder

from model_core import LLM, EmbeddingParams
from model_core.engine.request_images import RequestImages
from model_core.errors import InvalidRequest, ModelError, NotFinite, PromptTooLong
from model_core.images.image import Pixels, make_pixels
from model_core.model.batch import STEP_TOKENS, BatchBuilder
from model_core.model.whole_texts import TextInput, compute_texts

PIXELS = make_pixels(np.load(SEEING / "qwen3-vl" / "expected.npz")["image_1"])
EXPECTED = dict(np.load(SEEING / "qwen3-vl" / "embeddings.npz"))


def ask(*parts: str | Pixels | None) -> list[dict[str, Any]]:
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "pixels": PIXELS if part is None else part}
        for part in parts
    ]
    return [{"role": "user", "content": content}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return add_embedder(tmp_path_factory.mktemp("embedder"))


@pytest.fixture(scope="module")
def llm(folder: Path) -> Iterator[LLM]:
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**25) as llm:
        yield llm


@pytest.mark.parametrize("number", range(len(CONVERSATIONS)))
def test_vectors_are_those_of_transformers(llm: LLM, number: int) -> None:
    conversation = ask(*CONVERSATIONS[number])
    (text,) = llm.embedder.prepare_inputs([conversation], EmbeddingParams()).texts
    assert list(text.tokens) == EXPECTED[f"ids_{number}"].tolist()
    found = llm.embed_inputs([conversation])
    np.testing.assert_allclose(found.vectors[0], EXPECTED[f"vector_{number}"], atol=1e-5)
    assert found.prompt_tokens == [len(EXPECTED[f"ids_{number}"])]
    assert found.image_tokens == [EXPECTED[f"ids_{number}"].tolist().count(60)]


def test_a_text_and_a_file_are_conversations_of_such_a_model(llm: LLM, tmp_path: Path) -> None:
    text, image = CONVERSATIONS.index(("only words",)), CONVERSATIONS.index((None,))
    data = write_image(Image.fromarray(PIXELS.values))
    (tmp_path / "image.png").write_bytes(data)
    found = llm.embed(["only words", data, tmp_path / "image.png"])
    wanted = [EXPECTED[f"vector_{number}"] for number in (text, image, image)]
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert np.array_equal(llm.embed(data), found[1:2])
    with pytest.raises(InvalidRequest, match=r"input\[0\] cannot be read: No such file"):
        llm.embed(tmp_path / "other.png")
    with pytest.raises(InvalidRequest, match="is no PNG"):
        llm.embed(b"not an image")


def test_a_vector_depends_on_its_conversation_alone(llm: LLM) -> None:
    conversations = [ask(*parts) for parts in CONVERSATIONS]
    alone = [llm.embed(conversation)[0] for conversation in conversations]
    assert np.array_equal(llm.embed(conversations[::-1])[::-1], alone)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(llm.embed, [conversations] * 8):
            assert np.array_equal(found, alone)


@pytest.mark.parametrize("name", ["gemma3", "qwen3-vl"])
def test_steps_cut_no_image_that_must_be_whole(name: str) -> None:
    """An image lies where a step would end. Rows of Gemma's see each other both ways."""
    with LLM(SEEING / name, arithmetic="float32", kv_cache_memory=2**25) as llm:
        assert llm.vision is not None and llm.engine.encoder is not None
        image = llm.vision.prepare(make_pixels(np.load(SEEING / name / "expected.npz")["image_1"]))
        random = np.random.default_rng(0)
        before, behind = (random.integers(40, size=count).tolist() for count in (STEP_TOKENS - 5, 300))
        ids = [*before, 61, *[60] * image.tokens, 62, *behind]
        images = RequestImages(llm.vision.find_spans(ids, [image]), ids, llm.engine.encoder)
        images.wait()
        model, text = llm.model, TextInput(ids, range(len(ids)), images=images)
        ((_, found),) = compute_texts(model, [text], model.hidden_states, 2**25)
        cache, tables = model.create_cache(1, len(ids), "float32")
        builder = BatchBuilder()
        builder.add(ids, 0, range(len(ids)))
        builder.sights[0] = images.sight(0, len(ids))
        np.testing.assert_allclose(found, model.hidden_states(builder.build(tables), cache), atol=2e-5)


def test_prompts_are_messages_of_the_system(llm: LLM) -> None:
    asked = [{"role": "system", "content": "find it."}, *ask(None, "a")]
    for params in ({"prompt": "find it."}, {"prompt_name": "query"}):
        assert np.array_equal(llm.embed(ask(None, "a"), EmbeddingParams(**params)), llm.embed(asked))
        with pytest.raises(InvalidRequest, match="conversation has its own") as refused:
            llm.embed(asked, EmbeddingParams(**params))
        assert refused.value.param in params
    assert not np.array_equal(llm.embed(ask(None, "a")), llm.embed(asked))


def test_a_conversation_may_end_otherwise(llm: LLM) -> None:
    """vLLM's clients write the end themselves: an empty answer, which is continued."""
    own = [*ask(None, "a"), {"role": "assistant", "content": [{"type": "text", "text": ""}]}]
    params = EmbeddingParams(continue_final_message=True, add_special_tokens=True)
    assert np.array_equal(llm.embed(own, params), llm.embed(ask(None, "a")))
    seen = {
        llm.embed(ask("a"), EmbeddingParams(**fields)).tobytes()
        for fields in ({}, {"add_generation_prompt": False}, {"add_special_tokens": False})
    }
    assert len(seen) == 3
    with pytest.raises(InvalidRequest, match="cannot both be true"):
        llm.embed(own, EmbeddingParams(continue_final_message=True, add_generation_prompt=True))


def test_without_files_of_its_own_texts_are_as_they_are(tmp_path: Path) -> None:
    with LLM(add_chat("qwen3-vl", tmp_path), kv_cache_memory=2**25) as llm:
        assert llm.embedder.inputs.encode("abc", "", EmbeddingParams(), "", "").tokens == [0, 1, 2]
        assert llm.embed(ask(None, "a")).shape == (1, 32)
        for name, value in (("add_generation_prompt", True), ("chat_template_kwargs", {"a": 1})):
            with pytest.raises(InvalidRequest, match=f"{name} is for conversations"):
                llm.embed("abc", EmbeddingParams(**{name: value}))


def test_models_that_do_not_see_refuse_images(llm: LLM) -> None:
    with LLM(DATA / "embedders" / "bert-cls") as encoder:
        with pytest.raises(InvalidRequest, match="sees no images; load one that does"):
            encoder.embed(ask(None))
        with pytest.raises(InvalidRequest, match="chat template"):
            encoder.embed(ask("a"))
        assert encoder.embed(TEXTS[0]).shape[0] == 1
    with LLM(kv_cache_memory=2**22) as blind, pytest.raises(InvalidRequest, match="sees no images"):
        blind.embed(write_image(Image.fromarray(PIXELS.values)))


def test_limits_are_those_of_chats(folder: Path) -> None:
    with LLM(folder, kv_cache_memory=2**25, max_context=60, max_image_pixels=3000) as small:
        with pytest.raises(PromptTooLong, match="images have"):
            small.embed(ask(*[make_pixels(np.full((40, 40, 3), n, np.uint8)) for n in range(3)]))
        with pytest.raises(PromptTooLong, match=r"input\[0\] has"):
            small.embed(ask(None, "a" * 60), EmbeddingParams(truncate=True))
        with pytest.raises(InvalidRequest, match="max-image-pixels"):
            small.embed(write_image(Image.new("RGB", (100, 100))))


def test_a_failing_tower_fails_its_conversation_alone(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    assert llm.engine.encoder is not None
    begun = threading.Event()

    def fail(*_: object) -> np.ndarray:
        begun.set()
        raise NotFinite()

    monkeypatch.setattr(llm.engine.encoder.tower, "encode", fail)
    other = make_pixels(np.full((8, 8, 3), 7, np.uint8))
    with pytest.raises(NotFinite):
        llm.embed(ask(other))
    assert begun.is_set()
    monkeypatch.undo()
    assert np.isfinite(llm.embed([ask(other), "abc"])).all()


def test_unknown_forms_of_conversations_are_refused(folder: Path, tmp_path: Path) -> None:
    own = add_embedder(tmp_path)
    path = own / "sentence_bert_config.json"
    path.write_text(path.read_text().replace('"add_generation_prompt": true', '"task": "query"'))
    with pytest.raises(ModelError, match="only add_generation_prompt is supported"):
        LLM(own, kv_cache_memory=2**22)
