"""Tables of phrases, kept as text in `training/text` in the format that README.md there describes.

`python -m training.phrases` checks all of them, and prints each fault as `file:line: what is wrong`.
"""

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parent / "text"
HEADER = re.compile(r"\[([^]:]+)(?:: ([a-z0-9., ]+))?\]")
FIELD = re.compile(r"([a-z_]+):(?: (.+))?")
SHORTHAND = re.compile(r"([A-Z][A-Z_]+) = (.+)")
USE = re.compile(r"\$([A-Z][A-Z_]+)")
SLOT = re.compile(r"\{([^{}]*)\}")
FRAMES = ("want", "order", "question", "said")
FORMS = ("lines", "plain", "values", "pairs", "shares", "columns", "patterns", "pattern", "text", *FRAMES)
Lines = list[tuple[int, str]]  # the number of each line, and what it says


class Asks(tuple[str, ...]):
    """Phrases for one frame of `asking.txt`, and how often they are taken where there are others."""

    frame: str
    share: float | None


@cache
def read(name: str) -> SimpleNamespace:
    """The tables of `training/text/{name}.txt`: `[not funny]` is `not_funny`, and in `tables` all have names.

    A table is a tuple of phrases, of tuples where it has columns, or a dict where it has pairs, fields, or
    tables of its own (`[places / on]`). ValueError: the file has faults, which are listed.
    """
    reader = Reader(FOLDER / f"{name}.txt")
    if reader.faults:
        raise ValueError("\n".join(reader.faults))
    named = {name.replace(" ", "_"): table for name, table in reader.tables.items()}
    return SimpleNamespace(**named, tables=reader.tables)


@dataclass
class Block:
    """The phrases below a header or a field, in the forms of that, and the place of their value."""

    line: int
    place: dict[str, Any]
    name: str
    forms: list[str]
    phrases: Lines = field(default_factory=list)


class Reader:
    """Reads one file: `tables` is what it holds, `faults` what is wrong with it, by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: dict[str, Any] = {}
        self.faults: list[str] = []
        self.slots: set[str] = set()
        self.fields: dict[str, list[str]] = {}
        self.shorthands: dict[str, str] = {}
        self.record: dict[str, Any] | None = None  # the table whose fields are being read
        self.block: Block | None = None
        for number, line in self.joined(path.read_text(encoding="utf-8")):
            self.take(number, line)
        self.close()

    def fault(self, number: int, what: str) -> None:
        """Note what is wrong in a line."""
        self.faults.append(f"{self.path}:{number}: {what}")

    def joined(self, text: str) -> Lines:
        """The lines that say something; an indented line goes on with the one above.

        The line break stands for a space, but for one beside `(`, `|` or `)`.
        """
        found: Lines = []
        for number, line in enumerate(text.splitlines(), 1):
            bare = line.strip()
            if not bare or line.startswith("# "):
                continue
            if line[0] != " ":
                found.append((number, bare))
            elif not found:
                self.fault(number, "an indented line goes on with the one above, but there is none")
            else:
                first, start = found[-1]
                together = start.endswith(("(", "|")) or bare.startswith(("|", ")"))
                found[-1] = first, start + ("" if together else " ") + bare
        return found

    def take(self, number: int, line: str) -> None:
        """One line: a header, a field, a declaration or a phrase."""
        if line.startswith("["):
            self.open_table(number, line)
        elif (found := FIELD.fullmatch(line)) and self.record is not None:
            self.open_field(number, *found.groups())
        elif self.block:
            self.block.phrases.append((number, line))
        elif self.tables:
            self.fault(number, "a phrase outside of any field")
        elif found:
            self.declare(number, *found.groups())
        elif found := SHORTHAND.fullmatch(line):
            self.shorthands[found[1]] = self.expand(number, found[2])
        else:
            self.fault(number, "a phrase before the first header")

    def declare(self, number: int, name: str, entries: str | None) -> None:
        """A line before the first table, which says what slots or fields there are."""
        words = [word.strip() for word in (entries or "").split(",")]
        if name == "slots":
            self.slots |= set(words)
        elif name == "fields":
            for word in words:
                key, _, forms = word.partition(" = ")
                self.fields[key] = self.known_forms(number, forms.split())
        else:
            self.fault(number, f"unknown declaration {name!r}; there are slots and fields")

    def known_forms(self, number: int, forms: list[str]) -> list[str]:
        """The forms that a line names, or none if one of them is unknown."""
        unknown = {form for form in forms if not is_share(form)} - {*FORMS, "repeats"}
        if unknown:
            self.fault(number, f"unknown form {', '.join(sorted(unknown))!r}; there are {', '.join(FORMS)}")
        return [] if unknown else forms

    def open_table(self, number: int, line: str) -> None:
        """A header. In a file with fields, a table without a form has those."""
        self.close()
        self.record = None
        if not (found := HEADER.fullmatch(line)):
            self.fault(number, f"not a header: {line}")
            return
        forms = self.known_forms(number, found[2].split(", ") if found[2] else [])
        *outer, name = found[1].split(" / ", 1)
        place = self.tables.setdefault(outer[0], {}) if outer else self.tables
        if name in place:
            self.fault(number, f"a second table [{found[1]}]")
        if self.fields and not forms:
            self.record = place[name] = {}
        else:
            self.block = Block(number, place, name, forms)

    def open_field(self, number: int, name: str, phrase: str | None) -> None:
        """A field, with its only phrase behind the colon or with those of the lines below."""
        self.close()
        if name not in self.fields:
            self.fault(number, f"unknown field {name!r}; there are {', '.join(self.fields)}")
            return
        if name in self.record:
            self.fault(number, f"a second field {name!r}")
        forms = self.fields[name]
        self.block = Block(number, self.record, name, forms)
        if phrase:
            self.block.forms = ["pattern" if "pattern" in forms else "text"]
            self.block.phrases.append((number, phrase))
            self.close()

    def close(self) -> None:
        """Put what was read into its place."""
        if self.block:
            self.block.place[self.block.name] = self.value(self.block)
        self.block = None

    def value(self, block: Block) -> Any:
        """Phrases as their form wants them."""
        form = next((form for form in block.forms if form in FORMS), "lines")
        repeats = "repeats" in block.forms
        phrases = [(number, self.expand(number, phrase)) for number, phrase in block.phrases]
        if not phrases:
            self.fault(block.line, "nothing below")
            return ()
        if form in ("values", "pairs", "shares"):
            phrases = split_values(phrases)
        found: dict[str, int] = {}
        for number, phrase in phrases:
            if phrase in found and not repeats:
                self.fault(number, f"{phrase!r} is there already, in line {found[phrase]}")
            found[phrase] = number
            self.look_at(number, phrase, form, repeats)
        texts = tuple(unquoted(phrase) for _, phrase in phrases)
        if form in ("text", "pattern"):
            if len(texts) > 1:
                self.fault(phrases[1][0], "only one phrase may stand here")
            return texts[0]
        if form in ("pairs", "shares"):
            pairs = [text.partition(" = ")[::2] for text in texts]
            is_shares = form == "shares" and not self.faults
            return {key: float(value) if is_shares else value for key, value in pairs}
        if form in ("columns", "patterns"):
            return tuple(tuple(text.split(" => ")) for text in texts)
        asks = Asks(texts)
        asks.frame = form if form in FRAMES else "said"
        asks.share = next((float(part) for part in block.forms if is_share(part)), None)
        return asks

    def expand(self, number: int, phrase: str) -> str:
        """A phrase with what shorthands stand for."""
        for name in USE.findall(phrase):
            if name not in self.shorthands:
                self.fault(number, f"unknown shorthand ${name}")
        return USE.sub(lambda found: self.shorthands.get(found[1], ""), phrase)

    def look_at(self, number: int, phrase: str, form: str, repeats: bool) -> None:
        """Note what is wrong in a phrase of some form."""
        if form in ("columns", "patterns") and " => " not in phrase:
            self.fault(number, "a column is missing; ` => ` stands between two")
        if form in ("pairs", "shares") and " = " not in phrase:
            self.fault(number, f"{phrase!r} is no pair; ` = ` stands between the two")
        if form == "shares" and not is_share(phrase.partition(" = ")[2]):
            self.fault(number, f"{phrase!r} ends in no number")
        if form in ("pattern", "patterns"):
            *before, pattern = phrase.split(" => ") if form == "patterns" else (phrase,)
            try:
                re.compile(pattern)
            except re.error as error:
                self.fault(number, f"not a regular expression: {error}")
            phrase = " => ".join(before)
        if form == "plain":
            return
        if not phrase and form != "pattern":
            self.fault(number, "an empty value")
        for slot in SLOT.findall(phrase):
            if slot not in self.slots:
                self.fault(number, f"unknown slot {{{slot}}}")
        if re.search(r"[{}]", SLOT.sub("", phrase)):
            self.fault(number, "a brace is left open, or closed twice")
        for what in faults_of_brackets(phrase):
            if not (form == "text" and "without" in what) and not (repeats and "empty" in what):
                self.fault(number, what)


def is_share(text: str) -> bool:
    """Whether a text is a number, with a point or without."""
    return re.fullmatch(r"\d+(\.\d+)?", text) is not None


def split_values(lines: Lines) -> Lines:
    """Values divided by commas, each with the line in which it begins; it may go on in the next."""
    found: Lines = []
    unfinished = False
    for number, line in lines:
        for part in map(str.strip, line.removesuffix(",").split(",")):
            if unfinished:
                found[-1] = found[-1][0], f"{found[-1][1]} {part}"
            else:
                found.append((number, part))
            unfinished = False
        unfinished = not line.endswith(",")
    return found


def unquoted(phrase: str) -> str:
    """The phrase without backquotes, in which spaces at the ends are kept and `\\n` is a line break."""
    if len(phrase) > 1 and phrase[0] == phrase[-1] == "`":
        return phrase[1:-1].replace("\\n", "\n")
    return phrase


def faults_of_brackets(phrase: str) -> list[str]:
    """What is wrong with the choices, `(a|b|)`, of a phrase: innermost ones are looked at first."""
    faults = []
    while found := re.search(r"\(([^()]*)\)", phrase):
        choices = found[1].split("|")
        if len(choices) == 1:
            faults.append(f"brackets without a choice: {found[0]}")
        if choices.count("") > 1:
            faults.append("two empty alternatives")
        phrase = f"{phrase[: found.start()]}...{phrase[found.end() :]}"
    if "(" in phrase:
        return [*faults, "a bracket is left open"]
    if ")" in phrase:
        faults.append("a bracket is closed that was not opened")
    return [*faults, "a choice outside of brackets"] if "|" in phrase else faults


def main() -> int:
    """Check all files, print what is wrong in them; returns how many faults there are."""
    faults = [fault for path in sorted(FOLDER.rglob("*.txt")) for fault in Reader(path).faults]
    print("\n".join(faults) or "No faults.")
    return len(faults)


if __name__ == "__main__":
    sys.exit(bool(main()))
