"""Measure long conversations on the page, as a person meets them in Chromium: to open, to rate, to scroll.

    python benchmarks/long_chats.py [--turns 200 500] [--rounds 5] [--chromium PATH]

Starts a server with the embedded model and the page, and stores conversations. Each is opened by a click in
the list of an open page and by its address; a thumb is clicked in it. Prints a table in Markdown with medians
and the longest times, and names the machine. message_list.py measures the list without Streamlit.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from message_list import ANSWER, SCROLL
from page_load import free_port, running_server
from playwright.sync_api import Page, expect, sync_playwright
from serving import processor_name

from triton_server.client import ChatClient
from triton_server.conversations.tree import Conversation, Turn
from triton_server.launch.page_process import launch_page

BARS = {
    "opened by a click": 1000,
    "opened by its address": None,
    "a thumb is shown": 150,
    "the page is at rest after it": None,
}  # milliseconds
_WAIT_MS = 60_000
# Clicks, and measures how long it takes until the browser paints what has changed.
CLICK = """button => new Promise((done) => {
  const begin = performance.now();
  const watch = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
  new MutationObserver(watch).observe(button, { attributes: true });
  button.click();
})"""


def store(client: ChatClient, turns: int) -> None:
    """Store a conversation whose title is the number of its turns."""
    kept = [
        Turn(
            number,
            number - 1 or None,
            f"Question {number} of {turns}?",
            ANSWER.format(number=number, sum=number * (number + 1) // 2),
            finish_reason="stop",
        )
        for number in range(1, turns + 1)
    ]
    client.conversations().add(Conversation("", f"{turns} turns", None, {}, turns, 0, kept))


def measure(act: Callable[[], None], is_done: Callable[[], None]) -> float:
    """Milliseconds from before `act` until `is_done` returns."""
    begin = time.perf_counter()
    act()
    is_done()
    return 1000 * (time.perf_counter() - begin)


def measure_chat(page: Page, address: str, turns: int, rounds: int) -> dict[str, list[float]]:
    """The times of each round, by what was done."""
    times: dict[str, list[float]] = {name: [] for name in BARS}
    last = page.get_by_text(f"Question {turns} of {turns}?", exact=True)
    thumb = page.get_by_role("button", name="Good answer").last

    def wait_for_last() -> None:
        expect(last).to_be_visible(timeout=_WAIT_MS)

    def wait_for_rest() -> None:
        expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible(timeout=_WAIT_MS)

    def wait_for_run() -> None:
        expect(page.locator("[data-test-script-state=running]")).to_be_visible(timeout=_WAIT_MS)
        wait_for_rest()

    for _ in range(rounds):
        page.goto(address)
        title = page.get_by_role("button", name=f"{turns} turns", exact=True)
        expect(title).to_be_visible(timeout=_WAIT_MS)
        wait_for_rest()
        times["opened by a click"].append(measure(title.click, wait_for_last))
        wait_for_rest()
        begin = time.perf_counter()
        times["a thumb is shown"].append(thumb.evaluate(CLICK))
        wait_for_run()
        times["the page is at rest after it"].append(1000 * (time.perf_counter() - begin))
        times["opened by its address"].append(measure(page.reload, wait_for_last))
    return times


def print_row(*cells: object) -> None:
    """Print a row of the table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, nargs="+", default=[200, 500])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    options = parser.parse_args()
    print(f"{processor_name()}, {os.cpu_count()} cores, Chromium\n")
    print("| turns | | median | longest | bar |\n| --: | --- | --: | --: | --: |")
    with (
        tempfile.TemporaryDirectory() as name,
        running_server(folder := Path(name), 1024) as server,
        ChatClient(server) as client,
        sync_playwright() as driver,
    ):
        for turns in options.turns:
            store(client, turns)
        port = free_port()
        served = launch_page("127.0.0.1", port, server, folder / "page.log")
        try:
            served.wait_until_up()
            flags = ["--no-sandbox", "--disable-gpu"]
            browser = driver.chromium.launch(executable_path=options.chromium, args=flags)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            address = f"http://127.0.0.1:{port}"
            for turns in options.turns:
                for done, times in measure_chat(page, address, turns, options.rounds).items():
                    middle, bar = statistics.median(times), BARS[done]
                    print_row(
                        turns, done, f"{middle:.0f} ms", f"{max(times):.0f} ms", f"{bar:,} ms" if bar else ""
                    )
                frames = page.evaluate(SCROLL, 5)["frames"]
                print_row(
                    turns, "scrolling: frames a second", f"{1000 * len(frames) / sum(frames):.0f}", "", "50"
                )
            browser.close()
        finally:
            served.stop()


if __name__ == "__main__":
    main()
