"""The tables of phrases: the checker names every kind of fault, and the text is what it was."""

from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer

from training import drills, phrases
from training.dialogues import dialogues, stories
from training.evaluate import KINDS
from training.phrases import Reader

# The text that the embedded model has learnt from, and what it is examined by. Who changes phrases on purpose
# puts the new digests here.
DIGESTS = {
    "dialogues": "4cca8b88cdf58708",
    "stories": "3afc6009cc42f003",
    "drills": "8bb3bdcf27150999",
    "examination": "1fdb89f1b3d32221",
}
FAULTS = {
    "[a]\n(one|two\nthree": (2, "a bracket is left open"),
    "[a]\none) two": (2, "a bracket is closed that was not opened"),
    "[a]\n(one) two": (2, "brackets without a choice: (one)"),
    "[a]\none | two": (2, "a choice outside of brackets"),
    "[a]\n(one||)": (2, "two empty alternatives"),
    "[a]\n({x}|y)": (2, "unknown slot {x}"),
    "slots: x\n\n[a]\n{x": (4, "a brace is left open"),
    "[a]\none\n# comment\none": (4, "'one' is there already, in line 2"),
    "[a: values]\none, two,\none": (3, "'one' is there already, in line 2"),
    "[a: values]\none,, two": (2, "an empty value"),
    "[a]\n\n[b]\none": (1, "nothing below"),
    "[a]\none\n[a]\ntwo": (3, "a second table [a]"),
    "[a: words]\none": (1, "unknown form 'words'"),
    "[a\none": (1, "not a header"),
    "fields: asks = words\n\n[a]\nasks:\none": (1, "unknown form 'words'"),
    "[a: pairs]\none = two, three": (2, "'three' is no pair"),
    "[a: columns]\none, two": (2, "a column is missing"),
    "[a: shares]\none = two": (2, "'one = two' ends in no number"),
    "[a: patterns]\none => (two": (2, "not a regular expression"),
    "[a: text]\none\ntwo": (3, "only one phrase may stand here"),
    "[a]\n$ME too": (2, "unknown shorthand $ME"),
    "fields: asks\n\n[a]\naks:\none": (4, "unknown field 'aks'"),
    "fields: asks\n\n[a]\nasks:\none\nasks:\ntwo": (6, "a second field 'asks'"),
    "fields: asks\n\n[a]\none": (4, "a phrase outside of any field"),
    "slot: x\n\n[a]\none": (1, "unknown declaration 'slot'"),
    "one": (1, "a phrase before the first header"),
    "  one": (1, "an indented line goes on with the one above, but there is none"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_the_checker_names_file_line_and_fault(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    line, what = FAULTS[text]
    faults = Reader(path).faults
    assert any(fault.startswith(f"{path}:{line}: {what}") for fault in faults), faults


def test_a_file_with_a_fault_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "FOLDER", tmp_path)
    (tmp_path / "wrong.txt").write_text("[a]\n(one")
    with pytest.raises(ValueError, match=r"wrong\.txt:2: a bracket is left open"):
        phrases.read("wrong")


def test_the_format_is_read_as_the_readme_says(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "# A comment.\nslots: x\nfields: answer = text, asks\nME = (I|me)\n\n"
        "[good day: lines]\n$ME and (you|\n    them) go\n    on\n`ends in \\n`\n\n"
        "[on / the hill: values]\na b, c\n  d\n\n[signs: plain]\n:)\n\n[two: columns]\none => {x}\n\n"
        "[say: pairs]\ncow = moo, cat = meow\n\n"
        "[much: shares]\ncow = 2, cat = 0.5\n\n[ask / order: order, 0.3]\ngo\n\n[twice: repeats]\n@\n@\n\n"
        "[topic]\nanswer: Yes.\nasks:\nis it so?\nreally?\n"
    )
    reader = Reader(path)
    assert not reader.faults
    assert reader.tables == {
        "good day": ("(I|me) and (you|them) go on", "ends in \n"),
        "on": {"the hill": ("a b", "c d")},
        "signs": (":)",),
        "two": (("one", "{x}"),),
        "say": {"cow": "moo", "cat": "meow"},
        "much": {"cow": 2, "cat": 0.5},
        "ask": {"order": ("go",)},
        "twice": ("@", "@"),
        "topic": {"answer": "Yes.", "asks": ("is it so?", "really?")},
    }
    asks = reader.tables["ask"]["order"]
    assert (asks.frame, asks.share) == ("order", 0.3)


def test_no_file_has_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert phrases.main() == 0, capsys.readouterr().out


def test_every_table_is_read_by_the_code() -> None:
    code = "\n".join(path.read_text() for path in phrases.FOLDER.parent.rglob("*.py"))
    code += "".join(
        (phrases.FOLDER / name).read_text() for name in ("examination/system.txt", "facts/kinds.txt")
    )
    for path in phrases.FOLDER.rglob("*.txt"):
        for name, table in Reader(path).tables.items():
            # Topics and refusals are read together; brief answers and kinds of facts name theirs in a table.
            together = (
                isinstance(table, dict)
                and {"answer", "pattern", "tells"} & {*table}
                and path.parent.name != "numbers"
            )
            uses = (f".{name.replace(' ', '_')}", f'"{name}"', f"=> {name}", f"\n{name} => ")
            assert together or any(use in code for use in uses), (path, name)


def digest(texts: list[str]) -> str:
    """One value for all the texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def test_the_text_is_what_it_was(tokenizer: Tokenizer) -> None:
    makers = (drills.questions, drills.facts, drills.tales, drills.sums, drills.spellings, drills.copying)
    probes = [m["content"] for talk in dialogues(99, 20) for m in talk if m["role"] == "assistant"]
    probes = Random(3).sample(probes, 40)
    cases = [case for kind in KINDS for case in kind.cases]
    assert len(cases) == 1150
    assert {
        "dialogues": digest([str(talk) for talk in dialogues(1, 500)]),
        "stories": digest(list(stories(1, 100))),
        "drills": digest([str(sample) for maker in makers for sample in maker(tokenizer, 7, 100)]),
        "examination": digest(
            [
                str((case.system, case.turns, want.text, [want.holds(text) for text in probes]))
                for case in cases
                for want in case.wants
            ]
        ),
    } == DIGESTS
