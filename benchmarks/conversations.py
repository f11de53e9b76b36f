"""The store of conversations with many: `python benchmarks/conversations.py [--database URL]`.

It fills a new database with 1,000 conversations of 50 turns, and measures each command as the engine runs it,
in milliseconds of the clock and of this process's processor. The median and the longest of some repetitions
are printed.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from serving import processor_name

from triton_server.contract.commands import Conversations
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.transactions import Database
from triton_server.conversations.tree import Conversation, Turn
from triton_server.engine.commands.conversation_commands import ConversationCommands

CONVERSATIONS, TURNS = 1000, 50
QUESTION_WORDS, ANSWER_WORDS = 15, 150  # about 90 and 900 bytes
REPETITIONS = 9


def make_words(count: int) -> list[str]:
    """Words of one to four syllables, some of them not ASCII; the first ones are used most."""
    rng = random.Random(1)
    syllables = ["ka", "to", "mi", "ren", "sol", "über", "é", "pra", "ing", "tion", "st", "lo", "ma", "the"]
    return ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(count)]


def make_conversation(number: int, words: list[str]) -> Conversation:
    """A conversation with a branch of two turns in the middle."""
    rng = random.Random(number)

    def say(count: int) -> str:
        return " ".join(words[int(rng.paretovariate(0.7)) % len(words)] for _ in range(count)).capitalize()

    turns = []
    for turn in range(1, TURNS + 1):
        parent = 20 if turn == 23 else turn - 1 or None
        answer = say(ANSWER_WORDS) + (f" needle{number}" if turn == 7 else "")
        turns.append(Turn(turn, parent, say(QUESTION_WORDS), answer, finish_reason="stop"))
    return Conversation("", f"Conversation {number}", None, {}, TURNS, 1, turns)


def measure(name: str, call: Any) -> None:
    """Print how long a call takes."""
    clock, processor = [], []
    for _ in range(REPETITIONS):
        start = time.perf_counter(), time.process_time()
        result = call()
        clock.append(1000 * (time.perf_counter() - start[0]))
        processor.append(1000 * (time.process_time() - start[1]))
    times = statistics.median(clock), max(clock), statistics.median(processor)
    print(f"| {name} | {' | '.join(f'{time:.1f}' for time in times)} | {len(result)} |")


def main() -> None:
    """Fill the database and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="an empty one; by default, SQLite in a temporary folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        url = arguments.database or f"sqlite:///{path}"
        database = Database(url)
        store = ConversationStore(database, SessionLimits(10_000, 2**30))
        words = make_words(20_000)
        start = time.perf_counter()
        made = [store.add("", make_conversation(number, words)) for number in range(CONVERSATIONS)]
        filled = time.perf_counter() - start
        size = sum(len(t.question.encode()) + len(t.answer.encode()) for c in made for t in c.turns)
        print(f"{processor_name()}; {url.partition(':')[0]}")
        print(
            f"{CONVERSATIONS} conversations of {TURNS} turns, {size / 2**20:.0f} MiB of text, {filled:.0f} s"
        )
        if path.exists():
            print(f"the file has {path.stat().st_size / 2**20:.0f} MiB")
        commands = ConversationCommands(url, SessionLimits(10_000, 2**30))

        def run(command: str, **fields: Any) -> str:
            return asyncio.run(commands.run(Conversations(conversations=command, **fields)))

        run("list")  # opens the database
        last = made[-1].id
        print(
            "| what is done | median, ms | longest, ms | processor, ms | answer, bytes |\n"
            "| --- | --- | --- | --- | --- |"
        )
        measure("list the first 50", lambda: run("list"))
        measure("list 200", lambda: run("list", limit=200))
        for name, query in (
            ("a word that one conversation has", "needle999"),
            ("a beginning of words that 111 have", "needle7"),
            ("a word that none has", "nowhere"),
            ("a word that nearly all have", words[0]),
            ("a letter that none has", "z"),
            ("three words that none has", "no übermi where"),
        ):
            measure(f"search {name}", lambda q=query: run("list", search=q))
        measure("read a conversation", lambda: run("get", id=made[0].id))
        turn = store.add_turn("", last, Turn(0, None, "Question?"))
        text = "word " * 200
        measure(
            "add a turn", lambda: run("add_turn", id=last, parent=turn, question="Question?", parameters={})
        )
        measure("change an answer", lambda: run("change_turn", id=last, turn=turn, answer=text))
        measure("change the title", lambda: run("change", id=last, title="Another"))
        database.close()


if __name__ == "__main__":
    main()
