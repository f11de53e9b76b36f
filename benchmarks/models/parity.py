"""How closely each model family computes what Hugging Face Transformers does: the table in docs/models.md.

    python benchmarks/models/parity.py [MODEL_TYPE ...]     # print rows of the table
    python benchmarks/models/parity.py --write MODEL_TYPE   # write a row of it
    benchmarks/all --only families                          # make all rows of the table anew

It runs the checkpoints of tests/data/checkpoints, which make_checkpoints.py made with Transformers. Each row
is the worst of the family's checkpoints. A new family needs a checkpoint and nothing else here; the
first column is written by hand afterwards, and kept.
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

from model_core import LLM, SamplingParams
from model_core.families.config import read_config

ROOT = Path(__file__).parents[2]
TABLE, CHECKPOINTS = ROOT / "docs" / "models.md", ROOT / "tests" / "data" / "checkpoints"
HEADER = """\
| models | `model_type` | logits differ by | with int8 weights | equal greedy tokens |
| --- | --- | --- | --- | --- |
"""
_ROWS = re.compile(r"(?:\|.*\n)*")
_ROW = re.compile(r"^\| (?P<models>.*?) \| `(?P<model_type>\w+)` \|.*\n", re.MULTILINE)


def measure_logits(folder: Path, weights: str, arithmetic: str) -> tuple[float, int]:
    """The norm of the logits' error over that of the logits, and how many greedy tokens are equal."""
    expected = np.load(folder / "expected.npz")
    prompt, greedy = expected["prompt"].tolist(), expected["greedy"]
    with LLM(folder, weights=weights, arithmetic=arithmetic) as llm:
        error = np.linalg.norm(llm.logits(prompt) - expected["logits"]) / np.linalg.norm(expected["logits"])
        params = SamplingParams(max_tokens=len(greedy), temperature=0, ignore_eos=True)
        tokens = llm.generate(prompt, params).token_ids
    differs = np.flatnonzero(np.array(tokens) != greedy)
    return float(error), int(differs[0]) if len(differs) else len(greedy)


def make_row(models: str, model_type: str, folders: list[Path]) -> str:
    """A line of the table."""
    stored = [measure_logits(folder, "auto", "float32") for folder in folders]
    int8 = max(measure_logits(folder, "int8", "auto")[0] for folder in folders)
    error, equal = max(error for error, _ in stored), min(equal for _, equal in stored)
    return f"| {models} | `{model_type}` | {error:.0e} | {int8:.1%} | {equal} of 40 |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_types", nargs="*", help="default: all")
    parser.add_argument("--write", action="store_true", help="write the rows to docs/models.md")
    parser.add_argument("--table", action="store_true", help="print the head of the table, too")
    arguments = parser.parse_args()
    folders: dict[str, list[Path]] = defaultdict(list)
    for folder in sorted(CHECKPOINTS.iterdir()):
        folders[read_config(folder)["model_type"]].append(folder)
    page = TABLE.read_text()
    start = page.index(HEADER) + len(HEADER)
    end = _ROWS.match(page, start).end()  # type: ignore[union-attr]  # it matches nothing, too
    models = {match["model_type"]: match["models"] for match in _ROW.finditer(page[start:end])}
    rows = {match["model_type"]: match[0] for match in _ROW.finditer(page[start:end])}
    print(HEADER if arguments.table else "", end="")
    # New rows come last.
    for model_type in arguments.model_types or [*models, *sorted(folders.keys() - models.keys())]:
        row = make_row(models.get(model_type, model_type), model_type, folders[model_type])
        print(row, end="", flush=True)
        rows[model_type] = row
    if arguments.write:
        TABLE.write_text(page[:start] + "".join(rows.values()) + page[end:])


if __name__ == "__main__":
    main()
