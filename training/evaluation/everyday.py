"""Small facts that a child knows: opposites, animals, colours of things."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import helps

FACTS = (
    ("What is the opposite of hot?", r"\bcold\b"),
    ("whats the opposite of big", r"\b(small|little|tiny)\b"),
    ("What do you call something that is not full?", r"\bempty\b"),
    ("what's the opposite of slow?", r"\b(fast|quick)\b"),
    ("Can you tell me the opposite of happy?", r"\b(sad|unhappy)\b"),
    ("What is the opposite of day?", r"\bnight\b"),
    ("opposite of young", r"\bold\b"),
    ("My son asks what the opposite of open is.", r"\b(closed?|shut)\b"),
    ("What sound does a cow make?", r"\bmoo"),
    ("what does a duck say", r"\bquack"),
    ("What noise do sheep make?", r"\bbaa?|\bbleat"),
    ("how does a dog sound", r"\b(woof|bark|bow)"),
    ("What does the cat say?", r"\b(mi?e?ow|miaow|mew|purr)"),
    ("Which animal says oink?", r"\bpig"),
    ("What do bees make?", r"\bhoney\b"),
    ("what do rabbits eat", r"\b(carrot|grass|lettuce|clover|hay|leaves|vegetable|plants?)"),
    ("What colour is a banana?", r"\byellow\b"),
    ("what color is grass", r"\bgreen\b"),
    ("What colour is snow?", r"\bwhite\b"),
    ("Which colour does a ripe tomato have?", r"\bred\b"),
    ("what colour is the sky on a sunny day", r"\bblue\b"),
    ("Which is bigger, an elephant or a mouse?", r"\belephant\b"),
    ("is a whale smaller than a cat?", r"\bno\b|whale is (\w+ )?(bigger|larger)|cat is (\w+ )?smaller"),
    ("What is the colour of coal?", r"\bblack\b"),
)


def everyday_cases() -> list[Case]:
    """Each question as a conversation of its own."""
    rng = Random(81)
    return [case(typed(rng, ask), want=helps(pattern)) for ask, pattern in FACTS]
