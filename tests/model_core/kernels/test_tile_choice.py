"""Whether tiles are used: the check that a first start runs, where its tiles are emulated, and its end."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import amx_emulator
import numpy as np
import psutil
import pytest
import tile_check_program
from support import is_alive, wait_until

from model_core.kernels import emit, tile_choice, tile_gains
from model_core.kernels.tile_choice import TileChoice, choose_tiles, recall_choice, refuse_tiles, run_check
from model_core.model import tile_check

needs_avx512 = pytest.mark.skipif(emit.INSTRUCTION_SET != "avx512", reason="tiles come with AVX-512")
GAINS = {"int8": 2.0, "bfloat16": 1.5, "one row": 1.0}
AMX = ",".join(f"+{name}" for name in tile_choice.FEATURES)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of this file keep compiled kernels, so that the first one compiles them for all."""
    return tmp_path_factory.mktemp("cache")


def check_emulated(plant: str, cache: Path) -> dict[str, object]:
    """The report of the check on emulated tiles."""
    run = subprocess.run(**amx_emulator.run(tile_check_program.__file__, plant, cache=str(cache)))
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


def program(code: str) -> Sequence[str]:
    """A program in the place of the check."""
    return sys.executable, "-c", code


def report(wrong: list[str], gains: dict[str, float]) -> Sequence[str]:
    """A program that reports this."""
    return program(f"print({json.dumps({'wrong': wrong, 'gains': gains})!r})")


@needs_avx512
def test_right_products_are_found_right(cache: Path) -> None:
    found = check_emulated("fast", cache)
    assert found["wrong"] == []
    assert set(found["gains"]) == set(tile_gains.LOADS)
    assert min(found["gains"].values()) > 1


@needs_avx512
def test_a_wrong_product_is_found(cache: Path) -> None:
    """The last sum of a tile is wrong, of integers alone. Products of few rows do not have it."""
    wrong = check_emulated("wrong", cache)["wrong"]
    assert wrong
    assert {name.split()[0] for name in wrong} == set(tile_check.INTEGERS)
    assert {int(name.split()[-1]) for name in wrong} == {16, 29, 48, 80}


def test_each_product_is_compared() -> None:
    """With the specification, or with vectors: whichever differs is named."""
    vectors, tiles = {}, {}
    for n, k in tile_check.SIZES:
        x, w = tile_check.draw(n, k, max(tile_check.ROWS))
        for rows in tile_check.ROWS:
            for kind in ("int8", "int4"):
                vectors[f"{kind} {n} {k} 0 {rows}"] = x[:rows] @ w.T
            for parts in (1, 2):
                product = tile_check.multiply_on_tiles(x, w, parts)
                tiles[f"bfloat16 {n} {k} {parts} {rows}"] = product[:rows].copy()
    tiles |= {name: product.copy() for name, product in vectors.items()}
    assert tile_check.find_wrong(tiles, vectors) == []
    for name in ("int4 70 96 0 12", "bfloat16 64 330 1 1"):
        tiles[name][-1, -1] = np.nextafter(tiles[name][-1, -1], np.float32("inf"))  # the least difference
    assert sorted(tile_check.find_wrong(tiles, vectors)) == ["bfloat16 64 330 1 1", "int4 70 96 0 12"]


def test_right_and_faster_tiles_are_used() -> None:
    choice = run_check(report([], GAINS), 60)
    assert choice.int8
    assert choice.bfloat16
    assert str(choice).startswith("used: ")
    assert "2.00 (int8), 1.50 (bfloat16), 1.00 (one row)" in choice.reason


@pytest.mark.parametrize(
    ("gains", "uses"),
    [
        ({"int8": 0.8}, "used for bfloat16 alone: they are right, and reach 0.80 (int8)"),
        ({"bfloat16": 0.8}, "used for int8 alone: "),
        ({"one row": 0.6}, "used for int8 alone: "),  # many rows gain less than one row loses
        ({"bfloat16": 5.0, "one row": 0.6}, "used: "),
        ({"int8": 0.8, "bfloat16": 0.9}, "not used: they are right, and reach only 0.80 (int8)"),
    ],
)
def test_slower_tiles_are_not_used_where_they_are_slower(gains: dict[str, float], uses: str) -> None:
    assert str(run_check(report([], GAINS | gains), 60)).startswith(uses)


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (report(["int8 64 64 0 12"], GAINS), "wrong products: 1, first int8 64 64 0 12"),
        (program("import os, signal; os.kill(os.getpid(), signal.SIGILL)"), "ended with SIGILL"),
        (program("raise RuntimeError('no such thing')"), "failed (RuntimeError: no such thing)"),
        (program("pass"), "failed (no output)"),
        (program("print('[]')"), "failed"),
        (report([], {"int8": 2.0}), "failed"),
    ],
)
def test_what_goes_wrong_leaves_tiles_off(check: Sequence[str], reason: str) -> None:
    choice = run_check(check, 60)
    assert not choice.used
    assert reason in choice.reason


def test_a_log_gets_few_lines_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    run_check(program("import time; time.sleep(1.2)"), 60)
    assert capsys.readouterr().err.count("Checking the tiles") <= 1


def test_a_check_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '1000']); "
        f"open({str(started)!r}, 'w').write(str(child.pid)); child.wait()"
    )
    for limit_s in (2, 10, 60):  # a busy machine takes its time to start the program
        choice = run_check(program(code), limit_s)
        expected = refuse_tiles(f"the check took more than {limit_s} seconds", is_final=False)
        assert choice == expected
        if started.exists():
            break
    with contextlib.suppress(psutil.NoSuchProcess):
        child = psutil.Process(int(started.read_text()))
        wait_until(lambda: not is_alive(child))


def test_a_check_that_was_ended_from_outside_is_repeated_after_a_while(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "choice.json"
    for code in ("import time; time.sleep(60)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"):
        choice = recall_choice(file, program(code), 1)
        assert not choice.used
        assert not choice.is_final
        assert re.search(r"; a start after \d\d:\d\d, or without this file, checks again$", choice.reason)
        assert f"Tiles (AMX) are {choice}" in caplog.text
        caplog.clear()
        assert recall_choice(file, report([], GAINS), 60) == choice  # no start waits for it again so soon
        past = file.stat().st_mtime - tile_choice.RETRY_S
        os.utime(file, (past, past))
    assert recall_choice(file, report([], GAINS), 60).used
    assert recall_choice(file, program("raise ValueError"), 60).used


@needs_avx512
def test_without_a_place_or_a_permission_there_are_no_tiles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And no error: the kernels of vectors compute everything, too."""
    monkeypatch.delenv(tile_choice.VARIABLE, raising=False)
    monkeypatch.setattr(tile_choice.config, "CPU_FEATURES", AMX)
    monkeypatch.setattr(tile_choice, "_are_granted", lambda: True)
    monkeypatch.setattr(tile_choice, "make_folder", lambda _: Path("/proc/none"))
    assert choose_tiles().reason.startswith("the check could not run (")
    monkeypatch.setattr(tile_choice, "_are_granted", lambda: False)
    monkeypatch.setattr(tile_choice, "run_check", lambda *_: pytest.fail("it was checked"))
    assert choose_tiles() == refuse_tiles("the system does not grant them")


def test_a_choice_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "choice.json"
    first = recall_choice(file, report([], GAINS), 60)
    assert first.used
    assert first.reason.endswith(f" and kept in {file}")
    assert recall_choice(file, program("raise AssertionError"), 60) == first
    file.write_text("{")  # a damaged file is made again
    assert not recall_choice(file, report([], GAINS | {"int8": 0.5, "bfloat16": 0.5}), 60).used


@needs_avx512
def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_choice.config, "CPU_FEATURES", AMX)
    monkeypatch.setattr(tile_choice, "_are_granted", lambda: True)
    monkeypatch.setattr(tile_choice, "run_check", lambda *_: pytest.fail("it was checked"))
    for value in ("1", "0", "off"):
        monkeypatch.setenv(tile_choice.VARIABLE, value)
        assert choose_tiles() == TileChoice(value == "1", value == "1", f"TRITONCHAT_AMX={value}")
    monkeypatch.setenv(tile_choice.VARIABLE, "1")
    monkeypatch.setattr(tile_choice, "_are_granted", lambda: False)
    assert choose_tiles() == refuse_tiles("the system does not grant them")


@needs_avx512
def test_a_first_start_checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And a processor without tiles does not; nor does anyone without a place for the result."""
    monkeypatch.delenv(tile_choice.VARIABLE, raising=False)
    monkeypatch.setattr(tile_choice.config, "CPU_FEATURES", AMX)
    monkeypatch.setattr(tile_choice.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tile_choice, "_are_granted", lambda: True)
    checks = []

    def check(command: Sequence[str], limit_s: float) -> TileChoice:
        checks.append(command)
        return TileChoice(True, True, "it is so")

    monkeypatch.setattr(tile_choice, "run_check", check)
    for _ in range(2):
        assert choose_tiles().used
    assert checks == [tile_choice.check_command()]
    monkeypatch.setattr(tile_choice.config, "CACHE_DIR", "/proc/none")
    assert "no cache folder" in choose_tiles().reason
    monkeypatch.setattr(tile_choice.config, "CPU_FEATURES", "+avx2")
    assert choose_tiles() == refuse_tiles("this processor has none")
    assert len(checks) == 1
