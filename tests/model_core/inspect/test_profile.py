"""`tritonchat bench --profile`: the time of a step by operation."""

import json

import pytest
from click.testing import CliRunner
from paths import CHECKPOINTS

from model_core import LLM
from model_core.inspect.bench import profile
from model_core.kernels.interpreter import Operation
from triton_server.cli.tritonchat import cli

FOLDER = CHECKPOINTS / "qwen3-moe"


@pytest.mark.parametrize("threads", [1, 2])
def test_operations_are_named_and_add_up(threads: int) -> None:
    with LLM(FOLDER, threads=threads, weights="int8") as llm:
        with llm.model.profile() as measured:
            llm.logits([1, 2, 3])
            llm.logits([4])
        before = measured.cycles.copy()
        llm.logits([5])
        assert (measured.cycles == before).all()  # nothing is measured outside of the context
    seconds = measured.seconds_by_operation()
    assert measured.steps == 2
    assert sum(seconds.values()) == pytest.approx(measured.seconds)
    assert min(seconds.values()) > 0  # each operation is measured
    assert list(seconds.values()) == sorted(seconds.values(), reverse=True)
    products = {f"linear {buffer}" for buffer in ("qkv", "x", "inner", "logits")}
    others = {"norm", "rope", "write_kv", "attend", "experts", "route", "quantize", "take_rows"}
    assert products | others <= seconds.keys()
    assert all(name.split()[0].upper() in Operation.__members__ for name in seconds)


def test_measuring_changes_no_bit() -> None:
    with LLM(FOLDER) as llm:
        plain = llm.logits([1, 2, 3])
        with llm.model.profile():
            assert (llm.logits([1, 2, 3]) == plain).all()


def test_prompts_and_answers_are_profiled() -> None:
    with LLM(FOLDER) as llm:
        loads = profile(llm)
    assert [load.load for load in loads] == ["a prompt", "1 stream", "16 streams"]
    assert [list(load.seconds)[-1] for load in loads] == ["between steps"] * 3
    assert all(load.seconds["attend"] > 0 and load.steps > 0 for load in loads)


@pytest.mark.parametrize("as_json", [False, True])
def test_command_prints_profiles(as_json: bool) -> None:
    options = ["--json"] if as_json else []
    result = CliRunner().invoke(cli, ["bench", "--model", str(FOLDER), "--profile", *options])
    assert result.exit_code == 0, result.output
    if as_json:
        assert [load["load"] for load in json.loads(result.stdout)] == ["a prompt", "1 stream", "16 streams"]
    else:
        assert "linear qkv" in result.stdout and "100.0%" in result.stdout
