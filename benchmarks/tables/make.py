"""Make the measured tables of the README and of docs/, and write them into the pages.

    benchmarks/all --list                        what there is: page, minutes, age, commands
    benchmarks/all --only ladder --only servers  some of them
    benchmarks/all --mark                        say below each table that is older than its code that it is

All are made in one run on one machine. A table whose needs are missing, such as another engine, stays as it
is; the end says which, and the exit status is 1. `--python ENGINE=INTERPRETER` names an interpreter that has
an engine, as for pairs.py.
"""

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from model_core.hub.packaged import packaged_path
from model_core.kernels.emit import HAS_BFLOAT16, INSTRUCTION_SET
from tables import pages
from tables.age import is_old
from tables.registry import TABLES, Table

ENGINE = re.compile(r"(?<![\w./])(llama\.cpp|ik_llama\.cpp|openvino|vllm|ctranslate2)(:[\w/]+)")


def describe_machine() -> str:
    """The processor, as it stands below a table."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = text.partition("model name")[2].partition("\n")[0].strip(" \t:") or "a processor"
    vectors = INSTRUCTION_SET + " with BF16" * HAS_BFLOAT16
    return f"{len(os.sched_getaffinity(0))} cores of {name} ({vectors}), load {os.getloadavg()[0]:.1f}"


def fill_in(command: str, args: argparse.Namespace) -> list[str]:
    """The words of a command, with files, the work folder and interpreters of engines."""
    interpreters = dict(text.split("=", 1) for text in args.python)

    def name_interpreter(found: re.Match[str]) -> str:
        engine = interpreters.get(found[1])
        return found[0] if engine is None else f"{found[0]}={engine}"

    filled = command
    if "side_by_side.py" not in command:  # it compares names, and runs nothing
        filled = ENGINE.sub(name_interpreter, command)
    return shlex.split(filled.format(work=args.work_folder, smollm2=args.smollm2, gemma=args.gemma))


def run_script(words: list[str]) -> str:
    """What a script of benchmarks/ prints. Raises CalledProcessError."""
    paths = [".", "benchmarks", "tests/helpers/models", os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, *words]
    ran = subprocess.run(command, cwd=pages.ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    ran.check_returncode()
    return ran.stdout


def make(table: Table, args: argparse.Namespace) -> None:
    """Run the commands of a table, and write it. Raises CalledProcessError and ValueError."""
    code, outputs = pages.code_digest(table.code), []
    for command in table.commands:
        outputs.append(run_script(fill_in(command, args)))
    (args.work_folder / f"{table.name}.txt").write_text("\n".join(outputs))
    path = pages.ROOT / table.page
    when = f"{datetime.date.today()}, {describe_machine()}"
    text = pages.write_table(
        path.read_text(),
        table.name,
        pages.last_table(outputs[-1]),
        f"benchmarks/all --only {table.name}",
        when,
        code,
    )
    path.write_text(text)


def print_list() -> None:
    """All tables, with the commands that make each."""
    words = {None: "of unknown code", False: "of this code", True: "older than the code"}
    for table in TABLES:
        needs = f"; needs {table.needs}" if table.needs else ""
        print(f"{table.name}: {table.page}, {words[is_old(table)]}, {table.minutes} min{needs}")
        for command in table.commands:
            print(f"    python {command}")


def mark_old() -> None:
    """Write into the pages which tables are older than their code."""
    for table in TABLES:
        path = pages.ROOT / table.page
        path.write_text(pages.set_mark(path.read_text(), table.name, is_old(table) is True))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks/all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [table.name for table in TABLES]
    parser.add_argument(
        "--only", action="append", choices=names, metavar="NAME", help="this table; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="show the tables, and make none")
    parser.add_argument("--mark", action="store_true", help="mark old tables in the pages, and make none")
    parser.add_argument(
        "--work-folder", type=Path, help="keeps models that are made, and what the commands print"
    )
    parser.add_argument(
        "--smollm2", type=Path, default=packaged_path(), help="that of `tritonchat pull smollm2`"
    )
    parser.add_argument("--gemma", type=Path, help="Gemma 3 270M in Q4_K_M, a .gguf file")
    parser.add_argument("--python", action="append", default=[], metavar="ENGINE=INTERPRETER")
    args = parser.parse_args()
    if args.list:
        return print_list()
    if args.mark:
        return mark_old()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        args.work_folder = args.work_folder or Path(folder)
        for table in TABLES:
            if table.name not in (args.only or names):
                continue
            print(f"{table.name}: {table.page} ...", file=sys.stderr, flush=True)
            start = time.monotonic()
            try:
                make(table, args)
                print(f"{table.name}: {(time.monotonic() - start) / 60:.1f} min", file=sys.stderr, flush=True)
            except (subprocess.CalledProcessError, ValueError) as error:
                failed.append(f"{table.name} was not made: {error}")
    for line in failed:
        print(line, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
