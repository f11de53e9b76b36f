"""Film the page for the README: a question, its answer as it comes, and the page Explain.

    PYTHONPATH=. python docs/film_page.py

It starts a server with SmolLM2 (`tritonchat pull smollm2` gets it) and the page, on free ports and with a new
folder for data, and drives them in Chromium. What the browser shows is written to `page.webp` beside this
file. A scene has a length of its own, however long it took, so the film says nothing of the speed. It needs
Chromium, Playwright and Pillow.
"""

import base64
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

FILE = Path(__file__).with_name("page.webp")
SIZE = {"width": 1008, "height": 672}  # of the browser's window
FILM_SIZE = 720, 480
QUESTION = "Write an e-mail that asks politely for a reply."
EXPLAINED = "What is the capital of France?"
PICTURE_S = 0.1  # a picture is shown for so long or longer
STEPS = 12  # of a scroll
MODEL = "smollm2"
LIMIT = 1_500_000  # bytes of the film
WAIT_S = 600  # a busy machine takes long


@contextmanager
def running_page() -> Iterator[str]:
    """The address of a page with a server of its own."""
    names = ("--grpc-port", "--metrics-port", "--api-port", "--ui-port")
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    places = [f"{name}={port}" for name, port in zip(names, ports, strict=True)]
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [sys.executable, "-m", "triton_server", "up", "--model", MODEL, *places],
            env={**os.environ, "XDG_DATA_HOME": data},
        )
        try:
            address = f"http://127.0.0.1:{ports[-1]}"
            wait_until_ready(f"http://127.0.0.1:{ports[2]}/readyz", server)
            wait_until_ready(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.terminate()
            server.wait()


def wait_until_ready(address: str, server: subprocess.Popen) -> None:
    """Wait until an address answers 200."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and server.poll() is None:
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(1)
    sys.exit("The server did not start.")


class Film:
    """Scenes of a page, of what Chromium sends whenever it has drawn."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._last = page.screenshot()
        self._scene: list[bytes] | None = None  # PNG
        self._pictures: list[tuple[float, Image.Image]] = []  # seconds, and what is shown
        self._session = page.context.new_cdp_session(page)
        self._session.on("Page.screencastFrame", self._add)
        self._session.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})

    def _add(self, frame: dict) -> None:
        self._last = base64.b64decode(frame["data"])
        if self._scene is not None:
            self._scene.append(self._last)
        self._session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    @contextmanager
    def scene(self, seconds: float) -> Iterator[None]:
        """What is drawn meanwhile takes so many seconds in the film, however long it took."""
        self._scene = [self._last]
        yield
        self._page.wait_for_timeout(300)  # what has been drawn is sent
        count = min(len(self._scene), round(seconds / PICTURE_S))
        for number in range(count):
            drawn = self._scene[round((number + 1) * len(self._scene) / count) - 1]
            image = Image.open(io.BytesIO(drawn)).convert("RGB")
            self._pictures.append((seconds / count, image.resize(FILM_SIZE, Image.Resampling.LANCZOS)))
        self._scene = None

    def write(self, file: Path) -> None:
        """Write it as an animated WebP."""
        lengths, images = zip(*self._pictures, strict=True)
        images[0].save(
            file,
            save_all=True,
            append_images=images[1:],
            duration=[round(1000 * seconds) for seconds in lengths],
            loop=0,
            quality=60,
            method=4,
        )
        size = file.stat().st_size
        print(f"{file}: {len(images)} pictures, {sum(lengths):.1f} s, {size:,} bytes")
        if size > LIMIT:
            sys.exit(f"{file} has more than {LIMIT:,} bytes.")


def play(page: Page, film: Film) -> None:
    """What the film shows."""
    line = page.get_by_test_id("stChatInput").get_by_role("textbox")
    with film.scene(1.8):
        for start in range(0, len(QUESTION), 4):
            line.press_sequentially(QUESTION[start : start + 4])
    with film.scene(4.5):
        line.press("Enter")
        with suppress(AssertionError):  # a long answer is left before its end
            expect(page.get_by_text(re.compile("tokens/s.*complete")).last).to_be_visible(timeout=15_000)
    with film.scene(1.2):
        page.wait_for_timeout(1500)
    page.get_by_role("link", name="Explain").click()
    text = page.get_by_test_id("stTextArea").get_by_role("textbox")
    expect(text).to_be_visible()
    text.fill(EXPLAINED)
    text.press("Control+Enter")
    expect(page.get_by_test_id("stCode").first).to_contain_text(EXPLAINED)
    page.wait_for_timeout(5000)
    with film.scene(0.8):
        page.mouse.move(SIZE["width"] * 0.306, SIZE["height"] / 2)  # beside what has bars of its own
    for heading in ("2. Tokens", "4. Attention", "5. The next token"):
        below = page.get_by_role("heading", name=heading).bounding_box()
        assert below is not None
        with film.scene(1.2):
            for _ in range(STEPS):
                page.mouse.wheel(0, (below["y"] - 40) / STEPS)
                page.wait_for_timeout(100)
        with film.scene(1.0):
            page.wait_for_timeout(1000)


def main() -> None:
    """Make the film."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    expect.set_options(timeout=1000 * WAIT_S)
    with running_page() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(1000 * WAIT_S)
        page.goto(address)
        expect(page.get_by_test_id("stChatInput").get_by_role("textbox")).to_be_visible()
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        page.wait_for_timeout(3000)
        film = Film(page)
        play(page, film)
        film.write(FILE)


if __name__ == "__main__":
    main()
