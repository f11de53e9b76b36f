"""The picture of the rooms is that of the contracts, and each room says what it is for."""

import ast
import re
import subprocess
import sys

from paths import ROOT

PACKAGES = ("model_core", "triton_server", "streamlit_client")
MAX_FILES, MAX_LINES = 20, 400


def test_picture_of_the_rooms_is_current() -> None:
    drawn = subprocess.run(
        [sys.executable, ROOT / "docs" / "draw_rooms.py"], capture_output=True, text=True, check=True
    )
    assert (ROOT / "docs" / "rooms.svg").read_text() == drawn.stdout, (
        "python docs/draw_rooms.py > docs/rooms.svg"
    )


def test_rooms_are_small_and_say_what_they_do_not_know() -> None:
    for package in PACKAGES:
        for room in (path.parent for path in (ROOT / package).rglob("__init__.py")):
            files = list(room.glob("*.py"))
            assert len(files) <= MAX_FILES, f"{room} has {len(files)} files"
            for file in files:
                assert len(file.read_text().splitlines()) <= MAX_LINES, file
            docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
            assert re.search(r"\bNothing here\b", docstring), room


def test_full_tier_names_tests_that_exist() -> None:
    for line in (ROOT / "tests" / "full_tier.txt").read_text().split():
        file, _, function = line.partition("::")
        assert (ROOT / file).is_file(), line
        assert f"def {function}(" in (ROOT / file).read_text() if function else True, line
