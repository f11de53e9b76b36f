"""Measure answers of a given form: whether they have it, how many steps they take, and how fast they are.

    python benchmarks/forms.py [--parts answers steps compile speed] [--work-folder FOLDER]

answers: 300 forms (form_samples.py of the tests), ten seeds each, at temperature 2 with random weights. An
answer
    that has ended is checked by jsonschema, Python's re or a second matcher; one that was cut must be the
    beginning of a whole one.
steps: the model's steps for an object of 20 fields with long names, and its tokens.
compile: the time until a request with a schema of 20 fields is accepted, new and again.
speed: 16 streams with a form and without, of TinyLlama's shape and of Qwen3-0.6B's with a vocabulary of
    152,000, both int8. The work folder keeps these models (3.7 GB). Rounds alternate, so that a machine that
    becomes slower affects both.

Prints Markdown tables, and names the machine.
"""

import argparse
import queue
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, make_checkpoint
from making.vocabularies import write_tokenizer
from serving import processor_name

sys.path.append(str(Path(__file__).parents[1] / "tests" / "helpers" / "models"))
from form_samples import Sample, all_samples

from model_core import LLM, Completion, SamplingParams
from model_core.engine.job import Job
from model_core.grammar.constraint import GrammarCompiler, write_grammar
from model_core.requests.form import Form

SEEDS, MAX_TOKENS = 10, 400
STREAMS, NEW_TOKENS, ROUNDS = 16, 96, 5
_DIGIT = {"type": "integer", "minimum": 0, "maximum": 9}
RECORD: dict[str, Any] = {
    "type": "object",
    "properties": {f"the_rather_long_name_of_field_number_{i}": _DIGIT for i in range(20)},
    "required": [f"the_rather_long_name_of_field_number_{i}" for i in range(20)],
    "additionalProperties": False,
}
PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 20},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"enum": ["first", "second", "third"]}},
    },
    "required": ["name", "age", "tags"],
}
SPEED_FORMS = {
    "a list of strings": Form(json_schema={"type": "array", "items": {"type": "string"}, "minItems": 1000}),
    "a list of records": Form(json_schema={"type": "array", "items": PERSON, "minItems": 1000}),
}
SPEED_SHAPES = {"tinyllama": 32_000, "qwen3-0.6b": 152_000}  # with these vocabularies


def make_model(shape: str, vocabulary: int, folder: Path) -> None:
    """Write a model of random weights with a tokenizer."""
    make_checkpoint({**SHAPES[shape], "vocab_size": vocabulary, "eos_token_id": vocabulary - 1}, folder)
    write_tokenizer(vocabulary, folder)


def answer_all(llm: LLM, jobs: list[tuple[Sample, int]]) -> list[Completion]:
    """The answers to a prompt for each form and seed, computed together."""
    prompt, completions, ended = llm.encode("Hello"), dict[int, Completion](), queue.SimpleQueue[None]()
    for number, (sample, seed) in enumerate(jobs):

        def receive(delta: Any, number: int = number) -> None:
            if delta.completion is not None:
                completions[number] = delta.completion
                ended.put(None)

        params = SamplingParams(form=sample.form, temperature=2.0, seed=seed, max_tokens=MAX_TOKENS)
        llm.engine.submit(Job(prompt, params.with_defaults(llm.defaults)), receive)
    for _ in jobs:
        ended.get()
    return [completions[number] for number in range(len(jobs))]


def measure_answers(folder: Path) -> None:
    """Print how many answers have their form, and how many end by themselves."""
    jobs = [(sample, seed) for sample in all_samples() for seed in range(SEEDS)]
    with LLM(folder, max_queue=len(jobs)) as llm:
        completions = answer_all(llm, jobs)
    counts: Counter[str] = Counter()
    for (sample, seed), completion in zip(jobs, completions, strict=True):
        counts[completion.finish_reason] += 1
        check = sample.accepts if completion.finish_reason == "stop" else sample.accepts_start
        if completion.error is not None or not check(completion.text):
            counts["wrong"] += 1
            print(f"{sample.name}, seed {seed}: {completion.text!r} {completion.error or ''}")
    print(f"| answers | {len(jobs)} |")
    print(f"| of those wrong | {counts['wrong']} |")
    print(f"| ended by themselves | {counts['stop'] / len(jobs):.1%} |")


def measure_steps(folder: Path) -> None:
    """Print how many steps of the model an object of 20 fields takes."""
    with LLM(folder) as llm:
        before = llm.engine.stats()["totals"]["steps"]
        params = SamplingParams(form=Form(json_schema=RECORD), temperature=1.0, seed=1)
        completion = llm.generate("Hello", params)
        steps = llm.engine.stats()["totals"]["steps"] - before
    print(f"| tokens of an object of 20 fields | {len(completion.token_ids)} |")
    print(f"| steps of the model for it | {steps} |")


def measure_compilation(folder: Path) -> None:
    """Print how long a schema of 20 fields takes to compile, new and again."""
    with LLM(folder) as llm:
        compiler = GrammarCompiler(llm.tokenizer, llm.model.config.vocab_size, {llm.tokenizer.eos_token_id})
        start = time.perf_counter()
        compiler.compile(write_grammar(Form(regex="a")).text, ignores_end=False)
        setup = time.perf_counter() - start
        new, again = [], []
        for number in range(20):
            schema = {**RECORD, "title": str(number)}
            for times in (new, again):
                start = time.perf_counter()
                compiler.compile(write_grammar(Form(json_schema=schema)).text, ignores_end=False)
                times.append(1000 * (time.perf_counter() - start))
        compiler.close()
    print(f"| the first form of a model | {1000 * setup:.0f} ms |")
    print(f"| a new schema of 20 fields | {statistics.median(new):.1f} ms |")
    print(f"| the same again | {statistics.median(again):.2f} ms |")


def measure_rate(llm: LLM, prompts: list[list[int]], form: Form | None) -> float:
    """Return tokens per second of all streams together."""
    params = SamplingParams(form=form, temperature=0.8, seed=1, max_tokens=NEW_TOKENS, ignore_eos=True)
    start = time.perf_counter()
    completions = llm.generate(prompts, params)
    return sum(len(completion.token_ids) for completion in completions) / (time.perf_counter() - start)


def measure_speed(shape: str, folder: Path) -> None:
    """Print the speed of 16 streams with forms, beside the same without."""
    with LLM(folder, weights="int8") as llm:
        random = np.random.default_rng(0)
        prompts = random.integers(300, llm.model.config.vocab_size - 1, (STREAMS, 32)).tolist()
        forms = {"no form": None, **SPEED_FORMS}
        rates: dict[str, list[float]] = {name: [] for name in forms}
        for form in forms.values():  # the first use of memory is slow
            measure_rate(llm, prompts, form)
        for _ in range(ROUNDS):
            for name, form in forms.items():
                rates[name].append(measure_rate(llm, prompts, form))
    plain = statistics.median(rates["no form"])
    for name, measured in rates.items():
        rate = statistics.median(measured)
        model = f"{shape}, vocabulary {SPEED_SHAPES[shape]}"
        print(f"| {model}, {name} | {rate:.0f} tokens/s, {rate / plain:.2f} x |")


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = ["answers", "steps", "compile", "speed"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--work-folder", type=Path, help="keeps the models of `speed`")
    arguments = parser.parse_args()
    print(f"{processor_name()}\n\n| what | measured |\n| --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        small = build_folder(Path(temporary) / "small", lambda path: make_model("tiny", 4096, path))
        measures = {"answers": measure_answers, "steps": measure_steps, "compile": measure_compilation}
        for part, measure in measures.items():
            if part in arguments.parts:
                measure(small)
        if "speed" in arguments.parts:
            work_folder = arguments.work_folder or Path(temporary)
            for shape, vocabulary in SPEED_SHAPES.items():
                name = f"{shape}-{vocabulary}"
                folder = build_folder(
                    work_folder / name,
                    lambda path, shape=shape, vocabulary=vocabulary: make_model(shape, vocabulary, path),
                )
                measure_speed(shape, folder)


if __name__ == "__main__":
    main()
