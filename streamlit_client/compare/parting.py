"""Where two answers part: the first token that differs, and its probability under both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamlit_client.chat.token_view import token_bytes
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.prompts import build_prompt_of_text
from triton_server.client import ChatClient

# Characters of each text behind the place where they part, which no token there is longer than.
_BEHIND = 200
Token = dict[str, Any]


@dataclass(frozen=True)
class Mark:
    """The token with which an answer leaves the other one.

    Attributes:
        text: of the token, as the side itself reads it; None if the answer has ended there.
        before: what of the answer stands between the common beginning and the token; mostly nothing.
        rest: what follows, as far as it is shown.
        seen: for the left and the right side: the text of the token that it would have to write there, and
            its probability from 0 to 1; None if the answer has ended.
    """

    text: str | None
    before: str
    rest: str
    seen: tuple[tuple[str, float] | None, tuple[str, float] | None]


@dataclass(frozen=True)
class Parting:
    """Two answers that differ.

    `common` is the text with which both begin, `tokens` how many tokens of the left side it has.
    """

    common: str
    tokens: int
    marks: tuple[Mark, Mark]


def find_parting(client: ChatClient, rounds: Sequence[tuple[Turn, Turn]], systems: Sequence[str]) -> Parting:
    """Where the answers of the last round part, whose texts differ. Each side computes probabilities of both.

    They are those of the models, before penalties, bias and temperature. `systems`: the system prompts of
    both sides. Raises TritonchatError.
    """
    left, right = (turn.text for turn in rounds[-1])
    end = count_common(left, right) + _BEHIND
    views = []
    for side, system in enumerate(systems):
        *earlier, turn = (pair[side] for pair in rounds)
        prompt, fields = build_prompt_of_text(earlier, turn, system)
        first, second = client.choose(prompt, [left[:end], right[:end]], **fields)
        views.append((first["tokens"], second["tokens"]))
    return describe_parting((left, right), (views[0], views[1]))


def count_common(left: str, right: str) -> int:
    """How many characters two texts have in common at their beginning."""
    shared = min(len(left), len(right))
    return next((place for place in range(shared) if left[place] != right[place]), shared)


def find_first_difference(left: Sequence[Token], right: Sequence[Token]) -> tuple[int, int]:
    """The number of the first token of each list from which on they differ.

    Tokens that make the same bytes in other pieces are no difference.
    """
    start = [0, 0]  # of the tokens after which both have had the same bytes
    ends, pieces, lists = [0, 0], [b"", b""], (left, right)
    while True:
        taken = [end - begin for begin, end in zip(start, ends, strict=True)]
        lengths = [len(piece) for piece in pieces]
        if lengths[0] == lengths[1] and all(taken):
            start, pieces, taken, lengths = list(ends), [b"", b""], [0, 0], [0, 0]
        behind = 0 if (lengths[0], taken[0]) <= (lengths[1], taken[1]) else 1
        if ends[behind] == len(lists[behind]):
            return start[0], start[1]
        pieces[behind] += token_bytes(lists[behind][ends[behind]])
        ends[behind] += 1
        shared = min(map(len, pieces))
        if pieces[0][:shared] != pieces[1][:shared]:
            return start[0], start[1]


def describe_parting(
    texts: tuple[str, str], views: tuple[tuple[list[Token], list[Token]], tuple[list[Token], list[Token]]]
) -> Parting:
    """Two texts that differ. `views`: for the left and the right side, how it reads both, as tokens."""
    places = [find_first_difference(*view) for view in views]
    own = [views[side][side] for side in range(2)]
    starts = [sum(len(token_bytes(token)) for token in own[side][: places[side][side]]) for side in range(2)]
    common = texts[0].encode()[: min(starts)].decode(errors="ignore")
    marks = []
    for side in range(2):
        data, start = texts[side].encode(), starts[side]
        token = own[side][places[side][side] : places[side][side] + 1]
        length = len(token_bytes(token[0])) if token else 0
        seen = [_see(view[side], place[side]) for view, place in zip(views, places, strict=True)]
        mark = Mark(
            data[start : start + length].decode(errors="replace") if token else None,
            data[len(common.encode()) : start].decode(errors="replace"),
            _shorten(data[start + length :].decode(errors="ignore")),
            (seen[0], seen[1]),
        )
        marks.append(mark)
    return Parting(common, places[0][0], (marks[0], marks[1]))


def _shorten(text: str) -> str:
    return text if len(text) <= _BEHIND else text[:_BEHIND] + "…"


def _see(tokens: Sequence[Token], place: int) -> tuple[str, float] | None:
    if place >= len(tokens):
        return None
    return tokens[place]["token"], math.exp(min(0.0, tokens[place]["logprob"]))
