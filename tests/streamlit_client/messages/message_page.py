"""A page without a server of Streamlit: it gives data to the list of messages as Streamlit does.

`serve_messages` serves it with the built files. In the page, `show(data)` draws the list, in `root` or in
another element, `feed(...pieces)` hands on what has come of running answers, and `actions` has what a person
has chosen.
"""

import contextlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BUILT = Path(__file__).parents[3] / "streamlit_client" / "messages" / "web" / "dist"
LIGHT = {
    "text-color": "#31333f", "background-color": "#ffffff", "secondary-background-color": "#f0f2f6",
    "primary-color": "#d33a3a", "link-color": "#0054a3", "code-background-color": "#f0f2f6",
    "border-color": "#d5d6da", "red-text-color": "#a3161f", "red-background-color": "#fdecec",
    "green-text-color": "#11662c", "orange-text-color": "#914c00", "blue-text-color": "#0054a3",
    "violet-text-color": "#583f84",
}  # fmt: skip
DARK = {
    "text-color": "#fafafa", "background-color": "#0e1117", "secondary-background-color": "#262730",
    "primary-color": "#ff6d6d", "link-color": "#3d9df3", "code-background-color": "#1a1c24",
    "border-color": "#41444c", "red-text-color": "#ff8f8f", "red-background-color": "#3e1c22",
    "green-text-color": "#5ce488", "orange-text-color": "#ffbd45", "blue-text-color": "#60b4ff",
    "violet-text-color": "#b27eff",
}  # fmt: skip
_FONTS = {
    "font": "sans-serif", "heading-font": "sans-serif", "code-font": "monospace", "base-radius": "0.5rem"
}  # fmt: skip
_TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".html": "text/html"}


def _variables(theme: dict[str, str]) -> str:
    return ";".join(f"--st-{name}:{value}" for name, value in {**_FONTS, **theme}.items())


PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Messages</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>
html,body{{margin:0;height:100%}}
body{{{_variables(LIGHT)};background:var(--st-background-color);color:var(--st-text-color)}}
body{{font:16px sans-serif}}
@media (prefers-color-scheme:dark){{:root{{color-scheme:dark}}body{{{_variables(DARK)}}}}}
[data-testid=stMain]{{height:100%;overflow:auto}}
#block{{max-width:736px;margin:0 auto;padding:1rem}}
[data-testid=stBottom]{{position:sticky;bottom:0;background:var(--st-background-color);padding:1rem}}
</style>
<main data-testid="stMain"><div id="block"><h1>Chat</h1><div id="root"></div>
<div id="other"></div>
<div class="st-key-messages-feed" hidden></div></div>
<div data-testid="stBottom"><textarea aria-label="Message"></textarea></div></main>
<script type="module">
import list from "/dist/messages.js";
window.actions = [];
window.show = (data, place = "root") => list({{
  data: {{ list: place, ...data }},
  parentElement: document.getElementById(place),
  setTriggerValue: (_, value) => window.actions.push(value),
}});
window.feed = (...all) => document.querySelector(".st-key-messages-feed").textContent = JSON.stringify(all);
window.isReady = true;
</script></html>
"""

requested: list[str] = []  # the paths that browsers have asked for


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        requested.append(path)
        if path == "/":
            content, kind = PAGE.encode(), ".html"
        elif path.startswith("/dist/") and (file := (BUILT / path[6:]).resolve()).is_relative_to(BUILT):
            content, kind = file.read_bytes(), file.suffix
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", _TYPES[kind])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serve_messages() -> Iterator[str]:
    """Serve the page on a free port. Yields its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def turn(key: object, text: str, question: str | None = "A question", **fields: Any) -> dict[str, Any]:
    """A turn as the list gets it, which has ended."""
    return {
        "key": str(key),
        "question": None if question is None else {"text": question, "files": []},
        "reasoning": "",
        "reasoning_label": "Reasoning",
        "text": text,
        "shows_answer": True,
        "is_running": False,
        "notes": ["12 tokens in, 30 out · seed 1 · 1.2 s"],
        "error": None,
        "sources": [],
        "calls": [],
        "branches": None,
        "thumb": "",
        "actions": ["edit", "tokens", "again", "again_with", "back", "receipt"],
        "others": ["other-model"],
        "copy_from": 0,
        **fields,
    }


def chat(*turns: dict[str, Any], name: str = "1") -> dict[str, Any]:
    """The data of a conversation."""
    return {"chat": name, "turns": list(turns)}


def piece(key: object, text: str, start: int = 0, name: str = "1", **fields: Any) -> dict[str, Any]:
    """What has come of a running answer from character `start` on."""
    given = {
        "reasoning_start": 0,
        "reasoning": "",
        "reasoning_label": "Reasoning",
        "note": "answering …",
        **fields,
    }
    return {"chat": name, "key": str(key), "start": start, "text": text, **given}
