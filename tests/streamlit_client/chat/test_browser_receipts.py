"""The receipt of an answer in a real browser: opened, computed again, and verified by the command line."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import FIGURES, PHONE, answers, ask, button
from conftest import TRITONCHAT, Server
from in_process import Endpoints

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page
TOO_WIDE = (
    "[...document.querySelectorAll('html, [data-testid=stMain]')].some(e => e.scrollWidth > e.clientWidth)"
)


def open_receipt(page: Page) -> None:
    button(answers(page), "More").click()
    page.get_by_text("Reproducible: copy receipt").click()
    expect(page.get_by_text("A signed record")).to_be_visible()


def test_receipt_is_verified_here_and_elsewhere(
    visit: Callable[..., Page], server: Server, page_of: Callable[[Endpoints], str], tmp_path: Path
):
    page = visit(page_of(server), PHONE)
    ask(page, "Tell me <b>a</b> story")
    expect(answers(page)).to_contain_text(FIGURES)
    open_receipt(page)
    button(page, "Compute again").click()
    expect(page.get_by_text(re.compile(r"Equal: \d+ tokens, computed again\."))).to_be_visible()
    assert not page.evaluate(TOO_WIDE)
    page.reload()  # what was found is of the session, and the receipt is of the conversation
    open_receipt(page)
    expect(page.get_by_text("computed again.")).to_have_count(0)
    with page.expect_download() as download:
        button(page, "receipt.json").click()
    path = tmp_path / "receipt.json"
    download.value.save_as(path)
    assert "<b>a</b>" in json.dumps(json.loads(path.read_text())["request"]["content"])
    command = [*TRITONCHAT, "verify", path, "--server", server.api_url]
    assert "equal: " in subprocess.run(command, check=True, capture_output=True, text=True).stdout
