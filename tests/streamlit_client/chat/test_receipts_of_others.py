"""Receipts under answers of models that see, reason, call tools, or continue texts."""

import json
import shutil
from pathlib import Path

import pytest
from chat_page import ChatPage
from image_files import corner_image, write_image
from in_process import Endpoints, local_server
from support import pool_of

from model_core import LLM
from model_core.hub import embedded_model


def check(page: ChatPage, turn: int, words: str) -> None:
    """Compute the answer of a turn again: it must be equal."""
    page.act(turn, "receipt").click("Compute again")
    (said,) = [element.value for element in page.app.success]
    assert said.startswith(words)
    assert not page.app.warning and not page.app.info and not page.app.error


def test_answer_to_a_picture(seeing: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", seeing.grpc_url)
    page = ChatPage().change("number_input", "Max tokens", 8)
    page.ask("what", corner_png=write_image(corner_image())).ask("and")
    for turn in (1, 2):
        check(ChatPage(page.id), turn, "Equal")


def test_reasoning_and_calls_of_tools(reciter: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_SERVER", reciter.grpc_url)
    page = ChatPage().click("Insert an example").ask("How is the weather?")
    (field,) = [area for area in page.app.text_area if area.label == "Result"]
    field.set_value("rain")
    page.click("Send the result")
    for turn in (1, 2):
        check(ChatPage(page.id), turn, "Equal")


def test_text_that_a_model_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "story"
    shutil.copytree(embedded_model(), folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["chat_template"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    llm = LLM(folder, kv_cache_memory=2**26)
    with local_server(pool_of(llm), tmp_path) as running:
        monkeypatch.setenv("TRITONCHAT_SERVER", running.grpc_url)
        page = ChatPage().change("number_input", "Max tokens", 8).ask("Once upon a time")
        check(ChatPage(page.id), 1, "Equal")
        check(ChatPage(page.id).change("number_input", "Max tokens", 8).click("Continue"), 1, "Equal")
