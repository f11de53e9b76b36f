"""Load damaged model folders, or damaged GGUF files, and ask each for a short answer.

    PYTHONPATH=.:tests/helpers/models python tests/model_core/files/fuzz_folders.py FIRST LAST MEMORY WHAT

Each number is a damage; the same number always makes the same damage. For each one a line of JSON is printed:
{"number", "what", "outcome"}. `outcome` is "answered", "refused: " and the reason, or a fault of the program.
`fuzz` runs this program in a process with limits of memory and time.
"""

import contextlib
import json
import os
import queue
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import damaged_folders
import damaged_gguf
import damaged_layouts
import numpy as np
from paths import PYTHONPATH

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, TritonchatError

CASE_S = 30.0  # far more than any damage may take
MEMORY = 2**30  # bytes of address space beyond what the process has when it begins
MAX_MESSAGE = 1000
REFUSED = "refused: "


@dataclass(frozen=True)
class Result:
    """The outcome of loading a damaged model: "answered", "refused: " and the reason, or what went wrong."""

    number: int
    what: str
    outcome: str

    @property
    def kind(self) -> str:
        """One of answered, refused and fault."""
        if self.outcome == "answered":
            return "answered"
        return "refused" if self.outcome.startswith(REFUSED) else "fault"


def examine(folder: Path) -> str:
    """Load a folder or a file and ask it for a short answer. Returns an outcome as in `Result`."""
    loaded = False
    try:
        with LLM(folder, threads=1, kv_cache_memory=2**22, max_concurrency=2) as llm:
            loaded = True
            json.dumps(llm.describe(), allow_nan=False).encode()
            if not llm.model.has_head:
                llm.embed([[1, 2], [3]] if llm.tokenizer is None else ["th ab", "Straße"])
                return "answered"
            if not np.isfinite(llm.logits([1, 2])).all():
                return "its logits are infinite or not a number"
            params = SamplingParams(max_tokens=3)
            llm.generate([1, 2, 3], params)
            if llm.tokenizer is not None:
                with contextlib.suppress(InvalidRequest):  # ids beyond the vocabulary
                    llm.generate("th ab", params).text.encode()
                llm.chat([{"role": "user", "content": "ab <|end|>"}], params).text.encode()
        return "answered"
    except TritonchatError as error:
        return _judge(str(error), folder if not loaded else None)
    except BaseException:
        return traceback.format_exc()


def _judge(message: str, folder: Path | None) -> str:
    """Check that an error is one clear sentence. While loading, it must name the folder or a file in it."""
    names = [] if folder is None else [folder.name]
    if folder is not None and folder.is_dir():
        names += ["config.json", *(path.name for path in folder.iterdir())]
    if len(message) > MAX_MESSAGE or len(message.splitlines()) != 1:
        return f"not one clear sentence: {message[:2000]}"
    try:
        message.encode()
    except UnicodeEncodeError:
        return f"cannot be printed: {message!r}"
    if names and not any(name in message for name in names):
        return f"names no file: {message}"
    return REFUSED + message


def fuzz(first: int, last: int, memory: int = MEMORY, what: str = "folders") -> Iterator[Result]:
    """Try the damages `first` to `last - 1` in processes with limits. One that ends or hangs is a fault."""
    while first < last:
        process = subprocess.Popen(
            [sys.executable, __file__, str(first), str(last), str(memory), what],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # With one arena: each new thread may reserve 128 MiB of addresses for its own, or share one.
            env=os.environ | {"PYTHONPATH": PYTHONPATH, "MALLOC_ARENA_MAX": "1"},
        )
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert process.stdout is not None
        reader = threading.Thread(target=_forward, args=(process.stdout.readline, lines.put), daemon=True)
        reader.start()
        try:
            while first < last:
                # The first needs time to import, and to compile kernels on a new machine.
                line = lines.get(timeout=300 if first == last else CASE_S + 60)
                if not line:
                    yield Result(first, "", f"the process ended, exit status {process.wait()}")
                    first += 1
                    break
                result = Result(**json.loads(line))
                first = result.number + 1
                yield result
        except queue.Empty:
            yield Result(first, "", "it hangs")
            first += 1
        finally:
            process.kill()
            process.wait()


def _forward(read: Callable[[], str], put: Callable[[str], None]) -> None:
    """Pass lines on, and an empty one at the end."""
    while line := read():
        put(line)
    put("")


def main() -> None:
    first, last, memory = map(int, sys.argv[1:4])
    is_gguf, is_layout = sys.argv[4] == "gguf", sys.argv[4] == "layouts"
    out = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory() as temporary:
        bases = damaged_folders.make_bases(Path(temporary))
        for base in dict.fromkeys(bases):  # kernels that are not compiled yet need more than the limit
            examine(base)
        files = damaged_gguf.make_bases(Path(temporary), bases[0])
        layouts = damaged_layouts.make_bases(Path(temporary))
        if memory:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        for number in range(first, last):
            path = Path(temporary) / (f"model-{number}.gguf" if is_gguf else f"model-{number}")
            if is_gguf:
                what = damaged_gguf.damage(number, files, path)
            elif is_layout:
                what = damaged_layouts.damage(number, layouts, path)
            else:
                what = damaged_folders.damage(number, bases, path)
            print(json.dumps(vars(Result(number, what, examine(path)))), file=out, flush=True)
            path.unlink() if is_gguf else shutil.rmtree(path)


if __name__ == "__main__":
    main()
