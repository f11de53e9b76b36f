"""System prompts: a name to answer by, and answers that have to be short."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.memory import between
from training.evaluation.wants import brief, says
from training.names import HELD_OUT

NAMED = (
    "You are {name}, a cheerful helper in a bookshop.",
    "Your name is {name}. Be nice to everyone.",
    "This assistant is called {name} and answers questions about our product.",
    "Act as {name}, the robot that greets visitors of a museum.",
    "You're {name}. Stay polite.",
    "From now on you go by the name {name}.",
    "Assistant name: {name}. Language: English.",
    "You are an AI assistant named {name}. You work for a small bakery.",
    "Pretend that you are called {name}. Answer whatever people ask.",
    "You are a friendly bot. People know you as {name}.",
)
WHO = (
    "hi! and you are?",
    "Whom do I have the pleasure of talking to?",
    "what do people call you around here",
    "A short introduction of yourself, if you don't mind.",
    "Sorry, I didn't catch your name.",
    "how are you called?",
    "Before we start, what's the name?",
    "do you have a name or something",
    "So this is Siri, right?",
    "out with it, your name?",
)
BRIEF = (
    "Never use more than 25 words.",
    "Keep each reply under twenty words.",
    "One short sentence per answer, nothing more.",
    "short answers only",
    "The user is in a hurry, so reply in a single sentence.",
    "You are a helpful assistant who hates long texts. Be very brief.",
    "Please reply in as few words as you can.",
    "You are the help desk. Limit yourself to one sentence.",
)
# What is asked of somebody who has to be brief, and what an answer has to have.
ASKED_BRIEFLY = (
    ("I keep reading about a KV cache. What does it do?", "keys|earlier|already|past|again|memory|remember"),
    ("how can i get the thing running", "make chat|tritonchat up"),
    ("What ends the server once it runs?", "Ctrl"),
    ("dynamic batching, how does that work?", "together|join|group|at once|batch|several|many"),
    ("Is there a way to use another model than this one?", "--model"),
    ("So what are you exactly?", r"Tiny|model|assistant"),
    ("What are the things you're good at?", r"\w+"),
    ("what sort of thing is Triton", "server|serve|NVIDIA"),
    ("Explain temperature to me.", "random|wild|likel|varie|creativ|surpris|bold|same"),
    ("What is the license like?", "Apache"),
    ("tell me a good one to make me laugh", r"\w+"),
    ("I had a rotten day.", "sorry|hope|hug|bad|better|tough|hard|listen|cheer"),
    ("do I have to buy a GPU for this?", r"\bno\b|\bnot\b|without|CPU|processor"),
    ("Who was the first person on Mars?", r"\w+"),
    ("The very first start takes ages, why is that?", "compil|kernel|first|once|cache"),
    ("how old is the oldest tree on earth?", r"\w+"),
    ("Which files can I load weights from?", "safetensors|--model|folder"),
    ("what does the doctor command tell me?", "machine|wrong|check|problem"),
    ("Where do my messages go, who reads them?", "machine|computer|nobody|no one|stay|not|never|privat|here"),
    ("Could you explain streaming?", "piece|token|word|soon|while|part"),
)


def name_cases() -> list[Case]:
    """The name that the system prompt gave, asked for at once or up to four turns later."""
    rng, cases = Random(41), []
    for number, name in enumerate(rng.sample(HELD_OUT, 50)):
        system = NAMED[number % len(NAMED)].format(name=name)
        ask = typed(rng, WHO[(number + number // 10) % len(WHO)])
        turns = [*between(rng, (0, 0, 1, 2, 4)[number // 10]), ask]
        cases.append(case(*turns, want=says(name, without=["Tiny"]), system=system))
    return cases


def length_cases() -> list[Case]:
    """At most 25 words where the system prompt wants few, and yet an answer; in half of them a turn later."""
    rng, cases = Random(42), []
    for number, (ask, pattern) in enumerate(ASKED_BRIEFLY * 2):
        turns = [*between(rng, number % 2), typed(rng, ask)]
        system = BRIEF[(number + number // len(ASKED_BRIEFLY)) % len(BRIEF)]
        cases.append(case(*turns, want=brief(25, pattern), system=system))
    return cases
