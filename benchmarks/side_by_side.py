"""Write the table of speed and loss side by side, from what pairs.py and quality.py have measured.

    python benchmarks/side_by_side.py SPEED.json [--loss LOSS.json] GROUP ...

A GROUP is a list of contestants with commas between them, such as `llama.cpp:q8_0,openvino:int8,ours:int8`.
The last one is compared with the others: in brackets stands how many times as fast as the fastest of them it
was, the median over the rounds. The files come from, with the same contestants:

    python benchmarks/pairs.py --shape MODEL.gguf --figures prompt 1 4 16 --json SPEED.json ...
    python benchmarks/quality.py MODEL.gguf auto int8 mixed int4 llama.cpp:file ... --json LOSS.json

`benchmarks/all` runs all three.
"""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from engines import ENGINES, FILE
from pairs import SAMPLED
from peers import format_figure
from worker import PROMPT

Rounds = list[dict[str, float]]  # of each round, the seconds of a token by contestant


def name_figure(figure: str) -> str:
    """The head of the column of a figure of pairs.py."""
    name, _, length = figure.partition(":")
    if name == "prompt":
        return f"prompt of {int(length or PROMPT):,}"
    if name == "sampled":
        return "{streams} requests of {prompt} tokens, {tokens} sampled each".format(**SAMPLED)
    return f"{name} stream{'s' * (name != '1')}" + (f" after {int(length):,} tokens" if length else "")


def name_row(contestant: str) -> str:
    """How the table names a contestant."""
    engine, _, variant = contestant.partition(":")
    known = ENGINES[engine]
    if variant == FILE:
        return f"{known.title}, the file as it is"
    if engine != "ours":
        return f"{known.title}, {known.variants.get(variant, variant.upper())}"
    weights, _, how = variant.partition("/")
    arithmetic, _, cache = how.partition("/")
    words = [known.title, weights]
    if arithmetic not in ("", "auto"):
        words.append(f"arithmetic in {arithmetic}")
    if cache:
        words.append(f"KV cache in {cache}")
    return ", ".join(words)


def name_setting(contestant: str) -> str:
    """What quality.py calls it."""
    return contestant.removeprefix("ours:").replace(FILE, "auto") if "ours:" in contestant else contestant


def format_speed(rounds: Rounds, contestant: str, rivals: list[str]) -> str:
    """Tokens a second, and in brackets the ratio to the fastest rival if there are any."""
    figure = format_figure(1 / statistics.median(each[contestant] for each in rounds))
    if not rivals:
        return figure
    fastest = min(rivals, key=lambda rival: statistics.median(each[rival] for each in rounds))
    ratio = statistics.median(each[fastest] / each[contestant] for each in rounds)
    return f"{figure} ({ratio:.2f})"


def format_row(
    contestant: str, rivals: list[str], speed: dict[str, Rounds], loss: dict[str, Any] | None
) -> str:
    """A row of the table. `loss`: None for a table without it."""
    cells = [format_speed(rounds, contestant, rivals) for rounds in speed.values()]
    if loss is not None:
        lost = loss["loss"]
        change = lost["perplexity_after"] / lost["perplexity_before"] - 1
        cells += [f"{lost['divergence']:.4f}", f"{100 * change:+.2f} %"]
        cells.append(f"{loss['weight_bytes'] / 2**20:.0f} MiB")
    return f"| {' | '.join([name_row(contestant), *cells])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("speed", type=Path)
    parser.add_argument("--loss", type=Path, help="of models with random weights, there is none")
    parser.add_argument("groups", nargs="+", metavar="GROUP")
    args = parser.parse_args()
    speed: dict[str, Rounds] = json.loads(args.speed.read_text())
    losses = {} if args.loss is None else {row["name"]: row for row in json.loads(args.loss.read_text())}
    heads = ["", *map(name_figure, speed)]
    heads += ["KL", "perplexity", "weights"] if losses else []
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for group in args.groups:
        *rivals, ours = group.split(",")
        for contestant in (*rivals, ours):
            others = rivals if contestant == ours else []
            loss = losses[name_setting(contestant)] if losses else None
            print(format_row(contestant, others, speed, loss))


if __name__ == "__main__":
    main()
