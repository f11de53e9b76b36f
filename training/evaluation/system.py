"""System prompts: a name to answer by, and answers that have to be short."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.helpdesk import TOPICS
from training.evaluation.memory import between
from training.evaluation.smalltalk import JOKE, SORRY
from training.evaluation.wants import NOT_KNOWN, brief, says
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
# Each with the number of words that it allows, or None for one sentence.
BRIEF = (
    ("Answer in one sentence.", None),
    ("Keep your answers short, at most 20 words.", 20),
    ("Be brief.", 25),
    ("You are a helpful assistant. Please give only short answers.", 25),
    ("Answer briefly and clearly, with no more than one sentence.", None),
    ("Use 25 words or fewer in every answer.", 25),
    ("Always answer as shortly as possible.", 25),
    ("You are a support bot. Our users read on their phones, so write one short sentence only.", None),
)
# What is asked of somebody who has to be brief, and what an answer has to have.
ASKED_BRIEFLY = (
    ("What is a KV cache?", TOPICS["kv cache"][0]),
    ("how do I start it", TOPICS["start"][0]),
    ("How can I stop the server?", TOPICS["stop"][0]),
    ("can you explain dynamic batching", TOPICS["dynamic batching"][0]),
    ("How do I use another model?", TOPICS["own model"][0]),
    ("Who are you?", r"\b(Tiny|model|assistant)\b"),
    ("what can you do", r"\b(chat|count|remember|stor(y|ies)|jokes?|help|answer questions)\b"),
    ("What is Triton?", TOPICS["triton"][0]),
    ("What does the temperature do?", TOPICS["temperature"][0]),
    ("which licence does tritonchat have", TOPICS["licence"][0]),
    ("Can you tell me a joke?", JOKE),
    ("I'm feeling a bit sad today.", SORRY),
    ("do I need a graphics card for this", TOPICS["gpu"][0]),
    ("Who won the football match last night?", NOT_KNOWN.pattern),
    ("Why does it take so long the first time I start it?", TOPICS["first start"][0]),
    ("how many people live in India?", NOT_KNOWN.pattern),
    ("What files can I load a model from?", r"safetensors|--model\b|\bfolder"),
    ("What would tritonchat doctor tell me?", TOPICS["doctor itself"][0]),
    ("is my chat private", TOPICS["privacy"][0]),
    ("What is streaming?", TOPICS["streaming"][0]),
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
    """As few words as the system prompt wants, and yet an answer; in half of them a turn later."""
    rng, cases = Random(42), []
    for number, (ask, pattern) in enumerate(ASKED_BRIEFLY * 2):
        turns = [*between(rng, number % 2), typed(rng, ask)]
        system, most = BRIEF[(number + number // len(ASKED_BRIEFLY)) % len(BRIEF)]
        cases.append(case(*turns, want=brief(most, pattern), system=system))
    return cases
