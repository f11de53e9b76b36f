"""Which operations compute all rows of a step, and which only those that need logits."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from . import operations
from .operations import Record
from .passes import is_of_all_rows, place_of_taking
from .references import Span

# Operations of which each row reads that row alone, and not its position.
_BY_ROW = (
    *(operations.Norm, operations.Center, operations.Linear, operations.HeadLinear, operations.Permute),
    *(operations.Add, operations.Scale, operations.Softcap, operations.Gate, operations.Map),
    *(operations.XIELU, operations.Sinkhorn, operations.Dot, operations.Join),
    *(operations.Route, operations.Experts),
)


def take_rows_early(records: Sequence[Record], handed_on: Span | None = None) -> list[Record]:
    """The records with the rows that need logits taken as soon as no row reads others any more.

    That is behind the attention of the last layer: its other products are then computed for these rows
    alone. Each row keeps its bits. handed_on: a span that the tape gives to others, which stays what it is.
    """
    taken = place_of_taking(records)
    if taken == len(records):
        return list(records)
    of_all_rows = handed_on.buffer if handed_on is not None and is_of_all_rows(records, handed_on) else None
    first = taken
    while first > 0 and isinstance(records[first - 1], _BY_ROW):
        if _output(records[first - 1]).buffer == of_all_rows:
            break
        first -= 1
    part, take = records[first:taken], records[taken]
    assert isinstance(take, operations.TakeRows)
    if not any(isinstance(record, operations.Linear | operations.Experts) for record in part):
        return list(records)
    needed = _columns_needed([*part, take])
    names = {buffer: f"last {buffer}" for buffer in needed} | {take.x.buffer: take.y.buffer}
    if handed_on is not None and handed_on.buffer in names:
        return list(records)
    takes: list[Record] = []
    for buffer, columns in needed.items():
        span = Span(buffer, columns.start, columns.stop - columns.start)
        takes.append(operations.TakeRows(span, replace(span, buffer=names[buffer])))
    rest = [*part, *records[taken + 1 :]]
    return [*records[:first], *takes, *(_rename_buffers(record, names) for record in rest)]


def _columns_needed(part: Sequence[Record]) -> dict[str, slice]:
    """What operations read of each buffer before they have written it: its columns."""
    written: dict[str, list[slice]] = {}
    needed: dict[str, slice] = {}
    for record in part:
        for span in _inputs(record):
            own = span.columns
            if any(w.start <= own.start and own.stop <= w.stop for w in written.get(span.buffer, [])):
                continue
            before = needed.get(span.buffer, own)
            needed[span.buffer] = slice(min(before.start, own.start), max(before.stop, own.stop))
        output = _output(record)
        written.setdefault(output.buffer, []).append(output.columns)
    return needed


def _output(record: Record) -> Span:
    """What an operation by row writes: y, or x in place."""
    output: Span = vars(record).get("y") or vars(record)["x"]
    return output


def _inputs(record: Record) -> list[Span]:
    """What an operation by row reads."""
    adds = isinstance(record, operations.Add) or (isinstance(record, operations.Linear) and record.adds)
    values = [value for name, value in vars(record).items() if name != "y" or adds]
    several = [item for value in values if isinstance(value, tuple) for item in value]
    return [value for value in (*values, *several) if isinstance(value, Span)]


def _rename_buffers(value: Any, names: Mapping[str, str]) -> Any:
    """A record, or a part of one, with other buffers."""
    if isinstance(value, Span):
        return replace(value, buffer=names.get(value.buffer, value.buffer))
    if isinstance(value, tuple):
        return tuple(_rename_buffers(item, names) for item in value)
    if isinstance(value, Record):
        changed = {item.name: _rename_buffers(getattr(value, item.name), names) for item in fields(value)}
        return replace(value, **changed)
    return value
