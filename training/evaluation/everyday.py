"""Small facts that a child knows: opposites, animals, colours of things."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import helps

SHADES = {"red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "black", "white", "grey"}
SOUNDS = {
    "cow": r"moo+s?|mooing",
    "duck": r"quack\w*",
    "sheep": r"baa*h?s?|bleat\w*",
    "dog": r"woof\w*|bark\w*|bow[ -]wow",
    "cat": r"mi?e?ow\w*|miaow\w*|mew\w*|purr\w*",
    "pig": r"oink\w*|grunt\w*",
    "horse": r"neigh\w*",
}


def opposite(right: str) -> str:
    """This word, not denied, and not as the one whose opposite is told."""
    return rf"^(?!.*(\bopposite of|\bnot|n't) ({right})\b(?! of)).*\b({right})\b"


def sound(animal: str) -> str:
    """What this animal says, and no other animal or sound."""
    others = "|".join(rf"{other}s?|{said}" for other, said in SOUNDS.items() if other != animal)
    return rf"^(?!.*\b({others})\b)(?!.*\b(not|never)\b).*\b({SOUNDS[animal]})\b"


def colour(thing: str, right: str) -> str:
    """This colour as the first one that is named, alone or of this thing."""
    other = rf"\b({'|'.join(sorted(SHADES - {right}))}|not)\b"
    return rf"^\W*{right}\b|^((?!{other}).)*\b({thing}|it|its|they|that|colou?r)\b((?!{other}).)*\b{right}\b"


FACTS = (
    ("What is the opposite of hot?", opposite("cold")),
    ("whats the opposite of big", opposite("small|little|tiny")),
    ("What do you call something that is not full?", opposite("empty")),
    ("what's the opposite of slow?", opposite("fast|quick")),
    ("Can you tell me the opposite of happy?", opposite("sad|unhappy")),
    ("What is the opposite of day?", opposite("night")),
    ("opposite of young", opposite("old")),
    ("My son asks what the opposite of open is.", opposite("closed?|shut")),
    ("What sound does a cow make?", sound("cow")),
    ("what does a duck say", sound("duck")),
    ("What noise do sheep make?", sound("sheep")),
    ("how does a dog sound", sound("dog")),
    ("What does the cat say?", sound("cat")),
    ("Which animal says oink?", r"^(?!.*\b(cow|duck|sheep|dog|cat|horse|not)s?\b).*\b(pig|piglet|hog)s?\b"),
    ("What do bees make?", r"^(?!.*\b(not|never|eat|bears?|wasps?|cows?)\b).*\bhoney\b"),
    (
        "what do rabbits eat",
        r"(\b(eats?|likes?|loves?|feeds? on|chews?|nibbles?) (?!no\b|not\b|rabbits?\b)[^.!?]*|^\W*)"
        r"\b(carrots?|grass|grasses|lettuce|clover|hay|leaves|vegetables|plants?)\b(?! eat)",
    ),
    ("What colour is a banana?", colour("bananas?", "yellow")),
    ("what color is grass", colour("grass", "green")),
    ("What colour is snow?", colour("snow", "white")),
    ("Which colour does a ripe tomato have?", colour("tomato(es)?", "red")),
    ("what colour is the sky on a sunny day", colour("sky", "blue")),
    (
        "Which is bigger, an elephant or a mouse?",
        r"\belephants? (is|are) (\w+ )?(bigger|larger)|\b(mouse|mice) (is|are) (?!not\b)(\w+ )?smaller"
        r"|\b(bigger|larger)( one| animal)?( is|:) (an |the )?elephant|^(?!.*\b(mouse|small\w*"
        r"|not)\b).*\belephant\b",
    ),
    (
        "is a whale smaller than a cat?",
        r"^(?!\W*yes\b)(?!.*\bwhale is (?!not\b)(\w+ )?smaller)(?!.*\bcat is (?!not\b)(\w+ )?(bigger"
        r"|larger)).*"
        r"(^\W*no\b(?! idea)|not smaller|whale is (?!not\b)(\w+ )?(bigger|larger)"
        r"|cat is (?!not\b)(\w+ )?smaller)",
    ),
    ("What is the colour of coal?", colour("coal", "black")),
)


def everyday_cases() -> list[Case]:
    """Each question as a conversation of its own."""
    rng = Random(81)
    return [case(typed(rng, ask), want=helps(pattern)) for ask, pattern in FACTS]
