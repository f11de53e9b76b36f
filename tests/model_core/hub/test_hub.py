"""`--model owner/name` is downloaded from the hub; in these tests from a small server with its protocol."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from gguf_models import copy_model, write_model
from hub_server import HubServer, Repository
from paths import CHECKPOINTS, DATA
from support import wait_until
from test_mistral import write_folder as write_mistral_folder
from torch_writer import write_torch

from model_core.errors import ModelError
from model_core.families import read_model_config, write_tape
from model_core.files.safetensors import SafetensorsFolder
from model_core.hub import fetch_model
from model_core.hub.choice import choose_model_files
from model_core.hub.names import HubName, parse_name
from model_core.tape.passes import products, vector_refs

LOAD = """
import sys
from model_core import LLM, SamplingParams
with LLM(sys.argv[1]) as llm:
    print(llm.name, llm.generate([5, 6], SamplingParams(max_tokens=3)).token_ids)
"""
FETCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests in the background may ignore
from model_core.errors import ModelError
from model_core.hub import fetch_model
for model, *revision in map(str.split, sys.argv[1:]):
    try:
        print(fetch_model(model, *revision))
    except ModelError as error:
        print(error)
"""
CHUNK = 10 * 2**20  # bytes that the client of the hub reads before it writes them


def start(program: str, *arguments: str, home: Path, **environment: str) -> subprocess.Popen:
    """Start a new process: the hub's client reads the address when it is imported."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "HF_HOME": str(home), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(program: str, *arguments: str, home: Path, **environment: str) -> tuple[str, str]:
    """The standard output and the standard error of a new process."""
    return start(program, *arguments, home=home, **environment).communicate(timeout=120)


def fetch(*models: str, home: Path, **environment: str) -> list[str]:
    """For each model, "owner/name" or "owner/name revision", its path or the sentence of the error."""
    out, errors = run(FETCH, *models, home=home, **environment)
    lines = out.splitlines()
    assert len(lines) == len(models), errors
    return lines


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with two large files, of three chunks together."""
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    for number, size in ((1, 2 * CHUNK), (2, CHUNK)):
        data = bytes(range(256)) * (size // 256 - 1) + bytes(256) * number
        (folder / f"model-{number}.safetensors").write_bytes(data)
    return folder


def test_model_is_downloaded_once_with_progress(tmp_path: Path) -> None:
    with HubServer({"someone/tiny": CHECKPOINTS / "llama-sharded"}) as hub:
        first, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert first.startswith("someone/tiny ["), errors
        assert "Downloading someone/tiny: 100%" in errors
        fetched = hub.fetched()
        assert any(path.endswith("config.json") for path in fetched)
        assert not any(path.endswith(".npz") for path in fetched)  # only what a model needs
        second, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert second == first
        assert "Downloading" not in errors
        assert hub.fetched() == fetched
    away, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
    assert away == first
    assert "cannot be reached" in errors and "someone/tiny is taken from this machine" in errors
    with HubServer({}) as hub:
        gone, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert gone == first
        assert "called someone/tiny" in errors and "someone/tiny is taken from this machine" in errors
    offline, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_HUB_OFFLINE="1")
    assert offline == first
    assert "HF_HUB_OFFLINE" in errors


def sizes_of_parts(home: Path) -> Iterator[int]:
    """The sizes of the incomplete files in a cache."""
    return (path.stat().st_size for path in home.rglob("*.incomplete"))


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_download_is_continued(large: Path, tmp_path: Path, end: signal.Signals) -> None:
    with HubServer({"someone/large": large}) as hub:
        with hub.stalled_after(CHUNK + CHUNK // 2) as is_stalled:
            # On a busy machine, the client would try again before it gets the signal.
            patience = {"HF_HUB_DOWNLOAD_TIMEOUT": "30"}
            process = start(FETCH, "someone/large", home=tmp_path, HF_ENDPOINT=hub.url, **patience)
            assert is_stalled.wait(60)
            wait_until(lambda: list(sizes_of_parts(tmp_path)) == [CHUNK])
            process.send_signal(end)
            _, errors = process.communicate(timeout=60)
        assert process.returncode != 0
        if end == signal.SIGINT:
            assert "`tritonchat pull someone/large` continues the download" in errors
        (folder,) = fetch("someone/large", home=tmp_path, HF_ENDPOINT=hub.url)
        assert hub.ranges == [(CHUNK, 2 * CHUNK)]
    for path in large.iterdir():
        assert Path(folder, path.name).read_bytes() == path.read_bytes()
    assert not list(sizes_of_parts(tmp_path))


def test_model_is_downloaded_once_by_two_processes(large: Path, tmp_path: Path) -> None:
    with HubServer({"someone/large": large}) as hub:
        with hub.stalled_after(CHUNK + CHUNK // 2) as is_stalled:
            first = start(FETCH, "someone/large", home=tmp_path, HF_ENDPOINT=hub.url)
            assert is_stalled.wait(60)
            second = start(FETCH, "someone/large", home=tmp_path, HF_ENDPOINT=hub.url)
            assert second.stderr is not None
            waiting = "Another process downloads someone/large; waiting for it."
            assert any(waiting in line for line in second.stderr)
        assert first.communicate(timeout=60)[0] == second.communicate(timeout=60)[0] != ""
        assert sum(path.startswith("/storage/") for path in hub.fetched()) == 2


def test_damaged_download_is_noticed(large: Path, tmp_path: Path) -> None:
    with HubServer({"someone/large": large}) as hub:
        etag = hub.repositories["someone/large"].commits["main"].files["model-1.safetensors"].etag
        part = tmp_path / "hub" / "models--someone--large" / "blobs" / f"{etag}.incomplete"
        part.parent.mkdir(parents=True)
        part.write_bytes(b"not the beginning")
        first, second = fetch("someone/large", "someone/large", home=tmp_path, HF_ENDPOINT=hub.url)
    assert first.startswith("model-1.safetensors of someone/large was damaged on its way")
    assert Path(second).is_dir()


def test_revisions_lie_side_by_side(tmp_path: Path) -> None:
    main, other = CHECKPOINTS / "llama-sharded", CHECKPOINTS / "qwen3"
    with HubServer({"someone/tiny": Repository(main, revisions={"v2": other})}) as hub:
        commits = hub.repositories["someone/tiny"].commits
        names = ("someone/tiny", "someone/tiny v2", f"someone/tiny {commits['v2'].id}", "someone/tiny v3")
        *folders, error = fetch(*names, home=tmp_path, HF_ENDPOINT=hub.url)
    assert error == "someone/tiny has no revision v3 on the hub."
    assert [Path(folder).name for folder in folders] == [commits[name].id for name in ("main", "v2", "v2")]
    for folder, source in ((folders[0], main), (folders[1], other)):
        assert Path(folder, "config.json").read_bytes() == (source / "config.json").read_bytes()
    assert fetch(*names[:3], home=tmp_path, HF_HUB_OFFLINE="1") == folders


def test_gated_model_needs_a_token(tmp_path: Path) -> None:
    gated = Repository(CHECKPOINTS / "llama-sharded", token="hf_good")
    with HubServer({"someone/gated": gated}) as hub:
        page = f"{hub.url}/someone/gated"
        (error,) = fetch("someone/gated", home=tmp_path, HF_ENDPOINT=hub.url, HF_TOKEN="")
        assert error == (
            f"someone/gated asks for its licence to be accepted at {page}; set HF_TOKEN to a token of the "
            "account that did."
        )
        (error,) = fetch("someone/gated", home=tmp_path, HF_ENDPOINT=hub.url, HF_TOKEN="hf_bad")
        assert error == f"someone/gated is not open to the account of HF_TOKEN; ask for access at {page}."
        (folder,) = fetch("someone/gated", home=tmp_path, HF_ENDPOINT=hub.url, HF_TOKEN="hf_good")
        assert Path(folder).is_dir()


def test_missing_model_is_named(tmp_path: Path) -> None:
    with HubServer({}) as hub:
        (error,) = fetch("someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert "neither a folder nor a model on the hub called someone/tiny" in error
    (error,) = fetch("someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
    assert error.startswith(f"someone/tiny is not on this machine, and {hub.url} cannot be reached")
    assert all(way in error for way in ("HTTPS_PROXY", "HF_ENDPOINT", "`tritonchat pull smollm2`"))
    (error,) = fetch("someone/tiny", home=tmp_path, HF_HUB_OFFLINE="1")
    assert error == "someone/tiny is not on this machine, and HF_HUB_OFFLINE forbids to download it."


def test_full_disk_is_refused(large: Path, tmp_path: Path) -> None:
    too_large = Repository(large, sizes={"model-1.safetensors": 2**60})
    with HubServer({"someone/huge": too_large, "someone/large": large}) as hub:
        etag = hub.repositories["someone/large"].commits["main"].files["model-1.safetensors"].etag
        blobs = tmp_path / "hub" / "models--someone--large" / "blobs"
        blobs.mkdir(parents=True)
        (blobs / f"{etag}.incomplete").symlink_to("/dev/full")
        huge, large_one = fetch("someone/huge", "someone/large", home=tmp_path, HF_ENDPOINT=hub.url)
        assert not any("huge" in path for path in hub.fetched())
    assert huge.startswith("someone/huge needs 1073741824.0 GiB on the disk")
    assert "cannot be written" in large_one and "No space left on device" in large_one


def test_files_stay_in_the_cache(tmp_path: Path) -> None:
    """A hub that answers with paths out of the folder, or with a path as the name of a content."""
    with HubServer(
        {"someone/out": CHECKPOINTS / "qwen3", "someone/named": CHECKPOINTS / "llama-float16"}
    ) as hub:
        files = hub.repositories["someone/out"].commits["main"].files
        files |= {f"{out}evil.gguf": files["model.safetensors"] for out in ("../../", "a/../../../", "/tmp/")}
        named = hub.repositories["someone/named"].commits["main"].files["model.safetensors"]
        named.__dict__["etag"] = "../../../../evil"
        models = ("someone/out", "someone/out:evil", "someone/named")
        inside, outside, error = fetch(*models, home=tmp_path / "home", HF_ENDPOINT=hub.url)
    assert Path(inside).is_dir()
    assert outside == "someone/out has no .gguf files, of which :evil could be one."
    assert "names '../../../../evil' as the SHA-256 of model.safetensors" in error
    assert not list(tmp_path.rglob("*evil*"))


def test_mirror_that_tells_no_sizes(tmp_path: Path) -> None:
    mirrored = Repository(CHECKPOINTS / "llama-sharded", tells_sizes=False)
    with HubServer({"someone/tiny": mirrored}) as hub:
        out, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert out.startswith("someone/tiny ["), errors


def test_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.write_text("no folder")
    with HubServer({"someone/tiny": CHECKPOINTS / "llama-sharded"}) as hub:
        for program in (LOAD, FETCH):
            out, errors = run(program, "someone/tiny", home=home, HF_ENDPOINT=hub.url)
            assert f"someone/tiny cannot be written to {home}/hub: Not a directory" in out + errors


def test_repository_without_readable_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    for name in ("config.json", "training_args.bin", "model.pt"):
        (tmp_path / "others" / name).write_text("{}")
    with HubServer({"someone/others": tmp_path / "others"}) as hub:
        (error,) = fetch("someone/others", home=tmp_path, HF_ENDPOINT=hub.url)
        assert not hub.fetched()
    assert "no weights: neither .safetensors nor .gguf files, nor pytorch_model.bin" in error


def write_pickled_model(folder: Path) -> Path:
    """A model with a file of torch.save of 3 MB, most of it a tensor that is not read."""
    folder.mkdir()
    source = CHECKPOINTS / "llama-tied-gqa"
    shutil.copy(source / "config.json", folder)
    stored = SafetensorsFolder(source, rename=str)
    unread = {"model.rotary_emb.inv_freq": np.zeros((750, 1000), np.float32)}
    write_torch(folder / "pytorch_model.bin", {name: np.array(stored[name]) for name in stored} | unread)
    return folder


def test_pickled_model_is_checked_and_run(tmp_path: Path) -> None:
    """Its description is read before it is downloaded, and no other bytes."""
    folder = write_pickled_model(tmp_path / "files")
    (folder / "training_args.bin").write_bytes(b"never read")
    with HubServer({"someone/tiny": folder}) as hub:
        out, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert out.startswith("someone/tiny ["), errors
        size = (folder / "pytorch_model.bin").stat().st_size
        tail, head, *_ = hub.ranges
        assert tail[1] == size and size - tail[0] < 2**17 and head == (0, 2**18)
    names = {path.name for path in tmp_path.glob("hub/models--*/snapshots/*/*")}
    assert names == {"config.json", "pytorch_model.bin"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda data: (DATA / "torch" / "old.bin").read_bytes(), "was written by torch before 1.6"),
        (lambda data: data.replace(b"torch\nFloatStorage", b"os.pa\nFloatStorage"), "'os.pa.FloatStorage'"),
        (lambda data: data[:-1000], "is damaged: it is cut short"),
        (lambda data: b"x" * 5_000_000, "is damaged: it is cut short"),
    ],
)
def test_pickled_model_that_is_refused_is_not_downloaded(
    tmp_path: Path, change: Callable[[bytes], bytes], expected: str
) -> None:
    path = write_pickled_model(tmp_path / "files") / "pytorch_model.bin"
    path.write_bytes(change(path.read_bytes()))
    with HubServer({"someone/tiny": path.parent}) as hub:
        _, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
        assert sum(stop - start for start, stop in hub.ranges) < 2**19
    error = errors.splitlines()[-1]
    assert "someone/tiny is not downloaded, because it cannot be run: someone/tiny/pytorch_model.bin" in error
    assert expected in error
    assert not list(tmp_path.glob("hub/models--*"))


def test_files_of_pickled_models() -> None:
    name, other = HubName("someone/tiny"), ["config.json", "tokenizer.json"]
    shards = [f"pytorch_model-0000{i}-of-00002.bin" for i in (1, 2)]
    index, single = "pytorch_model.bin.index.json", "pytorch_model.bin"
    more = [
        "training_args.bin",
        "optimizer.bin",
        "colbert_linear.pt",
        "onnx/pytorch_model.bin",
        "flax_model.msgpack",
    ]
    assert choose_model_files([*other, single, *more], name) == [*other, single]
    assert choose_model_files([*other, index, *shards, *more], name) == [*other, index, *shards]
    assert choose_model_files([*other, single, *shards], name) == [*other, single]
    assert choose_model_files([*other, single, "model.safetensors"], name) == [*other, "model.safetensors"]
    assert choose_model_files([*other, single, "tiny-Q8_0.gguf"], name) == ["tiny-Q8_0.gguf"]
    inner = ["modules.json", "2_Dense/config.json", "2_Dense/pytorch_model.bin"]
    assert choose_model_files([single, *inner], name) == [inner[0], single, *inner[1:]]
    with pytest.raises(ModelError, match=r"has no \.gguf files, of which :Q8_0 could be one"):
        choose_model_files([*other, single], HubName("someone/tiny", "Q8_0"))


def test_quantization_chooses_gguf_files(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    names = ["tiny-Q4_K_M.gguf", "tiny-Q8_0-00001-of-00002.gguf", "tiny-Q8_0-00002-of-00002.gguf"]
    for name in ["config.json", "README.md", *names]:
        (folder / name).write_text(name)
    with HubServer({"someone/tiny": folder}) as hub:
        url = hub.url
        (only,) = fetch("someone/tiny", home=tmp_path, HF_ENDPOINT=url)
        assert [path.name for path in Path(only).parent.iterdir()] == [names[0]] == [Path(only).name]
        models = ("someone/tiny:q8_0", "someone/tiny:Q8_0", "someone/tiny:Q5_0")
        *split, error = fetch(*models, home=tmp_path, HF_ENDPOINT=url)
        assert [Path(path).name for path in split] == [names[1], names[1]]
        assert sorted(path.name for path in Path(only).parent.iterdir()) == names
        assert error == "someone/tiny: there is no .gguf file of 'Q5_0'; there are Q4_K_M, Q8_0."
    assert fetch("someone/tiny:Q8_0", home=tmp_path, HF_HUB_OFFLINE="1") == split[:1]


def write_huge_model(folder: Path) -> int:
    """A configuration of 4800 billion weights, and the header of their file. Returns the size of the file."""
    sizes = {"hidden_size": 65536, "intermediate_size": 4 * 65536, "num_attention_heads": 1024}
    sizes |= {"num_key_value_heads": 1, "num_hidden_layers": 80, "vocab_size": 256}
    config = {"model_type": "llama", "rms_norm_eps": 1e-5, "max_position_embeddings": 8192, **sizes}
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    tape = write_tape(read_model_config(folder / "config.json", config))
    refs = [weight for linear in products(tape.records) for weight in linear.weights]
    header, end = {}, 0
    for ref in [*refs, *vector_refs(tape.records), tape.embedding]:
        start, end = end, end + 2 * math.prod(ref.shape)
        header[ref.name] = {"dtype": "BF16", "shape": ref.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text)
    return 8 + len(text) + end


def test_model_that_does_not_fit_is_not_downloaded(tmp_path: Path) -> None:
    folder = tmp_path / "huge"
    sizes = {"model.safetensors": write_huge_model(folder)}
    with HubServer({"someone/huge": Repository(folder, sizes=sizes)}) as hub:
        _, errors = run(LOAD, "someone/huge", home=tmp_path, HF_ENDPOINT=hub.url)
        error = errors.splitlines()[-1]
        assert "someone/huge needs 8961.7 GiB of memory (8961.4 GiB for its weights, 0.1 GiB for" in error
        assert error.endswith("it fits with no --weights.")
        assert max(stop for _, stop in hub.ranges) <= 2**18
    for name, size in (("Q2_K", 10), ("Q4_K_M", 2**20), ("Q8_0", 2**43)):
        (folder / f"huge-{name}.gguf").write_bytes(name.encode())
        sizes[f"huge-{name}.gguf"] = size
    with HubServer({"someone/huge": Repository(folder, sizes=sizes)}) as hub:
        _, errors = run(LOAD, "someone/huge", home=tmp_path, HF_ENDPOINT=hub.url)
        assert errors.splitlines()[-1].endswith("; someone/huge:Q4_K_M needs 0.3 GiB.")
    assert not list(tmp_path.glob("hub/models--*"))


def test_model_that_cannot_be_run_is_not_downloaded(large: Path, tmp_path: Path) -> None:
    (large / "config.json").write_text('{"model_type": "bert"}')
    with HubServer({"someone/bert": large}) as hub:
        _, errors = run(LOAD, "someone/bert", home=tmp_path, HF_ENDPOINT=hub.url)
        assert "someone/bert is not downloaded, because it cannot be run: someone/bert/config.json" in errors
        assert max(stop for _, stop in hub.ranges) <= 2**18
    assert not list(tmp_path.glob("hub/models--*"))


def test_gguf_file_of_the_hub_is_run(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    checkpoint = copy_model("qwen3", tmp_path)
    write_model(checkpoint, tmp_path / "files" / "tiny-Q8_0.gguf", quantize=True)
    write_model(checkpoint, tmp_path / "files" / "tiny-F32.gguf")
    with HubServer({"someone/tiny": tmp_path / "files"}) as hub:
        out, errors = run(LOAD, "someone/tiny:Q8_0", home=tmp_path, HF_ENDPOINT=hub.url)
    assert out.startswith("someone/tiny:Q8_0 ["), errors
    assert [path.name for path in tmp_path.glob("hub/models--*/snapshots/*/*")] == ["tiny-Q8_0.gguf"]


def test_model_in_the_layout_of_mistral_is_run(tmp_path: Path) -> None:
    folder = write_mistral_folder("mistral-full", tmp_path / "files")
    with HubServer({"someone/tiny": folder}) as hub:
        out, errors = run(LOAD, "someone/tiny", home=tmp_path, HF_ENDPOINT=hub.url)
    assert out.startswith("someone/tiny ["), errors
    paths = tmp_path.glob("hub/models--*/snapshots/*/*")
    assert sorted(path.name for path in paths) == ["consolidated.safetensors", "params.json"]


@pytest.mark.parametrize("prefix", ["", "hf.co/", "https://huggingface.co/", "HTTPS://hf.co/"])
def test_names_as_pages_write_them(prefix: str) -> None:
    assert parse_name(f"{prefix}someone/tiny") == HubName("someone/tiny")
    assert parse_name(f"{prefix}someone/tiny:Q8_0") == HubName("someone/tiny", "Q8_0")
    if prefix:
        assert parse_name(f"{prefix}someone/tiny/") == HubName("someone/tiny")


@pytest.mark.parametrize(
    "page, name",
    [
        ("tree/main", HubName("someone/tiny")),
        ("tree/v2", HubName("someone/tiny", None, "v2")),
        ("blob/main/config.json", HubName("someone/tiny")),
        ("blob/main/tiny-Q4_K_M.gguf", HubName("someone/tiny", "tiny-Q4_K_M.gguf")),
        (
            "resolve/main/Q8_0/tiny-Q8_0-00002-of-00003.gguf?download=true",
            HubName("someone/tiny", "tiny-Q8_0"),
        ),
    ],
)
def test_pages_stand_for_what_they_show(page: str, name: HubName) -> None:
    assert parse_name(f"https://huggingface.co/someone/tiny/{page}") == name
    assert parse_name(f"hf.co/someone/tiny/{page}", "v3").revision == "v3"


def test_files_of_two_layouts() -> None:
    own = ["params.json", "consolidated.safetensors", "tekken.json"]
    theirs = ["config.json", "model-00001-of-00001.safetensors", "model.safetensors.index.json"]
    name = HubName("someone/tiny")
    assert choose_model_files([*own, "README.md"], name) == own
    assert choose_model_files([*own, *theirs], name) == ["params.json", "tekken.json", *theirs]
    assert choose_model_files(["config.json", *own], name) == ["config.json", *own]


def test_first_names_of_the_hub_stand_for_those_with_an_owner() -> None:
    assert parse_name("gpt2") == HubName("openai-community/gpt2")
    assert parse_name("hf.co/all-mpnet-base-v2") == HubName("sentence-transformers/all-mpnet-base-v2")
    with pytest.raises(ModelError, match="nor a name on the hub"):
        parse_name("gpt3")


def test_invalid_names_do_not_reach_the_network() -> None:
    for name in ("nowhere", "/no/such/folder", "a/b/c", "https://x/y", "a/b:", "a/b:c:d"):
        with pytest.raises(ModelError, match=r"neither a folder nor a file.*`tritonchat list`") as caught:
            fetch_model(name)
        assert name in str(caught.value)


def test_revision_of_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="--revision is for models on the hub"):
        fetch_model(tmp_path, "main")


def test_files_of_sentence_transformers_are_read() -> None:
    read = ["config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"]
    read += ["2_Dense/config.json", "2_Dense/model.safetensors"]
    others = ["2_Dense/pytorch_model.bin", "onnx/config.json", "onnx/model.onnx", "1_Pooling/run.py"]
    assert choose_model_files(read + others, HubName("someone/embedder")) == read
