"""The command for a file of requests: `tritonchat batch`."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from model_core.errors import TritonchatError

from ..options.flags import FILE, setting_flags
from ..settings.server import LLM_SETTINGS, LocalSettings
from ..system.body_encoding import NO_LIMIT
from ..system.signals import signals_as_interrupts

if TYPE_CHECKING:
    from ..api.batches.results import Results
    from ..engine.models.model_pool import ModelPool

_SHOWN = 10  # wrong lines


@click.command()
@click.argument("file", type=FILE)
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@setting_flags(LocalSettings)
def batch(settings: LocalSettings, file: Path, out: Path) -> None:
    """Answer the requests in FILE, and append a line for each to OUT. No server is needed.

    FILE has a request a line, in the form of OpenAI's batches, for /v1/chat/completions, /v1/completions,
    /v1/embeddings or /v1/responses. OUT has answers and errors in the form of their output files, in the
    order in which they are ready. If the command is ended, in whatever way, the same command goes on: each
    request has one line in the end. The exit status is 1 if a request has failed.
    """
    from ..api.batches.lines import check_lines
    from ..api.batches.results import Results

    total, problems = check_lines(file, NO_LIMIT)
    if problems:
        shown = " ".join(problem.message for problem in problems[:_SHOWN])
        raise TritonchatError(f"{file} cannot be answered: {shown}")
    try:
        results = Results(out, is_own=False)
    except OSError as error:
        raise TritonchatError(f"{out} cannot be written: {error.strerror}.") from error
    try:
        _check_results(file, out, results)
        if sum(results.count()) < total:
            with signals_as_interrupts():
                _answer(settings, file, results, total)
        results.sync()
    except OSError as error:
        raise TritonchatError(f"{out} cannot be written: {error.strerror}.") from error
    finally:
        results.close()
    completed, failed = results.count()
    click.echo(f"{out}: answers: {completed}, errors: {failed}.", err=True)
    if failed:
        sys.exit(1)


def _check_results(file: Path, out: Path, results: "Results") -> None:
    """Raises TritonchatError if OUT has results of requests that FILE does not have."""
    from ..api.batches.lines import parse_line, read_lines

    known = {parse_line(raw, number, NO_LIMIT).custom_id for number, raw in read_lines(file, 0)}
    if others := results.answers.done - known:
        raise TritonchatError(
            f"{out} has results of other requests than {file}, such as {min(others)[:40]!r}; choose another "
            "file."
        )


def _answer(settings: LocalSettings, file: Path, results: "Results", total: int) -> None:
    """Load the model and answer what has no result yet."""
    from tqdm import tqdm

    from model_core.llm.settings import LLMSettings

    from ..engine.models.model_pool import create_pool

    values = {name: getattr(LLMSettings, name) for name in LLM_SETTINGS}
    values |= settings.model_dump(exclude={"model"})
    pool = create_pool([(None, settings.model)], None, values)
    try:
        pool.load_all()
        done = sum(results.count())
        with tqdm(desc="Answering", unit="request", total=total, initial=done) as bar:
            asyncio.run(_run(pool, file, results, bar.update))
    finally:
        pool.close()


async def _run(pool: "ModelPool", file: Path, results: "Results", on_answer: Callable[[], object]) -> None:
    """Let the HTTP service answer, which listens nowhere, and forgets what it stores at the end."""
    from ..api.batches.lines import read_lines
    from ..api.batches.run import BatchRun
    from ..api.batches.share import BatchSlots
    from ..replay.local_service import local_service

    # A body may be longer than in its line, where letters need no escapes.
    largest = 6 * max(len(raw) for _, raw in read_lines(file, 0))
    async with local_service(pool, largest) as (caller, service):
        slots = BatchSlots(service.max_concurrency)
        await BatchRun(file, results, slots, caller.ask, NO_LIMIT).answer_all(on_answer)
