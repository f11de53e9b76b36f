"""The measured tables of the pages, with the commands that make them.

A table stands between `<!-- table: NAME -->` and `<!-- end: NAME -->`. In a command, {work} is the work
folder, {smollm2} and {gemma} are files, and a word such as `llama.cpp:q8_0` gets the interpreter of its
engine.
"""

from dataclasses import dataclass

_ENGINE = ("model_core/engine", "model_core/kernels", "model_core/model", "model_core/sampling")
_SERVER = ("triton_server/api", "triton_server/engine", "triton_server/contract", "model_core/engine")
_PAIRS = "benchmarks/pairs.py --work-folder {work} --rounds"
_OF_FILE = "llama.cpp:file,ik_llama.cpp:file,ours:file"
_OF_INT8 = "openvino:int8,llama.cpp:q8_0,ik_llama.cpp:q8_0,ours:int8"
_OF_INT4 = "llama.cpp:q4_0,ik_llama.cpp:q4_0,ours:int4"
_K_M = "llama.cpp:q4_k_m,ik_llama.cpp:q4_k_m,ours:mixed"


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        name: of its marks.
        page: the path of the page.
        commands: run one after the other by this Python; the last one prints the table.
        code: the files and folders that its figures speak of: if one changes, the table is older than it.
        minutes: how long it takes, about.
        needs: what must be there beside this project.
    """

    name: str
    page: str
    commands: tuple[str, ...]
    code: tuple[str, ...] = _ENGINE
    minutes: int = 0
    needs: str = ""


def _side_by_side(name: str, file: str, groups: tuple[str, ...]) -> Table:
    """Speed and loss of a file, as it is and converted by each engine."""
    contestants = " ".join(dict.fromkeys(word for group in groups for word in group.split(",")))
    settings = contestants.replace("ours:file", "auto").replace("ours:", "")
    speed, loss = f"{{work}}/{name}-speed.json", f"{{work}}/{name}-loss.json"
    return Table(
        name,
        "docs/performance.md",
        (
            f"{_PAIRS} 4 --shape {file} --figures prompt 1 4 16 --json {speed} {contestants}",
            f"benchmarks/quality.py {file} {settings} --work-folder {{work}} --json {loss}",
            f"benchmarks/side_by_side.py {speed} --loss {loss} {' '.join(groups)}",
        ),
        minutes=25,
        needs="llama.cpp, ik_llama.cpp, OpenVINO GenAI (benchmarks/engines/requirements.txt), and the file",
    )


def _speed(
    name: str,
    shape: str,
    figures: str,
    groups: tuple[str, ...],
    needs: str,
    *,
    page: str = "docs/performance.md",
    rounds: int = 4,
) -> Table:
    """The speed alone, of a shape with random weights or of a file."""
    contestants = " ".join(dict.fromkeys(word for group in groups for word in group.split(",")))
    result = f"{{work}}/{name}.json"
    return Table(
        name,
        page,
        (
            f"{_PAIRS} {rounds} --shape {shape} --figures {figures} --json {result} {contestants}",
            f"benchmarks/side_by_side.py {result} {' '.join(groups)}",
        ),
        minutes=15,
        needs=needs,
    )


TABLES = (
    Table(
        "ladder",
        "docs/ladder.md",
        ("benchmarks/ladder.py",),
        ("benchmarks/ladder.py", "model_core/kernels/float_blocks.py", "model_core/kernels/blocks.py"),
        minutes=1,
    ),
    Table(
        "servers",
        "docs/scaling.md",
        (
            "benchmarks/replicas/replica_simulation.py --prompt-ms 2.8 --step-ms 24 --row-ms 1.9 "
            "--sizes 3 32 256 --loads 0.6",
        ),
        ("benchmarks/replicas/replica_simulation.py", "triton_server/proxy/affinity.py"),
        minutes=1,
    ),
    Table(
        "conversations",
        "docs/conversations.md",
        ("benchmarks/conversations.py",),
        ("triton_server/conversations",),
        minutes=1,
    ),
    Table("page", "docs/page.md", ("benchmarks/page_load.py",), ("streamlit_client", *_SERVER), minutes=2),
    Table(
        "one-page",
        "docs/page.md",
        ("benchmarks/page_load.py --fast",),
        ("streamlit_client", *_SERVER),
        minutes=2,
    ),
    Table(
        "memory",
        "docs/models.md",
        ("benchmarks/models/recommended.py",),
        ("model_core/recommend", "benchmarks/models/recommended.py"),
        minutes=1,
    ),
    Table(
        "checked",
        "docs/models.md",
        ("benchmarks/models/recommended.py --check {smollm2} {gemma}",),
        ("model_core/recommend", *_ENGINE),
        minutes=2,
        needs="the two files",
    ),
    Table(
        "newest",
        "docs/models.md",
        ("benchmarks/models/newest.py",),
        ("model_core/families", "model_core/model/estimate.py", "benchmarks/models/newest.py"),
        minutes=1,
    ),
    Table(
        "families",
        "docs/models.md",
        ("benchmarks/models/parity.py --table",),
        ("model_core/families", "model_core/kernels", "model_core/model"),
        minutes=2,
    ),
    _speed(
        "tinyllama",
        "tinyllama",
        "prompt 1 16",
        ("llama.cpp:q8_0,ours:int8", "llama.cpp:q4_k_m,ours:mixed", "llama.cpp:q4_0,ours:int4"),
        "llama.cpp",
    ),
    _side_by_side("smollm2", "{smollm2}", (_OF_FILE, _OF_INT8, _K_M, _OF_INT4)),
    Table(
        "readme",
        "README.md",
        (
            "benchmarks/side_by_side.py {work}/smollm2-speed.json --loss {work}/smollm2-loss.json "
            f"{_OF_INT8} {_K_M}",
        ),
        minutes=1,
        needs="the table smollm2, made before it in the same run or work folder",
    ),
    _side_by_side(
        "gemma", "{gemma}", (_OF_FILE, "llama.cpp:q8_0,ik_llama.cpp:q8_0,ours:int8", _OF_INT4, "ours:mixed")
    ),
    _speed("bfloat16", "tinyllama", "prompt 1 4 16", ("vllm:bfloat16,ours:bfloat16",), "vLLM for processors"),
    _speed(
        "engines",
        "tinyllama",
        "prompt 1 4 16",
        ("vllm:bfloat16,ctranslate2:int8,openvino:int8,ours:int8", "ours:int4", "ours:bfloat16"),
        "vLLM for processors, CTranslate2, OpenVINO GenAI",
    ),
    _speed(
        "vocabulary",
        "qwen2.5-0.5b",
        "prompt:2048 sampled",
        ("vllm:bfloat16,openvino:int8,ours:int8",),
        "vLLM for processors, OpenVINO GenAI",
    ),
    _speed(
        "long",
        "{smollm2}",
        "prompt:512 prompt:2048 prompt:6144",
        ("llama.cpp:q8_0,openvino:int8,ours:int8", "ours:int8/auto/float16"),
        "llama.cpp, OpenVINO GenAI, and the file",
        page="docs/speed.md",
        rounds=3,
    ),
)
