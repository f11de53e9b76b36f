"""What comes next, before or between in any series: letters, days, months, seasons."""

from collections.abc import Sequence
from random import Random

from training.asking import question
from training.phrasing import lines, mannered
from training.skills.sequences.counting import made
from training.talk import Exchange

NEXT_IN = lines("""
    (what|which) {kind} (comes|is|follows|comes next|is next) (right |directly |)after {x}
    (what|which) {kind} follows {x}
    what (comes|follows|is) after {x}
    (what|which) is the next {kind} after {x}
    after {x} comes (what|which {kind})
    (what|which) {kind} (do we|do you|will we) have after {x}
    (what|which) is the {kind} (after|right after|following|that follows|that comes after) {x}
    {x} is followed by (what|which {kind})
    {x}(,| -|:) (what comes next|and then|next {kind}|the {kind} after that|what follows)
    (the next {kind}|next {kind}|{kind}) after {x}
    (if|when) {x} is over(,|) (what|which) {kind} (comes|is) next
    (I forgot|I don't remember|remind me|no idea)(,|:) (what|which {kind}) comes after {x}
    {x} and then (what|which {kind})
""")
LAST_IN = lines("""
    (what|which) {kind} (comes|is) (right |directly |just |)before {x}
    what (comes|is) before {x}
    (what|which) is the {kind} before {x}
    before {x} (comes|is) (what|which {kind})
    (what|which) {kind} (did we|do we|do you) have before {x}
    (what|which) is the {kind} (just before|right before|that comes before|preceding|previous to) {x}
    {x} (comes after|follows) (what|which {kind})
    (the previous {kind}|previous {kind}|the {kind}|{kind}) before {x}
    {x}(,| -|:) (what comes before|what was before that|the {kind} before)
    (I forgot|I don't remember|remind me|no idea)(,|:) (what|which {kind}) comes before {x}
""")
MIDDLE_IN = lines("""
    (what|which) {kind} (comes|is|lies) between {x} and {y}
    what (comes|is) between {x} and {y}
    (what|which) is the {kind} between {x} and {y}
    between {x} and {y} (comes|is) (what|which {kind})
    (the |){kind} between {x} and {y}
    (what|which) {kind} is missing(:|,) {x}, ..., {y}
    (what|which) {kind} comes after {x} and before {y}
""")
AND_THEN = lines("""
    (and |and what comes |and what is |what comes |what is |what about |and the {kind} |)after that(?|??)
    (and (then|next|the next one|the next)|what comes then|and the one after that|what then|the next one)?
    (and |)(which|what) {kind} (comes|is|follows) (then|after that|next)?
""")
AND_AFTER = lines("""
    (and |and what comes |what about |what comes |now |ok, and |)after {x}?
    (and |)(which|what) {kind} comes after {x}?
    (and the one|and the {kind}) after {x}?
""")
AND_BEFORE = lines("""
    (and |and what comes |what about |what comes |now |ok, and |)before {x}?
    (and |)(which|what) {kind} comes before {x}?
    (and the one|and the {kind}) before {x}?
""")


def ask_next(
    rng: Random, series: Sequence[str], at: int, kind: str, round_about: bool = True
) -> list[Exchange]:
    """What comes after, before or between, and perhaps what comes then; days go on after the last one."""
    size, x = len(series), series[at]
    after, before = series[(at + 1) % size], series[at - 1]
    way = rng.random()
    at_end = not round_about and at in (0, size - 1)
    if way < 0.12 and not at_end:
        answer = f"Between {before} and {after} comes {x}."
        return [made(rng, question, MIDDLE_IN, answer, x=before, y=after, kind=kind)]
    later = at == 0 if at_end else way < 0.6
    answer = f"After {x} comes {after}." if later else f"Before {x} comes {before}."
    asked = [made(rng, question, NEXT_IN if later else LAST_IN, answer, x=x, kind=kind)]
    if rng.random() < 0.8:
        return asked
    if later and rng.random() < 0.4 and (round_about or at + 2 < size):
        then = series[(at + 2) % size]
        return [*asked, made(rng, mannered, AND_THEN, f"After {after} comes {then}.", kind=kind)]
    other = rng.randint(1, size - 2)
    y = series[other]
    if rng.random() < 0.5:
        return [
            *asked,
            made(rng, mannered, AND_AFTER, f"After {y} comes {series[other + 1]}.", x=y, kind=kind),
        ]
    return [*asked, made(rng, mannered, AND_BEFORE, f"Before {y} comes {series[other - 1]}.", x=y, kind=kind)]
