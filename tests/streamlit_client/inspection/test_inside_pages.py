"""The pages that look inside, without a browser: the engine, and how a token comes about."""

from inspect import cleandoc

import pytest
from conftest import Server
from image_files import corner_image, write_image
from in_process import Endpoints
from paths import ROOT
from streamlit.testing.v1 import AppTest

from streamlit_client.inspection.terms import TERMS, find_terms
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.prompts import ASKED_STEP, Step, begin_answer
from triton_server.client import ChatClient

PAGES = ROOT / "streamlit_client" / "inspection"
HEADERS = ["1. The prompt", "2. Tokens", "3. The computation", "4. Attention", "5. The next token"]


def run(page: AppTest) -> AppTest:
    page.run(timeout=120)
    assert not page.exception, page.exception[0].value
    return page


def open_page(name: str) -> AppTest:
    return run(AppTest.from_file(PAGES / f"{name}.py"))


def captions(page: AppTest) -> str:
    return "\n".join(caption.value for caption in page.caption)


@pytest.fixture
def embedded(server: Server, client: ChatClient, monkeypatch: pytest.MonkeyPatch) -> ChatClient:
    """A client of the server that the pages show."""
    monkeypatch.setenv("TRITONCHAT_SERVER", server.grpc_url)
    return client


def test_engine_page_shows_requests_and_memory(embedded: ChatClient):
    embedded.chat("The fox and the lighthouse " * 10, max_tokens=20, ignore_eos=True)
    page = open_page("engine")
    assert [metric.label for metric in page.metric][:2] == ["Answer tokens/s", "Requests running"]
    said = captions(page)
    for words in ("tokens of answers", "steps took", "half had a time to first token", "in use by requests"):
        assert words in said
    assert "prefixes with" in said
    assert "fox" not in said and "lighthouse" not in said
    page.toggle(key="engine_live").set_value(False)
    run(page)
    page.button(key="engine_measure").click()
    run(page)
    assert "The step took" in captions(page)
    assert page.session_state["engine_profile"]["load"] == "one answer"


def test_engine_page_without_a_server_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITONCHAT_SERVER", "127.0.0.1:9")
    for name in ("engine", "explain"):
        page = open_page(name)
        assert "The server does not answer" in page.error[0].value
        assert page.button[0].label == "Retry"


def test_engine_page_of_a_model_that_is_not_loaded(several: Endpoints, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITONCHAT_SERVER", several.grpc_url)
    page = AppTest.from_file(PAGES / "engine.py")
    page.session_state["model_name"] = "broken"
    run(page)
    assert all(info.value.startswith("broken is failed") for info in page.info)
    assert page.info


def test_explain_page_shows_each_step(embedded: ChatClient):
    page = open_page("explain")
    assert [header.value for header in page.header] == HEADERS
    assert "What rhymes with cat?" in page.code[0].value
    assert page.code[0].value.startswith("<|im_start|>user")
    operations = "\n".join(markdown.value for markdown in page.markdown)
    assert "Attend with 8 heads of 48" in operations.replace("\\", "")
    assert "The last token, " in captions(page).replace("\\", "")
    page.slider(key="explain_layer").set_value(3)
    page.slider(key="explain_head").set_value(5)
    run(page)
    assert "Layer 3, head 5" in [title.value for title in page.subheader]
    page.slider(key="explain_temperature").set_value(0.0)
    run(page)
    assert any("would write one token." in markdown.value for markdown in page.markdown)


def test_explain_page_explains_its_words(embedded: ChatClient):
    page = open_page("explain")
    shown = [markdown.value for markdown in page.markdown]
    meant = {term.name for term in TERMS if cleandoc(term.text) in shown}
    words = {
        "embedding",
        "norm",
        "matrix product",
        "query, key, value",
        "head",
        "RoPE",
        "softmax",
        "attention",
    }
    assert meant == words | {
        *("residual connection", "SiLU", "gate and up projections", "logits", "temperature", "top p", "bits")
    }
    assert find_terms("Put them together.") == []


def test_explain_page_takes_any_text(embedded: ChatClient):
    page = open_page("explain")
    hostile = "<|im_end|> <img src=x onerror=alert(1)> ![a](http://b) $x$ `c` 🦊\n| a |"
    page.text_area(key="explain_message").set_value(hostile)
    run(page)
    assert hostile in page.code[0].value
    shown = [element.value for element in (*page.markdown, *page.caption)]
    assert not any("<img" in value or "![a]" in value for value in shown)
    page.text_area(key="explain_message").set_value("word " * 350)
    run(page)
    assert escape("at most 256 tokens") in page.error[0].value
    page.text_area(key="explain_message").set_value(" ")
    run(page)
    assert page.info[0].value == "Write a text above."


def test_explain_page_shows_the_step_of_an_answer(embedded: ChatClient):
    question = [{"role": "user", "content": "What rhymes with cat?"}]
    page = open_page("explain")
    page.session_state[ASKED_STEP] = Step(*begin_answer(question, "Hat", {}), "Hat")
    run(page)
    assert page.code[0].value.endswith("<|im_start|>assistant\nHat")
    page.session_state[ASKED_STEP] = Step(*begin_answer(question, "", {}), "Hat")
    run(page)
    assert page.code[0].value.endswith("<|im_start|>assistant")
    page.session_state[ASKED_STEP] = Step(*begin_answer("Once", " upon", {"max_tokens": 3}), " a")
    run(page)
    assert page.code[0].value == "Once upon"
    assert "␣a" in page.info[0].value
    next(button for button in page.button if button.label == "Explain another text").click()
    run(page)
    assert "What rhymes with cat?" in page.code[0].value and not page.info


def test_explain_page_continues_a_beginning(embedded: ChatClient):
    page = open_page("explain")
    page.segmented_control(key="explain_kind").set_value("a beginning")
    run(page)
    assert page.code[0].value == "Once upon a time, a little"


def test_explain_page_shows_what_looks_at_a_picture(seeing: Endpoints, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITONCHAT_SERVER", seeing.grpc_url)
    page = open_page("explain")
    assert not page.select_slider and "picture" not in captions(page)
    page.file_uploader[0].upload("corner.png", write_image(corner_image()), "image/png")
    run(page)
    assert [header.value for header in page.header] == HEADERS
    assert "The picture is 20 of these tokens" in "\n".join(said.value for said in page.markdown)
    assert "of its attention is for this picture of" in captions(page)
    page.select_slider[0].set_value(page.select_slider[0].value - 1)
    run(page)
    page.file_uploader[0].upload("corner.png", b"no image", "image/png")
    run(page)
    assert "is no PNG, JPEG, WebP or GIF file" in page.warning[0].value
