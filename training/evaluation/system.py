"""System prompts: a name to answer by, and answers that have to be short."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.memory import between
from training.evaluation.wants import brief, says
from training.names import HELD_OUT

NAMED = (
    "You are {name}, a friendly assistant.",
    "Your name is {name}. Help the user with their questions.",
    "You are a helpful assistant called {name}.",
    "The assistant's name is {name}. It is polite and patient.",
    "You're {name}, the chat bot of a small hotel. Welcome the guests.",
    "Please use the name {name} when you talk to our customers.",
    "name: {name}",
    "You are an AI named {name}. Answer the questions of the children in class 3b.",
    "I want you to be {name}. When somebody asks for your name, say that it is {name}.",
    "{name} is your name. You like to help and you are always cheerful.",
)
WHO = (
    "What's your name?",
    "who are you",
    "Hi! What should I call you?",
    "Can you tell me your name, please?",
    "do you have a name?",
    "Hello, who am I talking to?",
    "whats ur name",
    "Please introduce yourself.",
    "And what is your name, if I may ask?",
    "what are you called",
    "Could you tell me who you are?",
    "I'm sorry, what was your name again?",
)
BRIEF = (
    "Answer in one sentence.",
    "Keep your answers short, at most 20 words.",
    "Be brief.",
    "You are a helpful assistant. Please give only short answers.",
    "Answer briefly and clearly, with no more than one sentence.",
    "Use 25 words or fewer in every answer.",
    "Always answer as shortly as possible.",
    "You are a support bot. Our users read on their phones, so write one short sentence only.",
)
# What is asked of somebody who has to be brief, and what an answer has to have.
ASKED_BRIEFLY = (
    ("What is a KV cache?", "keys|earlier|already|past|again|memory|remember"),
    ("how do I start it", "make chat|tritonchat up"),
    ("How can I stop the server?", "Ctrl"),
    ("can you explain dynamic batching", "together|join|group|at once|batch|several|many"),
    ("How do I use another model?", "--model"),
    ("Who are you?", "Tiny|model|assistant"),
    ("what can you do", r"\w+"),
    ("What is Triton?", "server|serve|NVIDIA"),
    ("What does the temperature do?", "random|wild|likel|varie|creativ|surpris|bold|same"),
    ("which licence does tritonchat have", "Apache"),
    ("Can you tell me a joke?", r"\w+"),
    ("I'm feeling a bit sad today.", "sorry|hope|hug|bad|better|tough|hard|listen|cheer"),
    ("do I need a graphics card for this", r"\bno\b|\bnot\b|without|CPU|processor"),
    ("Who won the football match last night?", r"\w+"),
    ("Why does it take so long the first time I start it?", "compil|kernel|first|once|cache"),
    ("how many people live in India?", r"\w+"),
    ("What files can I load a model from?", "safetensors|--model|folder"),
    ("What would tritonchat doctor tell me?", "machine|wrong|check|problem"),
    ("is my chat private", "machine|computer|nobody|no one|stay|not|never|privat|here"),
    ("What is streaming?", "piece|token|word|soon|while|part"),
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
