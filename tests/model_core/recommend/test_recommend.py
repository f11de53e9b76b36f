"""Which models are recommended, and the figures of models.json beside those of the project."""

import json
import sys
from dataclasses import asdict, replace
from typing import Any

import pytest
from command_line import run_command
from paths import CHECKPOINTS, ROOT

from model_core.families import FAMILIES
from model_core.files.model_files import open_model_files
from model_core.hub import embedded_model
from model_core.hub.names import parse_name
from model_core.model.estimate import estimate_step
from model_core.model.loader import load_model
from model_core.recommend.catalogue import list_catalogue
from model_core.recommend.choice import find_room, recommend
from model_core.recommend.speed import TYPICAL, Machine, expect_speed
from model_core.recommend.words import describe

GIB = 2**30
SLOW = Machine(5e9, 50e9, 15e9)


@pytest.fixture(scope="module")
def script() -> Any:
    """benchmarks/models/recommended.py, which writes models.json and the table of docs/models.md."""
    sys.path.append(str(ROOT / "benchmarks" / "models"))
    import recommended

    return recommended


def test_models_have_names_and_families_that_are_known() -> None:
    for model in list_catalogue():
        assert str(parse_name(model.name)) == model.name
        assert model.family in FAMILIES
        assert 0 < model.read_bytes <= model.weight_bytes < model.memory_bytes


@pytest.mark.parametrize("number", [1, 7, 8, 12])  # a folder, a file, a mixture of experts, one as stored
def test_figures_are_those_of_the_project(script: Any, number: int) -> None:
    offer = script.OFFERS[number]
    assert script.describe(offer) == next(one for one in list_catalogue() if one.name == offer.name)


def test_table_of_the_docs_is_current(script: Any) -> None:
    assert [offer.name for offer in script.OFFERS] == [model.name for model in list_catalogue()]
    assert script.HEADER + script.write_table() in (ROOT / "docs" / "models.md").read_text()


# Rows are padded to whole strips, and vectors are read too: most of what a tiny model reads.
@pytest.mark.parametrize("name, share", [("embedded", 0.95), ("qwen3-moe", 0.4), ("gemma3", 0.4)])
def test_step_takes_what_is_estimated(name: str, share: float) -> None:
    files = open_model_files(embedded_model() if name == "embedded" else CHECKPOINTS / name)
    loaded, step = load_model(files).weights, estimate_step(files, "auto")
    assert share * loaded.bytes_per_token <= step.read_bytes <= loaded.bytes_per_token
    computed = step.multiplications + step.head_multiplications
    assert share * loaded.multiplications_per_token <= computed <= loaded.multiplications_per_token


@pytest.mark.parametrize("machine", [TYPICAL, SLOW])
def test_more_memory_never_offers_a_lesser_model(machine: Machine) -> None:
    names = [model.name for model in list_catalogue()]
    ranks = []
    for size in range(1, 128):
        found = recommend(machine, size * GIB)
        assert len(found) <= 3 and len({one.model.name for one in found}) == len(found)
        assert all(one.model.memory_bytes <= size * GIB for one in found)
        ranks.append(max(names.index(one.model.name) for one in found))
    if machine is TYPICAL:
        assert ranks == sorted(ranks)
    assert recommend(machine, 10**6) == []


def test_slow_machine_is_not_offered_what_nobody_waits_for() -> None:
    for one in recommend(SLOW, 64 * GIB):
        assert one.speed.answer >= 5
    assert recommend(replace(SLOW, bandwidth=1e6), 64 * GIB)[0].model == list_catalogue()[0]


def test_speed_follows_the_limits() -> None:
    model = list_catalogue()[-1]
    speed = expect_speed(model, TYPICAL)
    twice = expect_speed(model, replace(TYPICAL, bandwidth=2 * TYPICAL.bandwidth))
    assert twice.answer == pytest.approx(2 * speed.answer, rel=0.05) and twice.prompt == speed.prompt
    quick = expect_speed(model, replace(TYPICAL, arithmetic=2 * TYPICAL.arithmetic))
    assert quick.answer == speed.answer and quick.prompt > 1.5 * speed.prompt
    assert f"prompt {speed.prompt:.0f}, answer {speed.answer:.0f}" in describe(model, speed, "tritonchat")


def test_room_leaves_something_for_others() -> None:
    assert find_room(16 * GIB, 16 * GIB) == 15 * GIB
    assert find_room(16 * GIB, 4 * GIB) == 4 * GIB - 600 * 2**20
    assert find_room(GIB, 2**20) == 0


def test_command_measures_this_machine() -> None:
    result = run_command("recommend", "--memory", "8GiB", "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["room"] == 7 * GIB
    machine = Machine(**answer["machine"])
    assert 1e8 < machine.bandwidth < 1e13 and 1e8 < machine.float_arithmetic < 1e15
    expected = [asdict(one.model) | {"speed": asdict(one.speed)} for one in recommend(machine, 7 * GIB)]
    assert answer["models"] == expected


def test_command_says_when_nothing_fits() -> None:
    result = run_command("recommend", "--memory", "1GiB")
    assert result.returncode == 1 and b"the embedded one fits: " in result.stderr
    assert b"tritonchat up\n" in result.stderr
    assert b"not a size" in run_command("recommend", "--memory", "many").stderr
