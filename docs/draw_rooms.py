"""Draw the rooms of the code from the contracts of the linter, and from what each room says of itself.

    python docs/draw_rooms.py > docs/rooms.svg

A room imports only rooms below it; `make lint` proves it.
"""

import ast
import sys
from html import escape
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
WIDTH, NAME_WIDTH, ROW, GAP, TITLE = 1010, 150, 22, 14, 30
# Those with rooms to draw, from the top of the picture.
PACKAGES = ("streamlit_client", "triton_server", "model_core")


def read_rooms() -> dict[str, list[str]]:
    """The rooms of each package in the order of its contract."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rooms: dict[str, list[str]] = {}
    for contract in settings["tool"]["importlinter"]["contracts"]:
        for package in contract.get("containers", ()):
            if package in PACKAGES:
                layers = [room for layer in contract["layers"] for room in layer.split(" | ")]
                rooms[package] = [room for room in layers if room != "__main__"]
    return rooms


def describe(package: str, room: str) -> str:
    """What a room says it is for: the first sentence of its docstring."""
    path = ROOT / package / room
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
    first = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0]
    return " ".join(first.split()).replace("`", "")


def draw(rooms: dict[str, list[str]]) -> str:
    """The picture as SVG."""
    parts: list[str] = []
    y = GAP
    for package in PACKAGES:
        height = TITLE + ROW * len(rooms[package]) + GAP // 2
        parts.append(f'<rect x="10" y="{y}" width="{WIDTH - 20}" height="{height}" rx="8" class="package"/>')
        parts.append(text(24, y + 21, package, "title"))
        for number, room in enumerate(rooms[package]):
            row = y + TITLE + ROW * number + 15
            parts.append(text(24, row, room, "room"))
            parts.append(text(24 + NAME_WIDTH, row, describe(package, room), "words"))
        y += height + GAP
    style = (
        "text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:700;font-size:15px}"
        ".room{font-family:ui-monospace,monospace;font-weight:600}.package{fill:#f6f8fa;stroke:#8c959f}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}">'
    background = f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>'
    return "\n".join([head, f"<style>{style}</style>", background, *parts, "</svg>\n"])


def text(x: int, y: int, words: Any, kind: str) -> str:
    """A line of text."""
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(str(words))}</text>'


if __name__ == "__main__":
    print(draw(read_rooms()), end="")
