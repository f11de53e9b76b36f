"""Files of torch.save are read without torch, and nothing that they name is run."""

import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch_writer as w
from paths import DATA, PYTHONPATH

from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import BFLOAT16, SafetensorsFolder, write_safetensors

NUMBERS = np.arange(6, dtype=np.float32)
STORED = {"0": NUMBERS.tobytes()}
MUTATIONS = int(os.environ.get("FUZZ_FOLDERS", "200")) * 5


def opened(path: Path, data: bytes) -> SafetensorsFolder:
    (path / "pytorch_model.bin").write_bytes(data)
    return SafetensorsFolder(path, rename=str)


def state(**tensors: bytes) -> bytes:
    return w.archive(w.program(w.ordered(tensors)), STORED)


def test_files_of_torch_are_read(tmp_path: Path) -> None:
    """Tied parameters, views, buffers, scalars, empty tensors, all protocols."""
    expected = np.load(DATA / "torch" / "expected.npz")
    for file in ("module", "module-5", "views"):
        source = opened(tmp_path, (DATA / "torch" / f"{file}.bin").read_bytes())
        names = [name.partition(":")[2] for name in expected if name.startswith(f"{file}:")]
        assert sorted(source) == sorted(names)
        for name in names:
            array = expected[f"{file}:{name}"]
            if source.dtype(name) in ("BOOL", "F64", "I16"):  # of buffers, which no model reads
                assert source.shape(name) == array.shape
                continue
            assert source[name].shape == array.shape
            assert not (array.size and source[name].flags.writeable)
            assert source[name].flags.aligned
            np.testing.assert_array_equal(source[name].astype(array.dtype), array)
    assert source["bfloat16"].dtype == BFLOAT16
    assert sum("bn.num_batches_tracked" in name for name in expected) == 2


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("old", r"written by torch before 1\.6.*save it again with a newer torch"),
        ("transposed", r"'t' as a view .*strides \(1, 4\).*\.contiguous\(\)"),
        ("expanded", r"'t' as a view .*strides \(0, 1\)"),
        ("column", r"'t' as a view .*strides \(4,\)"),
        ("training", r"dict with the name 'state_dict', not a tensor.*checkpoint of a training"),
        ("whole", r"names '__main__\.Module', which the weights of a model do not need"),
        ("tensor", "a tensor instead of a dict of tensors"),
        ("sparse", r"_rebuild_sparse_tensor"),
        ("complex", "ComplexFloatStorage"),
        ("script", "compressed"),
    ],
)
def test_other_files_of_torch_are_refused_by_name(tmp_path: Path, file: str, expected: str) -> None:
    with pytest.raises(ModelError, match=expected) as refused:
        opened(tmp_path, (DATA / "torch" / f"{file}.bin").read_bytes())
    assert str(tmp_path / "pytorch_model.bin") in str(refused.value)


# Each would create a file called RUN if the pickle were run.
SHELL = w.text("touch RUN")
POSIX = w.name("posix", "system")
ATTACKS = {
    "os.system": w.call(w.name("os", "system"), SHELL),
    "posix.system": w.call(POSIX, SHELL),
    "subprocess": w.call(w.name("subprocess", "Popen"), w.text("touch RUN"), w.number(-1), b"N", b"N"),
    "eval": w.call(w.name("builtins", "eval"), w.text("open('RUN', 'w')")),
    "old eval": w.call(w.name("__builtin__", "eval"), w.text("open('RUN', 'w')")),
    "import": w.call(w.name("builtins", "__import__"), w.text("antigravity")),
    "open": w.call(w.name("io", "open"), w.text("RUN"), w.text("w")),
    "getattr": w.call(w.name("builtins", "getattr"), w.name("torch", "os"), w.text("system")),
    "in a module of torch": w.call(w.name("torch", "os.system"), SHELL),
    "in collections": w.call(w.name("collections", "OrderedDict.fromkeys"), SHELL),
    "in torch._utils": w.call(w.name("torch._utils", "sys.modules"), SHELL),
    "code of torch.load": w.call(w.name("torch.serialization", "load"), w.text("RUN")),
    "from the stack": w.text("posix") + w.text("system") + b"\x93" + w.row(SHELL) + b"R",
    "by INST": b"(" + SHELL + b"iposix\nsystem\n",
    "by OBJ": b"(" + POSIX + SHELL + b"o",
    "by NEWOBJ": POSIX + w.row(SHELL) + b"\x81",
    "by NEWOBJ_EX": POSIX + w.row(SHELL) + w.ordered() + b"\x92",
    "by an extension": b"\x82\x01" + w.row(SHELL) + b"R",
    "by BUILD": w.name("collections", "OrderedDict") + w.ordered({"__setstate__": POSIX}) + b"b",
    "by a key that is called": w.ordered() + w.call(POSIX, SHELL) + w.number(1) + b"s",
    "as a place": w.row(w.text("storage"), POSIX, w.text("0"), w.text("cpu"), w.number(6)) + b"Q",
    "by a text id": b"Posix.system\n",
    "as a dict": w.call(w.name("collections", "OrderedDict"), w.row(w.row(SHELL, POSIX))),
    "as hooks": w.call(
        w.name("torch._utils", "_rebuild_tensor_v2"),
        *(w.storage(), w.number(0), w.row(w.number(6)), w.row(w.number(1)), b"\x89", w.call(POSIX, SHELL)),
    ),
    "another way to make tensors": w.call(w.name("torch._utils", "_rebuild_tensor_v3"), w.storage()),
    "a class of tensors": w.call(w.name("torch._tensor", "_rebuild_from_type_v2"), POSIX, SHELL),
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("place", ["alone", "as a tensor", "as an attribute", "before the end"])
def test_pickles_that_run_code_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    body = {
        "alone": ATTACKS[attack],
        "as a tensor": w.ordered({"a": w.tensor(), "b": ATTACKS[attack]}),
        "as an attribute": w.ordered({"a": w.tensor()}) + w.ordered({"x": ATTACKS[attack]}) + b"b",
        "before the end": ATTACKS[attack] + w.ordered({"a": w.tensor()}),
    }[place]
    with pytest.raises(ModelError) as refused:
        opened(tmp_path, w.archive(w.program(body), STORED))
    assert str(refused.value).startswith(f"{tmp_path / 'pytorch_model.bin'} ")
    assert len(str(refused.value).splitlines()) == 1 and len(str(refused.value)) < 600
    assert os.listdir(tmp_path) == ["pytorch_model.bin"]


# Prints what Python's audit hooks see while files are read. The module pickletools imports pickle itself.
WATCH = """
import mmap, sys
from pathlib import Path
from model_core.errors import ModelError
from model_core.files.torch_file import read_entries
seen, watches = set(), False
def hook(event, arguments):
    if watches and event.startswith(("pickle", "os.system", "subprocess", "exec", "compile", "import")):
        seen.add(event)
sys.addaudithook(hook)
for path in sorted(Path(sys.argv[1]).iterdir()):
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        watches = True
        try:
            print(path.name, *read_entries(path, data))
        except ModelError:
            print(path.name, "refused")
        watches = False
print(*seen)
"""


def test_nothing_is_imported_or_run(tmp_path: Path) -> None:
    for number, attack in enumerate([*ATTACKS.values(), b""]):
        body = w.ordered({"a": w.tensor()} | ({"b": attack} if attack else {}))
        (tmp_path / f"{number:02}.bin").write_bytes(w.archive(w.program(body), STORED))
    arguments = [sys.executable, "-c", WATCH, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": PYTHONPATH}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120)
    count = len(ATTACKS)
    expected = [*(f"{number:02}.bin refused" for number in range(count)), f"{count:02}.bin a", ""]
    assert done.stdout.splitlines() == expected, done.stderr


# Tuples of which each has the one before twice: written out, the last has 2**60 values.
TWICE = b"()q\x00" + b"".join(b"h%ch%c\x86q%c" % (i, i, i + 1) for i in range(60)) + b"t"
VIEWS: dict[str, tuple[bytes, str]] = {
    "negative strides": (w.tensor(strides=(-3, 1)), "errors"),
    "negative sizes": (w.tensor(shape=(-2, 3)), "errors"),
    "negative offset": (w.tensor(offset=-1), "errors"),
    "sizes that are flags": (w.tensor().replace(w.number(2), b"\x88"), "errors"),
    "offset past the end": (w.tensor(offset=1), "'a' is larger than its storage"),
    "offset beyond 64 bits": (w.tensor(offset=2**64), "errors"),
    "offset near 64 bits": (w.tensor(offset=2**63 - 1), "'a' is larger than its storage"),
    "sizes that overflow": (w.tensor(shape=(2**32, 2**32)), "'a' is larger than its storage"),
    "sizes that overflow to a few": (w.tensor(shape=(2**62 + 1, 4)), "'a' is larger than its storage"),
    "transposed": (w.tensor(shape=(3, 2), strides=(1, 3)), r"'a' as a view"),
    "overlapping": (w.tensor(shape=(2, 3), strides=(1, 1)), r"'a' as a view"),
    "too many sizes": (w.tensor(shape=(1,) * 65, strides=(1,) * 65), "errors"),
    "more sizes than strides": (w.tensor(shape=(1, 6), strides=(1,)), "errors"),
    "no storage": (w.tensor(stored=w.text("0")), "errors"),
    "no such storage": (w.tensor(w.storage("1")), "no numbers of 'a'"),
    "storage outside": (w.tensor(w.storage("../byteorder")), "no numbers of 'a'"),
    "storage of another size": (w.tensor(w.storage(count=7)), "the numbers of 'a' have another size"),
    "storage of another type": (w.tensor(w.storage(kind="LongStorage")), "another size"),
    "storage of no type": (w.tensor(w.storage(kind="UntypedStorage")), "UntypedStorage"),
    "storage of 2**70 numbers": (w.tensor(w.storage(count=2**70)), "errors"),
    "values twice": (TWICE, "a value of the type tuple with the name 'a', not a tensor"),
    "shape of values twice": (w.tensor().replace(w.number(2), TWICE), "errors"),
    "number": (w.number(5), "a value of the type int with the name 'a'"),
    "nothing": (b"N", "nothing with the name 'a'"),
    "a storage": (w.storage(), "a storage with the name 'a'"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_tensors_outside_their_storage_are_refused(tmp_path: Path, name: str) -> None:
    written, expected = VIEWS[name]
    with pytest.raises(ModelError, match=expected) as refused:
        opened(tmp_path, state(a=written))
    assert len(str(refused.value)) < 600


PICKLES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "cut short"),
    "no end": (b"\x80\x02}", "cut short"),
    "two values": (w.program(b"}}"), "errors"),
    "nothing": (b"\x80\x02.", "errors"),
    "a list": (w.program(b"]"), "EMPTY_LIST"),
    "unknown instruction": (w.program(b"\xff"), "errors"),
    "text of 4 GB": (b"\x80\x02X\xff\xff\xff\xff abc", "cut short"),
    "text of 4 EiB": (b"\x80\x04\x8d" + struct.pack("<Q", 2**62) + b"abc", "cut short"),
    "text of 16 EiB": (b"\x80\x04\x8d" + b"\xff" * 8, "cut short"),
    "bytes of 4 EiB": (b"\x80\x04\x8e" + struct.pack("<Q", 2**62) + b"abc", "cut short"),
    "number of 2 GB": (b"\x80\x02\x8b\xff\xff\xff\x7f", "cut short"),
    "frame of 16 EiB": (w.program(b"\x95" + b"\xff" * 8 + b"}N"), "errors"),
    "decimal number": (w.program(b"I" + b"9" * 100_000 + b"\n"), "INT|errors"),
    "marks": (b"\x80\x02" + b"(" * 10_000_000, "too long or too deep"),
    "tuples in tuples": (b"\x80\x02)" + b"\x85" * 10_000_000, "too long or too deep"),
    "dicts": (b"\x80\x02" + b"}" * 10_000_000, "too long or too deep"),
    "dicts in marks": (b"\x80\x02" + (b"(" + b"}" * 19_000) * 200, "too long or too deep"),
    "memo": (b"\x80\x02}" + b"".join(b"r" + struct.pack("<I", i) for i in range(3_000_000)), "too long or"),
    "17 MB": (b"\x80\x02" + w.text("a" * 17_000_000), "too long"),
    "memo that is empty": (w.program(b"h\x05"), "errors"),
    "marks that are missing": (w.program(b"t"), "errors"),
    "stack that is empty": (w.program(b"\x86"), "errors"),
    "an odd number of values": (w.program(w.ordered() + b"(" + w.text("a") + b"u"), "errors"),
    "keys that are no texts": (w.program(b"}(" + TWICE + w.tensor() + b"u"), "errors"),
    "keys that are classes": (w.program(b"}" + w.name("torch", "HalfStorage") + w.tensor() + b"s"), "errors"),
    "a dict in itself": (w.program(b"}q\x00" + w.text("a") + b"h\x00s"), "dict with the name 'a'"),
    "two descriptions": (
        w.program(
            w.ordered({"a": w.tensor(), "b": w.tensor(w.storage(kind="IntStorage"), (6,), (1,))}),
        ),
        "storage '0' has two descriptions",
    ),
    "names of 300 MB": (w.program(w.ordered({"\ud800" * 100_000: b"N"})), "nothing with the name"),
}


# Reads files with at most 300 MB more than the process has when it begins.
LIMITED = """
import json, mmap, resource, sys
from pathlib import Path
from model_core.errors import ModelError
from model_core.files.torch_file import read_entries
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 300 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (used, used))
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        with path.open("rb") as file:
            print(list(read_entries(path, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))))
    except ModelError as error:
        print(error)
"""


def test_hostile_pickles_take_little_memory(tmp_path: Path) -> None:
    for number, (data, _) in enumerate(PICKLES.values()):
        (tmp_path / f"{number:02}.bin").write_bytes(w.archive(data, STORED))
    arguments = [sys.executable, "-c", LIMITED, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": PYTHONPATH}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=240)
    lines = done.stdout.splitlines()
    assert len(lines) == len(PICKLES), done.stderr
    for number, (line, (name, (_, expected))) in enumerate(zip(lines, PICKLES.items(), strict=True)):
        assert line.startswith(str(tmp_path / f"{number:02}.bin")), name
        assert re.search(expected, line) and len(line) < 600, (name, line)


def change(data: bytes, mark: bytes, offset: int, value: bytes, which: int = -1) -> bytes:
    """Write bytes behind the first or the last place of a mark."""
    place = (data.find(mark) if which == 0 else data.rfind(mark)) + offset
    assert place >= offset
    return data[:place] + value + data[place + len(value) :]


def compressed() -> bytes:
    """A file whose storage would be 100 MB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as records:
        records.writestr("archive/data.pkl", w.program(w.ordered({"a": w.tensor()})))
        with records.open("archive/data/0", "w") as record:
            for _ in range(100):
                record.write(bytes(10**6))
    return file.getvalue()


def twice(name: str) -> bytes:
    file = io.BytesIO(state(a=w.tensor()))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(file, "a") as records:
        records.writestr(name, b"other")
    return file.getvalue()


def other_archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as records:
        records.writestr("word/document.xml", b"<a/>")
    return file.getvalue()


FINE = state(a=w.tensor())
LISTED, END = b"PK\1\2", b"PK\5\6"
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "cannot be read"),
    "text": (lambda: b"{}", "cut short, or not written by torch"),
    "a web page": (lambda: b"<!DOCTYPE html>" * 99, "cut short, or not written by torch"),
    "a pickle": (lambda: w.program(w.call(POSIX, SHELL)), "cut short, or not written by torch"),
    "another archive": (other_archive, "no data.pkl"),
    "cut": (lambda: FINE[:-30], "cut short"),
    "zip bomb": (compressed, "compressed"),
    "compressed pickle": (
        lambda: w.archive(w.program(b"}"), {}, zipfile.ZIP_DEFLATED),
        "compressed",
    ),
    "encrypted": (lambda: change(FINE, LISTED, 8, b"\1"), "encrypted"),
    "two records of a name": (lambda: twice("archive/data/0"), "two records called 'archive/data/0'"),
    "two pickles": (lambda: two_pickles(), "no data.pkl, or several"),
    "record outside": (lambda: change(FINE, LISTED, 42, b"\xf0\xff\xff\xff"), "outside"),
    "record without a header": (lambda: change(FINE, LISTED, 42, struct.pack("<I", 10), 0), "cut short"),
    "record of 4 GB": (lambda: change(FINE, LISTED, 20, b"\xf0\xff\xff\xff" * 2), "outside"),
    "size that is not said": (lambda: change(FINE, LISTED, 20, b"\xff" * 8), "no size of one"),
    "list past the end": (lambda: change(FINE, END, 16, b"\xf0\xff\xff\xff"), "list of records"),
    "list of 4 GB": (lambda: change(FINE, END, 12, b"\xf0\xff\xff\xff"), "list of records"),
    "list that is cut": (lambda: change(FINE, LISTED, 28, b"\xff\xff"), "list of records is cut short"),
    "other byte order": (lambda: FINE.replace(b"little", b"bigger"), "byte order"),
    "end in a comment": (
        lambda: change(FINE, END, 20, b"\x16\0") + END + b"\xff" * 18,
        "list of records",
    ),
    "end of a large archive far away": (
        lambda: (
            FINE[: FINE.rfind(END)] + struct.pack("<4sIQI", b"PK\6\7", 0, 2**63, 1) + FINE[FINE.rfind(END) :]
        ),
        "cut short",
    ),
}


def two_pickles() -> bytes:
    file = io.BytesIO(FINE)
    with zipfile.ZipFile(file, "a") as records:
        records.writestr("other/data.pkl", w.program(b"}"))
    return file.getvalue()


@pytest.mark.parametrize("name", ARCHIVES)
def test_hostile_archives_are_refused(tmp_path: Path, name: str) -> None:
    make, expected = ARCHIVES[name]
    with pytest.raises(ModelError, match=expected) as refused:
        opened(tmp_path, make())
    assert len(str(refused.value).splitlines()) == 1


def test_storage_whose_header_is_damaged_is_named_when_it_is_read(tmp_path: Path) -> None:
    """Headers lie between the numbers, so that opening a file does not read them all."""
    place = FINE.index(b"archive/data/0") - 30
    assert FINE[place : place + 4] == b"PK\3\4"
    for damaged in (
        FINE[:place] + b"xx" + FINE[place + 2 :],
        FINE[: place + 26] + b"\xff" * 4 + FINE[place + 30 :],
    ):
        source = opened(tmp_path, damaged)
        with pytest.raises(ModelError, match="is damaged"):
            source["a"]


def test_tensors_lie_in_the_file(tmp_path: Path) -> None:
    source = opened(tmp_path, state(a=w.tensor(), b=w.tensor(shape=(2,), strides=(1,), offset=4)))
    assert source["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert source["b"].tolist() == [4, 5]
    assert source.size("b") == 8 and source.dtype("b") == "F32"
    assert source.files() == [tmp_path / "pytorch_model.bin"]


def test_large_archives_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers above 4 GB are in other fields; here they are there from 10 bytes on."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    data = state(a=w.tensor())
    assert b"PK\6\6" in data and b"PK\6\7" in data and data.count(b"\xff" * 8) > 2
    assert opened(tmp_path, data)["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_names_with_unprintable_characters_are_escaped(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'\\n\\ud800' as a view") as refused:
        opened(tmp_path, w.archive(w.program(w.ordered({"\n\ud800": w.tensor(strides=(1, 1))})), STORED))
    str(refused.value).encode()


def test_safetensors_are_preferred(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"never read")
    write_safetensors(tmp_path / "model.safetensors", {"a": NUMBERS})
    assert Checkpoint(tmp_path)["a"].tolist() == NUMBERS.tolist()


def test_shards_are_read_by_their_index(tmp_path: Path) -> None:
    names = [f"pytorch_model-0000{i}-of-00002.bin" for i in (1, 2)]
    for file, key in zip(names, "ab", strict=True):
        w.write_torch(tmp_path / file, {key: NUMBERS, "unused": NUMBERS})
    index = tmp_path / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": {"a": names[0], "b": names[1]}}))
    source = Checkpoint(tmp_path)
    assert sorted(source.places()) == ["a", "b"] and source["b"].tolist() == NUMBERS.tolist()
    index.write_text(json.dumps({"weight_map": {"c": names[0]}}))
    with pytest.raises(ModelError, match="the index says that it holds 'c'"):
        Checkpoint(tmp_path)
    (tmp_path / names[0]).unlink()
    with pytest.raises(ModelError, match=f"'{names[0]}' is missing"):
        Checkpoint(tmp_path)


PIECES = [
    *(
        b"(",
        b")",
        b"}",
        b"]",
        b"t",
        b"u",
        b"s",
        b"b",
        b"R",
        b"Q",
        b"N",
        b"0",
        b"2",
        b"\x85",
        b"\x86",
        b"\x88",
    ),
    *(b"h\x00", b"q\x00", b"\x94", b"\x93", b"\x81", b"J\xff\xff\xff\xff", b"K\x07", b"\x8a\x01\x80", POSIX),
    *(w.text("0"), w.text("a"), w.number(2**62), w.number(0), w.storage(), w.tensor(), w.ordered(), w.row()),
    *(w.name("torch", "HalfStorage"), w.name("torch._utils", "_rebuild_parameter"), b"X\xff\xff\xff\xff"),
]


def mutate(chance: random.Random, data: bytes) -> bytes:
    """Change, remove, add or move some bytes; mostly few."""
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        place, kind = chance.randrange(len(data) + 1), chance.randrange(7)
        length = chance.choice((1, 1, 2, 4, 8, 40))
        if kind < 2:
            new = bytes(chance.choice((0, 1, 127, 128, 255, chance.randrange(256))) for _ in range(length))
            data = data[:place] + new + data[place + length :]
        elif kind == 2:
            data = data[:place] + data[place + length :]
        elif kind == 3:
            data = data[:place] + data[max(0, place - length) : place] + data[place:]
        elif kind == 4 and chance.random() < 0.2:
            data = data[:place]
        else:
            data = data[:place] + chance.choice(PIECES) + data[place:]
    return data


@pytest.mark.timeout(120 + MUTATIONS / 5)
def test_mutated_files_are_refused_or_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FUZZ_FOLDERS=6000 tries 30,000."""
    monkeypatch.chdir(tmp_path)
    path, outcomes = tmp_path / "pytorch_model.bin", {"read": 0, "refused": 0}
    tied = NUMBERS.reshape(2, 3)
    w.write_torch(path, {"a": tied, "b": tied, "c": np.arange(4, dtype=np.int64), "d": np.float16(7) * tied})
    torch_made = [(DATA / "torch" / f"{name}.bin").read_bytes() for name in ("module", "module-5", "views")]
    bases = [path.read_bytes(), *torch_made]
    for number in range(MUTATIONS):
        chance = random.Random(number)
        data = chance.choice(bases)
        if chance.random() < 0.6:  # the pickle, in a sound archive
            with zipfile.ZipFile(io.BytesIO(data)) as records:
                pickled = next(name for name in records.namelist() if name.endswith("/data.pkl"))
                parts = {n.rpartition("/")[2]: records.read(n) for n in records.namelist() if "/data/" in n}
                data = w.archive(mutate(chance, records.read(pickled)), parts)
        else:
            data = mutate(chance, data)
        path.write_bytes(data)
        try:
            source = SafetensorsFolder(tmp_path, rename=str)
            for name in source:
                if source.dtype(name) not in ("BOOL", "F64", "I16"):
                    source[name].sum()
            outcomes["read"] += 1
        except ModelError as error:
            message = str(error)
            assert message.startswith(str(path)), (number, message)
            assert len(message) < 1000 and len(message.splitlines()) == 1, (number, message)
            message.encode()
            outcomes["refused"] += 1
        assert os.listdir(tmp_path) == ["pytorch_model.bin"], number
    assert min(outcomes.values()) > MUTATIONS / 40, outcomes
