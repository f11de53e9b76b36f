"""Usage: the store counts the tokens of kept answers, and the page shows them by day and model."""

import re
import uuid
from collections.abc import Callable
from datetime import date, timezone
from zoneinfo import ZoneInfo

import pytest
from browsing import FIGURES, answers, ask
from in_process import Endpoints
from support import wait_until

from streamlit_client.kept.usage import find_day, sum_by
from triton_server.client import ChatClient

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page


def test_store_counts_kept_answers(reciter: Endpoints) -> None:
    with ChatClient(reciter.grpc_url) as client:
        kept = client.conversations(uuid.uuid4().hex)
        made = kept.create("One")
        for model, count in (("a", 5), ("b", 7), ("a", 11)):
            turn = kept.add_turn(made.id, None, "?", {"model": model})
            usage = {"prompt_tokens": 100, "completion_tokens": count, "cached_tokens": 64}
            kept.change_turn(made.id, turn, answer="!", finish_reason="stop", usage=usage)
        kept.add_turn(made.id, None, "This answer runs.")
        begin = kept.get(made.id).turns[0].created
        found = kept.usage()
        assert {entry["time"] % 900 for entry in found} == {0}
        sums = sum_by(found, lambda entry: entry["model"])
        assert sums["a"] == {
            "answers": 2,
            "prompt_tokens": 200,
            "completion_tokens": 16,
            "cached_tokens": 128,
        }
        assert sums["b"]["completion_tokens"] == 7
        assert kept.usage(begin + 3600) == []
        assert client.conversations(uuid.uuid4().hex).usage() == []
        kept.delete(made.id)
        assert kept.usage() == []


def test_day_is_that_of_the_visitor() -> None:
    entry = {"time": 1_700_006_400 - 900}  # 2023-11-14 23:45 UTC
    assert find_day(entry, timezone.utc) == date(2023, 11, 14)
    assert find_day(entry, ZoneInfo("Asia/Kathmandu")) == date(2023, 11, 15)


def test_page_shows_usage(
    visit: Callable[..., Page], reciter: Endpoints, page_of: Callable[[Endpoints], str]
) -> None:
    page = visit(page_of(reciter))
    with ChatClient(reciter.grpc_url) as client:  # other tests have asked the same server

        def count() -> dict[str, int]:
            found = sum_by(client.conversations().usage(), lambda entry: entry["model"])
            return next((counts for model, counts in found.items() if "reciter" in model), {"answers": 0})

        before = count()["answers"]
        ask(page, "Hello")
        expect(answers(page)).to_contain_text(FIGURES)
        wait_until(lambda: count()["answers"] > before)
        counts = count()
    page.get_by_role("link", name="Data").click()
    expect(page.locator("svg.marks")).to_be_visible()
    row = page.get_by_test_id("stTable").get_by_role("row").filter(has_text="reciter")
    names = ("answers", "prompt_tokens", "cached_tokens", "completion_tokens")
    shown = [f"{counts[name]:,}" for name in names]
    expect(row.get_by_role("cell")).to_have_text([re.compile("reciter"), *shown])
    page.get_by_role("radio", name="a year").click()
    expect(page.locator("svg.marks")).to_be_visible()
