"""A conversation as a tree of turns, as its readers see it. It needs no database to be imported.

The first turns of a conversation have no parent. The parent of any other turn is the turn before it. Where a
question is edited, or an answer made again, two turns have the same parent: they are siblings. The `head` of
a conversation is the turn whose path from the root is shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

Record = TypeVar("Record")
_CITE = "These passages of files were found. Where the answer uses one, cite it by its number, as in [1]."


@dataclass(frozen=True)
class Attachment:
    """A file that belongs to a question: text, or an image as a data URL, whose text is empty.

    `tokens` is their number, None if nobody has counted. `place` is that of a passage that was found in a
    collection, such as "page 3", or "" where its file has no places; None: it is a file that a person gave.
    """

    name: str
    text: str
    tokens: int | None = None
    image: str | None = None
    place: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Its fields. Texts have no image, and only passages have a place."""
        return {n: v for n, v in asdict(self).items() if v is not None or n not in ("image", "place")}


@dataclass(frozen=True)
class Turn:
    """A question and its answer.

    Attributes:
        id: unique in the conversation; later turns have larger ids, and no id is used again.
        parent: the id of the turn before; None for a first turn.
        tool_calls: objects as the page stores them, such as {"name", "arguments", "result"}.
        finish_reason: None while the answer runs, or if what ran it has died.
        usage, timings: the fields of `Usage` and `Timings` (model_core/requests/events.py); None if
            they are not known.
        parameters: those of the answer.
        rating: 1 for good, -1 for bad, 0 for none.
        receipt: of the answer, see docs/reproducible.md; without `request.content`, which the conversation
            has. Nobody has checked it. None: there is none.
        created: seconds since 1970.
    """

    id: int
    parent: int | None
    question: str
    answer: str = ""
    reasoning: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    timings: dict[str, Any] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    rating: int = 0
    receipt: dict[str, Any] | None = None
    attachments: list[Attachment] = field(default_factory=list)
    created: float = 0.0

    @property
    def prompt(self) -> str | list[dict[str, Any]]:
        """The content of the message that the model gets: the attachments, and then the question."""
        return make_content(self.question, self.attachments)


@dataclass(frozen=True)
class Summary:
    """A conversation in a list. `turns` are those of the path that is shown. Times are seconds since 1970."""

    id: str
    title: str
    pinned: bool
    created: float
    updated: float
    turns: int


@dataclass(frozen=True)
class Conversation:
    """A conversation with all its turns, in the order of their ids.

    `version` grows with every change that matters to an answer. `parameters` are those of new answers.
    """

    id: str
    title: str
    system: str | None
    parameters: dict[str, Any]
    head: int | None
    version: int
    turns: list[Turn]
    pinned: bool = False
    created: float = 0.0
    updated: float = 0.0

    def turn(self, turn_id: int) -> Turn:
        """The turn with this id. Raises KeyError."""
        return _by_id(self.turns)[turn_id]

    def path(self, head: int | None = None) -> list[Turn]:
        """The turns from the root to `head`, which is by default the one of the conversation.

        Raises KeyError for a turn that the conversation does not have.
        """
        return find_path(self.turns, self.head if head is None else head)

    def siblings(self, turn_id: int | None) -> list[Turn]:
        """The turns with the same parent as this one, itself included, the oldest first.

        Raises KeyError for a turn that the conversation does not have.
        """
        return self.children(self.turn(turn_id).parent) if turn_id is not None else self.children(None)

    def children(self, turn_id: int | None) -> list[Turn]:
        """The turns that follow a turn directly; None: the first turns of all branches."""
        return [turn for turn in self.turns if turn.parent == turn_id]

    def leaf(self, turn_id: int) -> int:
        """The newest turn below a turn that nothing follows: the head to choose for a look at its branch."""
        newest = {turn.parent: turn.id for turn in self.turns}  # of the children of each turn
        while turn_id in newest:
            turn_id = newest[turn_id]
        return turn_id

    def messages(self, head: int | None = None) -> list[dict[str, Any]]:
        """The messages of the path to `head`, for a model that answers conversations."""
        system: list[dict[str, Any]] = []
        if self.system is not None:
            system = [{"role": "system", "content": self.system}]
        return [*system, *(message for turn in self.path(head) for message in _messages(turn))]


def find_path(turns: Sequence[Any], head: int | None) -> list[Any]:
    """The turns from the root to `head`; each has an `id` and a `parent`. None: no turns.

    Raises KeyError for a turn that is not among them.
    """
    by_id, path = _by_id(turns), []
    while head is not None:
        path.append(by_id[head])
        head = by_id[head].parent
    return path[::-1]


def find_subtree(parents: Mapping[int, int | None], root: int) -> set[int]:
    """The ids of a turn and of all that follow it, from the parents by id. Parents have smaller ids."""
    found = {root}
    for turn_id in sorted(parents):
        if parents[turn_id] in found:
            found.add(turn_id)
    return found


def join_question(question: str, attachments: Sequence[Attachment]) -> str:
    """A question with the texts of its attachments, as the model gets them. Images are left out."""
    files = [
        f'<file name="{_escape(file.name)}">\n{file.text}\n</file>'
        for file in attachments
        if file.image is None and file.place is None
    ]
    passages = [file for file in attachments if file.place is not None]
    if passages:
        files.append(_CITE)
    for number, passage in enumerate(passages, 1):
        where = f"{passage.name}, {passage.place}" if passage.place else passage.name
        files.append(f"[{number}] {where}:\n{passage.text}")
    return "\n\n".join([*files, question])


def make_content(question: str, attachments: Sequence[Attachment]) -> str | list[dict[str, Any]]:
    """The content of a message with a question: its text, after its images if it has some."""
    text = join_question(question, attachments)
    urls = [file.image for file in attachments if file.image is not None]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [*images, *[{"type": "text", "text": text}] * bool(text)] if images else text


def make_title(question: str, length: int = 60) -> str:
    """A title from a question: its first line that has words, cut at a word."""
    line = next((" ".join(line.split()) for line in question.splitlines() if line.split()), "")
    # Not the mark of a name, as in "#handbook".
    line = re.sub(r"^(?:[>*` -]+|#+(?= ))*", "", line) or line
    if len(line) <= length:
        return line
    cut = line[:length].rpartition(" ")[0]
    return (cut if len(cut) > length // 2 else line[: length - 1]) + "…"


def conversation_from_json(value: Mapping[str, Any]) -> Conversation:
    """A conversation from `dataclasses.asdict` as JSON. Unknown fields, of newer servers, are left out."""
    turns = [
        _known(Turn, {**turn, "attachments": [_known(Attachment, file) for file in turn["attachments"]]})
        for turn in value["turns"]
    ]
    return _known(Conversation, {**value, "turns": turns})


def summary_from_json(value: Mapping[str, Any]) -> Summary:
    """A summary from its JSON, as `conversation_from_json`."""
    return _known(Summary, value)


def _known(kind: type[Record], value: Mapping[str, Any]) -> Record:
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: part for name, part in value.items() if name in names})


def _by_id(turns: Sequence[Any]) -> dict[int, Any]:
    return {turn.id: turn for turn in turns}


def _messages(turn: Turn) -> list[dict[str, Any]]:
    return [{"role": "user", "content": turn.prompt}, {"role": "assistant", "content": turn.answer}]


def _escape(name: str) -> str:
    return name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace("\n", " ")
