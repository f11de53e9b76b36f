"""The command that says which models fit this machine: `tritonchat recommend`."""

import json
from dataclasses import asdict

import click

from model_core.errors import TritonchatError

from ..options.flags import Readable
from ..settings.values import read_size
from ..system.program import called
from ..system.signals import signals_as_interrupts

# Kernels are imported by the command itself: the processes of other commands must stay small.


@click.command()
@click.option("--memory", type=Readable("SIZE", read_size), help="Of another machine, such as 16GiB.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def recommend(memory: int | None, as_json: bool) -> None:
    """Print three published models that fit the free memory, with the flag and the speed to expect.

    It measures for some seconds how fast this machine reads its memory and computes, and asks no network.
    """
    from tqdm import tqdm

    from model_core.machine.resources import available_memory, default_threads, total_memory
    from model_core.model.estimate import gibibytes
    from model_core.recommend.choice import find_room, fits_any, recommend
    from model_core.recommend.limits import measure_machine
    from model_core.recommend.measured import store_machine
    from model_core.recommend.speed import PROMPT
    from model_core.recommend.words import describe

    room = find_room(total_memory(), available_memory()) if memory is None else find_room(memory, memory)
    whose = "free for a model" if memory is None else "for a model"
    if not fits_any(room):
        raise TritonchatError(
            f"There are {gibibytes(room)} {whose}, which is too little for each of the list; the embedded "
            f"one fits: {called()} up"
        )
    threads = default_threads(2**30)
    bar = tqdm(total=3, desc="Measuring this machine", bar_format="{desc} {bar} {elapsed}", leave=False)
    with signals_as_interrupts(), bar:
        machine = measure_machine(threads, bar.update)
    store_machine(machine)
    found = recommend(machine, room)
    if as_json:
        models = [asdict(one.model) | {"speed": asdict(one.speed)} for one in found]
        return click.echo(json.dumps({"room": room, "machine": asdict(machine), "models": models}, indent=2))
    click.echo(
        f"This machine reads {machine.bandwidth / 1e9:.0f} GB/s and computes {machine.arithmetic / 1e9:.0f} "
        f"billion operations a second ({threads} threads).\nThere are {gibibytes(room)} {whose}:"
    )
    for one in found:
        click.echo(f"\n{describe(one.model, one.speed, called())}")
    click.echo(
        f"\nSpeeds are tokens a second to expect, of a prompt of {PROMPT} tokens and of one answer; "
        f"`{called()} bench --model ...` measures them."
    )
