"""Names: repeating them, and remembering the person's own from the turn that tells it to any later one."""

from random import Random

from training.names import draw_name
from training.talk import Exchange, Talk

TELL = (
    "my name is {name}(.|!|)",
    "(hi|hello|hey)(,|!|) my name is {name}(.|!|)",
    "(hi|hello|hey)(,|!|) (I'm|I am) {name}(.|!|)",
    "(I'm|I am) {name}(.|!|)",
    "(hi|hello|hey)(,|!|) (I'm|I am|my name is) {name}(.|!|,) (how are you?|who are you?|what can you do?)",
    "(you can |please |just |)call me {name}(.|!|)",
    "(everyone|everybody|people|my friends|they|folks) (call|calls) me {name}(.|)",
    "the name is {name}(.|)",
    "my name's {name}(.|!)",
    "(this is|it's|it is) {name}(.|!|) (here|)",
    "{name} here(.|!|)",
    "(hi|hello|hey)(,|) {name} here(.|)",
    "(I'm|I am) called {name}(.|)",
    "(I'm|I am) {name}, (nice to meet you|pleased to meet you|how are you?|who are you?)",
    "my name is {name}, (what's yours?|and yours?|what is your name?|nice to meet you|remember it)",
    "(remember|note) (that |)my name is {name}(.|)",
    "I go by {name}(.|)",
    "my first name is {name}(.|)",
    "let me introduce myself(:|,|.) (I am|I'm|my name is) {name}(.|)",
)
CORRECT = (
    "(actually|no|sorry|wait)(,|) (my name is|I'm|I am|call me|it's) {name}(.|)",
    "(please |)call me {name} (instead|from now on)(.|)",
    "(from now on|now) my name is {name}(.|)",
    "I changed my name to {name}(.|)",
)
GREET = (
    "(Nice|Lovely|Good) to meet you, {name}!( How are you today?| What can I do for you?|)",
    "(Hello|Hi), {name}! (Nice to meet you.|It is good to meet you.|I will remember your name.)",
    "Nice to meet you, {name}! I am Tiny.",
)
RECALL = (
    "(what is|what's|whats|what was) my name( again|)?",
    "do you (know|remember|recall) (my name|who I am|what my name is|me)?",
    "(can|could) you (tell me|say|remember|repeat) my name( please|)?",
    "who am I?",
    "what am I called?",
    "what did I (say|tell you) my name (was|is)?",
    "(tell me|say) my name(.|)",
    "(and |so |)what (should|do|will) you call me?",
    "(did|have) you (forget|forgotten) my name?",
    "(I forgot my name,|quick test:|let's see:) (what is it?|what is my name?|who am I?)",
    "which name did I (give you|tell you)?",
    "do you still (know|remember) my name?",
    "remember my name?",
)
KNOWN = ("Your name is {name}.", "Your name is {name}.", "(Of course! |)Your name is {name}.")
UNKNOWN = (
    "I do not know your name yet. What is it?",
    "I do not know your name yet. (What should I call you?|Please tell me.)",
)
REPEAT = (
    "(please |)(repeat|say|echo)(:|) {list}(.|)",
    "(repeat after me|say after me|say it back|repeat this|echo this|(please |)say)(:|,|) {list}(.|)",
    "(can|could) you (say|repeat) {list}?",
)
OTHERS = "(friend|brother|sister|dog|cat|teacher|mother|father|son|daughter|neighbour)"


def introduce(rng: Random, talk: Talk) -> list[Exchange]:
    """The person tells a name, sometimes because they were asked for it, sometimes a new one."""
    before, talk.name = talk.name, draw_name(rng)
    told = Exchange(rng.choice(TELL), rng.choice(GREET), {"name": talk.name})
    if before and rng.random() < 0.7:
        told.ask, told.answer = rng.choice(CORRECT), "(All right|Thank you), {name}! I will remember that."
    elif not before and rng.random() < 0.15:
        told.ask = rng.choice(("{name}(.|!|)", *TELL))
        return [Exchange("(hi|hello|hey|good morning)(!|.|)", "Hello! I am Tiny. What is your name?"), told]
    return [told]


def recall(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks for their own name, which may never have been told."""
    ask = rng.choice(RECALL)
    if talk.name:
        return [Exchange(ask, rng.choice(KNOWN), {"name": talk.name})]
    if rng.random() < 0.5:
        return [Exchange(ask, rng.choice(UNKNOWN))]
    talk.name = draw_name(rng)
    return [
        Exchange(ask, rng.choice(UNKNOWN)),
        Exchange(rng.choice(("{name}", "{name}.", *TELL)), rng.choice(GREET), {"name": talk.name}),
    ]


def others(rng: Random, talk: Talk) -> list[Exchange]:
    """Somebody else's name, which must not be taken for the person's own."""
    asks = f"my {OTHERS} is (called|named) {{other}}(.|)", f"I have a {OTHERS} called {{other}}(.|)"
    answer = "({other} is a nice name!|Say hello to {other} from me!|Thank you for telling me about {other}.)"
    return [Exchange(rng.choice(asks), answer, {"other": draw_name(rng)})]


def repeat(rng: Random, talk: Talk) -> list[Exchange]:
    """Names said back: many to copy in one exchange."""
    names = ", ".join(draw_name(rng) for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 5))))
    return [Exchange(rng.choice(REPEAT), "{list}.", {"list": names})]
