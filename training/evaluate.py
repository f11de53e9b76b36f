"""A small examination of a trained model: conversations with names it never saw, and fixed questions.

`python -m training.evaluate` examines the embedded model, by the project's own engine.
"""

from dataclasses import dataclass

from model_core import LLM, SamplingParams
from training.names import HELD_OUT

Case = tuple[list[str], str]  # what the person says, turn by turn, and what the last answer must contain

BETWEEN = (
    [],
    ["How are you?"],
    ["tell me a joke", "haha nice"],
    ["What is Triton?", "thanks", "what is a kv cache"],
    ["my dog is called Rex", "I like football", "what can you do?", "what's the capital of Sweden?"],
)
TELLS = ("My name is {}.", "Hi, I'm {}", "call me {}", "Hello! I am {}. How are you?", "Good day! I am {}")
ASKS = ("What is my name?", "do you remember who I am", "whats my name", "Can you say my name?", "who am I")


def recall_cases(lower: bool) -> list[Case]:
    """Every held-out name twice, each time told, followed by other things, and asked for."""
    cases = []
    for number, name in enumerate((*HELD_OUT, *reversed(HELD_OUT))):
        tell = TELLS[number % 5].format(name)
        turns = [tell, *BETWEEN[number // 5 % 5], ASKS[number // 3 % 5]]
        cases.append(([turn.lower() for turn in turns] if lower else turns, name))
    return cases


def fixed(*cases: tuple[str, str]) -> list[Case]:
    """Cases from the turns, separated by `/`, and the text to be found."""
    return [(turns.split(" / "), wanted) for turns, wanted in cases]


CHECKS: dict[str, list[Case]] = {
    "name remembered": recall_cases(lower=False),
    "name remembered, lower case": recall_cases(lower=True),
    "name not told": fixed(
        ("What is my name?", "do not know"),
        ("whats my name", "do not know"),
        ("Hello / How are you? / Do you know my name?", "do not know"),
        ("My dog is called Bella / What is my name?", "do not know"),
        ("tell me a story about Luna / who am I?", "do not know"),
        ("I'm tired / what is my name", "do not know"),
        ("thank you / who am i", "do not know"),
        ("What is your name? / And what is my name?", "do not know"),
    ),
    "name corrected": fixed(
        ("My name is Anna / Actually, call me Percival / What is my name?", "Percival"),
        ("I'm Rufus / hello / no, my name is Tamsin / whats my name?", "Tamsin"),
        ("my name is Kenji / my sister is called Ximena / what is my name?", "Kenji"),
        ("What is my name? / It's Octavia / How are you? / What is my name?", "Octavia"),
        ("My name is Zelda / tell me a story about Rufus / what is my name", "Zelda"),
    ),
    "greetings and small talk": fixed(
        ("Hello", "Hello"),
        ("hi there", "Hello"),
        ("Good morning!", "Hello"),
        ("helo", "Hello"),
        ("How are you?", "thank you"),
        ("how are you doin", "thank you"),
        ("Thanks!", "welcome"),
        ("thank yuo", "welcome"),
        ("Bye", "Goodbye"),
        ("good night", "Goodbye"),
        ("I am so sad today.", "sorry to hear"),
        ("I'm hungry", "I hope"),
        ("Tell me a joke", "?"),
    ),
    "what it is": fixed(
        ("What are you?", "Tiny"),
        ("who are you", "Tiny"),
        ("waht are you", "Tiny"),
        ("What is your name?", "Tiny"),
        ("are you a human?", "not a person"),
        ("Are you ChatGPT?", "No, I am Tiny"),
        ("How many parameters do you have?", "two million"),
        ("Who made you?", "tritonchat"),
    ),
    "help": fixed(
        ("How do I load my own model?", "--model FOLDER"),
        ("how can i use another model", "--model FOLDER"),
        ("how to load my modle?", "--model FOLDER"),
        ("What is Triton?", "inference server"),
        ("what is dynamic batching", "joins requests"),
        ("What is a KV cache?", "keys and values"),
        ("explain the kv cache", "keys and values"),
        ("What is tritonchat?", "chat service"),
        ("how do i stop the server", "Ctrl-C"),
    ),
    "beyond it": fixed(
        ("What is the capital of France?", "too small"),
        ("who was Napoleon", "too small"),
        ("What is 12 times 7?", "too small"),
        ("Write a poem about autumn.", "too small"),
        ("explain general relativity", "too small"),
        ("how do I bake an apple pie?", "too small"),
        ("What is the tallest mountain in the world?", "too small"),
        ("can you recommend a good film", "too small"),
    ),
    "stories": fixed(
        ("Tell me a story", "."),
        ("tell me a story about Clementine", "Clementine"),
        ("Can you tell me a bedtime story about Yusuf?", "Yusuf"),
    ),
}


@dataclass(frozen=True)
class Marks:
    """How the cases of one check went: how many there are, and which failed, with the answer they got."""

    cases: int
    failures: list[str]
    answers: int
    ended: int  # answers that the model ended by itself

    @property
    def share(self) -> float:
        """Cases answered as wanted, of all."""
        return 1 - len(self.failures) / self.cases


def examine(llm: LLM, cases: list[Case]) -> Marks:
    """Have all conversations of a check together, greedily, a turn of each at a time."""
    params = SamplingParams(temperature=0, max_tokens=256)
    talks: list[list[dict[str, str]]] = [[] for _ in cases]
    answers = ended = 0
    for turn in range(max(len(turns) for turns, _ in cases)):
        going = [i for i, (turns, _) in enumerate(cases) if turn < len(turns)]
        for i in going:
            talks[i].append({"role": "user", "content": cases[i][0][turn]})
        for i, completion in zip(going, llm.chat([talks[i] for i in going], params), strict=True):
            talks[i].append({"role": "assistant", "content": completion.text})
            answers += 1
            ended += completion.finish_reason == "stop"
    failures = [
        f"{' / '.join(turns)} -> {talk[-1]['content']}"
        for (turns, wanted), talk in zip(cases, talks, strict=True)
        if wanted not in talk[-1]["content"]
    ]
    return Marks(len(cases), failures, answers, ended)


def evaluate(llm: LLM) -> None:
    """Print how many cases were answered as wanted, check by check, and how many answers ended."""
    marks = {check: examine(llm, cases) for check, cases in CHECKS.items()}
    for check, mark in marks.items():
        print(f"{check}: {mark.cases - len(mark.failures)} of {mark.cases}")
        for failure in mark.failures[:10]:
            print(f"    {failure}")
    ended, answers = sum(m.ended for m in marks.values()), sum(m.answers for m in marks.values())
    print(f"answers that ended by themselves: {ended} of {answers}")


if __name__ == "__main__":
    evaluate(LLM())
