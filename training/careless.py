"""How people type to a machine: hastily, in lower case, with slips and abbreviations."""

import re
from collections.abc import Callable
from random import Random

WORD = re.compile(r"(?<![\w{'])[A-Za-z]{4,}(?![\w}'])")
KEEPS_CAPITAL = re.compile(r"I\b|\{|[A-Z]{2}")
FILLERS = (
    *("hey, ", "so, ", "ok, ", "okay ", "well, ", "um, ", "please, ", "and ", "now, ", "oh, ", "alright, "),
    *("hi, ", "hello, ", "yes, ", "ok so ", "hmm, ", "but ", "also, ", "just ", "then ", "btw, ", "eh, "),
)
# Each with what people put instead; none holds a digit, as there may be sums in the same text.
SHORTER = {
    "by the way": ("btw",),
    "I don't know": ("idk", "dunno", "I dunno"),
    "do you know": ("d'you know", "do u kno", "u know"),
    "I am going to": ("imma", "im gonna"),
    "out of": ("outta",),
    "kind of": ("kinda",),
    "a lot": ("alot",),
    "give me": ("gimme", "giv me"),
    "let me": ("lemme",),
    "have to": ("gotta", "hafta"),
    "want to": ("wanna",),
    "going to": ("gonna",),
    "what is": ("whats", "wats", "what s", "wat is"),
    "what are": ("wat r", "whatre"),
    "you are": ("ur", "u r", "youre"),
    "you're": ("ur", "your", "youre"),
    "don't": ("dont", "dun", "do not"),
    "do not": ("dont",),
    "cannot": ("cant", "can not"),
    "can't": ("cant", "can not"),
    "I am": ("im", "iam", "i'm"),
    "I'm": ("im", "iam", "i am"),
    "I have": ("ive", "i hav"),
    "it is": ("its",),
    "it's": ("its",),
    "that is": ("thats",),
    "you": ("u", "u", "ya", "yu", "yuo"),
    "your": ("ur", "ur", "yor", "you're", "youre", "yr"),
    "are": ("r",),
    "please": ("pls", "plz", "plse", "pleas", "pleaseee"),
    "thanks": ("thx", "tnx", "thanx", "thnks"),
    "thank you": ("ty", "thank u", "thankyou"),
    "because": ("cuz", "cos", "bc", "becuase", "coz"),
    "people": ("ppl", "peeps"),
    "about": ("abt", "bout"),
    "favourite": ("fav", "fave", "favorit", "favrite"),
    "favorite": ("fav", "fave", "favorit"),
    "and": ("&", "n", "an"),
    "what": ("wat", "wut", "waht", "wht"),
    "why": ("y", "whyy"),
    "who": ("hoo", "whoo"),
    "with": ("w/", "wiht", "wit"),
    "without": ("w/o",),
    "really": ("rly", "realy"),
    "right": ("rite",),
    "know": ("kno", "knw"),
    "the": ("teh", "da", "th"),
    "this": ("dis", "thsi"),
    "that": ("dat", "taht"),
    "have": ("hav", "hve"),
    "for": ("fr", "fro"),
    "something": ("smth", "sth", "somthing"),
    "someone": ("sb", "sum one"),
    "birthday": ("bday", "b-day", "brithday"),
    "remember": ("rember", "remembr", "rmbr"),
    "could": ("cud", "coud"),
    "would": ("wud", "woud"),
    "should": ("shud", "shoud"),
    "again": ("agn", "agian"),
    "before": ("befor", "bfor"),
    "minute": ("min",),
    "question": ("qn", "questoin"),
    "okay": ("ok", "k", "kk"),
    "believe": ("beleive",),
    "friend": ("freind", "frnd"),
    "definitely": ("def", "definately"),
    "their": ("there", "thier"),
    "tomorrow": ("tmrw", "tommorow"),
    "through": ("thru",),
    "though": ("tho",),
    "probably": ("prob", "probly"),
    "colour": ("color",),
    "learnt": ("learned",),
    "neighbour": ("neighbor",),
}
SHORT_WORD = re.compile(r"(?<![\w{'])[A-Za-z]{2,}(?![\w}'])")
SHORTENED = re.compile(rf"(?<![\w{{'])({'|'.join(sorted(SHORTER, key=len, reverse=True))})(?![\w}}'])")
KEYBOARD = "qwertyuiop asdfghjkl zxcvbnm"
# What a slip may make of another word (then: ten, lines: lies, place: pace), which would change the sense.
OTHER_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    all and any back bake ball bar bead bear beard best bet better bid bike bird birth bitter black block
    boat boo book bot both bother bots bread brook broth brother but butter call came car card cards care
    cart cat coat cold come count country county court day dig dive do dog drive ear ears eat eight
    eleven eve even ever every fall fame farm farther father fee feed feel fell fiend fist five food foot
    for form forty four frame free fried friend from game gave give goat god gold good got had hand hart
    hat hate head hear heard heart heat hen her here hoarse hole home horse hose house kid kin kind king
    lack last late later latter lay least letter lice lie lies line lines list live lives loan lone long
    lost love lover luck mail male man mane many may meal mean meat meet men month moth mother mount
    mouth name nay need net next nine no nor not now nut off old on one other pace pal pan pay place plan
    plane play pray quiet quite rain ran rather rig ring river sad said same sand say seat set seven side
    sign sin sing sister sit site sitter six sixty size so some son song sore sort sorts store story sun
    sweet tail tall tank tea team tell ten test text than thank that the them then there they three tie
    time tired to told tore trail train tree tried trip twelve two very wait want ware way wear went
    were west wet what when where whole wide width wise wish wit with word work world year
    """,
    )
)
# Slots that hold what everybody knows, and what is understood rather than said back as it was typed.
KNOWN = frozenset(
    re.findall(r"\w+", "a_x a_y act end nth number part shade steps things unit ware ware2 x xs y")
)
# Slots that may: who tells of a "sistr" means a sister, and a brugnel is a brugnel.
PERHAPS_KNOWN = frozenset(("a", "a_who", "b", "kin", "kind", "n", "who"))
SLIPPERY = frozenset(
    re.findall(
        r"\w+",
        """
    sister brother mother father daughter husband wife aunt uncle niece nephew cousin grandmother grandfather
    grandma grandpa little older younger twin best friend neighbour colleague teacher girlfriend boyfriend
    a an boss coach partner flatmate hamster rabbit parrot puppy kitten turtle horse budgie goldfish
    three four five seven eight nine eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety letter month months season
    """,
    )
)
TEMPLATE_WORD = re.compile(r"(?<![\w{'])[a-z]+(?![\w}])")
AFTER_QUESTION = (
    *(
        "??",
        "???",
        "?!",
        " ?",
        "? :)",
        "...",
        "? ",
        "? thanks",
        " ??",
        "?.",
        "?,",
        "/",
        "? :-)",
        "? xx",
        " lol?",
    ),
    *(
        "????",
        "? pls",
        " plz",
        ".?",
        "?\n",
        "....",
        "? \U0001f642",
        "? \U0001f64f",
        "?? \U0001f602",
        "? ;)",
        '?"',
    ),
)
AFTER_STATEMENT = (
    *("!!", "!!!", "...", "..", " :)", " :D", " !", "! :)", " ;)", " lol", " haha", ",", ".,", " .", " xD"),
    *("....", " :-)", " <3", " xx", "!?", ";", ".\n", " \U0001f642", " \U0001f44d", "! \U0001f602", " ok"),
)
# Learners leave out the little verb of a question, or put it where it is in a statement.
LITTLE_VERB = re.compile(
    r"\b(what|where|how|who|when|which \w+|what \w+) (?:do|does|did|is|are) (?=I\b|my |the |you )"
)
STARTS_SENTENCE = re.compile(r"(?<=[a-z])([.!?]) (?=[A-Za-z])")


def type_carelessly(rng: Random, ask: str, slots: dict[str, str], spell: Callable[[str], str] = str) -> str:
    """The text of a template without choices, with the slips of a hasty hand; values of slots stay whole,
    but for what everybody knows.

    `spell` gives how the person writes names: as they are, or all small.
    """
    slots = {slot: spell(mistake(rng, slot, value)) for slot, value in slots.items()}
    if rng.random() < 0.08:
        ask = rng.choice(FILLERS) + (ask if KEEPS_CAPITAL.match(ask) else ask[:1].lower() + ask[1:])
    ask = end(rng, ask)
    for _ in range(rng.choices((0, 1, 2), (60, 30, 10))[0]):
        ask = misspell(rng, ask)
    ask = drop(rng, ask)
    style = rng.random()
    if style < 0.4:
        return ask.lower().format(**slots)
    if rng.random() < 0.1:
        ask = re.sub(r"\bI\b", "i", ask)
    return (ask[:1].upper() + ask[1:] if style < 0.75 else ask).format(**slots)


def mistake(rng: Random, slot: str, value: str) -> str:
    """The value of a slot, with a slip now and then where it is something that everybody knows."""
    known = slot in KNOWN or (slot in PERHAPS_KNOWN and SLIPPERY.issuperset(re.split("[ -]", value)))
    return misspell(rng, value) if known and rng.random() < 0.15 else value


def end(rng: Random, ask: str) -> str:
    """The text with what people put at the end, or leave out there."""
    kind = rng.random()
    bare = ask.rstrip(".?! ") or ask
    if kind < 0.3:
        return bare
    if kind < 0.36:
        return bare + rng.choice(AFTER_QUESTION if ask.endswith("?") else AFTER_STATEMENT)
    return ask


def misspell(rng: Random, text: str) -> str:
    """Swap, drop, double or mistake one letter of one longer word; slots are left whole."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end() - 1)
    pair = text[at : at + 2]
    beside = KEYBOARD.index(pair[0].lower()) + rng.choice((-1, 1))
    near = KEYBOARD[beside % len(KEYBOARD)].strip() or pair[0]
    slips = (pair[::-1], pair[1], pair[0] + pair, near + pair[1], near + pair, pair[0])
    slipped = text[:at] + rng.choice(slips) + text[at + 2 :]
    now = slipped[word.start() : word.end() + len(slipped) - len(text)].lower()
    return text if now in OTHER_WORDS else slipped


def stretch(rng: Random, text: str) -> str:
    """Draw out the end of one word, as in "pleaseee" and "sooo"; slots are left whole."""
    words = [found for found in SHORT_WORD.finditer(text) if found[0][-1] in "aeiosuyhmw"]
    if not words:
        return text
    at = rng.choice(words).end()
    return text[:at] + text[at - 1] * rng.randint(1, 3) + text[at:]


def repeat(rng: Random, text: str) -> str:
    """Type one word twice; slots are left whole."""
    words = list(TEMPLATE_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    return f"{text[: word.end()]} {text[word.start() :]}"


def drop(rng: Random, text: str) -> str:
    """The text without some of its apostrophes, commas, articles, verbs, spaces, marks or letters."""
    kind = rng.random()
    if kind < 0.2:
        text = text.replace("'", "")
    elif kind < 0.24:
        text = text.replace("'", "\u2019")
    elif kind < 0.25:
        text = text.replace("'", rng.choice(("`", " ", "\u00b4")))
    text = space(rng, text)
    kind = rng.random()
    if kind < 0.03:
        return SHORTENED.sub(lambda found: rng.choice(SHORTER[found[0]]), text)
    if kind < 0.08:
        return shorten(rng, text)
    if kind < 0.11:
        return re.sub(r"\b(?:an?|the) (?=[a-z{])", "", text)
    if kind < 0.12:
        return LITTLE_VERB.sub(r"\1 ", text)
    if kind < 0.13:
        return stretch(rng, text)
    if kind < 0.137:
        return repeat(rng, text)
    spaces = [found.start() for found in re.finditer(r"(?<=[a-z]) (?=[a-z])", text)]
    if kind < 0.152 and spaces:
        at = rng.choice(spaces)
        return text[:at] + text[at + 1 :]
    if kind < 0.167:
        return rng.choice((" " + text, text + " "))
    return text


def shorten(rng: Random, text: str) -> str:
    """One word or phrase as people shorten it, the others in full."""
    found = list(SHORTENED.finditer(text))
    if not found:
        return text
    one = rng.choice(found)
    return text[: one.start()] + rng.choice(SHORTER[one[0]]) + text[one.end() :]


def space(rng: Random, text: str) -> str:
    """The text with commas and full stops left out or oddly spaced; numbers and slots keep theirs."""
    kind = rng.random()
    if kind < 0.1:
        return re.sub(r"(?<=[a-z]),", "", text)
    if kind < 0.13:
        return re.sub(r"(?<=[a-z]), (?=[A-Za-z])", ",", text)
    if kind < 0.145:
        return re.sub(r"(?<=[a-z]), ", " , ", text)
    if kind < 0.16:
        return STARTS_SENTENCE.sub(r"\1", text)
    if kind < 0.18:
        return STARTS_SENTENCE.sub(" ", text)
    if kind < 0.19:
        return STARTS_SENTENCE.sub(r"\1\n", text)
    if kind < 0.2:
        return STARTS_SENTENCE.sub(rng.choice((", ", "... ", " - ", "!! ")), text)
    return text
