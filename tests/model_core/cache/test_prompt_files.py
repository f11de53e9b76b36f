"""Prompts in files: the bytes of answers stay the same, and wrong files are refused by name."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS
from test_cache_salt import ask
from test_scheduler import PARAMS, assert_all_pages_are_released, content, ids, small_llm, totals

from model_core import LLM
from model_core.cache.memory import PAGE
from model_core.cache.prefix_file import remove_parts, write_prompt_file
from model_core.errors import InvalidRequest, NoMemory, PromptFileError, StorageError
from model_core.files.safetensors import SafetensorsFolder

FAMILIES = [
    "llama-bfloat16",
    "gemma3",
    "gemma4",
    "deepseek-v3",
    "deepseek-v3-latents",
    "lfm2",
    "rwkv7",
    "qwen3-next",
    "mamba",
]


def load(family: str = "llama-bfloat16", **settings: object) -> LLM:
    return LLM(CHECKPOINTS / family, **settings)


@pytest.fixture(scope="module")
def tiny() -> Iterator[LLM]:
    with load() as loaded:
        yield loaded


@pytest.fixture
def saved(tiny: LLM, tmp_path: Path) -> Path:
    """A file of the prompt ids(100)."""
    return tiny.prompts.save(tmp_path / "prompt", ids(100)).path


@pytest.mark.parametrize(
    ("family", "dtype"),
    [
        *((family, "float32") for family in FAMILIES),
        ("llama-bfloat16", "float16"),
        ("gemma3", "int8"),
        ("gemma3", "int16"),
    ],
)
def test_answers_after_loading_have_the_same_bytes(family: str, dtype: str, tmp_path: Path) -> None:
    prompt = ids(100)
    with load(family, kv_cache_dtype=dtype) as llm:
        cold = [llm.generate(prompt + more, PARAMS) for more in ([], [5, 6, 7])]
        llm.prompts.save(tmp_path / "prompt", prompt)
    with load(family, kv_cache_dtype=dtype) as llm:
        llm.prompts.load(tmp_path / "prompt")
        warm = [llm.generate(prompt + more, PARAMS) for more in ([], [5, 6, 7])]
        llm.engine.pages.unpin(str(tmp_path / "prompt"))
        assert_all_pages_are_released(llm)
    assert [content(completion) for completion in warm] == [content(completion) for completion in cold]
    assert [completion.usage.cached_tokens >= 96 for completion in cold + warm] == [False, True, True, True]


@pytest.mark.parametrize("family", ["llama-bfloat16", "rwkv7", "gemma3"])
def test_short_prompts_can_be_saved(family: str, tmp_path: Path) -> None:
    with load(family) as llm:
        for length in (17, 33, 48):
            llm.prompts.save(tmp_path / str(length), ids(length, seed=length))
        with pytest.raises(InvalidRequest, match="has 16 tokens; prompts of 17 and more"):
            llm.prompts.save(tmp_path / "short", ids(16))
    with load(family) as llm:
        for length in (17, 33, 48):
            llm.prompts.load(tmp_path / str(length))
            answer = llm.generate([*ids(length, seed=length), 9], PARAMS)
            assert answer.usage.cached_tokens == (length - 1) // PAGE * PAGE


def test_file_is_for_its_owner_alone(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert os.listdir(saved.parent) == ["prompt"]


def test_file_is_in_the_safetensors_format(saved: Path) -> None:
    tensors = SafetensorsFolder(saved.parent, saved.name)
    assert tensors["tokens"].tolist() == ids(100)
    assert tensors["pages.0"].shape[0] == 96 // PAGE


def test_loaded_prompt_is_for_every_salt(tmp_path: Path) -> None:
    with load() as llm:
        llm.prompts.save(tmp_path / "prompt", ids(100))
        assert ask(llm, ids(110), "a").usage.cached_tokens >= 96
        secret = ids(60, seed=1)
        assert ask(llm, ids(100) + secret, "a").usage.cached_tokens < 112
        assert ask(llm, ids(100) + secret, "b").usage.cached_tokens < 112  # nothing of the answer to a
        assert ask(llm, ids(100) + secret, "a").usage.cached_tokens == 159
        assert_all_pages_are_released(llm)


def test_longer_prefix_of_ones_own_is_used_beside_a_saved_one(tmp_path: Path) -> None:
    with load() as llm:
        ask(llm, ids(200), "a")
        llm.prompts.save(tmp_path / "prompt", ids(50))
        assert ask(llm, ids(201), "a").usage.cached_tokens == 200
        assert ask(llm, ids(201), "b").usage.cached_tokens in range(48, 51)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 16
    path.write_bytes(data)


def test_every_flipped_byte_is_found(saved: Path, tmp_path: Path) -> None:
    size, header = saved.stat().st_size, int.from_bytes(saved.read_bytes()[:8], "little")
    with load() as llm:
        positions = {*range(0, 8 + header, 7), 8 + header, 8 + header + 401, size // 2, size - 8, size - 1}
        for position in sorted(positions):
            copy = Path(shutil.copy(saved, tmp_path / "copy"))
            flip(copy, position)
            with pytest.raises(PromptFileError, match=f"{copy} "):
                llm.prompts.load(copy)
        assert llm.generate(ids(100), PARAMS).usage.cached_tokens == 0
        assert_all_pages_are_released(llm)
        llm.prompts.load(saved)
        assert llm.generate(ids(100), PARAMS).usage.cached_tokens == 96


def test_truncated_and_foreign_files_are_refused(tiny: LLM, saved: Path, tmp_path: Path) -> None:
    data, wrong = saved.read_bytes(), tmp_path / "wrong"
    contents = [data[:size] for size in (0, 5, 8, 200, 1000, len(data) - 1)]
    contents += [data + b"\0", b"\xff" * 100, b"GGUF" + data, b"\2\0\0\0\0\0\0\0{}", b"\4\0\0\0\0\0\0\0null"]
    for content_ in contents:
        wrong.write_bytes(content_)
        with pytest.raises(PromptFileError, match=f"{wrong} is damaged"):
            tiny.prompts.load(wrong)
    with pytest.raises(PromptFileError, match=r"model\.safetensors is damaged, or is no file"):
        tiny.prompts.load(CHECKPOINTS / "llama-bfloat16" / "model.safetensors")
    with pytest.raises(PromptFileError, match="cannot be read: No such file"):
        tiny.prompts.load(tmp_path / "missing")


@pytest.mark.parametrize(
    "shape", [[2**62], [2**39], [-1], [True], ["a"], [[1]], None, [2**30, 2**30], [100.0], [100, 1]]
)
def test_huge_shapes_take_no_memory(tiny: LLM, saved: Path, shape: object) -> None:
    data = saved.read_bytes()
    length = int.from_bytes(data[:8], "little")
    for name in ("tokens", "pages.0"):
        header = json.loads(data[8 : 8 + length])
        header[name]["shape"] = shape
        text = json.dumps(header).encode()
        saved.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
        with pytest.raises(PromptFileError, match="damaged"):
            tiny.prompts.load(saved)


def test_tensors_of_other_shapes_are_refused(tiny: LLM, saved: Path) -> None:
    layout = replace(tiny.prompts.pages.layout, page_bytes=64)
    pages = [np.zeros(64, np.uint8)] * 6
    write_prompt_file(saved, ids(100), pages, layout, fingerprint=tiny.prompts.fingerprint)
    with pytest.raises(PromptFileError, match="do not have the shapes of this model"):
        tiny.prompts.load(saved)


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("llama-float16", {}),
        ("llama-bfloat16", {"kv_cache_dtype": "int8"}),
        ("llama-bfloat16", {"weights": "int8"}),
        ("rwkv7", {}),
    ],
)
def test_file_of_another_model_is_refused(saved: Path, family: str, settings: dict) -> None:
    with load(family, **settings) as other, pytest.raises(PromptFileError, match="computed by another model"):
        other.prompts.load(saved)


def test_fingerprint_tells_weights_apart(tiny: LLM) -> None:
    with load() as again, load() as changed:
        next(iter(changed.model.weights.vectors.values())).reshape(-1)[-1] *= 1.5
        assert again.prompts.fingerprint == tiny.prompts.fingerprint != changed.prompts.fingerprint
    with load(weights="int8") as exact, load(weights="int8", arithmetic="float32") as inexact:
        assert exact.prompts.fingerprint != inexact.prompts.fingerprint


def test_prompt_larger_than_memory_is_refused(saved: Path, tmp_path: Path) -> None:
    with small_llm(5) as llm, pytest.raises(NoMemory, match="--kv-cache-memory"):
        llm.prompts.load(saved)


def test_pins_never_starve_requests(saved: Path) -> None:
    with small_llm(16) as llm:
        llm.prompts.load(saved)
        for seed in range(1, 6):  # other prompts do not evict it
            llm.generate(ids(60, seed), PARAMS)
        assert ask(llm, ids(100), "").usage.cached_tokens == 96
        llm.generate(ids(220, seed=9), PARAMS)  # needs nearly all pages
        assert_all_pages_are_released(llm)


def pinned_pages(llm: LLM) -> int:
    """The pages of KV memory that saved prompts hold."""
    prefixes = llm.engine.live(with_tree=True)["tree"]["prefixes"]
    return sum(prefix["pages"] for prefix in prefixes if prefix["is_pinned"])


def test_pins_take_half_of_the_pages(tmp_path: Path) -> None:
    with small_llm(16) as llm:
        for seed in range(4):
            file = llm.prompts.save(tmp_path / str(seed), ids(60, seed))
            llm.prompts.load(file.path)
        assert pinned_pages(llm) == 6
        kept = [llm.engine.pages.use_pin(str(tmp_path / str(seed))) for seed in range(4)]
        assert kept == [False, False, True, True]


def test_full_disk_leaves_nothing(tiny: LLM, saved: Path) -> None:
    before = saved.read_bytes()
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, old[1]))
        for path in (saved, saved.with_name("other")):
            with pytest.raises(StorageError, match=f"{path} cannot be written: File too large"):
                tiny.prompts.save(path, ids(100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(saved.parent) == ["prompt"]
    assert saved.read_bytes() == before
    with pytest.raises(StorageError, match="No such file or directory"):
        tiny.prompts.save(saved.parent / "missing" / "prompt", ids(100))
    assert_all_pages_are_released(tiny)


def test_two_saves_of_one_name_leave_one_whole_file(tiny: LLM, tmp_path: Path) -> None:
    path = tmp_path / "prompt"
    prompts = [ids(100, seed) for seed in range(6)]
    threads = [threading.Thread(target=tiny.prompts.save, args=(path, prompt)) for prompt in prompts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tiny.prompts.load(path).tokens.tolist() in prompts
    assert os.listdir(tmp_path) == ["prompt"]
    tiny.engine.pages.unpin(str(path))


def test_what_a_killed_process_leaves_is_removed(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from model_core.cache.prefix_file import replace_file\n"
        "def parts():\n"
        "    yield b'half'\n"
        "    print(flush=True)\n"
        "    sys.stdin.read()\n"
        "replace_file(Path(sys.argv[1]) / 'prompt', parts())"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    remove_parts(tmp_path)
    assert len(os.listdir(tmp_path)) == 1  # it is being written
    child.kill()
    child.communicate()
    remove_parts(tmp_path)
    assert os.listdir(tmp_path) == []


def test_computed_once(tiny: LLM, tmp_path: Path) -> None:
    before = totals(tiny)["computed_tokens"]
    tiny.prompts.save(tmp_path / "prompt", ids(200, seed=77))
    assert totals(tiny)["computed_tokens"] - before == 193
