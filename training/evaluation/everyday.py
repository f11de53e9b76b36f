"""Small facts that a child knows: opposites, animals, colours of things."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import helps

FACTS = (
    ("opposite of hot pls", r"\bcold\b"),
    ("What's the contrary of big?", r"\b(small|little|tiny)\b"),
    ("If something isn't full, then it is what?", r"\bempty\b"),
    ("the reverse of slow is...", r"\b(fast|quick)\b"),
    ("I need the opposite word for happy.", r"\b(sad|unhappy)\b"),
    ("day, and the other way round?", r"\bnight\b"),
    ("Somebody who isn't young any more is...?", r"\bold\b"),
    ("not open but", r"\b(closed?|shut)\b"),
    ("What noise comes out of a cow?", r"\bmoo"),
    ("how do ducks talk", r"\bquack"),
    ("Which sound do sheep make?", r"\bbaa?|\bbleat"),
    ("a dog goes...?", r"\b(woof|bark|bow)"),
    ("What do cats say all day?", r"\b(mi?e?ow|miaow|mew|purr)"),
    ("what animal says oink", r"\bpig"),
    ("Tell me what bees make.", r"\bhoney\b"),
    ("what do rabbits like to eat", r"\b(carrot|grass|lettuce|clover|hay|leaves|vegetable|plants?)"),
    ("In which colour do bananas come?", r"\byellow\b"),
    ("grass has which color?", r"\bgreen\b"),
    ("if it snows, the garden turns which color?", r"\bwhite\b"),
    ("What colour would I paint a ripe tomato?", r"\bred\b"),
    ("Looking up on a sunny day, which colour is the sky?", r"\bblue\b"),
    ("elephant or mouse, who's the larger one?", r"\belephant\b"),
    ("Is a whale smaller than a cat?", r"\bno\b|whale is (\w+ )?(bigger|larger)|cat is (\w+ )?smaller"),
    ("what's the colour of coal?", r"\bblack\b"),
)


def everyday_cases() -> list[Case]:
    """Each question as a conversation of its own."""
    rng = Random(81)
    return [case(typed(rng, ask), want=helps(pattern)) for ask, pattern in FACTS]
