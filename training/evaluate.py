"""The examination of a trained model: held-out values, in words written without a look at the training text.

`python -m training.evaluate` examines the embedded model, by the project's own engine.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from model_core import LLM, SamplingParams
from training.dialogues import Message, dialogues
from training.evaluation import arithmetic, memory, questions, system, tales
from training.evaluation.wants import Case
from training.phrases import read

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\ufffd")  # the last is half a character
MAX_TOKENS = 200
VOCABULARY_SEED, VOCABULARY_DIALOGUES = 1, 10_000


@dataclass(frozen=True)
class Kind:
    """Conversations that try one ability, and the share of them that has to go well."""

    name: str
    bar: float
    cases: list[Case]


KINDS = (
    Kind("one fact remembered for 1 to 4 turns", 0.95, memory.recall_cases()),
    Kind("two facts, asked in either order", 0.90, memory.two_fact_cases()),
    Kind("a fact corrected", 0.90, memory.corrected_cases()),
    Kind("a fact never told, and said so", 0.90, memory.not_told_cases()),
    Kind("sums and differences to 99", 0.95, arithmetic.calculation_cases()),
    Kind("counting, letters, days and months", 0.90, arithmetic.sequence_cases()),
    Kind("story with the hero, place and object asked for", 0.90, tales.story_cases()),
    Kind("lists of so many things, rhymes, poems", 0.85, tales.list_cases()),
    Kind("name given by the system prompt", 0.90, system.name_cases()),
    Kind("short answers, as the system prompt wants", 0.90, system.length_cases()),
    Kind("help with tritonchat", 0.90, questions.help_cases()),
    Kind("small facts that a child knows", 0.85, questions.everyday_cases()),
    Kind("unknown things declined", 0.90, questions.unknown_cases()),
    Kind("small talk", 0.85, questions.talk_cases()),
)
WRITING = Kind("answers that end by themselves, without broken words", 0.99, [])


@dataclass(frozen=True)
class Answer:
    """One answer in a conversation, the conversation before it, and whether the model ended it."""

    before: tuple[str, ...]
    text: str
    ended: bool


@dataclass(frozen=True)
class Marks:
    """How cases went: how many there are, which failed and why, and every answer given."""

    cases: int
    failures: list[str]
    answers: list[Answer] = field(repr=False)

    @property
    def share(self) -> float:
        """Cases that went well, of all."""
        return 1 - len(self.failures) / self.cases


def examine(llm: LLM, kinds: Sequence[Kind]) -> dict[str, Marks]:
    """Have all conversations together, greedily, a turn of each at a time. How they went, by kind."""
    params = SamplingParams(temperature=0, max_tokens=MAX_TOKENS)
    cases = [case for kind in kinds for case in kind.cases]
    talks = [[{"role": "system", "content": case.system}] if case.system else [] for case in cases]
    answers: list[list[Answer]] = [[] for _ in cases]
    for turn in range(max(len(case.turns) for case in cases)):
        going = [number for number, case in enumerate(cases) if turn < len(case.turns)]
        for number in going:
            talks[number].append({"role": "user", "content": cases[number].turns[turn]})
        completions = llm.chat([talks[number] for number in going], params)
        for number, completion in zip(going, completions, strict=True):
            before = tuple(message["content"] for message in talks[number])
            answers[number].append(Answer(before, completion.text, completion.finish_reason == "stop"))
            talks[number].append({"role": "assistant", "content": completion.text})
    given = iter(answers)
    return {kind.name: mark_cases(kind.cases, [next(given) for _ in kind.cases]) for kind in kinds}


def mark_cases(cases: list[Case], answers: list[list[Answer]]) -> Marks:
    """How these cases went."""
    failures = [fault for case, given in zip(cases, answers, strict=True) for fault in faults(case, given)]
    return Marks(len(cases), failures, [answer for given in answers for answer in given])


def faults(case: Case, answers: list[Answer]) -> Iterator[str]:
    """What is to be said about a case that failed, at most once."""
    for want, answer in zip(case.wants, answers[-len(case.wants) :], strict=True):
        if not want.holds(answer.text):
            yield f"{' / '.join(answer.before)}\n      -> {answer.text}\n      wanted: {want.text}"
            return


def look_at_writing(answers: list[Answer], known: set[str]) -> Marks:
    """Which answers did not end by themselves, or have words that nobody said and no text has."""
    failures = []
    for answer in answers:
        broken = sorted(set(words(answer.text)) - known - set(words(" ".join(answer.before))))
        if broken or not answer.ended:
            why = f"broken: {', '.join(broken)}" if broken else "did not end"
            failures.append(f"{answer.before[-1]}\n      -> {answer.text}\n      {why}")
    return Marks(len(answers), failures, answers)


def words(text: str) -> list[str]:
    """The words of a text in small letters, without the 's of a possessive."""
    return [word.removesuffix("'s") for word in WORD.findall(text.lower())]


def sample_dialogues() -> list[list[Message]]:
    """Generated conversations, as many as show every usual word."""
    return list(dialogues(VOCABULARY_SEED, VOCABULARY_DIALOGUES))


def vocabulary(conversations: list[list[Message]]) -> set[str]:
    """The words of generated answers; one that a single conversation has may be an invented name."""
    counts = Counter(
        word
        for messages in conversations
        for word in {word for m in messages if m["role"] == "assistant" for word in words(m["content"])}
    )
    names = {word for name in read("names").names for word in words(name)}
    return names | {word for word, count in counts.items() if count > 1}


def evaluate(llm: LLM, failures: int = 5, markdown: bool = False) -> None:
    """Examine all kinds, and print how many cases of each went well, with some that did not."""
    found = examine(llm, KINDS)
    marks = [(kind, found[kind.name]) for kind in KINDS]
    answers = [answer for mark in found.values() for answer in mark.answers]
    marks.append((WRITING, look_at_writing(answers, vocabulary(sample_dialogues()))))
    for line in table(marks, markdown):
        print(line)
    if not markdown:
        for kind, mark in marks:
            for failure in mark.failures[:failures]:
                print(f"\n{kind.name}: {failure}")


def table(marks: Iterable[tuple[Kind, Marks]], markdown: bool) -> Iterator[str]:
    """The lines of a table: for the terminal, or for the model's card."""
    rows = [("conversations", "passed", "of", "share", "bar")]
    if markdown:
        rows.append(("---", *["---:"] * 4))
    for kind, mark in marks:
        passed = str(mark.cases - len(mark.failures))
        rows.append((kind.name, passed, str(mark.cases), f"{mark.share:.1%}", f"{kind.bar:.0%}"))
    for row in rows:
        yield f"| {' | '.join(row)} |" if markdown else "{:<56}{:>7}{:>6}{:>8}{:>6}".format(*row)


def main() -> None:
    """Read the command line and examine."""
    about = "Examines a model, by default the embedded one."
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=about)
    parser.add_argument("model", nargs="?", help="folder of the model (default: the embedded one)")
    parser.add_argument("--failures", type=int, default=5, help="failed cases shown of a kind (%(default)s)")
    parser.add_argument("--markdown", action="store_true", help="print only the table, for the model's card")
    arguments = parser.parse_args()
    with LLM(arguments.model) as llm:
        evaluate(llm, arguments.failures, arguments.markdown)


if __name__ == "__main__":
    main()
